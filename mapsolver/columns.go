package mapsolver

import "mtt/internal/slab"

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
	ByColumnUntil(dst, p, func() bool { return false })
	return dst
}

// ByColumnUntil is ByColumn for problems that take long: it asks ended every millisecond or so, and
// stops, with false, where that says so; then dst is worth nothing.
func ByColumnUntil(dst *Columns, p *Problem, ended func() bool) bool {
	const rowsPerLook = 1 << 14
	nnz := len(p.Col)
	dst.Ptr = slab.Grow(dst.Ptr, p.Cols+1)
	dst.Row = slab.Grow(dst.Row, nnz)
	dst.Entry = slab.Grow(dst.Entry, nnz)
	ptr := dst.Ptr
	if p.Cols == 1 { // in order already
		ptr[0], ptr[1] = 0, nnz
		for r := range p.Rows {
			for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
				dst.Row[e], dst.Entry[e] = int32(r), int32(e)
			}
		}
		return true
	}
	startColumns(ptr, p)
	for r := range p.Rows {
		if r%rowsPerLook == 0 && ended() {
			return false
		}
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			c := p.Col[e]
			k := ptr[c]
			dst.Row[k], dst.Entry[k] = int32(r), int32(e)
			ptr[c] = k + 1
		}
	}
	endColumns(ptr)
	return true
}

// startColumns makes ptr[c] the place of the first entry of column c. Who fills the columns moves
// it on, entry by entry.
func startColumns(ptr []int, p *Problem) {
	clear(ptr)
	for _, c := range p.Col {
		ptr[c]++
	}
	end := 0
	for c, n := range ptr {
		ptr[c] = end
		end += n
	}
}

// endColumns makes pointers of ptr, each of which has moved to the end of its column.
func endColumns(ptr []int) {
	copy(ptr[1:], ptr)
	ptr[0] = 0
}
