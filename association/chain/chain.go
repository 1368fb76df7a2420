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

// Between copies the links between the detections of scans from ≤ t < to, which it counts from the first
// of these.
func (c *Links) Between(from, to int) *Links {
	part := (&Links{Next: c.Next[from:to], Prev: c.Prev[from:to]}).Clone()
	shift := func(nodes [][]Node) {
		for _, list := range nodes {
			for i := range list {
				switch x := &list[i]; {
				case *x == None || *x == Past:
				case int(x.T) < from || int(x.T) >= to:
					*x = None
				default:
					x.T -= int32(from)
				}
			}
		}
	}
	shift(part.Next)
	shift(part.Prev)
	return part
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
	return c.TracksSince(nil, nil, scans, single)
}

// TracksSince is Tracks where known are the Tracks of the links before: tracks that stay as they were share
// their memory. before may be nil.
func (c *Links) TracksSince(before *Links, known []mtt.Track, scans []mtt.Scan, single bool) []mtt.Track {
	chains := c.chains(before, single)
	if chains == nil {
		return nil
	}
	tracks := make([]mtt.Track, len(chains))
	at := 0
	for k := range chains {
		ch := &chains[k]
		first := mtt.Hit{Frame: scans[ch.first.T].Frame, Det: int(ch.first.Det)}
		for at < len(known) && earlier(known[at].Hits[0], first) {
			at++
		}
		if ch.known = ch.known && at < len(known) && known[at].Hits[0] == first; ch.known {
			tracks[k] = known[at]
		}
		tracks[k].ID = k + 1
	}
	const share = 1024 // tracks of a job
	workers.Each(runtime.GOMAXPROCS(0), (len(chains)+share-1)/share, func(_, job int) {
		lo, hi := job*share, min((job+1)*share, len(chains))
		c.fill(tracks[lo:hi], scans, chains[lo:hi])
	})
	return tracks
}

// earlier says whether a track that begins with hit a comes before one that begins with b.
func earlier(a, b mtt.Hit) bool { return a.Frame < b.Frame || a.Frame == b.Frame && a.Det < b.Det }

// A whole is a chain that is a track.
type whole struct {
	first  Node
	length int
	known  bool // the links before have it as well
}

// chains lists the chains that are tracks, in order of their first nodes. It goes from scan to
// scan: what a node looks up lies in the scans just before.
func (c *Links) chains(before *Links, single bool) (list []whole) {
	of := slab.Parts[int32](len(c.Prev), func(t int) int { return len(c.Prev[t]) }) // chain of a node; -1: of none that is a track
	for t := range of {
		for i, prev := range c.Prev[t] {
			next, k := c.Next[t][i], int32(-1)
			switch {
			case prev == Past || prev == None && next == None && !single:
			case prev == None:
				k = int32(len(list))
				list = append(list, whole{first: Node{int32(t), int32(i)}, known: before != nil && before.Prev[t][i] == None})
			default:
				k = of[prev.T][prev.Det]
			}
			if of[t][i] = k; k >= 0 {
				list[k].length++
				list[k].known = list[k].known && before.Next[t][i] == next
			}
		}
	}
	return list
}

// A cursor walks along a chain.
type cursor struct {
	at    Node
	track *mtt.Track
	n     int          // of ahead
	ahead [stride]Node // what the track has next
}

// stride is the number of scans for which chains are walked before what lies there is looked at.
const stride = 8

// fill sets dst to the chains that are not known. Chains lead all over the memory of the scans, so
// it walks along many at once: what is near in a scan is looked at together and no look waits for
// another. What there is to copy is copied some scans at a time, so that a track is not looked up
// for each. A chain is walked from the scan that it begins in on: all from the first would take
// scans times tracks.
func (c *Links) fill(dst []mtt.Track, scans []mtt.Scan, chains []whole) {
	cursors := make([]cursor, 0, len(chains))
	for k, ch := range chains {
		if ch.known {
			continue
		}
		n, scan := ch.length, &scans[ch.first.T]
		dst[k].Dim, dst[k].Hits, dst[k].Pos = scan.Dim, make([]mtt.Hit, 0, n), make([]float64, 0, n*scan.Dim)
		if scan.Vel != nil {
			dst[k].Vel = make([]float64, 0, n*scan.Dim)
		}
		cursors = append(cursors, cursor{at: ch.first, track: &dst[k]})
	}
	begun := 0 // so many of those left: they go by their first nodes
	for end := int32(0); len(cursors) > 0; {
		if begun == 0 {
			end = cursors[0].at.T
		}
		last := end + stride
		for begun < len(cursors) && cursors[begun].at.T < last {
			begun++
		}
		for ; end < last; end++ {
			for k := range cursors[:begun] {
				if u := &cursors[k]; u.at.T == end {
					u.ahead[u.n] = u.at
					u.n++
					u.at = c.Next[u.at.T][u.at.Det]
				}
			}
		}
		ended := begun // those that go on close ranks with those that wait
		for k := begun - 1; k >= 0; k-- {
			u := &cursors[k]
			for _, at := range u.ahead[:u.n] {
				u.track.Append(&scans[at.T], int(at.Det))
			}
			if u.n = 0; u.at != None {
				ended--
				cursors[ended] = *u
			}
		}
		cursors, begun = cursors[ended:], begun-ended
	}
}
