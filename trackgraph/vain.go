package trackgraph

// This file leaves out arcs that no answer needs.
//
// Who takes an arc out of an answer pays no more than the end of its tail, or saves the price of a
// second successor there, and likewise at its head. An arc that costs as much as both is vain:
// without it the answer is no dearer. Where arcs are listed as far as a gate reaches, they are
// many: 4.0 of 10.8 million in BenchmarkSolve.
//
// The proof needs none of them either: where the tail pays of the arc what its end costs, and no
// less than a second successor saves, and the head the rest, then neither is cheaper with it.

// vain knows the vain arcs of a graph.
type vain struct {
	g           *Graph
	last, first []float64 // of each detection: what taking the arc after it, before it, may cost it at most
	tripled     []bool    // arcs in triplets, which are not vain; nil: there are none
}

func newVain(g *Graph) *vain {
	n := g.Detections()
	v := &vain{g: g, last: make([]float64, n), first: make([]float64, n)}
	for d := range n {
		v.last[d] = max(price(g.End, d, 0), -price(g.Divide, d, never))
		v.first[d] = max(price(g.Birth, d, 0), -price(g.Merge, d, never))
	}
	for _, x := range g.Divisions {
		d := g.Tail[x.First]
		v.last[d] = max(v.last[d], -x.Cost)
	}
	if len(g.Triplets) > 0 {
		v.tripled = make([]bool, len(g.Cost))
		for _, x := range g.Triplets {
			v.tripled[x.In], v.tripled[x.Out] = true, true
		}
	}
	return v
}

func (v *vain) is(a int32) bool {
	return v.g.Cost[a] >= v.last[v.g.Tail[a]]+v.first[v.g.Head[a]] && (v.tripled == nil || !v.tripled[a])
}

// without leaves vain arcs out of lists that byNode has made.
func (v *vain) without(ptr, arcs []int32) []int32 {
	kept, from := arcs[:0], int32(0)
	for d := range len(ptr) - 1 {
		list := arcs[from:ptr[d+1]]
		from = ptr[d+1]
		for _, a := range list {
			if !v.is(a) {
				kept = append(kept, a)
			}
		}
		ptr[d+1] = int32(len(kept))
	}
	return kept
}

// prices are those of vain arcs.
func (v *vain) prices(p *Prices) {
	for a := range p.Link {
		if v.is(int32(a)) {
			p.Link[a] = v.last[v.g.Tail[a]]
		}
	}
}
