package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// twoScans are n targets in a square, or cube, of side 100, of which each scan misses some, with
// steps of standard deviation step or, of half of them, of slow, and false alarms. Links are
// targets that are in both.
func twoScans(seed uint64, dim, n, alarms int, miss, step, slow float64) (scans []mtt.Scan, links int) {
	r := rand.New(rand.NewPCG(seed, 7))
	a, b := mtt.Scan{Dim: dim}, mtt.Scan{Dim: dim, Frame: 1, Time: 1}
	for i := range n {
		s := step
		if i%2 == 0 {
			s = slow
		}
		var at, to []float64
		for range dim {
			at = append(at, 100*r.Float64())
			to = append(to, at[len(at)-1]+s*r.NormFloat64())
		}
		seen, again := r.Float64() >= miss, r.Float64() >= miss
		if seen {
			a.Pos = append(a.Pos, at...)
		}
		if again {
			b.Pos = append(b.Pos, to...)
		}
		if seen && again {
			links++
		}
	}
	for range alarms * dim {
		a.Pos, b.Pos = append(a.Pos, 100*r.Float64()), append(b.Pos, 100*r.Float64())
	}
	return []mtt.Scan{a, b}, links
}

// TestStride: steps and how many detections are in both scans show without association, and that
// all are, or none.
func TestStride(t *testing.T) {
	for _, tt := range []struct {
		name                    string
		dim, n, alarms          int
		miss, step, slow        float64
		std, links, gain, doubt float64 // relative errors that are allowed, and the least of each
	}{
		{"plane", 2, 400, 40, 0.1, 0.8, 0.8, 0.2, 0.1, 100, -clearly},
		{"space", 3, 300, 30, 0.1, 2, 2, 0.2, 0.1, 100, -clearly},
		{"few among many", 2, 150, 300, 0.2, 0.5, 0.5, 0.35, 0.35, 20, clearly},
		{"two kinds", 2, 300, 20, 0.1, 1.2, 0.05, 0.45, 0.15, 100, clearly},
		{"all", 2, 300, 0, 0, 1, 1, 0.2, 0.05, 100, math.Inf(-1)},
	} {
		for seed := range uint64(2) {
			scans, links := twoScans(seed, tt.dim, tt.n, tt.alarms, tt.miss, tt.step, tt.slow)
			by, ok := neighboursOf(scans).stride()
			std := math.Sqrt((tt.step*tt.step + tt.slow*tt.slow) / 2)
			if !ok || math.Abs(by.std/std-1) > tt.std || math.Abs(by.links/float64(links)-1) > tt.links || by.gain < tt.gain || by.doubt < tt.doubt {
				t.Errorf("%s, seed %d: %+v, want standard deviation %.3g and %d links", tt.name, seed, by, std, links)
			}
			if tt.name == "all" && by.doubt > clearly {
				t.Errorf("%s, seed %d: equal counts are doubted: %+v", tt.name, seed, by)
			}
		}
	}
	chance := 0
	for seed := range uint64(20) {
		scans, _ := twoScans(seed, 2, 0, 200, 0, 1, 1)
		if by, _ := neighboursOf(scans).stride(); by.gain >= clearly && by.links > 50 || by.gain >= 2*clearly {
			chance++
		}
	}
	if chance > 6 {
		t.Errorf("of 20 pairs of scans of false alarms %d seem to have steps", chance)
	}
	scans, _ := twoScans(1, 2, 8, 0, 0, 1, 1)
	if near := neighboursOf(scans); near != nil {
		t.Errorf("eight detections say %+v", near)
	}
}

// TestNeighboursUneven: steps are those of a mean time between scans, whatever the times between them are.
func TestNeighboursUneven(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 7))
	times := []float64{0, 1, 3}
	scans := make([]mtt.Scan, len(times))
	for f, at := range times {
		scans[f] = mtt.Scan{Dim: 2, Frame: f, Time: at}
	}
	for range 400 {
		x, y, vx, vy := 100*r.Float64(), 100*r.Float64(), 0.4*r.NormFloat64(), 0.4*r.NormFloat64()
		for f, at := range times {
			scans[f].Pos = append(scans[f].Pos, x+at*vx, y+at*vy)
		}
	}
	by, ok := neighboursOf(scans).stride()
	if want := 0.4 * interval(scans); !ok || math.Abs(by.std/want-1) > 0.15 {
		t.Errorf("%+v, want standard deviation %v", by, want)
	}
}

// TestLasting counts detections that are in three scans in turn, not over a gap.
func TestLasting(t *testing.T) {
	scans := make([]mtt.Scan, 4)
	for f := range scans {
		scans[f] = mtt.Scan{Dim: 2, Frame: 2 * f, Time: float64(f)}
	}
	track := func(frames ...int) (tr mtt.Track) {
		for _, f := range frames {
			tr.Hits = append(tr.Hits, mtt.Hit{Frame: 2 * f})
		}
		return tr
	}
	if n := lasting([]mtt.Track{track(0, 1, 2, 3), track(0, 2, 3), track(1, 3), track(1, 2, 3)}, scans); n != 3./2 {
		t.Errorf("%v of a scan, want 1.5", n)
	}
}
