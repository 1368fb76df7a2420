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

// meeting is MEETING of kernels/block.cu, exchange EXCHANGE of kernels/cluster.cu.
const (
	meeting  = 1024
	exchange = 1024
)

// stateBytes is the size of State of kernels/state.h: words of real bytes.
func stateBytes(rows, columns, warps, real int, sparse bool) int {
	n := columns*(8+2*real+8) + rows*(real+8) + warps*(real+8) + 16
	if sparse {
		n += columns * real
	}
	return n
}

// A form is a kernel with a number of threads: what solves problems of a size.
type form struct {
	kernel  string
	threads int
	shared  int // bytes
	cluster int // blocks; 0: one block a problem
	memory  int // bytes of global memory for the state
}

// formOf chooses how a block solves a problem with reals of real bytes; false: no
// block can.
//
// Dense: a thread has one column up to 128 columns, where more warps bid for more
// rows at once; above, two. Sparse: a warp for 64 columns, of which a thread then
// has two.
func formOf(d *cuda.Device, rows, columns, real int, sparse bool) (form, bool) {
	suffix := map[int]string{4: "_f32", 8: "_f64"}[real]
	var f form
	switch warps := (columns + 31) / 32; {
	case sparse && columns <= 4096:
		f = form{kernel: "sparse4" + suffix, threads: 32 * min(max((columns+63)/64, 1), 32)}
	case !sparse && warps <= 4:
		f = form{kernel: "dense1" + suffix, threads: 32 * max(warps, 1)}
	case !sparse && warps <= 32:
		f = form{kernel: "dense2" + suffix, threads: 32 * max((warps+1)/2, 8)}
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
	const blocks = 16
	f := form{kernel: "wide8_f32", threads: 1024, shared: meeting}
	warps := f.threads / 32
	if d.Major >= 9 {
		f = form{kernel: "cluster1_c32", threads: 512, shared: meeting, cluster: blocks}
		if columns > blocks*512 {
			f.threads = 1024
		}
		if columns > blocks*1024 {
			f.kernel = "cluster2_c32"
		}
		warps = blocks * f.threads / 32
	}
	f.memory = exchange + stateBytes(rows, columns, warps, 4, false)
	return f, columns <= 8*1024 || d.Major >= 9 && columns <= 2*blocks*1024
}
