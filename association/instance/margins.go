package instance

import (
	"math"

	"mtt/association/chain"
	"mtt/dualascent"
)

// This file says how much every link of an assignment is worth.

// Margins are of the links and births of an assignment: Before[t][i] is how much dearer, at
// least, every assignment is that has something else before detection i of scan t. It is
// NaN in the first scan, where nothing can be before, and +Inf where nothing else is
// possible.
type Margins struct {
	Before [][]float64
	Links  *chain.Links // of the assignment
}

// Margins bounds the margins of the result of the dual ascent of inst. A link over misses is
// as sure as the surest arc of its way.
func (inst *Instance) Margins(res *dualascent.Result) *Margins {
	all := dualascent.NewMargins(&inst.Dual, res.Prices, res.Next, res.UpperBound)
	m := &Margins{Before: make([][]float64, len(inst.Scans)), Links: inst.Links(res.Next)}
	from := make([][]int32, len(inst.Dual.Pairs)) // of each frame pair, column: the row that it is linked to
	for p := range inst.Dual.Pairs {
		g := &inst.Dual.Pairs[p]
		from[p] = make([]int32, g.Cols)
		for j := range from[p] {
			from[p][j] = -1
		}
		for i, e := range res.Next[p] {
			if e >= 0 {
				from[p][g.Col[e]] = int32(i)
			}
		}
	}
	for t := range inst.Scans {
		m.Before[t] = make([]float64, inst.Scans[t].Len())
		for j := range m.Before[t] {
			if t == 0 {
				m.Before[t][j] = math.NaN()
				continue
			}
			p, at := t-1, int32(j)
			x := all.In[p][at]
			for i := from[p][at]; i >= 0 && int(i) >= inst.Scans[p].Len() && p > 0; i = from[p][at] {
				p, at = p-1, i
				x = max(x, all.In[p][at])
			}
			m.Before[t][j] = max(x, res.LowerBound-res.UpperBound) // what the search knows
		}
	}
	return m
}
