package dualascent

import (
	"math"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file defines the multipliers and the bound that they prove.

// Prices are the multipliers of one gap, and the column prices of its X-LAP.
// Any finite values prove a bound; good ones prove a good bound.
type Prices struct {
	U     []float64 // len nnz: moves cost from the block of an arc's head to the gap
	V     []float64 // len nnz: moves cost from the block of an arc's tail to the gap
	Birth []float64 // len Cols: U of the births
	Death []float64 // len Rows: V of the deaths
	Col   []float64 // len Cols: column prices of the X-LAP
}

// cutPrices cuts the prices of g out of all, which has 2·nnz+2·Cols+Rows
// elements. U and Birth come first, side by side.
func cutPrices(all []float64, g *FramePair) Prices {
	cut := func(n int) []float64 {
		s := all[:n:n]
		all = all[n:]
		return s
	}
	nnz := len(g.Col)
	return Prices{U: cut(nnz), Birth: cut(g.Cols), V: cut(nnz), Death: cut(g.Rows), Col: cut(g.Cols)}
}

// Bound is the lower bound that prices prove for inst: the sum over the gaps of
// the dual value of the X-LAP with these column prices, and over the blocks of
// their minima. Everything is computed afresh from the costs, so the result
// depends on no solver being right. Multipliers without a block, V and Death of
// the first gap and U and Birth of the last, are not read. Prices that are not
// finite prove nothing: −Inf. It costs one look at every cost.
func Bound(inst *Instance, prices []Prices) float64 {
	if len(prices) != len(inst.Pairs) {
		panic(badShape)
	}
	var bound float64
	for p := range inst.Pairs {
		if !prices[p].fits(&inst.Pairs[p]) {
			panic(badShape)
		}
		if !prices[p].finite() {
			return math.Inf(-1)
		}
		bound += inst.pairBound(prices, p)
	}
	for p := range inst.Blocks {
		in := transpose(&inst.Pairs[p])
		bound += inst.blockBound(prices, p, &in)
	}
	return bound
}

// proves is [Bound] of finite prices of the right shape, by all workers, gap by gap.
func (e *engine) proves(prices []Prices) (bound float64) {
	parts := make([]float64, len(e.gaps))
	e.each(func(p int) {
		parts[p] = e.inst.pairBound(prices, p)
		if p > 0 {
			parts[p] += e.inst.blockBound(prices, p-1, &e.gaps[p-1].in)
		}
	})
	for _, x := range parts {
		bound += x
	}
	return bound
}

// pairBound is the part of gap p in [Bound].
func (inst *Instance) pairBound(prices []Prices, p int) (bound float64) {
	g, m := &inst.Pairs[p], prices[p]
	if p == 0 {
		m.V, m.Death = make([]float64, len(g.Col)), make([]float64, g.Rows)
	}
	if p == len(inst.Pairs)-1 {
		m.U, m.Birth = make([]float64, len(g.Col)), make([]float64, g.Cols)
	}
	var few [16]float64 // columns take no memory of their own where gaps are small and many
	price := slab.Grow(few[:0], g.Cols)
	for j := range price {
		price[j] = min(m.Col[j], g.ColMiss[j]+m.Birth[j])
		bound += price[j]
	}
	for i := range g.Rows {
		least := g.RowMiss[i] + m.Death[i]
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			if c := (g.Cost[e] + m.U[e] + m.V[e]) - price[g.Col[e]]; c < least {
				least = c
			}
		}
		bound += least
	}
	return bound
}

// blockBound is the part of block p in [Bound]; in are the arcs of the gap on its left by column.
func (inst *Instance) blockBound(prices []Prices, p int, in *columns) (bound float64) {
	h, b := &inst.Pairs[p+1], &inst.Blocks[p]
	u, v := &prices[p], &prices[p+1]
	if b.Differences != nil {
		return rank(b.Differences, in, h).least(u, v)
	}
	for j := range h.Rows {
		arcs := in.Entry[in.Ptr[j]:in.Ptr[j+1]]
		lo, hi := h.Ptr[j], h.Ptr[j+1]
		width := hi - lo + 1
		least := math.Inf(1)
		for r := 0; r <= len(arcs); r++ {
			ur := u.Birth[j]
			if r < len(arcs) {
				ur = u.U[arcs[r]]
			}
			row := b.D[b.Ptr[j]+r*width:][:width]
			for s, d := range row[:width-1] {
				if c := d - ur - v.V[lo+s]; c < least {
					least = c
				}
			}
			if c := row[width-1] - ur - v.Death[j]; c < least {
				least = c
			}
		}
		bound += least
	}
	return bound
}

// finite reports whether no price is NaN or infinite.
func (m *Prices) finite() bool {
	for _, s := range [...][]float64{m.U, m.V, m.Birth, m.Death, m.Col} {
		for _, x := range s {
			if !(math.Abs(x) <= math.MaxFloat64) {
				return false
			}
		}
	}
	return true
}

// A columns is the column view of a gap: the arcs into node j are
// Entry[Ptr[j]:Ptr[j+1]], by ascending tail.
type columns struct {
	mapsolver.Columns
	pos []int32 // arc → its position among the in-arcs of its head
}

func transpose(g *FramePair) columns {
	c := columns{pos: make([]int32, len(g.Col))}
	c.fill(g)
	return c
}

// fill makes c the view of g.
func (c *columns) fill(g *FramePair) {
	mapsolver.ByColumn(&c.Columns, &mapsolver.Problem{Rows: g.Rows, Cols: g.Cols, Ptr: g.Ptr, Col: g.Col})
	for j := range g.Cols {
		for k, e := range c.Entry[c.Ptr[j]:c.Ptr[j+1]] {
			c.pos[e] = int32(k)
		}
	}
}

// rowOf is the tail of arc a.
func (g *gap) rowOf(a int32) int32 {
	return g.in.Row[g.in.Ptr[g.FramePair.Col[a]]+int(g.in.pos[a])]
}
