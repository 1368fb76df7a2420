package gating

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
// It runs in O(nnz·α(n)) time by union by size with path halving [1, §21.3].
//
// [1] Cormen, Leiserson, Rivest, Stein. Introduction to Algorithms, 3rd ed.
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

	// up[x] is the parent of x, or −size when x is a root.
	up := make([]int32, n)
	for x := range up {
		up[x] = -1
	}
	first := 0 // number of the frame's first detection
	for t := range frames {
		g := &frames[t]
		next := first + g.Rows
		for i := range g.Rows {
			for _, j := range g.Row(i) {
				join(up, int32(first+i), int32(next)+j)
			}
		}
		first = next
	}

	// From here on labels replace the sizes of roots that have been seen:
	// label l is kept in label[root].
	label := make([]int32, n)
	flat := make([]int32, n)
	count := int32(0)
	for x := range flat {
		r := root(up, int32(x))
		if label[r] == 0 {
			count++
			label[r] = count
		}
		flat[x] = label[r] - 1
	}
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

// root finds the root of x and halves the path to it.
func root(up []int32, x int32) int32 {
	for up[x] >= 0 {
		if p := up[x]; up[p] >= 0 {
			up[x] = up[p]
		}
		x = up[x]
	}
	return x
}

// join makes one component of those of x and y.
func join(up []int32, x, y int32) {
	x, y = root(up, x), root(up, y)
	if x == y {
		return
	}
	if up[x] > up[y] {
		x, y = y, x
	}
	up[x] += up[y]
	up[y] = x
}
