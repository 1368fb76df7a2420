package chain

import (
	"mtt"
)

// This file holds links between detections, and turns them into tracks.

// Links are links between detections of scans: Next[t][i] is where the track of
// detection i of scan t goes on, Prev[t][i] where it came from.
type Links struct {
	Next, Prev [][]Node
}

// A Node is detection Det of scan T, counted from the first scan at hand (a
// [mtt.Hit] has the number of the frame instead).
type Node struct {
	T, Det int32
}

// At is detection det of scan t.
func At[T, D int | int32](t T, det D) Node { return Node{int32(t), int32(det)} }

// None is no detection, Past one in a scan that is no longer looked at.
var None, Past = Node{-1, -1}, Node{-2, -1}

// New makes no links between the detections of scans.
func New(scans []mtt.Scan) *Links {
	c := &Links{Next: make([][]Node, len(scans)), Prev: make([][]Node, len(scans))}
	for t := range scans {
		n := scans[t].Len()
		all := make([]Node, 2*n)
		for i := range all {
			all[i] = None
		}
		c.Next[t], c.Prev[t] = all[:n:n], all[n:]
	}
	return c
}

// Link joins two detections, neither of which has a link on that side.
func (c *Links) Link(a, b Node) {
	c.Next[a.T][a.Det] = b
	c.Prev[b.T][b.Det] = a
}

// Unlink removes the link after a, if there is one.
func (c *Links) Unlink(a Node) {
	if b := c.Next[a.T][a.Det]; b != None {
		c.Next[a.T][a.Det] = None
		c.Prev[b.T][b.Det] = None
	}
}

// Tracks lists the chains of links as tracks, numbered by first frame, then first
// detection. A detection without links becomes a track only when single says so.
func (c *Links) Tracks(scans []mtt.Scan, single bool) []mtt.Track {
	var tracks []mtt.Track
	for t := range scans {
		for i := range c.Prev[t] {
			if c.Prev[t][i] != None || !single && c.Next[t][i] == None {
				continue
			}
			first, n := Node{int32(t), int32(i)}, 0
			for h := first; h != None; h = c.Next[h.T][h.Det] {
				n++
			}
			tr := mtt.Track{
				ID: len(tracks) + 1, Dim: scans[t].Dim,
				Hits: make([]mtt.Hit, 0, n), Pos: make([]float64, 0, n*scans[t].Dim),
			}
			if scans[t].Vel != nil {
				tr.Vel = make([]float64, 0, n*scans[t].Dim)
			}
			for h := first; h != None; h = c.Next[h.T][h.Det] {
				tr.Append(&scans[h.T], int(h.Det))
			}
			tracks = append(tracks, tr)
		}
	}
	return tracks
}
