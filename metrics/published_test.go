package metrics_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"mtt"
	"mtt/metrics"
)

// This file checks scores against published values and against those that
// other programs compute.

// value is the row of r with the given key.
func value(t testing.TB, r *metrics.Report, key string) float64 {
	t.Helper()
	for _, row := range r.Rows() {
		if row.Key == key {
			return row.Value
		}
	}
	t.Fatalf("report has no %q", key)
	return 0
}

// score is Score of input that must be good.
func score(t testing.TB, truth, tracks []mtt.Track, o *metrics.Options) *metrics.Report {
	t.Helper()
	r, err := metrics.Score(truth, tracks, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func scoreTUD(t testing.TB, name string) *metrics.Report {
	t.Helper()
	return score(t,
		boxTracks(readMOT(t, "data/mot15/"+name+"/gt/gt.txt", false), nil),
		boxTracks(readMOT(t, "data/mot15/"+name+"/res/res.txt", false), nil), nil)
}

// The py-motmetrics project publishes these values, rounded as they are here,
// and the same ones from the MATLAB development kit of MOTChallenge.
func TestPublishedTUD(t *testing.T) {
	for _, tt := range []struct {
		name string
		want map[string]float64
	}{
		{"TUD-Campus", map[string]float64{
			"idf1": 55.8, "idp": 73.0, "idr": 45.1, "recall": 58.2, "precision": 94.1,
			"mt": 1, "pt": 6, "ml": 1, "fp": 13, "fn": 150, "idsw": 7, "frag": 7,
			"mota": 52.6, "motp": 0.277, "targets": 8}},
		{"TUD-Stadtmitte", map[string]float64{
			"idf1": 64.5, "idp": 82.0, "idr": 53.1, "recall": 60.9, "precision": 94.0,
			"mt": 5, "pt": 4, "ml": 1, "fp": 45, "fn": 452, "idsw": 7, "frag": 6,
			"mota": 56.4, "motp": 0.346, "targets": 10}},
	} {
		r := scoreTUD(t, tt.name)
		for key, want := range tt.want {
			half := 0.05 // of the last printed digit
			if key == "motp" {
				half = 0.0005
			}
			if got := value(t, r, key); math.Abs(got-want) > half {
				t.Errorf("%s: %s = %v, want %v", tt.name, key, got, want)
			}
		}
	}
}

// TrackEval (12c8791) computes these values for the sample results of the two sequences, as files in its
// own folders, and for both together. py-motmetrics publishes the same DetA 39.8, AssA 41.2 and HOTA 40.0
// for both.
func TestPublishedMerge(t *testing.T) {
	campus, stadtmitte := scoreTUD(t, "TUD-Campus"), scoreTUD(t, "TUD-Stadtmitte")
	both, err := metrics.Merge(campus, stadtmitte)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		r    *metrics.Report
		want map[string]float64
	}{
		{"TUD-Campus", campus, map[string]float64{
			"mota": 52.64623955431755, "motp": 0.27720108463946147, "idf1": 55.76592082616179, "hota": 39.13974378451139,
			"deta": 41.8047030142763, "assa": 36.912068120832835, "loca": 77.0052227022172}},
		{"TUD-Stadtmitte", stadtmitte, map[string]float64{
			"mota": 56.40138408304498, "motp": 0.3459042955440088, "idf1": 64.46194225721786, "hota": 39.78490169927877,
			"deta": 39.22675723693166, "assa": 40.88407518112996, "loca": 73.7521177178062}},
		{"both", both, map[string]float64{
			"mota": 55.51155115511551, "motp": 0.33017705449357027, "idf1": 62.42960579243765, "hota": 39.995709128847864,
			"deta": 39.76832912424188, "assa": 41.24495298453543, "loca": 73.24802580659768}},
	} {
		for key, want := range tt.want {
			if got := value(t, tt.r, key); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: %s = %v, want %v", tt.name, key, got, want)
			}
		}
	}
}

// TrackEval computes these values for the sample result of MOT16-11, with its
// own preprocessing; no published table of that result was found.
func TestMOT16(t *testing.T) {
	distractor := func(r motRow) bool { return r.class == 2 || r.class == 7 || r.class == 8 || r.class == 12 }
	gt := readMOT(t, "data/mot15/MOT16-11/gt/gt.txt", true)
	pedestrians := boxTracks(gt, func(r motRow) bool { return r.class == 1 && r.active })
	others := boxTracks(gt, func(r motRow) bool { return !distractor(r) })
	ignored := boxTracks(gt, distractor)
	all := boxTracks(readMOT(t, "data/mot15/MOT16-11/res/res.txt", false), nil)

	tracks, err := metrics.DropIgnored(t.Context(), all, others, ignored, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := score(t, pedestrians, tracks, nil)
	for key, want := range map[string]float64{
		"hota": 45.375067241955, "deta": 45.6291472849028, "assa": 45.16340303869832,
		"detre": 48.607047376452904, "detpr": 78.24549089868029,
		"assre": 46.5655833071408, "asspr": 84.46148993042839, "loca": 83.7620905372992,
		"hota0": 55.97309237916564, "mota": 53.82603008502289, "motp": 1 - 0.8180453295523372,
		"recall": 58.16437758883802, "precision": 93.63046148447096,
		"tp": 5336, "fp": 363, "fn": 3838, "idsw": 35, "frag": 38, "mt": 15, "pt": 25, "ml": 29,
		"idf1": 54.62247024810058, "idp": 71.27566239691174, "idr": 44.277305428384565,
		"idtp": 4062, "idfp": 1637, "idfn": 5112,
	} {
		if got := value(t, r, key); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %v, want %v", key, got, want)
		}
	}
	// Six boxes were on distractors: without preprocessing they are false.
	if r := score(t, pedestrians, all, nil); r.FP != 369 {
		t.Errorf("without preprocessing: FP = %d, want 369", r.FP)
	}
}

// testdata/README.md says where the values come from.
func TestTrackEval(t *testing.T) {
	data, err := os.ReadFile("testdata/trackeval.json")
	if err != nil {
		t.Fatal(err)
	}
	var scenes []struct {
		Boxes         bool
		MatchDistance float64 `json:"match_distance"`
		Cutoff, Order float64
		Truth, Tracks [][]float64
		Want          map[string]float64
	}
	if err := json.Unmarshal(data, &scenes); err != nil {
		t.Fatal(err)
	}
	if len(scenes) != 8 {
		t.Fatalf("%d scenes, want 8", len(scenes))
	}
	for i, s := range scenes {
		o := &metrics.Options{MatchDistance: s.MatchDistance, Cutoff: s.Cutoff, Order: s.Order}
		r := score(t, rowTracks(s.Truth), rowTracks(s.Tracks), o)
		if boxes := r.Measure == "1-iou"; boxes != s.Boxes {
			t.Errorf("scene %d: measure %s", i, r.Measure)
		}
		for key, want := range s.Want {
			if got := value(t, r, key); math.Abs(got-want) > 1e-9 {
				t.Errorf("scene %d: %s = %v, want %v", i, key, got, want)
			}
		}
	}
}

// rowTracks makes tracks of rows frame, id, x, y and, for boxes, w, h.
func rowTracks(rows [][]float64) []mtt.Track {
	var tracks []mtt.Track
	index := map[float64]int{}
	for _, r := range rows {
		k, ok := index[r[1]]
		if !ok {
			k = len(tracks)
			index[r[1]] = k
			tracks = append(tracks, mtt.Track{ID: int(r[1]), Dim: 2})
		}
		tr := &tracks[k]
		tr.Hits = append(tr.Hits, mtt.Hit{Frame: int(r[0]), Det: -1})
		tr.Pos = append(tr.Pos, r[2], r[3])
		tr.Size = append(tr.Size, r[4:]...)
	}
	return tracks
}
