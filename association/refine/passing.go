package refine

import (
	"math"

	"mtt/association/chain"
)

// This file knows how far the links of a scan go.
//
// Problem. A cut between two scans concerns the parts of tracks that meet there or pass it, from as
// many scans before and after as a link may reach over. Where a few targets are followed for long
// nearly all links go to the next scan, and to look at each detection of these scans takes nearly
// all the time.
//
// Idea. Of each scan the farthest scan that its links go to is known, and the farthest that links
// to it come from: if that is not beyond the cut, none of its detections takes part.

// passing is how far links go. In windows it is nil, and nothing is known.
type passing struct {
	to   []int32 // of scan t: the last one that a link from it goes to; endless: a track ends in it
	from []int32 // of scan t: the first one that a link to it comes from; −1: a track begins in it
}

// endless is beyond all scans; stale is of a scan of which a link has changed since.
const endless, stale = math.MaxInt32, math.MinInt32

// newPassing is how far links go.
func newPassing(links *chain.Links) *passing {
	p := &passing{make([]int32, len(links.Next)), make([]int32, len(links.Prev))}
	for t := range p.to {
		p.to[t], p.from[t] = goesTo(links.Next[t]), comesFrom(links.Prev[t])
	}
	return p
}

// goesTo is the last scan of nodes that follow on those of a scan.
func goesTo(next []chain.Node) (last int32) {
	for _, n := range next {
		if n == chain.None {
			return endless
		}
		last = max(last, n.T)
	}
	return last
}

// comesFrom is the first scan of nodes before those of a scan.
func comesFrom(prev []chain.Node) (first int32) {
	first = endless
	for _, n := range prev {
		first = min(first, n.T)
	}
	return first
}

// passes reports whether a track of scan u ends there, or goes on after scan t.
func (r *refiner[S, E]) passes(u, t int32) bool {
	p := r.passing
	if p == nil {
		return true
	}
	if p.to[u] == stale {
		p.to[u] = goesTo(r.Next[u])
	}
	return p.to[u] > t
}

// passed reports whether a track of scan v begins there, or comes from before scan t.
func (r *refiner[S, E]) passed(v, t int32) bool {
	p := r.passing
	if p == nil {
		return true
	}
	if p.from[v] == stale {
		p.from[v] = comesFrom(r.Prev[v])
	}
	return p.from[v] < t
}

// relinked says that a link from scan t to scan u has changed.
func (p *passing) relinked(t, u int32) {
	if p != nil {
		p.to[t], p.from[u] = stale, stale
	}
}
