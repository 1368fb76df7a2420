package learn

import (
	"cmp"
	"math"
	"slices"

	"mtt"
)

// This file finds targets that go straight among detections most of which are false, as fast as they may be.
//
// Problem. The farther a target gets between scans the more false alarms are as near as its next detection: two scans say nothing of it, and a
// pilot with a gate that wide makes tracks of false alarms.
//
// Idea. Three scans do. Where a pair of detections of two scans points is a detection of the third more often than where it points
// once it is turned by a right angle, as it is for false alarms, whatever their density.
//
// Cost. In proportion to the pairs of detections of successive scans; where these are more than [mostLines] nothing is looked at.

// mostLines are the pairs of detections that are looked at: those of fifty scans of a hundred.
const mostLines = 500_000

// shortest is the number of detections from which on a chain is taken for a target: chance joins four and more hardly ever.
const shortest = 6

// A line is three detections of successive scans, nearly on a line: of scan t the first.
type line struct {
	t, i, j, k int
	off        float64 // m: of the third from where the first two point
}

// lines are chains of detections of successive scans that go straight, where more do than by chance; in a plane.
func lines(scans []mtt.Scan) (tracks []mtt.Track) {
	if len(scans) < shortest || dimension(scans) != 2 {
		return nil
	}
	pairs := 0
	for t := 1; t < len(scans); t++ {
		pairs += scans[t-1].Len() * scans[t].Len()
	}
	if pairs == 0 || pairs > mostLines {
		return nil
	}
	// One direction in twenty has a detection there by chance.
	reach := math.Sqrt(0.05 / math.Pi * Volume(scans, tiny) / (count(scans) / float64(len(scans))))
	self := &selfPart{}
	var found []line
	for t := 0; t+2 < len(scans); t++ {
		a, b, c := &scans[t], &scans[t+1], &scans[t+2]
		if a.Len() == 0 || b.Len() == 0 || c.Len() == 0 || b.Time <= a.Time {
			continue
		}
		order := make([]int, c.Len()) // by x
		for k := range order {
			order[k] = k
		}
		slices.SortFunc(order, func(p, q int) int { return cmp.Or(cmp.Compare(c.Pos[2*p], c.Pos[2*q]), cmp.Compare(p, q)) })
		near := func(x, y float64, each func(k int, off float64)) {
			from, _ := slices.BinarySearchFunc(order, x-reach, func(k int, x float64) int { return cmp.Compare(c.Pos[2*k], x) })
			for _, k := range order[from:] {
				dx, dy := c.Pos[2*k]-x, c.Pos[2*k+1]-y
				if dx > reach {
					return
				}
				if off := math.Hypot(dx, dy); off <= reach {
					each(k, off)
				}
			}
		}
		ratio := (c.Time - b.Time) / (b.Time - a.Time)
		for i := range a.Len() {
			for j := range b.Len() {
				x, y := b.Pos[2*j], b.Pos[2*j+1]
				dx, dy := ratio*(x-a.Pos[2*i]), ratio*(y-a.Pos[2*i+1])
				near(x+dx, y+dy, func(k int, off float64) {
					self.changes = append(self.changes, change{r: off, w: 1})
					found = append(found, line{t, i, j, k, off})
				})
				for _, turned := range []float64{-1, 1} {
					near(x-turned*dy, y+turned*dx, func(_ int, off float64) {
						self.changes = append(self.changes, change{r: off, w: -0.5})
					})
				}
			}
		}
	}
	slices.SortFunc(self.changes, func(p, q change) int { return cmp.Or(cmp.Compare(p.r, q.r), cmp.Compare(p.w, q.w)) })
	if z, _ := self.clear(); z < shown {
		return nil
	}
	within := 2 * self.core()
	found = slices.DeleteFunc(found, func(l line) bool { return l.off > within })
	return chained(scans, found)
}

// chained are chains of lines, each detection in one, those that are straightest first, of so many detections and more as say that it is a target.
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
