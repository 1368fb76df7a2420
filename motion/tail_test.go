package motion

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
)

// This file tests the tails of manoeuvres.

// TestTail compares with Student's t of gonum, and integrates it: it is a
// density in the normalisation of the Gaussian.
func TestTail(t *testing.T) {
	for _, dof := range []float64{3, 4, 12.5} {
		for dim := 1; dim <= 6; dim++ {
			eye := mat.NewSymDense(dim, nil)
			for n := range dim {
				eye.SetSym(n, n, 1)
			}
			zero := make([]float64, dim)
			normal, _ := distmv.NewNormal(zero, eye, nil)
			student, _ := distmv.NewStudentsT(zero, eye, dof, nil)
			d := float64(dim)
			if got, want := TailPeak(dof, d), student.LogProb(zero)-normal.LogProb(zero); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("TailPeak(%d) = %v, want %v", dim, got, want)
			}
			for _, x := range []float64{0.1, 1, 30} {
				at := append([]float64{x}, zero[1:]...)
				if got, want := Tail(dof, x*x, d), 2*(student.LogProb(zero)-student.LogProb(at)); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
					t.Errorf("Tail(%v, %d) = %v, want %v", x*x, dim, got, want)
				}
			}
			density := func(e2 float64) float64 {
				return math.Exp(TailPeak(dof, d)-Tail(dof, e2, d)/2) * math.Pow(2*math.Pi, -d/2)
			}
			if got := radial(density, dim); math.Abs(got-1) > 1e-4 {
				t.Errorf("%d-D: integral is %v, want 1", dim, got)
			}
		}
	}
}

// radial integrates f(|x|²) over all x of a space.
func radial(f func(r2 float64) float64, dim int) float64 {
	d := float64(dim)
	sphere := 2 * math.Pow(math.Pi, d/2) / math.Gamma(d/2)
	g := func(s float64) float64 { // r = s/(1−s)
		r := s / (1 - s)
		return f(r*r) * sphere * math.Pow(r, d-1) / ((1 - s) * (1 - s))
	}
	return quad.Fixed(g, 0, 1, 400, quad.Legendre{}, 0)
}
