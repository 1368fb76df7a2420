package dualascent

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"mtt/internal/workers"
	"mtt/mapsolver"
)

// This file finds what decisions of an answer are worth exactly: it solves again without
// them.
//
// Let a be the answer, and b the cheapest one that decides otherwise somewhere. Where they
// differ falls into parts that share no node, and all but the one with the decision can be
// taken from a: b differs from a in one place only. Let b cost at most M more. By
// prices, what an answer costs above the bound is a sum of slacks (file reduce.go), and as
// a and b are the same elsewhere, b has in its part at most M more slack than a has
// there. So options with more slack than that are dropped, what is left falls
// into parts, and this is repeated: with the same M for all decisions at once. A port that
// is left with one option has a margin of at least M. Every other one is found by
// solving its part with the option of a forbidden, from the prices of the part, until the
// bound meets an answer, M, or another answer that is known: each answer that is
// found says what other decisions cost at most, and many need no solve of their own.
//
// This is done for a small M first, where parts are small, and for larger ones then, for
// what is open still. The work is limited for each part by its size, so that the result
// does not depend on the number of workers.
//
// Where a is not proved optimal, b may gain elsewhere what the gap is, and margins are less
// by that.

// MarginOptions steer ExactMargins. The zero value is the default; a nil *MarginOptions is too.
type MarginOptions struct {
	// Most is where the search for alternatives ends: a larger margin is only known to be
	// at least so large, or what prices prove. In units of costs; 0: 6.
	Most float64

	// Effort is the work that may be done, in looks at every cost of a part, of which small ones
	// count as middle ones; 0: 25, negative: none, +Inf: until
	// all margins up to Most are exact.
	Effort float64

	Workers int // goroutines; 0: one. It does not change the result

	NewSolver func() mapsolver.Solver // as in Options
}

// ExactMargins computes the margins of the answer of a result of inst, as NewMargins does, and
// then solves around each decision whose margin may be less than Most. The fields OutMost and
// InMost of the result say how much more an answer costs that was found to decide otherwise;
// where it equals Out or In that margin is exact. When ctx ends it returns what is known, and an error
// that wraps ctx.Err().
func ExactMargins(ctx context.Context, inst *Instance, res *Result, opts *MarginOptions) (*Margins, error) {
	var o MarginOptions
	if opts != nil {
		o = *opts
	}
	if o.Most == 0 {
		o.Most = 6
	}
	if o.Effort == 0 {
		o.Effort = 25
	}
	if o.NewSolver == nil {
		o.NewSolver = newSSP
	}
	m := NewMargins(inst, res.Prices, res.Next, res.UpperBound)
	m.OutMost, m.InMost = make([][]float64, len(m.Out)), make([][]float64, len(m.In))
	for p := range m.Out {
		m.OutMost[p] = slices.Repeat([]float64{math.Inf(1)}, len(m.Out[p]))
		m.InMost[p] = slices.Repeat([]float64{math.Inf(1)}, len(m.In[p]))
	}
	if o.Effort < 0 || len(inst.Pairs) == 0 {
		return m, nil
	}
	e := newEngine(inst, &Options{NewSolver: o.NewSolver, Workers: o.Workers, Balance: 2, Gap: optimalGap})
	if err := e.start(res.Prices, res.Next); err != nil {
		return nil, err
	}
	e.result.Status = IterationLimit
	e.tiny = 1e-11 * (1 + math.Abs(res.LowerBound))
	if err := e.round(ctx, false); err != nil {
		return m, err
	}
	a := e.newAnswer() // that of the result, whatever the engine has found
	for p := range a.next {
		copy(a.next[p], res.Next[p])
	}
	e.linkAll(a)
	gap := 0.0
	if res.Gap() > 0 {
		gap = res.UpperBound - res.LowerBound
	}
	all := newReduction(e)
	for _, most := range []float64{o.Most / 6, o.Most / 3, o.Most} {
		x := &exactMargins{e: e, opts: &o, of: m, answer: a, most: most, gap: gap}
		if err := x.find(ctx, all.clone()); err != nil {
			return m, err
		}
	}
	return m, nil
}

// exactMargins finds the margins up to most.
type exactMargins struct {
	e      *engine
	opts   *MarginOptions
	of     *Margins
	answer *answer
	most   float64
	gap    float64 // that every margin is less by
}

// find solves the parts of r, which has all options, one by one.
func (x *exactMargins) find(ctx context.Context, r *reduction) error {
	r.settle(x.answer, math.Inf(1), x.most)
	x.decided(r)
	parts, _ := r.parts()
	failed := make([]error, len(parts))
	solvers := make([]mapsolver.Solver, max(1, x.opts.Workers))
	for k := range solvers {
		solvers[k] = x.opts.NewSolver()
	}
	found := make([][]Variant, len(parts))
	workers.Each(x.opts.Workers, len(parts), func(w, k int) {
		found[k], failed[k] = x.part(ctx, parts[k], solvers[w])
	})
	x.of.Variants = append(x.of.Variants, slices.Concat(found...)...)
	return errors.Join(failed...)
}

// decided raises the margins of ports that have one option left.
func (x *exactMargins) decided(r *reduction) {
	least := x.most - x.gap
	for p := range r.outs {
		for i, n := range r.outs[p] {
			if n == 1 {
				x.of.Out[p][i] = max(x.of.Out[p][i], least)
			}
		}
		for j, n := range r.ins[p] {
			if n == 1 {
				x.of.In[p][j] = max(x.of.In[p][j], least)
			}
		}
	}
}

// A doubt is a decision of a part: of row or, where it is a birth, column at.
type doubt struct {
	decision
	lower, upper float64 // of its margin
}

// smallPart is what every part may spend besides, in costs.
const smallPart = 50_000

// part finds the margins of the decisions of a part, and lists the answers that say so.
func (x *exactMargins) part(ctx context.Context, m *part, solver mapsolver.Solver) (others []Variant, err error) {
	e := m.begin(x.e)
	e.opts.NewSolver = func() mapsolver.Solver { return solver }
	a := e.newAnswer()
	m.restrict(a, x.answer)
	e.linkAll(a)
	e.offer(a)
	cost := e.result.UpperBound
	budget := math.Inf(1)
	if !math.IsInf(x.opts.Effort, 1) {
		budget = x.opts.Effort * float64(m.inst.size()+smallPart)
	}
	s := &search{budget: budget, whole: e}
	if err := s.ascend(ctx, e, math.Inf(1)); err != nil {
		return nil, err
	}
	prices := make([]Prices, len(e.gaps))
	for p := range prices {
		prices[p] = e.gaps[p].Prices
	}
	inst := withMatrices(&m.inst)
	doubts := x.doubts(m, a, NewMargins(inst, prices, a.next, cost))
	for k := range doubts {
		d := &doubts[k]
		if most := min(d.upper, x.most); d.lower < most-e.tiny && s.budget > 0 {
			found, alt, err := without(ctx, inst, d.decision, prices, s, cost+most, e)
			if err != nil {
				return others, err
			}
			d.lower = max(d.lower, min(found-cost, most))
			if alt != nil {
				more := inst.Cost(alt.next) - cost
				x.note(doubts, a, alt, more)
				others = append(others, Variant{x.changes(m, a, alt), more})
			}
		}
		x.keep(m, a, d)
	}
	for k := range doubts { // once more: later answers may be cheaper
		x.keep(m, a, &doubts[k])
	}
	return others, nil
}

// changes are where answer alt of a part goes elsewhere than a, in terms of the whole.
func (x *exactMargins) changes(m *part, a, alt *answer) (list []Change) {
	for q := range m.arc {
		for k, i := range m.node[q] {
			if e := alt.next[q][k]; e != a.next[q][k] {
				arc := int32(-1)
				if e >= 0 {
					arc = m.arc[q][e]
				}
				list = append(list, Change{int32(m.first + q), i, arc})
			}
		}
	}
	return list
}

// doubts lists the decisions of a part by ascending margin. What the part's prices prove holds up to
// most, as dearer options are not there.
func (x *exactMargins) doubts(m *part, a *answer, known *Margins) (list []doubt) {
	for q := range m.arc {
		p := m.first + q
		for k, i := range m.node[q] {
			if m.ports[q][k]&outPort != 0 {
				list = append(list, doubt{decision{int32(q), int32(k), a.next[q][k], false},
					max(min(known.Out[q][k], x.most), x.of.Out[p][i]+x.gap), x.of.OutMost[p][i]})
			}
		}
		for k, j := range m.node[q+1] {
			if m.ports[q+1][k]&inPort != 0 && a.prev[q][k] < 0 {
				list = append(list, doubt{decision{int32(q), int32(k), -1, true},
					max(min(known.In[q][k], x.most), x.of.In[p][j]+x.gap), x.of.InMost[p][j]})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b doubt) int { return cmp.Compare(a.lower, b.lower) })
	return list
}

// note takes down what an answer that costs so much more says of the decisions that it makes
// otherwise.
func (x *exactMargins) note(doubts []doubt, a, alt *answer, more float64) {
	for k := range doubts {
		d := &doubts[k]
		if more < d.upper && d.otherwise(a, alt) {
			d.upper = more
		}
	}
}

// otherwise says whether an answer decides otherwise than a.
func (d *decision) otherwise(a, alt *answer) bool {
	if d.birth {
		return alt.prev[d.pair][d.row] != a.prev[d.pair][d.row]
	}
	return alt.next[d.pair][d.row] != a.next[d.pair][d.row]
}

// keep puts what is known of a decision into the margins of the whole.
func (x *exactMargins) keep(m *part, a *answer, d *doubt) {
	p := m.first + int(d.pair)
	lower, upper := min(d.lower, d.upper)-x.gap, d.upper
	raise := func(least, most *float64) {
		*least, *most = max(*least, lower), min(*most, upper)
	}
	if d.birth {
		j := m.node[d.pair+1][d.row]
		raise(&x.of.In[p][j], &x.of.InMost[p][j])
		return
	}
	i := m.node[d.pair][d.row]
	raise(&x.of.Out[p][i], &x.of.OutMost[p][i])
	if d.arc >= 0 {
		j := x.e.gaps[p].FramePair.Col[m.arc[d.pair][d.arc]]
		raise(&x.of.In[p][j], &x.of.InMost[p][j])
	}
}

// without solves inst with a decision forbidden, from prices, and returns a bound on what its
// answers cost, at most cutoff, and the best one that was found; nil: none.
func without(ctx context.Context, inst *Instance, d decision, prices []Prices, s *search, cutoff float64, whole *engine) (lower float64, alt *answer, err error) {
	e := newEngine(inst.restrict(nil, []decision{d}), whole.opts)
	e.tiny = whole.tiny
	if err := e.start(prices, nil); err != nil {
		return 0, nil, err
	}
	own := &search{budget: s.budget, whole: e}
	defer func() { s.budget = own.budget }()
	err = own.ascend(ctx, e, cutoff)
	if err == nil {
		lower, err = own.resolve(ctx, e, cutoff)
	}
	if errors.Is(err, mapsolver.ErrInfeasible) {
		return cutoff, nil, nil
	}
	if err != nil {
		return math.Inf(-1), nil, err
	}
	if e.best == nil || e.result.UpperBound > unaffordable/2 {
		return lower, nil, nil
	}
	return lower, e.best, nil
}
