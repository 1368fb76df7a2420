package refine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/internal/slab"
	"mtt/internal/workers"
	"mtt/motion"
)

// This file says how probable links are.
//
// By Bayes' rule sets of tracks are as probable as exp(−price), and a link as the sum over those
// that have it. What competes with the tracks at hand are rivals (file rival.go). One that costs x
// nats more leaves a link that it does not have 1/(1 + exp(−x)), several leave it 1/(1 + Σ
// exp(−x)). That is for rivals that have nothing to do with each other. Those with notable odds are
// moves of a sampler instead, which draws tracks (file sample.go). Prices are those of the model
// with noise as sharp as trades of pieces of tracks say (file sharpness.go); what births, deaths,
// misses and false alarms cost is as it was.

// A Candidate is a link that the tracks do not have. Where it is Near, tracks may also exchange
// detections for some frames there.
type Candidate struct {
	From, To chain.Node
	Near     bool
}

// Odds are of links.
type Odds struct {
	Against   [][]float64 // log odds that something else comes before detection i of scan t than the links say: another detection, or none; −Inf: nothing else can
	Sharpness float64     // by what squared deviations from the motion are multiplied
}

// NewOdds weighs links against rivals, which are made of the candidates and of cuts. It takes some
// prices for each candidate, and moves of a sampler, a million and five for each detection at most.
// The result does not depend on the number of goroutines; 0: one for each processor. When ctx ends
// it returns an error that wraps ctx.Err().
func NewOdds(ctx context.Context, links *chain.Links, scans []mtt.Scan, candidates []Candidate, model costgen.Leveled, goroutines int) (*Odds, error) {
	levels := model.Noise().OfTracks()
	params := levels.TrackParams(max(levels.Dim, 2))
	o := &Options{Workers: goroutines}
	links = links.Clone()
	if levels.Triple(scans) {
		return weighRivals(ctx, motion.NewTriple, params, links, scans, candidates, model, o)
	}
	if levels.Wheel(scans) {
		return weighRivals(ctx, motion.NewWheel, params, links, scans, candidates, model, o)
	}
	if levels.AnyGeneral(scans) {
		return weighRivals(ctx, motion.NewFull, params, links, scans, candidates, model, o)
	}
	if params.Dim == 2 {
		return weighRivals(ctx, motion.NewPlane, params, links, scans, candidates, model, o)
	}
	return weighRivals(ctx, motion.NewAxes, params, links, scans, candidates, model, o)
}

// wide is how many times as dear as what does not matter rivals are that are not looked at any more once
// the sharpness is known. Prices of exchanges are about in proportion to it, so it is at least 1/wide.
const wide = 2

// weighRivals finds the odds.
func weighRivals[S comparable, E any, F motion.Filter[S, E]](ctx context.Context, filter func(*motion.Params) F, params *motion.Params, links *chain.Links, scans []mtt.Scan, candidates []Candidate, model costgen.Leveled, o *Options) (*Odds, error) {
	r := newRefiner(ctx, motion.Filter[S, E](filter(params)), params, links, scans, nil, model, o)
	r.backward()
	rivals := r.listRivals(ctx, candidates, wide)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("refine: %w", err)
	}
	w := &weighing[S, E]{mover: r.movers[0], against: nothing(scans), steps: 1_000_000}
	alone := &weighing[S, E]{mover: r.movers[0], against: nothing(scans)}
	for t := range scans {
		w.steps += 5 * scans[t].Len()
	}
	for k := range rivals {
		if x := &rivals[k]; x.b == chain.None && x.y == chain.None {
			alone.count(x)
		} else {
			w.count(x)
		}
	}
	sharpness := w.learn(ctx, alone.against)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("refine: %w", err)
	}
	params, scans = sharper(params, sharpness), sharperScans(scans, sharpness)
	again := func(links *chain.Links, o *Options) *refiner[S, E] {
		r := newRefiner(ctx, motion.Filter[S, E](filter(params)), params, links, scans, nil, model, o)
		r.backward()
		return r
	}
	r = again(links, o)
	w.mover = r.movers[0]
	if sharpness*wide >= 1 {
		rivals = r.reprice(ctx, rivals)
	} else {
		rivals = r.listRivals(ctx, candidates, 1)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("refine: %w", err)
	}
	w.against = leastAgainst(links, candidates)
	notables := rivals[:0]
	for _, x := range rivals {
		if math.Exp(-x.more) >= notable {
			notables = append(notables, x)
		} else {
			w.count(&x)
		}
	}
	slices.SortStableFunc(notables, func(a, b rival) int { return cmp.Compare(a.more, b.more) })
	if err := w.sample(ctx, notables, func(links *chain.Links) *refiner[S, E] { return again(links, &Options{Workers: 1}) }); err != nil {
		return nil, fmt.Errorf("refine: %w", err)
	}
	return &Odds{w.against, sharpness}, nil
}

// reprice prices rivals anew, and leaves those that matter.
func (r *refiner[S, E]) reprice(ctx context.Context, rivals []rival) []rival {
	const share = 256 // of a job
	r.priceCourses(ctx)
	workers.Each(len(r.movers), (len(rivals)+share-1)/share, func(w, k int) {
		if ctx.Err() != nil {
			return
		}
		m := r.movers[w]
		for i := k * share; i < min((k+1)*share, len(rivals)); i++ {
			if e, ok := m.exchangeOf(&rivals[i]); ok {
				rivals[i].more = m.dearerAtHome(&e, rivals[i].last)
			}
		}
	})
	r.limit([][]rival{rivals}, 1)
	return slices.DeleteFunc(rivals, func(x rival) bool {
		e, _ := r.exchangeOf(&x)
		return !r.matters(&e, &x)
	})
}

// A weighing adds up odds.
type weighing[S comparable, E any] struct {
	*mover[S, E]
	against [][]float64 // log odds so far
	steps   int         // of the sampler
}

// nothing are log odds of nothing, for each detection.
func nothing(scans []mtt.Scan) [][]float64 {
	against := slab.Parts[float64](len(scans), func(t int) int { return scans[t].Len() })
	for t := range against {
		slab.Fill(against[t], math.Inf(-1))
	}
	return against
}

// leastAgainst are the least log odds against what comes before each detection: −certain where
// something else can, by the links or by candidates.
func leastAgainst(links *chain.Links, candidates []Candidate) [][]float64 {
	against := slab.Parts[float64](len(links.Prev), func(t int) int { return len(links.Prev[t]) })
	for t := range against {
		for i, before := range links.Prev[t] {
			if against[t][i] = -certain; before == chain.None {
				against[t][i] = math.Inf(-1)
			}
		}
	}
	for _, c := range candidates {
		against[c.To.T][c.To.Det] = -certain
	}
	return against
}

// count adds the odds of a rival.
func (w *weighing[S, E]) count(x *rival) {
	e, _ := w.exchangeOf(x)
	for _, h := range e.arrivals(x.last) {
		if h.at != chain.None {
			w.add(h.at, -x.more)
		}
	}
}

// add adds log odds.
func (w *weighing[S, E]) add(at chain.Node, odds float64) {
	x := &w.against[at.T][at.Det]
	const nothing = 40 // nats: less than a rounding
	switch {
	case odds < *x-nothing:
	case *x < odds-nothing:
		*x = odds
	default:
		*x = max(*x, odds) + math.Log1p(math.Exp(-math.Abs(*x-odds)))
	}
}

// listRivals prices the rivals that candidates and cuts make, but for those that are so many times as
// dear as those that do not matter, until ctx ends.
func (r *refiner[S, E]) listRivals(ctx context.Context, candidates []Candidate, times float64) []rival {
	const share = 256 // candidates of a job
	jobs := (len(candidates) + share - 1) / share
	forGood, forSome, cuts := make([][]rival, jobs), make([][]rival, jobs), make([][]rival, len(r.scans))
	r.priceCourses(ctx)
	r.limit(nil, times)
	workers.Each(len(r.movers), len(r.scans), func(w, t int) {
		for i, a := range r.Prev[t] {
			if a != chain.None && ctx.Err() == nil {
				r.movers[w].cuts(&cuts[t], a, chain.At(t, i), times*certain)
			}
		}
	})
	r.limit(cuts, times)
	each := func(do func(m *mover[S, E], k int, c int)) {
		workers.Each(len(r.movers), jobs, func(w, k int) {
			for c := k * share; c < min((k+1)*share, len(candidates)) && ctx.Err() == nil; c++ {
				do(r.movers[w], k, c)
			}
		})
	}
	twins := r.twins(candidates)
	each(func(m *mover[S, E], k, c int) {
		if x, ok := m.rivalOf(candidates[c]); ok && twins[c] < 0 && m.leastMore(&x) < times*certain {
			m.list(&forGood[k], x)
		}
	})
	r.limit(forGood, times)
	each(func(m *mover[S, E], k, c int) {
		x, ok := m.rivalOf(candidates[c])
		if near := candidates[c].Near; ok && near && (twins[c] < 0 || !candidates[twins[c]].Near) && m.leastMore(&x) < times*certain {
			m.forSome(&forSome[k], x)
		}
	})
	return slices.Concat(slices.Concat(forGood, forSome, cuts)...)
}

// twins says which candidate before each makes the same rivals; −1: none. Where two tracks exchange
// what comes after, either link makes them.
func (r *refiner[S, E]) twins(candidates []Candidate) []int32 {
	first := slab.Parts[int32](len(r.scans), func(t int) int { return r.scans[t].Len() }) // the last candidate so far from a detection, and 1
	before := make([]int32, len(candidates))                                              // the one before from the same
	twins := make([]int32, len(candidates))
	find := func(from, to chain.Node) int32 {
		k := first[from.T][from.Det] - 1
		for k >= 0 && candidates[k].To != to {
			k = before[k]
		}
		return k
	}
	for k, c := range candidates {
		twins[k] = find(c.From, c.To)
		if x, ok := r.rivalOf(c); ok && twins[k] < 0 && x.b != chain.None && x.x != chain.None {
			twins[k] = find(x.b, x.x)
		}
		last := &first[c.From.T][c.From.Det]
		before[k], *last = *last-1, int32(k)+1
	}
	return twins
}
