package refine

import (
	"cmp"
	"slices"
	"sync"

	"mtt/association/chain"
	"mtt/motion"
)

// This file doubts links of a window.
//
// The moves change the links of one scan at a time. Where two targets meet while one of them turns,
// links that are all a little wrong over two or three scans are as likely as they get by that, and
// those that are right are some moves away, the first of which makes things worse. One thing gives
// most of them away: a detection far from where its track was expected. Most of those are of
// targets that do turn; so who doubts only says which tracks to look at together.

// unlikely is the squared Mahalanobis distance from where a smooth step leads that one right link
// in a hundred of a plane exceeds: −2 ln .01.
const unlikely = 9.21

// Doubts implements Window.
func (w *window[S, E]) Doubts(dst []chain.Node, t, from int) []chain.Node {
	var guard sync.Mutex
	w.movers[0].share(len(w.Prev[t]), func(m *mover[S, E], lo, hi int) {
		var list []chain.Node
		for i, p := range w.Prev[t][lo:hi] {
			b := chain.At(t, lo+i)
			if p.T < 0 || !m.misfits(p, b) {
				continue
			}
			n := len(list)
			list = append(list, w.since(b, from))
			for _, a := range [3]chain.Node{w.Prev[p.T][p.Det], p, b} {
				list = m.others(list, a, from)
			}
			if !slices.ContainsFunc(list[n:], func(h chain.Node) bool { return h != list[n] }) {
				list = list[:n] // there is nothing else that it may be
			}
		}
		guard.Lock()
		defer guard.Unlock()
		dst = append(dst, list...)
	})
	slices.SortFunc(dst, func(a, b chain.Node) int { return cmp.Or(cmp.Compare(a.T, b.T), cmp.Compare(a.Det, b.Det)) })
	return slices.Compact(dst)
}

// others appends the first detections, from scan from on, of the tracks that have what the prefix
// that ends with a, if there is one, may go on to in the next scan.
func (m *mover[S, E]) others(dst []chain.Node, a chain.Node, from int) []chain.Node {
	if a.T < 0 || int(a.T)+1 < from || int(a.T) == len(m.gates) {
		return dst
	}
	near := m.nearest(m.reached.chosen[:0], m.gates[a.T].Row(int(a.Det)), a, a.T+1, nextMost)
	for _, j := range near {
		dst = append(dst, m.since(chain.At(a.T+1, j), from))
	}
	m.reached.chosen = near
	return dst
}

// since is the first detection of the track of detection h that is in scan from or a later one.
func (r *refiner[S, E]) since(h chain.Node, from int) chain.Node {
	for p := r.Prev[h.T][h.Det]; int(p.T) >= from; p = r.Prev[h.T][h.Det] {
		h = p
	}
	return h
}

// misfits reports whether detection b is far from where the prefix that ends with a was expected.
func (m *mover[S, E]) misfits(a, b chain.Node) bool {
	scan := &m.scans[b.T]
	m.state = m.states[a.T][a.Det]
	m.filter.Predict(&m.state, scan.Time-m.scans[a.T].Time, motion.Smooth)
	return m.filter.Innovation(&m.state, scan, int(b.Det)).D2 > unlikely
}
