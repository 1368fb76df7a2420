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

// A Hand is up to 32 rows that every warp holds: lane l, when in mask, has one
// row and what its entries add to.
template <typename Real> struct Hand {
	u32 mask;
	int row;
	Real offset;
};

// A Front is the rows to expand: in one hand, or, when there are more, in memory.
template <typename Real> struct Front {
	Hand<Real> hand;
	int stored; // rows in memory; 0: all are in the hand

	METHOD int hands() const { return stored ? (stored + 31) / 32 : 1; }
	METHOD Hand<Real> get(int i, int lane, const State<Real> &s) const {
		if (!stored) return hand;
		int n = stored - 32 * i, at = 32 * i + (lane < n ? lane : 0);
		return Hand<Real>{n < 32 ? lanesBelow(n) : ~0u, s.front[at], s.offset[at]};
	}
	METHOD int rows() const { return stored ? stored : bitCount(hand.mask); }
};

// followDense follows the entries of a hand: each thread reads its columns of
// several rows, then looks at them.
template <int K, typename Real, int AHEAD, class Team>
DEVICE void followDense(Column<Real> *c, const Hand<Real> &hand, Real least, Team &team,
		const Dense<Real, AHEAD> &costs) {
	const int ROWS = K == 1 ? 8 : K == 2 ? 4 : 2;
	for (u32 mask = hand.mask; mask;) {
		Real x[ROWS][K], offset[ROWS];
		int row[ROWS], n = 0;
#pragma unroll
		for (int z = 0; z < ROWS; z++) {
			if (z > 0 && !mask) break;
			int from = firstBit(mask);
			mask &= mask - 1;
			n = z + 1;
			row[z] = shuffle(hand.row, from);
			offset[z] = shuffle(hand.offset, from);
			const Real *cost = costs.row(row[z]);
#pragma unroll
			for (int k = 0; k < K; k++) {
				int j = team.thread + k * team.threads;
				x[z][k] = constant(cost + (j < costs.columns ? j : 0));
			}
		}
#pragma unroll
		for (int z = 0; z < ROWS; z++) {
			if (z >= n) break;
#pragma unroll
			for (int k = 0; k < K; k++) {
				Real d = x[z][k] - c[k].v + offset[z];
				reach(c[k], d < least ? least : d, row[z]);
			}
		}
	}
}

template <int K, typename Real, int AHEAD, class Team>
DEVICE void expand(Column<Real> *c, const Front<Real> &front, int, Real least, Team &team,
		const Dense<Real, AHEAD> &costs, State<Real> &s) {
	for (int i = 0; i < front.hands(); i++) followDense<K>(c, front.get(i, team.lane, s), least, team, costs);
}

// followSparse follows the entries of a hand: each warp takes rows, each lane
// entries.
template <typename Real, class Team>
DEVICE void followSparse(int pass, const Hand<Real> &hand, int level, Real least, Team &team,
		const Sparse<Real> &costs, State<Real> &s) {
	int i = 0;
	for (u32 mask = hand.mask; mask; mask &= mask - 1, i++) {
		int row = shuffle(hand.row, firstBit(mask));
		Real offset = shuffle(hand.offset, firstBit(mask));
		if (i % team.warps != team.warp) continue;
		long e0 = costs.begin(row);
		int n = costs.size(row);
		for (int k = team.lane; k < n; k += 32) {
			int j = costs.column(e0 + k);
			Real d = costs.at(e0 + k) - s.v[j] + offset;
			auto key = toKey(d < least ? least : d);
			if (pass == 0) atomicMin(&s.near[j], key);
			else if (key == s.near[j]) atomicMax(&s.bid[j], (u64)level << 32 | (u32)~row);
		}
	}
}

// Two rows of a sparse problem may reach one column at a time, so distances are
// agreed on first, and then, in bid, who came from where: the latest level counts,
// in it the smallest row.
template <int K, typename Real, class Team>
DEVICE void expand(Column<Real> *c, const Front<Real> &front, int level, Real least, Team &team,
		const Sparse<Real> &costs, State<Real> &s) {
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < front.hands(); i++) {
			followSparse(pass, front.get(i, team.lane, s), level, least, team, costs, s);
		}
		if (pass == 0) team.sync();
	}
#pragma unroll
	for (int k = 0; k < K; k++) {
		if (!c[k].outside) c[k].near = toReal(s.near[team.thread + k * team.threads]);
	}
}

// What follows keeps the shared side of a sparse search; a dense one has none.
template <int K, typename Real, int AHEAD, class Team>
DEVICE void begin(const Column<Real> *, Team &, const Dense<Real, AHEAD> &, State<Real> &) {}
template <int K, typename Real, class Team>
DEVICE void begin(const Column<Real> *c, Team &team, const Sparse<Real> &, State<Real> &s) {
#pragma unroll
	for (int k = 0; k < K; k++) {
		int j = team.thread + k * team.threads;
		if (c[k].outside) continue;
		s.near[j] = toKey(infinity<Real>());
		s.bid[j] = 0;
	}
	team.sync();
}
template <typename Real, int AHEAD> DEVICE void close(int, const Dense<Real, AHEAD> &, State<Real> &) {}
template <typename Real> DEVICE void close(int j, const Sparse<Real> &, State<Real> &s) {
	atomicMin(&s.near[j], (typename KeyOf<Real>::type)0); // others may be at it already
}
template <typename Real, int AHEAD>
DEVICE int before(const Column<Real> &c, int, const Dense<Real, AHEAD> &, State<Real> &) { return c.before; }
template <typename Real>
DEVICE int before(const Column<Real> &, int j, const Sparse<Real> &, State<Real> &s) { return (int)~(u32)s.bid[j]; }
template <typename Real, int AHEAD> DEVICE void storePrice(int, Real, const Dense<Real, AHEAD> &, State<Real> &) {}
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

// offer is what a thread has to offer: the nearest of its columns that are outside
// the tree.
template <int K, typename Real, class Team>
DEVICE Offer<Real> offer(const Column<Real> *c, const Offer<Real> &free, Team &team) {
	Offer<Real> best = free;
#pragma unroll
	for (int k = 0; k < K; k++) {
		auto key = toKey(c[k].near);
		if (c[k].outside || key > best.key) continue;
		int sink = c[k].row < 0 ? team.thread + k * team.threads : NONE;
		if (key < best.key) {
			best = Offer<Real>{key, sink, 1, c[k].row, c[k].u};
		} else {
			best.columns++;
			best.row = c[k].row, best.u = c[k].u;
			if ((u32)sink < (u32)best.sink) best.sink = sink;
		}
	}
	return best;
}

// join takes the columns at the least distance into the tree, and returns their
// rows.
template <int K, typename Real, class Team, class Costs>
DEVICE Front<Real> join(Column<Real> *c, const Step<Real> &step, int &turn, Team &team, const Costs &costs,
		State<Real> &s) {
	Real least = toReal(step.key);
	Front<Real> front = {{step.mask, step.row, least - step.u}, 0};
	if (!step.lone && team.thread == 0) s.count[turn ^ 1] = 0;
#pragma unroll
	for (int k = 0; k < K; k++) {
		bool joins = !c[k].outside && toKey(c[k].near) == step.key;
		if (joins) {
			c[k].outside = true;
			close(team.thread + k * team.threads, costs, s);
		}
		if (step.lone) continue;
		u32 mask = ballot(joins);
		if (!mask) continue;
		int place = 0;
		if (team.lane == 0) place = atomicAdd(&s.count[turn], bitCount(mask));
		place = shuffle(place, 0) + bitCount(mask & lanesBelow(team.lane));
		if (joins) {
			s.front[place] = c[k].row;
			s.offset[place] = least - c[k].u;
		}
	}
	if (!step.lone) {
		team.sync();
		front.stored = s.count[turn];
		turn ^= 1;
	}
	return front;
}

// serve searches from each of the first waiting rows of the queue.
template <int K, typename Real, class Costs, class Team>
DEVICE void serve(int waiting, Team &team, const Problem<Real> &p, const Costs &costs, State<Real> &s, Work &work) {
	const Real INF = infinity<Real>();
	Column<Real> c[K];
#pragma unroll
	for (int k = 0; k < K; k++) {
		int j = team.thread + k * team.threads;
		c[k].v = j < p.columns ? s.v[j] : 0;
	}
	loadPartners<K>(c, team, p.columns, s);
	if (team.thread == 0) s.count[0] = s.count[1] = 0;
	team.sync();

	int turn = 0;
	for (int i = 0; i < waiting; i++) {
		int root = s.queue[i];
#pragma unroll
		for (int k = 0; k < K; k++) {
			c[k].near = INF;
			c[k].before = NONE;
			c[k].outside = team.thread + k * team.threads >= p.columns;
		}
		begin<K>(c, team, costs, s);

		Front<Real> front = {{1, root, 0}, 0};
		Real least = -INF;
		Offer<Real> free = {toKey(INF), NONE, 0, 0, 0}; // of rows that may stay free
		Step<Real> step;
		for (int level = 1;; level++) {
			work.levels++;
			work.scanned += front.rows();
			for (int h = 0; p.miss && team.warp == 0 && h < front.hands(); h++) {
				Hand<Real> hand = front.get(h, team.lane, s);
				if (!(hand.mask >> team.lane & 1)) continue;
				Real d = constant(p.miss + hand.row) + hand.offset;
				auto key = toKey(d < least ? least : d);
				int sink = p.columns + hand.row;
				if (key < free.key || (key == free.key && sink < free.sink)) free.key = key, free.sink = sink;
			}
			expand<K>(c, front, level, least, team, costs, s);
			step = team.step(offer<K>(c, free, team));
			if (step.sink >= 0 || step.key >= toKey(INF)) break;
			least = toReal(step.key);
			front = join<K>(c, step, turn, team, costs, s);
		}
		if (step.key >= toKey(INF)) {
			work.status |= UNSERVED;
			continue;
		}

		// Prices change by how much nearer than the sink a column is.
		least = toReal(step.key);
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
		if (team.thread == 0) augment(root, step.sink, p.columns, s);
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
