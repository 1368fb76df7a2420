package mapsolver

// This file lists the entries of a pattern by column.

// Columns holds the entries of a pattern by column: the k-th of column c, for
// Ptr[c] ≤ k < Ptr[c+1], is entry Entry[k] of the Problem and lies in row
// Row[k]. Rows ascend within a column. Costs are not copied, so one Columns
// serves every Problem of the same pattern.
type Columns struct {
	Ptr   []int   // len Cols+1
	Row   []int32 // len nnz
	Entry []int32 // len nnz
}

// ByColumn lists the entries of p by column in O(nnz) time. A nil dst
// allocates; otherwise its slices are reused.
func ByColumn(dst *Columns, p *Problem) *Columns {
	if dst == nil {
		dst = new(Columns)
	}
	nnz := len(p.Col)
	dst.Ptr = grow(dst.Ptr, p.Cols+1)
	dst.Row = grow(dst.Row, nnz)
	dst.Entry = grow(dst.Entry, nnz)
	ptr := dst.Ptr
	clear(ptr)
	for _, c := range p.Col {
		ptr[c]++
	}
	end := 0
	for c, n := range ptr {
		ptr[c] = end // start of column c for now
		end += n
	}
	for r := range p.Rows {
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			c := p.Col[e]
			k := ptr[c]
			dst.Row[k], dst.Entry[k] = int32(r), int32(e)
			ptr[c] = k + 1
		}
	}
	// Each ptr[c] has moved to the end of its column: shift back by one.
	copy(ptr[1:], ptr)
	ptr[0] = 0
	return dst
}

// grow returns a slice of length n, reusing s when it is large enough.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
