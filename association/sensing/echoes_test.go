package sensing_test

// This file tests that targets with echoes are tracked once.

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/internal/nightly"
)

// echoScene are scans of targets that wander at a steady speed, each of which is detected once
// more at an offset with a probability. Where rows are longer than one, all of a row go along with
// its first, each at the offset from the one before, instead.
func echoScene(dim int, share, missed float64, row int) []mtt.Scan {
	const targets, frames, noise = 16, 40, 0.15
	r := rand.New(rand.NewPCG(11, uint64(dim)))
	offset, side := []float64{2, -1, 0.5}[:dim], 40.0
	if dim == 3 {
		side = 20
	}
	at, v := make([][]float64, targets), make([][]float64, targets)
	for i := range at {
		for range dim {
			at[i], v[i] = append(at[i], side*r.Float64()), append(v[i], 0.5*r.NormFloat64())
		}
	}
	scans := make([]mtt.Scan, frames)
	for f := range scans {
		s := &scans[f]
		s.Frame, s.Time, s.Dim = f, float64(f), dim
		see := func(p []float64, off float64) {
			for d, x := range p {
				s.Pos = append(s.Pos, x+off*offset[d]+noise*r.NormFloat64())
			}
		}
		for i := range at {
			p, off := at[i], 0.0
			if k := i % row; k > 0 {
				p, off = at[i-k], float64(k)
			}
			if r.Float64() >= missed {
				if see(p, off); r.Float64() < share {
					see(p, 1)
				}
			}
			for d := range v[i] {
				v[i][d] += 0.1 * r.NormFloat64()
				if at[i][d] += v[i][d]; at[i][d] < 0 && v[i][d] < 0 || at[i][d] > side && v[i][d] > 0 {
					v[i][d] = -v[i][d]
				}
			}
		}
	}
	return scans
}

// TestEchoes: echoes are in no track, and what they are like is learnt; targets that keep together
// at one offset are targets.
func TestEchoes(t *testing.T) {
	for _, c := range []struct {
		name          string
		dim           int
		share, missed float64
		row           int // targets that keep together, each at the offset from the one before
	}{
		{"echoes", 2, 0.3, 0.05, 1},
		{"echoes in space", 3, 0.3, 0.05, 1},
		{"none", 2, 0, 0.05, 1},
		{"pairs", 2, 0, 0.05, 2},
		{"pairs of which four of ten are missed", 2, 0, 0.4, 2},
		{"rows of eight of which half are missed", 2, 0, 0.5, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			scans := echoScene(c.dim, c.share, c.missed, c.row)
			res, err := association.Track(t.Context(), scans, &association.Options{NoStates: true, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if c.missed < 0.1 && len(res.Tracks) != 16 || len(res.Warnings) > 0 {
				t.Errorf("%d tracks of 16 targets, %q", len(res.Tracks), res.Warnings)
			}
			e := res.Levels.Echoes
			if (e != nil) != (c.share > 0) {
				t.Fatalf("echoes %+v", e)
			}
			if e == nil {
				return
			}
			for d, x := range []float64{2, -1, 0.5}[:c.dim] {
				if math.Abs(e.Offset[d]-x) > 0.05 {
					t.Errorf("offset %v, want %v", e.Offset, x)
				}
			}
			if want := c.share / (1 + c.share); math.Abs(e.Share-want) > 0.03 || e.Sigma < 0.19 || e.Sigma > 0.24 { // √2 times the noise
				t.Errorf("%.3g %% have one, with errors of %.3g", 100*e.Share, e.Sigma)
			}
		})
	}
}

// TestAround: false alarms that lie around targets are in no track, and how widely they are scattered is
// learnt; those that lie anywhere are not taken for such, and a target that is detected twice is tracked once.
func TestAround(t *testing.T) {
	for _, c := range []struct {
		name        string
		dim         int
		share, wide float64 // false alarms to a target, and how far they are from it on each axis
		many        int     // false alarms anywhere in a scan
		tracks      int     // of 16 targets, at most
	}{
		{"around targets", 2, 0.35, 1.2, 1, 17},
		{"around targets in space", 3, 0.35, 1.2, 1, 17},
		{"detected twice", 2, 0.35, 0.21, 0, 22},
		{"anywhere", 2, 0, 0, 6, 18},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.dim == 3 && !nightly.Is() {
				t.Skip("the same in space takes three times as long")
			}
			r := rand.New(rand.NewPCG(17, uint64(c.dim)))
			scans := echoScene(c.dim, 0, 0.1, 1)
			hits := 0
			for f := range scans {
				s := &scans[f]
				seen := s.Len()
				hits += seen
				for i := range seen {
					if r.Float64() < c.share {
						for d := range c.dim {
							s.Pos = append(s.Pos, s.At(i)[d]+c.wide*r.NormFloat64())
						}
					}
				}
				for range c.many {
					for range c.dim {
						s.Pos = append(s.Pos, 40*r.Float64())
					}
				}
			}
			res, err := association.Track(t.Context(), scans, &association.Options{NoStates: true, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			linked := 0
			for _, tr := range res.Tracks {
				linked += len(tr.Hits)
			}
			if len(res.Tracks) > c.tracks || math.Abs(float64(linked-hits)) > 0.03*float64(hits) || len(res.Warnings) > 0 {
				t.Errorf("%d tracks of 16 targets, %d detections of %d, %q", len(res.Tracks), linked, hits, res.Warnings)
			}
			e := res.Levels.Echoes
			if (e != nil) != (c.share > 0) {
				t.Fatalf("false alarms around targets: %+v", e)
			}
			if e == nil {
				return
			}
			if want := c.share / (1 + c.share); !e.Around() || math.Abs(e.Share-want) > 0.2*want || math.Abs(e.Sigma-c.wide) > 0.15*c.wide {
				t.Errorf("%+v, want %.3g of deviation %.3g", e, want, c.wide)
			}
		})
	}
}
