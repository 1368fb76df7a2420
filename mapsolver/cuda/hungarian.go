package cuda

import (
	"context"
	"math"
	"time"

	"mtt/internal/cuda"
	"mtt/mapsolver"
	"mtt/mapsolver/hungarian"
	"mtt/mapsolver/ssp"
)

// This file drives the Hungarian kernels of published programs, for comparison.

// A HungarianForm is a published program for cards, or how far one has been improved. Each
// form up to Barrier has what those before it have.
type HungarianForm int

// The forms. The words "optimization n" are those of [2].
const (
	// Lopes is the program of [1]: a launch for each step, between which the host looks at
	// flags, and a counter of all zeros that every thread adds to.
	Lopes       HungarianForm = iota
	Reduced                   // the zeros of the bins are added up by a reduction: optimization 0
	Fused                     // prices change and zeros are listed in one kernel: optimization 1
	Cooperative               // one launch for all, in which blocks wait for each other: optimization 2
	Register                  // a slack is read once: optimization 3
	Barrier                   // warps keep pace while they list zeros: optimization 4, all of [2]
	Aggregated                // a warp's zeros take their places in the list together; ours
	DateNagi                  // the alternating forests of [3], a launch for each level
	forms       int           = iota
)

// String is the name of the form.
func (f HungarianForm) String() string {
	if f < 0 || int(f) >= forms {
		return "unknown form"
	}
	return [forms]string{
		"lopes", "reduced", "fused", "cooperative", "register", "barrier", "aggregated", "date-nagi",
	}[f]
}

// A StepFour is a way of the forms up to Fused through step 4, in which rows are covered and columns
// uncovered until a path is found or all zeros are covered.
type StepFour int

// The ways. A to C are those of [1, appendix B], where a block has the zeros of 512 rows, and of Columns
// rows where that is set.
const (
	InBins         StepFour = iota // a block goes on with the zeros of its columns before all meet [1, section 4.4]
	OneSweep                       // all meet after each sweep over the zeros
	RowsShared                     // A: what is covered is in shared memory, so blocks know of each other when they meet
	RowPicks                       // B: a sweep takes one zero of each row
	RowPicksShared                 // C: both
)

// A Hungarian solves problems by the Hungarian method on the card, as published programs do,
// from scratch. It is for comparisons: [Solver] is faster by far, since each change of
// prices rewrites the whole matrix here, but for DateNagi.
//
// Problems that are not square, or in which somebody may stay alone, become square ones
// of Rows+Cols. The answer is certified; what the certificate does not prove goes to
// [ssp.Solver], as do problems of more than 32,768 rows. With ties it may differ from run
// to run.
//
// It is not safe for concurrent use.
//
// [1] P. Lopes, S. Yadav, A. Ilic, S. Patra. Fast block distributed CUDA implementation
// of the Hungarian algorithm. J. Parallel and Distributed Computing 130 (2019).
//
// [2] S. Kawtikwar, Y.-H. Chang, V. Govind. Improvements to the Hungarian LAP solver.
//
// [3] K. Date, R. Nagi. GPU-accelerated Hungarian algorithms for the linear assignment
// problem. Parallel Computing 57 (2016).
type Hungarian struct {
	Form    HungarianForm
	Step4   StepFour
	Columns int // of a bin of zeros; 0: 512, as [1] has

	// Times, when it is not nil, gets what the run and each step took, added up: launches,
	// their wait and the looks of the host. Forms of one launch have no times of steps.
	Times *HungarianTimes

	blocks, threads int // 0: what suits the card

	card   *card
	stream *cuda.Stream
	buffer cuda.Buffer
	host   ssp.Solver
	square hungarian.Square
	m      matrix
	at     struct{ u, colOf, flags, end int }
}

// HungarianTimes is the time of all steps without the copy of the matrix to the card, the time
// of each step, from step 1 at index 0, and how often it was made.
type HungarianTimes struct {
	Run   time.Duration
	Step  [6]time.Duration
	Count [6]int
}

// mostHungarian is the largest matrix: its entries have numbers of 31 bits.
const mostHungarian = 32768

// Solve implements [mapsolver.Solver].
func (h *Hungarian) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	p.Check(warm)
	if h.card == nil {
		c, err := defaultCard()
		if err != nil {
			return err
		}
		h.use(c)
	}
	most, host := onHost(p)
	host = host || hungarianSize(p, most) > mostHungarian
	if !host && ctx.Err() == nil && h.card.device.Fault() == nil {
		if err := h.place(p, most); err != nil {
			return err
		}
		if err := h.run(ctx); err != nil {
			return err
		}
		if h.read(dst) {
			gap, err := mapsolver.Certify(p, dst)
			if err == nil && math.Abs(gap) <= 0x1p-46*float64(p.Rows+p.Cols)*most && gap <= mapsolver.Tolerance(p, dst) {
				return nil
			}
		}
	}
	return h.host.Solve(ctx, dst, p, warm)
}

// hungarianSize is the size of the matrix that p becomes.
func hungarianSize(p *mapsolver.Problem, most float64) int {
	q := hungarian.NewSquare(p, most)
	return q.N
}

// use makes c the card.
func (h *Hungarian) use(c *card) { h.card = c }

// Free gives the memory back that the solver keeps.
func (h *Hungarian) Free() error {
	err := h.buffer.Free()
	if e := h.stream.Free(); err == nil {
		err = e
	}
	h.stream = nil
	return err
}

// shape chooses blocks and threads for a matrix of n: as many threads as rows, up to 1024,
// and as many blocks as have room for 1024 threads on each multiprocessor.
func (h *Hungarian) shape(n int) (blocks, threads int) {
	if h.blocks > 0 {
		return h.blocks, h.threads
	}
	threads = min(max((n+31)&^31, 128), 1024)
	return h.card.device.Multiprocessors * (1024 / threads), threads
}

// place lays out p as a square matrix, column by column.
func (h *Hungarian) place(p *mapsolver.Problem, most float64) error {
	h.square = hungarian.NewSquare(p, most)
	n := h.square.N
	blocks, _ := h.shape(n)
	m := &h.m
	*m = matrix{n: int32(n), blocks: int32(blocks), repeat: 1}
	if h.Step4 == OneSweep {
		m.repeat = 0
	}
	if h.Step4 >= RowsShared && h.Form <= Fused {
		m.byRows = 1
	}
	m.binColumns = int32(h.Columns)
	if h.Columns <= 0 {
		m.binColumns = 512
	}
	m.bins = int32((n + int(m.binColumns) - 1) / int(m.binColumns))
	zeros := n * n
	if h.Form == DateNagi {
		zeros, m.bins = 2*n, 2
	}

	w := &writer{b: &h.buffer}
	size := 8*n*n + 24*n + 8*(blocks+1) + 28*n + 8*n + 4*zeros + 4*int(m.bins) + 4*flagsLen + 64
	if h.stream == nil {
		var err error
		if h.stream, err = h.card.device.NewStream(); err != nil {
			return err
		}
	}
	if err := h.buffer.Resize(h.card.device, size); err != nil {
		return err
	}
	var slack []float64
	slack, m.slack = next[float64](w, n*n)
	h.at.u = w.at
	_, m.u = next[float64](w, n)
	_, m.v = next[float64](w, n)
	h.at.colOf = w.at
	_, m.colOf = next[int32](w, n)
	h.at.flags = w.at
	_, m.flags = next[int32](w, flagsLen)
	_, m.binZeros = next[int32](w, int(m.bins))
	h.at.end = w.at
	w.at = (w.at + 7) &^ 7
	_, m.least = next[uint64](w, blocks+1)
	_, m.reach = next[float64](w, n)
	_, m.from = next[int32](w, n)
	_, m.rowOf = next[int32](w, n)
	_, m.prime = next[int32](w, n)
	_, m.green = next[int32](w, n)
	_, m.rowCovered = next[int32](w, n)
	_, m.colCovered = next[int32](w, n)
	_, m.zeros = next[int32](w, zeros)

	h.square.Costs(slack, 1, n)
	return h.stream.Push(&h.buffer, 0, 8*n*n)
}

// launch starts a kernel.
func (h *Hungarian) launch(name string) error {
	k, err := h.card.kernel(name)
	if err != nil {
		return err
	}
	var s cuda.Shape
	s.Blocks, s.Threads = h.shape(int(h.m.n))
	s.Shared = 12 * s.Threads // a real and a number for each thread
	switch name {
	case "star_h64", "countZeros_h64", "leastOfBlocks_h64", "changeTree_h64", "turn_h64":
		s.Blocks = 1
	case "prime_h64":
		s.Blocks = int(h.m.bins)
	case "primeA_h64", "primeB_h64", "primeC_h64":
		s.Blocks = int(h.m.bins)
		s.Shared = 8 + 8*int(h.m.n) + 4*int(h.m.binColumns) // flags, what is covered, picks
	}
	s.Together = h.Form >= Cooperative && h.Form < DateNagi
	return cuda.Launch(h.stream, k, s, &h.m)
}

// flags are those that the card had at the last pull, and the lengths of the lists of zeros.
func (h *Hungarian) flags() []int32 { return cuda.View[int32](&h.buffer, h.at.flags, flagsLen) }

// set gives flags a value on the card.
func (h *Hungarian) set(x int32, flags ...int) error {
	for _, f := range flags {
		h.flags()[f] = x
	}
	return h.stream.Push(&h.buffer, h.at.flags, h.at.flags+4*flagsLen)
}

// look launches kernels and waits for the flags.
func (h *Hungarian) look(step int, names ...string) error {
	begun := time.Now()
	for _, name := range names {
		if err := h.launch(name); err != nil {
			return err
		}
	}
	err := h.stream.Pull(&h.buffer, h.at.flags, h.at.flags+4*flagsLen)
	if err == nil {
		err = h.stream.Wait()
	}
	if h.Times != nil {
		h.Times.Step[step-1] += time.Since(begun)
		h.Times.Count[step-1]++
	}
	return err
}

// run solves the matrix and pulls prices and pairs.
func (h *Hungarian) run(ctx context.Context) error {
	if err := h.stream.Wait(); err != nil {
		return err
	}
	begun := time.Now()
	clear(cuda.View[int32](&h.buffer, h.at.flags, (h.at.end-h.at.flags)/4))
	if err := h.stream.Push(&h.buffer, h.at.flags, h.at.end); err != nil {
		return err
	}
	var err error
	switch h.Form {
	case DateNagi:
		err = h.forest(ctx)
	case Lopes, Reduced, Fused:
		err = h.steps(ctx)
	default:
		err = h.launch(h.Form.String() + "_h64")
	}
	if err != nil {
		return err
	}
	if err := h.stream.Pull(&h.buffer, h.at.u, h.at.flags); err != nil {
		return err
	}
	err = h.stream.Wait()
	if h.Times != nil {
		h.Times.Run += time.Since(begun)
	}
	return err
}

// Kernels that list zeros, without and with a change of prices.
var (
	listKernels = [...][]string{
		Lopes:   {"compressLopes_h64"},
		Reduced: {"compress_h64", "countZeros_h64"},
		Fused:   {"compress_h64", "countZeros_h64"},
	}
	changeKernels = [...][]string{
		Lopes:   {"leastSlack_h64", "leastOfBlocks_h64", "changeSlacks_h64", "forget_h64", "compressLopes_h64"},
		Reduced: {"leastSlack_h64", "leastOfBlocks_h64", "changeSlacks_h64", "forget_h64", "compress_h64", "countZeros_h64"},
		Fused:   {"leastSlack_h64", "leastOfBlocks_h64", "forget_h64", "change_h64", "countZeros_h64"},
	}
)

// primeKernels are those of step 4.
var primeKernels = [...]string{
	InBins: "prime_h64", OneSweep: "prime_h64", RowsShared: "primeA_h64", RowPicks: "primeB_h64", RowPicksShared: "primeC_h64",
}

// steps goes through the steps, one launch or more for each.
func (h *Hungarian) steps(ctx context.Context) error {
	if err := h.look(1, "reduceRows_h64", "reduceColumns_h64"); err != nil {
		return err
	}
	if err := h.look(6, listKernels[h.Form]...); err != nil {
		return err
	}
	if err := h.look(2, "star_h64"); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := h.set(0, starsFlag, foundFlag); err != nil {
			return err
		}
		if err := h.look(3, "cover_h64"); err != nil {
			return err
		}
		if h.flags()[starsFlag] == h.m.n {
			return nil
		}
		for h.flags()[foundFlag] == 0 && ctx.Err() == nil {
			if err := h.set(0, againFlag); err != nil {
				return err
			}
			if err := h.look(4, primeKernels[h.Step4]); err != nil {
				return err
			}
			if h.flags()[foundFlag] != 0 || h.flags()[againFlag] != 0 {
				continue
			}
			if err := h.look(6, changeKernels[h.Form]...); err != nil {
				return err
			}
		}
		if err := h.look(5, "mark_h64", "flip_h64"); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// forest goes through the steps of Date and Nagi.
func (h *Hungarian) forest(ctx context.Context) error {
	if err := h.look(1, "treeRows_h64", "treeColumns_h64"); err != nil {
		return err
	}
	if err := h.look(2, "treeStar_h64"); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := h.set(0, starsFlag, foundFlag); err != nil {
			return err
		}
		h.m.turn = 0
		if err := h.look(3, "cover_h64", "plant_h64"); err != nil {
			return err
		}
		if h.flags()[starsFlag] == h.m.n {
			return nil
		}
		for h.flags()[foundFlag] == 0 && ctx.Err() == nil {
			if err := h.set(0, againFlag); err != nil {
				return err
			}
			if err := h.look(4, "grow_h64", "turn_h64"); err != nil {
				return err
			}
			switch {
			case h.flags()[foundFlag] != 0:
			case h.flags()[againFlag] != 0:
				h.m.turn ^= 1
			default:
				if err := h.look(6, "changeTree_h64"); err != nil {
					return err
				}
			}
		}
		if err := h.look(5, "mark_h64", "flip_h64", "forget_h64"); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// read makes what the card found an answer. False: it uses a pair that there is not, or is
// not a matching.
func (h *Hungarian) read(dst *mapsolver.Solution) bool {
	n := h.square.N
	prices := cuda.View[float64](&h.buffer, h.at.u, 2*n)
	dst.Stats = mapsolver.Stats{}
	return h.square.Answer(dst, cuda.View[int32](&h.buffer, h.at.colOf, n), prices[:n], prices[n:])
}
