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

// A warp has 32 columns that follow one another for each k, from firstColumn.
template <class Team> DEVICE int firstColumn(int k, const Team &team) { return k * team.threads + 32 * team.warp; }

// followSparse follows the entries of a hand: each warp reads all of a row, and its
// lanes hand those of the warp's columns to each other.
template <int K, typename Real, class Team>
DEVICE void followSparse(Column<Real> *c, const Hand<Real> &hand, Real least, Team &team,
		const Sparse<Real> &costs, State<Real> &s) {
	bool has = hand.mask >> team.lane & 1;
	int begin = has ? (int)costs.begin(hand.row) : 0, size = has ? costs.size(hand.row) : 0;
	for (u32 mask = hand.mask; mask; mask &= mask - 1) {
		int from = firstBit(mask);
		int row = shuffle(hand.row, from), e0 = shuffle(begin, from), n = shuffle(size, from);
		Real offset = shuffle(hand.offset, from);
		for (int i = team.lane; i - team.lane < n; i += 32) {
			int j = i < n ? costs.column(e0 + i) : NONE;
			Real x = i < n ? costs.at(e0 + i) : 0;
			u32 there[K];
#pragma unroll
			for (int k = 0; k < K; k++) {
				u32 at = (u32)(j - firstColumn(k, team));
				if (at < 32) s.slot[j] = x;
				there[k] = warpOr(at < 32 ? 1u << at : 0);
			}
			syncWarp();
#pragma unroll
			for (int k = 0; k < K; k++) {
				if (!(there[k] >> team.lane & 1)) continue;
				Real d = s.slot[firstColumn(k, team) + team.lane] - c[k].v + offset;
				reach(c[k], d < least ? least : d, row);
			}
			syncWarp();
		}
	}
}

template <int K, typename Real, int AHEAD, class Team>
DEVICE void follow(Column<Real> *c, const Hand<Real> &hand, Real least, Team &team,
		const Dense<Real, AHEAD> &costs, State<Real> &) {
	followDense<K>(c, hand, least, team, costs);
}
template <int K, typename Real, class Team>
DEVICE void follow(Column<Real> *c, const Hand<Real> &hand, Real least, Team &team,
		const Sparse<Real> &costs, State<Real> &s) {
	followSparse<K>(c, hand, least, team, costs, s);
}

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
template <int K, typename Real, class Team>
DEVICE Front<Real> join(Column<Real> *c, const Step<Real> &step, int &turn, Team &team, State<Real> &s) {
	Real least = toReal(step.key);
	Front<Real> front = {{step.mask, step.row, least - step.u}, 0};
	if (!step.lone && team.thread == 0) s.count[turn ^ 1] = 0;
#pragma unroll
	for (int k = 0; k < K; k++) {
		bool joins = !c[k].outside && toKey(c[k].near) == step.key;
		if (joins) c[k].outside = true;
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

		Front<Real> front = {{1, root, 0}, 0};
		Real least = -INF;
		Offer<Real> free = {toKey(INF), NONE, 0, 0, 0}; // of rows that may stay free
		Step<Real> step;
		for (;;) {
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
			for (int h = 0; h < front.hands(); h++) follow<K>(c, front.get(h, team.lane, s), least, team, costs, s);
			step = team.step(offer<K>(c, free, team));
			if (step.sink >= 0 || step.key >= toKey(INF)) break;
			least = toReal(step.key);
			front = join<K>(c, step, turn, team, s);
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
			s.front[j] = c[k].before;
			if (c[k].outside) {
				Real nearer = least - c[k].near;
				c[k].v -= nearer;
				s.u[c[k].row] = c[k].u + nearer;
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
