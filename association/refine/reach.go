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
	gains, spares  []float64 // of the ends: what a join saves at most; of the points: what of it they forgo
	centres, radii []float64
	points         []float64
	dets           []int32
	choices        []choice
	chosen         []int32
	pairs          []int64 // of prefixes and suffixes, by their detections
}

// hopeful says whether the best of all suffixes that could begin in scan u would be cheaper as the
// continuation of prefix a than on its own, and by how much. Where it is, m.state is that of gain.
func (m *mover[S, E]) hopeful(a chain.Node, u int32) (gain float64, ok bool) {
	if h, known := m.lastHope(a); known && u > h {
		return 0, false
	}
	gain = m.gain(a, u)
	return gain, gain > 0
}

// lastHope is the last scan in which prefix a is hopeful, or the next one, as far as that is known.
// Of most false alarms there is none, which is asked once for each state, and remembered but in
// windows, where what ends cost changes.
func (m *mover[S, E]) lastHope(a chain.Node) (u int32, known bool) {
	stamp := m.stamp[a.T][a.Det]
	if m.hopes == nil || stamp >= m.clock { // what changes now may change again
		return 0, false
	}
	remembered := &m.hopes[a.T][a.Det]
	h := remembered.Load()
	if h>>32 != stamp+1 {
		last := min(a.T+m.reach, int32(len(m.scans)-1))
		for last > a.T+1 && m.gain(a, last) <= 0 {
			last--
		}
		h = (stamp+1)<<32 | int64(last)
		remembered.Store(h) // others would store the same
	}
	return int32(h), true
}

// hope is the last scan in which a prefix is hopeful: one of loose ends, unless any will do;
// endless: it is not known.
func (m *mover[S, E]) hope(prefixes []chain.Node, any bool) (last int32) {
	for _, a := range prefixes {
		if !any && m.Next[a.T][a.Det] != chain.None {
			continue
		}
		h, known := m.lastHope(a)
		if !known {
			return endless
		}
		last = max(last, h)
	}
	return last
}

// gain is by how much the best of all suffixes that could begin in scan u is cheaper as the
// continuation of prefix a than on its own. It leaves m.state predicted to that scan.
func (m *mover[S, E]) gain(a chain.Node, u int32) float64 {
	m.state = m.states[a.T][a.Det]
	m.filter.Predict(&m.state, m.scans[u].Time-m.scans[a.T].Time, motion.Smooth) // no manoeuvre has a higher peak
	return m.ended(a) + m.dearest(u) - m.cheapest(a.T, u) - m.filter.Ratio(&m.state)
}

// dearest is the most that it costs a suffix to begin in scan u on its own, but for what it says of itself.
func (m *mover[S, E]) dearest(u int32) float64 {
	if int(u) == m.origin {
		return m.rarest + m.first
	}
	return m.rarest + m.born
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
	m.filter.Predict(&m.state, m.scans[u].Time-m.scans[t].Time, motion.Smooth)
	m.expected(t, u, g)
}

// expected is expect where m.state is predicted to scan u already.
func (m *mover[S, E]) expected(t, u int32, g float64) {
	w := &m.reached
	x, radius := m.predictedBall(t, u, g)
	w.centres = append(w.centres, x[:m.params.Dim]...)
	w.radii = append(w.radii, m.slow(radius, t, u))
}

// ball is where m.state, of scan t, may be found in scan u: no farther than speed allows.
func (m *mover[S, E]) ball(t, u int32, g float64) (centre [3]float64, radius float64) {
	centre, radius = m.likelyBall(t, u, g)
	return centre, m.slow(radius, t, u)
}

// slow is a radius about a state of scan t in scan u as far as speed allows.
func (m *mover[S, E]) slow(radius float64, t, u int32) float64 {
	return min(radius, m.speed*(m.scans[u].Time-m.scans[t].Time)+4*math.Sqrt(2*m.noise[u])+m.leap())
}

// likelyBall is ball at any speed: that to the next scan is for the gate to limit, which may be one
// of somebody's own.
func (m *mover[S, E]) likelyBall(t, u int32, g float64) (centre [3]float64, radius float64) {
	m.filter.Predict(&m.state, m.scans[u].Time-m.scans[t].Time, motion.Smooth)
	return m.predictedBall(t, u, g)
}

// predictedBall is likelyBall where m.state is predicted to scan u already.
func (m *mover[S, E]) predictedBall(t, u int32, g float64) (centre [3]float64, radius float64) {
	dt := m.scans[u].Time - m.scans[t].Time
	centre, _, variance := m.filter.Position(&m.state)
	if m.filter.Mixture().Any() {
		variance += 9*m.params.Step(dt, motion.Manoeuvre).Q[0] - m.params.Step(dt, motion.Smooth).Q[0] // for the tails
	}
	if m.filter.Jumps() {
		variance += m.params.JumpStd * m.params.JumpStd
	}
	return centre, math.Sqrt(g * (variance + m.noise[u]))
}

// leap is how far a position may jump.
func (m *mover[S, E]) leap() float64 {
	if !m.filter.Jumps() {
		return 0
	}
	return math.Sqrt(likely) * m.params.JumpStd
}

// In a window a part of a track may go on to so many detections of the next scan, and so many
// of a later one. It takes half the time of letting it go on to any, and scenes with a
// third of false alarms are tracked as well.
const nextMost, gapMost = 5, 3

// A choice is something by its number and its cost.
type choice struct {
	cost float64
	of   int32
}

// keep puts a choice into a list of at most most, the cheapest first; of equals who came
// first stays first.
func keep(list []choice, most int, c choice) []choice {
	if len(list) == most {
		if c.cost >= list[most-1].cost {
			return list
		}
		list = list[:most-1]
	}
	list = append(list, c)
	n := len(list) - 1
	for ; n > 0 && c.cost < list[n-1].cost; n-- {
		list[n] = list[n-1]
	}
	list[n] = c
	return list
}

// beyond is the squared Mahalanobis distance from which on a detection of the next scan is no
// candidate for a part of a track: it costs 50 nat, more than to end one track and begin another.
const beyond = 4 * likely

// nearest appends those of dets, detections of scan u, that prefix a may go on to, by what its
// state says: of a window the most nearest to where it is expected, inside the ball, else all.
func (m *mover[S, E]) nearest(dst, dets []int32, a chain.Node, u int32, most int) []int32 {
	if !m.tight || len(dets) == 0 {
		return append(dst, dets...)
	}
	var centre [3]float64
	var radius float64
	if m.state = m.states[a.T][a.Det]; u == a.T+1 {
		centre, radius = m.likelyBall(a.T, u, beyond)
	} else {
		centre, radius = m.ball(a.T, u, likely)
	}
	list := m.reached.choices[:0]
	for _, det := range dets {
		d2 := 0.0
		for k, x := range m.scans[u].At(int(det)) {
			d2 += (x - centre[k]) * (x - centre[k])
		}
		if d2 > radius*radius {
			continue
		}
		list = keep(list, most, choice{d2, det})
	}
	m.reached.choices = list
	for _, c := range list {
		dst = append(dst, c.of)
	}
	return dst
}

// An onto lists the detections of the next scan that a state may go on to, as nearest found them.
type onto struct {
	known bool
	count uint8
	of    [nextMost]int32
	least [nextMost]float64 // no more than the price of each by motion
	most  [nextMost]float64 // and no less
}

// boundsNext are bounds of the price of detection b of the next scan after prefix a by motion, if
// they are remembered; ±Inf: they are not.
func (m *mover[S, E]) boundsNext(a, b chain.Node) (least, most float64) {
	if m.tight {
		if o := &m.records[a.T][a.Det].onto; o.known {
			for k, j := range o.of[:o.count] {
				if j == b.Det {
					return o.least[k], o.most[k]
				}
			}
		}
	}
	return math.Inf(-1), math.Inf(1)
}

// leastNext is the lower one of boundsNext.
func (m *mover[S, E]) leastNext(a, b chain.Node) float64 {
	least, _ := m.boundsNext(a, b)
	return least
}

// next appends the detections of the next scan, inside the gate, that prefix a may go on to, as
// some would; a window looks once for each state.
func (m *mover[S, E]) next(dst []int32, a chain.Node) []int32 {
	dets := m.gates[a.T].Row(int(a.Det))
	if !m.tight || len(dets) < 2 {
		return m.some(dst, dets, a, a.T+1, nextMost)
	}
	o := &m.records[a.T][a.Det].onto
	if !o.known {
		o.known, o.count = true, uint8(len(m.nearest(o.of[:0], dets, a, a.T+1, nextMost)))
		m.filter.Look(&m.ahead.Ahead, &m.states[a.T][a.Det], m.scans[a.T+1].Time-m.scans[a.T].Time)
		m.ahead.scan = -1
		for k, j := range o.of[:o.count] {
			o.least[k], o.most[k] = m.filter.BoundsAhead(&m.ahead.Ahead, &m.scans[a.T+1], int(j))
		}
	}
	return append(dst, o.of[:o.count]...)
}

// some is nearest, in any order, of dets that of later scans lie inside the ball: nobody looks
// where those are few, or the only one of the next scan is what follows now.
func (m *mover[S, E]) some(dst, dets []int32, a chain.Node, u int32, most int) []int32 {
	if u > a.T+1 && len(dets) <= most || len(dets) == 1 && m.Next[a.T][a.Det] == chain.At(u, int(dets[0])) {
		return append(dst, dets...)
	}
	return m.nearest(dst, dets, a, u, most)
}

// within lists the points in each ball.
func (m *mover[S, E]) within(points []float64) *gating.CSR {
	w := &m.reached
	w.finder.K, w.finder.Few = gating.InSight, gating.InCrowd
	found, err := w.finder.Within(&w.found, m.params.Dim, w.centres, w.radii, points)
	if err != nil { // a number beyond all measure, or the end, of which weigh tells: nothing is near
		w.found = gating.CSR{Rows: len(w.radii), Cols: len(points) / m.params.Dim, Ptr: make([]int, len(w.radii)+1)}
		return &w.found
	}
	return found
}
