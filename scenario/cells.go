package scenario

// This file moves the cells of Cells, which wander, grow and divide.
//
// A cell takes the steps of Walk. It divides at an age that is uniform in
// Config.Cycle·(1 ± ¼), and those of the first frame have any age up to theirs. Its area grows at
// one rate, so its diameter, and with it the distance of its daughters, is
// Config.Apart·√(age/Config.Cycle). The daughters appear in one frame, in its place, on opposite sides
// of where it would have been, in any direction; it is not there any more.

import (
	"math"
	"math/rand/v2"

	"mtt/internal/rng"
)

// A cell is the source of a cell's steps, and its clock.
type cell struct {
	walk
	age, divides float64 // intervals
}

// startCell places t uniformly in the square or cube.
func startCell(w *world, t *target, r *rand.Rand) {
	startWalk(w, t, r)
	c := &cell{walk: walk{r}, divides: rng.Uniform(r, 0.75, 1.25) * w.cfg.Cycle}
	if w.time == 0 {
		c.age = rng.Uniform(r, 0, c.divides)
	}
	t.mover = c
}

// step implements mover.
func (c *cell) step(w *world, t *target, dt float64) {
	c.walk.step(w, t, dt)
	c.age += dt / w.cfg.Interval
}

// divide puts two daughters in the place of each cell that is old enough.
func (w *world) divide() {
	cfg := &w.cfg
	var daughters []*target
	living := w.targets[:0]
	for _, t := range w.targets {
		c := t.mover.(*cell)
		if c.age < c.divides {
			living = append(living, t)
			continue
		}
		half := cfg.Apart / 2 * math.Sqrt(c.age/cfg.Cycle)
		way := direction(c.r, cfg.Dim)
		for _, side := range [2]float64{half, -half} {
			d := w.newTarget()
			d.parent = t.id
			d.mover.(*cell).age = 0
			for k := range cfg.Dim {
				d.pos[k], _ = fold(t.pos[k]+float64(side*way[k]), w.size)
			}
			daughters = append(daughters, d)
		}
	}
	w.targets = append(living, daughters...)
}

// growth is how many cells become of one in the course of the scene, on average.
func (c *Config) growth() float64 {
	if c.Scene != Cells {
		return 1
	}
	// Powers may differ between machines in their last bit; as float32 they do not.
	return float64(float32(math.Exp2(float64(c.Frames) / c.Cycle)))
}

// Detections is about the number of detections of the scene, false alarms included.
func (c *Config) Detections() float64 {
	d := c.withDefaults()
	return float64(d.Frames) * (float64(d.Targets)*d.growth() + d.Births + d.Clutter + 0.1)
}
