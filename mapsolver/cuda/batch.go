package cuda

import (
	"context"
	"fmt"
	"math"

	"mtt/internal/cuda"
	"mtt/mapsolver"
)

// This file holds the Batch, which solves problems whose costs stay on the card.

// A BatchOf solves the problems of a [CostsOf], again and again: that copies prices and
// assignments only. Rows are all served; columns too when there are as many, else they
// stay free at no cost.
//
// It is not safe for concurrent use.
type BatchOf[Real real] struct {
	*CostsOf[Real]

	own    bool // the costs
	stream *cuda.Stream
	io     cuda.Buffer // table, v, u, colOf, counts, proof
	memory cuda.Buffer // state of large problems
	form   form
	at     struct{ v, u, colOf, counts, proof, end int }
	solved bool
}

// A Batch keeps costs as float32.
type Batch = BatchOf[float32]

// A Proof is what an assignment costs and what every assignment costs at least,
// both added up in float64. The bound is that of the
// column prices with the best row prices to go with them, so it holds whatever
// rounding did to the prices.
type Proof struct {
	Cost, Bound float64
}

// NewBatch makes room for count problems of rows rows and at least as many columns, and
// a batch of them. One problem may have up to 32768 columns on cards with clusters
// (compute capability 9.0) and 8192 on others; several at a time up to 1024. The error
// wraps [ErrUnavailable] when there is no card.
func NewBatch(count, rows, cols int) (*Batch, error) { return newBatch[float32](count, rows, cols) }

// NewBatch64 is NewBatch with costs and prices of float64, to check what rounding does:
// it takes 1.4 times as long. Problems have up to 1024 columns.
func NewBatch64(count, rows, cols int) (*BatchOf[float64], error) {
	return newBatch[float64](count, rows, cols)
}

func newBatch[Real real](count, rows, cols int) (*BatchOf[Real], error) {
	costs, err := newCosts[Real](count, rows, cols)
	if err != nil {
		return nil, err
	}
	b, err := costs.NewBatch()
	if err != nil {
		_ = costs.Free()
		return nil, err
	}
	b.own = true
	return b, nil
}

// NewBatch makes another batch of the problems, whose costs it shares: it has its own
// prices and pairs to start from. Free it before the costs.
func (c *CostsOf[Real]) NewBatch() (*BatchOf[Real], error) {
	real := c.size()
	f, ok := formOf(c.card.device, c.Rows, c.Cols, real, false)
	if !ok || real == 4 && c.Count == 1 && c.Cols > 1024 {
		if f, ok = largeForm(c.card.device, c.Rows, c.Cols); !ok || real == 8 || c.Count > 1 {
			return nil, fmt.Errorf("cuda: %d problems of %d×%d are too large for the card", c.Count, c.Rows, c.Cols)
		}
	}
	return c.newBatch(f)
}

// newBatch makes a batch that is solved in a form.
func (c *CostsOf[Real]) newBatch(f form) (*BatchOf[Real], error) {
	b := &BatchOf[Real]{CostsOf: c, form: f}
	if err := b.allocate(); err != nil {
		_ = b.Free()
		return nil, err
	}
	return b, nil
}

// allocate lays out the memory.
func (b *BatchOf[Real]) allocate() error {
	d := b.card.device
	n, size := b.Count, b.size()
	b.at.v = align(n * problemSize)
	b.at.u = b.at.v + align(size*n*b.Cols)
	b.at.colOf = b.at.u + align(size*n*b.Rows)
	b.at.counts = b.at.colOf + align(4*n*b.Rows)
	b.at.proof = b.at.counts + align(4*n*countsLen)
	b.at.end = b.at.proof + 16*n*b.Rows
	var err error
	if b.stream, err = d.NewStream(); err != nil {
		return err
	}
	if err := b.io.Resize(d, b.at.end); err != nil {
		return err
	}
	return b.memory.Resize(d, b.form.memory)
}

// Free gives the memory of the batch back, and that of its costs when they came with
// it.
func (b *BatchOf[Real]) Free() error {
	first := b.io.Free()
	if err := b.memory.Free(); first == nil {
		first = err
	}
	if err := b.stream.Free(); first == nil {
		first = err
	}
	b.stream = nil
	if b.own {
		if err := b.CostsOf.Free(); first == nil {
			first = err
		}
	}
	return first
}

// Solve solves all problems and waits for the answers. When warm, it starts from
// the prices and pairs of the last Solve, which any costs may have followed. The
// error names a problem that has no assignment; the others are solved. Whether
// the costs were numbers is for Prove to say.
func (b *BatchOf[Real]) Solve(ctx context.Context, warm bool) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("cuda: stopped: %w", err)
	}
	if err := b.launch(warm && b.solved); err != nil {
		return err
	}
	if err := b.stream.Pull(&b.io, b.at.v, b.at.proof); err != nil {
		return err
	}
	if err := b.stream.Wait(); err != nil {
		return err
	}
	b.solved = true
	for i := range b.Count {
		if b.counts(i)[0]&unserved != 0 {
			return fmt.Errorf("cuda: problem %d: %w", i, mapsolver.ErrInfeasible)
		}
	}
	return nil
}

// launch writes the table and starts the kernel.
func (b *BatchOf[Real]) launch(warm bool) error {
	table := cuda.View[problem](&b.io, 0, b.Count)
	size := b.size()
	for i := range table {
		p := problem{
			cost:   b.Address(i),
			u:      b.io.Address(b.at.u + size*i*b.Rows),
			v:      b.io.Address(b.at.v + size*i*b.Cols),
			colOf:  b.io.Address(b.at.colOf + 4*i*b.Rows),
			counts: b.io.Address(b.at.counts + 4*i*countsLen),
			memory: b.memory.Address(0),
			rows:   int32(b.Rows), columns: int32(b.Cols),
		}
		if warm {
			p.flags |= flagWarm
		}
		if b.Rows < b.Cols {
			p.flags |= flagOpen
		}
		table[i] = p
	}
	if err := b.stream.Push(&b.io, 0, b.at.v); err != nil {
		return err
	}
	return b.run()
}

// run starts the kernel on the table that the card has.
func (b *BatchOf[Real]) run() error {
	k, err := b.card.kernel(b.form.kernel)
	if err != nil {
		return err
	}
	shape := cuda.Shape{Blocks: b.Count, Threads: b.form.threads, Shared: b.form.shared, Cluster: b.form.cluster}
	if shape.Cluster > 0 {
		shape.Blocks = shape.Cluster
	}
	return cuda.Launch(b.stream, k, shape, &task{b.io.Address(0), b.form.tuning})
}

// ColOf is the column of each row of problem i, by the last Solve; it is
// overwritten by the next. -1 is none.
func (b *BatchOf[Real]) ColOf(i int) []int32 {
	return cuda.View[int32](&b.io, b.at.colOf+4*i*b.Rows, b.Rows)
}

// Prices are those of the rows and columns of problem i, by the last Solve. They
// are optimal up to rounding.
func (b *BatchOf[Real]) Prices(i int) (u, v []Real) {
	size := b.size()
	return cuda.View[Real](&b.io, b.at.u+size*i*b.Rows, b.Rows), cuda.View[Real](&b.io, b.at.v+size*i*b.Cols, b.Cols)
}

// Stats counts the work on problem i.
func (b *BatchOf[Real]) Stats(i int) mapsolver.Stats {
	c := b.counts(i)
	return mapsolver.Stats{RowsScanned: b.Rows + int(c[1]+c[4]), Augmented: int(c[5]), Bids: int(c[1])}
}

func (b *BatchOf[Real]) counts(i int) []int32 {
	return cuda.View[int32](&b.io, b.at.counts+4*i*countsLen, countsLen)
}

// Prove returns what proves the answer to each problem. The card takes the
// differences of costs and prices in float64, the host checks that the pairs are a
// matching and adds up. The error names a row without a pair, or one with a cost
// that is NaN or -Inf.
func (b *BatchOf[Real]) Prove() ([]Proof, error) {
	name := "prove_f32"
	if b.size() == 8 {
		name = "prove_f64"
	}
	k, err := b.card.kernel(name)
	if err != nil {
		return nil, err
	}
	const threads = 256
	rows := b.Count * b.Rows
	shape := cuda.Shape{Blocks: (32*rows + threads - 1) / threads, Threads: threads}
	t := &proofTask{b.io.Address(0), b.io.Address(b.at.proof), int32(b.Rows), int32(rows)}
	if err := cuda.Launch(b.stream, k, shape, t); err != nil {
		return nil, err
	}
	if err := b.stream.Pull(&b.io, b.at.proof, b.at.end); err != nil {
		return nil, err
	}
	if err := b.stream.Wait(); err != nil {
		return nil, err
	}
	proofs := make([]Proof, b.Count)
	taken := make([]bool, b.Cols)
	for i := range proofs {
		if err := b.add(&proofs[i], i, taken); err != nil {
			return nil, fmt.Errorf("cuda: problem %d: %w", i, err)
		}
	}
	return proofs, nil
}

// add makes the proof of problem i.
func (b *BatchOf[Real]) add(proof *Proof, i int, taken []bool) error {
	clear(taken)
	list := cuda.View[float64](&b.io, b.at.proof+16*i*b.Rows, 2*b.Rows)
	for r, c := range b.ColOf(i) {
		least, paid := list[2*r], list[2*r+1]
		switch {
		case math.IsNaN(least):
			return fmt.Errorf("row %d has a cost that is NaN or -Inf", r)
		case c < 0 || int(c) >= b.Cols || taken[c] || math.IsInf(paid, 0):
			return fmt.Errorf("row %d has column %d, which is not its own", r, c)
		}
		taken[c] = true
		proof.Cost += paid
		proof.Bound += least
	}
	_, v := b.Prices(i)
	for c, x := range v {
		if b.Rows < b.Cols && x > 0 {
			return fmt.Errorf("column %d: price %v, but it may stay free at no cost", c, x)
		}
		proof.Bound += float64(x)
	}
	return nil
}
