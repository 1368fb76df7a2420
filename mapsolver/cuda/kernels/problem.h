// This file is the two ways in which the costs of a Problem are stored.
#pragma once
#include "internal/cuda/kernels/device.h"
#include "layout.h"

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
