package refine

import (
	"math"

	"mtt"
	"mtt/association/chain"
	"mtt/internal/slab"
	"mtt/motion"
)

// This file knows what links cost as they are, while nothing changes.
//
// Problem. A survey of all links asks at each what the track costs as it is, twice, by two steps of the
// filter and two integrals, though most have no alternative but to part.
//
// Idea. Where all steps are smooth, states are expected where the filter has gone through them, and what
// follows is known before that. So there it is asked once, what a link costs as it is: the step to its
// detection, and all that follows. With a detection in its place a track costs the step to
// that, and what follows on the next. Of who has no alternative that is compared with the least that to
// part could cost, which is at hand, and nothing else is asked.
//
// Cost. An innovation and a join for each detection, and two numbers.

// courses are of detection i of scan t.
type courses struct {
	step  [][]float64 // the price of the step to it by motion
	after [][]float64 // of the suffix that begins with it after what comes before it, by motion
}

func newCourses(scans []mtt.Scan) *courses {
	length := func(t int) int { return scans[t].Len() }
	return &courses{slab.Parts[float64](len(scans), length), slab.Parts[float64](len(scans), length)}
}

// note remembers how well a detection fits what comes before it, and how well all does that begins with it.
func (c *courses) note(t, i int, step, after motion.Fit) {
	c.step[t][i], c.after[t][i] = (step.D2+step.Base)/2, (after.D2+after.Base)/2
}

// joinCourse is joinSmooth of prefix a and what follows on it.
func (m *mover[S, E]) joinCourse(a, b chain.Node) float64 {
	return m.courses.after[b.T][b.Det] + m.pair(a, b) + m.run(a, b, math.Inf(1))
}

// seatedCourse is seatedSmooth of the detection that is in a place, which a prefix goes on to.
func (m *mover[S, E]) seatedCourse(at place, d chain.Node) float64 {
	c := m.courses.step[d.T][d.Det] + m.pair(at.from, d) + m.run(at.from, d, math.Inf(1))
	if at.to == chain.None {
		return c + m.death(d)
	}
	return c + m.courses.after[at.to.T][at.to.Det] + m.pair(d, at.to) + m.run(d, at.to, math.Inf(1))
}

// leastBegun is no more than begun.
func (m *mover[S, E]) leastBegun(b chain.Node) float64 {
	return m.filter.LeastFrom(&m.tails[b.T][b.Det], m.suspected(b)) + m.single(b)
}

// leastEmpty is no more than vacant, of a place that a prefix goes on to.
func (m *mover[S, E]) leastEmpty(at place) float64 {
	switch {
	case at.to == chain.None:
		return m.ended(at.from)
	case at.to.T-at.from.T <= m.long:
		least, _ := m.leastVacant(at)
		return least
	}
	return m.ended(at.from) + m.leastBegun(at.to)
}
