// These kernels are the two Hungarian solvers of hungarian.h: one launch for each step,
// between which the host looks at the flags, with atomic operations for the least slack;
// and one launch for all, with reductions instead.
#include "hungarian.h"

#define STEP(name, step)                                                       \
	KERNEL(name, 256, Matrix) {                                                \
		Grid g;                                                                \
		step(g, task);                                                         \
	}
STEP(reduceRows_h64, reduceRows)
STEP(reduceColumns_h64, reduceColumns)
STEP(listZeros_h64, listZeros)
STEP(star_h64, star)
STEP(cover_h64, cover)
STEP(prime_h64, prime)
STEP(mark_h64, mark)
STEP(flip_h64, flip)
KERNEL(forget_h64, 256, Matrix) {
	if (blockIndex() == 0 && threadIndex() == 0) *task.least = ~(u64)0;
}
KERNEL(least_h64, 256, Matrix) {
	Grid g;
	u64 key = leastOfWarp(g, task);
	if (g.lane == 0) atomicMin(task.least, key);
}
KERNEL(change_h64, 256, Matrix) {
	Grid g;
	change(toReal(*task.least), g, task);
}

// leastOfGrid is the least slack by reductions: of a warp, of a block in shared memory,
// of the grid.
DEVICE double leastOfGrid(const Grid &g, const Matrix &m, u32 &round) {
	u64 *shared = (u64 *)sharedMemory();
	u64 key = leastOfWarp(g, m);
	if (g.lane == 0) shared[threadIndex() >> 5] = key;
	syncBlock();
	int warps = blockThreads() >> 5;
	key = warpMin(shared[g.lane < warps ? g.lane : 0]);
	if (threadIndex() == 0) m.least[blockIndex()] = key;
	syncGrid((u32 *)m.flags + ARRIVED, round);
	key = ~(u64)0;
	for (int b = g.lane; b < gridBlocks(); b += 32) {
		u64 other = m.least[b];
		key = other < key ? other : key;
	}
	return toReal(warpMin(key));
}

KERNEL(fused_h64, 256, Matrix) {
	const Matrix m = task;
	Grid g;
	u32 round = 0;
	auto sync = [&] { syncGrid((u32 *)m.flags + ARRIVED, round); };
	auto reset = [&](int flag) {
		if (g.thread == 0) m.flags[flag] = 0;
	};
	reduceRows(g, m);
	sync();
	reduceColumns(g, m);
	sync();
	listZeros(g, m);
	sync();
	star(g, m);
	for (;;) {
		sync();
		reset(FOUND);
		cover(g, m);
		sync();
		if (m.flags[STARS] == m.n) return;
		for (;;) {
			reset(AGAIN);
			sync();
			prime(g, m);
			sync();
			bool found = m.flags[FOUND], again = m.flags[AGAIN];
			sync();
			if (found) break;
			if (again) continue;
			reset(ZEROS);
			change(leastOfGrid(g, m, round), g, m);
		}
		reset(STARS);
		mark(g, m);
		sync();
		flip(g, m);
	}
}
