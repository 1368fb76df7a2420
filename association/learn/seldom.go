package learn

import (
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file learns of targets that are seldom seen: each reports by itself, at times of its own, and scans are far shorter
// than the time between two reports of one.
//
// Problem. Few detections are followed in the next scan, and those that lie there are of others. A first pilot joins these, a
// noise is learnt that lets it, and all that is learnt later confirms it.
//
// Idea. Scans put together until most detections are followed in the next show noise and motion as any scans do, but for what targets move
// meanwhile: where velocities are measured they are taken along. What is learnt from them begins a course in the scans as they
// are, and is taken where all detections together are likelier for it.
//
// Invariant. Where a quarter of the detections are followed in the next scan, or putting scans together does not show half of them and
// twice as many, nothing is tried.
//
// Cost. A self part; where few are followed one for each doubling of the scans put together, and where that shows more the pilots of
// two courses, three times at most.

// oftenEnough is the share of the detections followed in the next scan that a first pilot can do with: the tenth and the quarter of [selfPart.half]
// are for chance.
const oftenEnough = 0.25

// fewest is how many detections a scan has to hold on average for what follows to show beside others: few that come again and again at the same places
// seem to follow one another.
const fewest = 3

// seldom begins anew with what scans put together say, and takes what comes of it where all detections together are likelier for it: what the first that
// show half of the detections followed say, or else the next. Targets that report in turn may look as if they followed one another.
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

// fromTogether is seldom for scans of which each is so many.
func (l *learner) fromTogether(ctx context.Context, begin learner, m motion.Model, scans []mtt.Scan, each float64) (taken bool, err error) {
	most, err := l.evidence(ctx)
	if err != nil {
		return false, err
	}
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
	nats, err := begin.again(ctx, &g, m)
	if taken = err == nil && nats > most && len(begin.tracks) > 0; taken {
		*l = begin
	}
	return taken, err
}

// followedNext is the share of the detections that are followed in the next scan, as far as that shows clearly; 0: it does not. Of a scan with one alone
// nobody knows how dense others are, and any detection would pass for its successor: it is left out.
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

// gathered are scans put together, so many at a time, at the mean of their times; what moves measurably is where it is then.
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
