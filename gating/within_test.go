package gating

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestWithin compares with the definition, in plane and space, with the radii of one
// call far apart, and without points or centres.
func TestWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	var f Finder
	var got CSR
	pairs := 0
	for n := range 200 {
		dim := 2 + n%2
		draw := func(k int) (list []float64) {
			for range k {
				list = append(list, 10*rng.NormFloat64())
			}
			return list
		}
		radii := make([]float64, rng.IntN(30))
		for i := range radii {
			radii[i] = math.Exp(3*rng.NormFloat64()) * float64(rng.IntN(4))
		}
		centres, points := draw(dim*len(radii)), draw(dim*rng.IntN(60))
		if _, err := f.Within(&got, dim, centres, radii, points); err != nil {
			t.Fatal(err)
		}
		if got.Rows != len(radii) || got.Cols != len(points)/dim {
			t.Fatalf("%d×%d, want %d×%d", got.Rows, got.Cols, len(radii), len(points)/dim)
		}
		for i, r := range radii {
			var want []int32
			for j := range got.Cols {
				var d2 float64
				for k := range dim {
					d := points[j*dim+k] - centres[i*dim+k]
					d2 += d * d
				}
				if d2 < r*r {
					want = append(want, int32(j))
				}
			}
			if !slices.Equal(got.Row(i), want) {
				t.Fatalf("call %d: within %v of centre %d lie %v, want %v", n, r, i, got.Row(i), want)
			}
			pairs += len(want)
		}
	}
	if pairs < 1000 {
		t.Errorf("only %d pairs", pairs)
	}
	if _, err := f.Within(nil, 2, []float64{0, math.NaN()}, []float64{1}, nil); !errors.Is(err, ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
}

// TestWithinCapped: the K nearest are those of a ball for a gate.
func TestWithinCapped(t *testing.T) {
	for _, layout := range layouts {
		rng := rand.New(rand.NewPCG(5, 6))
		a, b := scanOf(40, 2, 0, layout.pos(rng), nil), scanOf(50, 2, 1, layout.pos(rng), nil)
		radii := make([]float64, a.Len())
		for i := range radii {
			radii[i] = 9
		}
		got, err := (&Finder{K: 3}).Within(nil, 2, a.Pos, radii, b.Pos)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(brute(a, b, Ball{9}, 3), got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", layout.name, diff)
		}
	}
}

// TestWithinFew: where there are more pairs than K for each detection, all of them or of one side,
// Few takes its place, and only there.
func TestWithinFew(t *testing.T) {
	for _, layout := range layouts {
		for _, radius := range []float64{1, 3, 9, 1e10} {
			rng := rand.New(rand.NewPCG(5, 7))
			a, b := scanOf(60, 2, 0, layout.pos(rng), nil), scanOf(50, 2, 1, layout.pos(rng), nil)
			radii := slices.Repeat([]float64{radius}, a.Len())
			f := Finder{K: 8, Few: 2}
			got, err := f.Within(nil, 2, a.Pos, radii, b.Pos)
			if err != nil {
				t.Fatal(err)
			}
			kept := f.K
			if brute(a, b, Ball{radius}, 0).NNZ() > f.K*(a.Len()+b.Len()) {
				kept = f.Few
			}
			if diff := cmp.Diff(brute(a, b, Ball{radius}, kept), got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s, radius %v (-want +got):\n%s", layout.name, radius, diff)
			}
		}
	}
}

// TestUntil: a finder of a crowd ends soon after its context, and looks often enough: before it has
// looked at many pairs.
func TestUntil(t *testing.T) {
	a := scanOf(2000, 2, 0, func(i, d int) float64 { return 5 }, nil)
	b := scanOf(2000, 2, 1, func(i, d int) float64 { return 5 }, nil)
	ctx, cancel := context.WithCancel(t.Context())
	f := Finder{K: 100}
	f.Until(ctx)
	if _, err := f.Neighbors(nil, a, b, Ball{1}); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := f.Neighbors(nil, a, b, Ball{1}); !errors.Is(err, context.Canceled) {
		t.Errorf("Neighbors: %v, want %v", err, context.Canceled)
	}
	if _, err := f.Within(nil, 2, a.Pos, make([]float64, a.Len()), b.Pos); !errors.Is(err, context.Canceled) {
		t.Errorf("Within: %v, want %v", err, context.Canceled)
	}
}
