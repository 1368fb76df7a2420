package trackgraph

import (
	"context"
	"errors"
	"slices"
)

// This file looks for prices and answers of a large graph among the arcs that its best answers are
// likely to have.
//
// Prices say of each arc how much dearer an answer with it is, at least: its slack. Most arcs of a
// crowd have far more than arcs of good answers have; of 747,379 arcs and 3.6 million divisions of
// a cell culture of 31,067 detections 66,000 and 60,000 have less than 1. So a graph of few arcs is
// solved, then one of twice as many, which begins with the answer of that before, and so on: what a
// good answer is worth to the search, small balls, is had in the small problem. Nothing is proved
// by it: that is left to the whole graph, whose search begins with the last answer.

// Of a graph of more than manyArcs the likely ones are swept, and answers begin with those of
// rehearsed arcs for each detection. Tests make all three less.
var manyArcs, likely, rehearsed = smallProblem, 6.0, 2.0

// promise is how much of what was open an answer has to be better by for twice as many arcs to be tried.
const promise = 0.05

// rehearse is the answer of the last of these graphs; nil: none was found. r has prices of g, and
// the bound of them.
func (r *Result) rehearse(ctx context.Context, g *Graph, o *Options) (known *Answer, err error) {
	slack := g.slacks(ctx, r.Prices)
	sample := sampled(slack)
	own := *o
	own.Effort = min(o.Effort, usualEffort) // what is left out would not be worth more
	if o.Progress != nil {
		own.Progress = func(_, upper float64) { o.Progress(r.LowerBound, upper) }
	}
	upper := never
	for share := rehearsed * float64(g.Detections()) / float64(len(slack)); share <= 0.5; share *= 2 {
		if err := ctx.Err(); err != nil {
			return known, err
		}
		part, of := g.restrict(slack, among(sample, share))
		trial := &Result{Prices: r.Prices.within(of), LowerBound: r.LowerBound, left: &unfinished{}}
		_, err := trial.attempt(ctx, part, &own, &search{effort: own.Effort}, 1, known.within(of))
		if s := trial.left.s; s != nil && s.best != nil {
			known = trial.left.of.answer(s.best).beyond(of, len(g.Cost))
		}
		if err != nil && !errors.Is(err, ErrInfeasible) {
			return known, err
		}
		if upper < never && trial.UpperBound > upper-promise*(upper-r.LowerBound) {
			break
		}
		upper = trial.UpperBound
	}
	return known, nil
}

// sampled are some of the elements of a list, sorted.
func sampled(list []float64) (some []float64) {
	const enough = 100_000
	for k := 0; k < len(list); k += 1 + len(list)/enough {
		some = append(some, list[k])
	}
	slices.Sort(some)
	return some
}

// among is the element of a sorted list that a share of it lies below.
func among(sorted []float64, share float64) float64 {
	return sorted[int(share*float64(len(sorted)))]
}

// within are the prices of a graph that has the given arcs alone.
func (p *Prices) within(of []int32) *Prices {
	q := &Prices{Link: make([]float64, len(of))}
	for k, a := range of {
		q.Link[k] = p.Link[a]
	}
	return q
}

// within is the answer in a graph that has the given arcs alone, among them all that are chosen.
func (a *Answer) within(of []int32) *Answer {
	if a == nil {
		return nil
	}
	b := &Answer{Used: a.Used, Chosen: make([]bool, len(of))}
	for k, arc := range of {
		b.Chosen[k] = a.Chosen[arc]
	}
	return b
}

// beyond is the answer in a graph of n arcs that has the given ones.
func (a *Answer) beyond(of []int32, n int) *Answer {
	b := &Answer{Used: a.Used, Chosen: make([]bool, n)}
	for k, arc := range of {
		b.Chosen[arc] = a.Chosen[k]
	}
	return b
}

// slacks is how much dearer than what prices prove an answer with each arc is, at least. Where ctx
// ends they mean nothing.
func (g *Graph) slacks(ctx context.Context, p *Prices) []float64 {
	slack := make([]float64, len(g.Cost))
	t := newStars(g, p)
	var c choices
	var with []float64
	for d := range g.Detections() {
		if ended(ctx, d) {
			break
		}
		c.look(t.at(d))
		for k, arcs := range [2][]int32{t.in[t.inPtr[d]:t.inPtr[d+1]], t.out[t.outPtr[d]:t.outPtr[d+1]]} {
			side := [2]*side{&c.in, &c.out}[k]
			with = side.with(slices.Grow(with[:0], len(arcs))[:len(arcs)])
			for k, a := range arcs {
				slack[a] += max(0, with[k]-c.least)
			}
		}
	}
	return slack
}

// with is the least that the detection costs with each arc of a side.
func (o *side) with(dst []float64) []float64 {
	for k := range dst {
		dst[k] = never
	}
	for k := range o.option {
		x := &o.option[k]
		for _, a := range [2]int32{x.a, x.b} {
			if a >= 0 {
				dst[a] = min(dst[a], x.all)
			}
		}
	}
	return dst
}

// restrict is g without the arcs that have more slack than most; of lists the arcs of g that it
// has. Its answers are some of those of g, at the same price.
func (g *Graph) restrict(slack []float64, most float64) (r *Graph, of []int32) {
	r = &Graph{Frame: g.Frame, Use: g.Use, Birth: g.Birth, End: g.End, False: g.False, Divide: g.Divide, Merge: g.Merge}
	number := make([]int32, len(g.Cost))
	for a, x := range slack {
		number[a] = -1
		if x > most {
			continue
		}
		number[a] = int32(len(of))
		of = append(of, int32(a))
		r.Tail, r.Head, r.Cost = append(r.Tail, g.Tail[a]), append(r.Head, g.Head[a]), append(r.Cost, g.Cost[a])
	}
	for _, x := range g.Triplets {
		if i, j := number[x.In], number[x.Out]; i >= 0 && j >= 0 {
			r.Triplets = append(r.Triplets, Triplet{i, j, x.Cost})
		}
	}
	for _, x := range g.Divisions {
		if i, j := number[x.First], number[x.Second]; i >= 0 && j >= 0 {
			r.Divisions = append(r.Divisions, Division{i, j, x.Cost})
		}
	}
	return r, of
}
