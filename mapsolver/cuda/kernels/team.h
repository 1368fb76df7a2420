// This file holds the teams that solve one problem: the threads of a block, or of
// all blocks of a cluster. They differ in their barrier and in where they meet.
#pragma once
#include "internal/cuda/kernels/device.h"
#include "layout.h"

// An Offer is what a thread, a warp or a block brings to a step of a search: the
// least distance that it knows, as a key; the least sink at that distance, or NONE;
// and, in case there is no sink, how many of its columns are that far away, with
// the row and its price of one of them. A sink ends a search: column c that is free
// is sink c, row r that may stay free is sink columns+r.
template <typename Real> struct Offer {
	typename KeyOf<Real>::type key;
	int sink, columns, row;
	Real u;
};

// bestOfWarp is what the lanes of a warp have to offer together.
template <typename Real> DEVICE Offer<Real> bestOfWarp(const Offer<Real> &mine) {
	Offer<Real> best;
	best.key = warpMin(mine.key);
	bool near = mine.key == best.key;
	best.sink = (int)warpMin(near ? (u32)mine.sink : ~0u); // NONE is the largest
	u32 mask = ballot(near && mine.columns > 0);
	u32 more = ballot(near && mine.columns > 1);
	best.columns = more ? 2 : bitCount(mask);
	int lane = mask ? firstBit(mask) : 0;
	best.row = shuffle(mine.row, lane);
	best.u = shuffle(mine.u, lane);
	return best;
}

// A Step is what a team agrees on: the least distance, and the least sink there.
// When lone is set, no member of the team (a warp, or a block of a cluster) has
// more than one column at that distance, and the rows of these columns are in row
// and u of the lanes in mask, of every warp.
template <typename Real> struct Step {
	typename KeyOf<Real>::type key;
	int sink;
	bool lone;
	u32 mask;
	int row;
	Real u;
};

// agree makes a Step of n <= 32 offers.
template <typename Real> DEVICE Step<Real> agree(const Offer<Real> *offers, int n, int lane) {
	Offer<Real> mine = offers[lane < n ? lane : 0];
	Step<Real> step;
	step.key = warpMin(mine.key);
	bool near = lane < n && mine.key == step.key;
	step.sink = (int)warpMin(near ? (u32)mine.sink : ~0u);
	step.mask = ballot(near && mine.columns > 0);
	step.lone = ballot(near && mine.columns > 1) == 0;
	step.row = mine.row;
	step.u = mine.u;
	return step;
}

// A Block is the team of one thread block. Its meeting point is two lists, used
// in turn so that one barrier is enough, of one Offer for each warp.
struct Block {
	int thread, threads, lane, warp, warps, turn;
	char *meeting; // shared, 64 offers

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

	template <typename Real> METHOD Step<Real> step(const Offer<Real> &mine) {
		Offer<Real> best = bestOfWarp(mine);
		Offer<Real> *list = (Offer<Real> *)meeting + 32 * turn;
		turn ^= 1;
		if (lane == 0) list[warp] = best;
		syncBlock();
		return agree(list, warps, lane);
	}
};

#if defined(EMULATE) || __CUDA_ARCH__ >= 900
// A Cluster is the team of all blocks of a grid that is one cluster. Warps meet in
// their block first, then each block tells all others its offer.
struct Cluster {
	int thread, threads, lane, warp, warps, turn;
	int blockWarps;
	char *meeting; // shared, of the warps 32 offers, of the blocks 2 lists of 16

	METHOD void join(char *shared) {
		threads = blockThreads() * gridBlocks();
		thread = blockIndex() * blockThreads() + threadIndex();
		lane = thread & 31;
		warp = thread >> 5;
		warps = threads >> 5;
		blockWarps = blockThreads() >> 5;
		turn = 0;
		meeting = shared;
	}
	METHOD void sync() { syncCluster(); }

	template <typename Real> METHOD Step<Real> step(const Offer<Real> &mine) {
		Offer<Real> best = bestOfWarp(mine);
		Offer<Real> *list = (Offer<Real> *)meeting;
		Offer<Real> *all = list + 32 + 16 * turn;
		turn ^= 1;
		if (lane == 0) list[threadIndex() >> 5] = best;
		syncBlock();
		if (threadIndex() < 32) {
			best = bestOfWarp(lane < blockWarps ? list[lane] : Offer<Real>{~(typename KeyOf<Real>::type)0, NONE, 0, 0, 0});
			if (lane < gridBlocks()) ((Offer<Real> *)sharedOf(lane, (char *)all))[blockIndex()] = best;
		}
		syncCluster();
		return agree(all, gridBlocks(), lane);
	}
};
#endif
