package costgen

import (
	"math"
	"testing"

	"mtt"
)

// This file tests Trapezoid on cases that can be checked in the head.

func TestTrapezoid(t *testing.T) {
	scan := func(time float64, dim int, pos, vel []float64) *mtt.Scan {
		return &mtt.Scan{Time: time, Dim: dim, Pos: pos, Vel: vel}
	}
	for _, tt := range []struct {
		name          string
		a, b, c       *mtt.Scan
		pair, triplet float64
	}{
		{
			"constant velocity is free",
			scan(0, 2, []float64{0, 0}, []float64{3, 4}),
			scan(2, 2, []float64{6, 8}, []float64{3, 4}),
			scan(3, 2, []float64{9, 12}, []float64{3, 4}),
			0, 0,
		}, {
			"constant acceleration 2 along x: no residual, second difference 2·dt²",
			scan(0, 2, []float64{0, 0}, []float64{0, 1}),
			scan(1, 2, []float64{1, 1}, []float64{2, 1}),
			scan(2, 2, []float64{4, 2}, []float64{4, 1}),
			0, 2,
		}, {
			"off by (3, 4) and back",
			scan(0, 2, []float64{0, 0}, []float64{1, 0}),
			scan(1, 2, []float64{4, 4}, []float64{1, 0}),
			scan(3, 2, []float64{3, 0}, []float64{1, 0}),
			5, 15, // (−1,−4) − 2·(4,4) = (−9,−12)
		}, {
			"in space",
			scan(0, 3, []float64{0, 0, 0}, []float64{0, 0, 2}),
			scan(1, 3, []float64{1, 2, 4}, []float64{0, 0, 2}),
			scan(2, 3, []float64{2, 4, 8}, []float64{0, 0, 2}),
			3, 0,
		}, {
			"without velocities a link alone is free",
			scan(0, 2, []float64{0, 0}, nil),
			scan(1, 2, []float64{1, 0}, nil),
			scan(2, 2, []float64{1, 1}, nil),
			0, math.Sqrt2,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, one := &Trapezoid{}, []int32{0}
			var got [1]float64
			if m.Pairs(got[:], tt.a, 0, tt.b, one); !near(got[0], tt.pair) {
				t.Errorf("pair costs %v, want %v", got[0], tt.pair)
			}
			if m.Triplets(got[:], 1, tt.a, one, tt.b, 0, tt.c, one); !near(got[0], tt.triplet) {
				t.Errorf("triplet costs %v, want %v", got[0], tt.triplet)
			}
			if m.Starts(got[:], tt.a, 0, tt.b, one); got[0] != 0 {
				t.Errorf("start costs %v, want nothing", got[0])
			}
		})
	}
}
