package dataset

// This file tells frames that nobody looked at from those in which nothing was detected.

import (
	"cmp"
	"slices"

	"mtt"
	"mtt/internal/text"
)

// A roll counts detections, scan by scan, to tell whether frames without any were looked at.
type roll struct {
	last          [3]int // detections of the last scans with any, the latest first
	empty, halved int    // frames of short pauses, and scans with half as many detections as the three before or less, of few or more
	long          int    // pauses of more frames
	bursts        *bool  // whether nobody looked at any of those, as all of them say; nil: as those so far do
}

// few is the least number of detections in each of the last three scans after which a frame without
// any is a surprise.
const few = 3

// maxPause is the most frames in a row that nobody looked at, unless pauses recur as where pictures
// are taken in bursts. After longer ones it is mostly others who are there, and those who were are
// better taken for gone.
const maxPause = 10

// least is the least number of detections in the last scans.
func (r *roll) least() int { return min(r.last[0], r.last[1], r.last[2]) }

// add notes a scan of n > 0 detections.
func (r *roll) add(n int) {
	if least := r.least(); least >= few && 2*n <= least {
		r.halved++
	}
	r.last = [3]int{n, cmp.Or(r.last[0], n), cmp.Or(r.last[1], n)}
}

// unseen notes a pause of so many frames without detections after the last scan, and reports
// whether nobody looked at them. Where targets are missed independently of each other, or leave,
// alone or in groups, scans that lack half of them are at least as frequent as such that lack all:
// three times as many as those, and three, are no chance.
func (r *roll) unseen(frames int) bool {
	switch {
	case frames == 0 || r.least() < few:
		return false
	case frames > maxPause:
		if r.long++; r.bursts != nil {
			return *r.bursts
		}
		return r.recurs(r.long)
	}
	r.empty += frames
	return r.recurs(r.empty)
}

// recurs reports whether it is no chance that so many are empty.
func (r *roll) recurs(empty int) bool { return empty > 3*(r.halved+1) }

// leave drops the scans that nobody looked at, and notes their frames.
func (d *draft) leave() {
	var all roll
	d.rolled(&all)
	bursts := all.recurs(all.long)
	unseen := d.rolled(&roll{bursts: &bursts})
	if unseen == nil {
		return
	}
	g := &Grid{Unseen: unseen}
	d.Rows, d.Scans = withoutUnseen(d.Rows, d.Scans, g), withoutUnseen(d.Scans, d.Scans, g)
	d.Unseen, d.Uneven = unseen, true
	d.note("%s without a detection where those before have many: taken for frames that nobody looked at, not for targets that were missed", text.Count(len(unseen), "frame"))
}

// rolled are the frames of the scans that nobody looked at, as r has it.
func (d *draft) rolled(r *roll) (unseen []int) {
	var pause []int
	for k := range d.Scans {
		n, f := d.Scans[k].Len(), d.Scans[k].Frame
		switch {
		case n > 0:
			if r.unseen(len(pause)) {
				unseen = append(unseen, pause...)
			}
			pause = pause[:0]
			r.add(n)
		case !d.seen[f]: // else the file says that somebody looked
			pause = append(pause, f)
		}
	}
	return unseen
}

// unseen reports whether nobody looked at a frame.
func (g *Grid) unseen(frame int) bool {
	_, ok := slices.BinarySearch(g.Unseen, frame)
	return ok
}

// withoutUnseen is a list of one for each scan, such as the scans, without those of the frames of g
// that nobody looked at.
func withoutUnseen[E any](list []E, scans []mtt.Scan, g *Grid) []E {
	if len(g.Unseen) == 0 || list == nil {
		return list
	}
	kept := make([]E, 0, len(list))
	for k := range list {
		if !g.unseen(scans[k].Frame) {
			kept = append(kept, list[k])
		}
	}
	return kept
}
