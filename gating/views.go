package gating

// This file looks at a CSR pattern by columns and entry by entry.

// A CSC is a CSR pattern read by columns: column j holds, with ascending rows,
// the entries Entry[Ptr[j]:Ptr[j+1]] of the pattern, whose rows are
// Row[Ptr[j]:Ptr[j+1]].
type CSC struct {
	Ptr   []int   // len Cols+1
	Row   []int32 // len nnz
	Entry []int   // len nnz, indices into the CSR's Col
}

// Transpose lists the entries of g by columns. A non-nil dst is overwritten,
// reusing its slices, and returned. It runs in O(Rows + Cols + nnz) time.
func Transpose(dst *CSC, g *CSR) *CSC {
	if dst == nil {
		dst = new(CSC)
	}
	dst.Ptr = resize(dst.Ptr, g.Cols+1)
	dst.Row = resize(dst.Row, g.NNZ())
	dst.Entry = resize(dst.Entry, g.NNZ())
	clear(dst.Ptr)
	for _, j := range g.Col {
		dst.Ptr[j]++
	}
	sum := 0
	for j, count := range dst.Ptr {
		dst.Ptr[j] = sum
		sum += count
	}
	for i := range g.Rows {
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			j := g.Col[e]
			at := dst.Ptr[j]
			dst.Ptr[j]++
			dst.Row[at] = int32(i)
			dst.Entry[at] = e
		}
	}
	copy(dst.Ptr[1:], dst.Ptr) // Ptr[j] had become the end of column j
	dst.Ptr[0] = 0
	return dst
}

// RowOf gives the row of each entry, which makes a COO pattern of g's Col: the
// entry e is at (RowOf[e], Col[e]). A dst with enough capacity is reused.
func RowOf(dst []int32, g *CSR) []int32 {
	dst = resize(dst, g.NNZ())
	for i := range g.Rows {
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			dst[e] = int32(i)
		}
	}
	return dst
}
