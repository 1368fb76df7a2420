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
	targets []*target // living, in ascending order of id
	lastID  int
}

// A target moves along a curve, in Steer by its helm, in Drift by chance.
type target struct {
	id       int
	speed    float64    // m/s
	pos, vel [3]float64 // m, m/s; the third is 0 in the plane
	curve    curve
	helm     helm
	drift    drift
	hidden   int // frames in which it is still not detected
}

// newWorld fills the first frame.
func newWorld(cfg *Config) *world {
	w := &world{cfg: *cfg, size: sceneSize(cfg)}
	for range cfg.Targets {
		w.targets = append(w.targets, w.newTarget())
	}
	return w
}

// sceneSize is the side of the square or cube of Arena, Cross and Drift, the radius of
// the disc or ball of Steer: with it there is one target per Spread^Dim.
func sceneSize(cfg *Config) float64 {
	n := float64(cfg.Targets)
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

// advance moves the world on to the given frame, 1 or later: some targets
// disappear, the others take a step, new ones appear.
func (w *world) advance(frame int) {
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
	for _, t := range w.targets {
		w.step(t)
	}
	births := rng.Poisson(rng.Stream(w.cfg.Seed, "scenario/birth", uint64(frame)), w.cfg.Births)
	for range births {
		w.targets = append(w.targets, w.newTarget())
	}
}

// step moves t on by one interval.
func (w *world) step(t *target) {
	reach := w.cfg.Interval * t.speed
	if w.cfg.Scene == Steer {
		chord := t.helm.step(&t.pos, w.size, w.cfg.Dim)
		for i := range chord {
			t.pos[i] += float64(reach * chord[i])
			t.vel[i] = t.speed * t.helm.axes[0][i]
		}
		return
	}
	if w.cfg.Scene == Drift {
		t.drift.step(t, w.cfg.Interval, w.cfg.Accel, w.cfg.Dim)
		return
	}
	chord, tangent := t.curve.step(reach)
	for i := range chord {
		t.pos[i] += chord[i]
		t.vel[i] = t.speed * tangent[i]
	}
}

// newTarget draws the next target, at the start of its way.
func (w *world) newTarget() *target {
	w.lastID++
	cfg := &w.cfg
	r := rng.Stream(cfg.Seed, "scenario/motion", uint64(w.lastID))
	t := &target{id: w.lastID, speed: rng.Uniform(r, cfg.SpeedMin, cfg.SpeedMax)}
	switch cfg.Scene {
	case Steer:
		w.startSteer(t, r)
	case Drift:
		w.startDrift(t, r)
	default:
		w.startCurve(t, r)
	}
	return t
}

// startSteer places t uniformly in the disc or ball.
func (w *world) startSteer(t *target, r *rand.Rand) {
	t.pos = inBall(r, w.cfg.Dim, w.size)
	t.helm.draw(r, w.cfg.Dim)
	for i := range t.vel {
		t.vel[i] = t.speed * t.helm.axes[0][i]
	}
}

// startCurve places t on its curve, and the curve in the scene.
func (w *world) startCurve(t *target, r *rand.Rand) {
	t.curve.draw(r, &w.cfg)
	start, tangent := t.curve.start()
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
		ahead := t.curve // walked to the middle and dropped
		for range (w.cfg.Frames - 1) / 2 {
			chord, _ := ahead.step(w.cfg.Interval * t.speed)
			for i := range chord {
				t.pos[i] -= chord[i]
			}
		}
	}
}
