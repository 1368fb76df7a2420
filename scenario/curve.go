package scenario

// This file walks the polynomial curves of Burst, Arena and Cross.
//
// In its own frame a target is at (x, Σ a_k x^k), in three dimensions at
// (x, Σ a_k x^k, Σ b_k x^k), with a_k and b_k uniform in ±A0/16^k. It starts at
// x = 0. The next sample is where the curve, followed towards greater x, first
// meets the circle (sphere) of radius r = V·Interval around the present one.
// Write the rise over a step s as s·q(s), q the slope of the chord; then s solves
//
//	F(s) = s·√(1 + |q(s)|²) - r = 0,  0 < s ≤ r,
//
// where F(0) < 0 ≤ F(r). A bracketed Newton iteration finds it. The step is
// then taken as r times the unit vector along (1, q): the chord has length r to
// rounding, whatever error is left in s.
//
// F is increasing, so that the root is the only one, where the angle between
// chord and tangent stays below 90°, that is 1 + q·f' > 0. With |f'(x+s)-f'(x)|
// ≤ B on the step that holds if B² - f'(x)² < 1, which is true at every step of
// curves as tame as the default. Else (hairpins; A0 of 100 and more) the first
// change of sign of F on a grid of r/64 brackets the root.

import (
	"math"
	"math/rand/v2"

	"mtt/internal/rng"
)

// A curve is a polynomial path and a place on it.
type curve struct {
	x    float64       // abscissa of the present sample, m
	a, b [5]float64    // coefficients of y and z, from degree 0
	axes [3][3]float64 // axes[i] is the direction of local axis i
}

// startCurve places t on its curve, and the curve in the scene.
func startCurve(w *world, t *target, r *rand.Rand) {
	c := &curve{}
	c.draw(r, &w.cfg)
	t.mover = c
	start, tangent := c.start()
	for i := range tangent {
		t.vel[i] = t.speed * tangent[i]
	}
	switch w.cfg.Scene {
	case Burst:
		t.pos = inBox(r, w.cfg.Dim, w.cfg.Spread)
		for i := range start {
			t.pos[i] += start[i]
		}
	case Arena:
		t.pos = inBox(r, w.cfg.Dim, w.size)
	case Cross:
		t.pos = inBox(r, w.cfg.Dim, w.size)
		ahead := *c // walked to the middle and dropped
		for range (w.cfg.Frames - 1) / 2 {
			chord, _ := ahead.walk(w.cfg.Interval * t.speed)
			for i := range chord {
				t.pos[i] -= chord[i]
			}
		}
	}
}

// step implements mover.
func (c *curve) step(_ *world, t *target, dt float64) {
	chord, tangent := c.walk(dt * t.speed)
	for i := range chord {
		t.pos[i] += chord[i]
		t.vel[i] = t.speed * tangent[i]
	}
}

// draw makes a curve, at its start, in random orientation.
func (c *curve) draw(r *rand.Rand, cfg *Config) {
	degree := cfg.Degree
	if coin := 3 + rng.IntN(r, 2); degree == 0 {
		degree = coin
	}
	*c = curve{}
	drawPolynomial(&c.a, r, degree, cfg.A0)
	if cfg.Dim == 2 {
		ux, uy := rng.Direction(r)
		c.axes = [3][3]float64{{ux, uy, 0}, {-uy, ux, 0}, {0, 0, 1}}
		return
	}
	drawPolynomial(&c.b, r, degree, cfg.A0)
	c.axes = rotation(rng.Quaternion(r))
}

// drawPolynomial draws the coefficients a[k], k ≤ degree, from ±a0/16^k. It
// takes as many numbers from r for either degree.
func drawPolynomial(a *[5]float64, r *rand.Rand, degree int, a0 float64) {
	for k := range a {
		a[k] = rng.Uniform(r, -a0, a0)
		a0 /= 16
	}
	if degree == 3 {
		a[4] = 0
	}
}

// start is the first sample and the unit tangent there.
func (c *curve) start() (pos, tangent [3]float64) {
	return c.turned(0, c.a[0], c.b[0]), c.turned(unit(1, c.a[1], c.b[1]))
}

// walk moves to the next sample, at distance r of the present one, and returns
// the chord and the unit tangent at its end.
func (c *curve) walk(r float64) (chord, tangent [3]float64) {
	y, z := taylor(&c.a, c.x), taylor(&c.b, c.x)
	lo, hi := 0.0, r
	s := r / norm(1, y[0], z[0])
	if !y.tame(&z, r) {
		lo, hi = firstCrossing(&y, &z, r)
		s = (lo + hi) / 2
	}
	for hi-lo > 4e-16*hi {
		qy, qz := y.chord(s), z.chord(s)
		w := norm(1, qy, qz)
		f := float64(s*w) - r
		if f < 0 {
			lo = s
		} else {
			hi = s
		}
		bend := float64(qy*y.chordSlope(s)) + float64(qz*z.chordSlope(s))
		next := s - f/(w+float64(s*bend)/w)
		if !(lo <= next && next <= hi) {
			next = (lo + hi) / 2
		}
		s = next
		if math.Abs(f) < 1e-9*r {
			break // Newton squares the relative error: s is right to rounding
		}
	}
	ux, uy, uz := unit(1, y.chord(s), z.chord(s))
	c.x += s
	return c.turned(float64(r*ux), float64(r*uy), float64(r*uz)), c.turned(unit(1, y.slope(s), z.slope(s)))
}

// turned takes a vector from the frame of the curve to that of the scene.
func (c *curve) turned(x, y, z float64) (v [3]float64) {
	for i := range v {
		v[i] = float64(x*c.axes[0][i]) + float64(y*c.axes[1][i]) + float64(z*c.axes[2][i])
	}
	return v
}

// A poly is a polynomial without its constant, in powers of the distance s from
// some abscissa: s·p[0] + s²·p[1] + s³·p[2] + s⁴·p[3].
type poly [4]float64

// taylor develops Σ a_k x^k at x.
func taylor(a *[5]float64, x float64) poly {
	return poly{
		a[1] + float64(x*(2*a[2]+float64(x*(float64(3*a[3])+float64(x*(4*a[4])))))),
		a[2] + float64(x*(float64(3*a[3])+float64(x*float64(6*a[4])))),
		a[3] + float64(x*(4*a[4])),
		a[4],
	}
}

// chord is the mean slope between 0 and s.
func (p *poly) chord(s float64) float64 {
	return p[0] + float64(s*(p[1]+float64(s*(p[2]+float64(s*p[3])))))
}

// chordSlope is the derivative of chord.
func (p *poly) chordSlope(s float64) float64 {
	return p[1] + float64(s*(2*p[2]+float64(s*float64(3*p[3]))))
}

// slope is the derivative of the polynomial at s.
func (p *poly) slope(s float64) float64 {
	return p[0] + float64(s*(2*p[1]+float64(s*(float64(3*p[2])+float64(s*(4*p[3]))))))
}

// tame reports whether F, for heights y and z, is known to increase on [0, r].
func (y *poly) tame(z *poly, r float64) bool {
	return y.fold(r)+z.fold(r) < 1
}

// fold bounds how far the product of two slopes taken on [0, s] can be below 0.
func (p *poly) fold(s float64) float64 {
	b := float64(s * (2*math.Abs(p[1]) + float64(s*(float64(3*math.Abs(p[2]))+float64(s*(4*math.Abs(p[3])))))))
	if first := math.Abs(p[0]); first < b {
		return float64((b - first) * (b + first))
	}
	return 0
}

// firstCrossing brackets the first change of sign of F on a grid of r/64.
func firstCrossing(y, z *poly, r float64) (lo, hi float64) {
	for i := range 64 {
		lo, hi = hi, r*(float64(i+1)/64)
		if float64(hi*norm(1, y.chord(hi), z.chord(hi))) >= r {
			break
		}
	}
	return lo, hi
}
