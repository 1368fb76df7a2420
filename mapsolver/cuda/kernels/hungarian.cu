// These kernels are the Hungarian solvers of hungarian.h: one launch for each step, between
// which the host looks at the flags, or one launch for all. A block may have 1024 threads,
// which leaves 64 registers to each and lets as many run on a multiprocessor.
#include "hungarian.h"

#define STEP(name, step)                                                       \
	KERNEL(name, 1024, Matrix) {                                               \
		const Matrix &m = task;                                                \
		Grid g;                                                                \
		(void)g;                                                               \
		step;                                                                  \
	}
STEP(reduceRows_h64, reduceRows<true>(g, m))
STEP(reduceColumns_h64, reduceColumns<true>(g, m))
STEP(forget_h64, forget(g, m))
STEP(compressLopes_h64, compress<LOPES>(g, m))
STEP(compress_h64, compress<REDUCED>(g, m))
STEP(countZeros_h64, countZeros(m))
STEP(star_h64, star(m))
STEP(cover_h64, cover(g, m))
STEP(prime_h64, prime(m))
STEP(primeA_h64, (primeRows<false, true>(m)))
STEP(primeB_h64, (primeRows<true, false>(m)))
STEP(primeC_h64, (primeRows<true, true>(m)))
STEP(mark_h64, mark(g, m))
STEP(flip_h64, flip(g, m))
STEP(leastSlack_h64, leastSlack(m))
STEP(leastOfBlocks_h64, {
	u64 key = leastOfBlocks(m);
	if (threadIndex() == 0) m.least[m.blocks] = key;
})
STEP(changeSlacks_h64, {
	double low = toReal(m.least[m.blocks]);
	changeSlacks(low, m);
	changePrices(low, g, m);
})
STEP(change_h64, change<FUSED>(toReal(m.least[m.blocks]), g, m))

STEP(treeRows_h64, reduceRows<false>(g, m))
STEP(treeColumns_h64, reduceColumns<false>(g, m))
STEP(treeStar_h64, starTree(g, m))
STEP(plant_h64, plant(g, m))
STEP(grow_h64, grow(g, m))
STEP(turn_h64, if (g.thread == 0) m.binZeros[m.turn] = 0)
STEP(changeTree_h64, changeTree(g, m))

// solveTogether is one launch for all; blocks meet at a barrier of the grid.
template <int FORM> DEVICE void solveTogether(const Matrix &m) {
	Grid g;
	u32 round = 0;
	auto sync = [&] { syncGrid((u32 *)m.flags + ARRIVED, round); };
	auto reset = [&](int flag) {
		if (g.thread == 0) m.flags[flag] = 0;
	};
	reduceRows<true>(g, m);
	sync();
	reduceColumns<true>(g, m);
	sync();
	compress<FORM>(g, m);
	sync();
	if (blockIndex() == 0) star(m);
	for (;;) {
		sync();
		reset(FOUND);
		cover(g, m);
		sync();
		if (m.flags[STARS] == m.n) return;
		for (;;) {
			reset(AGAIN);
			if (blockIndex() == 0) countZeros(m);
			sync();
			prime(m);
			sync();
			bool found = m.flags[FOUND], again = m.flags[AGAIN];
			sync();
			if (found) break;
			if (again) continue;
			forget(g, m);
			leastSlack(m);
			sync();
			change<FORM>(toReal(leastOfBlocks(m)), g, m);
		}
		reset(STARS);
		mark(g, m);
		sync();
		flip(g, m);
	}
}
KERNEL(cooperative_h64, 1024, Matrix) { solveTogether<COOPERATIVE>(task); }
KERNEL(register_h64, 1024, Matrix) { solveTogether<REGISTER>(task); }
KERNEL(barrier_h64, 1024, Matrix) { solveTogether<BARRIER>(task); }
KERNEL(aggregated_h64, 1024, Matrix) { solveTogether<AGGREGATED>(task); }
