package scenario

// This file makes the flow of Flow, and carries particles along.
//
// The velocity is a sum of waves that fit the square or cube of side L,
//
//	v(x, t) = Σ a·e·sin 2π(k·x/L + φ + f·t),   e ⊥ k,
//
// each without divergence. Wave vectors k have whole components and lengths of 1 to
// largestWave; amplitudes fall as in turbulence, energy as the −5/3rd power of the wave
// number (Kolmogorov 1941), which for single waves means a as its −11/6th, in the plane
// its −4/3rd, and are scaled so that the median speed at a sample of places is the one that
// Config.Step says. Frequencies f are those with which the flow itself would sweep a wave
// by. A particle takes two steps of Runge and Kutta's fourth order from frame to frame.

import (
	"math"
	"math/rand/v2"
	"slices"

	"mtt/internal/rng"
)

const (
	waves       = 32
	largestWave = 4
)

// A flow is a velocity field.
type flow struct {
	wave [waves]struct {
		k     [3]float64 // 1/m
		v     [3]float64 // m/s
		phase float64    // turns
		f     float64    // 1/s
	}
}

// newFlow draws the flow of a scene.
func newFlow(w *world) *flow {
	cfg := &w.cfg
	r := rng.Stream(cfg.Seed, "scenario/flow")
	speed := cfg.stepSize() / cfg.Interval // of each component, root mean square
	fl := &flow{}
	for i := range fl.wave {
		m := &fl.wave[i]
		k := waveVector(r, cfg.Dim)
		length := math.Sqrt(dot(&k, &k))
		across := [3]float64{-k[1], k[0], 0}
		if cfg.Dim == 3 {
			across = cross(&k, direction3(r))
		}
		across[0], across[1], across[2] = unit(across[0], across[1], across[2])
		// length^(−4/3) and ^(−11/6), of a float32: roots may differ between machines in
		// their last bit.
		cube := float64(float32(math.Cbrt(length)))
		a := 1 / (length * cube)
		if cfg.Dim == 3 {
			a /= math.Sqrt(length)
		}
		for d := range m.k {
			m.k[d] = k[d] / w.size
			m.v[d] = a * across[d]
		}
		m.phase = r.Float64()
		n, _ := rng.Normal(r)
		m.f = n * speed * length / w.size
	}
	var speeds [2001]float64
	for i := range speeds {
		x := inBox(r, cfg.Dim, w.size)
		v := fl.at(&x, 0)
		speeds[i] = math.Sqrt(dot(&v, &v))
	}
	slices.Sort(speeds[:])
	scale := speed * median[cfg.Dim] / speeds[len(speeds)/2]
	for i := range fl.wave {
		for d := range 3 {
			fl.wave[i].v[d] *= scale
		}
	}
	return fl
}

// waveVector draws a vector of whole numbers with a length of 1 to largestWave.
func waveVector(r *rand.Rand, dim int) (k [3]float64) {
	for {
		for d := range dim {
			k[d] = float64(rng.IntN(r, 2*largestWave+1) - largestWave)
		}
		if n := dot(&k, &k); n >= 1 && n <= largestWave*largestWave {
			return k
		}
	}
}

// direction3 draws a unit vector of space.
func direction3(r *rand.Rand) *[3]float64 {
	u := direction(r, 3)
	return &u
}

// at is the velocity at x and time.
func (fl *flow) at(x *[3]float64, time float64) (v [3]float64) {
	for i := range fl.wave {
		m := &fl.wave[i]
		sin, _ := sincosTurns(dot(&m.k, x) + m.phase + float64(m.f*time))
		for d := range v {
			v[d] += float64(sin * m.v[d])
		}
	}
	return v
}

// A carried is a particle in the flow.
type carried struct{}

// startFlow places t uniformly in the square or cube.
func startFlow(w *world, t *target, r *rand.Rand) {
	t.mover = carried{}
	t.pos = inBox(r, w.cfg.Dim, w.size)
	t.vel = w.flow.at(&t.pos, w.time)
}

// step implements mover.
func (carried) step(w *world, t *target, dt float64) {
	const steps = 2
	h := dt / steps
	for n := range steps {
		t.carry(w.flow, w.time+float64(float64(n)*h), h)
	}
}

// carry is one step of Runge and Kutta's of dt seconds.
func (t *target) carry(fl *flow, time, dt float64) {
	ahead := func(v *[3]float64, dt float64) *[3]float64 {
		p := t.pos
		for d := range p {
			p[d] += float64(dt * v[d])
		}
		return &p
	}
	a := t.vel
	b := fl.at(ahead(&a, dt/2), time+dt/2)
	c := fl.at(ahead(&b, dt/2), time+dt/2)
	e := fl.at(ahead(&c, dt), time+dt)
	for d := range t.pos {
		t.pos[d] += float64(dt / 6 * (a[d] + 2*b[d] + 2*c[d] + e[d]))
	}
	t.vel = fl.at(&t.pos, time+dt)
}

// replace lets who left the square or cube disappear, and for each of them a new particle
// enters on the other side. It comes after the step and before the time moves on.
func (fl *flow) replace(w *world, dt float64) {
	var entry [][3]float64
	living := w.targets[:0]
	for _, t := range w.targets {
		p := t.pos
		outside := false
		for d := range w.cfg.Dim {
			if p[d] < 0 || p[d] > w.size {
				outside = true
				if p[d] = math.Mod(p[d], w.size); p[d] < 0 {
					p[d] += w.size
				}
			}
		}
		if outside {
			entry = append(entry, p)
		} else {
			living = append(living, t)
		}
	}
	clear(w.targets[len(living):])
	w.targets = living
	for _, p := range entry {
		t := w.newTarget()
		t.pos, t.vel = p, fl.at(&p, w.time+dt)
		w.targets = append(w.targets, t)
	}
}
