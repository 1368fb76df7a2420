package refine

import (
	"math"

	"mtt/association/chain"
	"mtt/gating"
	"mtt/motion"
)

// This file finds the detections that a part of a track may go on to.

// likely is the squared Mahalanobis distance within which successors are sought.
const likely = 25.0

// reached is the workspace of successors.
type reached struct {
	finder         gating.Finder
	found          gating.CSR
	ends           []chain.Node
	centres, radii []float64
	points         []float64
	dets           []int32
}

// hopeful says whether the best of all suffixes that could begin in scan u would be
// cheaper as the continuation of prefix a than on its own.
func (m *mover[S, E]) hopeful(a chain.Node, u int32) bool {
	m.state = m.states[a.T][a.Det]
	m.filter.Predict(&m.state, m.scans[u].Time-m.scans[a.T].Time, motion.Smooth) // no manoeuvre has a higher peak
	return m.filter.Ratio(&m.state) < m.ended(a)+m.birth(u)-m.cheapest(a.T, u)
}

// successors lists, for each prefix, those points of scan u, row-major, that lie near
// enough to where it is expected by then: within the squared Mahalanobis distance g,
// and the greatest speed.
func (m *mover[S, E]) successors(prefixes []chain.Node, u int32, points []float64, g float64) *gating.CSR {
	w := &m.reached
	w.centres, w.radii = w.centres[:0], w.radii[:0]
	for _, a := range prefixes {
		m.state = m.states[a.T][a.Det]
		m.expect(a.T, u, g)
	}
	return m.within(points)
}

// reachable is successors of sprouts, all of which end in one scan.
func (m *mover[S, E]) reachable(from []sprout[S], u int32, points []float64) *gating.CSR {
	w := &m.reached
	w.centres, w.radii = w.centres[:0], w.radii[:0]
	for k := range from {
		m.state = from[k].state
		m.expect(from[k].at.T, u, likely)
	}
	return m.within(points)
}

// expect adds the ball in which m.state, of scan t, may be found in scan u.
func (m *mover[S, E]) expect(t, u int32, g float64) {
	w := &m.reached
	x, radius := m.ball(t, u, g)
	w.centres = append(w.centres, x[:m.params.Dim]...)
	w.radii = append(w.radii, radius)
}

// ball is where m.state, of scan t, may be found in scan u.
func (m *mover[S, E]) ball(t, u int32, g float64) (centre [3]float64, radius float64) {
	dt := m.scans[u].Time - m.scans[t].Time
	m.filter.Predict(&m.state, dt, motion.Smooth)
	centre, _, variance := m.filter.Position(&m.state)
	if m.filter.Mixture().Any() {
		variance += 9*m.params.Step(dt, motion.Manoeuvre).Q[0] - m.params.Step(dt, motion.Smooth).Q[0] // for the tails
	}
	return centre, min(math.Sqrt(g*(variance+m.noise[u])), m.speed*dt+4*math.Sqrt(2*m.noise[u]))
}

// A near is a ball; without a radius it is everywhere.
type near struct {
	centre [3]float64
	square float64 // of the radius
	dim    int     // 0: everywhere
}

// nearby is where prefix a may go on to in scan u, which is next, as far as its state says
// more than the gate: everywhere where it does not.
func (m *mover[S, E]) nearby(a chain.Node, u int32) (n near) {
	if !m.tight || m.Prev[a.T][a.Det] == chain.None {
		return near{}
	}
	m.state = m.states[a.T][a.Det]
	var radius float64
	n.centre, radius = m.ball(a.T, u, likely)
	n.square, n.dim = radius*radius, m.params.Dim
	return n
}

// has reports whether x is in the ball.
func (n *near) has(x []float64) bool {
	var d2 float64
	for k := range n.dim {
		d := x[k] - n.centre[k]
		d2 += d * d
	}
	return n.dim == 0 || d2 <= n.square
}

// within lists the points in each ball.
func (m *mover[S, E]) within(points []float64) *gating.CSR {
	w := &m.reached
	found, err := w.finder.Within(&w.found, m.params.Dim, w.centres, w.radii, points)
	if err != nil { // a number beyond all measure: nothing is near
		w.found = gating.CSR{Rows: len(w.radii), Cols: len(points) / m.params.Dim, Ptr: make([]int, len(w.radii)+1)}
		return &w.found
	}
	return found
}
