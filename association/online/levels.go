package online

import (
	"context"
	"fmt"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
)

// This file learns levels all along.
//
// In the warm-up they are learnt from the first scans at hand, after the first, second, fourth
// and tenth, for the targets that are believed to be there; nothing is settled. After it
// they are learnt from all its scans, and these are tracked again, beside the scans that come (study.go). From then on they are
// learnt anew, from the last scans, each time as many scans have been seen as double
// those of the time before, so that the work for each scan becomes less; and as soon as more
// detections are left over than the rate of false alarms accounts for: targets that have
// been standing walk off, a second kind of targets comes, the sensor has changed.

// fresh is the number of scans that count when something has changed.
const fresh = 12

// What is remembered to learn from: the last scans with so many detections in all, or so many
// scans. The rates of rare events ask for many.
const manyDetections, fewScans = 5000, 40

// patience is the number of scans after levels were learnt before detections left over have
// them learnt again. It doubles each time that does not help.
const patience = 5

// A lesson is when levels were learnt, and when they will be.
type lesson struct {
	seen   int     // scans
	from   int     // number of scans before those that are not forgotten
	held   int     // detections that are not forgotten
	next   int     // number of scans after which levels are learnt
	last   int     // those that they were last learnt from, or are being learnt from
	left   float64 // detections that are left over in a scan, the last scans counting most
	all    float64 // detections of a scan, likewise
	wait   int     // scans after last before detections left over have levels learnt again
	steady bool    // the warm-up is over
}

// fixed reports whether levels are given.
func (k *Tracker) fixed() bool { return k.opts.Levels != nil || k.opts.Model != nil }

// due reports whether levels are to be learnt from now on.
func (k *Tracker) due() bool {
	l, learning := &k.lesson, k.study != nil
	switch {
	case k.model == nil:
		return true
	case !l.steady:
		return l.seen <= 2 || l.seen == 4 || l.seen == 10 && l.seen <= k.opts.WarmUp || l.seen == k.opts.WarmUp+1 || l.seen > k.opts.WarmUp && !learning
	case k.fixed():
		return false
	}
	return l.seen >= l.next && !learning || l.seen >= l.last+l.wait && k.suspicious()
}

// suspicious reports whether many more detections are left over than there should be false
// alarms.
func (k *Tracker) suspicious() bool {
	l := &k.lesson
	return l.left > 3+2*k.model.Levels.Rates.Clutter && l.left > 0.1*l.all
}

// changed reports whether levels that are due are so before their time: something has changed.
func (l *lesson) changed() bool { return l.seen < l.next }

// sample chooses the scans to learn from now, and when levels are learnt next.
func (k *Tracker) sample() {
	l := &k.lesson
	l.wait *= 2
	if !l.steady || !k.suspicious() {
		l.wait = patience
	}
	if l.steady && l.changed() {
		k.recent = append(k.recent[:0], k.recent[max(0, len(k.recent)-fresh):]...)
		l.from, l.held = l.seen-len(k.recent), 0
		for t := range k.recent {
			l.held += k.recent[t].Len()
		}
	}
	l.last, l.next = l.seen, l.from+2*(l.seen-l.from)
}

// learn learns levels within a step, in place of what is being learnt.
func (k *Tracker) learn(ctx context.Context) error {
	k.giveUp()
	k.sample()
	model, err := association.Learn(ctx, k.recent, k.opts.batch())
	if err != nil {
		return err
	}
	k.model = model
	return nil
}

// remember keeps a scan to learn from.
func (k *Tracker) remember(s *mtt.Scan) {
	k.lesson.seen++
	if k.fixed() && k.lesson.steady {
		return
	}
	k.recent = append(k.recent, *s)
	k.lesson.held += s.Len()
	for k.lesson.steady && k.lesson.held > manyDetections && len(k.recent) > fewScans {
		k.lesson.held -= k.recent[0].Len()
		k.recent[0] = mtt.Scan{} // to move the others would take thousands of them for each scan
		k.recent = k.recent[1:]
	}
}

// leave counts what is left over of scan t of the window.
func (k *Tracker) leave(t int) {
	links, left := k.w.Links(), 0.0
	for i, p := range links.Prev[t] {
		if p == chain.None && links.Next[t][i] == chain.None {
			left++
		}
	}
	const weight = 0.2
	l := &k.lesson
	l.left += weight * (left - l.left)
	l.all += weight * (float64(len(links.Prev[t])) - l.all)
}

// again tracks the scans of the warm-up again.
func (k *Tracker) again(ctx context.Context) error {
	k.forget()
	for t := range k.recent {
		if err := k.step(ctx, &k.recent[t]); err != nil {
			return err
		}
	}
	return nil
}

// turn goes on with other levels: the window has the scans and links that it had.
func (k *Tracker) turn() error {
	old, ids := k.w, k.ids
	k.start()
	from := max(0, old.Len()-k.size()+1)
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
	k.ids, k.orders = ids[from:], k.orders[from:]
	return nil
}
