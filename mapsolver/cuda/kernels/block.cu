// These kernels solve one problem in each block, for many problems at once: block
// i solves problem i, with the threads that the launch gives it, each of which has
// K columns.
#include "solve.h"

const int MEETING = 1024; // bytes of shared memory in which warps meet

template <int K, typename Real, template <typename> class Costs, bool SPARSE>
DEVICE void solveBlock(const Task<Real> &task) {
	const Problem<Real> &p = task.problems[blockIndex()];
	Block team;
	team.join(sharedMemory());
	State<Real> s;
	s.place(sharedMemory() + MEETING, p.rows, p.columns, team.warps, SPARSE);
	solve<K, Real, Costs<Real>>(team, p, task.tuning, s);
}

#define KERNELS(REAL, SUFFIX)                                                              \
	KERNEL(dense1##SUFFIX, 1024, Task<REAL>) { solveBlock<1, REAL, Dense, false>(task); }  \
	KERNEL(dense2##SUFFIX, 512, Task<REAL>) { solveBlock<2, REAL, Dense, false>(task); }   \
	KERNEL(sparse4##SUFFIX, 1024, Task<REAL>) { solveBlock<4, REAL, Sparse, true>(task); }

// One module for each width of reals; the emulator has both.
#if WIDTH != 64
KERNELS(float, _f32)
#endif
#if WIDTH != 32
KERNELS(double, _f64)
#endif
