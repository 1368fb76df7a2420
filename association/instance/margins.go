package instance

import (
	"math"

	"mtt/association/chain"
	"mtt/dualascent"
)

// This file says how much every link, birth and death of an assignment is worth.

// Margins are of the links, births and deaths of an assignment: Before[t][i] is how much dearer, at
// least, every assignment is that has something else before detection i of scan t, and After[t][i]
// one that has something else after it. They are NaN in the first scan, where nothing can be
// before, and in the last one, and +Inf where nothing else is possible. BeforeMost and AfterMost
// say how much dearer an assignment is that was found to have something else there; they are
// nil where nobody looked for one. A detection in no track has something before or after it in any
// assignment that uses it: its margin is the lesser of the two.
type Margins struct {
	Before, BeforeMost [][]float64
	After, AfterMost   [][]float64
	Links              *chain.Links // of the assignment
}

// Margins are those of the detections where all are those of the result of the dual ascent of
// inst, from dualascent.NewMargins or dualascent.ExactMargins. A link over misses is
// as sure as its last arc: an answer may begin the way and go on elsewhere.
func (inst *Instance) Margins(res *dualascent.Result, all *dualascent.Margins) *Margins {
	m := &Margins{Links: inst.Links(res.Next)}
	known := res.LowerBound - res.UpperBound // what the search knows
	m.Before, m.After = inst.around(m.Links, all.Out, all.In, known)
	if all.OutMost != nil {
		m.BeforeMost, m.AfterMost = inst.around(m.Links, all.OutMost, all.InMost, math.Inf(-1))
	}
	return m
}

// around takes what stands at the nodes of detections, at least known. A link stands at its end.
func (inst *Instance) around(links *chain.Links, out, in [][]float64, known float64) (before, after [][]float64) {
	n := len(inst.Scans)
	before, after = make([][]float64, n), make([][]float64, n)
	for t := range n {
		k := inst.Scans[t].Len()
		before[t], after[t] = make([]float64, k), make([]float64, k)
		for i := range k {
			before[t][i], after[t][i] = math.NaN(), math.NaN()
			if t > 0 {
				before[t][i] = max(in[t-1][i], known)
			}
		}
	}
	for t := range n - 1 {
		for i := range after[t] {
			if to := links.Next[t][i]; to.T >= 0 {
				after[t][i] = before[to.T][to.Det]
			} else {
				after[t][i] = max(out[t][i], known)
			}
		}
	}
	return before, after
}
