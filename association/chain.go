package association

import (
	"mtt"
)

// This file turns links between detections into tracks.

// chains holds links between detections of scans: next[t][i] is where the track
// of detection i of scan t goes on, prev[t][i] where it came from.
type chains struct {
	next, prev [][]hit
}

// A hit is detection det of scan t; det < 0 is none.
type hit struct {
	t, det int32
}

// none is no detection, past one in a scan that is no longer looked at.
var none, past = hit{-1, -1}, hit{-2, -1}

func newChains(scans []mtt.Scan) *chains {
	c := &chains{next: make([][]hit, len(scans)), prev: make([][]hit, len(scans))}
	for t := range scans {
		n := scans[t].Len()
		all := make([]hit, 2*n)
		for i := range all {
			all[i] = none
		}
		c.next[t], c.prev[t] = all[:n:n], all[n:]
	}
	return c
}

// link joins two detections.
func (c *chains) link(a, b hit) {
	c.next[a.t][a.det] = b
	c.prev[b.t][b.det] = a
}

// cut removes the link after a.
func (c *chains) cut(a hit) {
	if b := c.next[a.t][a.det]; b != none {
		c.next[a.t][a.det] = none
		c.prev[b.t][b.det] = none
	}
}

// chainsOf reads the links from an assignment of the instance, coast nodes
// skipped.
func (inst *Instance) chainsOf(next [][]int32) *chains {
	c := newChains(inst.Scans)
	for t := range inst.Dual.Gaps {
		g, n, m := &inst.Dual.Gaps[t], inst.Scans[t].Len(), inst.Scans[t+1].Len()
		for i, arc := range next[t] {
			if arc < 0 {
				continue
			}
			j := int(g.Col[arc])
			if j >= m {
				continue // into a coast node: the last arc says it all
			}
			from := hit{int32(t), int32(i)}
			if i >= n {
				coast := inst.Coast[t][i-n]
				from = hit{int32(t) - coast.Since, coast.From}
			}
			c.link(from, hit{int32(t + 1), int32(j)})
		}
	}
	return c
}

// Tracks lists the tracks of an assignment of inst.Dual, such as the Next of a
// dualascent.Result: next[t][i] is the arc taken by node i of frame t, -1 for none.
// They are numbered by first frame, then first detection; a detection that is
// linked to no other is taken as a false alarm where false alarms are not dearer
// than a birth and a death. The time is linear in the nodes.
func (inst *Instance) Tracks(next [][]int32) []mtt.Track {
	return inst.chainsOf(next).tracks(inst.Scans, inst.single())
}

// single says whether a detection that is linked to no other is a track.
func (inst *Instance) single() bool {
	return len(inst.Scans) == 1 || inst.price.Clutter >= inst.price.Birth+inst.price.Death
}

// tracks lists the chains as tracks, numbered by first frame, then first
// detection. A detection without links becomes a track only when single says so.
func (c *chains) tracks(scans []mtt.Scan, single bool) []mtt.Track {
	var tracks []mtt.Track
	for t := range scans {
		for i := range c.prev[t] {
			if c.prev[t][i] != none || !single && c.next[t][i] == none {
				continue
			}
			first, n := hit{int32(t), int32(i)}, 0
			for h := first; h != none; h = c.next[h.t][h.det] {
				n++
			}
			tr := mtt.Track{
				ID: len(tracks) + 1, Dim: scans[t].Dim,
				Hits: make([]mtt.Hit, 0, n), Pos: make([]float64, 0, n*scans[t].Dim),
			}
			if scans[t].Vel != nil {
				tr.Vel = make([]float64, 0, n*scans[t].Dim)
			}
			for h := first; h != none; h = c.next[h.t][h.det] {
				tr.Append(&scans[h.t], int(h.det))
			}
			tracks = append(tracks, tr)
		}
	}
	return tracks
}
