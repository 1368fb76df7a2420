package gating

import "mtt/internal/forest"

// This file splits gated frames into independent parts.

// Components labels the connected components of the gated frames. Two
// detections share a label when a chain of gated pairs joins them; a detection
// without any pair is a component by itself.
//
// frames[t] is the pattern between frame t and t+1; the result has one label
// slice per frame, len(frames)+1 in all (nil for no frames), labels from 0 in
// order of first appearance. The inputs are not kept. It panics when the
// columns of one pattern are not the rows of the next.
//
// It runs in O(nnz·α(n)) time.
func Components(frames []CSR) [][]int32 {
	if len(frames) == 0 {
		return nil
	}
	n := frames[0].Rows
	for t := range frames {
		if t > 0 && frames[t].Rows != frames[t-1].Cols {
			panic(badChain)
		}
		n += frames[t].Cols
	}

	up := forest.New(n)
	first := 0 // number of the frame's first detection
	for t := range frames {
		g := &frames[t]
		next := first + g.Rows
		for i := range g.Rows {
			for _, j := range g.Row(i) {
				up.Join(int32(first+i), int32(next)+j)
			}
		}
		first = next
	}

	flat := up.Labels()
	labels := make([][]int32, len(frames)+1)
	rows := frames[0].Rows
	for t := range labels {
		labels[t], flat = flat[:rows:rows], flat[rows:]
		if t < len(frames) {
			rows = frames[t].Cols
		}
	}
	return labels
}
