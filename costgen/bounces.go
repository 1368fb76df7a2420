package costgen

import (
	"mtt"
	"mtt/motion"
)

// This file learns from tracks how many of their manoeuvres are bounces.

// FitBounces estimates BounceProb and OtherProb from tracks, the other levels being those of m,
// which has manoeuvres: a step counts as what it most likely is, until the counts stay. It returns
// m with these, and by how many nats it makes tracks likelier; nil where there is nothing to go by,
// where steps are not of motion.Velocity, or where detections tell their noise. It leaves m alone,
// and takes a few filters along some 3000 hits.
func FitBounces(m *Levels, tracks []mtt.Track, time func(frame int) float64) (fitted *Levels, gain float64) {
	const rounds = 5
	if m.ManoeuvreProb == 0 || m.motion() != motion.Model(motion.Velocity{}) {
		return nil, 0
	}
	f := gather(m, tracks, time, enough)
	if f.hits == 0 || !f.usable() || f.general || m.General() {
		return nil, 0
	}
	g := *m
	g.BounceProb, g.OtherProb = 0, 0
	plain, counts := f.count(&g)
	fitted, g.BounceProb = new(Levels), g.ManoeuvreProb/2
	g.OtherProb = g.BounceProb
	least := plain
	for range rounds {
		cost, of := f.count(&g)
		if cost < least {
			*fitted, least = g, cost
		}
		if of == counts {
			break
		}
		counts = of
		all := float64(of[motion.Smooth]+of[motion.Manoeuvre]+of[motion.Bounce]) + 1.5
		g.BounceProb = (float64(of[motion.Bounce]) + 0.5) / all
		g.OtherProb = (float64(of[motion.Manoeuvre]) + 0.5) / all
	}
	if least == plain {
		return nil, 0
	}
	return fitted, plain - least
}

// count is the negative log likelihood of all paths as those who follow whole tracks price it, and
// how many steps were of each kind.
func (f *filter) count(m *Levels) (cost float64, kinds [motion.Bounce + 1]int) {
	params := m.TrackParams(f.dim)
	run := motion.NewRunner(motion.Filter[motion.State, motion.Information](motion.NewAxes(params)), params)
	var s motion.State
	usual := m.Usual()
	for n := range f.paths {
		t := &f.paths[n]
		run.Start(&s, &t.scan, 0)
		for h, dt := range t.dt {
			price, kind := run.Price(&s, dt, &t.scan, h+1)
			run.Take(&s, &t.scan, h+1, kind)
			cost += price - usual
			kinds[kind]++
		}
	}
	return cost, kinds
}
