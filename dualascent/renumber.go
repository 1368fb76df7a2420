package dualascent

import "slices"

// This file gives the nodes of frames other numbers. Costs, bounds and prices are the same under any: who
// works on detections sorted by place, say, hands out what is found as if they were not.

// A Renumbering is a frame pair with other numbers for its nodes.
type Renumbering struct {
	FramePair
	Arcs []int32 // Arcs[e] is the arc of the former pair that arc e is

	from      *FramePair
	rows      []int32 // row → former row
	cols      []int32 // column → former column
	of        []int32 // former arc → arc
	in, wasIn columns
}

// Renumber makes row i of g row rows[i], and column j column cols[j]; rows and cols are
// permutations. Arcs stay in order of their columns. It takes time proportional to the arcs, and to
// the square of the arcs of a row.
func (g *FramePair) Renumber(rows, cols []int32) *Renumbering {
	if len(rows) != g.Rows || len(cols) != g.Cols {
		panic(badShape)
	}
	nnz := len(g.Col)
	r := &Renumbering{from: g, rows: inverse(rows), cols: inverse(cols), Arcs: make([]int32, 0, nnz), of: make([]int32, nnz)}
	h := &r.FramePair
	h.Rows, h.Cols, h.Ptr, h.Col, h.Cost = g.Rows, g.Cols, make([]int, g.Rows+1), make([]int32, 0, nnz), make([]float64, nnz)
	for i, was := range r.rows {
		lo := len(h.Col)
		for e := g.Ptr[was]; e < g.Ptr[was+1]; e++ {
			col := cols[g.Col[e]]
			h.Col, r.Arcs = append(h.Col, col), append(r.Arcs, int32(e))
			for k := len(h.Col) - 1; k > lo && h.Col[k-1] > h.Col[k]; k-- {
				h.Col[k-1], h.Col[k] = h.Col[k], h.Col[k-1]
				r.Arcs[k-1], r.Arcs[k] = r.Arcs[k], r.Arcs[k-1]
			}
		}
		h.Ptr[i+1] = len(h.Col)
	}
	for e, was := range r.Arcs {
		h.Cost[e], r.of[was] = g.Cost[was], int32(e)
	}
	h.RowMiss, h.ColMiss = pick(g.RowMiss, r.rows), pick(g.ColMiss, r.cols)
	r.in, r.wasIn = transpose(h), transpose(g)
	return r
}

// Prices are prices of the former pair under the new numbers.
func (r *Renumbering) Prices(p *Prices) Prices {
	return Prices{U: pick(p.U, r.Arcs), V: pick(p.V, r.Arcs), Birth: pick(p.Birth, r.cols), Death: pick(p.Death, r.rows), Col: pick(p.Col, r.cols)}
}

// Next is the part of an answer in the former pair under the new numbers.
func (r *Renumbering) Next(next []int32) []int32 {
	dst := make([]int32, len(next))
	for i, was := range r.rows {
		if dst[i] = next[was]; dst[i] >= 0 {
			dst[i] = r.of[dst[i]]
		}
	}
	return dst
}

// Between is the block b between the former pairs under the new numbers of both.
func (b *Block) Between(left, right *Renumbering) Block {
	if f := b.Differences; f != nil {
		return Block{Differences: &Differences{
			In: pick(f.In, left.Arcs), Out: pick(f.Out, right.Arcs),
			Birth: pick(f.Birth, right.Arcs), Death: pick(f.Death, left.Arcs), Alone: pick(f.Alone, right.rows),
		}}
	}
	c := Block{Ptr: make([]int, 1, len(b.Ptr)), D: make([]float64, 0, len(b.D))}
	for j, was := range right.rows {
		d := b.D[b.Ptr[was]:b.Ptr[was+1]]
		first := right.from.Ptr[was]
		outs := right.Arcs[right.Ptr[j]:right.Ptr[j+1]]
		width := len(outs) + 1
		row := func(d []float64) {
			for _, e := range outs {
				c.D = append(c.D, d[int(e)-first])
			}
			c.D = append(c.D, d[width-1])
		}
		for _, e := range left.in.at(j) {
			k := int(left.wasIn.pos[left.Arcs[e]])
			row(d[k*width : (k+1)*width])
		}
		row(d[len(d)-width:])
		c.Ptr = append(c.Ptr, len(c.D))
	}
	return c
}

// inverse is the permutation that undoes p.
func inverse(p []int32) []int32 {
	q := make([]int32, len(p))
	for i, x := range p {
		q[x] = int32(i)
	}
	return q
}

// pick lists the elements of s at the places given; nil when s is empty, as prices without a block
// are in a certificate.
func pick(s []float64, at []int32) []float64 {
	if len(s) == 0 {
		return nil
	}
	return pickInto(slices.Grow([]float64(nil), len(at)), s, at)
}
