package gating

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
