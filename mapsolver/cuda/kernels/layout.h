// Code generated from mapsolver/cuda/layout.go by go test -update. DO NOT EDIT.
#pragma once
#include "internal/cuda/kernels/device.h"

const int WARM = 1; // flag: v holds prices, colOf the columns that rows had
const int OPEN = 2; // flag: columns may stay free at no cost: prices are at most 0
const int NONE = -1; // in colOf: no column yet
const int MISS = -2; // in colOf: the row stays free at its miss cost
const int UNSERVED = 1; // status: some row found no column
const int MEETING = 2048; // bytes of shared memory in which warps meet: 64 offers
const int TIGHT = 64; // columns in the list of a row: two for each lane
const int ZEROS = 0; // flag of a matrix: how many zeros are listed
const int AGAIN = 1; // a sweep has primed a zero
const int FOUND = 2; // a path has been found
const int STARS = 3; // how many columns have a star
const int ARRIVED = 4; // blocks at the barrier of a grid
const int FLAGS = 5;
const int LOPES = 0; // forms of the Hungarian method, each with what those before it have
const int REDUCED = 1;
const int FUSED = 2;
const int COOPERATIVE = 3;
const int REGISTER = 4;
const int BARRIER = 5;
const int AGGREGATED = 6;
const int EUCLIDEAN = 0; // metrics of points
const int SQUARED = 1;

// A Problem is one assignment problem with rows rows and columns columns, to be
// minimised; addresses are those on the card. Sparse problems list, for row r, the columns
// column[e] at cost[e] for start[r] <= e < start[r+1]. Dense ones have all columns in each
// row, and +Inf where a pair is forbidden; their rows are of padded(columns) numbers, the
// last of them +Inf, and begin at a multiple of 16 bytes.
template <typename Real> struct Problem {
	const Real *cost;
	const int *start; // rows+1; dense: null
	const int *column; // dense: null
	const Real *miss; // rows, cost of leaving a row free; null: not allowed
	Real *u; // out: row prices
	Real *v; // column prices
	int *colOf; // rows: column, MISS or NONE
	int *counts; // out: status, bids, rounds, levels, rows scanned, paths
	char *memory; // of large problems: where their State is
	int rows;
	int columns;
	int flags;
	int unused1;
};
namespace layoutOfProblem {
typedef Problem<double> S;
static_assert(sizeof(S) == 88, "Go and C++ differ in the size of Problem");
static_assert(__builtin_offsetof(S, cost) == 0 &&
	__builtin_offsetof(S, start) == 8 &&
	__builtin_offsetof(S, column) == 16 &&
	__builtin_offsetof(S, miss) == 24 &&
	__builtin_offsetof(S, u) == 32 &&
	__builtin_offsetof(S, v) == 40 &&
	__builtin_offsetof(S, colOf) == 48 &&
	__builtin_offsetof(S, counts) == 56 &&
	__builtin_offsetof(S, memory) == 64 &&
	__builtin_offsetof(S, rows) == 72 &&
	__builtin_offsetof(S, columns) == 76 &&
	__builtin_offsetof(S, flags) == 80 &&
	__builtin_offsetof(S, unused1) == 84,
	"Go and C++ differ in the places of the fields of Problem");
}

// A Tuning bounds the bidding.
struct Tuning {
	int bidsPerRow; // bids without epsilon, over rows
	int leave; // rows that bidding may leave to the searches
	int phases; // rounds of bidding with epsilon; 0: none
	float epsilon; // of the first round, over the mean gap of the first bids
	float ratio; // of the epsilons of two rounds
};
namespace layoutOfTuning {
typedef Tuning S;
static_assert(sizeof(S) == 20, "Go and C++ differ in the size of Tuning");
static_assert(__builtin_offsetof(S, bidsPerRow) == 0 &&
	__builtin_offsetof(S, leave) == 4 &&
	__builtin_offsetof(S, phases) == 8 &&
	__builtin_offsetof(S, epsilon) == 12 &&
	__builtin_offsetof(S, ratio) == 16,
	"Go and C++ differ in the places of the fields of Tuning");
}

// A Task asks for solutions.
template <typename Real> struct Task {
	const Problem<Real> *problems;
	Tuning tuning;
};
namespace layoutOfTask {
typedef Task<double> S;
static_assert(sizeof(S) == 32, "Go and C++ differ in the size of Task");
static_assert(__builtin_offsetof(S, problems) == 0 &&
	__builtin_offsetof(S, tuning) == 8,
	"Go and C++ differ in the places of the fields of Task");
}

// A ProofTask asks for what proves the answers to problems that all have rows rows: for
// each row the least cost less price and the cost of its pair, in float64, NaN when the row
// has a number that is no cost.
template <typename Real> struct ProofTask {
	const Problem<Real> *problems;
	double *proof; // 2 for each row
	int rows;
	int allRows;
};
namespace layoutOfProofTask {
typedef ProofTask<double> S;
static_assert(sizeof(S) == 24, "Go and C++ differ in the size of ProofTask");
static_assert(__builtin_offsetof(S, problems) == 0 &&
	__builtin_offsetof(S, proof) == 8 &&
	__builtin_offsetof(S, rows) == 16 &&
	__builtin_offsetof(S, allRows) == 20,
	"Go and C++ differ in the places of the fields of ProofTask");
}

// A Matrix is a square problem of n rows and columns for the Hungarian kernels. Numbers of
// entries are stored column by column, as [1] has them: entry (r, c) is c*n + r.
struct Matrix {
	double *slack; // n*n: costs, of which all but the tree make slacks
	double *u; // n
	double *v; // n
	u64 *least; // blocks+1: keys of least slacks of blocks, then of all
	double *reach; // n; tree: least slack of each row in the columns so far
	int *from; // n; tree: the column of that slack
	int *colOf; // n
	int *rowOf; // n
	int *prime; // n: column of the primed zero of a row
	int *green; // n: row of the green zero of a column
	int *rowCovered; // n
	int *colCovered; // n
	int *zeros; // n*n: entries without slack, those of bin b from b*binColumns*n on, where a bin has columns or rows; tree: two lists of n columns
	int *binZeros; // bins: how many are listed; tree: in each list
	int *flags; // FLAGS
	int n;
	int binColumns; // columns of a bin
	int bins;
	int blocks; // that wrote to least
	int repeat; // whether a block goes on with its own zeros before all meet
	int turn; // tree: the list to look at
	int byRows; // whether a bin has the zeros of rows, not of columns
	int unused1;
};
namespace layoutOfMatrix {
typedef Matrix S;
static_assert(sizeof(S) == 152, "Go and C++ differ in the size of Matrix");
static_assert(__builtin_offsetof(S, slack) == 0 &&
	__builtin_offsetof(S, u) == 8 &&
	__builtin_offsetof(S, v) == 16 &&
	__builtin_offsetof(S, least) == 24 &&
	__builtin_offsetof(S, reach) == 32 &&
	__builtin_offsetof(S, from) == 40 &&
	__builtin_offsetof(S, colOf) == 48 &&
	__builtin_offsetof(S, rowOf) == 56 &&
	__builtin_offsetof(S, prime) == 64 &&
	__builtin_offsetof(S, green) == 72 &&
	__builtin_offsetof(S, rowCovered) == 80 &&
	__builtin_offsetof(S, colCovered) == 88 &&
	__builtin_offsetof(S, zeros) == 96 &&
	__builtin_offsetof(S, binZeros) == 104 &&
	__builtin_offsetof(S, flags) == 112 &&
	__builtin_offsetof(S, n) == 120 &&
	__builtin_offsetof(S, binColumns) == 124 &&
	__builtin_offsetof(S, bins) == 128 &&
	__builtin_offsetof(S, blocks) == 132 &&
	__builtin_offsetof(S, repeat) == 136 &&
	__builtin_offsetof(S, turn) == 140 &&
	__builtin_offsetof(S, byRows) == 144 &&
	__builtin_offsetof(S, unused1) == 148,
	"Go and C++ differ in the places of the fields of Matrix");
}

// A Near is the nearest column of a block: at equal distance one without a row, then the one of
// the smallest number. NONE: all are final.
struct Near {
	double dist;
	double price;
	int column;
	int pred;
};
namespace layoutOfNear {
typedef Near S;
static_assert(sizeof(S) == 24, "Go and C++ differ in the size of Near");
static_assert(__builtin_offsetof(S, dist) == 0 &&
	__builtin_offsetof(S, price) == 8 &&
	__builtin_offsetof(S, column) == 16 &&
	__builtin_offsetof(S, pred) == 20,
	"Go and C++ differ in the places of the fields of Near");
}

// A Scan relaxes the columns lo to hi-1 of one card by a row, whose costs it computes: a step of a
// shortest path from a row of the search to all columns. Each block says which of its
// columns is nearest.
struct Scan {
	const double *point; // dims: the point of the row
	const double *to; // points of the columns: coordinate k of column j at k*n + j
	double *v; // n; of columns that are final, -Inf
	double *dist; // n; of columns that are final, +Inf
	int *pred; // n: the row before each column
	int *taken; // n: whether the column has a row
	Near *near; // blocks, in memory of the host
	double shift; // what is added to cost less price
	int n;
	int dims;
	int metric;
	int row;
	int first; // whether the search begins
	int final; // the column that is final from now on; NONE: there is none
	int lo;
	int hi;
};
namespace layoutOfScan {
typedef Scan S;
static_assert(sizeof(S) == 96, "Go and C++ differ in the size of Scan");
static_assert(__builtin_offsetof(S, point) == 0 &&
	__builtin_offsetof(S, to) == 8 &&
	__builtin_offsetof(S, v) == 16 &&
	__builtin_offsetof(S, dist) == 24 &&
	__builtin_offsetof(S, pred) == 32 &&
	__builtin_offsetof(S, taken) == 40 &&
	__builtin_offsetof(S, near) == 48 &&
	__builtin_offsetof(S, shift) == 56 &&
	__builtin_offsetof(S, n) == 64 &&
	__builtin_offsetof(S, dims) == 68 &&
	__builtin_offsetof(S, metric) == 72 &&
	__builtin_offsetof(S, row) == 76 &&
	__builtin_offsetof(S, first) == 80 &&
	__builtin_offsetof(S, final) == 84 &&
	__builtin_offsetof(S, lo) == 88 &&
	__builtin_offsetof(S, hi) == 92,
	"Go and C++ differ in the places of the fields of Scan");
}

// A Settling sets the prices of columns of one card after a search.
struct Settling {
	const Near *list; // of the host: columns and their prices
	double *v;
	int *taken;
	int count;
	int sink; // the column that has a row from now on
	int lo;
	int hi;
};
namespace layoutOfSettling {
typedef Settling S;
static_assert(sizeof(S) == 40, "Go and C++ differ in the size of Settling");
static_assert(__builtin_offsetof(S, list) == 0 &&
	__builtin_offsetof(S, v) == 8 &&
	__builtin_offsetof(S, taken) == 16 &&
	__builtin_offsetof(S, count) == 24 &&
	__builtin_offsetof(S, sink) == 28 &&
	__builtin_offsetof(S, lo) == 32 &&
	__builtin_offsetof(S, hi) == 36,
	"Go and C++ differ in the places of the fields of Settling");
}

// A Survey asks for the least and the second least of cost less price of the points lo to hi-1
// of one set over all points of the other, each by a block.
struct Survey {
	const double *from; // point i at i*dims
	const double *to; // as in a scan
	const double *v; // n
	double *least; // point i: at 2*i and 2*i+1
	int n;
	int dims;
	int metric;
	int lo;
	int hi;
	int unused1;
};
namespace layoutOfSurvey {
typedef Survey S;
static_assert(sizeof(S) == 56, "Go and C++ differ in the size of Survey");
static_assert(__builtin_offsetof(S, from) == 0 &&
	__builtin_offsetof(S, to) == 8 &&
	__builtin_offsetof(S, v) == 16 &&
	__builtin_offsetof(S, least) == 24 &&
	__builtin_offsetof(S, n) == 32 &&
	__builtin_offsetof(S, dims) == 36 &&
	__builtin_offsetof(S, metric) == 40 &&
	__builtin_offsetof(S, lo) == 44 &&
	__builtin_offsetof(S, hi) == 48 &&
	__builtin_offsetof(S, unused1) == 52,
	"Go and C++ differ in the places of the fields of Survey");
}
