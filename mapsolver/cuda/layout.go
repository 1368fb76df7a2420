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

// A task is Task of kernels/problem.h.
type task struct {
	problems uintptr
	tuning
}

// meeting is MEETING of kernels/block.cu.
const meeting = 1024

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
