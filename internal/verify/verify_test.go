package verify

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"mtt"
	"mtt/internal/certificate"
)

// This file tests that right files pass and that wrong ones do not.

// TestEngine accepts what the engine proves, and reports a bound as high.
func TestEngine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := drawn(rt)
		c := randomInstance(rng, 2+rng.IntN(6), rng.NormFloat64)
		if rng.IntN(2) == 0 {
			featured(c, rng.NormFloat64)
		}
		ascend(rt, c)
		scans := scansOf(c)
		res := check(rt, c, scans, tracksOf(c, scans), Claim{"solve.json", c.Lower, c.Upper})
		if !res.Valid || !res.Certified || res.RefinedLinks != 0 {
			rt.Fatalf("%+v", res)
		}
		if d := math.Abs(res.LowerBound - c.Lower); d > 1e-12*(1+math.Abs(c.Lower)) {
			rt.Fatalf("lower bound %v, the engine says %v", res.LowerBound, c.Lower)
		}
		if gap := 100 * (c.Upper - c.Lower) / math.Abs(c.Upper); math.Abs(res.GapPercent-gap) > 1e-9*(1+1/math.Abs(c.Upper)) {
			rt.Fatalf("gap %v %%, the engine's bounds make %v %%", res.GapPercent, gap)
		}
	})
}

// TestFeatures finds the same bounds whether a certificate has features or the
// matrices that they stand for, where no sum is rounded.
func TestFeatures(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := drawn(rt)
		c := randomInstance(rng, 3+rng.IntN(4), integer(rng))
		full := featured(c, integer(rng))
		scans := scansOf(c)
		tracks := tracksOf(c, scans)
		one, two := check(rt, c, scans, tracks), check(rt, full, scans, tracks)
		for _, r := range []*Result{one, two} {
			r.Problems = nil // claims of 0
		}
		if diff := cmp.Diff(two, one, cmpopts.EquateNaNs()); diff != "" {
			rt.Fatalf("matrices and features disagree (-matrices +features):\n%s", diff)
		}
	})
}

// Files are a set of files that are right until something is changed.
type files struct {
	c      *certificate.Certificate
	scans  []mtt.Scan
	tracks []mtt.Track
	claims []Claim
	sum    byte // of detections.csv
	cut    int  // bytes missing at the end of the certificate
}

// crossing has two targets in three frames; the second of them is missed in the
// middle one. Nodes of the middle frame: its detection, then the coast node.
//
//	0 ─── 0 ─── 0
//	1 ─ coast ─ 1
func crossing() *files {
	inf := math.Inf(1)
	c := &certificate.Certificate{
		Header: certificate.Header{Made: "test", Lower: 13, Upper: 13},
		Frames: []certificate.Frame{{Detections: 2}, {Detections: 1, From: []int32{1}, Prior: []int32{-1}}, {Detections: 2}},
		Gaps: []certificate.Gap{
			{Rows: 2, Cols: 2, Ptr: []int{0, 1, 3}, Col: []int32{0, 0, 1}, Cost: []float64{1, 4, 0}, RowMiss: []float64{9, 9},
				ColMiss: []float64{9, 0}, U: []float64{0, 0, 2}, Birth: []float64{-1, 0}, Price: []float64{1, 0}, Next: []int32{0, 2}},
			{Rows: 2, Cols: 2, Ptr: []int{0, 2, 3}, Col: []int32{0, 1, 1}, Cost: []float64{2, 3, 5}, RowMiss: []float64{9, 0},
				ColMiss: []float64{9, 9},
				D:       []float64{1, 7, 8 /* from 0 */, 6, 1, 8 /* from 1 */, 7, 7, 0 /* born */, 4, inf /* missed */, inf, 0},
				V:       []float64{0, 0, 2}, Death: []float64{0, 0}, Price: []float64{6, 7}, Next: []int32{0, 2}},
		},
	}
	f := &files{c: c, claims: []Claim{{"solve.json", 13, 13}}}
	for t := range c.Frames {
		s := mtt.Scan{Frame: 5 + t, Time: float64(t), Dim: 2}
		for i := range c.Frames[t].Detections {
			s.Pos = append(s.Pos, float64(t), float64(i))
		}
		f.scans = append(f.scans, s)
	}
	f.tracks = []mtt.Track{
		{ID: 1, Dim: 2, Hits: []mtt.Hit{{Frame: 5}, {Frame: 6}, {Frame: 7}}, Pos: []float64{0, 0, 1, 0, 2, 0}},
		{ID: 2, Dim: 2, Hits: []mtt.Hit{{Frame: 5, Det: 1}, {Frame: 7, Det: 1}}, Pos: []float64{0, 1, 2, 1}},
	}
	return f
}

func (f *files) check(t *testing.T) *Result {
	t.Helper()
	in := &Input{Scans: f.scans, Tracks: f.tracks, Claims: f.claims}
	in.DetectionsSum[0] = f.sum
	var written []byte
	if f.c != nil {
		var file bytes.Buffer
		if err := certificate.Write(&file, f.c); err != nil {
			t.Fatal(err)
		}
		file.Truncate(file.Len() - f.cut)
		written = slices.Clone(file.Bytes())
		in.Certificate = &file
	}
	res, err := Check(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if res.Valid != (len(res.Problems) == 0) {
		t.Errorf("valid is %v with problems %q", res.Valid, res.Problems)
	}
	in.Detections, in.Scans = NewDetections(f.scans), nil
	if in.Certificate != nil {
		in.Certificate = bytes.NewBuffer(written)
	}
	if alone, err := Check(t.Context(), in); err != nil || !cmp.Equal(res, alone, cmpopts.EquateNaNs()) {
		t.Errorf("by the detections alone %+v, %v; by scans %+v", alone, err, res)
	}
	return res
}

func TestValid(t *testing.T) {
	want := &Result{Valid: true, Certified: true, Made: "test", LowerBound: 13, UpperBound: 13, Arcs: 4, Triplets: 4, Tracks: 2, Links: 3, TracksCost: 13}
	if diff := cmp.Diff(want, crossing().check(t)); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

// TestTampering changes one thing.
func TestTampering(t *testing.T) {
	inf := math.Inf(1)
	gap := func(p int, change func(g *certificate.Gap)) func(*files) {
		return func(f *files) { change(&f.c.Gaps[p]) }
	}
	track := func(k int, change func(tr *mtt.Track)) func(*files) {
		return func(f *files) { change(&f.tracks[k]) }
	}
	tests := []struct {
		name   string
		change func(f *files)
		want   string
	}{
		{"U", gap(0, func(g *certificate.Gap) { g.U[0]-- }), "certificate.bin claims a lower bound of 13, the multipliers prove 12"},
		{"V", gap(1, func(g *certificate.Gap) { g.V[2] = 1 }), "certificate.bin claims a lower bound of 13, the multipliers prove 12"},
		{"price", gap(1, func(g *certificate.Gap) { g.Price[0]-- }), "the multipliers prove 12"},
		{"price too high", gap(1, func(g *certificate.Gap) { g.Price[1] = 1000 }), "the multipliers prove 11"},
		{"arc cost down", gap(0, func(g *certificate.Gap) { g.Cost[0]-- }), "claims a cost of 13, the assignment costs 12"},
		{"arc cost up", gap(0, func(g *certificate.Gap) { g.Cost[0]++ }), "claims a cost of 13, the assignment costs 14"},
		{"triplet cost", gap(1, func(g *certificate.Gap) { g.D[0] = 2 }), "claims a cost of 13, the assignment costs 14"},
		{"claimed lower bound", func(f *files) { f.c.Lower = 13.001 }, "claims a lower bound of 13.001, the multipliers prove 13"},
		{"claimed cost", func(f *files) { f.c.Upper = 13.001 }, "claims a cost of 13.001, the assignment costs 13"},
		{"solve.json lower bound", func(f *files) { f.claims[0].Lower = 14 }, "solve.json claims a lower bound of 14, the multipliers prove 13"},
		{"solve.json cost", func(f *files) { f.claims[0].Upper = 12 }, "solve.json claims a cost of 12, the assignment costs 13"},

		{"arc of another node", gap(0, func(g *certificate.Gap) { g.Next[0] = 1 }), "gap 0: node 0 chooses arc 1, which does not leave it"},
		{"no such arc", gap(0, func(g *certificate.Gap) { g.Next[0] = -2 }), "gap 0: node 0 chooses arc -2"},
		{"arc beyond the last", gap(1, func(g *certificate.Gap) { g.Next[1] = 3 }), "gap 1: node 1 chooses arc 3"},
		{"node entered twice", gap(0, func(g *certificate.Gap) { g.Next[1] = 1 }), "gap 0: two chosen arcs end in node 0"},
		{"forbidden death", gap(0, func(g *certificate.Gap) { g.RowMiss[0], g.Next[0] = inf, -1 }), "gap 0: node 0 ends, which is forbidden"},
		{"forbidden birth", gap(0, func(g *certificate.Gap) { g.ColMiss[0], g.Next[0] = inf, -1 }), "gap 0: node 0 begins, which is forbidden"},
		{"forbidden combination", gap(1, func(g *certificate.Gap) { g.Next[1] = -1 }), "gap 1: node 1 joins arcs 2 and -1, which is forbidden"},
		{"node without choice", gap(1, func(g *certificate.Gap) {
			g.Ptr, g.Col, g.Cost, g.V, g.D = []int{0, 2, 2}, g.Col[:2], g.Cost[:2], g.V[:2], append(g.D[:9:9], inf, 0)
			g.RowMiss[1], g.Next[1] = inf, -1
		}), "gap 1: node 1 has no arc and may not end: there is no assignment"},
		{"block without choice", gap(1, func(g *certificate.Gap) { g.D[9], g.D[12] = inf, inf }), "gap 1: node 1 has no combination that is allowed"},
		{"coast node of another target", func(f *files) { f.c.Frames[1].From[0] = 0 }, "gap 0: node 1 leads to coast node 0, which comes from node 0"},
		{"two successors", func(f *files) {
			f.c.Gaps[0].Next = []int32{-1, 1}
			f.c.Gaps[1].D[11] = 0
		}, "gap 1: a second link leaves the detection of node 1"},

		{"links swapped", gap(1, func(g *certificate.Gap) { g.Next[0] = 1; g.Next[1] = -1 }), "forbidden"},
		{"detections.csv", func(f *files) { f.sum = 1 }, "detections.csv is not the file that the certificate was made for"},
		{"tracks.csv", func(f *files) { f.c.Header.Tracks[0] = 1 }, "tracks.csv is not the file that the certificate was made for"},
		{"frames", func(f *files) { f.scans = append(f.scans, mtt.Scan{Frame: 8, Dim: 2}) }, "it has 3 frames, the detections have 4"},
		{"detections", func(f *files) { f.scans[0].Pos = append(f.scans[0].Pos, 7, 7) }, "frame 5 has 2 detections, in detections.csv it has 3"},
		{"cut", func(f *files) { f.cut = 22 }, "certificate.bin: gap 1: checksum: the file ends"},
		{"cut early", func(f *files) { f.cut = 400 }, "the file ends"},
		{"no certificate", func(f *files) { f.c = nil }, "solve.json claims a lower bound of 13, and there is no certificate"},

		{"link missing", track(1, func(tr *mtt.Track) { tr.Hits, tr.Pos = tr.Hits[:1], tr.Pos[:2] }), "1 links differ from those of the certificate"},
		{"position", track(0, func(tr *mtt.Track) { tr.Pos[3] = 0.001 }), "track 1: frame 6, detection 0 lies at [1 0], not at [1 0.001]"},
		{"detection twice", track(1, func(tr *mtt.Track) { tr.Hits[1].Det, tr.Pos[3] = 0, 0 }), "track 2: frame 7, detection 0 belongs to track 1 as well"},
		{"no such detection", track(1, func(tr *mtt.Track) { tr.Hits[1].Det = 2 }), "track 2: frame 7 has no detection 2, only 2 of them"},
		{"missed", track(1, func(tr *mtt.Track) { tr.Hits[1].Det = -1 }), "track 2: frame 7 has no detection -1"},
		{"no such frame", track(1, func(tr *mtt.Track) { tr.Hits[1].Frame = 9 }), "track 2: there is no frame 9"},
		{"order of frames", track(1, func(tr *mtt.Track) { tr.Hits[0].Frame = 7; tr.Hits[0].Det = 1; tr.Pos[0] = 2 }), "track 2: frame 7 follows frame 7"},
		{"dimension", track(1, func(tr *mtt.Track) { tr.Dim, tr.Pos = 3, make([]float64, 6) }), "track 2: frame 5, detection 1 has 2 coordinates, not 3"},
		{"hole", track(1, func(tr *mtt.Track) { tr.ID = 3 }), "track 3 stands where 2 should"},
		{"first number", func(f *files) { f.tracks[0].ID, f.tracks[1].ID = 0, 1 }, "track 0 stands where 1 should"},
		{"order of tracks", func(f *files) {
			f.tracks[0], f.tracks[1] = f.tracks[1], f.tracks[0]
			f.tracks[0].ID, f.tracks[1].ID = 1, 2
		}, "track 2 begins with frame 5, detection 0, before track 1"},
	}
	for _, tt := range tests {
		f := crossing()
		tt.change(f)
		res := f.check(t)
		if res.Valid || !strings.Contains(strings.Join(res.Problems, "\n"), tt.want) {
			t.Errorf("%s: valid %v, problems %q, want one with %q", tt.name, res.Valid, res.Problems, tt.want)
		}
		if res.LowerBound > res.UpperBound {
			t.Errorf("%s: lower bound %v above the cost %v of an assignment", tt.name, res.LowerBound, res.UpperBound)
		}
	}
}

// TestHonest lowers the claim along with a price.
func TestHonest(t *testing.T) {
	f := crossing()
	f.c.Gaps[0].U[0]--
	f.c.Lower, f.claims[0].Lower = 12, 12
	res := f.check(t)
	if !res.Valid || res.LowerBound != 12 || res.UpperBound != 13 || math.Abs(res.GapPercent-100./13) > 1e-12 {
		t.Errorf("%+v", res)
	}
}

// TestRefined lets tracks differ from the assignment once that is declared.
func TestRefined(t *testing.T) {
	f := crossing()
	f.c.Refined = true
	f.tracks[0].Hits[2].Det, f.tracks[1].Hits[1].Det = 1, 0
	f.tracks[0].Pos[5], f.tracks[1].Pos[3] = 1, 0
	if res := f.check(t); !res.Valid || res.RefinedLinks != 2 {
		t.Errorf("%+v", res)
	}
}

// TestPrior wants the arc that a coast node depends on.
func TestPrior(t *testing.T) {
	inf := math.Inf(1)
	f := &files{c: &certificate.Certificate{Frames: []certificate.Frame{
		{Detections: 1}, {Detections: 1}, {From: []int32{0}, Prior: []int32{0}}, {Detections: 1}}}}
	one := func(d, v []float64) certificate.Gap {
		return certificate.Gap{Rows: 1, Cols: 1, Ptr: []int{0, 1}, Col: []int32{0}, Cost: []float64{0}, RowMiss: []float64{0},
			ColMiss: []float64{0}, D: d, V: v, Death: v, U: []float64{0}, Birth: []float64{0}, Price: []float64{0}, Next: []int32{0}}
	}
	zero := []float64{0}
	f.c.Gaps = []certificate.Gap{one(nil, nil), one([]float64{0, 0, 0, 0}, zero), one([]float64{0, inf, inf, 0}, zero)}
	f.c.Gaps[2].U, f.c.Gaps[2].Birth = nil, nil
	tr := mtt.Track{ID: 1, Dim: 2}
	for t := range 4 {
		s := mtt.Scan{Frame: t, Dim: 2}
		if t != 2 {
			s.Pos = []float64{float64(t), 1}
			tr.Hits, tr.Pos = append(tr.Hits, mtt.Hit{Frame: t}), append(tr.Pos, s.Pos...)
		}
		f.scans = append(f.scans, s)
	}
	f.tracks = []mtt.Track{tr}
	if res := f.check(t); !res.Valid || res.Links != 2 {
		t.Errorf("%+v", res)
	}
	f.c.Gaps[0].Next[0] = -1
	const want = "gap 2: coast node 0 needs the arc from detection 0"
	if res := f.check(t); res.Valid || !strings.Contains(res.Problems[0], want) {
		t.Errorf("problems %q, want %q", res.Problems, want)
	}
}

// TestMany lists the first problems and counts the rest.
func TestMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	c := randomInstance(rng, 40, integer(rng))
	ascend(t, c)
	scans := scansOf(c)
	tracks := tracksOf(c, scans)
	for k := range tracks {
		tracks[k].Pos[0]++
	}
	res := check(t, c, scans, tracks)
	if n := len(res.Problems); n != maxProblems+1 || !strings.HasPrefix(res.Problems[n-1], "and ") {
		t.Errorf("%d problems: %q", n, res.Problems)
	}
}

// TestTracksOnly checks tracks without a certificate.
func TestTracksOnly(t *testing.T) {
	f := crossing()
	f.c = nil
	f.claims[0].Lower = math.NaN() // a heuristic
	res := f.check(t)
	if !res.Valid || res.Certified || !math.IsNaN(res.LowerBound) || !math.IsNaN(res.UpperBound) || res.Links != 3 {
		t.Errorf("%+v", res)
	}
	f.tracks[0].Pos[0] = 1
	if res := f.check(t); res.Valid {
		t.Error("a wrong position passes")
	}
}

// TestEmpty has nothing to prove.
func TestEmpty(t *testing.T) {
	for frames := range 3 {
		f := &files{c: &certificate.Certificate{Frames: make([]certificate.Frame, frames)}}
		if frames == 2 {
			f.c.Gaps = []certificate.Gap{{Ptr: []int{0}}}
		}
		for t := range frames {
			f.scans = append(f.scans, mtt.Scan{Frame: t, Dim: 2})
		}
		if res := f.check(t); !res.Valid || res.LowerBound != 0 || res.UpperBound != 0 || res.GapPercent != 0 {
			t.Errorf("%d frames: %+v", frames, res)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var file bytes.Buffer
	f := crossing()
	if err := certificate.Write(&file, f.c); err != nil {
		t.Fatal(err)
	}
	if _, err := Check(ctx, &Input{Scans: f.scans, Tracks: f.tracks, Certificate: &file}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
