package online

import (
	"context"
	"runtime"
	"slices"

	"mtt"
	"mtt/association"
)

// This file learns levels beside the tracker.
//
// Problem. To learn levels from some thousand detections takes a thousand times as long as a step;
// a scan that waits for it is told too late.
//
// Idea. A goroutine learns from the scans seen so far, and where these are those of a warm-up it tracks them
// with what it has learnt, while the tracker goes on with the levels that it has.
//
// Invariant. What was learnt is taken at a scan that is fixed when learning begins, later by a quarter of the scans
// seen since all but the last were forgotten: the tracks depend neither on the machine nor on how fast scans come.
// The step at that scan waits where learning takes longer than the scans took to come. What is
// learnt from is bounded (manyDetections, fewScans), and so is the wait.
//
// Only the first levels, of four scans at most, are learnt within the step, as nothing is known before, and those of
// a change, of the last dozen scans: tracks that break meanwhile stay broken.

// A study is what a goroutine learns.
type study struct {
	scans  []mtt.Scan
	take   int // number of scans seen when its levels are taken
	cancel context.CancelFunc
	done   chan struct{} // closed in the end

	// After done:
	model   *association.Result
	tracked *Tracker // in the warm-up: one that has tracked the scans with model
	err     error
}

// atOnce reports whether levels that are due are learnt within the step.
func (k *Tracker) atOnce() bool {
	l := &k.lesson
	return k.model == nil || l.steady && l.changed() || !l.steady && (l.seen <= 4 || k.opts.Levels != nil)
}

// begin begins to learn from the recent scans, in place of what is being learnt. The study outlives ctx: it
// ends by itself, or with giveUp.
func (k *Tracker) begin(ctx context.Context) {
	k.giveUp()
	k.sample()
	l := &k.lesson
	st := &study{scans: slices.Clone(k.recent), take: l.seen + max(1, (l.seen-l.from)/4), done: make(chan struct{})}
	ctx, st.cancel = context.WithCancel(context.WithoutCancel(ctx))
	opts := k.opts.batch()
	if opts.Workers == 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	opts.Workers = max(1, opts.Workers-1) // one is for the scans that come
	if !l.steady {
		st.tracked = &Tracker{opts: k.opts, like: k.like, recent: st.scans, turns: k.turns}
		st.tracked.lesson.steady = l.seen > k.opts.WarmUp
	}
	k.study = st
	go func() {
		defer close(st.done)
		defer st.cancel()
		if st.model, st.err = association.Learn(ctx, st.scans, opts); st.err == nil && st.tracked != nil {
			st.tracked.model = st.model
			st.err = st.tracked.again(ctx)
		}
	}()
}

// giveUp ends a study that nobody will take.
func (k *Tracker) giveUp() {
	if k.study != nil {
		k.study.cancel()
		<-k.study.done
		k.study = nil
	}
}

// take goes on with what was learnt. When ctx ends before that the study stays, to be taken at the next step.
func (k *Tracker) take(ctx context.Context) error {
	st := k.study
	select {
	case <-st.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	k.study = nil
	if st.err != nil {
		return st.err
	}
	k.model = st.model
	switch {
	case st.tracked != nil:
	case k.w != nil:
		return k.turn()
	default:
		return nil
	}
	t := st.tracked
	k.w, k.misses, k.orders, k.ids, k.names = t.w, t.misses, t.orders, t.ids, t.names
	k.count, k.tracks, k.times = t.count, t.tracks, t.times
	k.lesson.steady, k.lesson.left, k.lesson.all = t.lesson.steady, t.lesson.left, t.lesson.all
	for s := len(st.scans); s < len(k.recent)-1; s++ { // the last is that of the step
		if err := k.step(ctx, &k.recent[s]); err != nil {
			return err
		}
	}
	return nil
}
