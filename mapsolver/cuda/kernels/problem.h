// This file lays out a problem as the host hands it over, and the two ways in
// which its costs are stored. mapsolver/cuda/layout.go mirrors it.
#pragma once
#include "device.h"

// What the host asks for, and what it is told.
const int WARM = 1;       // v holds prices, colOf the columns that rows had
const int OPEN = 2;       // columns may stay free at no cost: prices are at most 0
const int MISS = -2;      // in colOf: the row stays free at its miss cost
const int UNSERVED = 1;   // status: some row found no column

// A Problem is one assignment problem with rows rows and columns columns, to be
// minimised. Sparse problems list, for row r, the columns column[e] at cost[e]
// for start[r] <= e < start[r+1]; dense ones have all columns in each row, and
// +Inf where a pair is forbidden.
template <typename Real> struct Problem {
	const Real *cost;
	const int *start;  // rows+1; dense: null
	const int *column; // dense: null
	const Real *miss;  // rows, cost of leaving a row free; null: not allowed
	Real *u;           // out: row prices
	Real *v;           // column prices
	int *colOf;        // rows: column, MISS or NONE
	int *counts;       // out: status, bids, rounds, levels, rows scanned, paths
	char *memory;      // cluster only: its State
	int rows, columns;
	int flags;
	int unused;
};

// A Tuning bounds the bidding.
struct Tuning {
	int bidsPerRow; // bids without epsilon, over rows
	int leave;      // rows that bidding may leave to the searches
	int phases;     // rounds of bidding with epsilon; 0: none
	float epsilon;  // of the first round, over the mean gap of the first bids
	float ratio;    // of the epsilons of two rounds
};

template <typename Real> struct Task {
	const Problem<Real> *problems;
	Tuning tuning;
};

template <typename Real> struct Dense {
	const Real *cost;
	int columns;

	METHOD explicit Dense(const Problem<Real> &p) : cost(p.cost), columns(p.columns) {}
	METHOD long begin(int r) const { return (long)r * columns; }
	METHOD int size(int) const { return columns; }
	METHOD int column(long, int k) const { return k; }
	METHOD Real at(long e) const { return constant(cost + e); }
};

template <typename Real> struct Sparse {
	const Real *cost;
	const int *start, *columns;

	METHOD explicit Sparse(const Problem<Real> &p) : cost(p.cost), start(p.start), columns(p.column) {}
	METHOD long begin(int r) const { return constant(start + r); }
	METHOD int size(int r) const { return constant(start + r + 1) - constant(start + r); }
	METHOD int column(long e0, int k) const { return constant(columns + e0 + k); }
	METHOD Real at(long e) const { return constant(cost + e); }
};
