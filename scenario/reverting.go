package scenario

// This file moves the targets of Reverting: Ornstein and Uhlenbeck's particles.
//
// Each component of the velocity falls back to zero at the rate θ and is kept going by
// white noise, so that its variance stays s², with which it starts. In dt seconds, with
// B = e^(−θdt) and a = (1−B)/θ,
//
//	x ← x + a·v + ξ,   v ← B·v + η,
//	var η = s²(1−B²),  cov(ξ,η) = θs²a²,  var ξ = 2s²(dt − a − θa²/2)/θ
//
// (Uhlenbeck and Ornstein 1930; Gillespie 1996).

import (
	"math"
	"math/rand/v2"

	"mtt/internal/rng"
)

// A reverting is the source of a target's noise and the deviation of its velocity.
type reverting struct {
	r *rand.Rand
	s float64 // m/s, per axis
}

// startReverting places t as Drift does; the speed is the root mean square one.
func startReverting(w *world, t *target, r *rand.Rand) {
	startInBox(w, t, r)
	m := reverting{r, t.speed / math.Sqrt(float64(w.cfg.Dim))}
	t.mover = m
	e := normal(r, w.cfg.Dim)
	for i := range w.cfg.Dim {
		t.vel[i] = float64(m.s * e[i])
	}
}

// step implements mover.
func (m reverting) step(w *world, t *target, dt float64) {
	theta := w.cfg.Revert
	u := theta * dt
	gone := decay(u) // 1 − B
	a := gone / theta
	vv := gone * (2 - gone)
	xv := float64(theta * a * a)
	// dt − a − θa²/2 = dt·(u²/3 − u³/4 + 7u⁴/60 − …)
	rest := dt - a - float64(xv/2)
	if u < 0.01 {
		rest = dt * float64(float64(u*u)*(1./3-float64(u*(1./4-float64(u*(7./60-float64(u/24)))))))
	}
	xx := 2 * rest / theta
	lead := xv / math.Sqrt(vv) // Cholesky's factor, velocity first
	own := math.Sqrt(max(0, xx-float64(lead*lead)))
	spread := math.Sqrt(vv)
	for i := range w.cfg.Dim {
		e1, e2 := rng.Normal(m.r)
		t.pos[i] += float64(a*t.vel[i]) + float64(m.s*(float64(lead*e1)+float64(own*e2)))
		t.vel[i] = float64((1-gone)*t.vel[i]) + float64(m.s*spread*e1)
	}
}

// decay is 1 − e^(−u) for u ≥ 0, by Taylor's series to the 15th degree below ½.
func decay(u float64) float64 {
	halvings := 0
	for ; u > 0.5 && halvings < 64; halvings++ {
		u /= 2
	}
	sum := 1.0
	for k := 15.0; k > 1; k-- {
		sum = 1 - float64(u*sum/k)
	}
	gone := u * sum
	for range halvings {
		gone *= 2 - gone // 1 − (1−gone)²
	}
	return gone
}
