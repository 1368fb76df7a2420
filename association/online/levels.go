package online

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mtt"
	"mtt/association"
	"mtt/association/learn"
	"mtt/association/refine"
	"mtt/costgen"
	"mtt/motion"
	"mtt/sensor"
)

// This file learns levels all along.
//
// With them it is learnt how targets turn or accelerate for some time, after the warm-up and from then
// on, from tracks of the last scans that are found as scans come: to refine tracks of all scans, as
// when nobody waits, would take so long that levels came late.
//
// In the warm-up they are learnt from the first scans at hand, after the first, second, fourth and
// tenth, for the targets that are believed to be there; nothing is settled. After it they are
// learnt from all its scans, and these are tracked again, beside the scans that come (study.go).
// From then on they are learnt anew, from the last scans, each time as many scans have been seen as
// double those of the time before, or are four times those where no more are remembered, so that
// the work for each scan becomes less and few of a thousand wait; and at once as soon as more
// detections are left over, or begin tracks, than the rates of false alarms and births account for:
// targets that have been standing walk off, a second kind of targets comes, the sensor has changed.
// Who comes in a group does that, too. So the levels so far stay where what was detected is not
// likelier under the new ones by more than what is fitted to so few scans makes it, and than the
// change being in one of all the scans since the last one.
// A scan is looked at for that in the last step before a lag of three settles it, or one of four,
// so that what the new levels say of it counts. They are learnt from scans before and after the
// change, of which those in which all set out say more than how they go on. So they are learnt
// from those after it alone when there are twice as many, and taken where these are likelier by
// so much that there is no doubt, as if it were another change; and again when there are a dozen.
// Who knows only how things are since then cuts what goes across the change: it is settled before.

// fresh is the number of scans that count when something has changed.
const fresh = 12

// What is remembered to learn from: the last scans with so many detections in all, or so many
// scans. The rates of rare events ask for many.
const manyDetections, fewScans = 5000, 40

// patience is the number of scans after levels were learnt before detections left over have
// them learnt again. It doubles each time that does not help.
const patience = 5

// most is the share of what was detected that is left over where most tracks break.
const most = 0.5

// lately is the number of scans whose average is that of the last ones, the last of them counting most.
const lately = 9

// longestWait is the work of levels that are learnt within a step, as long as four scans of a fast
// sensor take to come, or of a slower one within wholeWait: what is to be learnt of a change counts
// before a lag of three has settled it. Where detections are so crowded that it takes longer, they
// are learnt beside the scans. What breaks most tracks may take wholeWait: a second once, instead of
// no tracks meanwhile.
const longestWait, wholeWait = 4 * between, 50 * between

// A lesson is when levels were learnt, and when they will be.
type lesson struct {
	seen   int          // scans
	from   int          // number of scans before those that are not forgotten
	held   int          // detections that are not forgotten, of the scans up to that of the step
	apart  float64      // s: time from one of them to the next, on average
	next   int          // number of scans after which levels are learnt
	last   int          // those that they were last learnt from, or are being learnt from
	left   float64      // detections that are left over in a scan, the last scans counting most
	all    float64      // detections of a scan, likewise
	work   float64      // that of a detection in the study before
	took   int64        // all of it, looking for manoeuvres included
	soon   int          // number of scans after which a change is learnt from those since alone; 0: it was
	wait   int          // scans after last before detections left over have levels learnt again
	sudden bool         // most are left over in two scans
	steady bool         // the warm-up is over
	mixed  bool         // levels were last learnt from scans before a change and after it
	motion motion.Model // of the last two lessons, if it was the same
	among  int          // scans in which motions were last compared
	longer int          // of the warm-up that may yet come
	asked  bool         // whether the sensor moves, and was answered, since something has changed
	closed bool         // levels are those of scans that none was to follow
}

// fixed reports whether levels are given.
func (k *Tracker) fixed() bool { return k.opts.Levels != nil || k.opts.Model != nil }

// unknown reports whether nothing tells how large errors are, and how many detections are false:
// nobody said so, and there is one scan with detections.
func (k *Tracker) unknown() (noise, alarms bool) {
	if k.fixed() || k.lesson.steady {
		return false, false
	}
	scans := 0
	for t := range k.recent {
		if scans += min(k.recent[t].Len(), 1); scans > 1 {
			return false, false
		}
	}
	return k.opts.Sigma == 0 && len(k.like.Cov) == 0, k.plain() && (k.opts.Rates == nil || k.opts.Rates.Clutter == 0)
}

// prolong doubles a warm-up of which nobody said how long it is, up to eight times, where its scans
// do not tell yet what follows what: of ships that report one by one twenty reports are two of
// each, and what was learnt of these would settle wrong links, or none.
func (k *Tracker) prolong() {
	l := &k.lesson
	if l.longer > 0 && !l.steady && l.seen == k.opts.WarmUp+1 && learn.Untold(k.recent) {
		k.opts.WarmUp *= 2
		l.longer--
	}
}

// learning reports whether scans that come are learnt from.
func (k *Tracker) learning() bool { return !k.fixed() || !k.lesson.steady }

// due reports whether levels are to be learnt from now on.
func (k *Tracker) due() bool {
	l, learning := &k.lesson, k.study != nil
	switch {
	case k.model == nil:
		return true
	case !l.steady:
		return l.seen <= 2 || l.seen == 4 || l.seen == 10 && l.seen <= k.opts.WarmUp && !learning || l.seen == k.opts.WarmUp+1 || l.seen > k.opts.WarmUp && !learning
	case k.fixed():
		return false
	}
	return l.seen >= l.next && !learning || k.settling() || k.alarmed() && !(learning && k.dear())
}

// settling reports whether as many scans again have come since a change as told of it, and how things
// are now is to be learnt from these alone.
func (k *Tracker) settling() bool {
	l := &k.lesson
	return l.soon > 0 && l.seen >= l.soon && l.changed() && k.study == nil && !k.dear()
}

// dear reports whether it would take longer to learn from a dozen scans than they may wait:
// detections are so crowded that there was much work for each in the study before.
func (k *Tracker) dear() bool { return k.dearAfter(k.recent) }

// dearAfter is dear where no scans but these have been tracked.
func (k *Tracker) dearAfter(scans []mtt.Scan) bool {
	l := &k.lesson
	wait := min(longestWait*l.pace(), wholeWait)
	if l.sudden || l.left > most*l.all {
		wait = wholeWait
	}
	return float64(count(scans[max(0, len(scans)-fresh):]))*l.work > wait
}

// alarmed reports whether something has changed since levels were learnt.
func (k *Tracker) alarmed() bool {
	l := &k.lesson
	return l.steady && !k.fixed() && l.seen >= l.last+l.wait && k.suspicious()
}

// suspicious reports whether many more detections are left over, or begin tracks, than there should be false
// alarms and births, in the last scans or all of a sudden in two.
func (k *Tracker) suspicious() bool {
	l := &k.lesson
	return l.left > k.surprising() || l.sudden
}

// surprising is the number of detections left over in one of the last scans, on average, from which on they
// are too many: more than what does not surprise, and than a tenth of all.
func (k *Tracker) surprising() float64 {
	return max(k.model.Levels.LeftOver(k.lesson.all, lately), 0.1*k.lesson.all)
}

// changed reports whether levels that are due are so before their time: something has changed.
func (l *lesson) changed() bool { return l.seen < l.next }

// sample chooses the scans to learn from now, and when levels are learnt next. Where something seems
// to have changed that is how it was before: nothing is forgotten until it is clear that it has.
func (k *Tracker) sample() (scans []mtt.Scan, before *lesson) {
	l := &k.lesson
	if k.settling() {
		l.soon, l.last = 0, l.seen
		was := *l
		return k.recent[max(0, len(k.recent)-(l.seen-l.from)):], &was
	}
	switch l.wait = max(patience, 2*l.wait); {
	case !l.steady:
		l.wait = patience
	case !k.suspicious(): // what is left over from now on is new
		l.wait = 0
	}
	l.last, l.soon = l.seen, 0
	switch {
	case l.steady && l.changed():
		was := *l
		before, scans = &was, k.recent[max(0, len(k.recent)-fresh):]
		l.motion, l.among, l.asked = nil, 0, false      // it may be another one now
		l.from = l.seen - min(1+k.looked(), len(scans)) // those since the change
		since, past := l.seen-l.from, k.opts.Lag+2      // past: scans that settle what goes across it
		l.next = l.from + max(fresh, past)
		if 2*since >= past {
			l.soon = l.from + 2*since
		}
	default:
		if l.steady {
			k.keep(l.seen - l.from)
		}
		more := 2
		if len(k.recent) < l.seen-l.from { // no more are remembered; others say only what became of the levels slowly
			more = 4
		}
		l.next = l.from + more*(l.seen-l.from)
		scans, l.mixed = k.recent, false
	}
	return scans, before
}

// told reports whether what was learnt from scans up to one of them tells of a change, and forgets
// what was before. A change may have been in any of the scans since that.
func (k *Tracker) told(changed float64, before *lesson, upTo int) bool {
	l := &k.lesson
	if !(changed > math.Log(float64(max(1, l.seen-before.from)))) {
		return false
	}
	l.mixed = true
	k.keep(l.seen - upTo + fresh)
	return true
}

// stay goes on as before what seemed a change.
func (k *Tracker) stay(before *lesson) {
	l := &k.lesson
	l.motion, l.among, l.asked, l.from, l.next, l.soon = before.motion, before.among, before.asked, before.from, before.next, before.soon
}

// keep forgets all scans but the last ones.
func (k *Tracker) keep(scans int) {
	if more := len(k.recent) - scans; more > 0 {
		k.recent = slices.Delete(k.recent, 0, more)
	}
	k.lesson.held = count(k.recent)
}

// count is the number of detections of scans.
func count(scans []mtt.Scan) (detections int) {
	for t := range scans {
		detections += scans[t].Len()
	}
	return detections
}

// learn learns levels within a step, in place of what is being learnt. Nobody asks whether the
// sensor moves where it is said to be still. It reports whether there are new levels: after what
// seemed a change those so far may stay.
func (k *Tracker) learn(ctx context.Context, still bool) (anew bool, err error) {
	studied := k.study != nil
	k.giveUp()
	scans, before := k.sample()
	opts := k.lessonOptions()
	if before != nil && !k.unheld() {
		opts.Before = k.prices()
	}
	opts.FixedSensor, opts.Isotropic = opts.FixedSensor || still, opts.Isotropic || k.lesson.steady
	ends := !k.lesson.steady && k.lesson.seen > 2 // Flush: nobody waits, and what these scans never saw is not to be
	k.lesson.closed, opts.Open = ends, !ends
	if k.lesson.steady { // else nothing is learnt from within a step but the first scans, and all of them at the end, when nobody waits
		opts.Cap = lessonCap
	}
	if !k.lesson.steady && k.lesson.seen <= 2 {
		k.hurry(opts)
	}
	err = guarded(func() error {
		noise := k.noise()
		model, err := noise.learn(ctx, scans, opts)
		if err == nil && ends {
			err = noise.whole(ctx, model, scans, opts)
		}
		if err == nil && opts.Before == nil {
			model.Changed = math.Inf(1)
		}
		if anew = err == nil && (before == nil || k.told(model.Changed, before, k.lesson.seen)); anew {
			k.model, k.engine, model.Tracks = model, model.Tracks, nil
			k.lesson.asked = k.lesson.asked || !opts.FixedSensor
		}
		return err
	})
	if !anew && before != nil {
		if k.stay(before); studied { // what was being learnt is learnt again
			k.lesson.next = k.lesson.seen
		}
	}
	if err != nil && k.model != nil && ctx.Err() == nil {
		k.warn(err)
		return anew, nil
	}
	return anew, err
}

// prices are the levels by which links are priced.
func (k *Tracker) prices() *costgen.Levels { return k.model.Model.(costgen.Leveled).Noise() }

// lessonCap is the number of arcs that crowded detections keep while levels are learnt, those to
// the few nearest before the warm-up is over. In 16 scenes of 100 targets, a tenth of them missed,
// in some of which half a thousand detections could follow one over two scans, levels and wrong
// links were as without, at up to half the work.
const lessonCap = 12

// A noise says what noise of detections is known from the lesson in which it was learnt that it
// differs by direction or from place to place. It is that of the sensor, and stays.
type noise costgen.Levels

// noise is what is known of it; nothing while nothing is.
func (k *Tracker) noise() *noise {
	n := new(noise)
	if k.model != nil && !k.fixed() && k.model.Levels != nil {
		n.Dim, n.Cov, n.Polar, n.VelMap = k.model.Levels.Dim, k.model.Levels.Cov, k.model.Levels.Polar, k.model.Levels.VelMap
	}
	return n
}

// learn learns from scans in which detections tell what is known of their noise.
func (n *noise) learn(ctx context.Context, scans []mtt.Scan, opts *association.Options) (*association.Result, error) {
	model, err := association.Learn(ctx, (*costgen.Levels)(n).Told(scans), opts)
	if err == nil && model.Levels != nil && (n.Polar != nil || n.Cov != [6]float64{} || n.VelMap != [9]float64{}) {
		levels := *model.Levels
		levels.Cov, levels.Polar, levels.VelMap = n.Cov, n.Polar, n.VelMap
		model.Levels = &levels
	}
	return model, err
}

// whole adds to what has been learnt what whole tracks tell, those of the last scans with so many
// detections in all, or so many scans.
func (n *noise) whole(ctx context.Context, model *association.Result, scans []mtt.Scan, opts *association.Options) error {
	return model.LearnWhole(ctx, (*costgen.Levels)(n).Told(last(scans, manyDetections)), opts)
}

// steeredBy is the number of detections whose tracks tell how targets turn or accelerate for some
// time: three times as many made no fewer links right. turningIn is that of a scan in which they may
// turn: a step takes some 25 µs for each along a curve, and is over when an eighth of what a fast
// sensor's next scan takes to come has passed.
const steeredBy, turningIn = 1000, between / 8 / 250

// steered adds to what has been learnt how targets turn or accelerate for some time, as tracks of
// the last scans tell it.
func (n *noise) steered(ctx context.Context, model *association.Result, scans []mtt.Scan, opts *association.Options) error {
	return model.LearnSteered(ctx, (*costgen.Levels)(n).Told(last(scans, steeredBy)), turningIn, opts)
}

// last are the last scans, with so many detections in all or a dozen.
func last(scans []mtt.Scan, detections int) []mtt.Scan {
	held, from := 0, len(scans)
	for from > 0 && (held < detections || len(scans)-from < fresh) {
		from--
		held += scans[from].Len()
	}
	return scans[from:]
}

// plain reports whether no sensor is described, or one that says no more than none does.
func (k *Tracker) plain() bool {
	return len(k.opts.Sensors) == 0 || len(k.opts.Sensors) == 1 && k.opts.Sensors[0].Plain()
}

// untold reports whether the noise of a polar sensor is to be learnt.
func (k *Tracker) untold() bool {
	return slices.ContainsFunc(k.opts.Sensors, func(s sensor.Sensor) bool { return s.Kind == "polar" && len(s.Noise) == 0 })
}

// lessonOptions are the options to learn with from the recent scans. Few of them say nothing of the
// sensor, and where it is known to move its motion is followed.
func (k *Tracker) lessonOptions() *association.Options {
	opts := k.opts.batch()
	opts.Isotropic = !k.untold() // else it would have to be learnt again and again
	opts.FixedSensor = opts.FixedSensor || k.shifts != nil || len(k.recent) < fresh || k.lesson.asked && k.littered()
	return opts
}

// littered reports whether a third of what was detected lately seems to be false, and more: then it
// takes as long as all the rest to find out whether the sensor moves, and that is answered once.
func (k *Tracker) littered() bool {
	if k.model == nil || k.model.Levels == nil {
		return false
	}
	g := k.model.Levels
	return 3*(g.Rates.Clutter*float64(len(k.recent))+g.Echoes.Expected(k.recent)) > float64(count(k.recent))
}

// hurry leaves the motion as it is mostly, and noise the same along all directions: so few scans do
// not tell motions apart, and it takes three times as long to try.
func (k *Tracker) hurry(opts *association.Options) {
	opts.Isotropic = true
	if opts.Motion == nil && !k.fixed() {
		opts.Motion = motion.Velocity{}
	}
}

// remember keeps a scan to learn from.
func (k *Tracker) remember(s *mtt.Scan) {
	k.lesson.seen++
	if !k.learning() {
		return
	}
	k.recent = append(k.recent, *s)
	if n := len(k.recent) - 1; n > 0 {
		k.lesson.apart = (s.Time - k.recent[0].Time) / float64(n)
	}
	k.lesson.held += s.Len()
	for k.lesson.steady && k.lesson.held > manyDetections && len(k.recent) > fewScans {
		k.lesson.held -= k.recent[0].Len()
		k.recent[0] = mtt.Scan{} // to move the others would take thousands of them for each scan
		k.recent = k.recent[1:]
	}
}

// looked is the number of scans, the last ones, of which it is not yet said what is left over:
// three, as then a lag of three settles the one before them, or four where the lag leaves time to
// learn from one more after a change.
func (k *Tracker) looked() int { return max(3, min(k.opts.Lag, 4)) * (1 + k.turns.between) }

// leave counts what is left over of the scan that will be the third before the last, or the fourth,
// when the next one has come: late enough to know what begins there, and before it is settled.
func (k *Tracker) leave() {
	t := k.w.Len() - k.looked()
	if t < 0 {
		return
	}
	const weight = 2.0 / (1 + lately)
	l, all := &k.lesson, float64(k.w.Scan(t).Len())
	left := min(refine.LeftOver(k.w.Links(), t), 4*k.surprising()) // of one scan it would be too few
	l.left += weight * (left - l.left)
	l.all += weight * (all - l.all)
	l.sudden = refine.Broken(k.w.Links(), t, k.model.Levels) && refine.Broken(k.w.Links(), t+1, k.model.Levels)
}

// again tracks scans of the warm-up again.
func (k *Tracker) again(ctx context.Context, scans []mtt.Scan) error {
	k.forget()
	defer func() { k.known, k.engine = 0, nil }()
	for t := range scans {
		k.known = len(scans) - t
		if err := k.step(ctx, &scans[t]); err != nil {
			return err
		}
	}
	return nil
}

// turn goes on with other levels: the window has the scans and links that it had, of those scans
// from the given one on.
func (k *Tracker) turn(from int) error {
	old, ids := k.w, k.ids
	k.start()
	from = max(from, old.Len()-k.size()+1, 0)
	for t := from; t < old.Len(); t++ {
		told := k.model.Levels.ToldOne(old.Scan(t))
		if err := k.w.Add(&told); err != nil {
			return fmt.Errorf("online: %w", err)
		}
	}
	k.w.Restore(old, from)
	for _, left := range ids[:from] {
		k.drop(left)
	}
	k.ids, k.orders, k.thin = ids[from:], k.orders[from:], max(0, k.thin-from)
	return nil
}
