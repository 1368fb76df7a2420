package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// twoScans are n targets in a square, or cube, of side 100, of which each scan misses some, with steps of standard deviation step or, of half of them, of slow, and
// false alarms. Links are targets that are in both.
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

// TestStride: steps and how many detections are in both scans show without association, and that all are, or none.
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
			by, ok := strideOf(&scans[0], &scans[1])
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
		if by, _ := strideOf(&scans[0], &scans[1]); by.gain >= clearly && by.links > 50 || by.gain >= 2*clearly {
			chance++
		}
	}
	if chance > 6 {
		t.Errorf("of 20 pairs of scans of false alarms %d seem to have steps", chance)
	}
	scans, _ := twoScans(1, 2, 8, 0, 0, 1, 1)
	if by, ok := strideOf(&scans[0], &scans[1]); ok {
		t.Errorf("eight detections say %+v", by)
	}
}
