package trackgraph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"mtt/mapsolver"
)

// This file defines Solve, its options and its result, and the search.

// Options steer Solve. The zero value is the default; a nil *Options is too.
type Options struct {
	// Effort is the work that may be done, in looks at every cost; 0: 200, +Inf: until
	// the answer is proved optimal.
	Effort float64

	// Gap is the relative gap that is good enough; 0: 1e-9, which counts as optimal.
	Gap float64

	// Start, when not nil, is an answer that is known already: none that is dearer is returned, and
	// when ctx ends before there is another, it is the best. Its lengths are those of the graph.
	Start *Answer

	// Progress, when not nil, is called with the bounds whenever they have moved.
	Progress func(lower, upper float64)
}

// usualEffort is that of Options that say nothing.
const usualEffort = 200

// A Status says why Solve stopped.
type Status int

const (
	Optimal     Status = iota // the bounds meet to within rounding (1e-9 relative)
	WithinGap                 // the gap asked for is reached
	Limit                     // the effort is spent
	Interrupted               // the context ended
)

func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

var statusNames = [...]string{"optimal", "within-gap", "effort-limit", "interrupted"}

// A Result is the best answer found and the bound that goes with it. Where the context ended it has
// Answer, Certified and Prices only after Complete.
type Result struct {
	Status     Status
	LowerBound float64
	UpperBound float64 // price of Answer
	Answer     *Answer
	Certified  float64 // at most LowerBound: what Prices prove by themselves
	Prices     *Prices
	Rounds     int // assignment problems of the whole graph
	Parts      int // parts that were solved apart

	left *unfinished // nil: it is complete
}

// unfinished is what Complete needs besides the graph.
type unfinished struct {
	start          *Answer
	of             *layout
	s              *state  // of the whole graph; nil: there was none yet, or Prices and Answer are made
	unit, constant float64 // of its problem
	tiny           float64 // what the search took for rounding
	halves         float64 // what prices that divide the cost of each arc equally prove; −Inf: that is not known
}

// Gap is the relative gap; 0 where the bounds meet to within rounding.
func (r *Result) Gap() float64 {
	d := r.UpperBound - r.LowerBound
	if d <= 1e-12*math.Abs(r.UpperBound) || d <= 0 {
		return 0
	}
	return d / math.Abs(r.UpperBound)
}

// optimalGap is a relative gap that rounding makes.
const optimalGap = 1e-9

// ErrInfeasible says that there is no answer of finite price.
var ErrInfeasible = errors.New("trackgraph: no answer of finite price")

// Solve finds the cheapest answer of g and a bound. When ctx ends it returns the bounds so far,
// soon, however large g is, with an error that wraps ctx.Err(); [Result.Complete] then makes the
// answer. A graph without divisions, merges and triplets takes one assignment problem.
func Solve(ctx context.Context, g *Graph, opts *Options) (*Result, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Effort == 0 {
		o.Effort = usualEffort
	}
	o.Gap = max(o.Gap, optimalGap)
	r := &Result{Status: Interrupted, LowerBound: math.Inf(-1), UpperBound: never, Certified: math.Inf(-1), left: &unfinished{start: o.Start, halves: math.Inf(-1)}}
	err := g.validate(ctx)
	if err == nil && g.Detections() == 0 { // nothing is asked
		return &Result{Status: Optimal, Answer: &Answer{}, Prices: g.halves()}, nil
	}
	if err == nil {
		err = r.search(ctx, g, &o)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return r, fmt.Errorf("trackgraph: %w", ctx.Err())
	case err != nil:
		return nil, err
	}
	r.Status = Limit
	if !r.complete(ctx, g) {
		r.Status = Interrupted
		return r, fmt.Errorf("trackgraph: %w", ctx.Err())
	}
	switch gap := r.Gap(); {
	case r.Answer == nil:
		return nil, fmt.Errorf("%w was found within the effort", ErrInfeasible)
	case gap <= optimalGap:
		r.Status = Optimal
	case gap <= o.Gap:
		r.Status = WithinGap
	}
	return r, nil
}

// search looks for the answer, and leaves what makes it in r.left. When ctx ends the error is any.
func (r *Result) search(ctx context.Context, g *Graph, o *Options) error {
	u, h := r.left, &search{effort: o.Effort}
	var known *Answer
	sweep := func() {
		var bound float64
		r.Prices, u.halves, bound = g.sweeps(ctx)
		r.LowerBound = max(r.LowerBound, bound)
	}
	if len(g.Divisions)+len(g.Triplets) > 0 {
		sweep()
		if len(g.Cost) > manyArcs {
			var err error
			known, err = r.rehearse(ctx, g, o)
			if known != nil && (u.start == nil || g.Price(known) < g.Price(u.start)) {
				u.start = known
			}
			if err != nil || u.start != nil && g.Price(u.start)-r.LowerBound <= o.Gap*math.Abs(g.Price(u.start)) {
				return err
			}
		}
	} else if slices.ContainsFunc(g.Merge, func(x float64) bool { return x < never }) {
		// Many merges are proved by the blocks alone, sooner than sweeps are done.
		const share = 0.125
		if proved, err := r.attempt(ctx, g, o, h, share, nil); proved || err != nil {
			return err
		}
		sweep()
	}
	_, err := r.attempt(ctx, g, o, h, 1, known)
	return err
}

// attempt is search with a share of the effort and the prices at hand, and says whether it is done.
// The best answer of another one is known to it, and one of known, if that is not nil.
func (r *Result) attempt(ctx context.Context, g *Graph, o *Options, h *search, share float64, known *Answer) (proved bool, err error) {
	u := r.left
	p, l, err := pose(ctx, g, false)
	if err != nil {
		return false, err
	}
	s := newState(p)
	if r.Prices != nil {
		p.begin(ctx, l, r.Prices)
	}
	if known != nil {
		if s.offer(ctx, l.entries(p, known)); ctx.Err() != nil {
			return false, ctx.Err()
		}
		s.known = true
	}
	if u.s != nil && u.s.best != nil {
		if s.offer(ctx, u.s.best); ctx.Err() != nil { // what is known stays
			return false, ctx.Err()
		}
	}
	u.of, u.s = l, s
	h.root, h.work, h.budget = s, 0, share*o.Effort*max(smallProblem, float64(len(p.Cost)))
	h.tell = func(lower float64) {
		if o.Progress != nil {
			o.Progress(max(r.LowerBound, lower+l.constant), s.upper+l.constant)
		}
	}
	open := func(lower float64) bool { return s.upper-lower > max(h.rounding(), o.Gap*math.Abs(s.upper)) }
	lower, err := h.resolve(ctx, s, never)
	if err == nil && open(lower) {
		err = h.explore(ctx, s, never, h.rounding(), 1)
	}
	u.tiny = h.rounding()
	r.Rounds, r.Parts, r.LowerBound, r.UpperBound = r.Rounds+s.rounds, h.parts, max(r.LowerBound, lower+l.constant), s.upper+l.constant
	if errors.Is(err, mapsolver.ErrInfeasible) || err == nil && s.best == nil && math.IsInf(lower, 1) {
		return false, ErrInfeasible
	}
	if err != nil {
		return false, fmt.Errorf("trackgraph: %w", err)
	}
	return !open(lower), nil
}

// Complete makes what a Result of g does not have that an interrupted Solve has returned: the best
// answer found, Prices and what they prove. Where none was found, what each detection makes of the
// prices by itself is the answer; it is nil where that costs +Inf. It takes a few looks at all of
// g, as Bound does; g must not have changed. Of any other Result it changes nothing.
func (r *Result) Complete(g *Graph) { r.complete(context.Background(), g) }

// complete is Complete, and reports whether ctx has let it.
func (r *Result) complete(ctx context.Context, g *Graph) bool {
	u := r.left
	if u == nil {
		return true
	}
	if s := u.s; s != nil {
		u.unit, u.constant = s.p.unit, u.of.constant
		if s.solved {
			if r.Prices, u.halves = u.of.prices(ctx, s), math.Inf(-1); ctx.Err() != nil {
				return false
			}
		}
		if s.best != nil {
			r.Answer = u.of.answer(s.best)
		}
		u.s, u.of = nil, nil // the proof needs the graph alone
	} else if u.unit == 0 {
		u.unit = grain(g.largest())
	}
	if r.Prices == nil {
		r.Prices = g.halves()
	}
	if certified := newStars(g, r.Prices).bound(ctx); ctx.Err() != nil {
		return false
	} else if r.Certified = certified; certified < u.halves {
		r.Prices, r.Certified = g.halves(), u.halves
	}
	r.left = nil
	r.LowerBound = max(r.Certified, r.LowerBound)
	r.UpperBound = never
	if r.Answer != nil {
		r.UpperBound = g.Price(r.Answer)
	}
	if u.start != nil {
		if x := g.Price(u.start); x < r.UpperBound {
			r.Answer, r.UpperBound = u.start, x
		}
	}
	if r.Answer == nil && r.Status == Interrupted {
		a := g.greedy(r.Prices)
		if x := g.Price(a); x < never {
			r.Answer, r.UpperBound = a, x
		}
	}
	if r.Answer != nil {
		// What is paid and what is saved may cancel: rounding is that of their sums.
		if rounding := u.tiny + 1e-10*(u.unit+math.Abs(u.constant)+math.Abs(r.UpperBound-u.constant)); r.LowerBound > r.UpperBound-rounding {
			r.LowerBound = r.UpperBound
		}
	}
	r.Certified = min(r.Certified, r.LowerBound)
	return true
}

// A search closes the gap of a problem within a budget of costs looked at, those of entries and of blocks.
type search struct {
	work   float64 // that was done
	budget float64 // that may be
	effort float64 // see Options
	root   *state
	parts  int
	nested bool // what is solved is not all that is left of the problem: a branch, or a region
	tell   func(lower float64)
}

// smallProblem is what every problem may count as.
const smallProblem = 100_000

// spent reports whether the budget is.
func (h *search) spent() bool { return h.work >= h.budget }

// size is the number of costs of a problem.
func (p *problem) size() float64 {
	n := float64(len(p.Cost))
	for k := range p.blocks {
		n += float64(p.options(p.blocks[k].first)) * float64(p.options(p.blocks[k].second))
	}
	return n
}

// resolve finds the best answer of s, if one costs less than cutoff. It returns a bound on
// what such an answer costs, at most cutoff.
func (h *search) resolve(ctx context.Context, s *state, cutoff float64) (lower float64, err error) {
	lower = math.Inf(-1)
	for share := ascentShare; ; share = (1 + share) / 2 {
		found, stuck, err := h.attempt(ctx, s, cutoff, share)
		lower = max(lower, found)
		if !stuck || share > 0.97 || err != nil {
			return lower, err
		}
	}
}

// ascentShare is what 4 rounds may leave of the gap at first.
const ascentShare = 0.8

// attempt is resolve by an ascent that ends where 4 rounds leave more than share of the gap. stuck
// says that nothing else than a longer one has promise.
func (h *search) attempt(ctx context.Context, s *state, cutoff, share float64) (lower float64, stuck bool, err error) {
	begun := h.work
	tiny, lower, err := h.ascend(ctx, s, cutoff, share)
	if errors.Is(err, mapsolver.ErrInfeasible) {
		if s == h.root {
			return never, false, err
		}
		return cutoff, false, nil
	}
	if err != nil {
		return lower, false, err
	}
	if min(s.upper, cutoff)-lower <= tiny {
		return min(s.upper, cutoff), false, nil
	}
	if h.spent() {
		return lower, false, nil
	}
	r := newReduction(ctx, s)
	before, _ := r.open()
	r.follow()
	if s.best != nil && !r.dead && r.admits(s.best) {
		r.measure()
		r.confine(tiny)
	}
	r.follow()
	r.settle(s.best != nil && s.upper <= cutoff, min(s.upper, cutoff)-s.value, tiny)
	h.work += r.work
	if err := ctx.Err(); err != nil {
		return lower, false, err
	}
	if r.dead {
		return max(lower, min(s.upper, cutoff)), false, nil
	}
	if left, several := r.open(); !several && float64(left) > 0.7*float64(before) {
		once := h.work - begun
		if err := h.explore(ctx, s, cutoff, tiny, regionShare); err != nil {
			return lower, false, err
		}
		found, stuck, err := h.branch(ctx, s, cutoff, tiny, once)
		return max(lower, found), stuck, err
	}
	found, err := h.apart(ctx, r, cutoff, tiny)
	return max(lower, found), false, err
}

// rounding is what sums of costs may be off by.
func (h *search) rounding() float64 { return 1e-11 * (h.root.p.unit + math.Abs(h.root.value)) }

// open counts the options that matter still, and says whether there are several parts.
func (r *reduction) open() (left int, several bool) {
	root := int32(-1)
	for i, n := range r.rows {
		if n <= 1 {
			continue
		}
		left += int(n)
		switch f := r.find(int32(i)); {
		case root < 0:
			root = f
		case root != f:
			several = true
		}
	}
	return left, several
}

// mostRounds limits the rounds of an ascent. Tests make it less.
var mostRounds = 60

// ascend raises the bound until it meets an answer or hardly rises any more: 4 rounds leave more
// than share of the gap. lower is the best bound; the state is that of the last round, whose value
// may be less by rounding.
func (h *search) ascend(ctx context.Context, s *state, cutoff, share float64) (tiny, lower float64, err error) {
	const patience = 4 // rounds
	lower = math.Inf(-1)
	s.wake()
	var gaps []float64
	for round := range mostRounds {
		if err := s.solve(ctx); err != nil {
			return 0, lower, err
		}
		s.rounds++
		h.work += float64(len(s.p.Cost))
		lower = max(lower, s.value)
		tiny = h.rounding()
		violated, err := s.look(ctx, tiny)
		if err != nil {
			return tiny, lower, err
		}
		if s == h.root {
			h.tell(lower)
		}
		gaps = append(gaps, min(s.upper, cutoff)-lower)
		if !violated || gaps[round] <= tiny || h.spent() || round == mostRounds-1 {
			break
		}
		if round >= patience && gaps[round] > share*gaps[round-patience] {
			break
		}
		for _, step := range [2]func(){s.balance, func() { s.move(round%2 == 0) }} {
			if err := ctx.Err(); err != nil {
				return tiny, lower, err
			}
			step()
		}
	}
	return tiny, lower, nil
}

// apart solves the parts of r, and offers what they make together.
func (h *search) apart(ctx context.Context, r *reduction, cutoff, tiny float64) (lower float64, err error) {
	s := r.s
	list, lower := r.parts()
	if err := ctx.Err(); err != nil {
		return math.Inf(-1), err
	}
	r.margin, r.rowMargin, r.colMargin = nil, nil, nil // their memory is for the parts
	states := make([]*state, len(list))
	bounds := make([]float64, len(list))
	for k, m := range list {
		states[k] = newState(&m.problem)
		m.problem.unit = h.root.p.unit
		// A part's costs are those of the bound, so its share of it is not below 0 and
		// what is known of the whole is known of it.
		bounds[k] = r.value(m)
		lower += bounds[k]
	}
	// Small parts first, so that what they leave of their share is there for the others.
	order, size, left := make([]int, len(list)), make([]float64, len(list)), 0.0
	for k, m := range list {
		order[k], size[k] = k, m.size()
		left += size[k]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size[a], size[b]) })
	h.work += left
	budget := h.budget
	defer func() { h.budget = budget }()
	for _, k := range order {
		m := list[k]
		upper := min(s.upper, cutoff)
		if lower >= upper-tiny {
			break
		}
		if budget < math.Inf(1) {
			h.budget = min(budget, h.work+max((budget-h.work)*size[k]/left, h.effort*smallProblem))
			left -= size[k]
		}
		h.parts++
		if s.best != nil {
			states[k].offer(ctx, r.restrict(m))
		}
		// Less than this cannot help the whole.
		own := upper - (lower - bounds[k])
		found, err := h.resolve(ctx, states[k], own)
		if err != nil {
			r.compose(list, states)
			return lower, err
		}
		if found > bounds[k] {
			lower += found - bounds[k]
			bounds[k] = found
		}
		if s == h.root && !h.nested {
			h.tell(lower)
		}
		// What compose does not need may go.
		m.problem = problem{Problem: mapsolver.Problem{Rows: m.Rows, Ptr: m.Ptr}}
		states[k] = &state{best: states[k].best}
	}
	r.compose(list, states)
	return min(lower, s.upper, cutoff), nil
}

// value is a part's share of the bound: the prices of its ports, since the least entries
// of its blocks are 0.
func (r *reduction) value(m *part) float64 {
	var t sum
	for _, i := range m.row {
		t.add(r.s.sol.U[i])
	}
	for _, j := range m.col {
		t.add(r.s.sol.V[j])
	}
	return t.value()
}

// restrict is what the best answer does in a part.
func (r *reduction) restrict(m *part) []int32 {
	at := make([]int32, m.Rows)
	for k, i := range m.row {
		at[k] = -1
		for e := m.Ptr[k]; e < m.Ptr[k+1]; e++ {
			if m.of[e] == r.s.best[i] {
				at[k] = int32(e)
			}
		}
	}
	return at
}

// compose offers the answer made of those of the parts and of what is decided.
func (r *reduction) compose(list []*part, states []*state) {
	p := r.s.p
	byRow := make([]int32, p.Rows)
	for i := range byRow {
		byRow[i] = -1
		if r.rows[i] == 1 {
			byRow[i] = p.option(port(i), r.only(port(i)))
		}
	}
	for k, m := range list {
		best := states[k].best
		if best == nil {
			if r.s.best == nil {
				return
			}
			best = r.restrict(m)
		}
		for q, e := range best {
			if e >= 0 {
				byRow[m.row[q]] = m.of[e]
			}
		}
	}
	r.s.offer(context.WithoutCancel(r.ctx), byRow)
}

// branch solves s with an option of the block that the last assignment violates most, and without
// it. One level of this does to one violated block, at best, what the assignment problem did to
// all: where as much work for each of them is more than may be done, none is: stuck.
func (h *search) branch(ctx context.Context, s *state, cutoff, tiny, once float64) (lower float64, stuck bool, err error) {
	p := s.p
	byRow := make([]int32, p.Rows)
	for r, e := range s.sol.EntryOf {
		byRow[r] = int32(e)
	}
	byCol := p.columnsOf(nil, byRow)
	var at port
	option, most, violated := -1, 0.0, 0
	for k := range p.blocks {
		b := &p.blocks[k]
		i, j := p.chosen(b.first, byRow, byCol), p.chosen(b.second, byRow, byCol)
		x := p.slack(b, i, j)
		if x > tiny {
			violated++
		}
		if x > most {
			at, option, most = b.first, i, x
			if p.options(b.first) == 1 {
				at, option = b.second, j
			}
		}
	}
	if option < 0 || once*float64(violated) > h.budget-h.work {
		return s.value, option >= 0, nil
	}
	defer func(was bool) { h.nested = was }(h.nested)
	h.nested = true
	lower = never
	for _, with := range [2]bool{true, false} {
		r := newReduction(ctx, s)
		if with {
			r.take(at, option)
		} else {
			r.drop(at, option)
		}
		r.follow()
		known := s.best != nil && r.admits(s.best)
		if !r.dead {
			r.settle(known && s.upper <= cutoff, min(s.upper, cutoff)-s.value, tiny)
		}
		h.work += r.work
		found := min(s.upper, cutoff)
		if !r.dead {
			if found, err = h.half(ctx, r, known, cutoff, tiny); err != nil {
				return math.Inf(-1), false, err
			}
		}
		lower = min(lower, found)
	}
	return min(lower, s.upper, cutoff), false, nil
}

// half solves what a branch leaves, with the best answer hidden where it does not belong.
func (h *search) half(ctx context.Context, r *reduction, known bool, cutoff, tiny float64) (float64, error) {
	s := r.s
	if known {
		return h.apart(ctx, r, cutoff, tiny)
	}
	best, upper := s.best, s.upper
	s.best = nil
	s.upper = never
	lower, err := h.apart(ctx, r, min(cutoff, upper), tiny)
	if s.best == nil || s.upper > upper {
		s.best, s.upper = best, upper
	}
	return min(lower, upper, cutoff), err
}

// admits says whether an assignment uses only what is left.
func (r *reduction) admits(byRow []int32) bool {
	p := r.s.p
	for i, e := range byRow {
		if e >= 0 && !r.entry[e] || e < 0 && !r.rowFree[i] {
			return false
		}
	}
	for j, e := range p.columnsOf(nil, byRow) {
		if e < 0 && !r.colFree[j] {
			return false
		}
	}
	return true
}
