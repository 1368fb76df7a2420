package gating

import (
	"cmp"
	"fmt"
	"slices"

	"mtt"
)

// This file counts what a gate keeps and what it loses.

// A Size counts the arcs and triplets of a chain of patterns, and how many
// there would be without a gate.
type Size struct {
	Arcs     int // gated pairs of consecutive frames
	Triplets int // paths of two arcs

	AllArcs     float64 // Σ N_t·N_t+1
	AllTriplets float64 // Σ N_t·N_t+1·N_t+2
}

// Filtered gives the percentages, 0 to 100, of all pairs and of all triplets
// that the gate has removed; 0 where there are none.
func (s Size) Filtered() (arcs, triplets float64) {
	return removed(s.Arcs, s.AllArcs), removed(s.Triplets, s.AllTriplets)
}

func removed(kept int, all float64) float64 {
	if all == 0 {
		return 0
	}
	return 100 * (1 - float64(kept)/all)
}

// Count counts the arcs and triplets of a chain: frames[t] is the pattern
// between frame t and t+1. A detection with n entries in its column and m in
// its row is the middle of n·m triplets, so it takes O(nnz) time. It panics
// when the columns of one pattern are not the rows of the next.
func Count(frames []CSR) Size {
	var c counter
	for t := range frames {
		c.add(&frames[t])
	}
	return c.Size
}

// A counter counts a chain whose patterns it sees one after the other.
type counter struct {
	Size
	started bool
	rows    int   // of the pattern before
	in      []int // entries of the pattern before in each column
}

func (c *counter) add(g *CSR) {
	c.Arcs += g.NNZ()
	if c.started {
		if len(c.in) != g.Rows {
			panic(badChain)
		}
		for j, n := range c.in {
			c.Triplets += n * (g.Ptr[j+1] - g.Ptr[j])
		}
	}
	c.next(g.Rows, g.Cols)
	c.in = resize(c.in, g.Cols)
	clear(c.in)
	for _, j := range g.Col {
		c.in[j]++
	}
}

// join is add for a pattern of which the entries of each row and of each column are known. in is kept.
func (c *counter) join(out, in []int) {
	for i, n := range out {
		c.Arcs += n
		if c.started {
			c.Triplets += c.in[i] * n
		}
	}
	c.next(len(out), len(in))
	c.in = in
}

// next counts all pairs and triplets of a pattern, and goes on to it.
func (c *counter) next(rows, cols int) {
	c.AllArcs += float64(rows) * float64(cols)
	if c.started {
		c.AllTriplets += float64(c.rows) * float64(rows) * float64(cols)
	}
	c.started = true
	c.rows = rows
}

const badChain = "gating: the columns of a frame are not the rows of the next"

// Lost counts the true arcs, pairs of detections of one target in consecutive
// scans, and those of them that the gate has lost. frames[t] is the pattern
// between scans[t] and scans[t+1], whose frame numbers ascend; hits in other
// frames and hits without a detection make no arcs. It returns an error when
// truth names a detection that its scan does not have, and panics when frames
// and scans do not belong together.
func Lost(frames []CSR, scans []mtt.Scan, truth []mtt.Track) (lost, all int, err error) {
	if len(frames) != max(len(scans)-1, 0) {
		panic("gating: frames and scans differ in length")
	}
	for k := range truth {
		track := &truth[k]
		before, i := -1, -1 // scan and detection of the hit before
		for _, h := range track.Hits {
			t, ok := slices.BinarySearchFunc(scans, h.Frame, func(s mtt.Scan, frame int) int { return cmp.Compare(s.Frame, frame) })
			if !ok || h.Det < 0 {
				before = -1
				continue
			}
			if h.Det >= scans[t].Len() {
				return 0, 0, fmt.Errorf("gating: track %d, frame %d: detection %d of a scan with %d; truth and scans do not belong together",
					track.ID, h.Frame, h.Det, scans[t].Len())
			}
			if before >= 0 && before == t-1 {
				all++
				if frames[before].Entry(i, h.Det) < 0 {
					lost++
				}
			}
			before, i = t, h.Det
		}
	}
	return lost, all, nil
}
