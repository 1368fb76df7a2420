package dualascent

import (
	"context"
	"math"
)

// This file holds the published scheme, kept for comparison.

// parallel is the published scheme: U[a] = min over b of (D[a,b] − V[b]) in all
// blocks, all X-LAPs, all reduced costs to the left. Which optimal prices of the X-LAPs
// these are the article does not say: here those of normalise.
func (e *engine) parallel(ctx context.Context) error {
	w := e.workers[0]
	const patience = 5 // iterations, and 0.1 % [1, Algorithm 1, step 2]
	var history []float64
	e.exchanges = true
	for it := 1; it <= e.opts.MaxRounds; it++ {
		for p := range len(e.gaps) - 1 {
			e.pullLeft(p)
		}
		var bound float64
		for p := range e.gaps {
			if err := w.solve(ctx, &e.gaps[p]); err != nil {
				return err
			}
			w.normalise(&e.gaps[p])
			bound += e.gaps[p].value
		}
		e.passed(bound)
		e.result.Rounds = it
		if err := e.primal(ctx, true); err != nil {
			return err
		}
		for p := 1; p < len(e.gaps); p++ {
			w.pose(&e.gaps[p])
			w.pushLeft(&e.gaps[p], 1)
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
