package dualascent

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"mtt/mapsolver"
)

// This file closes what gap the ascent leaves: it drops what no better answer can
// use (file reduce.go), goes on with each part by itself, and where that does
// not help either, branches: an arc is in the answer, or it is not.

// A search closes gaps within a budget.
type search struct {
	budget float64 // costs that may still be looked at
	whole  *engine
	parts  int // ascended so far
	depth  int // of branches
}

// tell reports progress, with a bound for the whole problem.
func (s *search) tell(lower float64) {
	r := &s.whole.result
	r.LowerBound = max(r.LowerBound, min(lower, r.UpperBound))
	if report := s.whole.opts.Progress; report != nil {
		report(Step{Pass: s.whole.pass, Lower: r.LowerBound, Upper: r.UpperBound, Parts: s.parts})
	}
}

// exact closes the gap of the whole problem within effort looks at every
// cost go.
func (e *engine) exact(ctx context.Context, effort float64) error {
	const (
		least = 250_000    // costs: small problems are cheap anyhow
		many  = 10_000_000 // what exceeds that counts a quarter: parts so large are not split by branching
	)
	if math.IsInf(e.result.LowerBound, 0) { // no pass, or no assignment of some gap
		return nil
	}
	size := float64(e.inst.size())
	if size > many {
		size = many + (size-many)/4
	}
	s := &search{budget: effort * max(size, least), whole: e}
	e.tiny = 1e-11 * (e.unit + math.Abs(e.result.LowerBound))
	lower, err := s.resolve(ctx, e, math.Inf(1))
	if e.result.UpperBound-lower <= e.tiny { // summed in another order
		lower = e.result.UpperBound
	}
	e.tiny = 0
	s.tell(lower) // parts put together may have made a better answer
	e.done()
	return err
}

// ascend raises the bound of e until it reaches cutoff or an answer, or hardly
// rises any more.
func (s *search) ascend(ctx context.Context, e *engine, cutoff float64) error {
	const patience, most = 3, 40 // rounds
	s.parts++
	defer func() { s.tell(math.Inf(-1)) }()
	work := 2 * e.inst.work()
	var gaps [most]float64
	for round := range most {
		e.exchanges = round == 0
		if err := e.round(ctx, round < 2 || round%3 == 0); err != nil {
			return err
		}
		s.budget -= work
		gap := e.gap(cutoff)
		if gap <= e.tiny || s.budget <= 0 {
			return nil
		}
		gaps[round] = gap
		if round >= patience && gap > 0.8*gaps[round-patience] {
			return nil
		}
	}
	return nil
}

// gap is what an answer worth having may cost above the bound.
func (e *engine) gap(cutoff float64) float64 {
	return min(e.result.UpperBound, cutoff) - e.result.LowerBound
}

// resolve finds the best answer of e, whose ascent rests, if one costs less than
// cutoff. It returns a bound on what such an answer costs, cutoff when there is
// none.
func (s *search) resolve(ctx context.Context, e *engine, cutoff float64) (lower float64, err error) {
	if e.gap(cutoff) <= e.tiny {
		return min(e.result.UpperBound, cutoff), nil
	}
	if s.budget <= 0 {
		return e.result.LowerBound, nil
	}
	r := newReduction(ctx, e)
	all := r.left()
	hopeless := func() bool {
		left := r.left()
		return (e.thinned || e.closed) && left >= half*all && s.budget < branchWork*left && r.known(cutoff) != nil
	}
	if hopeless() {
		r.measure()
		r.drop(false, min(e.result.UpperBound, cutoff)-e.bound, e.tiny)
		r.follow()
		s.budget -= e.inst.work()
	}
	confined := hopeless()
	if confined {
		if err := r.confined(s, cutoff); err != nil {
			return math.Inf(-1), err
		}
		if hopeless() {
			return e.result.LowerBound, nil
		}
	}
	useful := r.useful(s, cutoff, all)
	if err := ctx.Err(); err != nil {
		return math.Inf(-1), err
	}
	if !useful && !confined && r.known(cutoff) != nil {
		before := r.left()
		if err := r.confined(s, cutoff); err != nil {
			return math.Inf(-1), err
		}
		if useful = r.useful(s, cutoff, before) || r.several(); ctx.Err() != nil {
			return math.Inf(-1), ctx.Err()
		}
	}
	if !useful {
		return s.branch(ctx, e, r, cutoff)
	}
	return s.apart(ctx, e, r, cutoff)
}

// half of all options and more, and more than can be split by branching, stay as they are where an
// ascent among few arcs, or of what is open, has stalled: one of what is left would, too. Tests
// make it less.
var half = 0.5

// useful settles r and says whether what is left is much less than before, or nothing, as where
// ends are forbidden and every port has one option from the beginning, or several parts.
func (r *reduction) useful(s *search, cutoff, before float64) bool {
	e := r.e
	const enough = 0.999 // of what was left before, after a look that drops hardly any
	r.settle(r.known(cutoff), min(e.result.UpperBound, cutoff)-e.bound, e.tiny, enough)
	s.budget -= e.inst.work()
	left := r.left()
	return r.dead || left == 0 || left < 0.7*before || r.several()
}

// known is the best answer, if it is worth having and uses only options that are left; nil if not.
func (r *reduction) known(cutoff float64) *answer {
	if e := r.e; e.result.UpperBound <= cutoff && e.best != nil && r.admits(e.best) {
		return e.best
	}
	return nil
}

// confined drops what lies outside balls around the places where the best answer, which is known, pays.
func (r *reduction) confined(s *search, cutoff float64) error {
	e := r.e
	if err := e.level(r.ctx); err != nil {
		return err
	}
	s.budget -= e.inst.work() + float64(r.confine(r.known(cutoff), e.tiny))
	return r.ctx.Err()
}

// apart solves the parts of r, one after the other.
func (s *search) apart(ctx context.Context, e *engine, r *reduction, cutoff float64) (lower float64, err error) {
	if r.dead {
		return min(e.result.UpperBound, cutoff), nil
	}
	parts, lower := r.parts()
	if err := ctx.Err(); err != nil {
		return math.Inf(-1), err
	}
	known := e.best != nil && r.admits(e.best)
	engines := make([]*engine, len(parts))
	for k, m := range parts {
		engines[k] = m.begin(e)
		if known {
			a := engines[k].newAnswer()
			m.restrict(a, e.best)
			engines[k].linkAll(a)
			engines[k].offer(a)
		}
		if err := s.ascend(ctx, engines[k], math.Inf(1)); errors.Is(err, mapsolver.ErrInfeasible) {
			return min(e.result.UpperBound, cutoff), nil
		} else if err != nil {
			return math.Inf(-1), err
		}
		lower += engines[k].result.LowerBound
	}
	raised := func() { // at the top, what is known of the parts holds for the whole
		if e == s.whole && s.depth == 0 {
			s.tell(lower)
		}
	}
	raised()
	order := make([]int, len(parts))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { // the small ones first: they can be afforded
		return cmp.Compare(parts[a].inst.size(), parts[b].inst.size())
	})
	for _, k := range order {
		upper := min(e.result.UpperBound, cutoff)
		if lower >= upper-e.tiny {
			break
		}
		own := engines[k].result.LowerBound
		found, err := s.resolve(ctx, engines[k], upper-(lower-own))
		if err != nil {
			return math.Inf(-1), err
		}
		lower += max(found, own) - own
		raised()
	}
	r.compose(parts, engines)
	return min(lower, e.result.UpperBound, cutoff), nil
}

// compose offers e the answer made of those of the parts and of what is decided,
// if every part has one.
func (r *reduction) compose(parts []*part, engines []*engine) {
	e := r.e
	a := e.newAnswer()
	for p := range a.next {
		for i := range a.next[p] {
			if r.outs[p][i] == 1 {
				a.next[p][i] = r.only(port{p, int32(i), false})
			}
		}
	}
	for k, m := range parts {
		if engines[k].best == nil {
			return
		}
		m.extend(a.next, engines[k].best.next)
	}
	e.linkAll(a)
	e.offer(a)
}

// branchWork is how often all costs are looked at before branches tell anything. Tests make it more.
var branchWork = 200.

// branch solves e with an arc and without it.
func (s *search) branch(ctx context.Context, e *engine, r *reduction, cutoff float64) (lower float64, err error) {
	if s.budget < branchWork*float64(e.inst.size()) { // it would come to nothing
		return e.result.LowerBound, nil
	}
	p, arc := r.pick(e.best)
	if arc < 0 {
		return e.result.LowerBound, nil
	}
	lower = math.Inf(1)
	for _, with := range [2]bool{true, false} {
		c := r.clone()
		if with {
			c.take(p, arc)
		} else {
			c.dropArc(p, arc)
		}
		c.follow()
		c.useful(s, cutoff, c.left())
		if err := ctx.Err(); err != nil {
			return math.Inf(-1), err
		}
		s.depth++
		found, err := s.apart(ctx, e, c, cutoff)
		s.depth--
		if err != nil {
			return math.Inf(-1), err
		}
		lower = min(lower, found)
	}
	return max(lower, e.result.LowerBound), nil
}

// pick chooses the arc to branch on: of the best answer that is left, the one
// whose two nodes cost it most above the bound. Without it such an answer is out,
// and with it the bound will see what it costs. Where no answer is known, it is
// that of the X-LAPs' matchings.
func (r *reduction) pick(known *answer) (gap int, arc int32) {
	e := r.e
	if known == nil {
		known = e.newAnswer()
		for p := range e.gaps {
			copy(known.next[p], e.gaps[p].next)
		}
		e.linkAll(known)
	}
	arc = -1
	most := -1.0
	for p := range e.gaps {
		g := &e.gaps[p]
		for i, a := range known.next[p] {
			if a < 0 || r.outs[p][i] <= 1 || !r.arc[p][a] {
				continue
			}
			x := r.margin[p][a]
			if p > 0 {
				x = max(x, e.blockSlack(known, p, i))
			}
			if f := p + 1; f < len(e.gaps) {
				x = max(x, e.blockSlack(known, f, int(g.FramePair.Col[a])))
			}
			if x > most {
				most, gap, arc = x, p, a
			}
		}
	}
	if arc >= 0 {
		return gap, arc
	}
	for p := range e.gaps {
		for a, alive := range r.arc[p] {
			if alive && r.outs[p][e.gaps[p].rowOf(int32(a))] > 1 {
				return p, int32(a)
			}
		}
	}
	return 0, -1
}

// left is the number of arcs that matter still, and of pairs of them. Ends do
// not count: a part has them all again.
func (r *reduction) left() float64 {
	arcs := func(n int32, end bool) int {
		if end {
			n--
		}
		return int(n)
	}
	sum := 0
	for p := range r.outs {
		for i, out := range r.outs[p] {
			if out > 1 {
				k := arcs(out, r.death[p][i])
				sum += k
				if p > 0 && r.ins[p-1][i] > 1 {
					sum += k * arcs(r.ins[p-1][i], r.birth[p-1][i])
				}
			}
		}
	}
	return float64(sum)
}

// several says whether there is more than one part.
func (r *reduction) several() bool {
	first := int32(-1)
	for p := range r.outs {
		for i, out := range r.outs[p] {
			if out <= 1 {
				continue
			}
			switch root := r.find(r.firstOut[p] + int32(i)); {
			case first < 0:
				first = root
			case root != first:
				return true
			}
		}
	}
	return false
}

// work is what a look at every cost takes, as the number of costs that a loop looks at
// in that time.
func (inst *Instance) work() float64 { return float64(inst.size() + 200*len(inst.Pairs)) }

// size is the number of costs of the instance, stored or not.
func (inst *Instance) size() int {
	n := 0
	for p := range inst.Pairs {
		n += len(inst.Pairs[p].Col) + inst.Pairs[p].Rows
	}
	for p := range inst.Blocks {
		n += pairs(&inst.Pairs[p], &inst.Pairs[p+1])
	}
	return n
}

// linkAll fills prev from next.
func (e *engine) linkAll(a *answer) {
	for p := range e.gaps {
		e.link(a, p)
	}
}
