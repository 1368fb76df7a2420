package chain

import (
	"runtime"

	"mtt"
	"mtt/internal/slab"
	"mtt/internal/workers"
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
	length := func(t int) int { return scans[t].Len() }
	c := &Links{Next: slab.Parts[Node](len(scans), length), Prev: slab.Parts[Node](len(scans), length)}
	for t := range scans {
		slab.Fill(c.Next[t], None)
		slab.Fill(c.Prev[t], None)
	}
	return c
}

// Clone copies the links.
func (c *Links) Clone() *Links {
	length := func(t int) int { return len(c.Next[t]) }
	d := &Links{Next: slab.Parts[Node](len(c.Next), length), Prev: slab.Parts[Node](len(c.Prev), length)}
	for t := range c.Next {
		copy(d.Next[t], c.Next[t])
		copy(d.Prev[t], c.Prev[t])
	}
	return d
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
	return c.TracksSince(nil, scans, single)
}

// TracksSince is Tracks where known are those of earlier links: tracks that stay as they were share
// their memory. All cores walk along the chains, which lead all over the memory of the scans: each along many at
// once, step by step, so that what is near in a scan is looked at together and no look waits for another.
func (c *Links) TracksSince(known []mtt.Track, scans []mtt.Scan, single bool) []mtt.Track {
	var chains []start
	at := 0
	for t := range scans {
		for i := range c.Prev[t] {
			if c.Prev[t][i] != None || !single && c.Next[t][i] == None {
				continue
			}
			ch := start{Node: Node{int32(t), int32(i)}}
			here := mtt.Hit{Frame: scans[t].Frame, Det: i}
			for at < len(known) && before(known[at].Hits[0], here) {
				at++
			}
			if at < len(known) && known[at].Hits[0] == here {
				ch.known = &known[at]
			}
			chains = append(chains, ch)
		}
	}
	if chains == nil {
		return nil
	}
	tracks := make([]mtt.Track, len(chains))
	const share = 512 // tracks of a job
	workers.Each(runtime.GOMAXPROCS(0), (len(chains)+share-1)/share, func(_, job int) {
		lo, hi := job*share, min((job+1)*share, len(chains))
		c.tracks(tracks[lo:hi], scans, chains[lo:hi])
		for k := lo; k < hi; k++ {
			tracks[k].ID = k + 1
		}
	})
	return tracks
}

// before says whether hit a comes before hit b.
func before(a, b mtt.Hit) bool { return a.Frame < b.Frame || a.Frame == b.Frame && a.Det < b.Det }

// A start is the first node of a chain.
type start struct {
	Node
	known *mtt.Track // begins there; nil: none does
}

// A cursor walks along a chain.
type cursor struct {
	at    Node
	track int
}

// tracks sets dst to the chains that begin at starts, or to what is known where that has the same hits.
func (c *Links) tracks(dst []mtt.Track, scans []mtt.Scan, starts []start) {
	length, same := make([]int, len(starts)), make([]bool, len(starts))
	cursors := make([]cursor, 0, len(starts))
	for k, s := range starts {
		same[k] = s.known != nil
		cursors = append(cursors, cursor{s.Node, k})
	}
	c.walk(cursors, func(at Node, k int) {
		if n := length[k]; same[k] {
			hits := starts[k].known.Hits
			same[k] = n < len(hits) && hits[n] == mtt.Hit{Frame: scans[at.T].Frame, Det: int(at.Det)}
		}
		length[k]++
	})
	cursors = cursors[:0]
	for k, s := range starts {
		n, dim := length[k], scans[s.T].Dim
		if same[k] && n == len(s.known.Hits) {
			dst[k] = *s.known
			continue
		}
		dst[k] = mtt.Track{Dim: dim, Hits: make([]mtt.Hit, 0, n), Pos: make([]float64, 0, n*dim)}
		if scans[s.T].Vel != nil {
			dst[k].Vel = make([]float64, 0, n*dim)
		}
		cursors = append(cursors, cursor{s.Node, k})
	}
	c.walk(cursors, func(at Node, k int) { dst[k].Append(&scans[at.T], int(at.Det)) })
}

// walk calls do for each node of the chains on which the cursors stand, for the chains in turn.
func (c *Links) walk(cursors []cursor, do func(at Node, track int)) {
	for len(cursors) > 0 {
		on := cursors[:0]
		for _, u := range cursors {
			do(u.at, u.track)
			if u.at = c.Next[u.at.T][u.at.Det]; u.at != None {
				on = append(on, u)
			}
		}
		cursors = on
	}
}
