package verify

import (
	"slices"

	"mtt"
)

// This file checks the tracks against the detections.

// tracks checks every track and notes its links.
func (c *checker) tracks() {
	c.res.Tracks = len(c.Tracks)
	owner := c.nobody() // the track of each detection
	lastFrame, lastDet := 0, -1
	for k := range c.Tracks {
		tr := &c.Tracks[k]
		if tr.ID != k+1 && (k == 0 || tr.ID != c.Tracks[k-1].ID+1) {
			c.problem("tracks.csv: track %d stands where %d should: tracks are numbered from 1 without holes", tr.ID, k+1)
		}
		before := none
		for h := range tr.Hits {
			d := c.hit(tr, h)
			if d == none {
				before = none
				continue
			}
			if other := owner[d]; other != none {
				c.problem("tracks.csv: track %d: frame %d, detection %d belongs to track %d as well",
					tr.ID, tr.Hits[h].Frame, tr.Hits[h].Det, other)
			}
			owner[d] = tr.ID
			if before != none {
				c.inTrack[before] = d
				c.res.Links++
			}
			before = d
		}
		if len(tr.Hits) == 0 {
			continue
		}
		first := tr.Hits[0]
		if k > 0 && (first.Frame < lastFrame || first.Frame == lastFrame && first.Det < lastDet) {
			c.problem("tracks.csv: track %d begins with frame %d, detection %d, before track %d: tracks are numbered by first frame, then first detection",
				tr.ID, first.Frame, first.Det, c.Tracks[k-1].ID)
		}
		lastFrame, lastDet = first.Frame, first.Det
	}
}

// scan is the number of the scan of a frame.
func (c *checker) scan(frame int) (t int, ok bool) {
	return slices.BinarySearch(c.dets.Frames, frame)
}

// hit checks hit h of a track. It returns the number of its detection, or none
// when there is none.
func (c *checker) hit(tr *mtt.Track, h int) int {
	hit := tr.Hits[h]
	t, ok := c.scan(hit.Frame)
	if !ok {
		c.problem("tracks.csv: track %d: there is no frame %d", tr.ID, hit.Frame)
		return none
	}
	if h > 0 && hit.Frame <= tr.Hits[h-1].Frame {
		c.problem("tracks.csv: track %d: frame %d follows frame %d", tr.ID, hit.Frame, tr.Hits[h-1].Frame)
		return none
	}
	if n := c.dets.len(t); hit.Det < 0 || hit.Det >= n {
		c.problem("tracks.csv: track %d: frame %d has no detection %d, only %d of them", tr.ID, hit.Frame, hit.Det, n)
		return none
	}
	d := c.dets.Base[t] + hit.Det
	at := c.dets.at(d)
	if len(at) != tr.Dim {
		c.problem("tracks.csv: track %d: frame %d, detection %d has %d coordinates, not %d", tr.ID, hit.Frame, hit.Det, len(at), tr.Dim)
		return none
	}
	for a, x := range tr.At(h) {
		if x != at[a] {
			c.problem("tracks.csv: track %d: frame %d, detection %d lies at %v, not at %v", tr.ID, hit.Frame, hit.Det, at, tr.At(h))
			break
		}
	}
	return d
}
