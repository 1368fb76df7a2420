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
	w, to := &m.reached, &m.scans[u]
	w.centres, w.radii = w.centres[:0], w.radii[:0]
	for _, a := range prefixes {
		m.state = m.states[a.T][a.Det]
		dt := to.Time - m.scans[a.T].Time
		m.filter.Predict(&m.state, dt, motion.Smooth)
		x, _, variance := m.filter.Position(&m.state)
		if m.filter.Mixture().Any() {
			variance += 9*m.params.Step(dt, motion.Manoeuvre).Q[0] - m.params.Step(dt, motion.Smooth).Q[0] // for the tails
		}
		w.centres = append(w.centres, x[:m.params.Dim]...)
		w.radii = append(w.radii, min(math.Sqrt(g*(variance+m.noise[u])), m.speed*dt+4*math.Sqrt(2*m.noise[u])))
	}
	found, err := w.finder.Within(&w.found, m.params.Dim, w.centres, w.radii, points)
	if err != nil { // a number beyond all measure: nothing is near
		w.found = gating.CSR{Rows: len(prefixes), Cols: len(points) / m.params.Dim, Ptr: make([]int, len(prefixes)+1)}
		return &w.found
	}
	return found
}
