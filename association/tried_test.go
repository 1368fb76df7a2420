package association

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
)

// paused are scans of targets far from each other, some of whose detections are missed, and with
// runs up to thirty in a row as well.
func paused(seed uint64, runs bool) (scans []mtt.Scan) {
	const targets, frames = 3, 3000
	rng := rand.New(rand.NewPCG(seed, 41))
	scans = make([]mtt.Scan, frames)
	var x, v [targets][2]float64
	var hidden [targets]int
	for f := range scans {
		s := &scans[f]
		*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for i := range targets {
			for k := range 2 {
				v[i][k] = .98*v[i][k] + .05*rng.NormFloat64()
				x[i][k] = .999*x[i][k] + v[i][k]
			}
			if hidden[i]--; runs && hidden[i] < 0 && rng.Float64() < .004 {
				hidden[i] = 5 + rng.IntN(25)
			}
			if hidden[i] <= 0 && rng.Float64() > .05 {
				s.Pos = append(s.Pos, 2000*float64(i)+x[i][0]+.1*rng.NormFloat64(), x[i][1]+.1*rng.NormFloat64())
			}
		}
	}
	return scans
}

// TestTried checks that what is tried on excerpts first comes to the tracks that it comes to on all
// scans, whether it is kept there or not.
func TestTried(t *testing.T) {
	defer func(n int) { enough = n }(enough)
	for _, runs := range []bool{false, true} {
		scans := paused(1, runs)
		var results [2]*Result
		for k, least := range []int{1 << 40, 500} {
			enough = least
			if parts := excerpts(scans); (parts != nil) != (k == 1) {
				t.Fatalf("%d detections: excerpts %v", least, parts)
			}
			var err error
			if results[k], err = Track(t.Context(), scans, &Options{}); err != nil {
				t.Fatal(err)
			}
		}
		whole, tried := results[0], results[1]
		if kept := whole.Levels.Lasting.Share > 0; kept != runs {
			t.Errorf("runs %v: misses that last are kept %v", runs, kept)
		}
		if tried.Levels.Lasting != whole.Levels.Lasting || (tried.Levels.Whole == nil) != (whole.Levels.Whole == nil) {
			t.Errorf("runs %v: %+v, of all scans %+v", runs, tried.Levels.Lasting, whole.Levels.Lasting)
		}
		same := func(a, b mtt.Track) bool { return slices.Equal(a.Hits, b.Hits) }
		if !slices.EqualFunc(tried.Tracks, whole.Tracks, same) {
			t.Errorf("runs %v: %d tracks, of all scans other %d", runs, len(tried.Tracks), len(whole.Tracks))
		}
	}
}

// TestLean checks that the problem of scans of which there are excerpts is solved once where it will
// be refined, and that where it will not, or proofs are asked for, nothing is left out.
func TestLean(t *testing.T) {
	defer func(n int) { enough = n }(enough)
	scans := paused(1, false)
	learnt := make(map[Cost]*Result) // as options that follow do not ask for other levels
	for _, x := range []struct {
		name  string
		least int // detections of an excerpt
		opts  Options
		want  bool
	}{
		{"long", 500, Options{}, true},
		{"short", 1 << 40, Options{}, false},
		{"exact", 500, Options{Engine: Exact}, false},
		{"margins", 500, Options{Margins: true}, false},
		{"not refined", 500, Options{NoRefine: true}, false},
		{"no levels", 500, Options{Cost: Trapezoid}, false},
	} {
		enough = x.least
		kept, r, err := begin(scans, &x.opts)
		if err != nil {
			t.Fatal(err)
		}
		res := learnt[x.opts.Cost]
		if res == nil {
			if res, err = r.prepare(t.Context(), kept); err != nil {
				t.Fatal(err)
			}
			learnt[x.opts.Cost] = res
		}
		if got := r.generator(kept, res).Lean; got != x.want {
			t.Errorf("%s: lean %v, want %v", x.name, got, x.want)
		}
		p := &run{Options: r.Options, pilot: true}
		if p.generator(kept, res).Lean {
			t.Errorf("%s: a pilot is lean", x.name)
		}
	}
}

// TestExcerpts checks that excerpts are two, apart, in the middle of either half, and a third of
// all detections at most.
func TestExcerpts(t *testing.T) {
	scansOf := func(n, each int) []mtt.Scan {
		scans := make([]mtt.Scan, n)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Dim: 2, Pos: make([]float64, 2*each)}
		}
		return scans
	}
	for _, x := range []struct {
		scans, each int
		want        []excerpt
	}{
		{13_000, 10, []excerpt{{2250, 4250}, {8750, 10_750}}},
		{11_000, 10, nil}, // 40,000 of 110,000
		{3000, 1000, []excerpt{{740, 1140}, {2240, 2640}}}, // runs of misses need as many scans
		{2000, 1000, nil},
		{0, 0, nil},
		{300_000, 0, nil},
	} {
		got := excerpts(scansOf(x.scans, x.each))
		if !slices.Equal(got, x.want) {
			t.Errorf("%d scans of %d: %v, want %v", x.scans, x.each, got, x.want)
		}
	}
}

// TestFloodedLast tracks scans of which the last one, or the only one, has nearly all detections.
func TestFloodedLast(t *testing.T) {
	defer func(n int) { enough = n }(enough)
	enough = 200
	rng := rand.New(rand.NewPCG(1, 2))
	for _, before := range []int{0, 1, 30} {
		scans := make([]mtt.Scan, before+1)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			n := 5
			if f == before {
				n = 1000
			}
			for i := range n {
				scans[f].Pos = append(scans[f].Pos, 100*float64(i)+float64(f)+0.1*rng.NormFloat64(), float64(f)+0.1*rng.NormFloat64())
			}
		}
		if parts := excerpts(scans); parts != nil {
			t.Errorf("%d scans before the flood: excerpts %v", before, parts)
		}
		res, err := Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		if before == 30 {
			long := 0
			for i := range res.Tracks {
				if len(res.Tracks[i].Hits) >= before {
					long++
				}
			}
			if long != 5 {
				t.Errorf("%d tracks of 5 targets", long)
			}
		}
	}
}
