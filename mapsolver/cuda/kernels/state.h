// This file holds what a team knows of its problem: in shared memory when the team
// is a block, in global memory when it is a cluster. stateBytes in
// mapsolver/cuda/layout.go adds up the same.
#pragma once
#include "problem.h"

template <typename Real> struct State {
	Real *v;      // columns: prices
	u64 *bid;     // columns: best bid of the round
	Real *slot;   // columns, sparse only: where lanes hand each other costs
	Real *offset; // columns: of the rows in front, what their entries add to
	Real *u;      // rows: prices
	Real *gap;    // warps: sums of the first bids
	int *rowOf;   // columns: row or NONE
	int *front;   // columns: rows to expand; after a search, the row before each column
	int *colOf;   // rows: column, MISS or NONE
	int *queue;   // rows: a ring of those that wait to bid, then a list
	int *evicted; // warps: row that has to bid again
	int *ties;    // warps: first bids whose two best were equal
	int *count;   // 4: of rows in front, for two steps in turn

	// Of large problems only, for tight.h.
	int *tight; // rows, TIGHT of each: columns; null in other problems
	int *root;  // rows: the row from which its tree grows
	u32 *sink;  // rows: the least free column that its tree has reached
	int *rows;  // rows: a list
	int *left;  // rows: another

	// place lays the arrays out; v is padded with zeros to a multiple of 4.
	METHOD void place(char *m, int rows, int columns, int warps, bool sparse, bool large = false) {
		v = (Real *)m, m += sizeof(Real) * padded(columns);
		bid = (u64 *)m, m += 8 * columns;
		slot = (Real *)m, m += sparse ? sizeof(Real) * columns : 0;
		offset = (Real *)m, m += sizeof(Real) * columns;
		u = (Real *)m, m += sizeof(Real) * rows;
		gap = (Real *)m, m += sizeof(Real) * warps;
		rowOf = (int *)m, m += 4 * columns;
		front = (int *)m, m += 4 * columns;
		colOf = (int *)m, m += 4 * rows;
		queue = (int *)m, m += 4 * rows;
		evicted = (int *)m, m += 4 * warps;
		ties = (int *)m, m += 4 * warps;
		count = (int *)m, m += 16;
		tight = large ? (int *)m : nullptr, m += 4 * TIGHT * (long)rows;
		root = (int *)m, m += 4 * rows;
		sink = (u32 *)m, m += 4 * rows;
		this->rows = (int *)m, m += 4 * rows;
		left = (int *)m;
	}
};

// A Work counts.
struct Work {
	int status, bids, rounds, levels, scanned, paths;
};
