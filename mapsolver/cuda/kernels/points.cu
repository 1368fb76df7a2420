// These kernels are those of points.go: rows of costs are computed where they are read, from two
// sets of points, and never stored. The columns of a problem may be shared among cards.
#include "layout.h"

// distanceTo is the cost of a point and column j.
DEVICE double distanceTo(const double *point, const double *to, long n, int j, int dims, int metric) {
	double sum = 0;
	for (int k = 0; k < dims; k++) {
		double d = constant(point + k) - constant(to + k * n + j);
		sum += metric == EUCLIDEAN || metric == SQUARED ? d * d : magnitude(d);
	}
	return metric == EUCLIDEAN ? root(sum) : sum;
}

// A Pick is a number with what it belongs to; the smaller code wins where numbers are equal.
struct Pick {
	u64 key;
	u32 code;
};

// leastPick is the least of what the lanes of a warp have.
DEVICE Pick leastPick(Pick p) {
	u64 key = warpMin(p.key);
	return Pick{key, warpMin(p.key == key ? p.code : ~0u)};
}

// blockPick is the least of what the threads of a block have.
DEVICE Pick blockPick(Pick p) {
	Pick *shared = (Pick *)sharedMemory();
	int lane = threadIndex() & 31, warps = blockThreads() >> 5;
	p = leastPick(p);
	syncBlock();
	if (lane == 0) shared[threadIndex() >> 5] = p;
	syncBlock();
	return leastPick(shared[lane < warps ? lane : 0]);
}

const u32 TAKEN = 0x80000000u; // in the code of a column that has a row

KERNEL(scan_p64, 256, Scan) {
	const Scan &m = task;
	Pick best{~(u64)0, ~0u};
	double low = infinity<double>();
	int threads = blockThreads() * gridBlocks();
	for (int j = m.lo + blockIndex() * blockThreads() + threadIndex(); j < m.hi; j += threads) {
		if (j == m.final) {
			m.v[j] = -infinity<double>();
			m.dist[j] = infinity<double>();
			continue;
		}
		double x = distanceTo(m.point, m.to, m.n, j, m.dims, m.metric) - m.v[j] + m.shift;
		double d = m.first ? infinity<double>() : m.dist[j];
		if (x < d) {
			m.dist[j] = d = x;
			m.pred[j] = m.row;
		}
		if (d > low || d == infinity<double>()) continue;
		Pick own{toKey(d), (m.taken[j] ? TAKEN : 0) | (u32)j};
		if (d < low || own.code < best.code) best = own, low = d;
	}
	best = blockPick(best);
	if (threadIndex() > 0) return;
	Near *out = m.near + blockIndex();
	if (best.key == ~(u64)0) {
		out->column = NONE;
		return;
	}
	int j = (int)(best.code & ~TAKEN);
	*out = Near{toReal(best.key), m.v[j], j, m.pred[j]};
}

KERNEL(settle_p64, 256, Settling) {
	const Settling &m = task;
	int k = blockIndex() * blockThreads() + threadIndex();
	if (k == 0 && m.lo <= m.sink && m.sink < m.hi) m.taken[m.sink] = 1;
	if (k >= m.count) return;
	Near x = m.list[k];
	if (m.lo <= x.column && x.column < m.hi) m.v[x.column] = x.price;
}

KERNEL(survey_p64, 256, Survey) {
	const Survey &m = task;
	for (int i = m.lo + blockIndex(); i < m.hi; i += gridBlocks()) {
		const double *point = m.from + (long)i * m.dims;
		Pick best{~(u64)0, ~0u};
		u64 second = ~(u64)0;
		for (int j = threadIndex(); j < m.n; j += blockThreads()) {
			u64 key = toKey(distanceTo(point, m.to, m.n, j, m.dims, m.metric) - constant(m.v + j));
			if (key < best.key) {
				second = best.key;
				best = Pick{key, (u32)j};
			} else if (key < second) {
				second = key;
			}
		}
		Pick all = blockPick(best);
		if (best.code == all.code) best.key = second;
		u64 other = blockPick(best).key;
		if (threadIndex() == 0) {
			m.least[2 * (long)i] = toReal(all.key);
			m.least[2 * (long)i + 1] = m.n > 1 ? toReal(other) : infinity<double>();
		}
	}
}
