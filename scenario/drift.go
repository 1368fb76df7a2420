package scenario

// This file moves the targets of Drift: the motion that Kalman filters assume.
//
// Each coordinate has white acceleration of spectral density q = Accel², which
// over an interval T adds to position and velocity a Gaussian with covariance
//
//	q·[T³/3 T²/2; T²/2 T]  =  L·Lᵀ,   L = √(qT)·[T/√3 0; √3/2 1/2]
//
// (Bar-Shalom, Li, Kirubarajan 2001, §6.2.2).

import (
	"math"
	"math/rand/v2"

	"mtt/internal/rng"
)

// A drift is the source of a target's acceleration.
type drift struct{ r *rand.Rand }

// startDrift places t in the square or cube, flying anywhere.
func startDrift(w *world, t *target, r *rand.Rand) {
	t.mover = drift{r}
	startInBox(w, t, r)
}

// step implements mover.
func (d drift) step(w *world, t *target, dt float64) {
	scale := float64(w.cfg.Accel * math.Sqrt(dt))
	for i := range w.cfg.Dim {
		a, b := rng.Normal(d.r)
		t.pos[i] += float64(dt*t.vel[i]) + float64(float64(scale*dt)*a)/math.Sqrt(3)
		t.vel[i] += float64(scale * (float64(math.Sqrt(3)/2*a) + float64(b/2)))
	}
}
