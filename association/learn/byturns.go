package learn

import (
	"context"
	"math"

	"mtt"
	"mtt/motion"
)

// This file learns of targets that are seen by turns: in every second scan only, or every third.
//
// Problem. An antenna that turns, or a sensor that sees a field stripe by stripe, reports a target
// in one scan of several. Which detections follow one another from scan to scan is chance then: so
// is the length that a first pilot begins with, and it finds next to no track.
//
// Idea. Successors show without association at any lag (see [selfPart]). Where they show far more
// clearly some scans later than in the next, the scans of each turn are tracked by themselves to
// begin with, as those of several sensors are, and rates are counted in these tracks: a miss after
// a detection is likelier then than another detection. How often targets are detected says nothing
// of that, and is learnt even if it is said. It is taken where all detections are likelier for it.
//
// Invariant. Where no turn shows, nothing is tried.
//
// Cost. A self part of few pairs, where no successors show in the next scan several, and where a
// turn shows the pilots of a course.

// longestTurn is the longest turn that is looked for, scans: links of the assignment problem pass
// over the misses of it.
const longestTurn = Deepest + 1

// byTurns begins anew where detections are followed some scans later only, and takes what comes of
// it where all detections together are likelier for it. begin is then how it began.
func (l *learner) byTurns(ctx context.Context, begin *learner, m motion.Model) error {
	if l.steady || l.vel || len(l.Sensors) > 0 || len(l.own) > 1 || l.MaxSpeed > 0 {
		return nil
	}
	turn := turnOf(l.part)
	if turn == 0 {
		return nil
	}
	other := *begin
	other.own, other.speed = nil, 0
	if other.known.Rates.Hidden == 0 {
		other.known.Rates.Detect = 0 // said of all scans, it is not that of those that follow a detection
	}
	for phase := range turn {
		var o own
		for t := phase; t < len(l.part); t += turn {
			o.part = append(o.part, l.part[t])
		}
		o.dt = interval(o.part)
		o.look(l.steady)
		other.own = append(other.own, o)
		other.speed = max(other.speed, 2*o.wide/o.dt)
	}
	anew := other
	tracks, err := other.first(ctx, m)
	if err != nil {
		return err
	}
	other.recount(tracks)
	if taken, err := l.yields(ctx, &other, other.levels, m, 0); err != nil || !taken {
		return err
	}
	if l.woven(l.tracks) > 0 { // some are seen in every scan
		l.turn, anew.turn = turn, turn
		l.recount(l.tracks)
		if err := l.course(ctx, m); err != nil {
			return err
		}
	}
	anew.levels = l.levels
	*begin = anew
	return nil
}

// turnOf is in how many scans a sensor sees each target once: so many scans later detections are
// followed by others, by more than twice as many standard errors as in any scan before. Targets
// that happen to lie beside those of the next turn show there as well, but wander off: then it is
// as many scans later, and twice as many, that they are followed more clearly than at any time
// between. 0: that does not show.
func turnOf(scans []mtt.Scan) int {
	const pairs = 20_000 // turns are no fine point
	var known [longestTurn + 1]float64
	errors := func(later int) float64 {
		if known[later] == 0 && later < len(scans) {
			known[later], _ = selfPartWithin(scans, later, pairs, math.Inf(1), 0).clear()
		}
		return known[later]
	}
	most := 0.0
	for later := 1; later <= longestTurn && later < len(scans); later++ {
		if errors(later) > 2*max(most, shown) {
			if later == 1 { // the usual
				break
			}
			return later
		}
		most = max(most, errors(later))
	}
	for turn := 2; 2*turn <= longestTurn; turn++ {
		comb := true
		for later := 1; comb && later <= longestTurn; later++ {
			if near := later / turn * turn; near != later {
				comb = errors(later)+shown < min(errors(max(near, turn)), errors(min(near+turn, longestTurn/turn*turn)))
			}
		}
		if comb {
			return turn
		}
	}
	return 0
}
