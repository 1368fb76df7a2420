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
	"mtt/internal/workers"
	"mtt/motion"
)

// This file says how probable links are.
//
// By Bayes' rule sets of tracks are as probable as exp(−price), and a link as the sum over those that have it. What competes with
// the tracks at hand are rivals (file rival.go). One that costs x nats more leaves a link that it does not have 1/(1 + exp(−x)), several
// leave it 1/(1 + Σ exp(−x)). That is for rivals that have nothing to do with each other. Those with notable odds are moves of a
// sampler instead, which draws tracks (file sample.go). Prices are those of the model, multiplied by what a nat of them is worth
// (file sharpness.go).

// A Candidate is a link that the tracks do not have. Where it is Near, tracks may also exchange detections for some frames there.
type Candidate struct {
	From, To chain.Node
	Near     bool
}

// Odds are of links.
type Odds struct {
	Against   [][]float64 // log odds that something else comes before detection i of scan t than the links say: another detection, or none; −Inf: nothing else can
	Sharpness float64     // by what prices are multiplied
}

// NewOdds weighs links against rivals, which are made of the candidates and of cuts. It takes some prices for each candidate, and
// moves of a sampler, 100,000 and five for each detection at most. The result does not depend on the number of goroutines; 0: one for
// each processor. When ctx ends it returns an error that wraps ctx.Err().
func NewOdds(ctx context.Context, links *chain.Links, scans []mtt.Scan, candidates []Candidate, model costgen.Leveled, goroutines int) (*Odds, error) {
	levels := model.Noise()
	params := levels.Params(max(levels.Dim, 2))
	o := &Options{Workers: goroutines}
	links = links.Clone()
	if levels.AnyGeneral(scans) {
		return weighRivals(ctx, newRefiner(ctx, motion.NewFull(params), params, links, scans, nil, model, o), candidates)
	}
	if params.Dim == 2 {
		return weighRivals(ctx, newRefiner(ctx, motion.NewPlane(params), params, links, scans, nil, model, o), candidates)
	}
	return weighRivals(ctx, newRefiner(ctx, motion.NewAxes(params), params, links, scans, nil, model, o), candidates)
}

// weighRivals finds the odds.
func weighRivals[S, E any](ctx context.Context, r *refiner[S, E], candidates []Candidate) (*Odds, error) {
	r.backward()
	rivals := r.listRivals(ctx, candidates)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("refine: %w", err)
	}
	against := make([][]float64, len(r.scans))
	detections := 0
	for t := range against {
		against[t] = slices.Repeat([]float64{math.Inf(-1)}, r.scans[t].Len())
		detections += len(against[t])
	}
	w := &weighing[S, E]{mover: r.movers[0], against: against, sharpness: 1, steps: 100_000 + 5*detections}
	for k := range rivals {
		w.count(&rivals[k])
	}
	w.sharpness = w.learn(ctx)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("refine: %w", err)
	}
	for t := range against {
		for i := range against[t] {
			against[t][i] = math.Inf(-1)
		}
	}
	notables := rivals[:0]
	for _, x := range rivals {
		if math.Exp(-w.sharpness*x.more) >= notable {
			notables = append(notables, x)
		} else {
			w.count(&x)
		}
	}
	slices.SortStableFunc(notables, func(a, b rival) int { return cmp.Compare(a.more, b.more) })
	if err := w.sample(ctx, notables); err != nil {
		return nil, fmt.Errorf("refine: %w", err)
	}
	return &Odds{against, w.sharpness}, nil
}

// A weighing adds up odds.
type weighing[S, E any] struct {
	*mover[S, E]
	against   [][]float64 // log odds so far
	sharpness float64
	steps     int // of the sampler
}

// count adds the odds of a rival.
func (w *weighing[S, E]) count(x *rival) {
	e, _ := w.exchangeOf(x)
	for _, h := range e.arrivals(x.last) {
		if h.at != chain.None {
			w.add(h.at, -w.sharpness*x.more)
		}
	}
}

// add adds log odds.
func (w *weighing[S, E]) add(at chain.Node, odds float64) {
	x := &w.against[at.T][at.Det]
	if most := max(*x, odds); !math.IsInf(most, -1) {
		*x = most + math.Log1p(math.Exp(min(*x, odds)-most))
	}
}

// listRivals prices all rivals that candidates and cuts make.
func (r *refiner[S, E]) listRivals(ctx context.Context, candidates []Candidate) []rival {
	const share = 256 // candidates of a job
	jobs := (len(candidates) + share - 1) / share
	found := make([][]rival, jobs+len(r.scans))
	workers.Each(len(r.movers), len(found), func(w, k int) {
		if ctx.Err() != nil {
			return
		}
		m := r.movers[w]
		if k < jobs {
			for _, c := range candidates[k*share : min((k+1)*share, len(candidates))] {
				m.rivals(&found[k], c)
			}
			return
		}
		for i, a := range r.Prev[k-jobs] {
			if a != chain.None {
				m.cuts(&found[k], a, chain.At(k-jobs, i))
			}
		}
	})
	seen := make(map[rival]bool) // two candidates may make the same
	list := slices.Concat(found...)
	kept := list[:0]
	for _, x := range list {
		y := x
		y.more = 0
		if x.a != chain.None && x.b != chain.None {
			y.x, y.y = chain.None, chain.None // they are what comes after a and b
			if x.b.T < x.a.T || x.b.T == x.a.T && x.b.Det < x.a.Det {
				y.a, y.b = x.b, x.a
			}
		}
		if !seen[y] {
			seen[y] = true
			kept = append(kept, x)
		}
	}
	return kept
}
