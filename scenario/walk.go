package scenario

// This file moves the particles of Walk, which nothing but chance moves.
//
// Each coordinate is a random walk: in dt seconds it gains a normal number of variance
// σ²·dt/Interval. The median length of such a step is σ√(2 ln 2) in the plane and
// 1.53817 σ in space (of Rayleigh's and Maxwell's distributions), and points spread at
// one per Spread^Dim have a mean distance of Spread/2 to the nearest other, in space
// 0.55396 Spread (Γ(4/3)·(4π/3)^(−1/3)); Config.Step is the ratio of the two.

import (
	"math"
	"math/rand/v2"
)

// Of points spread at random, one per unit square or cube, the mean distance to the
// nearest other; of a normal vector with variance 1 per axis, the median length.
var (
	neighbour = [4]float64{2: 0.5, 3: 0.55396}
	median    = [4]float64{2: 1.1774100225, 3: 1.5381722545}
)

// stepSize is the standard deviation of a coordinate's step in one interval of Walk, and
// of a coordinate's speed times the interval in Flow.
func (c *Config) stepSize() float64 {
	return c.Step * c.Spread * neighbour[c.Dim] / median[c.Dim]
}

// A walk is the source of a particle's steps.
type walk struct{ r *rand.Rand }

// startWalk places t uniformly in the square or cube.
func startWalk(w *world, t *target, r *rand.Rand) {
	t.pos = inBox(r, w.cfg.Dim, w.size)
	t.mover = walk{r}
}

// step implements mover.
func (k walk) step(w *world, t *target, dt float64) {
	sigma := w.cfg.stepSize() * math.Sqrt(dt/w.cfg.Interval)
	e := normal(k.r, w.cfg.Dim)
	for i := range w.cfg.Dim {
		t.pos[i], _ = fold(t.pos[i]+float64(sigma*e[i]), w.size)
	}
}

// fold is where a mirror at 0 and another at size throw x to, and whether it comes out
// turned round. The remainder that it takes is exact.
func fold(x, size float64) (y float64, turned bool) {
	if 0 <= x && x <= size {
		return x, false
	}
	if x = math.Mod(x, 2*size); x < 0 {
		x += 2 * size
	}
	if x > size {
		return 2*size - x, true
	}
	return x, false
}

// A bounce is the way of a billiard ball.
type bounce struct{}

// startBounce places t uniformly in the square or cube, flying anywhere.
func startBounce(w *world, t *target, r *rand.Rand) {
	t.mover = bounce{}
	t.pos = inBox(r, w.cfg.Dim, w.size)
	for i, x := range direction(r, w.cfg.Dim) {
		t.vel[i] = float64(t.speed * x)
	}
}

// step implements mover.
func (bounce) step(w *world, t *target, dt float64) {
	for i := range w.cfg.Dim {
		var turned bool
		if t.pos[i], turned = fold(t.pos[i]+float64(dt*t.vel[i]), w.size); turned {
			t.vel[i] = -t.vel[i]
		}
	}
}
