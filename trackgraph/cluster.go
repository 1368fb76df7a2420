package trackgraph

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"mtt/mapsolver"
)

// This file raises the bound of a large problem where it lacks most: around the blocks
// that the last assignment violates.
//
// Take any rows and columns, and the blocks that have both ports among them, as a problem
// of its own in which a row may also take a column outside, at its cost less that
// column's price, and likewise a column. Whatever an answer does, what it pays inside is at
// least the optimum of that problem, and outside at least the prices. So the optima of
// problems that share no port and the prices of all other ports add up to a bound; each
// exceeds the sum of its own prices by its raise. An answer that uses an option outside
// of all of them costs at least that bound and the option's slack; one inside, its
// own raise less, and one from one to another the raises of both.

// A problem of more than largeProblem ports is raised by problems of clusterPorts. Tests make
// both less.
var largeProblem, clusterPorts = 400, 80

// raises are what problems around violated blocks add to the bound.
type raises struct {
	total float64
	at    []int32   // number of a port → problem that it is in; −1: none
	own   []float64 // of each problem
}

// without is less the total of the raises that an option of ports a and b leaves.
func (q *raises) without(a, b int32) float64 {
	if q == nil {
		return 0
	}
	x := -q.total
	if k := q.at[a]; k >= 0 {
		x += q.own[k]
	}
	if k := q.at[b]; k >= 0 && k != q.at[a] {
		x += q.own[k]
	}
	return x
}

// raise grows a problem around each violated block and solves it. Problems are small
// against s.
func (h *search) raise(ctx context.Context, s *state, tiny float64) (*raises, error) {
	p := s.p
	byRow, byCol, violated := s.read(&s.sol, tiny)
	excess := func(b *block) float64 {
		return p.slack(b, p.chosen(b.first, byRow, byCol), p.chosen(b.second, byRow, byCol))
	}
	slices.SortStableFunc(violated, func(a, b *block) int { return -cmp.Compare(excess(a), excess(b)) })
	r := newReduction(s) // only for its names
	q := &raises{at: slices.Repeat([]int32{-1}, p.Rows+p.Cols)}
	for _, b := range violated {
		if q.at[r.number(b.first)] >= 0 || q.at[r.number(b.second)] >= 0 || h.budget <= 0 {
			continue
		}
		k := int32(len(q.own))
		q.own = append(q.own, 0)
		m := s.grow(r, q, k, b)
		st := newState(&m.problem)
		h.parts++
		before := r.value(m)
		found, err := h.resolve(ctx, st, never)
		if errors.Is(err, mapsolver.ErrInfeasible) || math.IsInf(found, 0) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if x := found - before; x > tiny {
			q.own[k] = x
			q.total += x
		}
	}
	return q, nil
}

// grow takes the ports nearest to block b, by the slack of the way there, into problem k,
// and makes it.
func (s *state) grow(r *reduction, q *raises, k int32, b *block) *part {
	p := s.p
	name := func(number int32) port {
		if int(number) >= p.Rows {
			return port(-1 - (number - int32(p.Rows)))
		}
		return port(number)
	}
	var list []int32
	take := func(at port) {
		if n := r.number(at); q.at[n] < 0 {
			q.at[n] = k
			list = append(list, n)
		}
	}
	take(b.first)
	take(b.second)
	type way struct {
		slack float64
		to    int32
	}
	var ways []way // candidates, the cheapest last
	look := func(n int32) {
		at := name(n)
		number := int32(-1)
		if at < 0 {
			number = p.colIn[-1-at]
		} else {
			number = p.rowIn[at]
		}
		if number >= 0 {
			c := &p.blocks[number]
			if q.at[r.number(c.first)] < 0 || q.at[r.number(c.second)] < 0 {
				for _, other := range [2]port{c.first, c.second} {
					if q.at[r.number(other)] < 0 {
						ways = append(ways, way{0, r.number(other)})
					}
				}
			}
		}
		for o := range p.options(at) - 1 {
			e := p.option(at, o)
			other := port(-1 - p.Col[e])
			if at < 0 {
				other = port(p.in.Row[p.in.Ptr[-1-at]+o])
			}
			if q.at[r.number(other)] < 0 {
				ways = append(ways, way{s.reduced(at, o), r.number(other)})
			}
		}
	}
	look(list[0])
	look(list[1])
	for len(list) < clusterPorts && len(ways) > 0 {
		best := 0
		for i := range ways {
			if ways[i].slack < ways[best].slack {
				best = i
			}
		}
		to := ways[best].to
		ways[best] = ways[len(ways)-1]
		ways = ways[:len(ways)-1]
		if q.at[to] >= 0 {
			continue
		}
		take(name(to))
		look(to)
	}
	return s.cut(r, q, k, list)
}

// cut makes the problem of the ports that are listed.
func (s *state) cut(r *reduction, q *raises, k int32, list []int32) *part {
	p := s.p
	m := &part{}
	slices.Sort(list)
	place := make(map[int32]int32, len(list))
	for _, n := range list {
		if int(n) < p.Rows {
			place[n] = int32(len(m.row))
			m.row = append(m.row, n)
		} else {
			place[n] = int32(len(m.col))
			m.col = append(m.col, n-int32(p.Rows))
		}
	}
	m.Rows, m.Cols, m.Ptr = len(m.row), len(m.col), make([]int, 1, len(m.row)+1)
	for _, i := range m.row {
		miss := p.RowMiss[i]
		for e := p.Ptr[i]; e < p.Ptr[i+1]; e++ {
			c := p.Col[e]
			if n := r.number(port(-1 - c)); q.at[n] == k {
				m.Col, m.Cost, m.of = append(m.Col, place[n]), append(m.Cost, p.Cost[e]), append(m.of, int32(e))
			} else {
				miss = min(miss, p.Cost[e]-s.sol.V[c])
			}
		}
		m.Ptr, m.RowMiss = append(m.Ptr, len(m.Col)), append(m.RowMiss, miss)
	}
	for _, j := range m.col {
		miss := p.ColMiss[j]
		for x := p.in.Ptr[j]; x < p.in.Ptr[j+1]; x++ {
			if i := p.in.Row[x]; q.at[i] != k {
				miss = min(miss, p.Cost[p.in.Entry[x]]-s.sol.U[i])
			}
		}
		m.ColMiss = append(m.ColMiss, miss)
	}
	m.index()
	seen := make(map[int32]bool)
	for _, n := range list {
		number := int32(-1)
		if int(n) < p.Rows {
			number = p.rowIn[n]
		} else {
			number = p.colIn[n-int32(p.Rows)]
		}
		if number < 0 || seen[number] {
			continue
		}
		seen[number] = true
		b := &p.blocks[number]
		if q.at[r.number(b.first)] == k && q.at[r.number(b.second)] == k {
			m.cutBlock(s, b, func(at port) port {
				if at < 0 {
					return port(-1 - place[r.number(at)])
				}
				return port(place[r.number(at)])
			})
		}
	}
	m.index()
	return m
}

// cutBlock adds a block. To stay free means to stay free or to take something outside.
func (m *part) cutBlock(s *state, b *block, at func(port) port) {
	p := s.p
	c := block{first: at(b.first), second: at(b.second)}
	groups := func(q, of port) [][]int { // of each option of the part's port: those of the whole's
		list := make([][]int, m.options(q))
		inside := make(map[int32]int)
		for k := range m.options(q) - 1 {
			inside[m.of[m.option(q, k)]] = k
		}
		for k := range p.options(of) {
			to := len(list) - 1
			if e := p.option(of, k); e >= 0 {
				if x, ok := inside[e]; ok {
					to = x
				}
			}
			list[to] = append(list[to], k)
		}
		return list
	}
	first, second := groups(c.first, b.first), groups(c.second, b.second)
	d := p.costs(b)
	w := p.options(b.second)
	for _, is := range first {
		for _, js := range second {
			least := never
			for _, i := range is {
				for _, j := range js {
					x := d[i*w+j]
					if b.u != nil {
						x -= b.u[i] + b.v[j]
					}
					least = min(least, x)
				}
			}
			c.d = append(c.d, max(0, least))
		}
	}
	m.blocks = append(m.blocks, c)
}
