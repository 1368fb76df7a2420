package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mtt"
)

func hit(frame, det int) mtt.Hit { return mtt.Hit{Frame: frame, Det: det} }

// line is a track of dimension 2 through the given hits, at (frame, y).
func line(id int, y float64, hits ...mtt.Hit) mtt.Track {
	t := mtt.Track{ID: id, Dim: 2, Hits: hits}
	for _, h := range hits {
		t.Pos = append(t.Pos, float64(h.Frame), y)
	}
	return t
}

func TestJudge(t *testing.T) {
	truth := []mtt.Track{
		line(1, 1, hit(0, 0), hit(1, 0), hit(2, -1), hit(3, 0)), // missed in frame 2
		line(2, 2, hit(0, 1), hit(1, 1), hit(2, 0), hit(3, 1)),
	}
	for _, tt := range []struct {
		name           string
		tracks         []mtt.Track
		wrong, missing int // of 2 + 3 true links
	}{
		{"right", []mtt.Track{
			line(1, 1, hit(0, 0), hit(1, 0), hit(3, 0)),
			line(2, 2, hit(0, 1), hit(1, 1), hit(2, 0), hit(3, 1))}, 0, 0},
		{"a hit without detection between", []mtt.Track{
			line(1, 1, hit(0, 0), hit(1, 0), hit(2, -1), hit(3, 0)),
			line(2, 2, hit(0, 1), hit(1, 1), hit(2, 0), hit(3, 1))}, 0, 0},
		{"exchanged", []mtt.Track{
			line(1, 1, hit(0, 0), hit(1, 1), hit(2, 0), hit(3, 1)),
			line(2, 2, hit(0, 1), hit(1, 0), hit(3, 0))}, 2, 2},
		{"one skips a detection", []mtt.Track{
			line(1, 1, hit(0, 0), hit(1, 0), hit(3, 0)),
			line(2, 2, hit(0, 1), hit(2, 0), hit(3, 1))}, 0, 2},
		{"through clutter", []mtt.Track{line(1, 1, hit(0, 0), hit(1, 0), hit(2, 1), hit(3, 0))}, 2, 4},
	} {
		s, err := newScene(truth, tt.tracks, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.judge()
		if len(s.wrong) != tt.wrong || len(s.missing) != tt.missing || s.links != 5 {
			t.Errorf("%s: %d wrong and %d missing of %d links, want %d and %d of 5",
				tt.name, len(s.wrong), len(s.missing), s.links, tt.wrong, tt.missing)
		}
	}
}

// judge agrees with sets of pairs of hits.
func TestJudgeOracle(t *testing.T) {
	type pair [2]mtt.Hit
	links := func(list []mtt.Track) map[pair]bool {
		set := map[pair]bool{}
		for _, tr := range list {
			hits := slices.DeleteFunc(slices.Clone(tr.Hits), func(h mtt.Hit) bool { return h.Det < 0 })
			for i := 1; i < len(hits); i++ {
				set[pair{hits[i-1], hits[i]}] = true
			}
		}
		return set
	}
	rapid.Check(t, func(t *rapid.T) {
		truth, scans := testScene(rapid.IntRange(2, 8).Draw(t, "targets"), rapid.IntRange(1, 20).Draw(t, "frames"),
			5, rapid.Float64Range(0, 0.5).Draw(t, "miss"), 1, rapid.Uint64().Draw(t, "seed"))
		tracks := testTracks(truth, scans, rapid.IntRange(1, 3).Draw(t, "every"))
		owner := map[mtt.Hit]int{}
		for i, tr := range truth {
			for _, h := range tr.Hits {
				owner[h] = i
			}
		}
		right, got := links(truth), links(tracks)
		wrong, missing := 0, 0
		for l := range got {
			if owner[l[0]] != owner[l[1]] {
				wrong++
			}
		}
		for l := range right {
			if !got[l] {
				missing++
			}
		}
		s, err := newScene(truth, tracks, scans)
		if err != nil {
			t.Fatal(err)
		}
		s.judge()
		if !s.judged && len(right) > 0 && len(got) > 0 {
			t.Fatal("not judged")
		}
		if s.judged && (len(s.wrong) != wrong || len(s.missing) != missing || s.links != len(right)) {
			t.Errorf("%d wrong and %d missing of %d links, want %d and %d of %d",
				len(s.wrong), len(s.missing), s.links, wrong, missing, len(right))
		}
	})
}

func TestTracksErrors(t *testing.T) {
	scans := []mtt.Scan{{Frame: 0, Dim: 2, Pos: []float64{0, 0}}, {Frame: 1, Dim: 2, Pos: []float64{1, 0}}}
	good := []mtt.Track{line(4, 0, hit(0, 0), hit(1, 0))}
	if _, err := Tracks("", nil, nil, append(scans, scans[0]), nil); err == nil || !strings.Contains(err.Error(), "two scans of frame 0") {
		t.Errorf("error %v, want two scans of frame 0", err)
	}
	for _, tt := range []struct {
		truth, tracks []mtt.Track
		want          string
	}{
		{good, []mtt.Track{line(7, 0, hit(0, 0), hit(1, 1))}, "track 7, frame 1: detection 1 is out of range, the frame has 1 detection;"},
		{good, []mtt.Track{line(7, 0, hit(9, 0))}, "track 7, frame 9: detection 0 is out of range, the frame has 0 detections;"},
		{append(good, line(5, 0, hit(1, 0))), nil, "frame 1: detection 0 belongs to true trajectories 4 and 5"},
	} {
		_, err := Tracks("", tt.truth, tt.tracks, scans, nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want one with %q", err, tt.want)
		}
	}

}

func TestTracksPanics(t *testing.T) {
	for _, tt := range []struct {
		tracks []mtt.Track
		scans  []mtt.Scan
		want   string
	}{
		{[]mtt.Track{{Dim: 2, Hits: []mtt.Hit{hit(0, 0)}}}, nil, badTrack},
		{[]mtt.Track{{Dim: 1, Hits: []mtt.Hit{hit(0, 0)}, Pos: []float64{1}}}, nil, badDim},
		{nil, []mtt.Scan{{Dim: 1, Pos: []float64{1}}}, badDim},
	} {
		func() {
			defer func() {
				if got := recover(); got != tt.want {
					t.Errorf("panic %v, want %q", got, tt.want)
				}
			}()
			Tracks("", tt.tracks, tt.tracks, tt.scans, nil)
		}()
	}
}

// Empty tracks and scans, and indices that no slice could hold, do no harm.
func TestTracksOddities(t *testing.T) {
	f, err := Tracks("", []mtt.Track{{}, line(1, 0, hit(0, math.MaxInt), hit(math.MinInt, 1<<40))},
		[]mtt.Track{{}, line(1, 0, hit(0, math.MaxInt))}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	readSVG(t, svg(t, f))
	if f, err = Tracks("", []mtt.Track{{}}, nil, []mtt.Scan{{}, {Frame: 1, Dim: 2}}, nil); err != nil {
		t.Fatal(err)
	}
	readSVG(t, svg(t, f))
}

func TestTracksNotes(t *testing.T) {
	truth, scans := testScene(40, 50, 20, 0, 2, 1)
	tracks := testTracks(truth, scans, 1000)
	unnamed := testTracks(truth, scans, 1000)
	for i := range unnamed {
		for h := range unnamed[i].Hits {
			unnamed[i].Hits[h].Det = -1
		}
	}
	solid := mtt.Track{ID: 1, Dim: 3, Hits: []mtt.Hit{hit(0, -1), hit(1, -1)}, Pos: []float64{0, 0, 0, 1, 1, 5}}
	far := []mtt.Scan{{Dim: 2, Pos: []float64{0, 0, 100, 0}}, {Frame: 1, Dim: 2, Pos: []float64{1, 0}}}
	for _, tt := range []struct {
		name          string
		truth, tracks []mtt.Track
		scans         []mtt.Scan
		opts          *TracksOptions
		title, note   string
	}{
		{"all", truth, tracks, scans, nil, "all: 2 wrong links, 2 of 1960 true ones missing", "right: the box"},
		{"thinned", truth, tracks, scans, &TracksOptions{MaxHits: 400}, "thinned: 2 wrong links, 2 of 1960 true ones missing",
			"drawn: 8 of 40 targets, those with missing links first, with their tracks and detections"},
		{"thinned tracks", nil, tracks, scans, &TracksOptions{MaxHits: 400}, "thinned tracks: 40 tracks", "drawn: 8 of 40 tracks with their detections"},
		{"thinned detections", nil, nil, scans, &TracksOptions{MaxHits: 400}, "thinned detections", "drawn: 400 of 2100 detections"},
		{"unnamed", truth, unnamed, scans, nil, "unnamed: 40 tracks", "links are not judged: truth or tracks do not name detections"},
		{"truth", truth, nil, scans, nil, "truth: 40 targets", ""},
		{"solid", []mtt.Track{solid}, nil, nil, nil, "solid: 1 target", "projection on the x-y plane"},
		{"far", []mtt.Track{line(1, 0, hit(0, 0), hit(1, 0))}, nil, far, nil, "far: 1 target", "1 detection outside the picture"},
	} {
		f, err := Tracks(tt.name, tt.truth, tt.tracks, tt.scans, tt.opts)
		if err != nil {
			t.Fatal(err)
		}
		if f.Title != tt.title {
			t.Errorf("%s: title %q, want %q", tt.name, f.Title, tt.title)
		}
		if !strings.Contains(f.Note, tt.note) || tt.note == "" && strings.Contains(f.Note, "drawn") {
			t.Errorf("%s: note %q, want one with %q", tt.name, f.Note, tt.note)
		}
		checkTexts(t, svg(t, f))
	}
}

// Half of the places go to what is true, the rest evenly to the others.
func TestPick(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SliceOfN(rapid.Bool(), 1, 50).Draw(t, "first")
		m := rapid.IntRange(1, 60).Draw(t, "m")
		yes, kept, keptYes := 0, 0, 0
		for i, k := range pick(first, m) {
			if first[i] {
				yes++
			}
			if k {
				kept++
				if first[i] {
					keptYes++
				}
			}
		}
		if m >= len(first) {
			if kept != len(first) {
				t.Errorf("%d of %d kept with %d places", kept, len(first), m)
			}
			return
		}
		if kept > m || kept < m && kept < len(first)-yes {
			t.Errorf("%d of %d kept, want %d", kept, len(first), m)
		}
		if want := min(yes, (m+1)/2); keptYes != want {
			t.Errorf("%d of %d true ones kept in %d places, want %d", keptYes, yes, m, want)
		}
	})
}

func TestTracksLeaveTheInputAlone(t *testing.T) {
	truth, scans := testScene(10, 20, 5, 0.1, 3, 1)
	tracks := testTracks(truth, scans, 2)
	truth2, scans2 := testScene(10, 20, 5, 0.1, 3, 1)
	tracks2 := testTracks(truth2, scans2, 2)
	f, err := Tracks("", truth, tracks, scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	svg(t, f)
	if d := cmp.Diff([]any{truth2, tracks2, scans2}, []any{truth, tracks, scans}); d != "" {
		t.Errorf("input changed (-before +after):\n%s", d)
	}
}

// A file stays below a megabyte whatever the scene, and shows errors even when
// it shows few targets.
func TestTracksSize(t *testing.T) {
	for _, tt := range []struct{ targets, frames, clutter int }{{100, 50, 20}, {1000, 60, 100}, {5, 20_000, 1}} {
		truth, scans := testScene(tt.targets, tt.frames, 30, 0.02, tt.clutter, 1)
		f, err := Tracks("", truth, testTracks(truth, scans, 100), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		data := svg(t, f)
		if len(data) > 1e6 {
			t.Errorf("%d targets, %d frames: %d bytes of SVG", tt.targets, tt.frames, len(data))
		}
		if red := fmt.Sprintf("#%02X%02X%02X", wrongInk.R, wrongInk.G, wrongInk.B); !strings.Contains(string(data), red) {
			t.Errorf("%d targets, %d frames: no wrong link is drawn", tt.targets, tt.frames)
		}
	}
}

// A position that is not finite interrupts its line, no more.
func TestTracksSkipNaN(t *testing.T) {
	tr := line(1, 0, hit(0, -1), hit(1, -1), hit(2, -1), hit(3, -1), hit(4, -1))
	tr.Pos[2*2] = math.NaN()
	f, err := Tracks("", nil, []mtt.Track{tr}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	data := string(svg(t, f))
	readSVG(t, []byte(data))
	// Two lines of the track on the map and three samples in the legend.
	colour := fmt.Sprintf("stroke:#%02X%02X%02X", blue.R, blue.G, blue.B)
	if n := strings.Count(data, colour); n != 3 {
		t.Errorf("%d strokes in the colour of the track, want 2 and one in the legend", n)
	}
}
