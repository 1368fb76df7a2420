package online

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"mtt"
	"mtt/association"
	"mtt/association/learn"
	"mtt/internal/workers"
)

// This file learns levels beside the tracker.
//
// Problem. To learn levels from some thousand detections takes a thousand times as long as a step;
// a scan that waits for it is told too late.
//
// Idea. A goroutine learns from the scans seen so far, and where these are those of a warm-up it
// tracks them with what it has learnt, and the scans that have come since, while the tracker goes
// on with the levels that it has.
//
// Invariant. What was learnt is taken a number of scans later that grows with that of the scans
// (later) and, where detections are so crowded that learning takes longer, with the work of
// learning, which is counted (work): the tracks depend neither on the machine nor on how fast scans
// come. The step at that scan waits where learning takes longer than the scans took to come. What
// is learnt from is bounded (manyDetections, fewScans), and of a crowd there is less (unread), and
// so is the wait.
//
// What cannot be learnt, for want of memory or by a fault of the program, is a warning, and the levels stay.
//
// Only the first levels, of two scans at most, are learnt within the step, as nothing is known
// before, and those of a change, of the last dozen scans, unless that is dear: tracks that break
// meanwhile stay broken.

// A study is what a goroutine learns.
type study struct {
	scans  []mtt.Scan
	first  int     // number of scans before these
	begun  int     // and when it was begun
	take   int     // and when its levels are taken, or later where that was too little time
	look   int     // and when that is looked at next
	most   int     // of a warm-up: the scans, or twice as many as planned, after which ripe is less strict
	asks   bool    // whether the sensor moves
	calm   bool    // nothing has changed, or it has been learnt from scans since that alone
	before *lesson // what seemed a change; nil: nothing did
	work   work
	cancel context.CancelFunc
	done   chan struct{} // closed in the end; another one while the scans since are tracked

	// After done:
	model   *association.Result
	tracked *Tracker // in the warm-up: one that has tracked the scans with model, and those since that it remembers
	err     error
}

// atOnce reports whether levels that are due are learnt within the step.
func (k *Tracker) atOnce() bool {
	l := &k.lesson
	return k.model == nil || l.closed || l.steady && l.changed() && !k.dear() || !l.steady && (l.seen <= 2 || k.opts.Levels != nil)
}

// begin begins to learn from the recent scans, in place of what is being learnt. The study outlives ctx: it
// ends by itself, or with giveUp.
func (k *Tracker) begin(ctx context.Context) {
	k.giveUp()
	l := &k.lesson
	calm := !l.changed() && !l.mixed
	scans, changed := k.sample()
	scans = slices.Clone(scans)
	from := 0
	if changed == nil {
		from = k.unread()
	}
	st := &study{scans: scans[from:], first: l.seen - len(scans) + from, begun: l.seen, calm: calm, before: changed, done: make(chan struct{})}
	before := k.ending
	st.work.more = make(chan struct{}, 1)
	ctx, st.cancel = context.WithCancel(context.WithoutCancel(ctx))
	opts := k.lessonOptions()
	st.asks = !opts.FixedSensor
	if changed != nil {
		opts.Before = k.prices()
	}
	if opts.Cap = lessonCap; !l.steady && l.seen <= k.opts.WarmUp {
		opts.Cap = few
	}
	opts.Piloted = st.work.add
	opts.Workers = max(1, workers.Count(opts.Workers)-1) // one is for the scans that come
	switch {
	case !l.steady && l.seen <= k.opts.WarmUp:
		k.hurry(opts)
		opts.Hasty = true
	case l.steady && l.motion != nil && (l.seen-l.from < inTime || 2*len(st.scans) < 3*l.among):
		opts.Motion = l.motion
	case l.seen > k.opts.WarmUp:
		l.among = len(st.scans)
	}
	st.take = k.planned(opts.Motion == nil)
	if st.look = st.take; calm && l.steady { // there will be as much work as in the study before
		st.look = max(st.look, st.begun+int(2*float64(l.took)/l.meanwhile()))
	}
	if !l.steady {
		st.tracked = &Tracker{opts: k.opts, like: k.like, recent: scans, turns: k.turns}
		st.tracked.opts.Workers, st.tracked.lesson.held, st.tracked.lesson.apart = opts.Workers, l.held, l.apart
		if l.seen > k.opts.WarmUp {
			st.tracked.lesson.steady, st.most = true, 4*k.opts.WarmUp
		}
	}
	if !l.steady { // nobody waits for later ones
		// Looking for manoeuvres is most of the work where many detections are missed.
		time, work := int64(mostWork), &st.work.all
		if l.seen <= k.opts.WarmUp {
			time, work = int64(float64(st.take-st.begun)*between*enough), &st.work.done
		}
		opts.Spent = func() bool { return work.Load() > time }
	}
	k.study = st
	noise, said := k.noise(), k.opts.Motion
	go func() {
		defer close(st.done)
		defer st.cancel()
		if before != nil {
			<-before
		}
		st.err = guarded(func() (err error) {
			st.model, err = noise.learn(ctx, st.scans, opts)
			if err == nil && !st.early() {
				steered := *opts
				steered.Motion = said // that of two lessons is for links, and leaves that of whole tracks open
				err = noise.steered(ctx, st.model, st.scans, &steered)
			}
			if err == nil && st.tracked != nil {
				st.tracked.model, st.tracked.lesson.work = st.model, st.each()
				st.tracked.found()
				err = st.tracked.again(ctx, st.tracked.recent)
			}
			return err
		})
	}()
}

// follow tracks the scans that have come since, beside the step, once levels are learnt: up to a
// change, of which the tracker learns when it takes them. How far it gets has no say in the tracks.
func (k *Tracker) follow(ctx context.Context) {
	st := k.study
	if st == nil || st.tracked == nil || k.several() { // how often others report is counted by the tracker
		return
	}
	select {
	case <-st.done:
	default:
		return
	}
	t := st.tracked
	if st.err != nil || t.startled() {
		return
	}
	since := slices.Clone(k.recent[len(t.recent):])
	st.done = make(chan struct{})
	ctx, st.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(st.done)
		defer st.cancel()
		st.err = guarded(func() error {
			for n := range since {
				if t.startled() {
					break
				}
				t.hold(&since[n])
				t.recent = append(t.recent, since[n])
				t.lesson.held += since[n].Len()
				if err := t.step(ctx, &since[n]); err != nil {
					return err
				}
			}
			return nil
		})
	}()
}

// startled reports whether something has changed since the warm-up whose scans were tracked.
func (k *Tracker) startled() bool {
	return k.shifts == nil && k.lesson.steady && !k.fixed() && k.suspicious() && !k.dear()
}

// guarded calls do; a panic becomes an error.
func guarded(do func() error) (err error) {
	defer func() {
		v := recover()
		if p, ok := v.(*workers.Panic); ok {
			v = p.Value
		}
		if v != nil {
			err = fmt.Errorf("a fault of the program: %v", v)
		}
	}()
	return do()
}

// warn says that levels could not be learnt.
func (k *Tracker) warn(err error) {
	k.warnings = append(k.warnings, fmt.Sprintf("scan %d: the levels so far are kept, as others could not be learnt: %v", k.lesson.seen, err))
}

// fastest is the time between two scans of a fast sensor, s.
const fastest = 0.02

// Detections that are learnt from between two scans of a fast sensor: in the warm-up by one
// motion, and where motions are compared; and later. In three scenes of 100 targets fed at 50 Hz to
// two shared cores 93 to 170, 94 to 219, 212 to 690 and 342 to 833 were learnt from meanwhile.
const hurried, warmingUp, compared, warm = 100, 70, 120, 360

// enough is the share of the time until early levels of a warm-up are taken after which no more is
// begun for them. Who waits for them holds up a scan, and of a thousand scans of a stream few may
// wait: where a machine is half as fast, or busy, as what is learnt later allows for (time), half of
// the time is there. Another beginning takes as long as all before it, and a quarter of both is left
// to what comes after these: half · ½ · ¾.
const enough = 3.0 / 16

// inTime is the number of scans from which on there is time to compare motions, which takes three
// times as long as to learn by one; the motion that was the likeliest twice is kept before, and
// later where there are not half as many scans more than it was the likeliest in.
const inTime = 52

// slowest is the time between scans, s, from which on more is not used.
const slowest = 0.5

// pace is the time between scans, as their times say it, in that between those of a fast sensor, which
// is the least. Scans that come faster than their times say wait where levels are taken, a few in all.
// In a warm-up it is that of a fast one: scans that come while its levels are learnt are tracked again
// with these, before any of their links is settled.
func (l *lesson) pace() float64 {
	if !l.steady {
		return 1
	}
	return min(max(l.apart, fastest), slowest) / fastest
}

// meanwhile is the work that there is time for between two scans.
func (l *lesson) meanwhile() float64 { return between * l.pace() }

// planned is the number of scans after which levels that are learnt now are taken. They are used
// for as many scans at least as it took.
func (k *Tracker) planned(compares bool) int {
	l := &k.lesson
	later := l.later(compares)
	l.next = max(l.next, l.seen+2*later)
	return l.seen + later
}

// later is how many scans later what is learnt now is taken: a quarter as many as are learnt from,
// or of few the next one, as each counts then; and as many as come while detections are learnt from,
// which takes longer where motions are compared. Scans of a warm-up are tracked
// again anyway, and nothing of them is settled before.
func (l *lesson) later(compares bool) int {
	s, inScan := l.seen-l.from, hurried
	if compares {
		inScan = warmingUp
	}
	if l.steady {
		if s, inScan = s-32, warm; compares {
			inScan = compared
		}
	}
	return max(1, s/4, int(float64(min(l.held, manyDetections))/(float64(inScan)*l.pace())))
}

// A work says how much has been done, in units that take about a tenth of a microsecond. It does
// not depend on the machine, nor on the number of goroutines.
type work struct {
	done atomic.Int64  // but for looking for manoeuvres and what lasts, and with half of that for pairs, by which what is tried is chosen
	all  atomic.Int64  // with it, by which scans wait
	more chan struct{} // of one element: some was done
}

// The work for each of what [association.Work] counts, and what is done between two scans of a fast
// sensor. By them learning took a tenth of a microsecond for a unit, within a half, where it
// took more than a tenth of a second: in twenty scenes of 30 to 300 targets of eight kinds, some
// with two thirds as many false alarms as targets, on one core of a loaded machine.
const perTriplet, perPair, perHit, perTurning, perSought, between = 2, 3, 25, 200, 100, 200_000

// The same of what tells how targets turn or accelerate for some time.
const perAlong, perLasting, perCurved = 200, 200, 1000

// add counts a run of learning.
func (w *work) add(of association.Work) {
	done := int64(perTriplet*of.Triplets + perPair*of.Pairs + perHit*of.Hits + perTurning*of.Turning)
	w.done.Add(done)
	w.all.Add(done + int64(perSought*of.Sought+perPair*of.Pairs+perAlong*of.Along+perLasting*of.Lasting+perCurved*of.Curved))
	select {
	case w.more <- struct{}{}:
	default:
	}
}

// ripe reports whether what is being learnt is to be taken: so many scans have come that there was
// time for it, or most tracks break while the levels of a warm-up are being learnt, as of what has
// changed nothing is learnt before these are there. It waits for it only while it has taken no more
// work than that.
//
// Where scans come faster than a sensor's, as from a file, or a machine is slower, nearly all of the
// time that there was is waited for. So it is looked at when it is planned, and from then on each
// time that twice as many scans have come: few of them wait. Only where something has changed is it
// looked at in each.
//
// Nobody wants a warm-up to be longer: early levels of it are waited for whatever it takes after
// twice the scans that were planned. Those of all of it are looked at after four times as many scans
// as it has, or twice those planned, and half as many later; they are taken then if they have taken
// no more work than there was time for since they were begun, so that no scan waits where a core is
// left to them; and whatever it takes after twice as many.
func (k *Tracker) ripe(ctx context.Context) bool {
	st := k.study
	if st == nil {
		return false
	}
	if st.tracked != nil && st.tracked.lesson.steady && k.lesson.sudden && k.lesson.seen > st.begun {
		return true
	}
	if k.lesson.seen < st.look {
		return false
	}
	time, done := st.time(&k.lesson), &st.work.all
	waited, late := k.lesson.seen-st.begun, max(2*(st.take-st.begun), st.most)
	again := k.lesson.seen + 1
	switch {
	case st.early() || st.tracked == nil && !st.calm:
	case st.tracked != nil && waited >= late:
		again = k.lesson.seen + late/2
	case st.tracked != nil:
		again = st.begun + min(2*waited, late)
	default:
		again = st.begun + 2*waited
	}
	switch {
	case st.tracked == nil || waited < late:
	case st.early() || waited >= 2*late:
		return true
	default:
		time = int64(float64(waited) * k.lesson.meanwhile())
	}
	if st.early() {
		done = &st.work.done
	}
	for {
		if done.Load() > time {
			st.look = again
			return false
		}
		select {
		case <-st.done:
			if done.Load() <= time {
				return true
			}
		case <-ctx.Done():
			return true
		case <-st.work.more:
		}
	}
}

// early reports whether the warm-up goes on after the study, so that nothing is settled by what it learns.
func (st *study) early() bool { return st.tracked != nil && !st.tracked.lesson.steady }

// time is the work that there is time for until so many scans have come. It is half as much where
// nothing has changed, or it has been learnt from scans since that alone, when it matters little
// whether levels are taken some scans later, and no scan waits where a machine is half as fast, or busy; so it is after a warm-up, as the scans since
// are tracked again, too, but for that of a few scans, which may wait: a stream that settles
// nothing is of less use than one that pauses once.
func (st *study) time(l *lesson) int64 {
	scans := float64(l.seen - st.begun)
	switch {
	case st.early():
	case st.tracked != nil:
		scans = scans/2 + waits
	case st.calm:
		scans /= 2
	}
	return int64(scans * l.meanwhile())
}

// waits is how many scans may come while one waits for the levels of the warm-up.
const waits = 5

// mostWork is that of learning from as many detections as are remembered, ordinarily.
const mostWork = manyDetections / warmingUp * between

// unread is the number of scans that are remembered, the first ones, that are not learnt from. Of a
// warm-up these are of a crowd that has spread since, see [learn.Crowded]; later those that there
// is no time for, where for a detection there is as much work as in the study before: all but so
// many as it is ordinarily, and those of a warm-up.
func (k *Tracker) unread() (scans int) {
	l := &k.lesson
	if !l.steady {
		last := fresh
		if l.seen <= k.opts.WarmUp { // of so few, whose levels are for the warm-up only
			last /= 2
		}
		if k.several() { // one may see more closely than another
			return 0
		}
		return learn.Crowded(k.recent, last)
	}
	for held := l.held; float64(held)*l.work > mostWork && len(k.recent)-scans > max(k.opts.WarmUp+1, fresh); scans++ {
		held -= k.recent[scans].Len()
	}
	return scans
}

// giveUp ends a study that nobody will take. It need not have ended yet: the next one waits for it,
// and so does Flush, unless its context has ended.
func (k *Tracker) giveUp() {
	if k.study != nil {
		if k.study.before != nil {
			k.stay(k.study.before)
		}
		k.study.cancel()
		k.ending, k.study = k.study.done, nil
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
	k.lesson.note(st)
	k.lesson.asked = k.lesson.asked || st.asks
	if st.err != nil {
		k.warn(st.err)
		if st.before != nil {
			k.stay(st.before)
		}
		if l := &k.lesson; !l.steady && l.seen > k.opts.WarmUp {
			l.steady = true
			return k.again(ctx, k.recent[:len(k.recent)-1]) // the last is that of the step
		}
		return nil
	}
	l := &k.lesson
	if st.before != nil && !k.told(st.model.Changed, st.before, st.begun) {
		k.stay(st.before)
		return nil
	}
	if st.model.Motions == nil {
		st.model.Motions = k.model.Motions // those that were compared last
	}
	if l.motion = nil; k.model.Levels.Motion == st.model.Levels.Motion {
		l.motion = st.model.Levels.Motion
	}
	k.model = st.model
	switch {
	case l.steady && st.model.Levels.Shifts != nil: // of which the scans since are without
		return k.relearn(ctx, false)
	case st.tracked != nil:
	case k.w != nil:
		// Links before what was learnt from would make no sense by levels of what has changed since.
		return k.turn(k.w.Len() - (l.seen - 1 - l.from))
	default:
		return nil
	}
	t := st.tracked
	k.model, k.base = t.model, t.base
	copy(k.recent, t.recent)
	k.w, k.misses, k.long, k.thin, k.orders, k.ids, k.names, k.field, k.lapses = t.w, t.misses, t.long, t.thin, t.orders, t.ids, t.names, t.field, t.lapses
	if k.w != nil {
		k.w.Share(k.opts.Workers)
	}
	k.count, k.tracks, k.times = t.count, t.tracks, t.times
	if !k.several() {
		k.turns = t.turns
	}
	k.lesson.steady, k.lesson.left, k.lesson.all, k.lesson.sudden = t.lesson.steady, t.lesson.left, t.lesson.all, t.lesson.sudden
	if l.seen < st.take { // what has changed since has not been learnt from yet
		l.wait = 0
	}
	waiting := slices.Clone(k.recent[len(t.recent) : len(k.recent)-1]) // the last is that of the step
	defer func() { l.held = count(k.recent) }()
	for n := range waiting {
		// Where the scan is remembered; below 0: it is not.
		at := func() int { return len(k.recent) - 1 - len(waiting) + n }
		if k.shifts == nil && k.alarmed() && !k.dearAfter(k.recent[:max(0, at())]) { // before what has changed since is settled
			if err := k.relearn(ctx, true); err != nil {
				return err
			}
		}
		k.hold(&waiting[n])
		if at() >= 0 {
			k.recent[at()] = waiting[n]
		}
		l.held = count(k.recent[:max(0, at()+1)])
		if err := k.step(ctx, &waiting[n]); err != nil {
			return err
		}
	}
	k.hold(&k.recent[len(k.recent)-1])
	return nil
}

// note remembers how much work a study was, and lets its levels be used for as many scans at least;
// those of a warm-up, which in crowds are of few scans, as long as was planned.
func (l *lesson) note(st *study) {
	l.took = st.work.all.Load()
	if l.work = st.each(); st.tracked == nil {
		l.next = max(l.next, 2*l.seen-st.begun)
	}
}

// each is the work of a detection so far.
func (st *study) each() float64 {
	return float64(st.work.done.Load()) / float64(max(1, count(st.scans)))
}

// relearn learns levels within a step after a change, and goes on with them unless the sensor turns
// out to move.
func (k *Tracker) relearn(ctx context.Context, still bool) error {
	if anew, err := k.learn(ctx, still); err != nil || !anew || k.unheld() {
		return err
	}
	return k.turn(0)
}
