package dualascent

import (
	"context"
	"math"

	"mtt/internal/slab"
	"mtt/internal/workers"
	"mtt/mapsolver"
)

// This file holds the passes.
//
// The gaps are cut into chunks, by the size of the problem alone, never by the
// number of workers, so that the result does not depend on it. In the first pass
// of a round the chunks of even number are visited forward and the others
// backward, in the second the other way round. So two chunks either both push
// into the node blocks at the cut between them, or both begin there, once these
// have shared out what they have; in between each minds its own gaps and blocks.

// A worker passes chunks.
type worker struct {
	solver mapsolver.Solver
	lap    mapsolver.Problem // the X-LAP of the gap at hand: costs C+U+V
	sol    mapsolver.Solution
	stats  mapsolver.Stats
	normal normaliser

	rematch   rematch
	exchanged exchange
}

// A chunk has at least chunkCosts costs, for the work to be worth handing over, and at least
// chunkGaps frame pairs, for the news of a pass to travel. Tests make chunks smaller.
var chunkCosts, chunkGaps = 300_000, 20

// chunks cuts the gaps into chunks. It returns the first gap of each, and the
// number of gaps.
func (inst *Instance) chunks() []int {
	costs, gaps := chunkCosts, chunkGaps
	n := len(inst.Pairs)
	cuts, size := []int{0}, 0
	for p := range n {
		size += len(inst.Pairs[p].Col) + inst.Pairs[p].Rows
		if p > 0 {
			size += pairs(&inst.Pairs[p-1], &inst.Pairs[p])
		}
		if size >= costs && p+1-cuts[len(cuts)-1] >= gaps && n-(p+1) >= gaps {
			cuts, size = append(cuts, p+1), 0
		}
	}
	return append(cuts, n)
}

// A goroutine of its own is worth it for nodes with nodeCosts costs. Tests make it less.
var nodeCosts = 50_000

// byNode calls do for the nodes of frame p, in ranges that goroutines share where its block is
// large: a chunk whose gaps hold most of the costs would keep the others waiting. What do writes
// belongs to the nodes that it is called for.
func (e *engine) byNode(p int, do func(e *engine, p, from, to int)) {
	n := e.gaps[p].Rows
	ranges := min(n, e.blockWork(p)/nodeCosts)
	if e.shared == 1 || ranges <= 1 {
		do(e, p, 0, n)
		return
	}
	workers.Each(e.shared, ranges, func(_, k int) { do(e, p, k*n/ranges, (k+1)*n/ranges) })
}

// blockWork is what a look at the block on the left of gap p takes, as a number of costs.
func (e *engine) blockWork(p int) int {
	b := &e.inst.Blocks[p-1]
	if f := b.Differences; f != nil {
		return fewPairs * (len(f.In) + len(f.Out))
	}
	return len(b.D)
}

// eachChunk calls do for every chunk, spread over the workers, and returns the
// error of the first chunk that has one.
func (e *engine) eachChunk(do func(w *worker, k int) error) error {
	n := len(e.cuts) - 1
	if len(e.workers) == 1 {
		for k := range n {
			if err := do(e.workers[0], k); err != nil {
				return err
			}
		}
		return nil
	}
	errs := make([]error, n)
	workers.Each(len(e.workers), n, func(w, k int) { errs[k] = do(e.workers[w], k) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// each calls do for every gap, spread over goroutines: by gap, as a few may hold most of the
// costs, and by some at a time where they are many.
func (e *engine) each(do func(p int)) {
	e.eachRange(func(from, to int) {
		for p := from; p < to; p++ {
			do(p)
		}
	})
}

// eachRange is each that hands out the gaps from ≤ p < to together.
func (e *engine) eachRange(do func(from, to int)) {
	n := len(e.gaps)
	jobs := min(n, 64*e.shared)
	workers.Each(e.shared, jobs, func(_, k int) { do(k*n/jobs, (k+1)*n/jobs) })
}

// A stock is where the lists of some gaps come from.
type stock struct {
	floats slab.Stock[float64]
	words  slab.Stock[int32]
	ints   slab.Stock[int]
}

// none is a list of n times -1.
func (s *stock) none(n int) []int32 {
	list := s.words.Make(n)
	slab.Fill(list, -1)
	return list
}

// transpose is [transpose].
func (s *stock) transpose(g *FramePair) columns {
	c := columns{pos: s.words.Make(len(g.Col))}
	c.Ptr, c.Row, c.Entry = s.ints.Make(g.Cols+1), s.words.Make(len(g.Col)), s.words.Make(len(g.Col))
	c.fill(g)
	return c
}

// forward says in which direction chunk k is visited in the first pass of a round,
// or in the second.
func forward(k int, first bool) bool { return (k%2 == 0) == first }

// sweep is one pass over all gaps: the first or the second of a round.
func (e *engine) sweep(ctx context.Context, first bool) error { return e.sweepBy(ctx, first, 1) }

// level is a sweep that pushes half of the reduced costs on. After a round these lie at one end of
// where they matter; now each gap has its share, which says of each option by itself what it costs.
// The bound does not fall.
func (e *engine) level(ctx context.Context) error { return e.sweepBy(ctx, true, 0.5) }

// sweepBy is a pass that pushes a share of the reduced costs on.
func (e *engine) sweepBy(ctx context.Context, first bool, share float64) error {
	for k := 1; k < len(e.cuts)-1; k++ {
		p := e.cuts[k]
		switch {
		case !forward(k, first) && e.pass > 0 && !e.opened: // two chunks end here
		case e.result.Rounds%2 == 0:
			e.pullRight(p)
			e.pullLeft(p - 1)
		default:
			e.pullLeft(p - 1)
			e.pullRight(p)
		}
	}
	e.opened = false
	if err := e.eachChunk(func(w *worker, k int) error {
		return e.passChunk(ctx, w, e.cuts[k], e.cuts[k+1], forward(k, first), share)
	}); err != nil {
		return err
	}
	var bound float64
	for p := range e.gaps {
		bound += e.gaps[p].value
	}
	e.passed(bound)
	return nil
}

// passChunk passes the gaps from ≤ p < to.
func (e *engine) passChunk(ctx context.Context, w *worker, from, to int, forward bool, share float64) error {
	for step := range to - from {
		p := from + step
		if !forward {
			p = to - 1 - step
		}
		g := &e.gaps[p]
		if forward && p > from {
			e.pullRight(p)
		}
		if !forward && p < to-1 {
			e.pullLeft(p)
		}
		if err := w.solve(ctx, g); err != nil {
			return err
		}
		for range e.opts.Balance {
			w.balance(g)
		}
		if forward && p < len(e.gaps)-1 {
			w.pushRight(g, share)
		}
		if !forward && p > 0 {
			w.pushLeft(g, share)
		}
	}
	return nil
}

// passed takes note of the bound of a pass.
func (e *engine) passed(bound float64) {
	e.pass++
	e.bound = bound
	e.result.LowerBound = max(e.result.LowerBound, bound)
	for _, w := range e.workers {
		e.result.Stats.Add(w.stats)
		w.stats = mapsolver.Stats{}
	}
}

// pose builds the X-LAP of g.
func (w *worker) pose(g *gap) {
	p := &w.lap
	p.Rows, p.Cols, p.Ptr, p.Col = g.Rows, g.Cols, g.Ptr, g.FramePair.Col
	p.Cost, p.RowMiss, p.ColMiss = slab.Grow(p.Cost, len(p.Col)), slab.Grow(p.RowMiss, p.Rows), slab.Grow(p.ColMiss, p.Cols)
	base, u, v := g.FramePair.Cost, g.U, g.V
	for a := range p.Cost {
		p.Cost[a] = base[a] + u[a] + v[a]
	}
	for i := range p.RowMiss {
		p.RowMiss[i] = g.RowMiss[i] + g.Death[i]
	}
	for j := range p.ColMiss {
		p.ColMiss[j] = g.ColMiss[j] + g.Birth[j]
	}
}

// solve builds and solves the X-LAP of g, starting from what was found last, and
// keeps its prices and its matching.
func (w *worker) solve(ctx context.Context, g *gap) error {
	w.pose(g)
	s := &w.sol
	s.ColOf, s.EntryOf = slab.Grow(s.ColOf, g.Rows), slab.Grow(s.EntryOf, g.Rows)
	var warm *mapsolver.Duals
	if g.solved {
		for i, a := range g.next {
			s.ColOf[i], s.EntryOf[i] = -1, int(a)
			if a >= 0 {
				s.ColOf[i] = g.FramePair.Col[a]
			}
		}
		s.V = append(s.V[:0], g.Prices.Col...)
		warm = &s.Duals
	}
	w.list(&g.in.Columns)
	if err := w.solver.Solve(ctx, s, &w.lap, warm); err != nil {
		return err
	}
	g.solved = true
	for i, a := range s.EntryOf {
		g.next[i] = int32(a)
	}
	copy(g.row, s.U)
	copy(g.Prices.Col, s.V)
	g.value = 0
	for _, x := range g.row {
		g.value += x
	}
	for _, x := range g.Prices.Col {
		g.value += x
	}
	w.stats.Add(s.Stats)
	return nil
}

// list tells the solver the pattern of its next problem by column, if it cares;
// nil: it has to see for itself.
func (w *worker) list(c *mapsolver.Columns) {
	if s, ok := w.solver.(mapsolver.PatternUser); ok {
		s.UseColumns(c)
	}
}

// pullRight sets the multipliers that gap p takes from the block on its left:
// V[b] = min over a of (D[a,b] − U[a]), deaths included, births among the a.
func (e *engine) pullRight(p int) { e.byNode(p, (*engine).pullRightAt) }

// pullRightAt is pullRight for the nodes from ≤ j < to.
func (e *engine) pullRightAt(p, from, to int) {
	if r := e.gaps[p].rank; r != nil {
		r.beside(from).pullRight(&e.gaps[p-1].Prices, &e.gaps[p].Prices, from, to)
		return
	}
	left, g, b := &e.gaps[p-1], &e.gaps[p], &e.inst.Blocks[p-1]
	for j := from; j < to; j++ {
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
				v[s] = min(v[s], row[s]-u)
			}
			death = min(death, row[width-1]-u)
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
func (e *engine) pullLeft(p int) { e.byNode(p+1, (*engine).pullLeftAt) }

// pullLeftAt is pullLeft of gap p-1 for the nodes from ≤ j < to.
func (e *engine) pullLeftAt(p, from, to int) {
	if r := e.gaps[p].rank; r != nil {
		r.beside(from).pullLeft(&e.gaps[p-1].Prices, &e.gaps[p].Prices, from, to)
		return
	}
	g, right, b := &e.gaps[p-1], &e.gaps[p], &e.inst.Blocks[p-1]
	for j := from; j < to; j++ {
		v := right.V[right.Ptr[j]:right.Ptr[j+1]]
		width := len(v) + 1
		death := right.Death[j]
		arcs := g.in.Entry[g.in.Ptr[j]:g.in.Ptr[j+1]]
		d := b.D[b.Ptr[j]:b.Ptr[j+1]]
		for r := 0; r <= len(arcs); r++ {
			row := d[r*width : (r+1)*width]
			least := row[len(v)] - death
			for s, x := range v {
				least = min(least, row[s]-x)
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

// least is the sum of the least values of the blocks on the left of gap p.
func (e *engine) least(p int) (sum float64) {
	g := &e.gaps[p]
	if g.rank != nil {
		return g.rank.least(&e.gaps[p-1].Prices, &g.Prices)
	}
	for j := range g.Rows {
		sum += e.leastAt(p, j)
	}
	return sum
}

// leastAt is the least value of node j of the block on the left of gap p, which has costs.
func (e *engine) leastAt(p, j int) float64 {
	left, g, b := &e.gaps[p-1], &e.gaps[p], &e.inst.Blocks[p-1]
	v := g.V[g.Ptr[j]:g.Ptr[j+1]]
	arcs := left.in.Entry[left.in.Ptr[j]:left.in.Ptr[j+1]]
	d := b.D[b.Ptr[j]:b.Ptr[j+1]]
	least := math.Inf(1)
	for r := 0; r <= len(arcs); r++ {
		u := left.Birth[j]
		if r < len(arcs) {
			u = left.U[arcs[r]]
		}
		for s, x := range v {
			least = min(least, d[s]-u-x)
		}
		least = min(least, d[len(v)]-u-g.Death[j])
		d = d[len(v)+1:]
	}
	return least
}

// maxPrice is where a multiplier counts as infinite: an arc or an end all of
// whose combinations are forbidden keeps the multiplier 0, and its block
// entries stay infinite whatever the multiplier.
const maxPrice = math.MaxFloat64

// balance moves the prices of each matched pair to the middle between the
// second choice of its row and the second choice of its column. The prices stay
// feasible and optimal, and the pair stays tight.
//
// While the second choices are looked for the pair itself is out of reach, and what is least is
// taken without a branch: who guesses which of a dozen costs is the least so far guesses wrong
// three times.
func (w *worker) balance(g *gap) {
	cost, alpha, beta := w.lap.Cost, g.row, g.Prices.Col
	col := g.FramePair.Col
	for i, a := range g.next {
		if a < 0 {
			continue
		}
		j := col[a]
		ai, bj := alpha[i], beta[j]
		alpha[i], beta[j] = math.Inf(-1), math.Inf(-1)
		from, to := g.Ptr[i], g.Ptr[i+1]
		cols := col[from:to]
		hi := w.lap.RowMiss[i]
		for s, c := range cost[from:to] {
			hi = min(hi, c-beta[cols[s]])
		}
		from, to = g.in.Ptr[j], g.in.Ptr[j+1]
		rows := g.in.Row[from:to]
		lo := w.lap.ColMiss[j]
		for s, e := range g.in.Entry[from:to] {
			lo = min(lo, cost[e]-alpha[rows[s]])
		}
		hi, lo = hi-ai, lo-bj
		alpha[i], beta[j] = ai, bj
		if hi > maxPrice || lo > maxPrice {
			continue
		}
		s := (max(hi, 0) - max(lo, 0)) / 2
		alpha[i] = ai + s
		beta[j] = bj - s
	}
}

// pushRight gives a share of the reduced costs of the arcs and births to the block on the
// right.
func (w *worker) pushRight(g *gap, share float64) {
	w.push(g, g.U, share)
	for j, b := range g.Prices.Col {
		if r := w.lap.ColMiss[j] - b; r > 0 && r <= maxPrice {
			g.Birth[j] -= share * r
		}
	}
}

// pushLeft gives a share of the reduced costs of the arcs and deaths to the block on the
// left.
func (w *worker) pushLeft(g *gap, share float64) {
	w.push(g, g.V, share)
	for i, a := range g.row {
		if r := w.lap.RowMiss[i] - a; r > 0 && r <= maxPrice {
			g.Death[i] -= share * r
		}
	}
}

func (w *worker) push(g *gap, to []float64, share float64) {
	cost, alpha, beta, col := w.lap.Cost, g.row, g.Prices.Col, g.FramePair.Col
	for i := range g.Rows {
		ai := alpha[i]
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			if r := cost[e] - beta[col[e]] - ai; r > 0 {
				to[e] -= share * r
			}
		}
	}
}
