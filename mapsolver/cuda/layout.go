package cuda

import "mtt/internal/cuda"

// This file mirrors the layouts of kernels/problem.h and kernels/state.h.

// A problem is Problem of kernels/problem.h: addresses on the card.
type problem struct {
	cost, start, column, miss uintptr
	u, v, colOf, counts       uintptr
	memory                    uintptr
	rows, columns             int32
	flags                     int32
	_                         int32
}

const problemSize = 88

// Flags of a problem, and marks in colOf and counts[0].
const (
	flagWarm = 1
	flagOpen = 2

	none = -1
	miss = -2

	unserved = 1
)

// counts are what a kernel tells of a solve: status, bids, rounds of bids, levels
// of searches, rows scanned, paths.
const countsLen = 6

// A tuning is Tuning of kernels/problem.h.
type tuning struct {
	bidsPerRow, leave, phases int32
	epsilon, ratio            float32
}

// A proofTask is ProofTask of kernels/block.cu.
type proofTask struct {
	problems, proof uintptr
	rows, allRows   int32
}

// A task is Task of kernels/problem.h.
type task struct {
	problems uintptr
	tuning
}

// meeting is MEETING of kernels/block.cu, which is enough for a cluster too.
const meeting = 2048

// padded is how many numbers a dense row has: a multiple of four.
func padded(columns int) int { return (columns + 3) &^ 3 }

// stateBytes is the size of State of kernels/state.h: words of real bytes.
func stateBytes(rows, columns, warps, real int, sparse bool) int {
	n := padded(columns)*real + columns*(8+real+8) + rows*(real+8) + warps*(real+8) + 16
	if sparse {
		n += columns * real
	}
	return n
}

// tightBytes is what the State of a large problem has besides, TIGHT columns and four
// numbers for each row.
func tightBytes(rows int) int { return 4 * rows * (64 + 4) }

// A form is a kernel with a number of threads and a tuning: what solves problems of
// a size.
type form struct {
	kernel  string
	threads int
	shared  int // bytes
	cluster int // blocks; 0: one block a problem
	memory  int // bytes of global memory for the state
	tuning  tuning
}

// Tunings: of dense problems of up to 128 columns, of other problems that a block
// solves, and of larger ones. They are the fastest, on the whole, of some forty
// that were timed on the costs of docs/gpu.md.
var (
	tuningSmall  = tuning{bidsPerRow: 4, leave: 2}
	tuningMedium = tuning{bidsPerRow: 2, leave: 2, phases: 2, epsilon: 0.5, ratio: 0.25}
	tuningLarge  = tuning{bidsPerRow: 2, leave: 8, phases: 4, epsilon: 1, ratio: 0.4}
)

// formOf chooses how a block solves a problem with reals of real bytes, which are 8
// for a sparse one; false: no block can. A thread has one column, or four of a
// sparse problem of more than 1024.
func formOf(d *cuda.Device, rows, columns, real int, sparse bool) (form, bool) {
	f := form{threads: max((columns+31)&^31, 32), tuning: tuningMedium}
	if columns <= 128 && !sparse {
		f.tuning = tuningSmall
	}
	switch {
	case sparse && f.threads <= 1024:
		f.kernel = "sparse1_f64"
	case sparse && f.threads <= 4096:
		f.kernel = "sparse4_f64"
		f.threads = min((f.threads/2+31)&^31, 1024)
	case !sparse && f.threads <= 1024 && real == 4:
		f.kernel = "dense1_f32"
	case !sparse && f.threads <= 1024:
		f.kernel = "dense1_f64"
	default:
		return form{}, false
	}
	f.shared = meeting + stateBytes(rows, columns, f.threads/32, real, sparse)
	return f, f.shared <= d.SharedMemory
}

// largeForm chooses how one dense float32 problem is solved that no block has
// shared memory for: by a cluster of 16 blocks where the card has them, else by a
// block whose state is in global memory. False: too large for both.
func largeForm(d *cuda.Device, rows, columns int) (form, bool) {
	const blocks, threads = 16, 512
	f := form{kernel: "wide16_w32", threads: threads, shared: meeting, tuning: tuningLarge}
	warps, most := threads/32, 16*threads
	if d.Major >= 9 {
		f.cluster = blocks
		warps, most = blocks*warps, 4*blocks*threads
		switch {
		case columns <= blocks*threads:
			f.kernel = "cluster1_c32"
		case columns <= 2*blocks*threads:
			f.kernel = "cluster2_c32"
		default:
			f.kernel = "cluster4_c32"
		}
	}
	f.memory = stateBytes(rows, columns, warps, 4, false) + tightBytes(rows)
	return f, columns <= most
}
