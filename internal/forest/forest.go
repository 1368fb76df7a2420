// Package forest joins things into components, by union by size with path halving [1, §21.3].
//
// [1] Cormen, Leiserson, Rivest, Stein. Introduction to Algorithms, 3rd ed.
package forest

// A Forest joins things, numbered from 0, into components: Forest[x] is the parent of x, or minus
// the size of the component when x is its root.
type Forest []int32

// New has n things, none of them joined.
func New(n int) Forest {
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
