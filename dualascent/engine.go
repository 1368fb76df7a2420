package dualascent

import (
	"context"
	"math"
	"slices"

	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// This file holds the engine: its state, the two passes, and the loop around
// them.

// A gap is the engine's view of one Gap: the X-LAP, its solution and the
// column view of the arcs.
type gap struct {
	*Gap
	Prices
	all  []float64 // the arrays of Prices, one after the other
	in   columns
	lap  mapsolver.Problem // costs C+U+V, rebuilt in each pass
	sol  mapsolver.Solution
	next []int32 // the matching of the last pass, before any pushing

	value float64 // of the X-LAP in the last pass

	last []float64 // U and Birth as they were a round ago; see momentum
	best []float64 // all, where it proved most
}

type engine struct {
	inst      *Instance
	opts      *Options
	gaps      []gap
	solver    mapsolver.Solver
	result    Result
	pass      int
	exchanges bool    // the local search is to try exchanges however large the gap is
	bound     float64 // of the last pass
	kept      float64 // bound that gap.best proves

	best      *answer // of cost result.UpperBound; nil: none yet
	scratch   *answer
	merger    *merger
	tolerance float64 // costs that differ by less are equal
	tiny      float64 // bounds that differ by no more meet; 0: optimalGap says
	slacks    slacks
	rematch   rematch
	exchanged exchange
	forbidden float64 // see forbiddenPrice
}

func newEngine(inst *Instance, opts *Options) *engine {
	e := &engine{
		inst: inst, opts: opts, solver: opts.NewSolver(), gaps: make([]gap, len(inst.Gaps)),
		bound: math.Inf(-1), kept: math.Inf(-1), tolerance: 1e-10, forbidden: forbiddenPrice(inst),
		result: Result{LowerBound: math.Inf(-1), UpperBound: math.Inf(1)},
	}
	for p := range e.gaps {
		g := &e.gaps[p]
		g.Gap, g.in = &inst.Gaps[p], transpose(&inst.Gaps[p])
		n := len(g.Gap.Col)
		g.all = make([]float64, 2*n+2*g.Cols+g.Rows)
		g.Prices = cutPrices(g.all, g.Gap)
		all := make([]float64, n+g.Rows+g.Cols)
		g.lap = mapsolver.Problem{
			Rows: g.Rows, Cols: g.Cols, Ptr: g.Ptr, Col: g.Gap.Col,
			Cost: all[:n:n], RowMiss: all[n : n+g.Rows : n+g.Rows], ColMiss: all[n+g.Rows:],
		}
		g.next = slices.Repeat([]int32{-1}, g.Rows)
	}
	e.merger, e.scratch = newMerger(e.gaps), e.newAnswer()
	return e
}

// sequential runs rounds of a forward and a backward pass.
func (e *engine) sequential(ctx context.Context) error {
	const patience = 3 // rounds
	history := make([]float64, 0, e.opts.MaxRounds)
	for round := 1; round <= e.opts.MaxRounds; round++ {
		last := round == e.opts.MaxRounds
		if round > 2 && e.opts.Momentum > 0 {
			e.keep()
		}
		e.exchanges = last
		looked := round <= 2 || round%4 == 0 || last
		if err := e.round(ctx, looked); err != nil || e.done() {
			return err
		}
		history = append(history, e.result.LowerBound)
		if n := len(history); n > patience && history[n-1]-history[n-1-patience] < 1e-5*math.Abs(history[n-1]) {
			e.result.Status = Stalled
			if looked {
				return nil
			}
			e.exchanges = true
			return e.primal(ctx, false)
		}
	}
	e.result.Status = IterationLimit
	return nil
}

// round is a forward and a backward pass, each followed by a look for better
// answers if that is wanted. It ends early when done is true.
func (e *engine) round(ctx context.Context, look bool) error {
	if e.opts.Momentum > 0 && e.result.Rounds > 0 {
		for p := range e.gaps {
			e.gaps[p].momentum(e.opts.Momentum)
		}
	}
	e.result.Rounds++
	for _, forward := range [2]bool{true, false} {
		if err := e.sweep(ctx, forward); err != nil {
			return err
		}
		if look {
			if err := e.primal(ctx, forward); err != nil {
				return err
			}
		}
		e.record()
		if e.done() {
			break
		}
	}
	return nil
}

// momentum repeats the given share of the step that the multipliers took in the
// last round. A backward pass computes V from U and leaves nothing else behind,
// so U and Birth are the state that moves. The first step, from nothing, is not
// repeated.
func (g *gap) momentum(share float64) {
	x := g.all[:len(g.U)+len(g.Birth)]
	if g.last == nil {
		g.last = slices.Clone(x)
		return
	}
	last := g.last[:len(x)]
	for k, v := range x {
		x[k] += share * (v - last[k])
		last[k] = v
	}
}

// keep saves the prices when they prove more than those saved before.
func (e *engine) keep() {
	if e.bound <= e.kept {
		return
	}
	e.kept = e.bound
	for p := range e.gaps {
		g := &e.gaps[p]
		copy(g.Prices.Col, g.sol.V)
		g.best = append(g.best[:0], g.all...)
	}
}

// record appends to the trace and reports progress.
func (e *engine) record() {
	s := Step{Pass: e.pass, Lower: e.result.LowerBound, Upper: e.result.UpperBound}
	e.result.Trace = append(e.result.Trace, s)
	if e.opts.Progress != nil {
		e.opts.Progress(s)
	}
}

// done sets the status when the gap asked for is reached.
func (e *engine) done() bool {
	r := &e.result
	switch g := relativeGap(r.LowerBound, r.UpperBound); {
	case math.IsInf(r.UpperBound, 1):
		return false
	case e.tiny > 0:
		return r.UpperBound-r.LowerBound <= e.tiny
	case g <= optimalGap:
		r.Status = Optimal
	case g <= e.opts.Gap:
		r.Status = WithinGap
	default:
		return false
	}
	return true
}

// finish fills what the result promises beyond the loop: the best answer, and
// the prices that prove the bound, those of the last pass or those kept.
func (e *engine) finish() {
	r := &e.result
	r.Prices = make([]Prices, len(e.gaps))
	for p := range e.gaps {
		g := &e.gaps[p]
		copy(g.Prices.Col, g.sol.V)
		r.Prices[p] = g.Prices
	}
	if r.Status == Interrupted { // in the middle of a pass: see what its prices prove
		e.bound = Bound(e.inst, r.Prices)
		e.offer(e.newAnswer())
	}
	if e.kept > e.bound {
		e.bound = e.kept
		for p := range e.gaps {
			copy(e.gaps[p].all, e.gaps[p].best)
		}
	}
	r.Certified = min(e.bound, r.LowerBound)
	if r.Status == Interrupted {
		r.Certified = e.bound
		r.LowerBound = e.bound
	}
	if e.best != nil {
		r.Next = e.best.next
	}
	if t := r.Trace; len(t) > 0 { // what came after the last pass
		t[len(t)-1].Lower, t[len(t)-1].Upper = r.LowerBound, r.UpperBound
	}
}

// sweep is one pass over all gaps.
func (e *engine) sweep(ctx context.Context, forward bool) error {
	n := len(e.gaps)
	var bound float64
	for step := range n {
		p := step
		if !forward {
			p = n - 1 - step
		}
		g := &e.gaps[p]
		if forward && p > 0 {
			e.pullRight(p)
		}
		if !forward && p < n-1 {
			e.pullLeft(p)
		}
		value, err := e.solve(ctx, g)
		if err != nil {
			return err
		}
		bound += value
		for range e.opts.Balance {
			g.balance()
		}
		if forward && p < n-1 {
			g.pushRight()
		}
		if !forward && p > 0 {
			g.pushLeft()
		}
	}
	e.passed(bound)
	return nil
}

// passed takes note of the bound of a pass.
func (e *engine) passed(bound float64) {
	e.pass++
	e.bound = bound
	e.result.LowerBound = max(e.result.LowerBound, bound)
}

// solve builds and solves the X-LAP of g and keeps its matching.
func (e *engine) solve(ctx context.Context, g *gap) (value float64, err error) {
	cost, base, u, v := g.lap.Cost, g.Gap.Cost, g.U, g.V
	for a := range cost {
		cost[a] = base[a] + u[a] + v[a]
	}
	for i := range g.lap.RowMiss {
		g.lap.RowMiss[i] = g.RowMiss[i] + g.Death[i]
	}
	for j := range g.lap.ColMiss {
		g.lap.ColMiss[j] = g.ColMiss[j] + g.Birth[j]
	}
	var warm *mapsolver.Duals
	if g.sol.ColOf != nil {
		warm = &g.sol.Duals
	}
	e.list(&g.in.Columns)
	if err := e.solver.Solve(ctx, &g.sol, &g.lap, warm); err != nil {
		return 0, err
	}
	for i, a := range g.sol.EntryOf {
		g.next[i] = int32(a)
	}
	for _, x := range g.sol.U {
		value += x
	}
	for _, x := range g.sol.Duals.V {
		value += x
	}
	g.value = value
	e.result.Stats.Add(g.sol.Stats)
	return value, nil
}

// list tells the solver the pattern of its next problem by column, if it cares;
// nil: it has to see for itself.
func (e *engine) list(c *mapsolver.Columns) {
	if s, ok := e.solver.(*ssp.Solver); ok {
		s.Columns = c
	}
}

// pullRight sets the multipliers that gap p takes from the block on its left:
// V[b] = min over a of (D[a,b] − U[a]), deaths included, births among the a.
func (e *engine) pullRight(p int) {
	left, g, b := &e.gaps[p-1], &e.gaps[p], &e.inst.Blocks[p-1]
	for j := range g.Rows {
		lo, hi := g.Ptr[j], g.Ptr[j+1]
		v := g.V[lo:hi]
		width := len(v) + 1
		arcs := left.in.Entry[left.in.Ptr[j]:left.in.Ptr[j+1]]
		d := b.D[b.Ptr[j]:b.Ptr[j+1]]
		// The birth row comes last; it starts the minimum.
		row, u := d[len(arcs)*width:], left.Birth[j]
		for s := range v {
			v[s] = row[s] - u
		}
		death := row[width-1] - u
		for r, a := range arcs {
			row, u := d[r*width:(r+1)*width], left.U[a]
			for s := range v {
				if c := row[s] - u; c < v[s] {
					v[s] = c
				}
			}
			if c := row[width-1] - u; c < death {
				death = c
			}
		}
		for s := range v {
			if v[s] > maxPrice {
				v[s] = 0
			}
		}
		if death > maxPrice {
			death = 0
		}
		g.Death[j] = death
	}
}

// pullLeft sets the multipliers that gap p takes from the block on its right:
// U[a] = min over b of (D[a,b] − V[b]), births included, deaths among the b.
func (e *engine) pullLeft(p int) {
	g, right, b := &e.gaps[p], &e.gaps[p+1], &e.inst.Blocks[p]
	for j := range g.Cols {
		v := right.V[right.Ptr[j]:right.Ptr[j+1]]
		width := len(v) + 1
		death := right.Death[j]
		arcs := g.in.Entry[g.in.Ptr[j]:g.in.Ptr[j+1]]
		d := b.D[b.Ptr[j]:b.Ptr[j+1]]
		for r := 0; r <= len(arcs); r++ {
			row := d[r*width : (r+1)*width]
			least := row[len(v)] - death
			for s, x := range v {
				if c := row[s] - x; c < least {
					least = c
				}
			}
			if least > maxPrice {
				least = 0
			}
			if r < len(arcs) {
				g.U[arcs[r]] = least
			} else {
				g.Birth[j] = least
			}
		}
	}
}

// maxPrice is where a multiplier counts as infinite: an arc or an end all of
// whose combinations are forbidden keeps the multiplier 0, and its block
// entries stay infinite whatever the multiplier.
const maxPrice = math.MaxFloat64

// balance moves the prices of each matched pair to the middle between the
// second choice of its row and the second choice of its column. The prices stay
// feasible and optimal, and the pair stays tight.
func (g *gap) balance() {
	cost, alpha, beta := g.lap.Cost, g.sol.U, g.sol.Duals.V
	col := g.Gap.Col
	for i, a := range g.next {
		if a < 0 {
			continue
		}
		j := col[a]
		ai, bj := alpha[i], beta[j]
		hi := g.lap.RowMiss[i] - ai
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			if e == int(a) {
				continue
			}
			if r := cost[e] - beta[col[e]] - ai; r < hi {
				hi = r
			}
		}
		lo := g.lap.ColMiss[j] - bj
		for k := g.in.Ptr[j]; k < g.in.Ptr[j+1]; k++ {
			e := g.in.Entry[k]
			if e == a {
				continue
			}
			if r := cost[e] - alpha[g.in.Row[k]] - bj; r < lo {
				lo = r
			}
		}
		if hi > maxPrice || lo > maxPrice {
			continue
		}
		s := (max(hi, 0) - max(lo, 0)) / 2
		alpha[i] = ai + s
		beta[j] = bj - s
	}
}

// pushRight gives the reduced costs of the arcs and births to the block on the
// right.
func (g *gap) pushRight() {
	g.push(g.U)
	for j, b := range g.sol.Duals.V {
		if r := g.lap.ColMiss[j] - b; r > 0 && r <= maxPrice {
			g.Birth[j] -= r
		}
	}
}

// pushLeft gives the reduced costs of the arcs and deaths to the block on the
// left.
func (g *gap) pushLeft() {
	g.push(g.V)
	for i, a := range g.sol.U {
		if r := g.lap.RowMiss[i] - a; r > 0 && r <= maxPrice {
			g.Death[i] -= r
		}
	}
}

func (g *gap) push(to []float64) {
	cost, alpha, beta, col := g.lap.Cost, g.sol.U, g.sol.Duals.V, g.Gap.Col
	for i := range g.Rows {
		ai := alpha[i]
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			if r := cost[e] - beta[col[e]] - ai; r > 0 {
				to[e] -= r
			}
		}
	}
}

// parallel is the published scheme: U[a] = min over b of (D[a,b] − V[b]) in all
// blocks, all X-LAPs, all reduced costs to the left.
func (e *engine) parallel(ctx context.Context) error {
	const patience = 5 // iterations, and 0.1 % [1, Algorithm 1, step 2]
	var history []float64
	e.exchanges = true
	for it := 1; it <= e.opts.MaxRounds; it++ {
		for p := range len(e.gaps) - 1 {
			e.pullLeft(p)
		}
		var bound float64
		for p := range e.gaps {
			value, err := e.solve(ctx, &e.gaps[p])
			if err != nil {
				return err
			}
			bound += value
		}
		e.passed(bound)
		e.result.Rounds = it
		if err := e.primal(ctx, true); err != nil {
			return err
		}
		for p := 1; p < len(e.gaps); p++ {
			e.gaps[p].pushLeft()
		}
		e.record()
		if e.done() {
			return nil
		}
		history = append(history, e.result.LowerBound)
		if n := len(history); n > patience && history[n-1]-history[n-1-patience] < 1e-3*math.Abs(history[n-1]) {
			e.result.Status = Stalled
			return nil
		}
	}
	e.result.Status = IterationLimit
	return nil
}
