// This kernel solves large dense problems on cards without clusters: one in each
// block, with its state in global memory.
#include "solve.h"

KERNEL(wide16_w32, 512, Task<float>) {
	const Problem<float> p = task.problems[blockIndex()];
	Block team;
	team.join(sharedMemory());
	State<float> s;
	s.place(p.memory, p.rows, p.columns, team.warps, false, true);
	solve<16, float, Dense<float>>(team, p, task.tuning, s);
}
