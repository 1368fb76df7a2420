// This file is what large problems do between bids and searches: a matching of as
// many rows as possible over tight entries alone, those at which a row's reduced cost
// is least. Small integers make most entries equal, and bidding leaves hundreds
// of rows to the searches, most of which need no change of prices: they find a
// column over tight entries, and can do so at the same time.
//
// First each row lists its tight entries. Then trees grow from all free rows at
// once, level by level; a column joins the tree whose row is the smallest of those
// that reach it first, so trees are disjoint, and each that has reached a free column
// assigns its row [1, 2]. When a round of trees assigns none, none can.
//
// Rows that list only part of their tight entries lose time, not exactness: prices
// stay as they are, pairs stay tight, and searches do the rest.
//
// [1] J. Hopcroft, R. Karp. An n^5/2 algorithm for maximum matchings in bipartite
// graphs. SIAM J. Computing 2 (1973).
// [2] K. Date, R. Nagi. GPU-accelerated Hungarian algorithms for the linear assignment
// problem. Parallel Computing 57 (2016).
#pragma once
#include "state.h"
#include "team.h"

// listTight lists the tight columns of each row: for each lane the first and the last
// that it meets. A free row gets its price.
template <typename Real, class Costs, class Team>
DEVICE void listTight(Team &team, const Problem<Real> &p, const Costs &costs, State<Real> &s) {
	for (int row = team.warp; row < p.rows; row += team.warps) {
		Real price = s.u[row];
		if (s.colOf[row] < 0) {
			Real least = infinity<Real>();
			costs.scan(row, s.v, team.lane, [&](Real y, int) { least = y < least ? y : least; });
			price = toReal(warpMin(toKey(least)));
			if (team.lane == 0) s.u[row] = price;
		}
		int first = NONE, last = NONE;
		costs.scan(row, s.v, team.lane, [&](Real y, int j) {
			if (!(y <= price) || y == infinity<Real>()) return;
			if (first < 0) first = j;
			else last = j;
		});
		s.tight[TIGHT * row + team.lane] = first;
		s.tight[TIGHT * row + 32 + team.lane] = last;
	}
	team.sync();
}

// claim lets row, on a level of the trees, claim the columns of its list.
template <typename Real> DEVICE void claim(int row, int level, int lane, State<Real> &s) {
#pragma unroll
	for (int z = 0; z < TIGHT; z += 32) {
		int j = s.tight[TIGHT * row + z + lane];
		if (j >= 0) atomicMin(&s.bid[j], (u64)level << 32 | (u32)row);
	}
}

// settle lets row take the columns that it has claimed first: a free one ends its
// tree, the row of another goes on from there, and is added to list.
template <typename Real> DEVICE void settle(int row, int level, int lane, int *list, int *count, State<Real> &s) {
	int root = s.root[row];
#pragma unroll
	for (int z = 0; z < TIGHT; z += 32) {
		int j = s.tight[TIGHT * row + z + lane];
		bool mine = j >= 0 && s.bid[j] == ((u64)level << 32 | (u32)row);
		int next = mine ? s.rowOf[j] : NONE;
		if (mine && next < 0) atomicMin(&s.sink[root], (u32)j);
		u32 mask = ballot(next >= 0);
		if (!mask) continue;
		int place = 0;
		if (lane == 0) place = atomicAdd(count, bitCount(mask));
		place = shuffle(place, 0) + bitCount(mask & lanesBelow(lane));
		if (next >= 0) {
			list[place] = next;
			s.root[next] = root;
		}
	}
}

// grow grows trees from the rows of list roots until they have a sink or no way on.
template <typename Real, class Team>
DEVICE void grow(const int *roots, int waiting, Team &team, const Problem<Real> &p, State<Real> &s, Work &work) {
	for (int j = team.thread; j < p.columns; j += team.threads) s.bid[j] = ~(u64)0;
	int *list[2] = {s.front, s.rows};
	for (int i = team.thread; i < waiting; i += team.threads) {
		int row = roots[i];
		list[0][i] = row;
		s.root[row] = row;
		s.sink[row] = ~0u;
	}
	if (team.thread == 0) s.count[0] = s.count[1] = 0;
	team.sync();
	int size = waiting;
	for (int level = 0, turn = 0; size > 0; level++, turn ^= 1) {
		work.levels++;
		for (int i = team.warp; i < size; i += team.warps) {
			int row = list[turn][i];
			if (s.sink[s.root[row]] == ~0u) claim(row, level, team.lane, s);
		}
		team.sync();
		if (team.thread == 0) s.count[turn ^ 1] = 0;
		for (int i = team.warp; i < size; i += team.warps) {
			settle(list[turn][i], level, team.lane, list[turn ^ 1], &s.count[turn], s);
		}
		team.sync();
		size = s.count[turn];
	}
}

// matchTight assigns as many of the waiting rows of the queue as tight entries allow.
template <typename Real, class Costs, class Team>
DEVICE void matchTight(int waiting, Team &team, const Problem<Real> &p, const Costs &costs, State<Real> &s, Work &work) {
	if (p.miss || waiting < 2) return; // a row that may stay free is no column
	listTight(team, p, costs, s);
	int *roots = s.queue, *left = s.left;
	for (;;) {
		grow(roots, waiting, team, p, s, work);
		for (int i = team.thread; i < waiting; i += team.threads) {
			int root = roots[i];
			int j = (int)s.sink[root];
			if (j < 0) continue;
			for (int row = NONE; row != root;) {
				row = (int)(u32)s.bid[j];
				int next = s.colOf[row];
				s.rowOf[j] = row;
				s.colOf[row] = j;
				j = next;
			}
		}
		team.sync();

		// Who is left?
		int n = 0;
		for (int base = 0; base < waiting; base += 32) {
			int i = base + team.lane;
			int row = i < waiting ? roots[i] : NONE;
			bool free = row >= 0 && s.colOf[row] < 0;
			u32 mask = ballot(free);
			if (free && team.warp == 0) left[n + bitCount(mask & lanesBelow(team.lane))] = row;
			n += bitCount(mask);
		}
		work.paths += waiting - n;
		team.sync();
		if (n == 0 || n == waiting) return;
		waiting = n;
		int *swap = roots;
		roots = left, left = swap;
	}
}
