package cuda

import "mtt/internal/cuda"

// This file lays out what host and kernels share. Kernels have it from
// kernels/layout.h, which a test generates from here.

// A problem is one assignment problem with rows rows and columns columns, to be
// minimised; addresses are those on the card. Sparse problems list, for row r, the columns
// column[e] at cost[e] for start[r] <= e < start[r+1]. Dense ones have all columns in each
// row, and +Inf where a pair is forbidden; their rows are of padded(columns) numbers, the
// last of them +Inf, and begin at a multiple of 16 bytes.
type problem struct {
	cost    uintptr `c:"const Real *"`
	start   uintptr `c:"const int *"`  // rows+1; dense: null
	column  uintptr `c:"const int *"`  // dense: null
	miss    uintptr `c:"const Real *"` // rows, cost of leaving a row free; null: not allowed
	u       uintptr `c:"Real *"`       // out: row prices
	v       uintptr `c:"Real *"`       // column prices
	colOf   uintptr `c:"int *"`        // rows: column, MISS or NONE
	counts  uintptr `c:"int *"`        // out: status, bids, rounds, levels, rows scanned, paths
	memory  uintptr `c:"char *"`       // of large problems: where their State is
	rows    int32
	columns int32
	flags   int32
	_       int32
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

// countsLen is how many numbers are in counts.
const countsLen = 6

// A tuning bounds the bidding.
type tuning struct {
	bidsPerRow int32   // bids without epsilon, over rows
	leave      int32   // rows that bidding may leave to the searches
	phases     int32   // rounds of bidding with epsilon; 0: none
	epsilon    float32 // of the first round, over the mean gap of the first bids
	ratio      float32 // of the epsilons of two rounds
}

// A task asks for solutions.
type task struct {
	problems uintptr `c:"const Problem<Real> *"`
	tuning
}

// A proofTask asks for what proves the answers to problems that all have rows rows: for
// each row the least cost less price and the cost of its pair, in float64, NaN when the row
// has a number that is no cost.
type proofTask struct {
	problems uintptr `c:"const Problem<Real> *"`
	proof    uintptr `c:"double *"` // 2 for each row
	rows     int32
	allRows  int32
}

// A matrix is a square problem of n rows and columns for the Hungarian kernels. Numbers of
// entries are stored column by column, as [1] has them: entry (r, c) is c*n + r.
type matrix struct {
	slack      uintptr `c:"double *"` // n*n: costs, of which all but the tree make slacks
	u          uintptr `c:"double *"` // n
	v          uintptr `c:"double *"` // n
	least      uintptr `c:"u64 *"`    // blocks+1: keys of least slacks of blocks, then of all
	reach      uintptr `c:"double *"` // n; tree: least slack of each row in the columns so far
	from       uintptr `c:"int *"`    // n; tree: the column of that slack
	colOf      uintptr `c:"int *"`    // n
	rowOf      uintptr `c:"int *"`    // n
	prime      uintptr `c:"int *"`    // n: column of the primed zero of a row
	green      uintptr `c:"int *"`    // n: row of the green zero of a column
	rowCovered uintptr `c:"int *"`    // n
	colCovered uintptr `c:"int *"`    // n
	zeros      uintptr `c:"int *"`    // n*n: entries without slack, those of bin b from b*binColumns*n on, where a bin has columns or rows; tree: two lists of n columns
	binZeros   uintptr `c:"int *"`    // bins: how many are listed; tree: in each list
	flags      uintptr `c:"int *"`    // FLAGS
	n          int32
	binColumns int32 // columns of a bin
	bins       int32
	blocks     int32 // that wrote to least
	repeat     int32 // whether a block goes on with its own zeros before all meet
	turn       int32 // tree: the list to look at
	byRows     int32 // whether a bin has the zeros of rows, not of columns
	_          int32
}

// Flags of a matrix, by their place.
const (
	zerosFlag = iota
	againFlag
	foundFlag
	starsFlag
	arrivedFlag
	flagsLen
)

// A scan relaxes the columns lo to hi-1 of one card by a row, whose costs it computes: a step of a
// shortest path from a row of the search to all columns. Each block says which of its
// columns is nearest.
type scan struct {
	point  uintptr `c:"const double *"` // dims: the point of the row
	to     uintptr `c:"const double *"` // points of the columns: coordinate k of column j at k*n + j
	v      uintptr `c:"double *"`       // n; of columns that are final, -Inf
	dist   uintptr `c:"double *"`       // n; of columns that are final, +Inf
	pred   uintptr `c:"int *"`          // n: the row before each column
	taken  uintptr `c:"int *"`          // n: whether the column has a row
	near   uintptr `c:"Near *"`         // blocks, in memory of the host
	shift  float64 // what is added to cost less price
	n      int32
	dims   int32
	metric int32
	row    int32
	first  int32 // whether the search begins
	final  int32 // the column that is final from now on; NONE: there is none
	lo     int32
	hi     int32
}

// A near is the nearest column of a block: at equal distance one without a row, then the one of
// the smallest number. NONE: all are final.
type near struct {
	dist   float64
	price  float64
	column int32
	pred   int32
}

// A settling sets the prices of columns of one card after a search.
type settling struct {
	list  uintptr `c:"const Near *"` // of the host: columns and their prices
	v     uintptr `c:"double *"`
	taken uintptr `c:"int *"`
	count int32
	sink  int32 // the column that has a row from now on
	lo    int32
	hi    int32
}

// A survey asks for the least and the second least of cost less price of the points lo to hi-1
// of one set over all points of the other, each by a block.
type survey struct {
	from   uintptr `c:"const double *"` // point i at i*dims
	to     uintptr `c:"const double *"` // as in a scan
	v      uintptr `c:"const double *"` // n
	least  uintptr `c:"double *"`       // point i: at 2*i and 2*i+1
	n      int32
	dims   int32
	metric int32
	lo     int32
	hi     int32
	_      int32
}

// meeting is the shared memory in which warps meet, in bytes: 64 offers, which is enough for
// a cluster too.
const meeting = 2048

// tightColumns are the columns in the list of a row of a large problem: two for each lane.
const tightColumns = 64

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

// tightBytes is what the State of a large problem has besides, tightColumns and four
// numbers for each row.
func tightBytes(rows int) int { return 4 * rows * (tightColumns + 4) }

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
