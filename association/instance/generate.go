package instance

import (
	"context"
	"math"

	"mtt"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
)

// This file poses the assignment problem of gated scans with the links over missed
// detections that a Generator finds, and solves it.

// A Generator poses and solves assignment problems whose links over missed
// detections are found by prices: see pricing.go. It is for one problem at a time.
type Generator struct {
	Gate    gating.Gate // between detections of scans that do not follow each other
	K       int         // best arcs of crowded rows and columns, see gating.Finder.K
	Misses  int         // missed detections in a row that a link may pass over; 0: there are no links over scans
	Scans   int         // scans in a row that one may pass over that misses fewer, as not all see its target; 0: Misses
	Workers int         // goroutines; 0: one for each processor. It does not change the result
	Start   *Start      // an earlier run to go on from; nil: none
	Border  *Border     // of the scans with those of the window of time before them; nil: nothing lies before. It goes without Start

	// Lean lets Solve solve large instances once: links that it would add then are many and save
	// next to nothing. Build stops at a round that adds less than one link in eight, not in a
	// hundred, finds prices only, no answers, and begins each ascent where the one before ended, as
	// it does of large instances anyway.
	Lean bool

	// Settled are the scans, from the first that Build is given, whose links count as left when
	// Solve adds no more; 0: all. Those of a window of time are found again, by better prices, in
	// the window that settles them.
	Settled int

	// Spare detections count where the nodes of links over misses are bounded by the number of
	// detections: those of other parts of the scene, which have few such links.
	Spare int

	// Limit bounds what arcs and triplets take; 0 bytes: any. Build gives up with ErrLarge where it
	// is exceeded, and returns the problem without the links over misses that exceed it, if that is
	// what does. Solve goes without them.
	Limit gating.Budget

	// Rough takes what the short ascents of Build find: pairs of links over misses
	// are not looked at, nor links again that were dear once.
	Rough bool

	near  [][]gating.CSR     // near[s][k−1]: pairs of scans s and s+k+1 that are worth a look; nil: all inside the gate
	found *dualascent.Result // of the instance that Build made, if it is rough and was solved
	last  *Start             // what the last ascent found, with fewer links over misses, if the next one is to begin there
}

// Passes is the number of scans in a row that a link may pass over.
func (k *Generator) Passes() int { return max(k.Scans, k.Misses) }

// Build prices the gated pairs of scans, and adds links over misses until hardly one is found that
// could save something and that there is room for: those first that save most at both of their ends,
// then all, as from the beginning where it is rough. gates[t] is the pattern between scans t and
// t+1. The slices are kept. With a Border the first scans are those before it, and gates begin
// with the border: see [Instance.Begin]. With an error from ctx the instance may be there, and lack
// links, or not.
func (k *Generator) Build(ctx context.Context, scans []mtt.Scan, gates []gating.CSR, model costgen.Model) (*Instance, error) {
	var have []skip
	if k.Start != nil && k.Misses > 0 {
		have = k.Start.skips(scans)
	}
	if k.Border != nil {
		gates, have = k.Border.context(scans, gates)
	}
	k.near, k.found, k.last = nil, nil, nil
	if !k.fits(gates, have) {
		return nil, ErrLarge
	}
	inst, err := build(ctx, scans, gates, have, model, k.Border, nil, k.Workers)
	if err != nil || k.Misses == 0 {
		return inst, err
	}
	few := !k.Rough // of the links that save only the foremost are wanted
	for rounds := 1; ; rounds++ {
		// A short ascent will do: its prices need not be the best.
		o := k.short(inst)
		o.NoAnswer = o.NoAnswer || k.Rough && rounds == 1 // another follows
		if k.last != nil {
			o.Prices, _ = k.last.carry(inst, k.Workers)
			k.last = nil
		}
		d, err := dualascent.Solve(ctx, &inst.Dual, o)
		if err != nil {
			return inst, err
		}
		k.note(inst, d)
		all, _, err := k.more(ctx, inst, d, len(inst.Scans), &few)
		if all == nil && err == nil && few { // there is no room for the foremost
			few = false
			all, _, err = k.more(ctx, inst, d, len(inst.Scans), &few)
		}
		n := len(all) - len(inst.skips)
		switch {
		case all != nil && !k.fits(inst.Gates, all):
			return inst, ErrLarge
		case all != nil:
			larger, err := k.with(ctx, inst, all)
			if err != nil {
				return inst, err
			}
			inst = larger
		case k.Rough && rounds == 2:
			k.found = d
		}
		enough := len(inst.skips) / 100
		if k.swift(inst) {
			enough = len(inst.skips) / 8
		}
		ended := all == nil || n <= enough || k.Rough && rounds == 2
		if err != nil || ended && !few {
			return inst, err
		}
		few = !k.Rough && !ended
	}
}

// small is the number of arcs below which an instance takes next to no time: ascents begin anew,
// and it is solved again as long as that finds links, of so many arcs in all runs together.
const small = 100_000

// eachScan is the number of arcs that take as much time as a scan does by itself: an ascent takes 5
// us for a scan of one detection, .3 us for an arc of a large one.
const eachScan = 15

// swift says whether an ascent goes on from the one before, and Build does without answers.
func (k *Generator) swift(inst *Instance) bool {
	return k.Lean || !k.Rough && k.Start == nil && inst.Dual.Arcs() > small
}

// note takes note of what an ascent found, if the next one is to begin there.
func (k *Generator) note(inst *Instance, d *dualascent.Result) {
	if d != nil && k.swift(inst) {
		k.last = &Start{Scans: inst.Scans, Coast: inst.Coast, Pairs: inst.Dual.Pairs, Prices: d.Prices, Next: d.Next}
	}
}

// short are the options of a short ascent.
func (k *Generator) short(inst *Instance) *dualascent.Options {
	return &dualascent.Options{MaxRounds: 2, Search: 2, Effort: -1, NoAnswer: k.swift(inst), Workers: k.Workers}
}

// Solve solves the instance that Build made. Where its prices, which are better than
// those of Build, find more links, it adds them and solves the larger instance, which
// it returns: twice, or not if it is lean, small instances more often, and as often as it takes where opts
// ask for a proof (Effort +Inf). left is the number of links that could make a better
// answer still and that the instance lacks. Rough generators do not read opts.
//
// When ctx ends the result is what dualascent.Solve has by then, with its error.
func (k *Generator) Solve(ctx context.Context, inst *Instance, opts *dualascent.Options) (solved *Instance, d *dualascent.Result, left int, err error) {
	if k.found != nil {
		return inst, k.found, 0, nil
	}
	if k.Rough {
		d, err = dualascent.Solve(ctx, &inst.Dual, k.short(inst))
		return inst, d, 0, err
	}
	most := 2
	if k.Lean {
		most = 0
	}
	for again := 0; ; again++ {
		o := *opts
		switch {
		case k.Start != nil:
			o.Prices, o.Next = k.Start.carry(inst, k.Workers)
		case k.last != nil:
			o.Prices, o.Next = k.last.carry(inst, k.Workers)
			if k.last.Next == nil {
				o.Next = nil
			}
			k.last = nil
		}
		d, err = dualascent.Solve(ctx, &inst.Dual, &o)
		k.note(inst, d)
		if err != nil || k.Misses == 0 {
			return inst, d, left, err
		}
		work := inst.Dual.Arcs() + 1
		if k.Lean {
			work += eachScan * len(inst.Scans)
		}
		last, until := !math.IsInf(o.Effort, 1) && again >= most+small/work, len(inst.Scans)
		if last && k.Settled > 0 {
			until = inst.Begin() + k.Settled
		}
		var all []skip
		if all, left, err = k.more(ctx, inst, d, until, new(bool)); err != nil || all == nil || last || !k.fits(inst.Gates, all) {
			return inst, d, left, err
		}
		larger, err := k.with(ctx, inst, all)
		if err != nil {
			return inst, d, left, err
		}
		inst = larger
	}
}

// more are the links over misses of an instance with those that it lacks, that leave scans before
// until, that could save something under the prices of d, and that there is room for; nil when there
// are none of these. left is the number of those that could, room or not. Where few are wanted they
// are the foremost, or few is false, see find.
func (k *Generator) more(ctx context.Context, inst *Instance, d *dualascent.Result, until int, few *bool) (all []skip, left int, err error) {
	found, err := k.find(ctx, inst, d.Prices, until, few)
	if err != nil {
		return nil, 0, err
	}
	if enter := k.afford(inst, found); len(enter) > 0 {
		all = union(inst.skips, enter)
	}
	return all, len(found), nil
}

// with is inst with more links over misses: all that it has then.
func (k *Generator) with(ctx context.Context, inst *Instance, all []skip) (*Instance, error) {
	return build(ctx, inst.Scans, inst.Gates, all, inst.model, inst.border, inst, k.Workers)
}
