package scenario

// This file flies the targets of Turn: coordinated turns.
//
// The turn rate ω is a random walk that starts with deviation TurnStd and gains a
// variance of TurnWalk²·dt in dt seconds. During a step it is constant: the velocity
// turns by ω·dt, and the chord of the arc has length V·dt·sin(h)/h and the direction of
// the velocity turned by h = ω·dt/2.

import (
	"math"
	"math/rand/v2"

	"mtt/internal/rng"
)

// A turner is the turn rate of a target, and the source of its changes.
type turner struct {
	r    *rand.Rand
	rate float64 // rad/s
}

// startTurn places t as Drift does.
func startTurn(w *world, t *target, r *rand.Rand) {
	startInBox(w, t, r)
	n, _ := rng.Normal(r)
	t.mover = &turner{r, w.cfg.TurnStd * n}
}

// step implements mover.
func (m *turner) step(w *world, t *target, dt float64) {
	h := m.rate * dt / 2
	sin, cos := sincosTurns(h / (2 * math.Pi))
	share := 1.0 // of the arc that is its chord
	if h != 0 {
		share = sin / h
	}
	half := func() { // turns the velocity by h
		x, y := t.vel[0], t.vel[1]
		t.vel[0] = float64(cos*x) - float64(sin*y)
		t.vel[1] = float64(sin*x) + float64(cos*y)
	}
	half()
	t.pos[0] += float64(share * dt * t.vel[0])
	t.pos[1] += float64(share * dt * t.vel[1])
	t.pos[2] += float64(dt * t.vel[2])
	half()
	n, _ := rng.Normal(m.r)
	m.rate += float64(w.cfg.TurnWalk * math.Sqrt(dt) * n)
}
