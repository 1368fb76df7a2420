package solvertest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"mtt/mapsolver"
)

// TestInstances wants valid problems, the same at every call.
func TestInstances(t *testing.T) {
	for _, tt := range append(Hard(), Infeasible()...) {
		if err := tt.Problem.Validate(); err != nil {
			t.Errorf("%s: %v", tt.Name, err)
		}
	}
	if !reflect.DeepEqual(Hard(), Hard()) {
		t.Error("Hard() differs between two calls")
	}
	for _, x := range []*mapsolver.Problem{Tracking(500, 6, 0.3, 1), Sparse(500, 6, 0, 1)} {
		if d := float64(len(x.Col)) / 500; math.Abs(d-6) > 1.5 {
			t.Errorf("%v entries a row, want about 6", d)
		}
	}
}

func TestDecode(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for range 1000 {
		data := make([]byte, rng.IntN(80))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		p, v := decode(data)
		if err := p.Validate(); err != nil || len(v) != p.Cols {
			t.Fatalf("decode(%v): %v, %d prices for %d columns", data, err, len(v), p.Cols)
		}
	}
}

// TestOracles compares the two oracles with each other and with a sum by hand.
func TestOracles(t *testing.T) {
	p := dense(2, 3, func(r, c int) float64 { return [][]float64{{1, 2, 5}, {1, 9, 3}}[r][c] })
	if got := optimum(p); got != 3 {
		t.Errorf("optimum = %v, want 2+1", got)
	}
	p.RowMiss, p.ColMiss = []float64{0.5, 7}, []float64{0, 0.25, 0.125}
	if got := optimum(p); got != 0.5+1+0.25+0.125 {
		t.Errorf("optimum with misses = %v, want 1.875", got)
	}
	rng := rand.New(rand.NewPCG(9, 1))
	for range 50 {
		p := Random(rng, 1+rng.IntN(6), 1+rng.IntN(6), 0.6, rng.NormFloat64, MissFinite, MissFinite)
		got, err := simplex(p)
		if want := optimum(p); err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("simplex = %v, %v, optimum = %v", got, err, want)
		}
	}
}
