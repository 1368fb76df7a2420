package dualascent

import (
	"context"
	"math"
	"slices"

	"mtt/internal/workers"
	"mtt/mapsolver"
)

// This file finds what decisions of an answer are worth exactly: it looks for the best answers
// that decide otherwise.
//
// Let a be the answer, and b the cheapest one that decides otherwise somewhere. Where they differ
// falls into parts that share no node, and all but the one with the decision can be taken from a: b
// differs from a in one place only. Let b cost at most M more. By prices, what an answer costs
// above the bound is a sum of slacks (file reduce.go), and as a and b are the same elsewhere, b has
// in its part at most M more slack than a has there. So ports whose margins by prices are M and
// more keep what they have (file doubtful.go), and options with more slack than that are dropped,
// for all decisions at once. What is left is searched around each decision (file around.go), which
// stops where its margin is known, or is M at least, or so many options have been looked at; then
// it is tried with less than M. The result does not depend on the number of workers.
//
// Where a is not proved optimal, an answer may be cheaper elsewhere. That says nothing of the
// decision, so b is what a is wherever it does not have to differ: its margin is less by what slack
// a has in the same part, not by the gap of the whole. Where a has more slack than M in a part, and
// the effort has an end, nothing can be proved there beyond what prices say, and the search is for
// other answers alone; one that is cheaper than a is better (file better.go).

// MarginOptions steer ExactMargins. The zero value is the default; a nil *MarginOptions is too.
type MarginOptions struct {
	// Most is where the search for alternatives ends: a larger margin is only known to be
	// at least so large, or what prices prove. In units of costs; 0: 6.
	Most float64

	// Effort is how many options may be looked at for each decision and limit that is tried; 0: 60,
	// and ten times as many again, up to 60,000, for those whose margins stay open, as long as that
	// is no more than four million in all, which is up to a second; negative: none, +Inf: until all
	// margins up to Most are exact.
	Effort float64

	Workers int // goroutines; 0: one. It does not change the result

	NewSolver func() mapsolver.Solver // as in Options
}

// firstEffort is where the default of Effort begins. Tests make it less.
var firstEffort = 60.0

// ExactMargins computes the margins of the answer of a result of inst, as NewMargins does, and then
// searches around each decision whose margin may be less than Most. Its margins are of answers that
// differ from the one at hand in one place only: where decisions hang together with that one;
// without a gap all others cost no less. The fields OutMost and InMost of the result say how much
// more an answer costs that was found to decide otherwise; where it equals Out or In that margin is
// exact. When ctx ends it returns what is known, and an error that wraps ctx.Err(). It takes a few
// looks at every cost, some tens at those in doubt, and the search.
func ExactMargins(ctx context.Context, inst *Instance, res *Result, opts *MarginOptions) (*Margins, error) {
	var o MarginOptions
	if opts != nil {
		o = *opts
	}
	if o.Most == 0 {
		o.Most = 6
	}
	more := o.Effort == 0
	if more {
		o.Effort = firstEffort
	}
	if o.NewSolver == nil {
		o.NewSolver = newSSP
	}
	t, m, spare := slackMargins(inst, res.Prices, res.Next, res.UpperBound)
	m.nobody()
	if o.Effort < 0 || len(inst.Pairs) == 0 {
		return m, nil
	}
	d := newDoubts(t, m, res.Next, spare, o.Most)
	if d == nil {
		return m, nil
	}
	e := newEngine(&d.inst, &Options{NewSolver: o.NewSolver, Workers: o.Workers, Balance: 2, Gap: optimalGap, NoAnswer: true})
	if err := e.start(d.prices, nil); err != nil {
		return nil, err
	}
	e.result.Status = IterationLimit
	if err := e.round(ctx, false); err != nil {
		return m, err
	}
	x := &exactMargins{opts: &o, of: d.margins(), s: newSurroundings(e, d.next)}
	x.reduce(ctx, e)
	err := x.find(ctx)
	if more {
		err = x.goOn(ctx, err)
	}
	d.tell(x.of)
	return m, err
}

// exactMargins finds margins up to Most.
type exactMargins struct {
	opts   *MarginOptions
	deeper bool // margins have been searched for before
	of     *Margins
	s      *surroundings
	excess func(q port) float64 // slack of the answer in the part of a port
}

// reduce forgets the options that no answer uses that costs at most Most more.
func (x *exactMargins) reduce(ctx context.Context, e *engine) {
	const enough = 0.9 // of what was left before: where a look drops less it is the last
	r, a := newReduction(ctx, e), x.s.answer
	tiny := 1e-11 * (e.unit + math.Abs(e.bound))
	if x.s.slack <= tiny { // and it does not matter what the parts are
		r.settle(nil, x.opts.Most, tiny, enough)
		x.excess = func(port) float64 { return tiny }
	} else {
		r.settle(a, math.Inf(1), x.opts.Most, enough)
		r.split()
		r.share(a)
		x.excess = func(q port) float64 {
			if q.in {
				return r.excess[r.find(r.firstIn[q.p]+q.at)]
			}
			return r.excess[r.find(r.firstOut[q.p]+q.at)]
		}
	}
	x.s.leave(r)
}

// find searches around all decisions.
func (x *exactMargins) find(ctx context.Context) error {
	n := len(x.of.Out)
	found := make([][]Variant, n)
	walks := make([]*walk, max(1, x.opts.Workers))
	workers.Each(x.opts.Workers, n, func(k, p int) {
		if ctx.Err() != nil {
			return
		}
		if walks[k] == nil {
			walks[k] = newWalk(x.s)
		}
		found[p] = x.pair(ctx, walks[k], p)
	})
	x.of.Variants = slices.Concat(append(found, x.of.Variants)...)
	for k := range x.of.Variants {
		x.note(&x.of.Variants[k])
	}
	return ctx.Err()
}

// goOn searches further around decisions whose margins are open, where these are few.
func (x *exactMargins) goOn(ctx context.Context, err error) error {
	const (
		most = 4e6  // options that are looked at
		each = 60e3 // around a decision, for each limit: so that it is soon known that ctx has ended
		more = 10
	)
	x.deeper = true
	for left := most; err == nil && more*x.opts.Effort <= each; {
		x.opts.Effort *= more
		looks := x.opts.Effort * float64(x.open())
		if left -= looks; looks == 0 || left < 0 {
			break
		}
		err = x.find(ctx)
	}
	return err
}

// open is the number of decisions whose margins may be less than Most and are not known.
func (x *exactMargins) open() (n int) {
	m, a := x.of, x.s.answer
	for p := range m.Out {
		for i, least := range m.Out[p] {
			if least < min(x.opts.Most, m.OutMost[p][i]) {
				n++
			}
		}
		for j, least := range m.In[p] {
			if a.prev[p][j] < 0 && least < min(x.opts.Most, m.InMost[p][j]) {
				n++
			}
		}
	}
	return n
}

// pair finds the margins of frame pair p, until ctx ends, and lists the answers that say so.
func (x *exactMargins) pair(ctx context.Context, w *walk, p int) (list []Variant) {
	m, a := x.of, x.s.answer
	for i, least := range m.Out[p] {
		if (x.deeper || i%16 == 0) && ctx.Err() != nil {
			return list
		}
		if least < x.opts.Most {
			list = x.margin(list, w, port{p, int32(i), false}, &m.Out[p][i], &m.OutMost[p][i])
			if e := a.next[p][i]; e >= 0 {
				j := x.s.gaps[p].FramePair.Col[e]
				m.In[p][j], m.InMost[p][j] = m.Out[p][i], m.OutMost[p][i]
			}
		}
	}
	for j, least := range m.In[p] {
		if (x.deeper || j%16 == 0) && ctx.Err() != nil {
			return list
		}
		if a.prev[p][j] < 0 && least < x.opts.Most {
			list = x.margin(list, w, port{p, int32(j), true}, &m.In[p][j], &m.InMost[p][j])
		}
	}
	return list
}

// margin finds the margin of a port's decision, and appends the answer that says so to list.
func (x *exactMargins) margin(list []Variant, w *walk, q port, least, most *float64) []Variant {
	const (
		tries = 3
		first = 1.0 / 32 // of Most: the first limit of a deeper search above what is known, which doubles
	)
	spare, proves := x.excess(q), true
	if spare > x.opts.Most && !math.IsInf(x.opts.Effort, 1) {
		spare, proves = 0, false
	}
	if x.deeper && (!proves || *least >= *most) {
		return list
	}
	known, limit := max(*least, min(x.others(q)-x.excess(q), x.opts.Most)), x.opts.Most
	step := first * x.opts.Most
	if x.deeper {
		limit = min(limit, known+step)
	}
	var best Variant
	for try := 0; try < tries; {
		done := w.from(q, limit, x.opts.Effort, spare)
		if len(w.found) > 0 && w.best < *most {
			*most, best = w.best, Variant{slices.Clone(w.found), w.best}
		}
		if !proves || x.deeper && !done {
			break
		}
		if done {
			known = max(known, w.best)
			if !x.deeper || w.best < limit || limit >= x.opts.Most {
				break
			}
			step *= 2
			limit = min(x.opts.Most, known+step)
			continue
		}
		try++
		limit = known + (limit-known)/4
	}
	*least = max(*least, min(known, *most))
	if best.Changes == nil {
		return list
	}
	return append(list, best)
}

// others is the least slack that an answer has where port q has another option: it leaves the port
// at the other end of the answer's arc as well.
func (x *exactMargins) others(q port) float64 {
	a, s := x.s.answer, x.s
	if q.in { // born
		return s.otherIn[q.p][q.at]
	}
	least := s.otherOut[q.p][q.at]
	if e := a.next[q.p][q.at]; e >= 0 {
		least += s.otherIn[q.p][s.gaps[q.p].FramePair.Col[e]]
	}
	return least
}

// note takes down what an answer says of all decisions that it makes otherwise.
func (x *exactMargins) note(v *Variant) {
	m, a := x.of, x.s.answer
	for _, c := range v.Changes {
		p, col := c.Pair, x.s.gaps[c.Pair].FramePair.Col
		out := &m.OutMost[p][c.Row]
		*out = min(*out, v.More)
		for _, e := range [2]int32{a.next[p][c.Row], c.Arc} {
			if e >= 0 {
				in := &m.InMost[p][col[e]]
				*in = min(*in, v.More)
			}
		}
	}
}
