// These kernels solve one large dense problem by a cluster of blocks, which cards of
// compute capability 9.0 have: the blocks run at the same time and share a barrier.
// The state is in global memory, that is, in the cache which all blocks share.
#include "solve.h"

template <int K> DEVICE void solveCluster(const Task<float> &task) {
	const Problem<float> p = task.problems[0];
	Cluster team;
	team.join(sharedMemory());
	State<float> s;
	s.place(p.memory, p.rows, p.columns, team.warps, false, true);
	solve<K, float, Dense<float, 8>>(team, p, task.tuning, s);
}

KERNEL(cluster1_c32, 512, Task<float>) { solveCluster<1>(task); }
KERNEL(cluster2_c32, 512, Task<float>) { solveCluster<2>(task); }
KERNEL(cluster4_c32, 512, Task<float>) { solveCluster<4>(task); }
