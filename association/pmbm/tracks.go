package pmbm

import (
	"cmp"
	"slices"

	"mtt"
)

// This file turns the histories of reported targets into tracks.

// A Track is the history of a target that the filter reported: of its local
// hypothesis when it was reported last, from its first detection on.
type Track struct {
	mtt.Track           // Det is -1 where it was missed; Pos and Vel are filtered
	Existence []float64 // len Hits: probability that the target exists, given the scans until then
}

// Tracks lists the targets that were ever reported, numbered from 1 without
// holes by first frame, then first detection. A track ends with its last
// detection before the last report.
//
// Histories of different times may claim the same detection. The one that was
// reported later, with more data behind it, keeps it; the other was missed
// there, and lacks that hit at its ends.
func (f *Filter) Tracks() []Track {
	type history struct {
		id   int
		last *node
		list []*node // in order of time
	}
	var all []history
	for id, n := range f.reported {
		h := history{id: id, last: n}
		for at := n; at != nil; at = at.prev {
			h.list = append(h.list, at)
		}
		slices.Reverse(h.list)
		all = append(all, h)
	}
	slices.SortFunc(all, func(a, b history) int {
		return cmp.Or(cmp.Compare(b.last.frame, a.last.frame), cmp.Compare(a.id, b.id))
	})
	type detection struct{ frame, det int }
	taken := make(map[detection]bool)
	var tracks []Track
	for _, h := range all {
		dets := make([]int, len(h.list))
		first, last := -1, -1
		for i, n := range h.list {
			dets[i] = n.det
			if n.det < 0 {
				continue
			}
			if taken[detection{n.frame, n.det}] {
				dets[i] = -1
				continue
			}
			taken[detection{n.frame, n.det}] = true
			if first < 0 {
				first = i
			}
			last = i
		}
		if first < 0 {
			continue
		}
		t := Track{Track: mtt.Track{Dim: f.o.Dim}}
		for i := first; i <= last; i++ {
			n := h.list[i]
			t.Hits = append(t.Hits, mtt.Hit{Frame: n.frame, Det: dets[i]})
			t.Existence = append(t.Existence, n.r)
			t.Pos = append(t.Pos, n.x[:t.Dim]...)
			t.Vel = append(t.Vel, n.x[t.Dim:2*t.Dim]...)
		}
		tracks = append(tracks, t)
	}
	slices.SortFunc(tracks, func(a, b Track) int {
		return cmp.Or(cmp.Compare(a.Hits[0].Frame, b.Hits[0].Frame), cmp.Compare(a.Hits[0].Det, b.Hits[0].Det))
	})
	for i := range tracks {
		tracks[i].ID = i + 1
	}
	return tracks
}
