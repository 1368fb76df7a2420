package dualascent

import (
	"errors"
	"fmt"
	"math"

	"mtt/internal/slab"
)

// This file defines the instance, checks it, and prices an assignment.

// A FramePair holds the arcs between the nodes of one frame (rows) and the next
// (columns).
type FramePair struct {
	Rows, Cols int
	Ptr        []int     // len Rows+1: row i holds the arcs Ptr[i]..Ptr[i+1]-1
	Col        []int32   // len nnz, strictly ascending in each row
	Cost       []float64 // len nnz, finite
	RowMiss    []float64 // len Rows: cost of a death; +Inf forbids it
	ColMiss    []float64 // len Cols: cost of a birth; +Inf forbids it
}

// A Block holds the triplet costs at the nodes of one interior frame. With
// in = the number of in-arcs of node j (ordered by their tail) and out = the
// number of its out-arcs, D[Ptr[j]:Ptr[j+1]] is the row-major matrix of
// (in+1)×(out+1) costs; its last row is "j is born here", its last column
// "j dies here". +Inf forbids a combination.
//
// Where Differences is not nil it says the costs, and Ptr and D are not read.
type Block struct {
	Ptr []int // len nodes+1
	D   []float64

	Differences *Differences
}

// An Instance is a multi-frame assignment problem. Blocks[p] stands between
// Pairs[p] and Pairs[p+1]. Slices are read, never changed, and kept only during
// a call.
type Instance struct {
	Pairs  []FramePair
	Blocks []Block // len max(0, len(Pairs)-1)
}

// ErrInfeasible says that no assignment of finite cost exists.
var ErrInfeasible = errors.New("dualascent: no assignment of finite cost")

// Arcs is the number of arcs of all frame pairs.
func (inst *Instance) Arcs() int {
	n := 0
	for p := range inst.Pairs {
		n += len(inst.Pairs[p].Col)
	}
	return n
}

// Triplets is the number of pairs of an in-arc and an out-arc of one node.
func (inst *Instance) Triplets() int {
	n := 0
	for p := range inst.Blocks {
		g, h := &inst.Pairs[p], &inst.Pairs[p+1]
		for _, j := range g.Col {
			n += h.Ptr[j+1] - h.Ptr[j]
		}
	}
	return n
}

// Validate reports the first thing wrong with inst: shapes that do not fit,
// columns out of order, costs that are NaN or −Inf, an arc cost that is not
// finite. It runs in time proportional to the size of inst.
func (inst *Instance) Validate() error {
	if want := max(0, len(inst.Pairs)-1); len(inst.Blocks) != want {
		return fmt.Errorf("dualascent: %d gaps need %d blocks, got %d", len(inst.Pairs), want, len(inst.Blocks))
	}
	for p := range inst.Pairs {
		if err := inst.Pairs[p].validate(); err != nil {
			return fmt.Errorf("dualascent: gap %d: %w", p, err)
		}
	}
	for p := range inst.Blocks {
		if err := inst.Blocks[p].validate(&inst.Pairs[p], &inst.Pairs[p+1]); err != nil {
			return fmt.Errorf("dualascent: block %d: %w", p, err)
		}
	}
	return nil
}

func (g *FramePair) validate() error {
	if len(g.Ptr) != g.Rows+1 || g.Ptr[0] != 0 || g.Ptr[g.Rows] != len(g.Col) ||
		len(g.Cost) != len(g.Col) || len(g.RowMiss) != g.Rows || len(g.ColMiss) != g.Cols {
		return errors.New("slices differ in length")
	}
	for i := range g.Rows {
		last := int32(-1)
		if g.Ptr[i] > g.Ptr[i+1] || g.Ptr[i+1] > len(g.Col) {
			return fmt.Errorf("row %d: pointers decrease", i)
		}
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			if j := g.Col[e]; j <= last || int(j) >= g.Cols {
				return fmt.Errorf("row %d: column %d is out of order or out of range", i, j)
			}
			last = g.Col[e]
			if c := g.Cost[e]; math.IsNaN(c) || math.IsInf(c, 0) {
				return fmt.Errorf("row %d, column %d: cost is %v", i, last, c)
			}
		}
	}
	for i, c := range g.RowMiss {
		if math.IsNaN(c) || math.IsInf(c, -1) {
			return fmt.Errorf("row %d: miss cost is %v", i, c)
		}
	}
	for j, c := range g.ColMiss {
		if math.IsNaN(c) || math.IsInf(c, -1) {
			return fmt.Errorf("column %d: miss cost is %v", j, c)
		}
	}
	return nil
}

func (b *Block) validate(left, right *FramePair) error {
	if left.Cols != right.Rows {
		return fmt.Errorf("%d columns on its left, %d rows on its right", left.Cols, right.Rows)
	}
	if b.Differences != nil {
		return b.Differences.validate(left, right)
	}
	n := right.Rows
	if len(b.Ptr) != n+1 || b.Ptr[0] != 0 || b.Ptr[n] != len(b.D) {
		return errors.New("slices differ in length")
	}
	in := make([]int, n)
	for _, j := range left.Col {
		in[j]++
	}
	for j := range n {
		if w := (in[j] + 1) * (right.Ptr[j+1] - right.Ptr[j] + 1); b.Ptr[j+1]-b.Ptr[j] != w {
			return fmt.Errorf("node %d: %d costs, want %d", j, b.Ptr[j+1]-b.Ptr[j], w)
		}
	}
	for e, c := range b.D {
		if math.IsNaN(c) || math.IsInf(c, -1) {
			return fmt.Errorf("entry %d: cost is %v", e, c)
		}
	}
	return nil
}

// Cost is the objective of an assignment: next[p][i] is the arc of gap p that
// leaves node i, or -1 for a death. It is +Inf when next uses a forbidden
// combination. It panics when next has the wrong shape, an arc does not leave its
// node, or two arcs enter one.
func (inst *Instance) Cost(next [][]int32) float64 {
	if len(next) != len(inst.Pairs) {
		panic(badShape)
	}
	var sum, comp float64
	add := func(c float64) { // Neumaier's compensated sum
		t := sum + c
		if math.IsInf(t, 0) {
			sum, comp = t, 0
			return
		}
		if math.Abs(sum) >= math.Abs(c) {
			comp += (sum - t) + c
		} else {
			comp += (c - t) + sum
		}
		sum = t
	}
	var in, into []int32 // position of the chosen in-arc among those of node j, and that arc; -1: born
	var seen, chosen, arc []int32
	for p := range inst.Pairs {
		g := &inst.Pairs[p]
		if len(next[p]) != g.Rows {
			panic(badShape)
		}
		for i, e := range next[p] {
			out := g.Ptr[i+1] - g.Ptr[i]
			if e >= 0 {
				if int(e) < g.Ptr[i] || int(e) >= g.Ptr[i+1] {
					panic(badArc)
				}
				add(g.Cost[e])
				out = int(e) - g.Ptr[i]
			} else {
				add(g.RowMiss[i])
			}
			if p > 0 && inst.Blocks[p-1].Differences != nil {
				add(inst.Blocks[p-1].Differences.cost(i, into[i], e))
			} else if p > 0 {
				b := &inst.Blocks[p-1]
				width := g.Ptr[i+1] - g.Ptr[i] + 1
				row := int(in[i])
				if row < 0 {
					row = (b.Ptr[i+1]-b.Ptr[i])/width - 1
				}
				add(b.D[b.Ptr[i]+row*width+out])
			}
		}
		seen = slab.Grow(seen, g.Cols) // in-arcs met so far, over all rows
		clear(seen)
		chosen, arc = slab.Grow(chosen, g.Cols), slab.Grow(arc, g.Cols)
		slab.Fill(chosen, -1)
		slab.Fill(arc, -1)
		for i := range g.Rows {
			for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
				j := g.Col[e]
				if next[p][i] == int32(e) {
					if chosen[j] >= 0 {
						panic(badTwice)
					}
					chosen[j], arc[j] = seen[j], int32(e)
				}
				seen[j]++
			}
		}
		for j, k := range chosen {
			if k < 0 {
				add(g.ColMiss[j])
			}
		}
		in, into, chosen, arc = chosen, arc, in, into
	}
	return sum + comp
}

const (
	badShape    = "dualascent: slices differ in length"
	badMomentum = "dualascent: Momentum must be below 1"
	badArc      = "dualascent: an arc does not leave its node"
	badTwice    = "dualascent: a node has two in-arcs"
)
