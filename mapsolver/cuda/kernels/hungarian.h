// This file is the Hungarian algorithm in the six steps of Munkres, as two published
// programs run it on cards [1, 2], for comparison. The matrix of slacks is kept and
// rewritten by each change of prices, its zeros are listed, and everything else works
// on the lists. A star is a zero that is a pair, a prime one that a path may go through.
//
// The search goes from columns without a star back to rows without one, on all zeros at
// once: whoever finds a zero that no line covers primes it, covers its row, and then
// uncovers the column of the row's star. Which of several such zeros wins does not
// matter [1, appendix A], so answers with ties may differ from run to run. Zeros are in
// bins of columns. A block sweeps over its bin until it finds nothing more, and only then
// do all blocks meet [1, section 4.4].
//
// FORM says what of [2] is used, see HungarianForm in hungarian.go.
//
// [1] P. Lopes, S. Yadav, A. Ilic, S. Patra. Fast block distributed CUDA implementation
// of the Hungarian algorithm. J. Parallel and Distributed Computing 130 (2019).
// [2] S. Kawtikwar, Y.-H. Chang, V. Govind. Improvements to the Hungarian LAP solver.
#pragma once
#include "layout.h"

// A Grid is all threads of a launch.
struct Grid {
	int thread, threads, lane, warp, warps;

	METHOD Grid() {
		threads = blockThreads() * gridBlocks();
		thread = blockIndex() * blockThreads() + threadIndex();
		lane = thread & 31, warp = thread >> 5, warps = threads >> 5;
	}
};

// Step 1: every row and every column gets a zero; without REWRITE only the prices say so.
// Of rows, 32 belong to a block, whose warps share their columns.
template <bool REWRITE> DEVICE void reduceRows(const Grid &g, const Matrix &m) {
	double *shared = (double *)sharedMemory();
	int warp = threadIndex() >> 5, warps = blockThreads() >> 5;
	for (int base = 32 * blockIndex(); base < m.n; base += 32 * gridBlocks()) {
		int r = base + g.lane;
		double low = infinity<double>();
		if (r < m.n) {
			for (int c = warp; c < m.n; c += warps) low = least(low, m.slack[(long)c * m.n + r]);
		}
		shared[threadIndex()] = low;
		syncBlock();
		for (int w = 0; w < warps; w++) low = least(low, shared[32 * w + g.lane]);
		if (r < m.n) {
			for (int c = warp; REWRITE && c < m.n; c += warps) m.slack[(long)c * m.n + r] -= low;
			if (warp == 0) m.u[r] = low;
		}
		syncBlock();
	}
}
template <bool REWRITE> DEVICE void reduceColumns(const Grid &g, const Matrix &m) {
	for (int c = g.warp; c < m.n; c += g.warps) {
		double *column = m.slack + (long)c * m.n, low = infinity<double>();
		for (int r = g.lane; r < m.n; r += 32) low = least(low, REWRITE ? column[r] : column[r] - m.u[r]);
		low = toReal(warpMin(toKey(low)));
		for (int r = g.lane; REWRITE && r < m.n; r += 32) column[r] -= low;
		if (g.lane == 0) m.v[c] = low, m.colOf[c] = m.rowOf[c] = NONE;
	}
}

// forget empties the lists of zeros.
DEVICE void forget(const Grid &g, const Matrix &m) {
	for (int b = g.thread; b < m.bins; b += g.threads) m.binZeros[b] = 0;
	if (g.thread == 0) m.flags[ZEROS] = 0;
}

// note lists entry e of column c for those threads where it is a zero.
template <int FORM> DEVICE void note(bool zero, int c, int e, const Grid &g, const Matrix &m) {
	int bin = (m.byRows ? e - c * m.n : c) / m.binColumns, first = bin * m.binColumns * m.n;
	if (FORM < AGGREGATED) {
		if (!zero) return;
		if (FORM == LOPES) atomicAdd(m.flags + ZEROS, 1);
		m.zeros[first + atomicAdd(m.binZeros + bin, 1)] = e;
		return;
	}
	u32 mask = ballot(zero);
	if (!mask) return;
	int place = 0;
	if (g.lane == 0) place = atomicAdd(m.binZeros + bin, bitCount(mask));
	place = shuffle(place, 0) + bitCount(mask & lanesBelow(g.lane));
	if (zero) m.zeros[first + place] = e;
}

// eachEntry visits all entries, the threads of a block those of one column.
template <class Visit> DEVICE void eachEntry(const Matrix &m, Visit visit) {
	for (int c = blockIndex(); c < m.n; c += gridBlocks()) {
		for (int base = 0; base < m.n; base += blockThreads()) {
			int r = base + threadIndex();
			visit(r < m.n, r, c, c * m.n + r);
		}
	}
}
template <int FORM> DEVICE void compress(const Grid &g, const Matrix &m) {
	eachEntry(m, [&](bool in, int, int c, int e) { note<FORM>(in && m.slack[e] == 0, c, e, g, m); });
}

// countZeros adds up the bins, by one block.
DEVICE void countZeros(const Matrix &m) {
	if (threadIndex() >= 32) return;
	int lane = threadIndex(), sum = 0;
	for (int b = lane; b < m.bins; b += 32) sum += m.binZeros[b];
	for (int d = 16; d > 0; d /= 2) sum += shuffle(sum, lane ^ d);
	if (lane == 0) m.flags[ZEROS] = sum;
}

// Step 2: zeros become stars, at most one in a line, by one block. Who has taken a row but
// does not get the column gives it back, and all look again.
DEVICE void star(const Matrix &m) {
	int *again = (int *)sharedMemory();
	for (;;) {
		syncBlock();
		if (threadIndex() == 0) *again = 0;
		syncBlock();
		for (int b = 0; b < m.bins; b++) {
			const int *zeros = m.zeros + b * m.binColumns * m.n;
			for (int z = threadIndex(); z < m.binZeros[b]; z += blockThreads()) {
				int r = zeros[z] % m.n, c = zeros[z] / m.n;
				if (look(m.colOf + r) != NONE || look(m.rowOf + c) != NONE) continue;
				if (atomicCas(m.colOf + r, NONE, c) != NONE) continue;
				if (atomicCas(m.rowOf + c, NONE, r) == NONE) continue;
				m.colOf[r] = NONE;
				*again = 1;
			}
		}
		syncBlock();
		if (!*again) return;
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

// Step 4: a block sweeps over the zeros of a bin, and again while it finds any that no line
// covers, its own sweeps and those of other blocks having uncovered columns.
DEVICE void prime(const Matrix &m) {
	int *again = (int *)sharedMemory(), *stop = again + 1;
	for (int b = blockIndex(); b < m.bins; b += gridBlocks()) {
		const int *list = m.zeros + b * m.binColumns * m.n;
		int zeros = m.binZeros[b];
		for (;;) {
			syncBlock();
			if (threadIndex() == 0) *again = 0, *stop = look(m.flags + FOUND);
			syncBlock();
			if (*stop) break;
			for (int z = threadIndex(); z < zeros; z += blockThreads()) {
				int r = list[z] % m.n, c = list[z] / m.n;
				if (look(m.colCovered + c) || look(m.rowCovered + r)) continue;
				m.prime[r] = c;
				int starred = m.colOf[r];
				if (starred < 0) {
					m.flags[FOUND] = 1;
					continue;
				}
				*again = 1;
				m.rowCovered[r] = 1;
				fence(); // nobody sees the column uncovered and the row not covered
				*(volatile int *)(m.colCovered + starred) = 0;
			}
			syncBlock();
			if (!*again) break;
			if (threadIndex() == 0) m.flags[AGAIN] = 1;
			if (!m.repeat) break;
		}
	}
}

// primeRows is step 4 as [1, appendix B] has it in variants A to C. The zeros of a row are in one block.
// SHARED: the block copies what is covered to its own memory and goes on there, and tells at its end
// which rows of its own it has covered, and which columns uncovered. PICK: of each row one zero takes part in
// a sweep, that which comes last.
template <bool PICK, bool SHARED> DEVICE void primeRows(const Matrix &m) {
	int *again = (int *)sharedMemory(), *stop = again + 1;
	int *rows = SHARED ? again + 2 : m.rowCovered, *columns = SHARED ? rows + m.n : m.colCovered;
	int *pick = again + 2 + 2 * m.n;
	for (int b = blockIndex(); b < m.bins; b += gridBlocks()) {
		const int *list = m.zeros + b * m.binColumns * m.n;
		int zeros = m.binZeros[b], first = b * m.binColumns, end = first + m.binColumns < m.n ? first + m.binColumns : m.n;
		syncBlock();
		for (int i = threadIndex(); SHARED && i < m.n; i += blockThreads()) rows[i] = m.rowCovered[i], columns[i] = m.colCovered[i];
		for (;;) {
			syncBlock();
			if (threadIndex() == 0) *again = 0, *stop = look(m.flags + FOUND);
			for (int r = first + threadIndex(); PICK && r < end; r += blockThreads()) pick[r - first] = NONE;
			syncBlock();
			if (*stop) break;
			auto process = [&](int r, int c) {
				m.prime[r] = c;
				int starred = m.colOf[r];
				if (starred < 0) {
					m.flags[FOUND] = 1;
					return;
				}
				*again = 1;
				*(volatile int *)(rows + r) = 1;
				fence(); // nobody sees the column uncovered and the row not covered
				*(volatile int *)(columns + starred) = 0;
			};
			for (int z = threadIndex(); z < zeros; z += blockThreads()) {
				int r = list[z] % m.n, c = list[z] / m.n;
				if (look(columns + c) || look(rows + r)) continue;
				if (PICK) {
					pick[r - first] = c;
				} else {
					process(r, c);
				}
			}
			if (PICK) {
				syncBlock();
				for (int r = first + threadIndex(); r < end; r += blockThreads()) {
					if (pick[r - first] >= 0) process(r, pick[r - first]);
				}
			}
			syncBlock();
			if (!*again) break;
			if (threadIndex() == 0) m.flags[AGAIN] = 1;
		}
		syncBlock();
		for (int r = first + threadIndex(); SHARED && r < end; r += blockThreads()) m.rowCovered[r] = rows[r];
		for (int c = threadIndex(); SHARED && c < m.n; c += blockThreads()) {
			if (!columns[c]) m.colCovered[c] = 0;
		}
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

// leastOfBlock is the least of what the threads of a block have.
DEVICE u64 leastOfBlock(u64 key) {
	u64 *shared = (u64 *)sharedMemory();
	int lane = threadIndex() & 31, warps = blockThreads() >> 5;
	key = warpMin(key);
	syncBlock();
	if (lane == 0) shared[threadIndex() >> 5] = key;
	syncBlock();
	return warpMin(shared[lane < warps ? lane : 0]);
}

// Step 6: the least slack that no line covers, of each block; then of all, for a block.
DEVICE void leastSlack(const Matrix &m) {
	double low = infinity<double>();
	eachEntry(m, [&](bool in, int r, int c, int e) {
		if (in && !m.colCovered[c] && !m.rowCovered[r]) low = least(low, m.slack[e]);
	});
	u64 key = leastOfBlock(toKey(low));
	if (threadIndex() == 0) m.least[blockIndex()] = key;
}
DEVICE u64 leastOfBlocks(const Matrix &m) {
	u64 key = ~(u64)0;
	for (int b = threadIndex(); b < m.blocks; b += blockThreads()) key = m.least[b] < key ? m.least[b] : key;
	return leastOfBlock(key);
}

// changePrices goes with the change of slacks: low is taken from what no line covers and
// added to what two cover.
DEVICE void changePrices(double low, const Grid &g, const Matrix &m) {
	for (int i = g.thread; i < m.n; i += g.threads) {
		if (m.rowCovered[i]) m.u[i] -= low;
		if (!m.colCovered[i]) m.v[i] += low;
	}
}
DEVICE void changeSlacks(double low, const Matrix &m) {
	eachEntry(m, [&](bool in, int r, int c, int e) {
		int lines = in ? m.rowCovered[r] + m.colCovered[c] : 1;
		if (lines == 0) m.slack[e] -= low;
		if (lines == 2) m.slack[e] += low;
	});
}

// change does both and lists the zeros meanwhile. Before REGISTER it reads a slack again
// that it has written, as the compiler of [2] did.
template <int FORM> DEVICE void change(double low, const Grid &g, const Matrix &m) {
	eachEntry(m, [&](bool in, int r, int c, int e) {
		int lines = in ? m.rowCovered[r] + m.colCovered[c] : 1;
		double slack = 1;
		if (FORM < REGISTER) {
			if (lines == 0) m.slack[e] -= low;
			if (lines == 2) m.slack[e] += low;
			if (in) slack = *(volatile double *)(m.slack + e);
		} else {
			if (in) slack = m.slack[e];
			if (lines == 0) m.slack[e] = slack -= low;
			if (lines == 2) m.slack[e] = slack += low;
		}
		if (FORM == BARRIER) syncBlock(); // warps keep pace [2, optimization 4]
		note<FORM>(slack == 0, c, e, g, m);
	});
	changePrices(low, g, m);
}

// What follows is the method of Date and Nagi [3], after Lawler: costs stay, prices change,
// and each row knows its least slack in the columns that the forest has, so that a change of
// prices takes O(n). Trees grow from all columns without a star, a level for each launch.
// There, a thread has a row and races for columns; here a block has 32 rows and its warps
// share the columns, so nobody races but for places in a list.
//
// [3] K. Date, R. Nagi. GPU-accelerated Hungarian algorithms for the linear assignment
// problem. Parallel Computing 57 (2016).

// starTree is steps 1 and 2: a warp looks for a row for each column.
DEVICE void starTree(const Grid &g, const Matrix &m) {
	for (int c = g.warp; c < m.n; c += g.warps) {
		const double *column = m.slack + (long)c * m.n;
		bool done = false;
		for (int base = 0; base < m.n && !done; base += 32) {
			int r = base + g.lane;
			bool zero = r < m.n && column[r] - m.u[r] == m.v[c] && look(m.colOf + r) == NONE;
			for (u32 mask = ballot(zero); mask && !done; mask &= mask - 1) {
				int row = base + firstBit(mask), got = 0;
				if (g.lane == 0) got = atomicCas(m.colOf + row, NONE, c) == NONE;
				done = shuffle(got, 0);
				if (done && g.lane == 0) m.rowOf[c] = row;
			}
		}
	}
}

// plant begins a forest, after cover.
DEVICE void plant(const Grid &g, const Matrix &m) {
	for (int i = g.thread; i < m.n; i += g.threads) {
		m.reach[i] = infinity<double>();
		m.from[i] = NONE;
		if (!m.colCovered[i]) m.zeros[atomicAdd(m.binZeros, 1)] = i;
	}
}

// grow takes the columns of a list into the forest: rows that have no slack there join, and
// with each the column of its star, which goes to the other list.
DEVICE void grow(const Grid &g, const Matrix &m) {
	double *low = (double *)sharedMemory();
	int *at = (int *)(low + blockThreads());
	const int *list = m.zeros + m.turn * m.n;
	int *next = m.zeros + (m.turn ^ 1) * m.n;
	int warp = threadIndex() >> 5, warps = blockThreads() >> 5, count = m.binZeros[m.turn];
	for (int base = 32 * blockIndex(); base < m.n; base += 32 * gridBlocks()) {
		int r = base + g.lane, column = NONE;
		bool out = r < m.n && !m.rowCovered[r];
		double best = infinity<double>(), u = out ? m.u[r] : 0;
		for (int k = warp; out && k < count; k += warps) {
			int c = list[k];
			double slack = m.slack[(long)c * m.n + r] - u - m.v[c];
			if (slack < best) best = slack, column = c;
		}
		low[threadIndex()] = best, at[threadIndex()] = column;
		syncBlock();
		if (warp == 0 && out) {
			best = m.reach[r], column = m.from[r];
			for (int w = 0; w < warps; w++) {
				if (low[32 * w + g.lane] < best) best = low[32 * w + g.lane], column = at[32 * w + g.lane];
			}
			m.reach[r] = best, m.from[r] = column;
			if (best <= 0) {
				int starred = m.colOf[r];
				m.rowCovered[r] = 1;
				m.prime[r] = column;
				if (starred < 0) {
					m.flags[FOUND] = 1;
				} else {
					m.flags[AGAIN] = 1;
					m.colCovered[starred] = 0;
					next[atomicAdd(m.binZeros + (m.turn ^ 1), 1)] = starred;
				}
			}
		}
		syncBlock();
	}
}

// changeTree is step 6 by one block: some row gets a zero.
DEVICE void changeTree(const Grid &g, const Matrix &m) {
	double low = infinity<double>();
	for (int r = threadIndex(); r < m.n; r += blockThreads()) {
		if (!m.rowCovered[r]) low = least(low, m.reach[r]);
	}
	low = toReal(leastOfBlock(toKey(low)));
	for (int r = threadIndex(); r < m.n; r += blockThreads()) {
		if (!m.rowCovered[r]) m.reach[r] -= low;
	}
	changePrices(low, g, m);
	if (threadIndex() == 0) m.binZeros[0] = m.binZeros[1] = 0;
}
