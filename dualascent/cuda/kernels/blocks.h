// This file holds the triplet costs at a node, in two forms: matrices that are
// stored, and differences of features, of which no matrix is ever made.
//
// right finds what each arc that leaves, and death, have to take over: the least over
// the entries and birth of cost − U; left what each entry, and birth, have to take
// over from the other side. They hand it to visit(k, least), each k to some lane; the
// last k is death or birth.
#pragma once
#include "model.h"

struct Stored {
	METHOD static double at(const Node &x, int a, int b) {
		const Model &m = x.m;
		int row = a < 0 ? x.ins : constant(m.position + a), column = b < 0 ? x.outs : b - x.out;
		return m.d[m.block[x.n] + (long)row * (x.outs + 1) + column];
	}

	template <class Visit> METHOD static void right(const Node &x, Visit visit) {
		const Model &m = x.m;
		int width = x.outs + 1;
		const double *d = m.d + m.block[x.n];
		for (int s = x.lane; s < width; s += 32) {
			double best = constant(d + (long)x.ins * width + s) - m.uBirth[x.n];
#pragma unroll 8
			for (int r = 0; r < x.ins; r++) {
				best = least(best, constant(d + (long)r * width + s) - m.u[constant(m.entry + x.in + r)]);
			}
			visit(s, best);
		}
	}

	template <class Visit> METHOD static void left(const Node &x, Visit visit) {
		const Model &m = x.m;
		int width = x.outs + 1;
		const double *d = m.d + m.block[x.n];
		if (width <= 8) { // a lane takes a row
			for (int r = x.lane; r <= x.ins; r += 32) {
				double best = constant(d + (long)r * width + x.outs) - m.vDeath[x.n];
				for (int s = 0; s < x.outs; s++) best = least(best, constant(d + (long)r * width + s) - m.v[x.out + s]);
				visit(r, best);
			}
			return;
		}
		const int ROWS = 4; // the warp takes these at a time
		for (int r = 0; r <= x.ins; r += ROWS) {
			double best[ROWS];
#pragma unroll
			for (int z = 0; z < ROWS; z++) best[z] = infinity<double>();
#pragma unroll 2
			for (int s = x.lane; s < width; s += 32) {
				double v = s < x.outs ? m.v[x.out + s] : m.vDeath[x.n];
#pragma unroll
				for (int z = 0; z < ROWS; z++) {
					int row = r + z <= x.ins ? r + z : x.ins;
					best[z] = least(best[z], constant(d + (long)row * width + s) - v);
				}
			}
#pragma unroll
			for (int z = 0; z < ROWS; z++) {
				best[z] = warpLeast(best[z]);
				if (x.lane == z && r + z <= x.ins) visit(r + z, best[z]);
			}
		}
	}
};

// An Envelope answers min over k of |x − x_k| − w_k for points in the order of x_k,
// in the time of one look, after one scan: the least of −x_k−w_k over the points up
// to x is what counts from the left, that of x_k−w_k from the right. Its two lists
// are in shared memory.
struct Envelope {
	double *low, *high;
	int n;
	double flat; // the least of end_k − w_k

	template <class Point> METHOD Envelope(const Node &node, int n, Point point) : n(n) {
		const double INF = infinity<double>();
		int lane = node.lane, warp = threadIndex() >> 5;
		low = (double *)sharedMemory() + 2 * warp * node.m.limit;
		high = low + node.m.limit;
		flat = INF;
		double carry = INF;
		for (int base = 0; base < n; base += 32) {
			int k = base + lane;
			double y = INF;
			if (k < n) {
				double x, w, end = 0;
				point(k, x, w, end);
				y = -x - w;
				high[k] = x - w;
				flat = least(flat, end - w);
			}
			y = least(carry, upTo(y, lane));
			if (k < n) low[k] = y;
			carry = shuffle(y, 31);
		}
		syncWarp();
		carry = INF;
		for (int base = (n - 1) & ~31; base >= 0; base -= 32) {
			int k = base + 31 - lane; // from the right
			double y = least(carry, upTo(k < n ? high[k] : INF, lane));
			if (k < n) high[k] = y;
			carry = shuffle(y, 31);
		}
		flat = warpLeast(flat);
		syncWarp();
	}

	// upTo is the least over the lanes up to this one.
	METHOD static double upTo(double y, int lane) {
		for (int d = 1; d < 32; d *= 2) {
			double z = shuffle(y, lane < d ? lane : lane - d);
			y = least(y, z);
		}
		return y;
	}

	// at needs to know how many points there are up to x.
	METHOD double at(double x, int points) const {
		double best = infinity<double>();
		if (points > 0) best = x + low[points - 1];
		if (points < n) best = least(best, high[points] - x);
		return best;
	}
};

struct Features {
	METHOD static double at(const Node &x, int a, int b) {
		const Model &m = x.m;
		if (a >= 0 && b >= 0) return magnitude(constant(m.entering + a) - constant(m.leaving + b));
		if (a >= 0) return m.dying ? constant(m.dying + a) : 0;
		if (b >= 0) return m.born ? constant(m.born + b) : 0;
		return constant(m.alone + x.n);
	}

	template <class Visit> METHOD static void right(const Node &x, Visit visit) {
		const Model &m = x.m;
		Envelope e(x, x.ins, [&](int k, double &feature, double &w, double &end) {
			int a = constant(m.entry + x.in + k);
			feature = constant(m.feature + x.in + k);
			w = m.u[a];
			if (m.dying) end = constant(m.dying + a);
		});
		double birth = m.uBirth[x.n];
		for (int b = x.out + x.lane; b < x.out + x.outs; b += 32) {
			double born = m.born ? constant(m.born + b) : 0;
			visit(b - x.out, least(e.at(constant(m.leaving + b), constant(m.after + b)), born - birth));
		}
		if (x.lane == 0) visit(x.outs, least(e.flat, constant(m.alone + x.n) - birth));
	}

	template <class Visit> METHOD static void left(const Node &x, Visit visit) {
		const Model &m = x.m;
		Envelope e(x, x.outs, [&](int k, double &feature, double &w, double &end) {
			int b = constant(m.order + x.out + k);
			feature = constant(m.leaving + b);
			w = m.v[b];
			if (m.born) end = constant(m.born + b);
		});
		double death = m.vDeath[x.n];
		for (int k = x.lane; k < x.ins; k += 32) {
			double dying = m.dying ? constant(m.dying + constant(m.entry + x.in + k)) : 0;
			visit(k, least(e.at(constant(m.feature + x.in + k), constant(m.before + x.in + k)), dying - death));
		}
		if (x.lane == 0) visit(x.ins, least(e.flat, constant(m.alone + x.n) - death));
	}
};

// What follows asks the block of a node in the form that it has.
DEVICE double blockCost(const Node &x, int a, int b) {
	if (!x.interior()) return 0;
	return x.featured() ? Features::at(x, a, b) : Stored::at(x, a, b);
}
template <class Visit> DEVICE void right(const Node &x, Visit visit) {
	if (x.featured()) Features::right(x, visit);
	else Stored::right(x, visit);
}
template <class Visit> DEVICE void left(const Node &x, Visit visit) {
	if (x.featured()) Features::left(x, visit);
	else Stored::left(x, visit);
}
