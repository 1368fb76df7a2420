package dualascent

import (
	"math"
	"slices"
)

// This file bounds what each decision of an answer is worth: how much dearer, at least, every
// answer is that decides otherwise.
//
// With prices whose bound is LB an answer costs LB and the slacks of what it uses, all of
// them at least 0 (see file reduce.go). One that does not use arc a = (i, j) gives
// another option to the out-side of node i and another one to the in-side of node j. These
// are different options, in different matrices, so it costs at least
//
//	LB + least slack of the other options of i + least slack of the other options of j
//
// and that less the cost of the answer at hand is the margin of a. The slack of an
// option is its reduced cost in the X-LAP and the least that it adds in the blocks at
// its ends, over all partners. These are min-marginals of the dual as it stands; an answer
// without a may be dearer still.

// Margins are proved by Prices alone, whatever the solver did. An element is how much more than the
// answer every answer costs that does something else there: lower bounds, which are negative, by at
// most the gap, where nothing proves that the best answer does as this one; +Inf where there is
// nothing else.
type Margins struct {
	Out [][]float64 // of each frame pair, row: of the arc or the death that the answer has there
	In  [][]float64 // of each frame pair, column: of the arc or the birth; of an arc the same as in Out

	// How much more an answer costs that was found to do something else there; +Inf: none was.
	// nil: nobody looked, see ExactMargins.
	OutMost, InMost [][]float64

	// Variants are the answers that ExactMargins has found, in no particular order; some may be there twice.
	Variants []Variant
}

// A Variant is an answer: where it goes elsewhere than the one at hand, and what it costs more.
type Variant struct {
	Changes []Change
	More    float64
}

// A Change says that row Row of frame pair Pair has arc Arc; -1: it ends.
type Change struct{ Pair, Row, Arc int32 }

// NewMargins computes the margins of an answer of inst that costs upper, from prices, such as
// those of a [Result]. It takes a few looks at every cost. It panics when shapes differ.
func NewMargins(inst *Instance, prices []Prices, next [][]int32, upper float64) *Margins {
	_, m, _ := slackMargins(inst, prices, next, upper)
	return m
}

// slackMargins are those of NewMargins, with the slacks that they are made of, and what the bound
// lacks of upper, 0 or less.
func slackMargins(inst *Instance, prices []Prices, next [][]int32, upper float64) (*slackTable, *Margins, float64) {
	if len(prices) != len(inst.Pairs) || len(next) != len(inst.Pairs) {
		panic(badShape)
	}
	n := len(inst.Pairs)
	t := &slackTable{inst: inst, prices: prices, arc: make([][]float64, n), death: make([][]float64, n), birth: make([][]float64, n)}
	bound := 0.0
	for p := range inst.Pairs {
		if !prices[p].fits(&inst.Pairs[p]) || len(next[p]) != inst.Pairs[p].Rows {
			panic(badShape)
		}
		bound += t.pair(p)
	}
	for p := range inst.Blocks {
		bound += t.block(p)
	}
	m := &Margins{Out: make([][]float64, n), In: make([][]float64, n)}
	for p := range inst.Pairs {
		t.others(m, p, next[p], bound-upper)
	}
	return t, m, bound - upper
}

// nobody says that nobody has found an answer that decides otherwise.
func (m *Margins) nobody() {
	m.OutMost, m.InMost = make([][]float64, len(m.Out)), make([][]float64, len(m.In))
	for p := range m.Out {
		m.OutMost[p] = slices.Repeat([]float64{math.Inf(1)}, len(m.Out[p]))
		m.InMost[p] = slices.Repeat([]float64{math.Inf(1)}, len(m.In[p]))
	}
}

// A slackTable has the least slack of an answer that uses an option.
type slackTable struct {
	inst              *Instance
	prices            []Prices
	arc, death, birth [][]float64 // of each frame pair
}

// of are the prices of frame pair p, with zeros for multipliers that have no block.
func (t *slackTable) of(p int) Prices {
	g, m := &t.inst.Pairs[p], t.prices[p]
	if p == 0 {
		m.V, m.Death = make([]float64, len(g.Col)), make([]float64, g.Rows)
	}
	if p == len(t.inst.Pairs)-1 {
		m.U, m.Birth = make([]float64, len(g.Col)), make([]float64, g.Cols)
	}
	return m
}

// pair computes the reduced costs of frame pair p, and returns its share of the bound.
func (t *slackTable) pair(p int) (bound float64) {
	g, m := &t.inst.Pairs[p], t.of(p)
	t.arc[p], t.death[p], t.birth[p] = make([]float64, len(g.Col)), make([]float64, g.Rows), make([]float64, g.Cols)
	price := make([]float64, g.Cols)
	for j := range price {
		miss := g.ColMiss[j] + m.Birth[j]
		price[j] = min(m.Col[j], miss)
		t.birth[p][j] = miss - price[j]
		bound += price[j]
	}
	for i := range g.Rows {
		miss := g.RowMiss[i] + m.Death[i]
		least := miss
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			t.arc[p][e] = (g.Cost[e] + m.U[e] + m.V[e]) - price[g.Col[e]]
			least = min(least, t.arc[p][e])
		}
		t.death[p][i] = miss - least
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			t.arc[p][e] -= least
		}
		bound += least
	}
	return bound
}

// block adds what block p costs at least with each option, and returns its share of the
// bound.
func (t *slackTable) block(p int) (bound float64) {
	g, h, b := &t.inst.Pairs[p], &t.inst.Pairs[p+1], &t.inst.Blocks[p]
	in := transpose(g)
	u, v := &t.prices[p], &t.prices[p+1]
	var rows, columns, d []float64
	for j := range h.Rows {
		arcs := in.at(j)
		lo, hi := h.Ptr[j], h.Ptr[j+1]
		width := hi - lo + 1
		if b.Differences == nil {
			d = b.D[b.Ptr[j]:b.Ptr[j+1]]
		} else {
			d = b.Differences.matrix(d[:0], arcs, lo, hi, j)
		}
		rows, columns = rows[:0], columns[:0]
		for range width {
			columns = append(columns, math.Inf(1))
		}
		least := math.Inf(1)
		for r := 0; r <= len(arcs); r++ {
			from := u.Birth[j]
			if r < len(arcs) {
				from = u.U[arcs[r]]
			}
			most := math.Inf(1)
			for s := range width {
				to := v.Death[j]
				if s < width-1 {
					to = v.V[lo+s]
				}
				c := d[r*width+s] - from - to
				most, columns[s] = min(most, c), min(columns[s], c)
			}
			rows, least = append(rows, most), min(least, most)
		}
		for r, a := range arcs {
			t.arc[p][a] += rows[r] - least
		}
		t.birth[p][j] += rows[len(arcs)] - least
		for s := range width - 1 {
			t.arc[p+1][lo+s] += columns[s] - least
		}
		t.death[p+1][j] += columns[width-1] - least
		bound += least
	}
	return bound
}

// matrix appends the entries of node j to d: a row for each of its in-arcs and one for
// birth, a column for each out-arc lo ≤ b < hi and one for death.
func (f *Differences) matrix(d []float64, arcs []int32, lo, hi, j int) []float64 {
	for r := 0; r <= len(arcs); r++ {
		a := int32(-1)
		if r < len(arcs) {
			a = arcs[r]
		}
		for b := lo; b < hi; b++ {
			d = append(d, f.cost(j, a, int32(b)))
		}
		d = append(d, f.cost(j, a, -1))
	}
	return d
}

// others fills the margins of frame pair p. spare is what the bound lacks of the answer's
// cost, 0 or less.
func (t *slackTable) others(m *Margins, p int, next []int32, spare float64) {
	g := &t.inst.Pairs[p]
	never := math.Inf(1)
	m.Out[p], m.In[p] = make([]float64, g.Rows), make([]float64, g.Cols)
	into := entering(g, next)
	for j, e := range into { // the other options of columns
		m.In[p][j] = never
		if e >= 0 {
			m.In[p][j] = t.birth[p][j]
		}
	}
	for i := range g.Rows {
		least := never
		if next[i] >= 0 {
			least = t.death[p][i]
		}
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			if x := t.arc[p][e]; int32(e) != next[i] {
				j := g.Col[e]
				least, m.In[p][j] = min(least, x), min(m.In[p][j], x)
			}
		}
		m.Out[p][i] = least
	}
	for i, e := range next {
		if e >= 0 {
			x := m.Out[p][i] + m.In[p][g.Col[e]] + spare
			m.Out[p][i], m.In[p][g.Col[e]] = x, x
		} else {
			m.Out[p][i] += spare
		}
	}
	for j, e := range into {
		if e < 0 {
			m.In[p][j] += spare
		}
	}
}
