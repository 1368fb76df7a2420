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

// This file learns manoeuvres of heavier tails than a fit to tracks looks for.
//
// Problem. As a target comes near a camera it crosses ever more of the picture in a step, and how
// much it turns, in pixels, spans some powers of ten. With the tails of [motion.DefaultTailDOF] its
// last detections are likelier false alarms: tracks end before them, more false alarms are counted,
// and of the steps that would tell of heavier tails hardly any is in a track. But heavier tails are
// what wrong links look like, too, so no fit to tracks may decide for them (see [costgen.Fit]).
//
// Idea. What is left over of such targets lies where tracks end, in the next scan, and not in those
// before. Joined to it, tracks say how heavy tails would be, and a course goes on with these, with
// next to no false alarms and twice the speed, so that its first tracks have what was left over.
// These are faster, but noise is what it was: its floor stays, as a higher one may cost more than
// tails are worth. What comes of it is taken where all that was detected is likelier, and then its
// tracks may speak for still heavier ones.
//
// Invariant. Where no manoeuvres are learnt, or tracks are not likelier with heavier tails, nothing
// is tried.
//
// Cost. A look at what is left over about the ends of tracks, and some fits; where these show
// heavier tails a course, at most three times.

// heavier gives manoeuvres heavier tails where all detections are likelier for it: by more than one
// number more is worth where what is left over shows them, else by more than [learner.doubt].
func (l *learner) heavier(ctx context.Context) error {
	const rounds = 3
	if l.Hasty || !l.mayTurn() || l.levels.ManoeuvreProb == 0 || l.known.TailDOF > 0 {
		return nil
	}
	for range rounds {
		other := *l
		other.usual = cmp.Or(l.usual, l.levels.SpeedStd)
		fresh, left := other.tailed()
		if fresh == nil || l.spent() {
			return nil
		}
		other.known.TailDOF = fresh.TailDOF
		if l.countsAlarms() {
			fresh.Rates.Clutter = 0.5 / float64(len(l.part)+1) // what counting makes of none
		}
		if l.MaxSpeed == 0 {
			other.speed *= 2
		}
		if err := other.again(ctx, fresh, l.levels.Motion); err != nil {
			return err
		}
		nats, err := other.over(ctx, l)
		least := other.doubt()
		if left { // they show without it
			least = min(least, math.Log(count(l.part))/2)
		}
		if err != nil || nats < least {
			return err
		}
		if i := slices.IndexFunc(l.motions, func(of Likelihood) bool { return of.Motion == l.levels.Motion }); i >= 0 {
			other.motions = slices.Clone(l.motions)
			other.motions[i].Nats += nats
		}
		*l = other
	}
	return nil
}

// tailed are levels with the likeliest tails of half the default's degrees of freedom and less, as
// tracks have them that are joined to what they leave over; nil: they are not likelier for it. Where
// nothing is left over at their ends, and tails are lighter than the default, they are not heavier.
func (l *learner) tailed() (best *costgen.Levels, trailing bool) {
	const least = motion.DefaultTailDOF / 8. // (1+10²/dof)^(−dof/2): in a plane one manoeuvre in four is ten deviations and more
	now, tracks := l.levels.Params(l.levels.Dim).Tail(), l.tracks
	left, index := Leftover(l.part, l.tracks, l.levels)
	if trailing = l.trailing(left) >= suspect; trailing {
		tracks = l.prolonged(left, index)
	} else if now > motion.DefaultTailDOF {
		return nil, false
	}
	most := math.Log(float64(hits(tracks))) / 2
	other, m, time := *l, l.levels.Motion, Times(l.part)
	for dof := motion.DefaultTailDOF / 2.; dof >= least; dof /= 2 {
		if dof >= now {
			continue
		}
		other.known.TailDOF = dof
		fresh := other.fresh(m)
		ok := other.estimator(m)(fresh, tracks, time)
		l.fitted(fresh, tracks)
		if l.sought(fresh, m, tracks, false); !ok || fresh.ManoeuvreProb == 0 {
			continue
		}
		l.floor(fresh)
		if gain := l.gain(l.levels, fresh, tracks); gain > most {
			best, most = fresh, gain
		}
	}
	return best, trailing
}

// prolonged are the tracks, joined to one another and to what they leave over where that is near, as
// mended ones are. Index says which detections what is left over has.
func (l *learner) prolonged(left []mtt.Scan, index [][]int32) []mtt.Track {
	other := *l
	other.tracks = slices.Clone(l.tracks)
	other.speed *= 2
	for t := range left {
		for i := range left[t].Len() {
			tr := mtt.Track{ID: len(other.tracks) + 1, Dim: left[t].Dim}
			tr.Append(&l.part[t], int(index[t][i]))
			other.tracks = append(other.tracks, tr)
		}
	}
	return slices.DeleteFunc(other.mended(), func(t mtt.Track) bool { return len(t.Hits) < 2 })
}

// trailing is by how many standard errors more of what tracks leave over lies in the scan after the
// end of one, or before its beginning, than lies there while its target is tracked.
func (l *learner) trailing(left []mtt.Scan) (errors float64) {
	const others = 8 // scans of those
	s, at := &selfPart{}, mtt.ByFrame(l.part)
	look := func(place []float64, t, back int) {
		if t < 0 || t >= len(left) {
			return
		}
		n := min(others, len(left)-1-t)
		if back < 0 {
			n = min(others, t)
		}
		for k := range n + 1 {
			scan, w := &left[t+k*back], -1/float64(n)
			if k == 0 {
				w = 1
			}
			for i := range scan.Len() {
				s.changes = append(s.changes, change{r: distance(place, scan.At(i)), w: w})
			}
		}
	}
	for i := range l.tracks {
		tr := &l.tracks[i]
		last := len(tr.Hits) - 1
		look(tr.At(last), at[tr.Hits[last].Frame]+1, -1)
		look(tr.At(0), at[tr.Hits[0].Frame]-1, 1)
	}
	s.changes = ascending(s.changes)
	errors, _ = s.clear()
	return errors
}
