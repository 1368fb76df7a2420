package dualascent

import (
	"cmp"
	"context"

	"mtt/internal/workers"
	"mtt/mapsolver"
)

// This file looks for answers beside the ascent: a look reads what a pass has left, which the next
// pass changes, so it is given a copy. What it finds counts from the end of that pass on, with any
// number of workers.

// An aside is a look for answers beside a pass: of an engine with multipliers of its own, and all
// else in common.
type aside struct {
	engine
	first bool // see primal
}

// lookLater has the next pass look for what primal finds now. Until then nothing else may look.
func (e *engine) lookLater(first bool) {
	for len(e.lookers) < len(e.workers) {
		e.lookers = append(e.lookers, &worker{solver: e.opts.NewSolver()})
	}
	if e.copies == nil {
		e.copies = make([]gap, len(e.gaps))
	}
	a := &aside{*e, first}
	a.gaps, a.workers = e.copies, e.lookers
	e.each(func(p int) {
		g, c := &e.gaps[p], &a.gaps[p]
		all, row, next := append(c.all[:0], g.all...), append(c.row[:0], g.row...), append(c.next[:0], g.next...)
		*c = *g
		c.all, c.row, c.next, c.last, c.best = all, row, next, nil, nil
		c.Prices = cutPrices(all, g.FramePair)
	})
	e.aside = a
}

// sweepAndLook is sweep, with the look that waits for it beside it.
func (e *engine) sweepAndLook(ctx context.Context, first bool) (err error) {
	if e.aside == nil {
		return e.sweep(ctx, first)
	}
	var fault error
	steps := [...]func(){
		func() { err = e.sweep(ctx, first) },
		func() { fault = e.aside.primal(ctx, e.aside.first) },
	}
	workers.Each(min(e.opts.Workers, len(steps)), len(steps), func(_, step int) { steps[step]() })
	e.looked()
	return cmp.Or(err, fault)
}

// lookNow is the look that waits for a pass, which there will be no more.
func (e *engine) lookNow(ctx context.Context) error {
	if e.aside == nil {
		return nil
	}
	err := e.aside.primal(ctx, e.aside.first)
	e.looked()
	return err
}

// looked takes over what was found beside the pass.
func (e *engine) looked() {
	a := e.aside
	e.aside = nil
	e.best, e.merger, e.result.UpperBound = a.best, a.merger, a.result.UpperBound
	for _, w := range a.workers {
		e.result.Stats.Add(w.stats)
		w.stats = mapsolver.Stats{}
	}
}
