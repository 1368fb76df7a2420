// This file is how kernels find their way in a Model: copies of prices, nodes and their lists.
#pragma once
#include "mapsolver/cuda/kernels/solve.h"
#include "dualascent/cuda/kernels/layout.h"

// The copy of the prices of rows and columns that a pass has come to, or the other.
DEVICE double *rowPrices(const PassTask &t, bool other = false) { return t.from ^ other ? t.model.row[1] : t.model.row[0]; }
DEVICE double *columnPrices(const PassTask &t, bool other = false) {
	return t.from ^ other ? t.model.price[1] : t.model.price[0];
}

// A Node is what a warp works on: one node and its lists.
struct Node {
	const Model &m;
	int n, lane, frame;
	int out, outs, in, ins;

	METHOD explicit Node(const Model &m) : m(m) {
		lane = threadIndex() & 31;
		n = (blockIndex() * blockThreads() + threadIndex()) >> 5;
		if (exists()) look(constant(m.frame + n));
	}
	// The node h of the next frame, for the same lane.
	METHOD Node(const Node &x, int h) : m(x.m), n(h), lane(x.lane) { look(x.frame + 1); }

	METHOD void look(int f) {
		frame = f;
		out = constant(m.out + n), outs = constant(m.out + n + 1) - out;
		in = constant(m.in + n), ins = constant(m.in + n + 1) - in;
	}
	METHOD bool exists() const { return n < m.nodes; }
	METHOD bool featured() const { return m.block[n] < 0; }
	METHOD bool interior() const { return frame > 0 && frame < m.frames - 1; }
	// Whether a gap is visited by this card.
	METHOD bool mine(int gap) const { return gap >= m.firstGap && gap < m.endGap; }
	// Whether the node is a row or a column of a gap of that colour that is.
	METHOD bool row(int colour) const { return (frame & 1) == colour && mine(frame); }
	METHOD bool columnOf(int colour) const { return (frame & 1) != colour && mine(frame - 1); }
	METHOD int head(int a) const { return constant(m.first + frame + 1) + constant(m.column + a); }
};

DEVICE double warpLeast(double x) { return toReal(warpMin(toKey(x))); }

// warpSum adds in an order of its own, the same at all times.
DEVICE double warpSum(double x, int lane) {
	for (int d = 16; d > 0; d /= 2) x += shuffle(x, lane ^ d);
	return x;
}
