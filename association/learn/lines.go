package learn

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file finds targets that go straight among detections most of which are false, as fast as they may be.
//
// Problem. The farther a target gets between scans the more false alarms are as near as its next
// detection: two scans say nothing of it, and a pilot with a gate that wide makes tracks of false
// alarms.
//
// Idea. Three scans do. Where a pair of detections of two scans points is a detection of the third
// more often than where it points once it is turned by a right angle, as it is for false alarms,
// whatever their density.
//
// Cost. In proportion to the pairs of detections of successive scans; where these are more than
// [mostLines] nothing is looked at.

// mostLines are the pairs of detections that are looked at: those of fifty scans of a hundred.
const mostLines = 500_000

// shortest is the number of detections from which on a chain is taken for a target: chance joins
// four and more hardly ever.
const shortest = 6

// along begins with what targets show that go straight where many detections are false, or targets
// seem to turn now and then, and takes what comes of it where all detections together are likelier
// for it: of few scans, too, less what it leaves out.
func (l *learner) along(ctx context.Context, begin learner, m motion.Model) error {
	if !l.littered() && l.levels.ManoeuvreProb < many {
		return nil
	}
	from, straight := l.fromLines(begin, m)
	if from == nil {
		return nil
	}
	for _, uneven := range []bool{true, false} {
		if l.spent() {
			return nil
		}
		other, levels := *from, *from.levels
		other.levels, other.uneven = &levels, uneven
		other.recount(straight)
		other.part = l.part
		if err := other.again(ctx, other.levels, m); err != nil {
			return err
		}
		if len(other.tracks) == 0 {
			continue
		}
		nats, err := other.over(ctx, l)
		if err != nil {
			return err
		}
		if few(l.part) {
			nats += l.leftOut(l.tracks) - other.leftOut(other.tracks)
		}
		if nats > 0 {
			*l = other
		}
	}
	return nil
}

// fromLines is begin with the levels of targets that go straight, as far as these show in its part
// of the scans and less noise is theirs than a first course has learnt by more than twice the
// variance, and their tracks; nil: there are none, or equal counts say that nothing is false. Noise
// that is as wide as false alarms are apart makes targets of these, which confirm it.
func (l *learner) fromLines(begin learner, m motion.Model) (from *learner, straight []mtt.Track) {
	if l.vel || l.steady || len(l.Sensors) > 0 {
		return nil, nil
	}
	part := l.part
	for pairsOf(part) > mostLines {
		part = part[:len(part)/2]
	}
	if straight = lines(part); len(straight) == 0 {
		return nil, nil
	}
	levels := *begin.levels
	begin.levels, begin.part = &levels, part
	if begin.fit(part, straight, m, false); begin.levels.Sigma >= l.plain.levels.Sigma/math.Sqrt2 {
		return nil, nil
	}
	return &begin, straight
}

// pairsOf is how many pairs there are of detections of successive scans.
func pairsOf(scans []mtt.Scan) (pairs int) {
	for t := 1; t < len(scans); t++ {
		pairs += scans[t-1].Len() * scans[t].Len()
	}
	return pairs
}

// A line is three detections of successive scans, nearly on a line: of scan t the first.
type line struct {
	t, i, j, k int
	off        float64 // m: of the third from where the first two point
}

// lines are chains of detections of successive scans that go straight, where more do than by
// chance; in a plane or in space.
func lines(scans []mtt.Scan) (tracks []mtt.Track) {
	dim := dimension(scans)
	if len(scans) < shortest || dim < 2 {
		return nil
	}
	if pairs := pairsOf(scans); pairs == 0 || pairs > mostLines {
		return nil
	}
	volume := Volume(scans, tiny)
	if count(scans) < float64(len(scans)) { // where few scans have two, these tell little of the field
		volume = max(volume, box(scans, tiny))
	}
	// One direction in twenty has a detection there by chance.
	reach := math.Pow(0.05/unitBall(dim)*volume/(count(scans)/float64(len(scans))), 1/float64(dim))
	self := &selfPart{}
	var found []line
	for t := 0; t+2 < len(scans); t++ {
		a, b, c := &scans[t], &scans[t+1], &scans[t+2]
		if a.Len() == 0 || b.Len() == 0 || c.Len() == 0 || b.Time <= a.Time {
			continue
		}
		sorted := costgen.NewSorted(c)
		near := func(at []float64, by [3]float64) iter.Seq2[int, float64] {
			for k, x := range at {
				by[k] += x
			}
			return sorted.Near(by[:], reach)
		}
		ratio := (c.Time - b.Time) / (b.Time - a.Time)
		for i := range a.Len() {
			for j := range b.Len() {
				var by [3]float64
				at := b.At(j)
				for k, x := range a.At(i) {
					by[k] = ratio * (at[k] - x)
				}
				for k, d2 := range near(at, by) {
					off := math.Sqrt(d2)
					self.changes = append(self.changes, change{r: off, w: 1})
					found = append(found, line{t, i, j, k, off})
				}
				across := turned(by, dim)
				for _, by := range across {
					for _, d2 := range near(at, by) {
						self.changes = append(self.changes, change{r: math.Sqrt(d2), w: -1 / float64(len(across))})
					}
				}
			}
		}
	}
	slices.SortFunc(self.changes, func(p, q change) int { return cmp.Or(cmp.Compare(p.r, q.r), cmp.Compare(p.w, q.w)) })
	within := 2 * self.core()
	if z, _ := self.clear(); z < shown {
		if within = self.fewStraight(1 / float64(1+len(turned([3]float64{}, dim)))); within == 0 {
			return nil
		}
	}
	found = slices.DeleteFunc(found, func(l line) bool { return l.off > within })
	return chained(scans, found)
}

// fewStraight is [selfPart.clear] where lines are fewer than a normal distribution goes for: the
// radius within which those that go on straight are the least likely to be so many of all, of which
// a share would by chance; 0: they are not less likely than [shown] standard errors are.
func (s *selfPart) fewStraight(share float64) (radius float64) {
	const most = 60 // lines; there a normal distribution is as good
	least := math.Erfc(shown/math.Sqrt2) / 2
	straight := 0
	for k, c := range s.changes[:min(most, len(s.changes))] {
		if c.w > 0 {
			straight++
		}
		if k+1 < len(s.changes) && s.changes[k+1].r == c.r {
			continue
		}
		if p := atLeast(straight, k+1, share); p < least {
			radius, least = c.r, p
		}
	}
	return radius
}

// atLeast is the probability that k or more of n are of a kind of which each is with probability p.
func atLeast(k, n int, p float64) (sum float64) {
	all, _ := math.Lgamma(float64(n + 1))
	for ; k <= n; k++ {
		these, _ := math.Lgamma(float64(k + 1))
		others, _ := math.Lgamma(float64(n - k + 1))
		sum += math.Exp(all - these - others + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	}
	return sum
}

// turned are v, of a plane or of space, turned by a right angle: this way and the other way round,
// in space about two axes.
func turned(v [3]float64, dim int) (all [][3]float64) {
	if dim == 2 {
		return [][3]float64{{v[1], -v[0]}, {-v[1], v[0]}}
	}
	// Across v and the axis that it is farthest from, then across both: as long as v.
	var axis [3]float64
	k := 0
	for i := range v {
		if math.Abs(v[i]) < math.Abs(v[k]) {
			k = i
		}
	}
	axis[k] = 1
	cross := func(p, q [3]float64, length float64) [3]float64 {
		c := [3]float64{p[1]*q[2] - p[2]*q[1], p[2]*q[0] - p[0]*q[2], p[0]*q[1] - p[1]*q[0]}
		if n := math.Sqrt(c[0]*c[0] + c[1]*c[1] + c[2]*c[2]); n > 0 {
			for i := range c {
				c[i] *= length / n
			}
		}
		return c
	}
	length := math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2])
	p := cross(v, axis, length)
	for _, c := range [][3]float64{p, cross(v, p, length)} {
		all = append(all, c, [3]float64{-c[0], -c[1], -c[2]})
	}
	return all
}

// chained are chains of lines, each detection in one, those that are straightest first, of so many
// detections and more as say that it is a target.
func chained(scans []mtt.Scan, found []line) (tracks []mtt.Track) {
	slices.SortStableFunc(found, func(p, q line) int { return cmp.Compare(p.off, q.off) })
	next, prev := make([][]int, len(scans)), make([][]int, len(scans)) // 1 more than the index in the scan after, or before; 0: none
	for t := range scans {
		next[t], prev[t] = make([]int, scans[t].Len()), make([]int, scans[t].Len())
	}
	free := func(at *int, to int) bool { return *at == 0 || *at == to+1 }
	for _, l := range found {
		ij, ji := &next[l.t][l.i], &prev[l.t+1][l.j]
		jk, kj := &next[l.t+1][l.j], &prev[l.t+2][l.k]
		if free(ij, l.j) && free(ji, l.i) && free(jk, l.k) && free(kj, l.j) {
			*ij, *ji, *jk, *kj = l.j+1, l.i+1, l.k+1, l.j+1
		}
	}
	for t := range scans {
		for i := range next[t] {
			if prev[t][i] != 0 {
				continue
			}
			tr := mtt.Track{ID: len(tracks) + 1, Dim: scans[t].Dim}
			for u, k := t, i; ; u, k = u+1, next[u][k]-1 {
				tr.Append(&scans[u], k)
				if next[u][k] == 0 {
					break
				}
			}
			if len(tr.Hits) >= shortest {
				tracks = append(tracks, tr)
			}
		}
	}
	return tracks
}
