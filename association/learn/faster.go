package learn

import (
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file looks for targets among the detections that tracks leave over.
//
// Problem. A few fast targets among many slow ones do not show in how far most successors are. The
// gate is one for the slow ones, so the fast ones are in no track and nothing about them is learnt:
// they pass for false alarms, and the gate confirms itself.
//
// Idea. False alarms have no successors. Where detections that are left over have some, which shows
// without association, in three scans (see [lines]) or in two (see [selfPart]), levels are learnt
// from them alone, as if there were no others. Both kinds of tracks together give levels under
// which both are possible: a wider prior of the velocity, rare steps of much larger noise, a
// greater speed. They are taken where all detections are likelier for targets of two kinds: one
// prior of all speeds is so wide for the slow ones that each of these loses as much as is had for
// some detections of a fast one, so every track counts under the levels of its kind.
//
// Targets that stand, all of them, and then go show in another way, too: their tracks end, and from
// then on as many more detections are left over. How far they go may be too far, among false alarms,
// for successors to show, but these scans are like a scene of their own (see [Losing]).
//
// Invariant. Where what is left over shows no successors, and is as much in all scans or tracks go on,
// nothing is tried.
//
// Cost. The lines of what is left over and a self part; where it shows successors a pilot of what
// is left over, and those of a course.

// shown is by how many standard errors the number of successors among detections that are left over
// must be above 0: the greatest of some thousands of sums, which depend on one another, is rarely
// above 4 among false alarms.
const shown = 4

// faster learns levels of targets that are among what tracks leave over, and takes them where all
// detections are likelier for it.
func (l *learner) faster(ctx context.Context, m motion.Model) error {
	if l.steady || l.vel || len(l.Sensors) > 0 || l.MaxSpeed > 0 {
		return nil
	}
	left, index := l.leftover(l.part, l.tracks)
	other := *l
	if straight := lines(left); len(straight) > 0 {
		rest := newLearner(left, l.Options, l.run, false)
		rest.tracks = straight
		rest.fit(left, straight, m, true)
		rest.speed = max(rest.speed, speed(left, straight, 0)) // what is left over may be too little to show as far a reach
		if _, err := l.besides(ctx, m, rest, index); err != nil {
			return err
		}
	}
	if z, _ := restPart(left, 1).clear(); z < shown {
		if left = Losing(l.part, left); left == nil {
			return nil
		}
	}
	rest := newLearner(left, l.Options, l.run, false)
	if _, err := rest.first(ctx, m); err != nil {
		return err
	}
	if err := rest.course(ctx, m); err != nil {
		return err
	}
	if len(rest.tracks) == 0 {
		return nil
	}
	taken, err := other.besides(ctx, m, rest, index)
	if taken && !(l.nats >= other.nats) { // those of lines may not have been looked at
		*l = other
	}
	return err
}

// Losing is what tracks leave over (see [Leftover]) of the scans, those up to or from one of them on, in which
// they are lost: as many detections more than of each of the others as half of those that they have there, at
// least one, and that is no chance. nil: there are no such scans, or fewer than three.
func Losing(scans, left []mtt.Scan) []mtt.Scan {
	const least = 3
	rate := func(n, scans float64) (nats float64) { // log likelihood of so many in so many scans, at their rate
		if n > 0 {
			nats = n * math.Log(n/scans)
		}
		return nats
	}
	n, all, over := len(scans), count(scans), count(left)
	had, rest := 0.0, 0.0 // of the scans before
	best, from, to := shown*shown/2.+rate(over, float64(n)), 0, 0
	for t := 1; t < n; t++ {
		had, rest = had+float64(scans[t-1].Len()), rest+float64(left[t-1].Len())
		before, after := float64(t), float64(n-t)
		more, tracked, a, b := (over-rest)/after-rest/before, (had-rest)/before, t, n
		if more < 0 {
			more, tracked, a, b = -more, (all-over-had+rest)/after, 0, t
		}
		if nats := rate(rest, before) + rate(over-rest, after); nats > best && more >= max(1, tracked/2) {
			best, from, to = nats, a, b
		}
	}
	if to-from < least {
		return nil
	}
	return left[from:to]
}

// ownLevels are the levels that a kind of targets has of its own: noise, acceleration, speed, and
// probability and size of manoeuvres.
const ownLevels = 5

// besides takes levels of both its tracks and those of what they leave over, index says of which
// detections, where all detections are likelier for it by more than levels fitted to nothing would
// make them: half the logarithm of the number of detections for each [1].
//
// [1] G. Schwarz. Estimating the dimension of a model. Annals of Statistics 6, 1978.
func (l *learner) besides(ctx context.Context, m motion.Model, rest *learner, index [][]int32) (taken bool, err error) {
	other := *l
	other.speed = max(l.speed, rest.speed)
	other.kinds = []kind{{l.levels, len(l.tracks), l.speed}, {rest.levels, len(rest.tracks), rest.speed}}
	other.fit(l.part, slices.Concat(l.tracks, placed(rest.tracks, l.part, index)), m, true)
	return l.yields(ctx, &other, other.levels, m, ownLevels/2.*math.Log(count(l.part)))
}

// A kind of targets is what was learnt from them alone.
type kind struct {
	levels *costgen.Levels
	tracks int
	speed  float64 // m/s: of the fastest of them
}

// speedOfKinds is the root mean square of a coordinate of the velocities of all kinds of targets,
// m/s: what a fit to tracks of few fast targets among many slow ones takes for outliers. Where
// there are no kinds it is 0.
func (l *learner) speedOfKinds() float64 {
	sum, n := 0.0, 0.0
	for _, k := range l.kinds {
		sum += float64(k.tracks) * k.levels.SpeedStd * k.levels.SpeedStd
		n += float64(k.tracks)
	}
	return math.Sqrt(sum / max(1, n))
}

// ofKinds is by how many nats tracks are likelier where each is of the likeliest kind of targets: of
// those that were learnt without turns, with the turns of all, too. Where there are no kinds it is 0.
func (l *learner) ofKinds(tracks []mtt.Track) (nats float64) {
	all, time, kinds := 0, Times(l.part), slices.Clone(l.kinds)
	for _, k := range l.kinds {
		if all += k.tracks; k.levels.ManoeuvreProb == 0 && l.levels.ManoeuvreProb > 0 {
			turning := *k.levels
			turning.ManoeuvreProb, turning.ManoeuvreAccel, turning.TailDOF = l.levels.ManoeuvreProb, l.levels.ManoeuvreAccel, l.levels.TailDOF
			k.levels = &turning
			kinds = append(kinds, k)
		}
	}
	for i := range tracks {
		one, best := tracks[i:i+1], math.Inf(-1)
		for _, k := range kinds {
			if of, hits := costgen.Likelihood(k.levels, one, time); hits > 0 { // else the track is too short to be of one
				best = max(best, of+math.Log(float64(k.tracks)/float64(all)))
			}
		}
		if !math.IsInf(best, -1) {
			of, _ := costgen.Likelihood(l.levels, one, time)
			nats += max(0, best-of)
		}
	}
	return nats
}

// clear is the greatest multiple of its standard error that the number of successors within some
// radius is, and that number.
func (s *selfPart) clear() (best, successors float64) {
	var sum, squares float64
	for k, c := range s.changes {
		sum += c.w
		squares += c.w * c.w
		if k >= 20 && (k+1 == len(s.changes) || s.changes[k+1].r > c.r) {
			if z := sum / math.Sqrt(squares); z > best {
				best, successors = z, sum
			}
		}
	}
	return best, successors
}

// placed are tracks of parts of scans as tracks of scans: index says which detections each part has.
func placed(tracks []mtt.Track, scans []mtt.Scan, index [][]int32) []mtt.Track {
	at := mtt.ByFrame(scans)
	list := make([]mtt.Track, len(tracks))
	for i := range tracks {
		list[i] = mtt.Track{ID: tracks[i].ID, Dim: tracks[i].Dim}
		for _, h := range tracks[i].Hits {
			t := at[h.Frame]
			list[i].Append(&scans[t], int(index[t][h.Det]))
		}
	}
	return list
}

// Followed says how many of the detections that tracks leave over of scans (see [Leftover]) are
// followed by another of the same target, so many scans later, as far as that shows without
// association, and how many of its standard errors the number is: within the radius where these are
// most. Frames that false alarms flood say nothing of it: there all of some thousands of pairs hang
// on a few hundred detections. It takes time in proportion to the detections, and to some hundred
// thousand pairs.
func Followed(scans []mtt.Scan, tracks []mtt.Track, levels *costgen.Levels, later int) (successors, errors float64) {
	left, _ := Leftover(scans, tracks, levels)
	return followedOf(left, later)
}

// followedOf is [Followed], in the next scan, of tracks of part.
func (l *learner) followedOf(tracks []mtt.Track) (successors, errors float64) {
	left, _ := l.leftover(l.part, tracks)
	successors, errors = followedOf(left, 1)
	if l.tiles != nil {
		successors *= count(l.part) / max(1, count(cut(l.part, l.core())))
	}
	return successors, errors
}

// followedOf is Followed of what tracks leave over.
func followedOf(left []mtt.Scan, later int) (successors, errors float64) {
	flooded, _ := Flooded(left)
	for t := range left {
		if flooded[t] || left[t].Len() == 1 { // nobody knows how dense others are
			left[t] = left[t].Pick(nil)
		}
	}
	s := restPart(left, later)
	errors, successors = s.clear()
	return min(successors*count(left)/max(1, s.looked), count(left)), errors
}

// Flooded says which scans of what tracks leave over false alarms flood, and what the median number
// of detections is: it has twice as many as the median, and ten times as many more as its root, the
// deviation of chance, is.
func Flooded(left []mtt.Scan) (flooded []bool, usual int) {
	flooded, numbers := make([]bool, len(left)), make([]int, len(left))
	for t := range left {
		numbers[t] = left[t].Len()
	}
	if len(left) == 0 {
		return flooded, 0
	}
	slices.Sort(numbers)
	usual = numbers[len(numbers)/2]
	for t := range left {
		flooded[t] = float64(left[t].Len()) > float64(2*usual)+10*math.Sqrt(float64(usual+1))
	}
	return flooded, usual
}
