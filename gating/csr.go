package gating

import "slices"

// This file defines the sparse pattern that gating produces.

// A CSR is a sparse pattern: row i holds the columns Col[Ptr[i]:Ptr[i+1]],
// ascending.
type CSR struct {
	Rows, Cols int
	Ptr        []int   // len Rows+1
	Col        []int32 // len NNZ()
}

// NNZ is the number of entries.
func (g *CSR) NNZ() int { return len(g.Col) }

// Row is the list of columns of row i, a view into Col.
func (g *CSR) Row(i int) []int32 { return g.Col[g.Ptr[i]:g.Ptr[i+1]] }

// Entry is the index into Col of the entry at row i and column j, -1 when the
// pattern has none there. It takes O(log n) time for n entries in the row.
func (g *CSR) Entry(i, j int) int {
	k, ok := slices.BinarySearch(g.Row(i), int32(j))
	if !ok {
		return -1
	}
	return g.Ptr[i] + k
}
