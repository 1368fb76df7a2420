package scenario

import (
	"math"
	"testing"

	"mtt/internal/rng"
)

// localCurve draws a curve that lies along the axes, so that chords can be
// compared with the polynomials.
func localCurve(cfg *Config, seed uint64) *curve {
	c := new(curve)
	c.draw(rng.Stream(seed, "test/curve"), cfg)
	c.axes = [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	return c
}

// value is Σ a_k x^k.
func value(a *[5]float64, x float64) float64 {
	return a[0] + x*(a[1]+x*(a[2]+x*(a[3]+x*a[4])))
}

func TestStepMeetsCircleOnCurve(t *testing.T) {
	for _, a0 := range []float64{1e-9, 1, 10, 100, 1e4, 1e6} {
		for _, dim := range []int{2, 3} {
			for _, r := range []float64{1e-6, 0.3, 2, 50} {
				for seed := range uint64(20) {
					cfg := Config{A0: a0, Dim: dim}
					c := localCurve(&cfg, seed)
					for range 60 {
						x := c.x
						chord, tangent := c.walk(r)
						if !(c.x > x) {
							t.Fatalf("A0 %g, r %g: x went from %g to %g", a0, r, x, c.x)
						}
						if length := math.Sqrt(dot(&chord, &chord)); math.Abs(length-r) > 1e-15*r {
							t.Fatalf("A0 %g, r %g: chord %g", a0, r, length)
						}
						// The end of the chord is on the curve, as far as a change of
						// x by one unit in the last place allows to say.
						slope := math.Abs(chord[1])/chord[0] + math.Abs(tangent[1])/tangent[0]
						scale := math.Abs(value(&c.a, x)) + math.Abs(value(&c.a, c.x)) + slope*c.x
						if rise := value(&c.a, c.x) - value(&c.a, x); math.Abs(rise-chord[1]) > 1e-14*scale+1e-13*r {
							t.Fatalf("A0 %g, r %g, x %g: rise %g, chord rises %g", a0, r, x, rise, chord[1])
						}
						if dim == 2 && (chord[2] != 0 || tangent[2] != 0) {
							t.Fatalf("left the plane")
						}
						m := c.a[1] + c.x*(2*c.a[2]+c.x*(3*c.a[3]+c.x*4*c.a[4]))
						if got := tangent[1] / tangent[0]; math.Abs(got-m) > 1e-12*(1+math.Abs(m)+16*math.Abs(c.a[1])) {
							t.Fatalf("A0 %g, r %g, x %g: slope %g, want %g", a0, r, c.x, got, m)
						}
					}
				}
			}
		}
	}
}

// With the default A0 the step takes the first meeting point: no point of the
// curve before it is as far away.
func TestStepTakesFirstMeeting(t *testing.T) {
	for seed := range uint64(50) {
		c := localCurve(&Config{A0: 1, Dim: 2}, seed)
		for range 100 {
			x := c.x
			c.walk(2)
			for i := 1; i < 50; i++ {
				s := (c.x - x) * float64(i) / 50
				if d := math.Hypot(s, value(&c.a, x+s)-value(&c.a, x)); d >= 2 {
					t.Fatalf("seed %d, x %g: the curve is %g away already at x+%g, step to x+%g", seed, x, d, s, c.x-x)
				}
			}
		}
	}
}

// A hairpin that leaves the circle, comes back and leaves again: y = 80x(x-½)²
// from x = 0 rises to 1.48 at x = 1/6, then falls back to the axis.
func TestStepAtHairpin(t *testing.T) {
	c := &curve{a: [5]float64{0, 20, -80, 80}, axes: [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
	c.walk(1)
	if c.x > 1./6 {
		t.Errorf("step went to x = %g, past the first meeting with the circle before x = 1/6", c.x)
	}
}

func TestDegree(t *testing.T) {
	count := map[bool]int{}
	for seed := range uint64(1000) {
		three := localCurve(&Config{A0: 1, Dim: 3, Degree: 3}, seed)
		four := localCurve(&Config{A0: 1, Dim: 3, Degree: 4}, seed)
		mixed := localCurve(&Config{A0: 1, Dim: 3}, seed)
		if three.a[4] != 0 || three.b[4] != 0 || four.a[4] == 0 || four.b[4] == 0 {
			t.Fatalf("seed %d: degree 3 gives %v, degree 4 gives %v", seed, three.a, four.a)
		}
		for k := range four.a {
			if bound := math.Pow(16, -float64(k)); math.Abs(four.a[k]) >= bound || math.Abs(four.b[k]) >= bound {
				t.Fatalf("seed %d: coefficient %d of %v or %v is beyond %g", seed, k, four.a, four.b, bound)
			}
		}
		if mixed.a != three.a && mixed.a != four.a {
			t.Fatalf("seed %d: the mixture gives %v, want that of degree 3 or 4", seed, mixed.a)
		}
		count[mixed.a[4] == 0]++
	}
	if count[true] < 450 || count[true] > 550 {
		t.Errorf("%d of 1000 curves are cubic, want about half", count[true])
	}
}

func BenchmarkCurveStep(b *testing.B) {
	c := localCurve(&Config{A0: 1, Dim: 2}, 1)
	for b.Loop() {
		if c.x > 30 {
			c.x = 0
		}
		c.walk(1.5)
	}
}
