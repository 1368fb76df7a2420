package motion

import (
	"math"
	"math/rand/v2"
	"testing"
)

// This file tests the motions.

// TestSteps: two steps of half the time are one of the whole, to rounding.
func TestSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, m := range Models() {
		for range 200 {
			p := &Params{Model: m, Dim: 2, Accel: 0.1 + rng.Float64(), Revert: math.Exp(-12 + 16*rng.Float64()), Sway: rng.Float64()}
			dt := math.Exp(3 * rng.NormFloat64())
			half, whole := p.Step(dt/2, Smooth), p.Step(dt, Smooth)
			a, b, q := half.A, half.B, half.Q
			twice := Step{a + a*b, b * b, [3]float64{
				q[0] + 2*a*q[1] + a*a*q[2] + q[0], b*(q[1]+a*q[2]) + q[1], b*b*q[2] + q[2],
			}}
			same := func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*math.Abs(y) }
			if !same(twice.A, whole.A) || !same(twice.B, whole.B) || !same(twice.Q[0], whole.Q[0]) ||
				!same(twice.Q[1], whole.Q[1]) || !same(twice.Q[2], whole.Q[2]) {
				t.Errorf("%s, dt %v, %+v: two halves are %v, the whole %v", p.Name(), dt, *p, twice, whole)
			}
		}
	}
}

// TestReverting: the limits of a reverting velocity are the other two motions.
func TestReverting(t *testing.T) {
	slow := Reverting{}.Step(&Params{Revert: 1e-7}, 2, 0.3)
	if want := (Velocity{}).Step(nil, 2, 0.3); math.Abs(slow.Q[0]/want.Q[0]-1) > 1e-6 || math.Abs(slow.A-want.A) > 1e-6 {
		t.Errorf("slow reversion is %v, constant velocity %v", slow, want)
	}
	fast := Reverting{}.Step(&Params{Revert: 1e5}, 2, 0.3*1e5)
	if want := (Walk{}).Step(nil, 2, 0.3); math.Abs(fast.Q[0]/want.Q[0]-1) > 1e-4 {
		t.Errorf("fast reversion is %v, a random walk %v", fast, want)
	}
}

// TestTurn compares the curve with small steps along it, and its derivative with
// differences.
func TestTurn(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, dim := range []int{2, 3} {
		p := &Params{Model: Turn{}, Dim: dim}
		n := Turn{}.States(p)
		for _, rate := range []float64{0, 1e-6, 0.3, -2} {
			x := make([]float64, n)
			for k := range x {
				x[k] = rng.NormFloat64()
			}
			x[n-1] = rate
			const dt, small = 0.7, 1e-5
			f := make([]float64, n*n)
			there := append([]float64(nil), x...)
			Turn{}.Move(p, there, f, dt)
			// Euler's rule with corrections of second order.
			walk := append([]float64(nil), x...)
			for range int(math.Round(dt / small)) {
				vx, vy := walk[dim], walk[dim+1]
				c, s := math.Cos(rate*small/2), math.Sin(rate*small/2)
				mx, my := c*vx-s*vy, s*vx+c*vy
				walk[0], walk[1] = walk[0]+small*mx, walk[1]+small*my
				walk[dim], walk[dim+1] = c*mx-s*my, s*mx+c*my
				if dim == 3 {
					walk[2] += small * walk[5]
				}
			}
			back := append([]float64(nil), there...)
			Turn{}.Move(p, back, make([]float64, n*n), -dt)
			for k := range n {
				if math.Abs(there[k]-walk[k]) > 1e-8 || math.Abs(back[k]-x[k]) > 1e-12 {
					t.Errorf("dim %d, rate %v: element %d is %v, in small steps %v; back %v from %v", dim, rate, k, there[k], walk[k], back[k], x[k])
				}
				const h = 1e-6
				up, down := append([]float64(nil), x...), append([]float64(nil), x...)
				up[k] += h
				down[k] -= h
				Turn{}.Move(p, up, make([]float64, n*n), dt)
				Turn{}.Move(p, down, make([]float64, n*n), dt)
				for i := range n {
					if want := (up[i] - down[i]) / (2 * h); math.Abs(f[i*n+k]-want) > 1e-8 {
						t.Errorf("dim %d, rate %v: derivative %d, %d is %v, want %v", dim, rate, i, k, f[i*n+k], want)
					}
				}
			}
		}
	}
}

func TestNamed(t *testing.T) {
	for _, m := range Models() {
		if got, err := Named(m.Name()); err != nil || got != m {
			t.Errorf("%s is %v, %v", m.Name(), got, err)
		}
	}
	if _, err := Named("teleport"); err == nil {
		t.Error("a motion that is not there was found")
	}
}
