// These kernels solve one problem in each block, for many problems at once: block
// i solves problem i, with the threads that the launch gives it, each of which has
// K columns.
#include "solve.h"

template <int K, typename Real, class Costs, bool SPARSE> DEVICE void solveBlock(const Task<Real> &task) {
	const Problem<Real> p = task.problems[blockIndex()];
	Block team;
	team.join(sharedMemory());
	State<Real> s;
	s.place(sharedMemory() + MEETING, p.rows, p.columns, team.warps, SPARSE);
	solve<K, Real, Costs>(team, p, task.tuning, s);
}

// prove takes a row by each warp.
template <typename Real> DEVICE void prove(const ProofTask<Real> &task) {
	int at = (blockIndex() * blockThreads() + threadIndex()) >> 5, lane = threadIndex() & 31;
	if (at >= task.allRows) return;
	const Problem<Real> &p = task.problems[at / task.rows];
	int row = at % task.rows, column = p.colOf[row];
	double least = infinity<double>(), paid = infinity<double>();
	bool bad = false;
	const Real *cost = p.cost + (long)row * padded(p.columns);
#pragma unroll 4
	for (int j = lane; j < p.columns; j += 32) {
		double x = constant(cost + j), reduced = x - p.v[j];
		bad |= !(x > -infinity<double>());
		least = reduced < least ? reduced : least;
		if (j == column) paid = x;
	}
	least = toReal(warpMin(toKey(least)));
	paid = toReal(warpMin(toKey(paid)));
	bool spoilt = ballot(bad) != 0;
	if (lane == 0) {
		task.proof[2 * at] = spoilt ? notANumber() : least;
		task.proof[2 * at + 1] = paid;
	}
}

// One module for each width of reals; the emulator has both. A kernel that may
// have 1024 threads may have 64 registers for each, which lets several blocks of
// fewer threads share a multiprocessor.
#if WIDTH != 32
KERNEL(dense1_f64, 1024, Task<double>) { solveBlock<1, double, Dense<double>, false>(task); }
KERNEL(prove_f64, 256, ProofTask<double>) { prove(task); }
KERNEL(sparse1_f64, 1024, Task<double>) { solveBlock<1, double, Sparse<double>, true>(task); }
KERNEL(sparse4_f64, 1024, Task<double>) { solveBlock<4, double, Sparse<double>, true>(task); }
#endif
#if WIDTH != 64
KERNEL(dense1_f32, 1024, Task<float>) { solveBlock<1, float, Dense<float>, false>(task); }
KERNEL(prove_f32, 256, ProofTask<float>) { prove(task); }
#endif
