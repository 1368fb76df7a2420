package learn

import (
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file learns of targets that are seldom seen: each reports by itself, at times of its own,
// and scans are far shorter than the time between two reports of one.
//
// Problem. Few detections are followed in the next scan, and those that lie there are of others. A
// first pilot joins these, a noise is learnt that lets it, and all that is learnt later confirms
// it.
//
// Idea. Scans put together until most detections are followed in the next show noise and motion as
// any scans do, but for what targets move meanwhile: where velocities are measured they are taken
// along. What is learnt from them begins a course in the scans as they are, and is taken where all
// detections together are likelier for it.
//
// Invariant. Where a quarter of the detections are followed in the next scan, or putting scans
// together does not show half of them and twice as many, nothing is tried.
//
// Cost. A self part; where few are followed one for each doubling of the scans put together, and
// where that shows more the pilots of two courses, three times at most.

// oftenEnough is the share of the detections followed in the next scan that a first pilot can do
// with: the tenth and the quarter of [selfPart.half] are for chance.
const oftenEnough = 0.25

// fewest is how many detections a scan has to hold on average for what follows to show beside
// others: few that come again and again at the same places seem to follow one another.
const fewest = 3

// seldom begins anew with what scans put together say, and takes what comes of it where all
// detections together are likelier for it: what the first that show half of the detections followed
// say, or else the next. Targets that report in turn may look as if they followed one another.
func (l *learner) seldom(ctx context.Context, begin learner, m motion.Model) (taken bool, err error) {
	if l.steady || l.partial || len(l.Sensors) > 0 || len(l.own) > 1 || l.MaxSpeed > 0 {
		return false, nil
	}
	first := 0.0
	if count(l.part) >= fewest*float64(len(l.part)) {
		first = followedNext(l.part)
	}
	if first >= oftenEnough {
		return false, nil
	}
	switch o := recurrenceOf(l.part); {
	case o.scans == 1: // half are followed in the next scan, which a scan with one alone does not show by itself
		return false, nil
	case !l.vel && o.scans > 0:
		if taken, err = l.fromLater(ctx, begin, m, o); err != nil || taken {
			return taken, err
		}
	}
	for each, tries := 2, 3; len(l.part)/each >= dozen && tries > 0 && !taken; each *= 2 {
		scans := gathered(l.part, each)
		if count(scans) < fewest*float64(len(scans)) || followedNext(scans) < max(2*first, 0.5) {
			continue
		}
		tries--
		if taken, err = l.fromTogether(ctx, begin, m, scans, float64(each)); err != nil {
			return false, err
		}
	}
	return taken, nil
}

// A recurrence says after how many scans, and how far away, targets are seen again.
type recurrence struct {
	scans   int     // within which half of the detections are followed by another of their target; 0: that does not show
	near    float64 // m: how far half of those are, at most
	far     float64 // m: how far nearly all
	seconds float64 // half of them come that late
}

// recurrenceOf looks how far detections are from the nearest of so many scans that follow, of twice
// as many, and so on, beside how far others would be, that are where one detection is along an axis
// and another along the next. It takes twenty million pairs at most.
func recurrenceOf(scans []mtt.Scan) (o recurrence) {
	const some, few, pairs, most = 1000, 20, 20_000_000, 1 << 14 // detections that are looked from; that tell something; pairs; scans
	dim, n, vel := dimension(scans), int(count(scans)), Velocities(scans) && !partial(scans)
	if n < few {
		return o
	}
	within := min(most, len(scans)/2)
	looks := min(some, n, max(1, pairs*len(scans)/(n*within)))
	type look struct {
		at, other, speed [3]float64
		scan             int
		near, chance, dt float64 // of the nearest: squared distance, and when that was
	}
	list := make([]look, 0, looks)
	number := 0
	for t := range scans[:len(scans)-within] {
		for i := range scans[t].Len() {
			if number++; number*looks/n == len(list) {
				continue
			}
			x := look{scan: t, near: math.Inf(1), chance: math.Inf(1)}
			copy(x.at[:], scans[t].At(i))
			if vel {
				copy(x.speed[:], scans[t].Vel[i*dim:(i+1)*dim])
			}
			list = append(list, x)
		}
	}
	if len(list) < few/2 {
		return o
	}
	for k := range list {
		for d := range dim {
			list[k].other[d] = list[(k*(2*d+1)+(d+1)*len(list)/3)%len(list)].at[d]
		}
	}
	near, chance, dts := make([]float64, len(list)), make([]float64, len(list)), make([]float64, len(list))
	for from, to := 1, 2; to <= within; from, to = to, 2*to {
		for k := range list {
			x := &list[k]
			for t := x.scan + from; t < x.scan+to; t++ {
				s, dt := &scans[t], scans[t].Time-scans[x.scan].Time
				for j := range s.Len() {
					var d2, c2 float64
					for d, at := range s.At(j) {
						at -= x.speed[d] * dt
						d2 += (at - x.at[d]) * (at - x.at[d])
						c2 += (at - x.other[d]) * (at - x.other[d])
					}
					if d2 < x.near {
						x.near, x.dt = d2, dt
					}
					x.chance = min(x.chance, c2)
				}
			}
			near[k], chance[k], dts[k] = x.near, x.chance, x.dt
		}
		slices.Sort(near)
		slices.Sort(chance)
		followed, far, c := 0.0, 0.0, 0
		for k, d2 := range near {
			for c < len(chance) && chance[c] <= d2 {
				c++
			}
			by, all := float64(k+1)/float64(len(near)), float64(c)/float64(len(chance))
			if share := (by - all) / (1 - all); all < 0.5 && share > followed { // farther away chance has it
				followed, far = share, d2
			}
		}
		if followed >= 0.5 {
			slices.Sort(dts)
			half := near[min(int(followed/2*float64(len(near))), len(near)-1)]
			return recurrence{scans: to - 1, near: math.Sqrt(half), far: math.Sqrt(far), seconds: max(dts[len(dts)/2], tiny)}
		}
	}
	return o
}

// inTurn reports whether each scan has one detection, and targets are seen again many scans later
// only: that all have as many says nothing then.
func inTurn(scans []mtt.Scan) bool {
	return single(scans) && recurrenceOf(window(scans, enough, dozen)).scans > Deepest
}

// Untold reports whether scans that hold hardly more than one detection each do not tell yet what
// follows what: no target is seen in the next scan, and none has been seen a few times.
func Untold(scans []mtt.Scan) bool {
	const each, times = 1.5, 6 // detections of a scan; half of the targets are seen three times in as many scans as six times half of the gaps last
	n := count(scans)
	if n > each*float64(len(scans)) {
		return false
	}
	o := recurrenceOf(scans)
	return o.scans == 0 || o.scans > 1 && n < float64(times*o.scans)
}

// single reports whether each scan has one detection.
func single(scans []mtt.Scan) bool { return len(scans) > 0 && scans[0].Len() == 1 && steady(scans) }

// fromLater begins anew with what detections say that are as far apart as half of those of a
// target, and takes what comes of it where all detections together are likelier for it.
func (l *learner) fromLater(ctx context.Context, begin learner, m motion.Model, o recurrence) (taken bool, err error) {
	g := *begin.fresh(m)
	whole := guess(gathered(l.part, o.scans), o.near, false)
	g.Rates = shared(&whole, float64(o.scans))
	g.Rates.Uneven = 1 // half come within as many scans as had no one, three quarters within three times as many: some targets may be seen more seldom by far
	g.Rates = l.said(g.Rates)
	if !l.vel {
		g.SpeedStd = o.near / 1.18 / o.seconds
	} else {
		start(&g.SigmaV, o.near/3/o.seconds)
	}
	start(&g.Sigma, o.near/2)
	start(&g.Accel, 0.1*g.SpeedStd/math.Sqrt(o.seconds))
	l.floor(&g)
	begin.speed = 2 * max(o.far, tiny) / o.seconds // exact positions of targets that stand
	if l.vel {
		begin.speed += maxSpeed(l.part)
	}
	// What is seen more seldom than others passes for false alarms among many of these, and a pilot
	// that leaves it out confirms that: once more with next to none.
	for range 2 {
		from, levels := begin, g
		better, err := l.yields(ctx, &from, &levels, m, 0)
		if err != nil {
			return false, err
		}
		taken = taken || better
		if l.known.Rates.Clutter > 0 {
			break
		}
		if taken {
			rates := g.Rates
			g = *l.levels
			g.Rates = rates
			begin.speed = max(begin.speed, l.speed)
		}
		g.Rates.Clutter = 0.5 / float64(len(l.part)+1) // what counting makes of none
	}
	return taken, nil
}

// fromTogether is seldom for scans of which each is so many.
func (l *learner) fromTogether(ctx context.Context, begin learner, m motion.Model, scans []mtt.Scan, each float64) (taken bool, err error) {
	coarse := newLearner(scans, l.Options, l.run, false)
	if _, err := coarse.first(ctx, m); err != nil {
		return false, err
	}
	if err := coarse.course(ctx, m); err != nil || len(coarse.tracks) == 0 {
		return false, err
	}
	g := *coarse.levels
	g.Interval = l.levels.Interval
	g.Rates = l.said(shared(&g.Rates, each))
	begin.speed = min(begin.speed, coarse.speed)
	return l.yields(ctx, &begin, &g, m, 0)
}

// followedNext is the share of the detections that are followed in the next scan, as far as that
// shows clearly; 0: it does not. Of a scan with one alone nobody knows how dense others are, and
// any detection would pass for its successor: it is left out.
func followedNext(scans []mtt.Scan) float64 {
	some := slices.Clone(scans)
	for t := range some {
		if some[t].Len() == 1 {
			some[t] = some[t].Pick(nil)
		}
	}
	self := restPart(some, 1)
	if z, n := self.clear(); z > shown {
		return n / self.looked
	}
	return 0
}

// gathered are scans put together, so many at a time, at the mean of their times; what moves
// measurably is where it is then.
func gathered(scans []mtt.Scan, each int) (all []mtt.Scan) {
	for t := 0; t < len(scans); t += each {
		part := scans[t:min(t+each, len(scans))]
		one := mtt.Scan{Frame: part[0].Frame, Dim: part[0].Dim}
		for k := range part {
			one.Time += part[k].Time / float64(len(part))
		}
		for k := range part {
			s, from := &part[k], len(one.Pos)
			one.Pos, one.Vel = append(one.Pos, s.Pos...), append(one.Vel, s.Vel...)
			one.Cov, one.VelCov = append(one.Cov, s.Cov...), append(one.VelCov, s.VelCov...)
			one.Size, one.Conf = append(one.Size, s.Size...), append(one.Conf, s.Conf...)
			one.Class, one.Feat = append(one.Class, s.Class...), append(one.Feat, s.Feat...)
			for i, v := range s.Vel {
				one.Pos[from+i] += v * (one.Time - s.Time)
			}
		}
		all = append(all, one)
	}
	return all
}

// shared are the rates of scans of which so many, put together, have the others.
func shared(whole *costgen.Rates, each float64) costgen.Rates {
	r := *whole
	r.Detect /= each // of reports at even times; those at any come sooner, and are found as well by links that pass over more
	r.Hidden = 1 - r.Detect
	r.Survive = math.Pow(r.Survive, 1/each)
	r.Births, r.Clutter = r.Births/each, r.Clutter/each
	return r
}
