package fpga

import (
	"math"
	"slices"

	"mtt/mapsolver"
	"mtt/mapsolver/fpga/cycle"
)

// This file turns an assignment problem into one of the hardware and its prices
// back.

// A reduction is one problem on its way through the hardware. Its agents are the
// rows and its objects the columns, or the other way round where there are fewer
// columns: agents who are too many outbid each other for as long as rewards last.
type reduction struct {
	p        *mapsolver.Problem // what agents and objects are of
	of       *mapsolver.Problem // what is to be solved: p, or p is its transpose
	flipped  mapsolver.Problem
	owns     []int32 // column of p of each of its rows
	v        []float64
	integral bool
	rowBound []float64 // what staying free costs, finite also for who must be served
	colBound []float64
	scale    float64 // units of reward in a unit of cost
	exact    bool    // the matching that is found is optimal, if it serves who must be served

	agents, objects int // of the problems before this one
}

// begin measures p. It reports false where a number is not finite, or so large that
// sums would not be.
func (d *reduction) begin(p *mapsolver.Problem) bool {
	d.p, d.of, d.integral = p, p, true
	for i, list := range [][]float64{p.Cost, p.RowMiss, p.ColMiss} {
		for _, x := range list {
			if i > 0 && math.IsInf(x, 1) {
				continue
			}
			if !(math.Abs(x) <= mapsolver.MaxMagnitude) {
				return false
			}
			if x != math.Trunc(x) {
				d.integral = false
			}
		}
	}
	return true
}

// flip makes the smaller side the agents.
func (d *reduction) flip() {
	if d.p.Rows > d.p.Cols {
		d.p = mapsolver.Transpose(&d.flipped, d.p)
	}
}

// square says whether there are as many rows as columns, and all must be served.
func (d *reduction) square() bool {
	return d.p.RowMiss == nil && d.p.ColMiss == nil && d.p.Rows == d.p.Cols
}

// bound sets the bounds. Those who must be served get one that makes all their pairs
// worth something, with a margin of that many times the range of what pairs save.
func (d *reduction) bound(margin float64) {
	p := d.p
	d.rowBound, d.colBound = d.rowBound[:0], d.colBound[:0]
	for r := range p.Rows {
		d.rowBound = append(d.rowBound, p.RowBound(r))
	}
	for c := range p.Cols {
		d.colBound = append(d.colBound, p.ColBound(c))
	}
	if d.square() {
		clear(d.colBound) // all are served when all rows are
	}
	finite := func(x float64) float64 {
		if math.IsInf(x, 1) {
			return 0
		}
		return x
	}
	least, most := math.Inf(1), math.Inf(-1)
	for r := range p.Rows {
		row := d.rowBound[r]
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			col := d.colBound[p.Col[e]]
			x := finite(row) + finite(col) - p.Cost[e]
			if math.IsInf(row, 1) || math.IsInf(col, 1) {
				least = min(least, x)
			}
			most = max(most, x)
		}
	}
	if math.IsInf(least, 1) {
		return // nobody must be served
	}
	big := math.Ceil((margin+1)*(max(most, 0)-min(least, 0))) + 1
	for _, list := range [][]float64{d.rowBound, d.colBound} {
		for i, x := range list {
			if math.IsInf(x, 1) {
				list[i] = big
			}
		}
	}
}

// append appends the problem to q as a block of its own, with rewards of at most
// limit, and finds out whether they are exact.
func (d *reduction) append(q *cycle.Problem, limit uint32) {
	p := d.p
	most := 0.0
	for r := range p.Rows {
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			most = max(most, d.saves(r, e))
		}
	}
	d.scale = 1
	d.exact = d.integral
	if d.integral {
		d.scale = float64(min(p.Rows, p.Cols) + 1)
	}
	if top := float64(limit); !d.integral || d.scale*most > top {
		d.exact = most == 0
		if most > 0 {
			d.scale = top / most
		}
	}
	d.agents, d.objects = q.Agents(), q.Objects
	q.Objects += p.Cols
	for r := range p.Rows {
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			if x := d.saves(r, e); x > 0 {
				q.Object = append(q.Object, int32(d.objects)+p.Col[e])
				q.Reward = append(q.Reward, min(max(uint32(math.Round(x*d.scale)), 1), limit))
			}
		}
		q.Ptr = append(q.Ptr, len(q.Object))
	}
}

// saves is what the pair of entry e in row r saves.
func (d *reduction) saves(r, e int) float64 {
	return d.rowBound[r] + d.colBound[d.p.Col[e]] - d.p.Cost[e]
}

// finish turns owners and prices of the block into pairs and column prices, and
// reports whether everybody who must be served is.
func (d *reduction) finish(colOf []int32, v []float64, s *cycle.State) (served bool) {
	if d.p == d.of {
		return d.collect(colOf, v, s)
	}
	d.owns = slices.Grow(d.owns[:0], d.p.Rows)[:d.p.Rows]
	d.v = slices.Grow(d.v[:0], d.p.Cols)[:d.p.Cols]
	served = d.collect(d.owns, d.v, s)
	for r := range colOf {
		colOf[r] = -1
	}
	for c, r := range d.owns {
		if r >= 0 {
			colOf[r] = int32(c)
		}
		// A column is worth what its cheapest row leaves, if that is within its bound.
		v[c] = d.of.ColBound(c)
		for e := d.p.Ptr[c]; e < d.p.Ptr[c+1]; e++ {
			v[c] = min(v[c], d.p.Cost[e]-d.v[d.p.Col[e]])
		}
		if math.IsInf(v[c], 1) {
			v[c] = 0
		}
	}
	return served
}

// collect does this for the problem as the hardware has it.
func (d *reduction) collect(colOf []int32, v []float64, s *cycle.State) (served bool) {
	p := d.p
	for r := range colOf {
		colOf[r] = -1
	}
	served = true
	for c := range p.Cols {
		v[c] = d.colBound[c] - float64(s.Price[d.objects+c])/d.scale
		if d.integral {
			v[c] = math.Floor(v[c])
		}
		if a := s.Owner[d.objects+c]; a >= 0 {
			colOf[int(a)-d.agents] = int32(c)
		} else if p.MustServeCol(c) {
			served = false
		}
	}
	for r, c := range colOf {
		if c < 0 && p.MustServeRow(r) {
			served = false
		}
	}
	return served
}
