// This file is the Hungarian algorithm in the six steps of Munkres, as two published
// programs run it on cards [1, 2], for comparison. The matrix of slacks is kept and
// rewritten by each change of prices, its zeros are listed, and everything else works
// on the list. A star is a zero that is a pair, a prime one that a path may go through.
//
// The search goes from columns without a star back to rows without one, on all zeros at
// once: whoever finds a zero that no line covers primes it, covers its row, and then
// uncovers the column of the row's star. Which of several such zeros wins does not
// matter [1, appendix A], so answers with ties may differ from run to run.
//
// [1] P. Lopes, S. Yadav, A. Ilic, S. Patra. Fast block distributed CUDA implementation
// of the Hungarian algorithm. J. Parallel and Distributed Computing 130 (2019).
// [2] S. Kawtikwar, Y.-H. Chang, V. Govind. Improvements to the Hungarian LAP solver.
#pragma once
#include "team.h"

// A Grid is all threads of a launch.
struct Grid {
	int thread, threads, lane, warp, warps;

	METHOD Grid() {
		threads = blockThreads() * gridBlocks();
		thread = blockIndex() * blockThreads() + threadIndex();
		lane = thread & 31, warp = thread >> 5, warps = threads >> 5;
	}
};

// Step 1: every row and every column gets a zero.
DEVICE void reduceRows(const Grid &g, const Matrix &m) {
	for (int r = g.warp; r < m.n; r += g.warps) {
		double *row = m.slack + (long)r * m.n, least = infinity<double>();
		for (int c = g.lane; c < m.n; c += 32) least = row[c] < least ? row[c] : least;
		least = toReal(warpMin(toKey(least)));
		for (int c = g.lane; c < m.n; c += 32) row[c] -= least;
		if (g.lane == 0) m.u[r] = least;
	}
}
DEVICE void reduceColumns(const Grid &g, const Matrix &m) {
	for (int c = g.thread; c < m.n; c += g.threads) {
		double least = infinity<double>();
		for (long e = c; e < (long)m.n * m.n; e += m.n) least = m.slack[e] < least ? m.slack[e] : least;
		for (long e = c; e < (long)m.n * m.n; e += m.n) m.slack[e] -= least;
		m.v[c] = least;
		m.colOf[c] = m.rowOf[c] = NONE;
	}
}

// note adds e to the list of zeros of those lanes where it is one.
DEVICE void note(bool zero, int e, int lane, const Matrix &m) {
	u32 mask = ballot(zero);
	if (!mask) return;
	int place = 0;
	if (lane == 0) place = atomicAdd(m.flags + ZEROS, bitCount(mask));
	place = shuffle(place, 0) + bitCount(mask & lanesBelow(lane));
	if (zero) m.zeros[place] = e;
}
DEVICE void listZeros(const Grid &g, const Matrix &m) {
	for (int base = 32 * g.warp; base < m.n * m.n; base += 32 * g.warps) {
		int e = base + g.lane;
		note(e < m.n * m.n && m.slack[e] == 0, e, g.lane, m);
	}
}

// Step 2: zeros become stars, at most one in a line.
DEVICE void star(const Grid &g, const Matrix &m) {
	int zeros = m.flags[ZEROS];
	for (int z = g.thread; z < zeros; z += g.threads) {
		int r = m.zeros[z] / m.n, c = m.zeros[z] % m.n;
		if (atomicCas(m.colOf + r, NONE, c) != NONE) continue;
		if (atomicCas(m.rowOf + c, NONE, r) != NONE) m.colOf[r] = NONE;
	}
}

// Step 3: columns with a star are covered, and counted.
DEVICE void cover(const Grid &g, const Matrix &m) {
	for (int base = 32 * g.warp; base < m.n; base += 32 * g.warps) {
		int i = base + g.lane;
		bool starred = i < m.n && m.rowOf[i] >= 0;
		u32 mask = ballot(starred);
		if (g.lane == 0 && mask) atomicAdd(m.flags + STARS, bitCount(mask));
		if (i >= m.n) continue;
		m.colCovered[i] = starred;
		m.rowCovered[i] = 0;
		m.prime[i] = m.green[i] = NONE;
	}
}

// Step 4, a sweep over all zeros.
DEVICE void prime(const Grid &g, const Matrix &m) {
	int zeros = m.flags[ZEROS];
	for (int z = g.thread; z < zeros; z += g.threads) {
		int r = m.zeros[z] / m.n, c = m.zeros[z] % m.n;
		if (look(m.colCovered + c) || look(m.rowCovered + r)) continue;
		m.prime[r] = c;
		int starred = m.colOf[r];
		if (starred < 0) {
			m.flags[FOUND] = 1;
			continue;
		}
		m.flags[AGAIN] = 1;
		m.rowCovered[r] = 1;
		fence(); // nobody sees the column uncovered and the row not covered
		m.colCovered[starred] = 0;
	}
}

// Step 5: paths are marked from their ends, and each start follows one mark after the
// other, so that paths that met do not both change pairs.
DEVICE void mark(const Grid &g, const Matrix &m) {
	for (int r = g.thread; r < m.n; r += g.threads) {
		if (m.colOf[r] >= 0 || m.prime[r] < 0) continue;
		for (int row = r; row >= 0;) {
			int c = m.prime[row];
			m.green[c] = row;
			row = m.rowOf[c];
		}
	}
}
DEVICE void flip(const Grid &g, const Matrix &m) {
	for (int j = g.thread; j < m.n; j += g.threads) {
		if (m.rowOf[j] >= 0 || m.green[j] < 0) continue;
		for (int c = j; c >= 0;) {
			int row = m.green[c], next = m.colOf[row];
			m.colOf[row] = c;
			m.rowOf[c] = row;
			c = next;
		}
	}
}

// Step 6: the least slack that no line covers, for the lanes of a warp.
DEVICE u64 leastOfWarp(const Grid &g, const Matrix &m) {
	double least = infinity<double>();
	for (int r = g.warp; r < m.n; r += g.warps) {
		if (m.rowCovered[r]) continue;
		const double *row = m.slack + (long)r * m.n;
		for (int c = g.lane; c < m.n; c += 32) {
			if (!m.colCovered[c]) least = row[c] < least ? row[c] : least;
		}
	}
	return warpMin(toKey(least));
}

// change takes least from what no line covers and adds it to what two cover, and lists
// the zeros.
DEVICE void change(double least, const Grid &g, const Matrix &m) {
	for (int base = 32 * g.warp; base < m.n * m.n; base += 32 * g.warps) {
		int e = base + g.lane;
		bool in = e < m.n * m.n;
		double slack = in ? m.slack[e] : 1;
		int lines = in ? m.rowCovered[e / m.n] + m.colCovered[e % m.n] : 1;
		if (lines == 0) m.slack[e] = slack -= least;
		if (lines == 2) m.slack[e] = slack += least;
		note(slack == 0, e, g.lane, m);
	}
	for (int i = g.thread; i < m.n; i += g.threads) {
		if (m.rowCovered[i]) m.u[i] -= least;
		if (!m.colCovered[i]) m.v[i] += least;
	}
}
