// This file holds the teams that solve one problem: the threads of a block, or of
// all blocks of a cluster. They differ in their barrier and in where they meet.
#pragma once
#include "device.h"

const int NONE = -1;

// A Nearest is the least key of a team, and the least sink at that distance, or
// NONE. A sink ends a search: column c that is free is sink c, row r that may
// stay free is sink columns+r.
template <typename Key> struct Nearest {
	Key key;
	int sink;
};

// nearer makes a the nearer of a and b.
template <typename Key> DEVICE void nearer(Nearest<Key> &a, Key key, int sink) {
	if (key < a.key) {
		a.key = key;
		a.sink = sink;
	} else if (key == a.key && (u32)sink < (u32)a.sink) { // NONE is the largest
		a.sink = sink;
	}
}

// nearestOfWarp is the nearest of the lanes.
template <typename Key> DEVICE Nearest<Key> nearestOfWarp(Nearest<Key> mine) {
	Key key = warpMin(mine.key);
	int sink = (int)warpMin(mine.key == key ? (u32)mine.sink : ~0u);
	return Nearest<Key>{key, sink};
}

// nearestOfList does so with n candidates that a whole warp reads.
template <typename Key> DEVICE Nearest<Key> nearestOfList(const Nearest<Key> *list, int n, int lane) {
	Nearest<Key> mine = {~(Key)0, NONE};
	for (int i = lane; i < n; i += 32) nearer(mine, list[i].key, list[i].sink);
	return nearestOfWarp(mine);
}

// A Block is the team of one thread block. Its meeting point is two lists, used
// in turn so that one barrier is enough, of one Nearest for each warp.
struct Block {
	int thread, threads, lane, warp, warps, turn;
	char *meeting; // shared, 64 Nearest

	METHOD void join(char *shared) {
		thread = threadIndex();
		threads = blockThreads();
		lane = thread & 31;
		warp = thread >> 5;
		warps = threads >> 5;
		turn = 0;
		meeting = shared;
	}
	METHOD void sync() { syncBlock(); }

	template <typename Key> METHOD Nearest<Key> nearest(Nearest<Key> mine) {
		Nearest<Key> best = nearestOfWarp(mine);
		if (warps == 1) {
			syncBlock(); // callers count on it
			return best;
		}
		Nearest<Key> *list = (Nearest<Key> *)meeting + 32 * turn;
		turn ^= 1;
		if (lane == 0) list[warp] = best;
		syncBlock();
		return nearestOfList(list, warps, lane);
	}
};

#if defined(EMULATE) || __CUDA_ARCH__ >= 900
// A Cluster is the team of all blocks of a grid that is one cluster. Warps meet
// in their block first, blocks in global memory.
struct Cluster {
	int thread, threads, lane, warp, warps, turn;
	int blockWarps;
	char *meeting;  // shared, 32 Nearest
	char *exchange; // global, 2 lists of 32 Nearest

	METHOD void join(char *shared, char *global) {
		threads = blockThreads() * gridBlocks();
		thread = blockIndex() * blockThreads() + threadIndex();
		lane = thread & 31;
		warp = thread >> 5;
		warps = threads >> 5;
		blockWarps = blockThreads() >> 5;
		turn = 0;
		meeting = shared;
		exchange = global;
	}
	METHOD void sync() { syncCluster(); }

	template <typename Key> METHOD Nearest<Key> nearest(Nearest<Key> mine) {
		Nearest<Key> best = nearestOfWarp(mine);
		Nearest<Key> *list = (Nearest<Key> *)meeting;
		Nearest<Key> *all = (Nearest<Key> *)exchange + 32 * turn;
		turn ^= 1;
		if (lane == 0) list[threadIndex() >> 5] = best;
		syncBlock();
		if (threadIndex() < 32) {
			best = nearestOfList(list, blockWarps, lane);
			if (lane == 0) all[blockIndex()] = best;
		}
		syncCluster();
		return nearestOfList(all, gridBlocks(), lane);
	}
};
#endif
