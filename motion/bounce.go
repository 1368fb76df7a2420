package motion

import (
	"math"

	"mtt"
)

// This file defines the step in which a target bounces: at some time within it, its velocity is
// thrown back by a mirror.
//
// Problem. For a Gaussian a manoeuvre leaves the velocity open, as far as it turned. So a sharp
// turn costs the density of where it leads to twice: in the step it lies in, and in the next.
//
// Idea. Who bounces keeps the speed. With velocity v before and v′ after, the change within a step
// of dt seconds, a share 1−u of which is left then, moves the position off its line by e =
// (1−u)·dt·(v′−v): along v′−v, the normal d of the mirror, whatever u is. So e tells the normal,
// and with it the velocity afterwards, v − 2(v·d)d: nothing is left open. Of mirrors turned any way
// those are met more often that a target flies at head on, as the cosine of the angle ϑ between −v
// and d; the time is uniform. Then e, within the step's reach |e| ≤ 2|v|dt·cos ϑ, has the density
//
//	1/(4·|v|dt·|e|) in the plane,   1/(2π·|v|dt·|e|²) in space.
//
// Noise of variance S, that of the innovation of a smooth step, turns d by √S/|e|, and blurs both
// ends of the reach: |e|² + S takes the place of |e|², and no density is above the peak of a smooth
// step's. The covariance afterwards is that along the axis it is largest on.
//
// Backward in time a bounce is one as well, of the velocity −v′.

// bounced is what becomes of s in a step of dt seconds in which it bounces to position z, given z,
// and −2·log of the density of z. It is false where s cannot bounce there.
func (a *axes[V]) bounced(s *state[V], dt float64, z []float64) (after state[V], d2 float64, ok bool) {
	t := a.steps.of(&a.params, dt, Smooth)
	var e, d V
	var e2, v2, along float64
	for n := range a.dim {
		e[n] = z[n] - s.X[n] - t.A*s.V[n]
		e2 += e[n] * e[n]
		v2 += s.V[n] * s.V[n]
		along -= e[n] * s.V[n]
	}
	length := math.Sqrt(e2)
	if along <= 0 { // what drives a target on is no mirror
		return after, 0, false
	}
	along /= length
	p := t.spread(s.P)
	noise := p[0] + a.r
	within := (2*t.A*along - length) / math.Sqrt(noise+4*t.A*t.A*s.P[2])
	if within < -5 {
		return after, 0, false
	}
	path := t.A * math.Sqrt(v2)
	density := math.Erfc(-within/math.Sqrt2) / 2
	if a.dim == 2 {
		density /= max(4*path*math.Sqrt(e2+noise), 2*math.Pi*noise)
	} else {
		density /= max(2*math.Pi*path*(e2+noise), math.Pow(2*math.Pi*noise, 1.5))
	}
	after.P = [3]float64{a.r, 0, p[2] + 4*v2*noise/(e2+noise)}
	for n := range a.dim {
		d[n] = e[n] / length
		after.X[n], after.V[n] = z[n], s.V[n]+2*along*d[n]
	}
	return after, -2 * math.Log(density), true
}

// Bounce implements [Filter].
func (a *axes[V]) Bounce(dst, s *state[V], dt float64, b *mtt.Scan, i int) (fit Fit, ok bool) {
	after, d2, ok := a.bounced(s, dt, b.At(i))
	if !ok {
		return fit, false
	}
	fit.D2 = d2
	if a.vel {
		v := after.P[2] + a.rv
		for n, w := range b.VelAt(i) {
			fit.D2 += (w - after.V[n]) * (w - after.V[n]) / v
		}
		fit.Base = float64(a.dim) * a.logs.of(2*math.Pi*v)
	}
	*dst = after
	dst.P[0] *= vague // the detection is to tell where it is
	return fit, true
}

// vague is how many times the variance of a position that is not known is that of noise.
const vague = 1e6

// BounceOnto implements [Filter].
func (a *axes[V]) BounceOnto(s *state[V], dt float64, e *information[V]) (fit Fit, ok bool) {
	var z [3]float64
	for n := range a.dim {
		z[n] = e.Ref[n]
	}
	after, d2, ok := a.bounced(s, dt, z[:a.dim])
	if !ok {
		return fit, false
	}
	rest := a.beyond(e)
	fit = a.Join(&after, &rest)
	fit.D2 += d2 - float64(a.dim)*a.logs.of(2*math.Pi*a.r)
	return fit, true
}

// beyond is e without the position of its first detection.
func (a *axes[V]) beyond(e *information[V]) information[V] {
	rest := *e // positions are counted from that of the detection
	rest.L[0] = max(rest.L[0]-1/a.r, 0)
	rest.best = a.least(&rest)
	return rest
}

// BouncePeak implements [Filter].
func (a *axes[V]) BouncePeak(e *information[V]) float64 {
	rest := a.beyond(e)
	return rest.best
}

// Rebound implements [Filter].
func (a *axes[V]) Rebound(e *information[V], dt float64, b *mtt.Scan, i int) bool {
	l := e.L
	det := l[0]*l[2] - l[1]*l[1]
	if det <= 1e-9*l[0]*l[2] {
		return false
	}
	back := state[V]{P: [3]float64{l[2] / det, l[1] / det, l[0] / det}} // of the velocity turned round
	for n := range a.dim {
		back.X[n] = e.Ref[n] + (l[2]*e.H0[n]-l[1]*e.H1[n])/det
		back.V[n] = -(l[0]*e.H1[n] - l[1]*e.H0[n]) / det
	}
	before, _, ok := a.bounced(&back, dt, b.At(i))
	if !ok {
		return false
	}
	*e = information[V]{L: [3]float64{0, 0, 1 / before.P[2]}, Ref: before.X}
	for n := range a.dim {
		e.H1[n] = -before.V[n] / before.P[2]
	}
	return true
}

// Bounce implements [Filter].
func (f *Full) Bounce(_, _ *FullState, _ float64, _ *mtt.Scan, _ int) (Fit, bool) {
	return Fit{}, false
}

// BounceOnto implements [Filter].
func (f *Full) BounceOnto(*FullState, float64, *FullInformation) (Fit, bool) { return Fit{}, false }

// BouncePeak implements [Filter].
func (f *Full) BouncePeak(e *FullInformation) float64 { return f.Peak(nil, e) }

// Rebound implements [Filter].
func (f *Full) Rebound(*FullInformation, float64, *mtt.Scan, int) bool { return false }
