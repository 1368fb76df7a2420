package metrics_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mtt"
	"mtt/metrics"
)

// This file checks single cases of the scores, the report, and what is refused.

// line is a target or track that is at the given heights in frames 0, 1, …; a
// NaN is a frame without a hit.
func line(ys ...float64) mtt.Track {
	t := mtt.Track{Dim: 2}
	for f, y := range ys {
		if !math.IsNaN(y) {
			t.Hits = append(t.Hits, mtt.Hit{Frame: f, Det: -1})
			t.Pos = append(t.Pos, 0, y)
		}
	}
	return t
}

// dets is a target or track with the given detections in frames 0, 1, …; -2 is
// a frame without a hit.
func dets(numbers ...int) mtt.Track {
	t := mtt.Track{Dim: 2}
	for f, det := range numbers {
		if det != -2 {
			t.Hits = append(t.Hits, mtt.Hit{Frame: f, Det: det})
			t.Pos = append(t.Pos, 0, float64(10*det))
		}
	}
	return t
}

var gone = math.NaN()

func TestLinks(t *testing.T) {
	tests := []struct {
		name                                      string
		truth, tracks                             []mtt.Track
		links, wrong, missing, wrongFalse, n, bad int
	}{
		{"nothing", nil, nil, 0, 0, 0, 0, 0, 0},
		{"no tracks", []mtt.Track{dets(0, 0, 0)}, nil, 2, 0, 2, 0, 1, 1},
		{"a miss is stepped over", []mtt.Track{dets(0, -1, 0)}, []mtt.Track{dets(0, -2, 0)}, 1, 0, 0, 0, 1, 0},
		{"a coasting track steps over it too", []mtt.Track{dets(0, -1, 0)}, []mtt.Track{dets(0, -1, 0)}, 1, 0, 0, 0, 1, 0},
		{"exchange", []mtt.Track{dets(0, 0, 0, 0), dets(1, 1, 1, 1)}, []mtt.Track{dets(0, 0, 1, 1), dets(1, 1, 0, 0)}, 6, 2, 0, 2, 2, 2},
		{"broken track", []mtt.Track{dets(0, 0, 0, 0)}, []mtt.Track{dets(0, 0), dets(-2, -2, 0, 0)}, 3, 0, 1, 0, 1, 1},
		{"a detection is skipped", []mtt.Track{dets(0, 0, 0)}, []mtt.Track{dets(0, -2, 0)}, 2, 1, 1, 0, 1, 1},
		{"clutter inside", []mtt.Track{dets(0, -1, 0)}, []mtt.Track{dets(0, 5, 0)}, 1, 1, 0, 2, 1, 1},
		{"clutter at the end", []mtt.Track{dets(0, 0)}, []mtt.Track{dets(0, 0, 5)}, 1, 0, 0, 1, 1, 1},
		{"a track of clutter", []mtt.Track{dets(0, 0)}, []mtt.Track{dets(0, 0), dets(4, 5)}, 1, 0, 0, 1, 1, 0},
		{"one detection, in another's track", []mtt.Track{dets(0, 0), dets(-2, -2, 1)}, []mtt.Track{dets(0, 0, 1)}, 1, 0, 0, 1, 2, 2},
		{"one detection, in no track", []mtt.Track{dets(0), dets(1, 1)}, []mtt.Track{dets(1, 1)}, 1, 0, 0, 0, 2, 0},
		{"never detected", []mtt.Track{dets(-1, -1), dets(1, 1)}, []mtt.Track{dets(1, 1)}, 1, 0, 0, 0, 1, 0},
	}
	for _, tt := range tests {
		r := score(t, tt.truth, tt.tracks, &metrics.Options{Only: metrics.Links})
		got := []int{r.TrueLinks, r.WrongLinks, r.MissingLinks, r.FalseLinks, r.LinkTargets, r.BadTargets}
		want := []int{tt.links, tt.wrong, tt.missing, tt.wrongFalse, tt.n, tt.bad}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: links, wrong, missing, false, targets, bad: (-want +got)\n%s", tt.name, diff)
		}
		if r.LinksBy != metrics.LinksByDetection {
			t.Errorf("%s: by %s", tt.name, r.LinksBy)
		}
	}
}

// Files without detection numbers are compared by position.
func TestLinksByMatching(t *testing.T) {
	truth := []mtt.Track{line(0, 0, 0, 0), line(5, 5, 5, 5)}
	tracks := []mtt.Track{line(0.1, 0.1, 5.1, 5.1), line(5.1, 5.1, 0.1, 0.1), line(gone, 20, 20)}
	r := score(t, truth, tracks, &metrics.Options{Only: metrics.Links})
	if r.LinksBy != metrics.LinksByMatching {
		t.Errorf("links by %s", r.LinksBy)
	}
	if r.TrueLinks != 6 || r.WrongLinks != 2 || r.FalseLinks != 3 || r.ITCP != 100 || r.CLEARScores != nil {
		t.Errorf("%+v", *r.LinkScores)
	}

	// A truth that knows its misses does not ask for links to them, and a track
	// that coasts through one is right.
	truth = []mtt.Track{line(0, 0, 0)}
	truth[0].Hits[0].Det, truth[0].Hits[2].Det = 0, 2
	for _, track := range []mtt.Track{line(0, 0, 0), line(0, gone, 0)} {
		r = score(t, truth, []mtt.Track{track}, &metrics.Options{Only: metrics.Links})
		if r.LinksBy != metrics.LinksByMatching || r.TrueLinks != 1 || r.MMEP != 0 || r.ITCP != 0 {
			t.Errorf("%+v", *r.LinkScores)
		}
	}
}

func TestCLEAR(t *testing.T) {
	tests := []struct {
		name          string
		truth, tracks []mtt.Track
		want          metrics.CLEARScores
	}{
		{"a match is kept although another track is nearer",
			[]mtt.Track{line(0, 0, 0)},
			[]mtt.Track{line(0, 0.9, 0.9), line(gone, 0, 0)},
			metrics.CLEARScores{Matches: 3, FP: 2, MT: 1, SumDistance: 1.8}},
		{"at the threshold is near enough",
			[]mtt.Track{line(0)}, []mtt.Track{line(1)},
			metrics.CLEARScores{Matches: 1, MT: 1, SumDistance: 1}},
		{"beyond the threshold it is not",
			[]mtt.Track{line(0, 0, 0)},
			[]mtt.Track{line(0, 1.1, 1.1), line(gone, 0, 0)},
			metrics.CLEARScores{Matches: 3, FP: 2, IDSW: 1, MT: 1}},
		{"a switch after a gap counts, and the gap is a fragmentation",
			[]mtt.Track{line(0, 0, 0)},
			[]mtt.Track{line(0), line(9, 9, 0)},
			metrics.CLEARScores{Matches: 2, FN: 1, FP: 2, IDSW: 1, Frag: 1, PT: 1}},
		{"a frame without tracks is a gap",
			[]mtt.Track{line(0, 0, 0)},
			[]mtt.Track{line(0, gone, 0)},
			metrics.CLEARScores{Matches: 2, FN: 1, Frag: 1, PT: 1}},
		{"80 % of the frames is partly, 20 % too, less is lost",
			[]mtt.Track{line(0, 0, 0, 0, 0), line(9, 9, 9, 9, 9), line(20, 20, 20, 20, 20, 20)},
			[]mtt.Track{line(0, 0, 0, 0), line(9), line(20)},
			metrics.CLEARScores{Matches: 6, FN: 10, PT: 2, ML: 1}},
		{"the total similarity decides",
			[]mtt.Track{line(0), line(1)},
			[]mtt.Track{line(0.9), line(1.8)},
			metrics.CLEARScores{Matches: 2, PT: 0, MT: 2, SumDistance: 1.7}},
	}
	for _, tt := range tests {
		r := score(t, tt.truth, tt.tracks, &metrics.Options{Only: metrics.CLEAR})
		got := *r.CLEARScores
		got.MOTA, got.MOTP, got.Recall, got.Precision = 0, 0, 0, 0
		got.SumDistance = math.Round(1e9*got.SumDistance) / 1e9
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tt.name, diff)
		}
	}
}

// The IoU decides between boxes, positions between points and on request.
func TestMeasure(t *testing.T) {
	box := func(x, w float64) mtt.Track {
		return mtt.Track{Dim: 2, Hits: []mtt.Hit{{Det: -1}}, Pos: []float64{x, 0}, Size: []float64{w, 10}}
	}
	truth := []mtt.Track{box(0, 100)}
	tracks := []mtt.Track{box(20, 100)} // overlap 80 of 120
	r := score(t, truth, tracks, nil)
	if r.Measure != "1-iou" || r.Matches != 1 || math.Abs(r.MOTP-1.0/3) > 1e-12 {
		t.Errorf("boxes: %s, %d matches, MOTP %v", r.Measure, r.Matches, r.MOTP)
	}
	if o := r.Options; o.MatchIoU != 0.5 || o.MatchDistance != 0 || o.Cutoff != 1 || o.Order != 2 {
		t.Errorf("options used: %+v", o)
	}
	if r := score(t, truth, []mtt.Track{box(0, 50)}, nil); r.Matches != 1 {
		t.Errorf("at IoU 0.5 of 0.5: %d matches", r.Matches)
	}
	if r := score(t, truth, truth, &metrics.Options{MatchIoU: 1}); r.Matches != 1 {
		t.Errorf("at IoU 1 of 1: %d matches", r.Matches)
	}
	if r := score(t, truth, tracks, &metrics.Options{MatchIoU: 0.7}); r.Matches != 0 {
		t.Errorf("at IoU 0.7: %d matches", r.Matches)
	}
	r = score(t, truth, tracks, &metrics.Options{Points: true, MatchDistance: 25})
	if r.Measure != "euclidean" || r.MOTP != 20 || r.Options.Cutoff != 50 || r.Options.MatchIoU != 0 {
		t.Errorf("points: %s, MOTP %v, %+v", r.Measure, r.MOTP, r.Options)
	}
	tracks[0].Size = nil
	if r := score(t, truth, tracks, nil); r.Measure != "euclidean" || r.Options.MatchDistance != 1 {
		t.Errorf("boxes on one side: %s", r.Measure)
	}
	tracks[0].Size = []float64{0, 10}
	if r := score(t, truth, tracks, nil); r.Matches != 0 || r.HOTA != 0 {
		t.Errorf("an empty box: %d matches", r.Matches)
	}
}

// Nothing to divide by gives 0, and JSON without NaN.
func TestEmpty(t *testing.T) {
	full := []mtt.Track{line(0, 0)}
	for _, tt := range []struct {
		name          string
		truth, tracks []mtt.Track
		fp, fn        int
	}{
		{"nothing", nil, nil, 0, 0},
		{"tracks without hits", []mtt.Track{{ID: 1}}, []mtt.Track{{ID: 1}}, 0, 0},
		{"no truth", nil, full, 2, 0},
		{"no tracks", full, nil, 0, 2},
	} {
		r := score(t, tt.truth, tt.tracks, nil)
		if r.FP != tt.fp || r.FN != tt.fn || r.MOTP != 0 || r.IDF1 != 0 || r.HOTA != 0 {
			t.Errorf("%s: %+v", tt.name, *r.CLEARScores)
		}
		if r.Targets != min(1, tt.fn) || r.Tracks != min(1, tt.fp) {
			t.Errorf("%s: %d targets, %d tracks", tt.name, r.Targets, r.Tracks)
		}
		twice, err := metrics.Merge(r, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []*metrics.Report{r, twice} {
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
	}
}

func TestOnly(t *testing.T) {
	truth, tracks := crowd(5, 4)
	for _, tt := range []struct {
		only metrics.Group
		keys string
	}{
		{metrics.Links, "itcp"}, {metrics.CLEAR, "mota"}, {metrics.Identity, "idf1"},
		{metrics.HOTA, "hota"}, {metrics.Sets, "gospa"},
		{metrics.CLEAR | metrics.HOTA, "mota hota"}, {metrics.All, "itcp mota idf1 hota gospa"},
	} {
		var keys []string
		for _, row := range score(t, truth, tracks, &metrics.Options{Only: tt.only}).Rows() {
			switch row.Key {
			case "itcp", "mota", "idf1", "hota", "gospa":
				keys = append(keys, row.Key)
			}
		}
		if got := strings.Join(keys, " "); got != tt.keys {
			t.Errorf("Only %b: %q, want %q", tt.only, got, tt.keys)
		}
	}
}

// A crowd that all lies within the cut-off has all scores but those of trajectories, and a warning;
// asking for these fails.
func TestScoreCrowd(t *testing.T) {
	const n = 2300 // whose pairs are more than may be open
	crowd := make([]mtt.Track, n)
	for k := range crowd {
		crowd[k] = line(float64(k) / n)
	}
	o := metrics.Options{MatchDistance: 1e-6, Cutoff: 2}
	r, err := metrics.Score(crowd, crowd, &o)
	if err != nil {
		t.Fatal(err)
	}
	if r.TrajectoryScores != nil || r.MOTA != 100 || r.GOSPA != 0 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "left out") {
		t.Fatalf("MOTA %v, GOSPA %v, trajectories %+v, warnings %q", r.MOTA, r.GOSPA, r.TrajectoryScores, r.Warnings)
	}
	few, err := metrics.Score(crowd[:5], crowd[:5], &o)
	if err != nil || few.TrajectoryScores == nil {
		t.Fatalf("%v: %+v", err, few)
	}
	if both, err := metrics.Merge(few, r); err != nil || both.TrajectoryScores != nil || both.Matches != n+5 {
		t.Fatalf("%v: %+v", err, both)
	}
	o.Only = metrics.Trajectories
	if _, err := metrics.Score(crowd, crowd, &o); err == nil || !strings.Contains(err.Error(), "5290000 pairs") {
		t.Fatalf("distances of trajectories of a crowd: %v", err)
	}
}

// Rows and JSON have the same keys and values, and JSON keeps what Merge needs.
func TestReportJSON(t *testing.T) {
	truth, tracks := crowd(20, 30)
	r := score(t, truth, tracks, nil)
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(b, &object); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{"sum_distance": true}
	for _, row := range r.Rows() {
		if seen[row.Key] {
			t.Errorf("two rows %q", row.Key)
		}
		seen[row.Key] = true
		if object[row.Key] != row.Value {
			t.Errorf("%s is %v in JSON, %v in a row", row.Key, object[row.Key], row.Value)
		}
		if row.Meaning == "" || row.Count() != (row.Value == math.Trunc(row.Value) && row.Unit == "") {
			t.Errorf("row %+v", row)
		}
	}
	for key, v := range object {
		if _, number := v.(float64); number && !seen[key] {
			t.Errorf("JSON key %q has no row", key)
		}
	}
	for _, key := range strings.Fields("itcp mmep mota motp idf1 idp idr hota fp fn idsw frag gospa ospa false_links") {
		if !seen[key] {
			t.Errorf("no row %q", key)
		}
	}
	var back metrics.Report
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	once, err := metrics.Merge(r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := metrics.Merge(&back)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(once, again); diff != "" {
		t.Errorf("after JSON: (-before +after)\n%s", diff)
	}
}

// Two scenes far apart in time score like their merged reports.
func TestMerge(t *testing.T) {
	truthA, tracksA := crowd(60, 20)
	truthB, tracksB := crowd(50, 10)
	truthA = append(truthA, line(-99, -99)) // lost
	a, b := score(t, truthA, tracksA, nil), score(t, truthB, tracksB, nil)
	merged, err := metrics.Merge(a, b)
	if err != nil {
		t.Fatal(err)
	}
	later := func(tracks []mtt.Track) []mtt.Track {
		for k := range tracks {
			for h := range tracks[k].Hits {
				tracks[k].Hits[h].Frame += 1000
			}
		}
		return tracks
	}
	both := score(t, append(truthA, later(truthB)...), append(tracksA, later(tracksB)...), nil)
	for _, row := range both.Rows() {
		if row.Value == 0 && row.Key != "tgospa_gap" && row.Key != "tgospa_exact_gap" {
			t.Errorf("%s is 0: this scene tests nothing", row.Key)
		}
		if got := value(t, merged, row.Key); math.Abs(got-row.Value) > 1e-9*(1+math.Abs(row.Value)) {
			t.Errorf("%s = %v, want %v", row.Key, got, row.Value)
		}
	}

	for _, tt := range []struct {
		name string
		o    *metrics.Options
	}{
		{"threshold", &metrics.Options{MatchDistance: 2}},
		{"order", &metrics.Options{Order: 1}},
		{"groups", &metrics.Options{Only: metrics.Links}},
	} {
		if _, err := metrics.Merge(a, score(t, truthA, tracksA, tt.o)); err == nil {
			t.Errorf("reports with another %s merged", tt.name)
		}
	}
	links := score(t, truthA, tracksA, &metrics.Options{Only: metrics.Links})
	if m, err := metrics.Merge(links, links); err != nil || m.TrueLinks != 2*links.TrueLinks || m.SetScores != nil {
		t.Errorf("links alone: %+v, %v", m, err)
	}
	byMatching := score(t, []mtt.Track{line(0, 0)}, nil, nil)
	if m, err := metrics.Merge(a, byMatching); err != nil || m.LinksBy != metrics.LinksMixed {
		t.Errorf("links of both kinds: %v, %v", m, err)
	}
	if _, err := metrics.Merge(); err == nil {
		t.Error("no reports merged")
	}
}

// A match at a threshold reaches it, whatever the rounding: 1.3 apart at a match
// distance of 1 is a similarity of 0.35.
func TestHOTAThreshold(t *testing.T) {
	r := score(t, []mtt.Track{line(0)}, []mtt.Track{line(1.3)}, nil)
	want := [metrics.Alphas]int{1, 1, 1, 1, 1, 1, 1}
	if r.Sums.TP != want {
		t.Errorf("true positives %v, want %v", r.Sums.TP, want)
	}
}

// Pairs that only OSPA and GOSPA look at change no other score.
func TestCutoffIsApart(t *testing.T) {
	truth, tracks := crowd(40, 30)
	near, far := score(t, truth, tracks, nil), score(t, truth, tracks, &metrics.Options{Cutoff: 50})
	if near.GOSPA >= far.GOSPA {
		t.Errorf("GOSPA %v at the default cut-off, %v at 50", near.GOSPA, far.GOSPA)
	}
	if !cmp.Equal(near.HOTAScores, far.HOTAScores) || !cmp.Equal(near.CLEARScores, far.CLEARScores) ||
		!cmp.Equal(near.IdentityScores, far.IdentityScores) {
		t.Error("the cut-off changes HOTA, CLEAR MOT or identity scores")
	}
}

func TestHOTACurve(t *testing.T) {
	truth, tracks := crowd(20, 30)
	r := score(t, truth, tracks, nil)
	curve := r.HOTACurve()
	mean := 0.0
	for _, p := range curve {
		mean += p.HOTA / float64(len(curve))
	}
	if math.Abs(mean-r.HOTA) > 1e-9 || curve[0].HOTA != r.HOTA0 || curve[18].Alpha != 0.95 {
		t.Errorf("curve has mean %v, ends %+v %+v; HOTA %v, HOTA(0) %v", mean, curve[0], curve[18], r.HOTA, r.HOTA0)
	}
	if c := score(t, truth, tracks, &metrics.Options{Only: metrics.Links}).HOTACurve(); c != nil {
		t.Errorf("curve without HOTA: %v", c)
	}
}

// TestDoubtfulFiles: tracks of files, which do not say detections, whose frames are numbered
// otherwise or whose unit makes the match distance wider than targets are apart.
func TestDoubtfulFiles(t *testing.T) {
	scene := func(shift int, scale, noise float64) (truth, tracks []mtt.Track) {
		rng := rand.New(rand.NewPCG(5, 8))
		for k := range 12 {
			a, b := mtt.Track{ID: k + 1, Dim: 2}, mtt.Track{ID: k + 1, Dim: 2}
			x, y := 40*rng.Float64(), 40*rng.Float64()
			vx, vy := rng.NormFloat64(), rng.NormFloat64()
			for f := range 30 {
				x, y = x+vx, y+vy
				a.Hits, a.Pos = append(a.Hits, mtt.Hit{Frame: f, Det: -1}), append(a.Pos, scale*x, scale*y)
				b.Hits = append(b.Hits, mtt.Hit{Frame: f + shift, Det: -1})
				b.Pos = append(b.Pos, scale*(x+noise*rng.NormFloat64()), scale*(y+noise*rng.NormFloat64()))
			}
			truth, tracks = append(truth, a), append(tracks, b)
		}
		return truth, tracks
	}
	for _, tt := range []struct {
		shift        int
		scale, noise float64
		want         string
	}{
		{0, 1, 0.1, ""},
		{0, 1, 0.5, ""},
		{1, 1, 0.1, "one of the frame numbered +1: do both count frames from the same number?"},
		{-1, 1, 0.1, "one of the frame numbered -1"},
		{0, 1e-3, 0.1, "a MatchDistance of 0.00"},
		{0, 1e-3, 30, "the match distance is 1: tracks anywhere among them count as right"},
	} {
		truth, tracks := scene(tt.shift, tt.scale, tt.noise)
		w := strings.Join(score(t, truth, tracks, nil).Warnings, "\n")
		if tt.want == "" && w != "" || !strings.Contains(w, tt.want) {
			t.Errorf("%+v: warnings %q", tt, w)
		}
	}
}

func TestWarnings(t *testing.T) {
	warning := func(name, want string, truth, tracks []mtt.Track) {
		t.Helper()
		w := strings.Join(score(t, truth, tracks, nil).Warnings, "\n")
		if want == "" && w != "" || !strings.Contains(w, want) {
			t.Errorf("%s: warnings %q, want %q", name, w, want)
		}
	}
	truth, tracks := crowd(30, 30)
	warning("none", "", truth, tracks)
	late := dets(-2, -2, 0)
	warning("other frames", "no frame in common", []mtt.Track{dets(0, 0)}, []mtt.Track{late})
	for k := range tracks {
		for i := range tracks[k].Pos {
			tracks[k].Pos[i] += 2
		}
	}
	warning("far", "MatchDistance", truth, tracks)
	if w := score(t, truth, tracks, &metrics.Options{Only: metrics.Links}).Warnings; w != nil {
		t.Errorf("links by detection need no threshold: %q", w)
	}
	kept := make([][]mtt.Hit, len(tracks))
	for k := range tracks {
		kept[k] = slices.Clone(tracks[k].Hits)
		for i := range tracks[k].Hits {
			tracks[k].Hits[i].Det = -1
		}
	}
	warning("far, without detections", "lie within the match distance 1 of a true hit", truth, tracks)
	for k := range tracks {
		tracks[k].Hits = kept[k]
	}
	for _, side := range [][]mtt.Track{truth, tracks} {
		for k := range side {
			side[k].Size = slices.Repeat([]float64{1, 1}, len(side[k].Hits))
		}
	}
	warning("far boxes", "lower MatchIoU", truth, tracks)
}

func TestRefused(t *testing.T) {
	good := func() []mtt.Track { return []mtt.Track{dets(0, 0, 0)} }
	edit := func(f func(*mtt.Track)) []mtt.Track {
		tracks := good()
		tracks[0].ID = 7
		f(&tracks[0])
		return tracks
	}
	tests := []struct {
		name, want string
		tracks     []mtt.Track
		o          metrics.Options
	}{
		{"frames out of order", "track 7: frame 0 comes after frame 1", edit(func(t *mtt.Track) { t.Hits[2].Frame = 0 }), metrics.Options{}},
		{"frame twice", "track 7: frame 1 comes after frame 1", edit(func(t *mtt.Track) { t.Hits[2].Frame = 1 }), metrics.Options{}},
		{"position", "track 7, frame 1: position is NaN", edit(func(t *mtt.Track) { t.Pos[3] = math.NaN() }), metrics.Options{}},
		{"first position", "track 7, frame 0: position is -Inf", edit(func(t *mtt.Track) { t.Pos[0] = math.Inf(-1) }), metrics.Options{}},
		{"first size", "track 7, frame 0: box size is NaN", edit(func(t *mtt.Track) { t.Size = []float64{math.NaN(), 1, 1, 1, 1, 1} }), metrics.Options{}},
		{"size", "track 7, frame 2: box size is +Inf", edit(func(t *mtt.Track) { t.Size = []float64{1, 1, 1, 1, 1, math.Inf(1)} }), metrics.Options{}},
		{"dimension", "Dim is 1", edit(func(t *mtt.Track) { t.Dim = 1 }), metrics.Options{}},
		{"other dimension", "has 3 dimensions", edit(func(t *mtt.Track) { t.Dim, t.Hits = 3, t.Hits[:2] }), metrics.Options{}},
		{"detection twice", "frame 0: tracks 7 and 7 both hold detection 0", append(edit(func(*mtt.Track) {}), edit(func(*mtt.Track) {})...), metrics.Options{}},
		{"detection number", "another column", edit(func(t *mtt.Track) { t.Hits[1].Det = 1 << 30 }), metrics.Options{}},
		{"MatchIoU", "percentage", good(), metrics.Options{MatchIoU: 50}},
		{"MatchDistance", "MatchDistance is -1", good(), metrics.Options{MatchDistance: -1}},
		{"Cutoff", "Cutoff is NaN", good(), metrics.Options{Cutoff: math.NaN()}},
		{"Cutoff of boxes", "at most 1", edit(func(t *mtt.Track) { t.Size = make([]float64, 6) }), metrics.Options{Cutoff: 5}},
		{"Order", "Order is 0.5", good(), metrics.Options{Order: 0.5}},
		{"Only", "Only", good(), metrics.Options{Only: 1 << 10}},
	}
	for _, tt := range tests {
		truth := good()
		if tt.tracks[0].Size != nil {
			truth[0].Size = make([]float64, 6)
		}
		_, err := metrics.Score(truth, tt.tracks, &tt.o)
		if err == nil || !strings.HasPrefix(err.Error(), "metrics: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
	for _, truth := range [][]mtt.Track{
		append(good(), good()...),
		edit(func(t *mtt.Track) { t.Hits[1].Det = 1 << 30 }),
	} {
		if _, err := metrics.Score(truth, good(), nil); err == nil || !strings.HasPrefix(err.Error(), "metrics: truth, ") {
			t.Errorf("truth: error %v", err)
		}
	}
	if _, err := metrics.DropIgnored(t.Context(), good(), good(), nil, &metrics.Options{Order: -1}); err == nil {
		t.Error("DropIgnored took bad options")
	}
	if _, err := metrics.DropIgnored(t.Context(), edit(func(t *mtt.Track) { t.Dim = 4 }), good(), nil, nil); err == nil {
		t.Error("DropIgnored took a bad track")
	}
	for _, tracks := range [][]mtt.Track{
		edit(func(t *mtt.Track) { t.Pos = t.Pos[1:] }),
		edit(func(t *mtt.Track) { t.Size = []float64{1} }),
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || !strings.HasPrefix(s, "metrics: len(") {
					t.Errorf("recovered %q", s)
				}
			}()
			metrics.Score(good(), tracks, nil)
		}()
	}
}

// A countdown is a context that ends after a number of looks at it.
type countdown struct {
	context.Context
	looks atomic.Int64
}

func (c *countdown) Err() error {
	if c.looks.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever it is when the context ends, a call says so and hands back nothing.
func TestCancelled(t *testing.T) {
	truth, tracks := crowd(5, 4)
	for _, tt := range []struct {
		name string
		call func(ctx context.Context) (any, error)
	}{
		{"ScoreContext", func(ctx context.Context) (any, error) {
			r, err := metrics.ScoreContext(ctx, truth, tracks, nil)
			return r != nil, err
		}},
		{"DropIgnored", func(ctx context.Context) (any, error) {
			kept, err := metrics.DropIgnored(ctx, tracks, truth, nil, nil)
			return kept != nil, err
		}},
	} {
		ended := 0
		for {
			ctx := &countdown{Context: t.Context()}
			ctx.looks.Store(int64(ended))
			got, err := tt.call(ctx)
			if err == nil {
				break
			}
			if ended++; !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "metrics: ") || got != false {
				t.Fatalf("%s after %d looks: %v, %v", tt.name, ended, got, err)
			}
		}
		if frames := 4; ended < 2*frames { // pairs and at least one assignment for each
			t.Errorf("%s looked at its context %d times only", tt.name, ended)
		}
	}
}

// Scoring neither keeps nor changes its input.
func TestInputIsKept(t *testing.T) {
	truth, tracks := crowd(10, 8)
	before, _ := json.Marshal([][]mtt.Track{truth, tracks})
	score(t, truth, tracks, nil)
	if _, err := metrics.DropIgnored(t.Context(), tracks, nil, truth, nil); err != nil {
		t.Fatal(err)
	}
	if after, _ := json.Marshal([][]mtt.Track{truth, tracks}); !bytes.Equal(before, after) {
		t.Error("input changed")
	}
}

func TestDropIgnored(t *testing.T) {
	tracks := []mtt.Track{line(0, 0.2, 9), line(5, gone, 5)}
	tracks[0].Vel = []float64{1, 2, 3, 4, 5, 6}
	got, err := metrics.DropIgnored(t.Context(), tracks, []mtt.Track{line(0, 0, 0)}, []mtt.Track{line(gone, 0.9, 9), line(5.5, 5, 5)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []mtt.Track{line(0, 0.2), {Dim: 2}} // at frame 1 the truth is nearer
	want[0].Vel = []float64{1, 2, 3, 4}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Scores are the same with any number of threads, where trajectory GOSPA goes on to branch and bound, too.
func TestWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rng := rand.New(rand.NewPCG(4, 5))
	truth, tracks := metrics.Swarm(rng, 50, 10), metrics.Swarm(rng, 50, 10)
	defer metrics.PriceParts()()
	var first []byte
	for _, n := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(n)
		r := score(t, truth, tracks, &metrics.Options{Cutoff: 2, Switch: 0.5})
		if r.TGOSPA == r.TGOSPAExact {
			t.Error("the forms do not differ: there is no branch and bound")
		}
		got, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if !bytes.Equal(got, first) {
			t.Errorf("%d threads: %s, one: %s", n, got, first)
		}
	}
}
