// This file lays out a problem as the host hands it over, and the two ways in
// which its costs are stored. mapsolver/cuda/layout.go mirrors it.
#pragma once
#include "internal/cuda/kernels/device.h"

// What the host asks for, and what it is told.
const int WARM = 1;       // v holds prices, colOf the columns that rows had
const int OPEN = 2;       // columns may stay free at no cost: prices are at most 0
const int MISS = -2;      // in colOf: the row stays free at its miss cost
const int UNSERVED = 1;   // status: some row found no column

// A Problem is one assignment problem with rows rows and columns columns, to be
// minimised. Sparse problems list, for row r, the columns column[e] at cost[e]
// for start[r] <= e < start[r+1]. Dense ones have all columns in each row, and
// +Inf where a pair is forbidden; their rows are of padded(columns) numbers, the
// last of them +Inf, and begin at a multiple of 16 bytes.
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

DEVICE int padded(int columns) { return (columns + 3) & ~3; }

// Dense and Sparse are the costs of a problem. scan lets the lanes of a warp visit
// the entries of a row, with what they cost less price, in any order. Loads go
// ahead of their use.
template <typename Real, int AHEAD = sizeof(Real) == 4 ? 4 : 2> struct Dense {
	const Real *cost;
	int columns, stride;

	METHOD explicit Dense(const Problem<Real> &p) : cost(p.cost), columns(p.columns), stride(padded(p.columns)) {}
	METHOD const Real *row(int r) const { return cost + (long)r * stride; }

	template <class Visit> METHOD void scan(int r, const Real *v, int lane, Visit visit) const {
		const Real *from = row(r);
		for (int base = 4 * lane; base - 4 * lane < stride; base += 128 * AHEAD) {
			Quad<Real> x[AHEAD];
#pragma unroll
			for (int z = 0; z < AHEAD; z++) {
				if (z > 0 && base - 4 * lane + 128 * z >= stride) break;
				int j = base + 128 * z;
				x[z] = constantQuad(from + (j < stride ? j : 0));
			}
#pragma unroll
			for (int z = 0; z < AHEAD; z++) {
				if (z > 0 && base - 4 * lane + 128 * z >= stride) break;
				int j = base + 128 * z;
				if (j >= stride) continue;
				Quad<Real> price = quad(v + j);
#pragma unroll
				for (int i = 0; i < 4; i++) visit(x[z].x[i] - price.x[i], j + i);
			}
		}
	}
};

template <typename Real> struct Sparse {
	const Real *cost;
	const int *start, *columns;

	METHOD explicit Sparse(const Problem<Real> &p) : cost(p.cost), start(p.start), columns(p.column) {}
	METHOD long begin(int r) const { return constant(start + r); }
	METHOD int size(int r) const { return constant(start + r + 1) - constant(start + r); }
	METHOD int column(long e) const { return constant(columns + e); }
	METHOD Real at(long e) const { return constant(cost + e); }

	template <class Visit> METHOD void scan(int r, const Real *v, int lane, Visit visit) const {
		long e0 = begin(r);
		int n = size(r);
#pragma unroll 2
		for (int k = lane; k < n; k += 32) {
			int j = column(e0 + k);
			visit(at(e0 + k) - v[j], j);
		}
	}
};
