// This file is the second part of a solve: a shortest path for each row that is
// still free, by Dijkstra's search over reduced costs, from the row to a free
// column or to a row that may stay free instead. All columns at the distance at
// hand join the tree together, so their rows are read at once: bidding has left
// many entries tight, and most steps of a search are of length 0.
//
// A thread keeps what it needs of its K columns in registers: column k of thread t
// is t+k*threads. Ties go to the smaller row and the smaller sink, so the answer
// does not depend on the order in which threads run.
#pragma once
#include "state.h"
#include "team.h"

// A Column is what a thread knows of one of its columns.
template <typename Real> struct Column {
	Real v;       // price
	Real u;       // price of its row
	Real near;    // distance from the root; +Inf: not reached
	int row;      // its row, or NONE
	int before;   // the row it was reached from
	bool outside; // its distance is final, or there is no such column
};

// reach notes a way to c.
template <typename Real> DEVICE void reach(Column<Real> &c, Real distance, int row) {
	if (!c.outside && (distance < c.near || (distance == c.near && row < c.before))) {
		c.near = distance;
		c.before = row;
	}
}

// expand follows the entries of the rows in front, dense: each thread reads its
// columns of several rows, then looks at them.
template <int K, typename Real, class Team>
DEVICE void expand(Column<Real> *c, int front, int, Real least, Team &team, const Dense<Real> &costs, State<Real> &s) {
	const int ROWS = K == 1 ? 8 : K == 2 ? 4 : 2;
	for (int i = 0; i < front; i += ROWS) {
		Real x[ROWS][K], offset[ROWS];
		int row[ROWS];
#pragma unroll
		for (int z = 0; z < ROWS; z++) {
			if (z > 0 && i + z >= front) break;
			row[z] = s.front[i + z];
			offset[z] = s.offset[i + z];
			long e0 = costs.begin(row[z]);
#pragma unroll
			for (int k = 0; k < K; k++) {
				int j = team.thread + k * team.threads;
				x[z][k] = costs.at(e0 + (j < costs.columns ? j : 0));
			}
		}
#pragma unroll
		for (int z = 0; z < ROWS; z++) {
			if (z > 0 && i + z >= front) break;
#pragma unroll
			for (int k = 0; k < K; k++) {
				Real d = x[z][k] - c[k].v + offset[z];
				reach(c[k], d < least ? least : d, row[z]);
			}
		}
	}
}

// expand, sparse: each warp takes rows, each lane entries. Two rows may reach one
// column, so distances are agreed on first, and then, in bid, who came from where:
// the latest level counts, in it the smallest row.
template <int K, typename Real, class Team>
DEVICE void expand(Column<Real> *c, int front, int level, Real least, Team &team, const Sparse<Real> &costs,
		State<Real> &s) {
	for (int pass = 0; pass < 2; pass++) {
		for (int i = team.warp; i < front; i += team.warps) {
			int row = s.front[i];
			Real offset = s.offset[i];
			long e0 = costs.begin(row);
			int n = costs.size(row);
			for (int k = team.lane; k < n; k += 32) {
				int j = costs.column(e0, k);
				Real d = costs.at(e0 + k) - s.v[j] + offset;
				auto key = toKey(d < least ? least : d);
				if (pass == 0) {
					if (key < s.near[j]) atomicMin(&s.near[j], key);
				} else if (key == s.near[j]) {
					atomicMax(&s.bid[j], (u64)level << 32 | (u32)~row);
				}
			}
		}
		if (pass == 0) team.sync();
	}
#pragma unroll
	for (int k = 0; k < K; k++) {
		if (!c[k].outside) c[k].near = toReal(s.near[team.thread + k * team.threads]);
	}
}

// begin and finish keep the shared side of a sparse search; a dense one has none.
template <int K, typename Real, class Team>
DEVICE void begin(const Column<Real> *, Team &, const Dense<Real> &, State<Real> &) {}
template <int K, typename Real, class Team>
DEVICE void begin(const Column<Real> *c, Team &team, const Sparse<Real> &, State<Real> &s) {
#pragma unroll
	for (int k = 0; k < K; k++) {
		int j = team.thread + k * team.threads;
		if (c[k].outside) continue;
		s.near[j] = toKey(infinity<Real>());
		s.bid[j] = 0;
	}
}
template <typename Real> DEVICE void close(int, const Dense<Real> &, State<Real> &) {}
template <typename Real> DEVICE void close(int j, const Sparse<Real> &, State<Real> &s) { s.near[j] = 0; }
template <typename Real>
DEVICE int before(const Column<Real> &c, int, const Dense<Real> &, State<Real> &) { return c.before; }
template <typename Real>
DEVICE int before(const Column<Real> &, int j, const Sparse<Real> &, State<Real> &s) { return (int)~(u32)s.bid[j]; }
template <typename Real> DEVICE void storePrice(int, Real, const Dense<Real> &, State<Real> &) {}
template <typename Real> DEVICE void storePrice(int j, Real v, const Sparse<Real> &, State<Real> &s) { s.v[j] = v; }

// load reads the partner of each column of the thread.
template <int K, typename Real, class Team>
DEVICE void loadPartners(Column<Real> *c, Team &team, int columns, State<Real> &s) {
#pragma unroll
	for (int k = 0; k < K; k++) {
		int j = team.thread + k * team.threads;
		c[k].row = j < columns ? s.rowOf[j] : NONE;
		c[k].u = c[k].row >= 0 ? s.u[c[k].row] : 0;
	}
}

// augment hands columns on along the path from root to sink.
template <typename Real> DEVICE void augment(int root, int sink, int columns, State<Real> &s) {
	int j = sink;
	if (sink >= columns) { // a row that stays free
		int row = sink - columns;
		j = s.colOf[row];
		s.colOf[row] = MISS;
		if (row == root) return;
	}
	for (;;) {
		int row = s.front[j], next = s.colOf[row];
		s.rowOf[j] = row;
		s.colOf[row] = j;
		if (row == root) return;
		j = next;
	}
}

// serve searches from each of the first waiting rows of the queue.
template <int K, typename Real, class Costs, class Team>
DEVICE void serve(int waiting, Team &team, const Problem<Real> &p, const Costs &costs, State<Real> &s, Work &work) {
	typedef typename KeyOf<Real>::type Key;
	const Real INF = infinity<Real>();
	Column<Real> c[K];
#pragma unroll
	for (int k = 0; k < K; k++) {
		int j = team.thread + k * team.threads;
		c[k].v = j < p.columns ? s.v[j] : 0;
	}
	loadPartners<K>(c, team, p.columns, s);

	for (int i = 0; i < waiting; i++) {
		int root = s.queue[i];
#pragma unroll
		for (int k = 0; k < K; k++) {
			c[k].near = INF;
			c[k].before = NONE;
			c[k].outside = team.thread + k * team.threads >= p.columns;
		}
		begin<K>(c, team, costs, s);
		if (team.thread == 0) {
			s.front[0] = root;
			s.offset[0] = 0;
			s.count[0] = s.count[1] = 0;
		}
		team.sync();

		int front = 1, turn = 0, level = 0;
		Real least = -INF;
		Nearest<Key> free = {~(Key)0, NONE}; // row of this thread that may stay free
		Nearest<Key> nearest;
		for (;;) {
			level++;
			work.scanned += front;
			if (p.miss) {
				for (int r = team.thread; r < front; r += team.threads) {
					Real d = constant(p.miss + s.front[r]) + s.offset[r];
					nearer(free, toKey(d < least ? least : d), p.columns + s.front[r]);
				}
			}
			expand<K>(c, front, level, least, team, costs, s);
			Nearest<Key> mine = free;
#pragma unroll
			for (int k = 0; k < K; k++) {
				if (c[k].outside) continue;
				nearer(mine, toKey(c[k].near), c[k].row < 0 ? team.thread + k * team.threads : NONE);
			}
			nearest = team.nearest(mine);
			if (nearest.sink >= 0 || nearest.key >= toKey(INF)) break;

			// The columns at that distance join the tree, their rows the front.
			least = toReal(nearest.key);
			if (team.thread == 0) s.count[turn ^ 1] = 0;
#pragma unroll
			for (int k = 0; k < K; k++) {
				bool join = !c[k].outside && toKey(c[k].near) == nearest.key;
				u32 mask = ballot(join);
				if (!mask) continue;
				int place = 0;
				if (team.lane == 0) place = atomicAdd(&s.count[turn], bitCount(mask));
				place = shuffle(place, 0) + bitCount(mask & lanesBelow(team.lane));
				if (join) {
					c[k].outside = true;
					s.front[place] = c[k].row;
					s.offset[place] = least - c[k].u;
					close(team.thread + k * team.threads, costs, s);
				}
			}
			team.sync();
			front = s.count[turn];
			turn ^= 1;
		}
		work.levels += level;
		if (nearest.key >= toKey(INF)) {
			work.status |= UNSERVED;
			continue;
		}

		// Prices change by how much nearer than the sink a column is.
		least = toReal(nearest.key);
#pragma unroll
		for (int k = 0; k < K; k++) {
			int j = team.thread + k * team.threads;
			if (j >= p.columns) continue;
			s.front[j] = before(c[k], j, costs, s);
			if (c[k].outside) {
				Real nearer = least - c[k].near;
				c[k].v -= nearer;
				s.u[c[k].row] = c[k].u + nearer;
				storePrice(j, c[k].v, costs, s);
			}
		}
		if (team.thread == 0) s.u[root] = least;
		team.sync();
		if (team.thread == 0) augment(root, nearest.sink, p.columns, s);
		work.paths++;
		team.sync();
		loadPartners<K>(c, team, p.columns, s);
	}
#pragma unroll
	for (int k = 0; k < K; k++) {
		int j = team.thread + k * team.threads;
		if (j < p.columns) s.v[j] = c[k].v;
	}
}
