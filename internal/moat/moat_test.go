package moat

import (
	"context"
	"slices"
	"testing"
)

// A row is a problem of ports in a row, each with one option, of length 1, that leads to the next.
type row struct {
	length []float64
	kept   []bool
}

func newRow(ports int) *row {
	return &row{slices.Repeat([]float64{1}, ports), make([]bool, ports)}
}

func (r *row) Options(port int32, option func(length *float64, kept *bool, other int32)) {
	other := port + 1
	if int(other) == len(r.length) {
		other = -1
	}
	option(&r.length[port], &r.kept[port], other)
}

func (r *row) Beside(port int32) (partner, across int32) { return port, -1 }

// places are every other port, with a reward each.
func (r *row) places(reward float64) (list []Place) {
	for n := 0; n < len(r.length); n += 2 {
		list = append(list, Place{At: [2]int32{int32(n), -1}, Reward: reward})
	}
	return list
}

// Balls that each take a third of the problem are given up before they have taken much of the work
// that they may; small ones, around as many places, are found as if nobody had looked at some of
// them beforehand.
func TestProbes(t *testing.T) {
	const ports, tiny = 6000, 1e-9
	r := newRow(ports)
	if looks, ok := Keep(context.Background(), r, r.places(ports/3), ports, 2*ports, tiny); ok || looks > 2*ports {
		t.Errorf("large balls: %v after %d looks at %d ports and options", ok, looks, 2*ports)
	}
	small, places := newRow(ports), newRow(ports).places(0.75)
	looks, ok := Keep(context.Background(), small, places, ports, 2*ports, tiny)
	if want := len(places); !ok || looks != 2*want {
		t.Errorf("small balls: %v after %d looks, want %d", ok, looks, 2*want)
	}
	if slices.Contains(small.kept, true) {
		t.Error("small balls: an option longer than the reward is in one")
	}
	for n, x := range small.length {
		if want := 1 - 0.75*float64(1-n%2); x != want {
			t.Fatalf("small balls: length %g of option %d is left, want %g", x, n, want)
		}
	}
}
