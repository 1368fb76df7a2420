package cuda

import (
	"context"
	"math"
	"slices"

	"mtt/internal/cuda"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// This file drives the Hungarian kernels of published programs, for comparison.

// A Hungarian solves problems by the six steps of Munkres on the card, as two published
// programs do: one launch for each step, between which the host looks at flags [1], or,
// when Fused, one cooperative launch [2]. It is for comparisons: [Solver] is faster by
// far, since each change of prices rewrites the whole matrix here.
//
// Problems that are not square, or in which somebody may stay alone, become square ones
// of Rows+Cols. The answer is certified; what the certificate does not prove goes to
// [ssp.Solver]. With ties it may differ from run to run.
//
// It is not safe for concurrent use.
//
// [1] P. Lopes, S. Yadav, A. Ilic, S. Patra. Fast block distributed CUDA implementation
// of the Hungarian algorithm. J. Parallel and Distributed Computing 130 (2019).
//
// [2] S. Kawtikwar, Y.-H. Chang, V. Govind. Improvements to the Hungarian LAP solver.
type Hungarian struct {
	Fused bool

	blocks, threads int // 0: what suits the card

	card   *card
	stream *cuda.Stream
	buffer cuda.Buffer
	host   ssp.Solver
	m      matrix
	at     struct{ u, colOf, flags, end int }
}

// Solve implements [mapsolver.Solver].
func (h *Hungarian) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	check(p, warm)
	if h.card == nil {
		c, err := defaultCard()
		if err != nil {
			return err
		}
		h.use(c)
	}
	most, host := onHost(p)
	if !host && ctx.Err() == nil && h.card.device.Fault() == nil {
		if err := h.place(p, most); err != nil {
			return err
		}
		if err := h.run(ctx); err != nil {
			return err
		}
		if h.read(dst, p) {
			gap, err := mapsolver.Certify(p, dst)
			if err == nil && math.Abs(gap) <= 0x1p-46*float64(p.Rows+p.Cols)*most {
				return nil
			}
		}
	}
	return h.host.Solve(ctx, dst, p, warm)
}

// use makes c the card, all of whose multiprocessors get a block.
func (h *Hungarian) use(c *card) {
	h.card = c
	if h.blocks == 0 {
		h.blocks, h.threads = c.device.Multiprocessors, 256
	}
}

// Free gives the memory back that the solver keeps.
func (h *Hungarian) Free() error {
	err := h.buffer.Free()
	if e := h.stream.Free(); err == nil {
		err = e
	}
	h.stream = nil
	return err
}

// place lays out p as a square matrix. A pair that is not allowed costs more than all
// others together.
func (h *Hungarian) place(p *mapsolver.Problem, most float64) error {
	n := p.Rows + p.Cols
	if p.Rows == p.Cols && allMust(p.Rows, p.MustServeRow) && allMust(p.Cols, p.MustServeCol) {
		n = p.Rows
	}
	w := &writer{b: &h.buffer}
	size := 8*n*n + 16*n + 8*h.blocks + 24*n + 4*flagsLen + 4*n*n
	if h.stream == nil {
		var err error
		if h.stream, err = h.card.device.NewStream(); err != nil {
			return err
		}
	}
	if err := h.buffer.Resize(h.card.device, size); err != nil {
		return err
	}
	m := &h.m
	m.n = int32(n)
	var slack []float64
	slack, m.slack = next[float64](w, n*n)
	h.at.u = w.at
	_, m.u = next[float64](w, n)
	_, m.v = next[float64](w, n)
	h.at.colOf = w.at
	_, m.colOf = next[int32](w, n)
	h.at.flags = w.at
	_, m.flags = next[int32](w, flagsLen)
	h.at.end = w.at
	w.at = (w.at + 7) &^ 7
	_, m.least = next[uint64](w, h.blocks)
	_, m.rowOf = next[int32](w, n)
	_, m.prime = next[int32](w, n)
	_, m.green = next[int32](w, n)
	_, m.rowCovered = next[int32](w, n)
	_, m.colCovered = next[int32](w, n)
	_, m.zeros = next[int32](w, n*n)

	never := 4*most*float64(n) + 1
	for r := range n {
		row := slack[r*n : (r+1)*n]
		miss := 0.0
		if r < p.Rows {
			miss = math.Min(p.RowBound(r), never)
		}
		for c := range row {
			switch {
			case c >= p.Cols:
				row[c] = miss
			case r < p.Rows:
				row[c] = never
			default:
				row[c] = math.Min(p.ColBound(c), never)
			}
		}
		if r < p.Rows {
			for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
				row[p.Col[e]] = p.Cost[e]
			}
		}
	}
	return h.stream.Push(&h.buffer, 0, 8*n*n)
}

// launch starts a kernel.
func (h *Hungarian) launch(name string) error {
	k, err := h.card.kernel(name)
	if err != nil {
		return err
	}
	shape := cuda.Shape{Blocks: h.blocks, Threads: h.threads, Shared: 8 * h.threads / 32, Together: h.Fused}
	return cuda.Launch(h.stream, k, shape, &h.m)
}

// flags are those that the card had at the last pull.
func (h *Hungarian) flags() []int32 { return cuda.View[int32](&h.buffer, h.at.flags, flagsLen) }

// set gives flags a value on the card.
func (h *Hungarian) set(x int32, flags ...int) error {
	for _, f := range flags {
		h.flags()[f] = x
	}
	return h.stream.Push(&h.buffer, h.at.flags, h.at.end)
}

// look launches kernels and waits for the flags.
func (h *Hungarian) look(names ...string) error {
	for _, name := range names {
		if err := h.launch(name); err != nil {
			return err
		}
	}
	if err := h.stream.Pull(&h.buffer, h.at.flags, h.at.end); err != nil {
		return err
	}
	return h.stream.Wait()
}

// run solves the matrix and pulls prices and pairs.
func (h *Hungarian) run(ctx context.Context) error {
	clear(h.flags())
	if err := h.stream.Push(&h.buffer, h.at.flags, h.at.end); err != nil {
		return err
	}
	if h.Fused {
		if err := h.launch("fused_h64"); err != nil {
			return err
		}
	} else if err := h.steps(ctx); err != nil {
		return err
	}
	if err := h.stream.Pull(&h.buffer, h.at.u, h.at.flags); err != nil {
		return err
	}
	return h.stream.Wait()
}

// steps goes through the steps, one launch for each.
func (h *Hungarian) steps(ctx context.Context) error {
	if err := h.look("reduceRows_h64", "reduceColumns_h64", "listZeros_h64", "star_h64"); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := h.set(0, starsFlag, foundFlag); err != nil {
			return err
		}
		if err := h.look("cover_h64"); err != nil {
			return err
		}
		if h.flags()[starsFlag] == h.m.n {
			return nil
		}
		for h.flags()[foundFlag] == 0 {
			if err := h.set(0, againFlag); err != nil {
				return err
			}
			if err := h.look("prime_h64"); err != nil {
				return err
			}
			if h.flags()[foundFlag] != 0 || h.flags()[againFlag] != 0 {
				continue
			}
			if err := h.set(0, zerosFlag); err != nil {
				return err
			}
			if err := h.look("forget_h64", "least_h64", "change_h64"); err != nil {
				return err
			}
		}
		if err := h.look("mark_h64", "flip_h64"); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// read makes what the card found an answer to p. False: it uses a pair that there is
// not, or is not a matching.
func (h *Hungarian) read(dst *mapsolver.Solution, p *mapsolver.Problem) bool {
	n := int(h.m.n)
	prices := cuda.View[float64](&h.buffer, h.at.u, 2*n)
	colOf := cuda.View[int32](&h.buffer, h.at.colOf, n)
	dst.ColOf, dst.RowOf = filled(dst.ColOf, p.Rows), filled(dst.RowOf, p.Cols)
	dst.EntryOf = grow(dst.EntryOf, p.Rows)
	dst.U, dst.V = grow(dst.U, p.Rows), grow(dst.V, p.Cols)
	dst.Stats = mapsolver.Stats{}

	// Any row may have any column that stands for none, so the highest price of these
	// is what it pays besides; likewise for columns.
	u, v := prices[:n], prices[n:]
	alone := func(list []float64) float64 {
		most := 0.0
		for i, x := range list {
			if i == 0 || x > most {
				most = x
			}
		}
		return most
	}
	forRows, forCols := alone(v[p.Cols:]), alone(u[p.Rows:])
	for r := range dst.U {
		dst.U[r] = u[r] + forRows
	}
	for c := range dst.V {
		dst.V[c] = v[c] + forCols
	}
	a := plan{p: p, caller: p, dst: dst}
	for r, c := range colOf[:p.Rows] {
		if c < 0 || int(c) >= n {
			return false
		}
		if int(c) < p.Cols {
			if _, ok := slices.BinarySearch(p.Col[p.Ptr[r]:p.Ptr[r+1]], c); !ok {
				return false
			}
			dst.ColOf[r], dst.RowOf[c] = c, int32(r)
		}
	}
	dst.Cost = a.addUp()
	return true
}
