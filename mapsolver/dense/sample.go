package dense

import (
	"math"
	"math/rand/v2"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file guesses prices from a sample of the rows and columns.

// A sample is some rows and some columns, taken in blocks, as functions compute
// several costs of a row at once.
type sample struct {
	row  []int32 // each, in their order
	from []int32 // the first column of each block

	source rand.PCG
	rng    *rand.Rand
}

// sampleBlock is the number of columns in a block.
const sampleBlock = 8

// choose draws rows out of n and blocks out of those of m columns, the same ones each time.
func (t *sample) choose(n, m, rows, blocks int) {
	if t.rng == nil {
		t.rng = rand.New(&t.source)
	}
	t.source.Seed(uint64(n), uint64(m))
	t.row = choose(t.row[:0], t.rng, n, rows)
	t.from = choose(t.from[:0], t.rng, m/sampleBlock, blocks)
	for k := range t.from {
		t.from[k] *= sampleBlock
	}
}

// choose appends k of the numbers below n to list, in their order.
func choose(list []int32, rng *rand.Rand, n, k int) []int32 {
	for i := 0; len(list) < k; i++ {
		if rng.IntN(n-i) < k-len(list) {
			list = append(list, int32(i))
		}
	}
	return list
}

// fill makes the matrix of the sample.
func (t *sample) fill(dst *Matrix, from pieces) {
	*dst = Matrix{Rows: len(t.row), Cols: len(t.from) * sampleBlock, Stride: len(t.from) * sampleBlock, Cost: slab.Grow(dst.Cost, len(t.row)*len(t.from)*sampleBlock)}
	for i, r := range t.row {
		row := dst.Row(nil, i)
		for k, c := range t.from {
			part := row[k*sampleBlock:][:sampleBlock]
			got := from.piece(part, int(r), int(c), int(c)+sampleBlock)
			copy(part, got)
		}
	}
}

// A guess is the workspace of guessPrices.
type guess struct {
	sample sample
	matrix Matrix
	solver *Solver
	answer mapsolver.Solution
}

const (
	// sampleRows is the most rows and columns of a sample, else an eighth of them is
	// taken, or a fourth when that is at most fewSampleRows.
	sampleRows, fewSampleRows = 2500, 256

	// boundRows is the most rows from which bounds are estimated: at n = 20,000, 64
	// of them err by as much as the bound on points of one distribution.
	boundRows = 1024

	// quickSearches is how many rows the searches of a sample may scan for each of
	// its rows when whole rows are thought to be quick. Of rank 1 they scan 2.
	quickSearches = 4
)

const (
	// One row of a sample in mostTied may have two least costs. At n = 4000 whole rows took
	// 0.2 times the time of a core on integers to 400, of which half the rows have, and
	// 0.9 to 1.2 times on integers to 4000, of which about one in eight has.
	mostTied = 8

	// likeRows rows are compared with the first, up to a rounding of rounded times
	// its first cost.
	likeRows, rounded = 32, 1e-10
)

// guessScales are tried on the prices of a sample. What a few see of all
// is right in the large; what chance made of it is not, and grows with the size
// of the sample's gaps.
var guessScales = [...]float64{1, 0.25, 0.0625}

// guessPrices sets the prices to begin with. It is false when the sample was so
// easy that whole rows are best searched.
//
// A sample of rows and columns is solved exactly. The largest prices that all
// columns may have at the prices of its rows extend the prices of its columns.
// Of these, scaled, the ones are taken that give the best bound on the optimum: of
// points from one distribution none do, and the prices are 0.
func (s *Solver) guessPrices() bool {
	g, k := &s.core.guess, &s.core.memory
	n, m := len(s.colOf), len(s.rowOf)
	slab.Fill(s.v, 0)
	blocks := min(sampleRows, max(m/8, min(m/4, fewSampleRows))) / sampleBlock
	if blocks == 0 {
		return true
	}
	g.sample.choose(n, m, blocks*sampleBlock, blocks)
	g.sample.fill(&g.matrix, k.from)
	if g.solver == nil {
		g.solver = &Solver{Start: Priced}
	}
	if s.tied() {
		return false
	}
	if err := g.solver.Solve(s.ctx, &g.answer, &g.matrix, nil); err != nil {
		return true // costs are forbidden, or refused by and by
	}
	s.started += len(g.sample.row)
	if g.solver.Work().SearchRows < quickSearches*len(g.sample.row) {
		return false
	}
	full := s.keep
	slab.Fill(full, math.Inf(1))
	k.batch, k.v, k.u, k.zero = g.sample.row, full, g.answer.U, s.zero
	k.share((m+pieceCols-1)/pieceCols, (*reader).extend)
	if _, ok := magnitude(full, math.MaxFloat64); !ok {
		return true
	}
	belowZero(full)
	scale := s.guessScale(full)
	for j, x := range full {
		s.v[j] = scale * x
	}
	return true
}

// extend lowers the prices of a piece of the columns to what the rows of the
// batch, whose prices are u, allow.
func (w *reader) extend(k *memory, i int) {
	lo := i * pieceCols
	hi := min(lo+pieceCols, len(k.v))
	for i, r := range k.batch {
		c := k.from.piece(w.buf[:], int(r), lo, hi)
		lower(k.v[lo:hi], c, k.zero[lo:hi], k.u[i])
	}
}

// tied says whether whole rows are best searched because of ties: rows of the
// sample have two least costs, or rows differ by a constant, and all assignments
// cost the same, or nearly all.
func (s *Solver) tied() bool {
	g := &s.core.guess
	n := g.matrix.Rows
	ties := 0
	for r := range n {
		if first, second := twoLeast(s.dist, g.matrix.Row(nil, r), s.zero); first == second {
			ties++
		}
	}
	alike, first := 0, g.matrix.Row(nil, 0)
	for r := 1; r <= likeRows && r < n; r++ {
		if least, _ := twoLeast(s.dist, g.matrix.Row(nil, r), first); spread(s.dist[:len(first)], least) <= rounded*math.Abs(first[0]) {
			alike++
		}
	}
	return ties*mostTied > n || 2*alike > likeRows
}

// spread is the most by which elements of x exceed least.
func spread(x []float64, least float64) float64 {
	most := least
	for _, y := range x {
		if y > most {
			most = y
		}
	}
	return most - least
}

// guessScale returns the scale at which full prices give the best bound on the
// optimum, as some rows tell that are spread over all: 0 when none is better than no
// prices by more than twice the standard error.
func (s *Solver) guessScale(full []float64) float64 {
	k := &s.core.memory
	n, m := len(s.colOf), len(s.v)
	sum := 0.0
	for _, x := range full {
		sum += x
	}
	rows := min(max(n/16, 16), boundRows, n)
	var gain, squares [len(guessScales)]float64
	for i := range rows {
		r := int((2*int64(i) + 1) * int64(n) / (2 * int64(rows)))
		none := math.Inf(1)
		var least [len(guessScales)]float64
		slab.Fill(least[:], math.Inf(1))
		for lo := 0; lo < m; lo += pieceCols {
			hi := min(lo+pieceCols, m)
			c := k.from.piece(k.readers[0].buf[:], r, lo, hi)
			d, v := s.dist[lo:hi], s.mask[lo:hi]
			none = min(none, reduce(d, c, s.zero[lo:hi]))
			for t, scale := range guessScales {
				for j, x := range full[lo:hi] {
					v[j] = scale * x
				}
				least[t] = min(least[t], reduce(d, c, v))
			}
		}
		for t, x := range least {
			gain[t] += x - none
			squares[t] += (x - none) * (x - none)
		}
	}
	best, scale := 0.0, 0.0
	for t, x := range guessScales {
		mean := gain[t] / float64(rows)
		spread := math.Sqrt(max(0, squares[t]/float64(rows)-mean*mean) / float64(rows))
		if low := float64(n)*(mean-2*spread) + x*sum; low > best {
			best, scale = low, x
		}
	}
	return scale
}
