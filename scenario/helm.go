package scenario

// This file steers the targets of Steer.
//
// Each turn rate ω is a stationary first-order autoregression (an
// Ornstein-Uhlenbeck process sampled once a frame),
//
//	ω ← 0.9 ω + 0.02 n,  n standard normal,
//
// with standard deviation 0.02/√(1-0.9²) = 0.0459 rad per step. One rate turns
// a heading in the plane. In space two of them, independent, turn it about the
// two axes across it, which move along with the body. Rates are per step,
// whatever the interval. A target outside the disc (ball) turns towards the
// centre instead, by no more than 0.12 rad a step, while its rates live on
// unseen.
//
// A step turns by half the angle, moves by V·Interval, and turns by the other
// half: as on the curves, the chord has length V·Interval, and it makes equal
// angles with the tangents at its ends.

import (
	"math"
	"math/rand/v2"

	"mtt/internal/rng"
)

const (
	turnMemory = 0.9  // share of a turn rate that lives on in the next step
	turnKick   = 0.02 // rad per step, standard deviation of what is new in it
	turnBack   = 0.12 // rad per step, most that a target is steered back by
)

// A helm is the heading of a target and how it turns.
type helm struct {
	r    *rand.Rand
	axes [3][3]float64 // the unit heading and the two unit vectors across it
	rate [2]float64    // rad per step, from the heading to each of these; in the plane the second is 0
}

// startSteer places t uniformly in the disc or ball.
func startSteer(w *world, t *target, r *rand.Rand) {
	t.pos = inBall(r, w.cfg.Dim, w.size)
	h := &helm{}
	h.draw(r, w.cfg.Dim)
	t.mover = h
	for i := range t.vel {
		t.vel[i] = t.speed * h.axes[0][i]
	}
}

// step implements mover.
func (h *helm) step(w *world, t *target, dt float64) {
	chord := h.turn(&t.pos, w.size, w.cfg.Dim)
	reach := dt * t.speed
	for i := range chord {
		t.pos[i] += float64(reach * chord[i])
		t.vel[i] = t.speed * h.axes[0][i]
	}
}

// draw makes a helm that draws all its numbers from r.
func (h *helm) draw(r *rand.Rand, dim int) {
	stationary := turnKick / math.Sqrt(1-turnMemory*turnMemory)
	*h = helm{r: r}
	if dim == 2 {
		ux, uy := rng.Direction(r)
		h.axes = [3][3]float64{{ux, uy, 0}, {-uy, ux, 0}, {0, 0, 1}}
	} else {
		h.axes = rotation(rng.Quaternion(r))
	}
	n1, n2 := rng.Normal(r)
	h.rate[0] = float64(stationary * n1)
	if dim == 3 {
		h.rate[1] = float64(stationary * n2)
	}
}

// turn returns the direction of the chord from pos and turns the heading to
// that at its end. Home is the radius outside of which the target is steered
// back to the origin.
func (h *helm) turn(pos *[3]float64, home float64, dim int) (chord [3]float64) {
	n1, n2 := rng.Normal(h.r)
	h.rate[0] = float64(turnMemory*h.rate[0]) + float64(turnKick*n1)
	if dim == 3 {
		h.rate[1] = float64(turnMemory*h.rate[1]) + float64(turnKick*n2)
	}
	first, second := h.rate[0], h.rate[1]
	if distance := math.Sqrt(dot(pos, pos)); distance > home {
		first, second = h.back(pos, distance)
	}
	sin1, cos1 := sincos(first / 2)
	sin2, cos2 := sincos(second / 2)
	a := &h.axes
	rotate(&a[0], &a[1], sin1, cos1)
	rotate(&a[0], &a[2], sin2, cos2)
	chord = a[0]
	rotate(&a[0], &a[1], sin1, cos1)
	rotate(&a[0], &a[2], sin2, cos2)
	h.straighten()
	return chord
}

// back is the turn towards the origin seen from pos, in the planes of the two
// rates, at most turnBack in all.
func (h *helm) back(pos *[3]float64, distance float64) (b1, b2 float64) {
	ahead := -dot(&h.axes[0], pos) / distance
	b1 = -dot(&h.axes[1], pos) / distance
	b2 = -dot(&h.axes[2], pos) / distance
	across := norm(b1, b2, 0) // sine of the angle to turn by
	if across == 0 {
		if ahead < 0 {
			return turnBack, 0 // straight away from the centre: either way will do
		}
		return 0, 0
	}
	size := turnBack
	if ahead > 0 && across < turnBack {
		size = across // an angle this small equals its sine to 0.3 %
	}
	return float64(size * b1 / across), float64(size * b2 / across)
}

// straighten makes the axes orthonormal again, before rounding errors add up.
func (h *helm) straighten() {
	a := &h.axes
	a[0][0], a[0][1], a[0][2] = unit(a[0][0], a[0][1], a[0][2])
	lean := dot(&a[0], &a[1])
	for i := range a[1] {
		a[1][i] -= float64(lean * a[0][i])
	}
	a[1][0], a[1][1], a[1][2] = unit(a[1][0], a[1][1], a[1][2])
	a[2] = cross(&a[0], &a[1])
}
