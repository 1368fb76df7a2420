package dualascent

import (
	"math"
	"slices"

	"mtt/internal/forest"
)

// This file says where the answer of a result may not be the best.

// Unproved says of each node of inst, frame by frame, whether the answer of res may not be the
// best there; nil: it is proved everywhere.
//
// An answer that is no dearer uses no arc whose slack is more than the gap (see file margins.go).
// The other arcs join nodes to components, and the gap is the sum of theirs. Nodes are open where
// that of their component is more than rounding; with what any best answer does there in place of
// the one at hand, and the rest as it is, that is as good. All nodes are open where prices are not
// finite or triplet costs are differences. It panics when shapes differ, and takes a few looks at
// every cost.
func Unproved(inst *Instance, res *Result) [][]bool {
	n := len(inst.Pairs)
	if n == 0 {
		return nil
	}
	slacks, _, lacks := slackMargins(inst, res.Prices, res.Next, res.UpperBound)
	if -lacks <= optimalGap*math.Abs(res.UpperBound) {
		return nil
	}
	first := make([]int, n+2) // of each frame: number of its first node
	for f := range n + 1 {
		first[f+1] = first[f] + inst.frameNodes(f)
	}
	joined := forest.New(first[n+1])
	for p := range inst.Pairs {
		g := &inst.Pairs[p]
		for i := range g.Rows {
			for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
				if slacks.arc[p][e] <= -lacks || res.Next[p][i] == int32(e) {
					joined.Join(int32(first[p]+i), int32(first[p+1])+g.Col[e])
				}
			}
		}
	}
	label := joined.Labels()
	count := slices.Max(label) + 1 // of components
	s := &split{inst: inst, parts: 1, comps: []int32{0, count}}
	s.place(first, label, make([]int32, count), 1)
	whole := []piece{{}}
	if opts := (&Options{Prices: res.Prices, Next: res.Next}); s.known(opts) {
		s.met(new(glance), whole, opts)
	}
	if whole[0].matched {
		s.narrow(&whole[0])
	}
	open := make([][]bool, n+1)
	for f := range open {
		open[f] = make([]bool, len(s.label[f]))
		for i, c := range s.label[f] {
			open[f][i] = !whole[0].matched || !whole[0].each[c].settled
		}
	}
	return open
}
