// These kernels are the cost distribution of Kawtikwar and Nagi [1] in the forms that they compare:
// a cost for every three detections of three frames. They keep the order of threads of the
// article; the costs of a cube lie so that neighbouring threads of algorithm 3 have neighbouring costs.
#pragma once
#include "model.h"

// place is where the cost of i, j and k lies, of nodes of the first, second and third frame of block t.
DEVICE long place(const CubeTask &c, int t, int i, int j, int k) {
	return (((long)t * c.n + i) * c.n + k) * c.n + j;
}

// cube_fill puts the same cost everywhere.
KERNEL(cube_fill, 256, CubeTask) {
	long all = (long)task.blocks * task.n * task.n * task.n, step = (long)gridBlocks() * blockThreads();
	for (long x = (long)blockIndex() * blockThreads() + threadIndex(); x < all; x += step) task.y[x] = task.outside;
}

// cube_list puts costs where the list says, by the lists of heads.
KERNEL(cube_list, 32, CubeTask) {
	int k = blockIndex() % task.n, t = blockIndex() / task.n;
	for (long p = task.pointer[blockIndex()] + threadIndex(); p < task.pointer[blockIndex() + 1]; p += 32) {
		task.y[place(task, t, task.i[p], task.j[p], k)] = task.cost[p];
	}
}

// cube_naive is algorithm 3: a thread for each j, k and t, which goes through all i.
KERNEL(cube_naive, 256, CubeTask) {
	int n = task.n;
	long x = (long)blockIndex() * blockThreads() + threadIndex();
	if (x >= (long)task.blocks * n * n) return;
	int t = (int)(x / ((long)n * n)), rest = (int)(x % ((long)n * n)), k = rest / n, j = rest % n;
	double v = task.v[x];
	for (int i = 0; i < n; i++) task.y[place(task, t, i, j, k)] -= v;
}

// cube_compressed is algorithm 4: a block of 32 threads for each k and t, which goes through the
// costs inside the gate.
KERNEL(cube_compressed, 32, CubeTask) {
	int n = task.n, k = blockIndex() % n, t = blockIndex() / n;
	const double *v = task.v + ((long)t * n + k) * n;
	for (long p = task.pointer[blockIndex()] + threadIndex(); p < task.pointer[blockIndex() + 1]; p += 32) {
		int j = constant(task.j + p);
		task.y[place(task, t, constant(task.i + p), j, k)] -= constant(v + j);
	}
}

// cube_least is the y problem: a thread for each i, j and t takes the least over k.
KERNEL(cube_least, 256, CubeTask) {
	int n = task.n;
	long x = (long)blockIndex() * blockThreads() + threadIndex();
	if (x >= (long)task.blocks * n * n) return;
	int t = (int)(x / ((long)n * n)), rest = (int)(x % ((long)n * n)), i = rest / n, j = rest % n;
	double best = infinity<double>();
	for (int k = 0; k < n; k++) best = least(best, task.y[place(task, t, i, j, k)]);
	task.gamma[x] = best;
}
