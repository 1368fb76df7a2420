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

	up := NewForest(n)
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

// A Forest joins things, numbered from 0, into components: Forest[x] is the parent of x, or minus
// the size of the component when x is its root.
type Forest []int32

// NewForest has n things, none of them joined.
func NewForest(n int) Forest {
	f := make(Forest, n)
	for x := range f {
		f[x] = -1
	}
	return f
}

// root finds the root of x and halves the path to it.
func (f Forest) root(x int32) int32 {
	for f[x] >= 0 {
		if p := f[x]; f[p] >= 0 {
			f[x] = f[p]
		}
		x = f[x]
	}
	return x
}

// Join makes one component of those of x and y.
func (f Forest) Join(x, y int32) {
	x, y = f.root(x), f.root(y)
	if x == y {
		return
	}
	if f[x] > f[y] {
		x, y = y, x
	}
	f[x] += f[y]
	f[y] = x
}

// Labels are the components of all things, from 0 in order of first appearance.
func (f Forest) Labels() []int32 {
	label := make([]int32, len(f)) // of roots that have been seen, from 1
	flat := make([]int32, len(f))
	count := int32(0)
	for x := range flat {
		r := f.root(int32(x))
		if label[r] == 0 {
			count++
			label[r] = count
		}
		flat[x] = label[r] - 1
	}
	return flat
}
