package cuda

import (
	"context"
	"fmt"
	"math"

	"mtt/internal/cuda"
	"mtt/mapsolver"
)

// This file holds the Batch of dense problems whose costs stay on the card.

// A Batch is a number of dense problems of one size. Their costs lie on the card as
// float32, with an image on the host, so that solving them again and again copies
// prices and assignments only. Rows are all served; columns too when there are as
// many, else they stay free at no cost.
//
// It is not safe for concurrent use.
type Batch struct {
	Count, Rows, Cols int

	card   *card
	stream *cuda.Stream
	cost   cuda.Buffer
	io     cuda.Buffer // table, v, u, colOf, counts, proof
	memory cuda.Buffer // state of large problems
	form   form
	at     struct{ v, u, colOf, counts, proof, end int }
	solved bool
}

// A Proof is what an assignment costs and what every assignment costs at least,
// both added up in float64 from the float32 costs. The bound is that of the
// column prices with the best row prices to go with them, so it holds whatever
// rounding did to the prices.
type Proof struct {
	Cost, Bound float64
}

const badBatch = "cuda: a batch needs problems of at least one row and as many columns"

// NewBatch makes room for count problems of rows rows and at least as many columns.
// One problem may have up to 32768 columns on cards with clusters (compute
// capability 9.0) and 8192 on others; several at a time up to 1024. The error
// wraps [ErrUnavailable] when there is no card.
func NewBatch(count, rows, cols int) (*Batch, error) {
	c, err := defaultCard()
	if err != nil {
		return nil, err
	}
	return newBatch(c, count, rows, cols)
}

func newBatch(c *card, count, rows, cols int) (*Batch, error) {
	if count < 1 || rows < 1 || cols < rows {
		panic(badBatch)
	}
	b := &Batch{Count: count, Rows: rows, Cols: cols, card: c}
	var ok bool
	if b.form, ok = formOf(c.device, rows, cols, 4, false); !ok || count == 1 && cols > 1024 {
		if b.form, ok = largeForm(c.device, rows, cols); !ok || count > 1 {
			return nil, fmt.Errorf("cuda: %d problems of %d×%d are too large for the card", count, rows, cols)
		}
	}
	if err := b.allocate(); err != nil {
		_ = b.Free()
		return nil, err
	}
	return b, nil
}

// allocate lays out the memory and writes the table.
func (b *Batch) allocate() error {
	d := b.card.device
	n := b.Count
	b.at.v = align(n * problemSize)
	b.at.u = b.at.v + align(4*n*b.Cols)
	b.at.colOf = b.at.u + align(4*n*b.Rows)
	b.at.counts = b.at.colOf + align(4*n*b.Rows)
	b.at.proof = b.at.counts + align(4*n*countsLen)
	b.at.end = b.at.proof + 16*n*b.Rows
	var err error
	if b.stream, err = d.NewStream(); err != nil {
		return err
	}
	if err := b.cost.Resize(d, b.costBytes(n)); err != nil {
		return err
	}
	if n := padded(b.Cols); n > b.Cols {
		cost := cuda.View[float32](&b.cost, 0, b.Count*b.Rows*n)
		for end := n; end <= len(cost); end += n {
			for e := end - n + b.Cols; e < end; e++ {
				cost[e] = float32(math.Inf(1))
			}
		}
	}
	if err := b.io.Resize(d, b.at.end); err != nil {
		return err
	}
	if err := b.memory.Resize(d, b.form.memory); err != nil {
		return err
	}
	return nil
}

// Free gives the memory of the batch back.
func (b *Batch) Free() error {
	var first error
	for _, buffer := range []*cuda.Buffer{&b.cost, &b.io, &b.memory} {
		if err := buffer.Free(); first == nil {
			first = err
		}
	}
	if err := b.stream.Free(); first == nil {
		first = err
	}
	b.stream = nil
	return first
}

// Row is the host's image of the costs of row r of problem i, for the caller to
// fill; +Inf is a pair that is not allowed. Upload makes the card see it.
func (b *Batch) Row(i, r int) []float32 {
	return cuda.View[float32](&b.cost, 4*(i*b.Rows+r)*padded(b.Cols), b.Cols)
}

// Upload copies the costs of all problems to the card.
func (b *Batch) Upload() error { return b.stream.Push(&b.cost, 0, b.costBytes(b.Count)) }

// costBytes is the size of the costs of n problems, in whose rows numbers follow
// that make them begin at multiples of 16 bytes.
func (b *Batch) costBytes(n int) int { return 4 * n * b.Rows * padded(b.Cols) }

// Solve solves all problems and waits for the answers. When warm, it starts from
// the prices and pairs of the last Solve, which any costs may have followed. The
// error names a problem that has no assignment; the others are solved. Whether
// the costs were numbers is for Prove to say.
func (b *Batch) Solve(ctx context.Context, warm bool) error {
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
func (b *Batch) launch(warm bool) error {
	table := cuda.View[problem](&b.io, 0, b.Count)
	for i := range table {
		p := problem{
			cost:   b.cost.Address(b.costBytes(i)),
			u:      b.io.Address(b.at.u + 4*i*b.Rows),
			v:      b.io.Address(b.at.v + 4*i*b.Cols),
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
func (b *Batch) run() error {
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
func (b *Batch) ColOf(i int) []int32 {
	return cuda.View[int32](&b.io, b.at.colOf+4*i*b.Rows, b.Rows)
}

// Prices are those of the rows and columns of problem i, by the last Solve. They
// are optimal up to the rounding of float32.
func (b *Batch) Prices(i int) (u, v []float32) {
	return cuda.View[float32](&b.io, b.at.u+4*i*b.Rows, b.Rows), cuda.View[float32](&b.io, b.at.v+4*i*b.Cols, b.Cols)
}

// Stats counts the work on problem i.
func (b *Batch) Stats(i int) mapsolver.Stats {
	c := b.counts(i)
	return mapsolver.Stats{RowsScanned: b.Rows + int(c[1]+c[4]), Augmented: int(c[5]), Bids: int(c[1])}
}

func (b *Batch) counts(i int) []int32 {
	return cuda.View[int32](&b.io, b.at.counts+4*i*countsLen, countsLen)
}

// Prove returns what proves the answer to each problem. The card takes the
// differences of costs and prices in float64, the host checks that the pairs are a
// matching and adds up. The error names a row without a pair, or one with a cost
// that is NaN or -Inf.
func (b *Batch) Prove() ([]Proof, error) {
	k, err := b.card.kernel("prove_f32")
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
func (b *Batch) add(proof *Proof, i int, taken []bool) error {
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
