package learn

import (
	"cmp"
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file settles whether targets turn now and then, where their tracks may mislead: those
// that were found with turns fit these, and with false alarms among them seem to turn where nobody
// does; those that were found without break where a target turns.

// chance is the log likelihood for each false alarm that turns may add where nobody turns: there
// always is one beside which a track seems to. On 37 of 578 scenes drawn by lot it decides: of .25,
// .15, .1, .05 and 0 nat IDF1 is 75.2, 76.8, 77.9, 78.3 and 78.3, false links 3.7, 4.0, 5.2, 5.8
// and 5.8 % and wrong ones 13.4, 13.0, 12.4, 12.3 and 12.3 %; of .05 and less a crowd that never
// turns, too, may be taken to do so.
const chance = 0.1

// doubt is the log likelihood by which turns must add to that of all detections: [worth] for each
// detection in a track, or [chance] for each that is false and could be where a target turned to.
func (l *learner) doubt() float64 {
	least, alarms := worth*float64(hits(l.tracks)), chance*l.levels.Rates.Clutter*float64(len(l.part))
	if alarms <= least {
		return least
	}
	return max(least, alarms*l.beside())
}

// beside is the share of what tracks leave over that lies no farther from a detection of theirs, up
// to two scans before or after, as it may be missed once, than the fastest target gets: 1 without
// tracks. It takes O(n·m) time for n detections of a scan in tracks and m in none.
func (l *learner) beside() float64 {
	left, _ := Leftover(l.part, l.tracks, l.levels)
	index := mtt.ByFrame(l.part)
	near := make([][]bool, len(left))
	total, found := 0, 0
	for t := range left {
		near[t] = make([]bool, left[t].Len())
		total += left[t].Len()
	}
	if len(l.tracks) == 0 || total == 0 {
		return 1
	}
	for i := range l.tracks {
		for k, h := range l.tracks[i].Hits {
			at := index[h.Frame]
			for t := max(at-2, 0); t <= min(at+2, len(left)-1); t++ {
				reach := l.speed * math.Abs(left[t].Time-l.part[at].Time)
				for j := range near[t] {
					if t != at && !near[t][j] && distance(l.tracks[i].At(k), left[t].At(j)) < reach {
						near[t][j], found = true, found+1
					}
				}
			}
		}
	}
	return float64(found) / float64(total)
}

// hits is the number of detections in tracks.
func hits(tracks []mtt.Track) (n int) {
	for i := range tracks {
		n += len(tracks[i].Hits)
	}
	return n
}

// mayTurn reports whether turns are open: they are learnt, and tracks may break at them.
func (l *learner) mayTurn() bool { return !l.steady && l.known.Accel == 0 }

// straight drops turns from the levels of the default motion where all detections are not likelier
// for them by more than doubt. Where nothing is missed or false wrong links pass for turns, too,
// and what lets them in keeps them. Where there is no time they stay.
func (l *learner) straight(ctx context.Context, m motion.Model) error {
	if l.spent() || l.known.Accel > 0 || l.steady && l.Hasty || l.levels.ManoeuvreProb == 0 {
		return nil
	}
	other := *l
	other.estimate = costgen.FitSmooth
	fresh := other.fresh(m)
	if !other.estimate(fresh, l.tracks, Times(l.part)) {
		return nil
	}
	if l.floor(fresh); !l.littered() && l.gain(fresh, l.levels, l.tracks) > 10*l.doubt() { // of many false alarms tracks may have taken any number
		return nil
	}
	_, err := l.yields(ctx, &other, fresh, m, -l.doubt())
	return err
}

// turning gives targets turns, and the rates of mended tracks, where all detections are likelier
// for it, by more than doubt, than they are under the model so far: first is that of the default
// motion.
func (l *learner) turning(ctx context.Context, first *learner, m motion.Model) error {
	if !l.mayTurn() {
		return nil
	}
	mended := first.mended()
	alone := first.seen(m, mended)
	fresh := alone
	if fresh == nil {
		fresh = first.rare(m, mended)
	}
	turns := fresh != nil
	if r := first.lasting(mended); r != nil {
		g := *cmp.Or(fresh, first.levels)
		g.Rates, fresh = *r, &g
	}
	if fresh == nil {
		return nil
	}
	other := *first
	switch {
	case alone != nil:
		other.estimate = costgen.FitSmooth // with turns as they are
		other.known.ManoeuvreProb, other.known.ManoeuvreAccel, other.known.TailDOF = alone.ManoeuvreProb, alone.ManoeuvreAccel, alone.TailDOF
	case turns:
		other.estimate = costgen.FitRare
	}
	if err := other.again(ctx, fresh, m); err != nil {
		return err
	}
	more, err := other.over(ctx, l)
	if err != nil {
		return err
	}
	least := other.doubt()
	if alone != nil {
		least = min(least, schwarz(hits(other.tracks)))
	}
	if more < least {
		return nil
	}
	if other.motions = l.motions; l.motions != nil {
		rest := slices.DeleteFunc(slices.Clone(l.motions), func(of Likelihood) bool { return of.Motion == m })
		other.motions = slices.Insert(rest, 0, Likelihood{m, other.nats})
	}
	*l = other
	return nil
}

// seen are levels with turns as mended tracks have them far from all else, where no detection of
// another can pass for one of a target that turned; nil where those turns are not worth what
// Schwarz's criterion asks of them there.
func (l *learner) seen(m motion.Model, mended []mtt.Track) *costgen.Levels {
	if l.levels.ManoeuvreProb > 0 || l.known.ManoeuvreProb > 0 {
		return nil
	}
	runs := l.alone(mended)
	smooth := l.fresh(m)
	if !costgen.FitSmooth(smooth, runs, Times(l.part)) {
		return nil
	}
	l.floor(smooth)
	fresh := l.turned(m, runs)
	if fresh == nil || l.added(smooth, fresh, runs) < schwarz(hits(runs)) {
		return nil
	}
	return fresh
}

// turned are levels with turns as tracks have them, and in a hasty lesson with the tails that are
// usual; nil where these have none.
func (l *learner) turned(m motion.Model, tracks []mtt.Track) *costgen.Levels {
	fresh := l.fresh(m)
	if l.Hasty {
		fresh.TailDOF = motion.DefaultTailDOF
	}
	ok := costgen.FitRare(fresh, tracks, Times(l.part))
	if l.sought(fresh, m, tracks, !l.Hasty); !ok || fresh.ManoeuvreProb == 0 {
		return nil
	}
	l.floor(fresh)
	return fresh
}

// schwarz is the log likelihood that two numbers have to add to that of so many detections, by Schwarz's
// criterion, half its logarithm for each: how many turns there are and how sharp, or false alarms around
// targets and how widely scattered.
func schwarz(hits int) float64 { return math.Log(float64(max(hits, 1))) }

// added is the log likelihood that some levels add to that of all tracks, each alone, over that of
// others: none of them is too long for it.
func (l *learner) added(others, levels *costgen.Levels, tracks []mtt.Track) (nats float64) {
	time := Times(l.part)
	for i := range tracks {
		if with, n := costgen.Likelihood(levels, tracks[i:i+1], time); n > 0 {
			without, _ := costgen.Likelihood(others, tracks[i:i+1], time)
			nats += with - without
		}
	}
	return nats
}

// alone are the runs of detections in tracks beside which lies no other, in a track or not, of
// their scan and the two before and after, no farther away than the fastest target of a track gets
// in that time.
func (l *learner) alone(tracks []mtt.Track) (runs []mtt.Track) {
	index, fastest := mtt.ByFrame(l.part), speed(l.part, l.tracks, 0)
	sorted := costgen.AllSorted(l.part)
	crowded := func(place []float64, at int, own map[mtt.Hit]bool) bool {
		for t := max(at-2, 0); t <= min(at+2, len(l.part)-1); t++ {
			s := &l.part[t]
			reach := fastest * max(math.Abs(s.Time-l.part[at].Time), l.levels.Interval)
			for j := range sorted[t].Near(place, reach) {
				if !own[mtt.Hit{Frame: s.Frame, Det: j}] {
					return true
				}
			}
		}
		return false
	}
	for i := range tracks {
		own := make(map[mtt.Hit]bool, len(tracks[i].Hits))
		for _, h := range tracks[i].Hits {
			own[h] = true
		}
		open := false
		for k, h := range tracks[i].Hits {
			at := index[h.Frame]
			if crowded(tracks[i].At(k), at, own) {
				open = false
				continue
			}
			if !open {
				runs = append(runs, mtt.Track{ID: len(runs) + 1, Dim: tracks[i].Dim})
				open = true
			}
			runs[len(runs)-1].Append(&l.part[at], h.Det)
		}
	}
	return runs
}

// rare are levels with turns that seem worth a try; nil where there are none. Where the tracks,
// mended, have turns that the levels so far do not know they are those of mended tracks; where none
// was broken these say nothing new.
func (l *learner) rare(m motion.Model, mended []mtt.Track) (best *costgen.Levels) {
	if l.levels.ManoeuvreProb == 0 {
		best = l.turned(m, l.tracks)
	}
	if len(mended) == len(l.tracks) {
		return best
	}
	if fresh := l.turned(m, mended); fresh != nil && l.gain(cmp.Or(best, l.levels), fresh, mended) >= worth*float64(hits(mended)) {
		best = fresh
	}
	return best
}

// lasting are the rates of mended tracks, where fewer than half as many targets come then as the
// levels so far say; else nil. A track that is broken counts as a death and a birth, and so makes
// the next pilot break more.
func (l *learner) lasting(mended []mtt.Track) *costgen.Rates {
	if l.all() {
		return nil
	}
	r := l.counted(mended)
	if r.Births > l.levels.Rates.Births/2 {
		return nil
	}
	return &r
}

// gain is the log likelihood that some levels add to tracks over that of others.
func (l *learner) gain(others, levels *costgen.Levels, tracks []mtt.Track) float64 {
	time := Times(l.part)
	with, n := costgen.Likelihood(levels, tracks, time)
	without, _ := costgen.Likelihood(others, tracks, time)
	return (with - without) / float64(n) * float64(hits(tracks))
}

// mended are the tracks, those that end joined to those that begin in one of the next two scans no
// farther away than the fastest target gets: the nearest first. Tracks that begin or end because a
// tile does are left as they are: what comes in beside what went out is another target, and joined
// to it one that turns.
func (l *learner) mended() []mtt.Track {
	index := mtt.ByFrame(l.part)
	core := l.core()
	begins := make([][]int32, len(l.part)) // tracks, by scan
	for i := range l.tracks {
		if !core(l.tracks[i].At(0)) {
			continue
		}
		at := index[l.tracks[i].Hits[0].Frame]
		begins[at] = append(begins[at], int32(i))
	}
	type pair struct {
		from, to int32
		length   float64 // relative to how far the fastest gets
	}
	var pairs []pair
	for i := range l.tracks {
		end := &l.tracks[i]
		last := len(end.Hits) - 1
		if !core(end.At(last)) {
			continue
		}
		at := index[end.Hits[last].Frame]
		for t := at + 1; t <= at+2 && t < len(l.part); t++ {
			reach := l.speed * (l.part[t].Time - l.part[at].Time)
			for _, k := range begins[t] {
				if d := distance(end.At(last), l.tracks[k].At(0)); d < reach {
					pairs = append(pairs, pair{int32(i), k, d / reach})
				}
			}
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	next := make([]int32, len(l.tracks)) // 1 more than the index; 0: none
	follows := make([]bool, len(l.tracks))
	for _, p := range pairs {
		if next[p.from] == 0 && !follows[p.to] {
			next[p.from], follows[p.to] = p.to+1, true
		}
	}
	var mended []mtt.Track
	for i := range l.tracks {
		if follows[i] {
			continue
		}
		tr := mtt.Track{ID: l.tracks[i].ID, Dim: l.tracks[i].Dim}
		for k := int32(i) + 1; k > 0; k = next[k-1] {
			for _, h := range l.tracks[k-1].Hits {
				tr.Append(&l.part[index[h.Frame]], h.Det)
			}
		}
		mended = append(mended, tr)
	}
	return mended
}
