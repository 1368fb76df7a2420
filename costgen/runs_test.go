package costgen

// This file tests prices of runs of misses.

import (
	"math"
	"testing"
)

// TestLeastRuns: least prices of runs are the same one by one and one after another, those of one
// misses more take one step more, and runs so long that none is have a price too.
func TestLeastRuns(t *testing.T) {
	m := &Levels{Rates: Rates{Detect: 0.9, Hidden: 0.6, Survive: 0.99}, Occlusion: &Occlusion{First: []Rise{{0, 0.1}, {0.5, 0.3}}, Again: []Rise{{0, 0.6}, {0.5, 0.8}}}}
	for _, lasting := range []Lasting{{}, {Share: 0.2, Brief: 0.3, Long: 0.9}} {
		m.Lasting = lasting
		least := m.LeastRuns()
		want := -math.Log(0.3)
		for k := 1; k <= 6; k++ {
			if k > 1 {
				want -= math.Log(max(m.again(k-1), 0.8))
			}
			all := want - float64(k+1)*math.Log(0.99) - math.Log(1-m.again(k))
			if one := m.LeastRun(k); math.Abs(one-all) > 1e-12 || least(k) != one {
				t.Errorf("%+v: a run of %d costs %v, %v after others, want %v", lasting, k, one, least(k), all)
			}
		}
		if least(2) != m.LeastRun(2) || least(0) != m.MissRun(0) {
			t.Errorf("%+v: going back, a run of 2 costs %v, want %v", lasting, least(2), m.LeastRun(2))
		}
		before := least(2)
		for k := 3; k <= 200_000; k++ { // one by one they would take minutes
			price := least(k)
			if !(price >= before) {
				t.Fatalf("%+v: a run of %d costs %v, one of %d %v", lasting, k, price, k-1, before)
			}
			before = price
		}
	}
}
