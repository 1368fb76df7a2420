package fpga

import (
	"context"
	"math"
	"slices"

	"mtt/mapsolver"
	"mtt/mapsolver/fpga/cycle"
)

// This file starts from prices, forwards and then in reverse.
//
// The bound of package cycle holds when no object is free above the price 0, which
// prices from elsewhere do not promise. Where objects outnumber agents those that
// nobody owns therefore begin at 0 again, and whoever would rather have one of them
// is set free, until all are content; bids then leave no object behind. Where all
// objects may be wanted their prices tell too much to be forgotten. What the run
// leaves free above 0 is then turned around: objects become agents, agents objects,
// and what an agent gains is its price. Those who are free bid, on the same hardware
// with the transposed problem. The forward run has left no agent free who could gain
// anything, so the prices of free agents are 0, and those of others only rise; who
// drops out in the end is an object that nobody gains anything by at the price 0.
// Now the bound holds, with the two sides exchanged [1].
//
// [1] D. P. Bertsekas, D. A. Castañón. A forward/reverse auction algorithm for
// asymmetric assignment problems. Comput. Optim. Appl. 1 (1992), 277–297.

// solveWarm starts from the column prices in s.v and keeps the pairs of dst.ColOf
// where they are within 1 of the best. It leaves pairs and prices in their places
// and reports whether the accelerator had anything to do; if not, they are as good
// as they were.
func (s *Solver) solveWarm(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem) (run bool, err error) {
	d := &s.block
	d.bound(margins[0])
	d.raiseBounds(s.v)
	clearProblem(&s.q)
	d.append(&s.q, s.rewards())
	if err := s.device.check(&s.q); err != nil {
		return true, err
	}
	s.state.Reset(p.Cols)
	for c, v := range s.v {
		x := math.Round((d.colBound[c] - v) * d.scale)
		s.state.Price[c] = uint32(min(max(x, 0), float64(s.rewards())))
	}
	adopt(&s.q, &s.state, dst.ColOf)
	if p.Cols > p.Rows {
		forget(&s.state)
		for release(&s.q, &s.state) {
			forget(&s.state)
		}
	} else {
		release(&s.q, &s.state)
	}
	if slices.Contains(s.q.Idle, false) {
		run = true
		if _, err := s.run(ctx, &s.state, &s.q); err != nil {
			return true, err
		}
	}
	if leftOver(&s.state) {
		run = true
		s.transpose()
		if _, err := s.run(ctx, &s.rows, &s.t); err != nil {
			return true, err
		}
		s.turnBack()
	}
	if !run {
		return false, nil
	}
	dst.ColOf = slices.Grow(dst.ColOf[:0], p.Rows)[:p.Rows]
	if !d.finish(dst.ColOf, s.v, &s.state) {
		return true, s.solveCold(ctx, dst, p)
	}
	return true, nil
}

// raiseBounds raises the bounds of those who must be served until the prices v mean
// something to them. It may shift v, where all columns must be served.
func (d *reduction) raiseBounds(v []float64) {
	p := d.p
	if d.square() {
		most := slices.Max(v)
		for c := range v {
			v[c] -= most
		}
	}
	for c := range v {
		if p.MustServeCol(c) {
			d.colBound[c] = max(d.colBound[c], math.Ceil(v[c]))
		}
	}
	for r := range p.Rows {
		if !p.MustServeRow(r) || p.Ptr[r] == p.Ptr[r+1] {
			continue
		}
		least, dearest := math.Inf(1), math.Inf(-1)
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			x := p.Cost[e] - v[p.Col[e]]
			least, dearest = min(least, x), max(dearest, x)
		}
		d.rowBound[r] = max(d.rowBound[r], math.Ceil(2*dearest-least)+1)
	}
}

// adopt makes the hinted pairs owners, where they are pairs at all, and lets nobody
// bid.
func adopt(q *cycle.Problem, s *cycle.State, hint []int32) {
	q.Idle = slices.Grow(q.Idle[:0], q.Agents())[:q.Agents()]
	for a := range q.Idle {
		q.Idle[a] = true
		if len(hint) != q.Agents() || hint[a] < 0 || int(hint[a]) >= q.Objects || s.Owner[hint[a]] >= 0 {
			continue
		}
		if _, ok := slices.BinarySearch(q.Object[q.Ptr[a]:q.Ptr[a+1]], hint[a]); ok {
			s.Owner[hint[a]] = int32(a)
		}
	}
}

// release lets agents bid who gain more than 1 by another object than by their own,
// or anything where they have none, and reports whether there were any.
func release(q *cycle.Problem, s *cycle.State) (more bool) {
	for a := range q.Idle {
		if !q.Idle[a] {
			continue
		}
		best, here := int64(0), int64(-1)
		own := int32(-1)
		for e := q.Ptr[a]; e < q.Ptr[a+1]; e++ {
			j := q.Object[e]
			x := int64(q.Reward[e]) - int64(s.Price[j])
			best = max(best, x)
			if s.Owner[j] == int32(a) {
				own, here = j, x
			}
		}
		if own < 0 && best > 0 || own >= 0 && (here < 0 || here+1 < best) {
			q.Idle[a], more = false, true
			if own >= 0 {
				s.Owner[own] = -1
			}
		}
	}
	return more
}

// forget makes objects that nobody owns cost nothing.
func forget(s *cycle.State) {
	for j, a := range s.Owner {
		if a < 0 {
			s.Price[j] = 0
		}
	}
}

// leftOver reports whether an object is free above the price 0.
func leftOver(s *cycle.State) bool {
	for j, a := range s.Owner {
		if a < 0 && s.Price[j] > 0 {
			return true
		}
	}
	return false
}

// transpose makes s.t and s.rows of s.q and s.state: what agents gain is their price.
func (s *Solver) transpose() {
	q, t := &s.q, &s.t
	s.at = slices.Grow(s.at[:0], q.Objects+1)[:q.Objects+1]
	clear(s.at)
	for _, j := range q.Object {
		s.at[j+1]++
	}
	clearProblem(t)
	t.Objects = q.Agents()
	for j := range q.Objects {
		s.at[j+1] += s.at[j]
		t.Ptr = append(t.Ptr, s.at[j+1])
		t.Idle = append(t.Idle, s.state.Owner[j] >= 0)
	}
	t.Object = slices.Grow(t.Object, len(q.Object))[:len(q.Object)]
	t.Reward = slices.Grow(t.Reward, len(q.Object))[:len(q.Object)]
	s.rows.Reset(q.Agents())
	for a := range q.Agents() {
		for e := q.Ptr[a]; e < q.Ptr[a+1]; e++ {
			j := q.Object[e]
			t.Object[s.at[j]], t.Reward[s.at[j]] = int32(a), q.Reward[e]
			s.at[j]++
			if s.state.Owner[j] == int32(a) {
				s.rows.Owner[a], s.rows.Price[a] = j, q.Reward[e]-min(q.Reward[e], s.state.Price[j])
			}
		}
	}
}

// turnBack makes s.state of s.rows: objects cost what their owners do not gain.
func (s *Solver) turnBack() {
	s.state.Reset(s.q.Objects)
	for a, j := range s.rows.Owner {
		if j < 0 {
			continue
		}
		lo, hi := s.q.Ptr[a], s.q.Ptr[a+1]
		k := slices.Index(s.q.Object[lo:hi], j)
		s.state.Owner[j] = int32(a)
		s.state.Price[j] = s.q.Reward[lo+k] - min(s.q.Reward[lo+k], s.rows.Price[a])
	}
}
