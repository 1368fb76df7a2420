// These kernels solve one large dense problem by a cluster of blocks, which cards of
// compute capability 9.0 have: the blocks run at the same time and share a barrier.
// The state is in global memory, that is, in the cache which all blocks share.
#include "solve.h"

const int EXCHANGE = 1024; // bytes before the state in which blocks meet

template <int K> DEVICE void solveCluster(const Task<float> &task) {
	const Problem<float> &p = task.problems[0];
	Cluster team;
	team.join(sharedMemory(), p.memory);
	State<float> s;
	s.place(p.memory + EXCHANGE, p.rows, p.columns, team.warps, false);
	solve<K, float, Dense<float>>(team, p, task.tuning, s);
}

KERNEL(cluster1_c32, 1024, Task<float>) { solveCluster<1>(task); }
KERNEL(cluster2_c32, 1024, Task<float>) { solveCluster<2>(task); }
