package dualascent

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"mtt/internal/forest"
	"mtt/internal/slab"
	"mtt/internal/workers"
)

// This file solves an instance that falls apart.
//
// Problem. In a large scene a node has few arcs, and what these join, over all frames, mostly is a
// few dozen nodes. An ascent of all goes through the whole of memory with each pass, one gap after
// the other, and until the last node has what it needs.
//
// Idea. Nodes that no arcs join share no cost, so the problem is the sum of those of its
// components. These are put together, in the order of their first nodes, to parts of about
// partCosts costs, which the processor's cache holds; each is solved by itself, many at a time, the
// largest by all workers, and ends where its own bounds meet.
//
// Invariant. Parts depend on the arcs and on what is given alone, so the result does not depend on
// the number of workers. Multipliers, answer and bounds of the parts side by side are those of the
// whole: nodes keep their order within a part, so the arcs of a node follow each other here as
// there, and the block of a node is copied as it is.
//
// Cost. One look at all arcs to find the components, and one copy of partsAtOnce parts, or of two
// for each worker: they are cut out side by side.

// An instance of apartCosts costs or more is looked at for parts, which have at least partCosts.
// Tests make both less.
var apartCosts, partCosts = 300_000, 60_000

// A split says which part each node of an instance is in.
type split struct {
	inst  *Instance
	parts int
	large []int     // parts with a component of a quarter of the costs or more
	nodes [][]int32 // of each frame: its nodes by part, ascending in each
	ptr   [][]int32 // of each frame: where the nodes of part k begin
	end   [][]int32 // of each frame: where those of part k end
	at    [][]int32 // of each frame, node: which one of the nodes of its part in that frame it is
	label [][]int32 // of each frame, node: its component
	comps []int32   // comps[k] is the first component of part k, the last their number
	costs []int     // of each part
	spans []extent  // of each part: the frames that have nodes of it
}

// An extent is a range of frames, both ends included.
type extent struct{ first, last int }

// frameNodes is the number of nodes of frame f of an instance that has gaps.
func (inst *Instance) frameNodes(f int) int {
	if f == len(inst.Pairs) {
		return inst.Pairs[f-1].Cols
	}
	return inst.Pairs[f].Rows
}

// split splits an instance by the components of its arcs; nil where it is small, or one of them has
// half of the costs or more.
func (inst *Instance) split(goroutines int) *split {
	n := len(inst.Pairs)
	size := inst.size()
	if size == 0 || size < apartCosts {
		return nil
	}
	first := make([]int, n+2) // of each frame: number of its first node
	for f := range n + 1 {
		first[f+1] = first[f] + inst.frameNodes(f)
	}
	if first[n+1] > math.MaxInt32 {
		return nil
	}
	label := inst.components(first)
	costs := make([]int, slices.Max(label)+1) // of each component
	for f := range n {
		g := &inst.Pairs[f]
		into := 1
		for i := range g.Rows {
			outs := g.Ptr[i+1] - g.Ptr[i] + 1
			if f > 0 && inst.Blocks[f-1].Differences == nil {
				b := &inst.Blocks[f-1]
				into = (b.Ptr[i+1] - b.Ptr[i]) / outs
			}
			costs[label[first[f]+i]] += outs * (into + 1)
		}
	}
	all := 0 // in blocks with values, fewer than size
	for _, c := range costs {
		all += c
	}
	parts, have := 0, 0
	part := make([]int32, len(costs)) // of each component
	var large []int
	var comps []int32 // first of each part
	var whole []int   // costs of each part
	for k, c := range costs {
		if 2*c >= all {
			return nil
		}
		if have > 0 && have+c > partCosts {
			parts, have = parts+1, 0
		}
		if 4*c >= all && !slices.Contains(large, parts) {
			large = append(large, parts)
		}
		if part[k] = int32(parts); len(comps) <= parts {
			comps, whole = append(comps, int32(k)), append(whole, 0)
		}
		whole[parts] += c
		have += c
	}
	s := &split{inst: inst, parts: parts + 1, large: large, comps: append(comps, int32(len(costs))), costs: whole}
	s.place(first, label, part, goroutines)
	return s
}

// place notes where the nodes of each part are: first has the number of the first node of each
// frame, label the component of each node, and part the part of each component.
func (s *split) place(first []int, label, part []int32, goroutines int) {
	n := len(s.inst.Pairs)
	s.nodes, s.ptr, s.end, s.at, s.label = make([][]int32, n+1), make([][]int32, n+1), make([][]int32, n+1), make([][]int32, n+1), make([][]int32, n+1)
	s.spans = make([]extent, s.parts)
	for k := range s.spans {
		s.spans[k].first = n + 1 // not seen yet
	}
	for f := range n + 1 {
		for _, c := range label[first[f]:first[f+1]] {
			x := &s.spans[part[c]]
			x.first, x.last = min(x.first, f), f
		}
	}
	workers.Each(goroutines, n+1, func(_, f int) {
		of := label[first[f]:first[f+1]] // component of each node
		ptr := make([]int32, s.parts+2)
		for _, c := range of {
			ptr[part[c]+2]++
		}
		for k := range s.parts {
			ptr[k+2] += ptr[k+1]
		}
		nodes, at := make([]int32, len(of)), make([]int32, len(of))
		begin := slices.Clone(ptr[1:])
		for i, c := range of {
			k := part[c]
			nodes[ptr[k+1]] = int32(i)
			at[i] = ptr[k+1] - begin[k]
			ptr[k+1]++
		}
		s.nodes[f], s.ptr[f], s.end[f], s.at[f], s.label[f] = nodes, ptr[:s.parts], slices.Clone(ptr[1:s.parts+1]), at, of
	})
}

// components labels the component of each node, all nodes counted from first of their frames on:
// from 0, in order of their first nodes.
func (inst *Instance) components(first []int) []int32 {
	joined := forest.New(first[len(first)-1])
	for f := range inst.Pairs {
		g := &inst.Pairs[f]
		for i := range g.Rows {
			for _, j := range g.Col[g.Ptr[i]:g.Ptr[i+1]] {
				joined.Join(int32(first[f]+i), int32(first[f+1])+j)
			}
		}
	}
	return joined.Labels()
}

// of are the nodes of part k in frame f.
func (s *split) of(f, k int) []int32 { return s.nodes[f][s.ptr[f][k]:s.end[f][k]] }

// A fragment is the instance of a part in the gaps that have something of it, and where it begins.
// Its slices are reused for the next part.
type fragment struct {
	from   int // its first gap
	inst   Instance
	prices []Prices
	next   [][]int32
}

// A piece is one of some parts that are cut out side by side, solved, and put back.
type piece struct {
	fragment
	k       int
	open    bool    // it is to be solved
	settled meeting // bounds of components that need no look
	res     *Result

	each    []meeting // of each component, at what is known
	known   Result    // of all there
	matched bool      // the answer that is known is one
}

// partsAtOnce is the number of parts that are cut out side by side, one gap after the other: the
// nodes of a part lie far from each other, and by itself each would be a look into memory that no
// cache holds.
const partsAtOnce = 16

// reserve has room for n gaps.
func (f *fragment) reserve(n int) {
	f.inst.Pairs, f.inst.Blocks = slab.Keep(f.inst.Pairs, n), slab.Keep(f.inst.Blocks, n-1)
	f.prices, f.next = slab.Keep(f.prices, n), slab.Keep(f.next, n)
}

// has says whether a gap of the whole is one of the fragment.
func (f *fragment) has(p int) bool { return p >= f.from && p < f.from+len(f.inst.Pairs) }

// near are the gaps from ≤ p < to beside the frames that had nodes of part k when it was split.
func (s *split) near(k int) (from, to int) {
	x := &s.spans[k]
	return max(0, x.first-1), min(len(s.inst.Pairs), x.last+1)
}

// span is the range of gaps that have nodes of part k: parts of a long scene are in few, and all
// together would else take parts times gaps. It begins at an even one, as the whole does: even and
// odd gaps go by turns.
func (s *split) span(k int) (from, to int) {
	empty := func(p int) bool { return len(s.of(p, k)) == 0 && len(s.of(p+1, k)) == 0 }
	from, to = s.near(k)
	for from < to-1 && empty(from) {
		from++
	}
	for from < to-1 && empty(to-1) {
		to--
	}
	return from &^ 1, to
}

// cutGap makes gap p of part k, with the prices and the answer of the whole that opts have.
func (s *split) cutGap(f *fragment, p, k int, opts *Options) {
	q := p - f.from
	g, h := &s.inst.Pairs[p], &f.inst.Pairs[q]
	rows, cols, at := s.of(p, k), s.of(p+1, k), s.at[p+1]
	h.Rows, h.Cols = len(rows), len(cols)
	h.Ptr, h.Col, h.Cost = append(h.Ptr[:0], 0), h.Col[:0], h.Cost[:0]
	for _, i := range rows {
		lo, hi := g.Ptr[i], g.Ptr[i+1]
		for _, j := range g.Col[lo:hi] {
			h.Col = append(h.Col, at[j])
		}
		h.Cost = append(h.Cost, g.Cost[lo:hi]...)
		h.Ptr = append(h.Ptr, len(h.Col))
	}
	h.RowMiss, h.ColMiss = pickInto(h.RowMiss, g.RowMiss, rows), pickInto(h.ColMiss, g.ColMiss, cols)
	if opts.Prices != nil {
		from, to := &opts.Prices[p], &f.prices[q]
		to.U, to.V = pickArcs(to.U[:0], from.U, g, rows), pickArcs(to.V[:0], from.V, g, rows)
		to.Birth, to.Death, to.Col = pickInto(to.Birth, from.Birth, cols), pickInto(to.Death, from.Death, rows), pickInto(to.Col, from.Col, cols)
	}
	if opts.Next != nil {
		next := f.next[q][:0]
		for r, i := range rows {
			arc := opts.Next[p][i]
			if arc >= 0 {
				if int(arc) < g.Ptr[i] || int(arc) >= g.Ptr[i+1] {
					panic(badArc)
				}
				arc += int32(h.Ptr[r] - g.Ptr[i])
			}
			next = append(next, arc)
		}
		f.next[q] = next
	}
}

// cutBlock makes the block of frame p of part k, whose gaps are made.
func (s *split) cutBlock(f *fragment, p, k int) {
	q := p - f.from
	f.inst.Blocks[q-1] = s.block(&f.inst.Blocks[q-1], f.inst.Pairs[q-1:q+1], p, k)
}

// block is the block of frame p in part k, between the gaps given; its slices are those of dst.
func (s *split) block(dst *Block, sides []FramePair, p, k int) Block {
	b := &s.inst.Blocks[p-1]
	nodes := s.of(p, k)
	if d := b.Differences; d != nil {
		left, right, tails := &s.inst.Pairs[p-1], &s.inst.Pairs[p], s.of(p-1, k)
		f := &Differences{
			In: pickArcs(nil, d.In, left, tails), Death: pickArcs(nil, d.Death, left, tails),
			Out: pickArcs(nil, d.Out, right, nodes), Birth: pickArcs(nil, d.Birth, right, nodes),
			Alone: pickInto(nil, d.Alone, nodes),
		}
		return f.Block(&sides[0], &sides[1])
	}
	c := Block{Ptr: append(dst.Ptr[:0], 0), D: dst.D[:0]}
	for _, j := range nodes {
		c.D = append(c.D, b.D[b.Ptr[j]:b.Ptr[j+1]]...)
		c.Ptr = append(c.Ptr, len(c.D))
	}
	return c
}

// pickInto is pick into a slice that is reused.
func pickInto(dst, from []float64, at []int32) []float64 {
	dst = dst[:0]
	for _, i := range at {
		dst = append(dst, from[i])
	}
	return dst
}

// pickArcs appends what the arcs of some rows of g have to dst.
func pickArcs(dst, from []float64, g *FramePair, rows []int32) []float64 {
	for _, i := range rows {
		dst = append(dst, from[g.Ptr[i]:g.Ptr[i+1]]...)
	}
	return dst
}

// putArcs is the reverse of pickArcs.
func putArcs(to, from []float64, g *FramePair, rows []int32) {
	for _, i := range rows {
		from = from[copy(to[g.Ptr[i]:g.Ptr[i+1]], from):]
	}
}

// putGap puts what was found of gap p of part k into the result of the whole.
func (s *split) putGap(whole *Result, f *fragment, p, k int, res *Result) {
	q := p - f.from
	g, h := &s.inst.Pairs[p], &f.inst.Pairs[q]
	rows, cols := s.of(p, k), s.of(p+1, k)
	to, from := &whole.Prices[p], &res.Prices[q]
	putArcs(to.U, from.U, g, rows)
	putArcs(to.V, from.V, g, rows)
	for r, i := range rows {
		to.Death[i] = from.Death[r]
	}
	for c, j := range cols {
		to.Birth[j], to.Col[j] = from.Birth[c], from.Col[c]
	}
	if res.Next == nil {
		return
	}
	for r, i := range rows {
		arc := res.Next[q][r]
		if arc >= 0 {
			arc += int32(g.Ptr[i] - h.Ptr[r])
		}
		whole.Next[p][i] = arc
	}
}

// solve is Solve of all parts.
func (s *split) solve(ctx context.Context, opts *Options) (*Result, error) {
	n := len(s.inst.Pairs)
	if opts.Prices != nil && len(opts.Prices) != n || opts.Next != nil && len(opts.Next) != n {
		panic(badShape)
	}
	whole := &Result{Prices: make([]Prices, n)}
	if !opts.NoAnswer {
		whole.Next = make([][]int32, n)
	}
	for p := range s.inst.Pairs {
		g := &s.inst.Pairs[p]
		if opts.Prices != nil && !opts.Prices[p].fits(g) || opts.Next != nil && len(opts.Next[p]) != g.Rows {
			panic(badShape)
		}
		whole.Prices[p] = cutPrices(make([]float64, 2*len(g.Col)+2*g.Cols+g.Rows), g)
		if !opts.NoAnswer {
			whole.Next[p] = make([]int32, g.Rows)
		}
	}
	results, errs := make([]Result, s.parts), make([]error, s.parts)
	goroutines := max(1, opts.Workers)
	atOnce := min(max(partsAtOnce, 2*goroutines), s.parts)
	glances, pieces := make([]glance, min(goroutines, s.parts)), make([]piece, atOnce)
	known := s.known(opts)
	if known {
		s.keep(whole, opts)
	}
	var told struct {
		sync.Mutex
		Step
	}
	note := func(k int, res *Result) {
		results[k] = *res
		if opts.Progress != nil {
			told.Lock()
			defer told.Unlock()
			told.Pass, told.Lower, told.Upper = max(told.Pass, 2*res.Rounds), told.Lower+res.LowerBound, told.Upper+res.UpperBound
			opts.Progress(told.Step)
		}
	}
	// all solves parts, by so many goroutines each.
	all := func(parts []int, each int) {
		pieces := pieces[:len(parts)]
		for n, k := range parts {
			x := &pieces[n]
			x.k, x.res, x.settled, x.open = k, nil, meeting{}, true
		}
		if known {
			shares := min(len(glances), len(parts))
			workers.Each(shares, shares, func(_, w int) {
				own := pieces[w*len(parts)/shares : (w+1)*len(parts)/shares]
				s.met(&glances[w], own, opts)
				for n := range own {
					switch x := &own[n]; {
					case !x.open:
						note(x.k, &x.known)
					case x.matched:
						x.settled = s.narrow(x)
					}
				}
			})
		}
		for n := range pieces {
			if x := &pieces[n]; x.open {
				from, to := s.span(x.k)
				x.from = from
				x.reserve(to - from)
			}
		}
		workers.Each(goroutines, len(s.inst.Pairs), func(_, p int) {
			for n := range pieces {
				if x := &pieces[n]; x.open && x.has(p) {
					s.cutGap(&x.fragment, p, x.k, opts)
				}
			}
		})
		workers.Each(goroutines, len(s.inst.Blocks), func(_, b int) {
			for n := range pieces {
				if x := &pieces[n]; x.open && x.has(b) && x.has(b+1) {
					s.cutBlock(&x.fragment, b+1, x.k)
				}
			}
		})
		workers.Each(max(1, goroutines/each), len(parts), func(_, n int) {
			x := &pieces[n]
			if !x.open {
				return
			}
			o := *opts
			o.Workers, o.Progress = each, nil
			if o.Prices != nil {
				o.Prices = x.prices
			}
			if o.Next != nil {
				o.Next = x.next
			}
			if size := x.inst.size(); size > 0 {
				o.Effort *= max(1, float64(s.costs[x.k])/float64(size)) // as much work as if all of the part were there
			}
			x.res, errs[x.k] = solveWhole(ctx, &x.inst, &o)
		})
		workers.Each(goroutines, len(s.inst.Pairs), func(_, p int) {
			for n := range pieces {
				if x := &pieces[n]; x.res != nil && x.has(p) {
					s.putGap(whole, &x.fragment, p, x.k, x.res)
				}
			}
		})
		for n := range pieces {
			x := &pieces[n]
			if x.res == nil {
				continue
			}
			x.res.Prices, x.res.Next = nil, nil
			x.res.LowerBound, x.res.UpperBound, x.res.Certified = x.res.LowerBound+x.settled.lower, x.res.UpperBound+x.settled.upper, x.res.Certified+x.settled.lower
			for t := range x.res.Trace {
				x.res.Trace[t].Lower, x.res.Trace[t].Upper = x.res.Trace[t].Lower+x.settled.lower, x.res.Trace[t].Upper+x.settled.upper
			}
			note(x.k, x.res)
			x.res = nil
		}
	}
	for _, k := range s.large {
		all([]int{k}, goroutines)
	}
	small := make([]int, 0, s.parts)
	for k := range s.parts {
		if !slices.Contains(s.large, k) {
			small = append(small, k)
		}
	}
	for list := range slices.Chunk(small, atOnce) {
		all(list, 1)
	}
	err := whole.add(results, errs)
	if err != nil && (opts.Whole || ctx.Err() == nil) {
		return nil, err
	}
	if math.IsInf(whole.UpperBound, 1) {
		whole.Next = nil
	}
	if whole.Status != Interrupted {
		switch gap := relativeGap(whole.LowerBound, whole.UpperBound); {
		case math.IsInf(whole.UpperBound, 1):
		case gap <= optimalGap:
			whole.Status = Optimal
		case gap <= opts.Gap:
			whole.Status = WithinGap
		}
	}
	return whole, err
}

// add adds up the results of all parts. Their errors are one: that of the first part that has one,
// what ended with the context coming last.
func (r *Result) add(results []Result, errs []error) (err error) {
	passes := 0
	for k := range results {
		passes = max(passes, len(results[k].Trace))
	}
	r.Trace = make([]Step, passes)
	for k := range results {
		if e := errs[k]; e != nil && (err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
			err = e
		}
		x := &results[k]
		r.Status, r.Rounds = max(r.Status, x.Status), max(r.Rounds, x.Rounds)
		r.LowerBound, r.UpperBound, r.Certified = r.LowerBound+x.LowerBound, r.UpperBound+x.UpperBound, r.Certified+x.Certified
		r.Stats.Add(x.Stats)
		for t := range r.Trace {
			last := Step{Lower: x.LowerBound, Upper: x.UpperBound}
			if t < len(x.Trace) {
				last = x.Trace[t]
			}
			r.Trace[t].Pass = t + 1
			r.Trace[t].Lower += last.Lower
			r.Trace[t].Upper += last.Upper
			r.Trace[t].Parts += last.Parts
		}
	}
	return err
}
