package scenario

// This file moves the targets: it gives birth to them, advances them from frame
// to frame, and lets them disappear.

import (
	"math"
	"math/rand/v2"

	"mtt/internal/rng"
)

// A world is the living targets of one simulation.
type world struct {
	cfg     Config
	size    float64   // m, side of the box or radius of the ball in which targets start or meet
	flow    *flow     // of Flow
	targets []*target // living, in ascending order of id
	lastID  int
	time    float64 // s

	low, high [3]float64 // m, between which the targets of the frame at hand lie
}

// A target is somewhere, and moves.
type target struct {
	id       int
	parent   int        // id of the cell that divided into this one and another; 0: none
	speed    float64    // m/s
	pos, vel [3]float64 // m, m/s; the third is 0 in the plane
	mover    mover
	hidden   []int     // frames in which it is still not detected, for each sensor
	features []float64 // of its identity
	class    int32     // from 1; 0: there are none
}

// A mover moves one target on by dt seconds.
type mover interface {
	step(w *world, t *target, dt float64)
}

// newWorld fills the first frame.
func newWorld(cfg *Config) *world {
	w := &world{cfg: *cfg, size: sceneSize(cfg)}
	if cfg.Scene == Flow {
		w.flow = newFlow(w)
	}
	for range cfg.Targets {
		w.targets = append(w.targets, w.newTarget())
	}
	return w
}

// sceneSize is the radius of the disc or ball of Steer, else the side of the square or
// cube: with it there is one target per Spread^Dim.
func sceneSize(cfg *Config) float64 {
	n := float64(cfg.Targets) * cfg.growth()
	if cfg.Scene == Steer && cfg.Dim == 2 {
		n /= math.Pi
	}
	if cfg.Scene == Steer && cfg.Dim == 3 {
		n /= math.Pi * 4 / 3
	}
	if cfg.Dim == 2 {
		return cfg.Spread * math.Sqrt(n)
	}
	// The cube root may differ between machines in its last bit; as a float32
	// it does not.
	return cfg.Spread * float64(float32(math.Cbrt(n)))
}

// advance moves the world on by dt seconds, to the given frame, 1 or later: some targets
// disappear, the others take a step, new ones appear.
func (w *world) advance(frame int, dt float64) {
	if w.cfg.Births > 0 {
		r := rng.Stream(w.cfg.Seed, "scenario/death", uint64(frame))
		death := w.cfg.Births / float64(w.cfg.Targets)
		living := w.targets[:0]
		for _, t := range w.targets {
			if r.Float64() >= death {
				living = append(living, t)
			}
		}
		clear(w.targets[len(living):])
		w.targets = living
	}
	if frame >= w.cfg.Still {
		for _, t := range w.targets {
			t.mover.step(w, t, dt)
		}
		if w.flow != nil {
			w.flow.replace(w, dt)
		}
		if w.cfg.Scene == Cells {
			w.divide()
		}
	}
	w.time += dt
	births := rng.Poisson(rng.Stream(w.cfg.Seed, "scenario/birth", uint64(frame)), w.cfg.Births)
	for range births {
		w.targets = append(w.targets, w.newTarget())
	}
}

// newTarget draws the next target, at the start of its way.
func (w *world) newTarget() *target {
	w.lastID++
	cfg := &w.cfg
	r := rng.Stream(cfg.Seed, "scenario/motion", uint64(w.lastID))
	t := &target{id: w.lastID, speed: rng.Uniform(r, cfg.SpeedMin, cfg.SpeedMax), hidden: make([]int, max(1, len(cfg.Sensors)))}
	if n := float64(w.lastID); math.Floor(n*cfg.Fast) > math.Floor((n-1)*cfg.Fast) {
		t.speed = rng.Uniform(rng.Stream(cfg.Seed, "scenario/fast", uint64(w.lastID)), cfg.FastMin, cfg.FastMax)
	}
	if cfg.Features > 0 {
		t.features = normals(rng.Stream(cfg.Seed, "scenario/identity", uint64(w.lastID)), cfg.Features)
	}
	if cfg.Classes > 0 {
		t.class = int32(1 + rng.IntN(rng.Stream(cfg.Seed, "scenario/kind", uint64(w.lastID)), cfg.Classes))
	}
	for _, s := range scenes {
		if s.kind == cfg.Scene {
			s.start(w, t, r)
		}
	}
	return t
}

// normals draws n independent standard normal numbers.
func normals(r *rand.Rand, n int) []float64 {
	list := make([]float64, 0, n+1)
	for len(list) < n {
		a, b := rng.Normal(r)
		list = append(list, a, b)
	}
	return list[:n]
}

// startInBox places t uniformly in the square or cube, or between the distances that
// the scene says, flying anywhere.
func startInBox(w *world, t *target, r *rand.Rand) {
	cfg := &w.cfg
	if cfg.Far == 0 {
		t.pos = inBox(r, cfg.Dim, w.size)
	} else {
		t.pos = inRing(r, cfg.Near, cfg.Far)
		if cfg.Dim == 3 {
			t.pos[2] = rng.Uniform(r, 0, cfg.Far/10)
		}
	}
	for i, x := range direction(r, cfg.Dim) {
		t.vel[i] = float64(t.speed * x)
	}
}
