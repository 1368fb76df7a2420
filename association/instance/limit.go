package instance

import (
	"errors"

	"mtt/gating"
	"mtt/internal/slab"
)

// This file bounds the memory of a problem before it is built.

// ErrLarge says that a problem takes more than [Generator].Limit.
var ErrLarge = errors.New("instance: larger than wanted")

// fits reports whether the problem with these links over misses keeps the limit.
func (k *Generator) fits(gates []gating.CSR, skips []skip) bool {
	return k.Limit.Bytes == 0 || k.Limit.Need(size(gates, skips)) <= k.Limit.Bytes
}

// size counts the arcs of the problem with these links over misses, and the entries of its blocks,
// those that births and deaths have in the first scan included. It takes a look at each arc.
func size(gates []gating.CSR, skips []skip) (arcs, entries int) {
	detections := func(t int) int {
		switch {
		case t < len(gates):
			return gates[t].Rows
		case t > 0:
			return gates[t-1].Cols
		}
		return 0
	}
	in, out := slab.Parts[int32](len(gates)+1, detections), slab.Parts[int32](len(gates)+1, detections) // arcs into and from each detection
	for t := range gates {
		g := &gates[t]
		for i := range g.Rows {
			out[t][i] = int32(g.Ptr[i+1] - g.Ptr[i])
		}
		for _, j := range g.Col {
			in[t+1][j]++
		}
		arcs += len(g.Col)
	}
	for i := range skips {
		l := &skips[i]
		out[l.from.T][l.from.Det]++
		in[l.to.T][l.to.Det]++
		arcs, entries = arcs+l.passed()+1, entries+4*l.passed()
	}
	for t := range gates {
		for i, n := range in[t] {
			entries += int(n+1) * int(out[t][i]+1)
		}
	}
	return arcs, entries
}
