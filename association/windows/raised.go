package windows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"mtt"
	"mtt/association"
	"mtt/association/instance"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/workers"
)

// This file solves a window, in two steps: its multipliers, with which the window after it can
// begin, and what the window itself settles.

// A raised is a window of which the multipliers are known.
type raised struct {
	first  int              // number of its first scan
	left   *instance.Border // at that scan; nil: nothing lies before
	right  *instance.Border // at the scan with which the next window begins, without an answer until the window is settled; nil: it is the last
	rest   int              // scans from the first to that one
	scans  []mtt.Scan       // of these, which nobody else looks at any more when the window is settled
	bytes  float64          // that it takes, about
	orders [][]int32        // of all its scans
	names  [][]int32        // of each frame from the first to the one after the last that is settled: the numbers that its nodes have outside

	inst *instance.Instance
	dual *dualascent.Result
	miss int // links over misses that it lacks
	to   int // scan of the instance with which the next window begins
}

// raise raises the multipliers of the next window, which is told about how much memory it takes
// before it does; io.EOF after the last.
func (k *Tracker) raise(ctx context.Context, told func(bytes float64)) (*raised, error) {
	if err := k.begin(); err != nil {
		return nil, err
	}
	long, err := k.measure(ctx)
	if err != nil {
		return nil, err
	}
	n := len(k.scans)
	if n == 0 {
		return nil, io.EOF
	}
	told(long.bytes)
	if n-1 <= long.ahead {
		long.settled, long.ahead = n-1, n-1 // all there is
	}
	r := &raised{first: k.first, left: k.left, bytes: long.bytes, orders: k.orders}
	all, gates := k.all, k.gates
	workers.Each(min(2, k.goroutines()), 2, func(_, step int) {
		if step == 0 {
			err = k.ascend(ctx, r, all, gates, long, told)
		} else {
			k.unread = k.prepare(ctx, long)
		}
	})
	if err != nil {
		return nil, err
	}
	r.scans = k.scans[:r.rest:r.rest]
	k.first, k.left = k.first+r.rest, r.right
	k.forget(r.rest)
	return r, nil
}

// ascend poses the problem of the window, the last of all these scans, between which gates are, and
// raises its multipliers.
func (k *Tracker) ascend(ctx context.Context, r *raised, all []mtt.Scan, gates []gating.CSR, long length, told func(bytes float64)) error {
	n := len(gates) + 1
	before := len(all) - n
	settled, ahead := long.settled, long.ahead
	g := *k.gen
	g.Border, g.Lean = r.left, true
	var inst *instance.Instance
	var err error
	for {
		g.Misses, g.Settled, g.Limit = k.gen.Misses, settled, k.limit(settled, long.bytes)
		g.Spare = int(k.opts.Spare * float64(ahead+1))
		inst, err = g.Build(ctx, all[:before+ahead+1], gates[:ahead], k.model.Model)
		if !errors.Is(err, instance.ErrLarge) {
			break
		}
		if settled <= 1 && inst != nil {
			err = nil // without some links over misses
			break
		}
		if settled <= 1 {
			err = fmt.Errorf("%w: a limit of %.3g MB is too little for a window of %d scans from frame %d on", association.ErrOptions, float64(k.opts.Memory)/1e6, ahead+1, all[before].Frame)
			break
		}
		inst = nil
		if settled /= 2; settled == 1 {
			told(math.Inf(1)) // as much as there is
		}
		ahead = min(n-1, settled+max(k.opts.Ahead, k.gen.Passes()+1))
	}
	if err != nil {
		return wrap(err)
	}
	if r.inst, r.dual, r.miss, err = g.Solve(ctx, inst, k.ascent()); err != nil {
		return wrap(err)
	}
	r.rest, r.to = settled, r.inst.Begin()+settled
	r.name(k.goroutines())
	if settled == n-1 {
		r.rest = n
	} else {
		r.right = r.inst.Border(r.dual.Prices, r.to)
		r.leave()
	}
	return nil
}

// goroutines is their number.
func (k *Tracker) goroutines() int { return workers.Count(k.gen.Workers) }

// ascent are the options for the multipliers of a window. A search comes later, where it can help:
// for the answer, and for the bound. What gap is left by then lies in few parts, which ascents of
// all would hardly close.
func (k *Tracker) ascent() *dualascent.Options {
	o := *k.dual
	if !math.IsInf(o.Effort, 1) {
		o.Effort, o.Search = -1, -1
		o.Gap = max(o.Gap, 1e-7) // met at any number of targets; 1e-9 is not by a million
	}
	return &o
}

// settle finds the answer of a window and its share of the bound, side by side where it is worked
// on alone, and tells its border on the right what was chosen. It calls half when one of both is
// there.
func (k *Tracker) settle(ctx context.Context, r *raised, half func()) (*Window, error) {
	w := &Window{First: r.first, Last: r.right == nil, Single: r.inst.Single(), Left: r.miss, Rounds: r.dual.Rounds}
	var next [][]int32
	var share *dualascent.Result
	var faults [2]error
	steps := [...]func(){
		func() { next, faults[0] = k.answer(ctx, w, r) },
		func() { share, faults[1] = k.prove(ctx, r) },
	}
	atOnce := 1
	if k.two && r.bytes > float64(k.aim()) {
		atOnce = len(steps)
	}
	workers.Each(atOnce, len(steps), func(_, step int) {
		steps[step]()
		half()
	})
	if err := cmp.Or(faults[:]...); err != nil {
		return nil, err
	}
	if r.right != nil {
		r.inst.Choose(r.right, next, r.to)
	}
	w.Lower, w.Certified = share.LowerBound, min(share.Certified, share.LowerBound)
	w.raised, w.proved, w.next = r, share.Prices, next
	r.follow(w, next, k.goroutines())
	w.count(r.inst, r.to)
	return w, nil
}

// answer finds the answer of a window, given what was chosen before: that of its ascent, or a better one.
func (k *Tracker) answer(ctx context.Context, w *Window, r *raised) (next [][]int32, err error) {
	chosen := r.inst.Chosen()
	o := *k.dual
	o.Prices, o.Next, o.Progress, o.MaxRounds = r.dual.Prices, r.dual.Next, nil, repair
	d, err := dualascent.Solve(ctx, chosen, &o)
	if err != nil {
		return nil, wrap(err)
	}
	w.Upper = instance.Part(chosen, r.to).Cost(d.Next[:r.to])
	return d.Next, nil
}

// repair is the number of rounds in which the answer of a window is made to fit that of the one
// before; search follows.
const repair = 1

// prove finds the share of the bound of the scans that a window settles, with the prices
// at both borders as they are, and the multipliers that prove it.
func (k *Tracker) prove(ctx context.Context, r *raised) (*dualascent.Result, error) {
	o := *k.dual
	o.Prices, o.Next, o.Progress = r.dual.Prices[:r.to], r.dual.Next[:r.to], nil
	o.MaxRounds, o.Search = 1, -1
	d, err := dualascent.Solve(ctx, r.inst.Share(r.dual.Prices, r.to), &o)
	return d, wrap(err)
}

// gap is that from scan t of the window, with nodes numbered as the Tracker has them, but for the
// block of the first.
func (w *Window) gap(t int) Gap {
	r, begin := w.raised, w.raised.inst.Begin()
	f := begin + t
	g := Gap{FramePair: r.inst.Dual.Pairs[f], Prices: w.proved[f], Next: w.next[f]}
	if f == r.to-1 {
		g.Prices.U, g.Prices.Birth = r.dual.Prices[f].U, r.dual.Prices[f].Birth
	}
	switch {
	case t > 0:
		g.Block = &r.inst.Dual.Blocks[f-1]
	case begin > 0:
		g.Block = &r.left.Block
	}
	return g
}
