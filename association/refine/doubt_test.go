package refine

import (
	"errors"
	"math"
	"slices"
	"testing"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/gating"
)

// This file tests which tracks are doubted.

// TestDoubts: of two targets that meet and turn both are doubted, from the given scan on, wherever
// one of them has what it is not expected to have; who is far from them is not, nor is anybody
// where all go on as before.
func TestDoubts(t *testing.T) {
	levels := refineLevels(false, 2)
	levels.Sigma, levels.Accel = 0.05, 0.1
	w := NewWindow(&costgen.Gaussian{Levels: levels}, &mtt.Scan{Dim: 2}, gating.Ball{Radius: 3}, 10, &Options{Misses: 2, Speed: 3})
	for f := range 8 {
		x := float64(f)
		y := 0.3 * math.Abs(x-4)
		s := mtt.Scan{Frame: f, Time: x, Dim: 2, Pos: []float64{x, -0.5 - y, x, 0.5 + y, x, 20}}
		if err := errors.Join(w.Add(&s), w.Extend(t.Context()), w.Improve(t.Context(), 3)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		if at := w.Links().Next[4][i]; at != chain.At(5, i) {
			t.Fatalf("detection %d goes on to %v", i, at)
		}
	}
	const from = 2
	want := []chain.Node{chain.At(from, 0), chain.At(from, 1)}
	if got := w.Doubts(nil, 5, from); !slices.Equal(got, want) {
		t.Errorf("doubted where they turn: %v, want %v", got, want)
	}
	if got := w.Doubts(nil, 4, from); len(got) > 0 {
		t.Errorf("doubted before: %v", got)
	}
}
