package measure

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"mtt/dualascent"
	"mtt/mapsolver"
)

// This file keeps the cost distribution of Kawtikwar and Nagi, FUSION 2023, in the
// forms in which it was published, beside ours, to compare them. Births and deaths
// are left out, as they have none.

// A TripletForm is a way to keep the triplet costs of a block.
type TripletForm int

const (
	CubeForm   TripletForm = iota // N×N×N costs, absent ones a large number: their Algorithm 3
	CSRForm                       // a list of the costs inside the gate, with indices: their Algorithm 4
	StoredForm                    // a matrix for each node: Block.D
	OurForm                       // as the instance has it: values or matrices
)

func (f TripletForm) String() string { return [...]string{"cube", "csr-coo", "stored", "as is"}[f] }

// A distribution is one step of the published dual ascent at one block: the costs
// change by what the multipliers of the out-arcs changed, and each in-arc gets the
// least of its costs ("solving the y subproblem").
type distribution interface {
	// distribute subtracts v[b] from all costs with out-arc b.
	distribute(v []float64)
	// least sets dst[a] to the least cost with in-arc a, +Inf when there is none.
	least(dst []float64)
}

// newDistribution makes block p of inst in a form. A cube takes 8·n·m·l bytes, with the nodes of
// three frames.
func newDistribution(form TripletForm, inst *dualascent.Instance, p int) distribution {
	left, right, b := &inst.Pairs[p], &inst.Pairs[p+1], inst.Blocks[p]
	var in mapsolver.Columns
	mapsolver.ByColumn(&in, &mapsolver.Problem{Rows: left.Rows, Cols: left.Cols, Ptr: left.Ptr, Col: left.Col})
	if form == OurForm && b.Differences != nil {
		return &differing{minima: b.Differences.Minima(left, right), v: make([]float64, len(right.Col))}
	}
	if b.Differences != nil {
		b = b.Differences.Dense(left, right)
	}
	switch form {
	case CubeForm:
		return newCube(left, right, &b, &in)
	case CSRForm:
		return newCoordinates(left, right, &b, &in)
	}
	return &matrices{block: b, in: in, right: right, v: make([]float64, len(right.Col))}
}

// outside is the published cost of what is outside the gate.
const outside = 1e6

// A cube has a cost for every three detections.
type cube struct {
	left, right *dualascent.FramePair
	tail        []int32
	v           []float64 // m×l: multiplier of the pair of a node and a head
	y           []float64 // n×m×l: by tail, node and head
}

func newCube(left, right *dualascent.FramePair, b *dualascent.Block, in *mapsolver.Columns) *cube {
	n, m, l := left.Rows, right.Rows, right.Cols
	c := &cube{left: left, right: right, tail: tails(left), v: make([]float64, m*l), y: make([]float64, n*m*l)}
	for k := range c.y {
		c.y[k] = outside
	}
	eachTriplet(right, b, in, func(j int, a, out int32, d float64) {
		c.y[(int(c.tail[a])*m+j)*l+int(right.Col[out])] = d
	})
	return c
}

func (c *cube) distribute(v []float64) {
	spread(c.v, c.right, v)
	for i := range c.left.Rows {
		y := c.y[i*len(c.v):][:len(c.v)]
		for k, x := range c.v {
			y[k] -= x
		}
	}
}

func (c *cube) least(dst []float64) {
	m, l := c.right.Rows, c.right.Cols
	gamma := make([]float64, c.left.Rows*m)
	for k := range gamma {
		least := math.Inf(1)
		for _, x := range c.y[k*l : (k+1)*l] {
			if x < least {
				least = x
			}
		}
		gamma[k] = least
	}
	for a, j := range c.left.Col {
		dst[a] = gated(gamma[int(c.tail[a])*m+int(j)])
	}
}

// Coordinates list the costs inside the gate by their last index.
type coordinates struct {
	left, right *dualascent.FramePair
	tail        []int32
	v           []float64 // as in a cube
	ptr         []int     // of each head: its entries
	i, j        []int32   // tail and node of an entry
	y           []float64
	gamma       []float64 // n×m
}

func newCoordinates(left, right *dualascent.FramePair, b *dualascent.Block, in *mapsolver.Columns) *coordinates {
	n, m, l := left.Rows, right.Rows, right.Cols
	c := &coordinates{left: left, right: right, tail: tails(left), v: make([]float64, m*l), ptr: make([]int, l+1), gamma: make([]float64, n*m)}
	eachTriplet(right, b, in, func(_ int, _, out int32, _ float64) { c.ptr[right.Col[out]+1]++ })
	for k := range l {
		c.ptr[k+1] += c.ptr[k]
	}
	total := c.ptr[l]
	c.i, c.j, c.y = make([]int32, total), make([]int32, total), make([]float64, total)
	at := slices.Clone(c.ptr)
	eachTriplet(right, b, in, func(j int, a, out int32, d float64) {
		k := right.Col[out]
		c.i[at[k]], c.j[at[k]], c.y[at[k]] = c.tail[a], int32(j), d
		at[k]++
	})
	return c
}

func (c *coordinates) distribute(v []float64) {
	spread(c.v, c.right, v)
	l := c.right.Cols
	for k := range l {
		for e := c.ptr[k]; e < c.ptr[k+1]; e++ {
			c.y[e] -= c.v[int(c.j[e])*l+k]
		}
	}
}

func (c *coordinates) least(dst []float64) {
	m := c.right.Rows
	for k := range c.gamma {
		c.gamma[k] = math.Inf(1)
	}
	for e, y := range c.y {
		if at := int(c.i[e])*m + int(c.j[e]); y < c.gamma[at] {
			c.gamma[at] = y
		}
	}
	for a, j := range c.left.Col {
		dst[a] = c.gamma[int(c.tail[a])*m+int(j)]
	}
}

// Matrices are our blocks: costs stay what they are, minima see the multipliers.
type matrices struct {
	block dualascent.Block
	in    mapsolver.Columns
	right *dualascent.FramePair
	v     []float64
}

func (c *matrices) distribute(v []float64) { floats.Add(c.v, v) }

func (c *matrices) least(dst []float64) {
	for j := range c.right.Rows {
		v := c.v[c.right.Ptr[j]:c.right.Ptr[j+1]]
		d := c.block.D[c.block.Ptr[j]:c.block.Ptr[j+1]]
		for r, a := range c.in.Entry[c.in.Ptr[j]:c.in.Ptr[j+1]] {
			row := d[r*(len(v)+1):]
			least := math.Inf(1)
			for s, x := range v {
				if y := row[s] - x; y < least {
					least = y
				}
			}
			dst[a] = least
		}
	}
}

// A differing block is one of differences, as the engine passes over it.
type differing struct {
	minima func(dst, v []float64)
	v      []float64
}

func (c *differing) distribute(v []float64) { floats.Add(c.v, v) }

func (c *differing) least(dst []float64) { c.minima(dst, c.v) }

// tails are the tails of all arcs.
func tails(g *dualascent.FramePair) []int32 {
	list := make([]int32, len(g.Col))
	for i := range g.Rows {
		for a := g.Ptr[i]; a < g.Ptr[i+1]; a++ {
			list[a] = int32(i)
		}
	}
	return list
}

// spread puts the multipliers of the arcs of g into a matrix.
func spread(dst []float64, g *dualascent.FramePair, v []float64) {
	clear(dst)
	for j := range g.Rows {
		for b := g.Ptr[j]; b < g.Ptr[j+1]; b++ {
			dst[j*g.Cols+int(g.Col[b])] = v[b]
		}
	}
}

// gated is a minimum, +Inf where everything is outside the gate.
func gated(x float64) float64 {
	if x > outside/2 {
		return math.Inf(1)
	}
	return x
}

// eachTriplet calls do for the cost of every in-arc a and out-arc b of every node j.
func eachTriplet(right *dualascent.FramePair, block *dualascent.Block, in *mapsolver.Columns, do func(j int, a, b int32, cost float64)) {
	for j := range right.Rows {
		d := block.D[block.Ptr[j]:block.Ptr[j+1]]
		for _, a := range in.Entry[in.Ptr[j]:in.Ptr[j+1]] {
			for b := right.Ptr[j]; b < right.Ptr[j+1]; b++ {
				do(j, a, int32(b), d[b-right.Ptr[j]])
			}
			d = d[right.Ptr[j+1]-right.Ptr[j]+1:]
		}
	}
}
