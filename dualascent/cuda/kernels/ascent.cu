// These kernels are the steps of a pass of dual ascent [1, algorithm 1; ours in
// package dualascent]. A pass visits the gaps of even number, all at once, and then
// the others. What a gap shares with its neighbours lies in the blocks between, and
// its neighbours rest while it takes from both sides and gives back to both, so
// that the sum of the values of the gaps is a lower bound at any time.
//
// [1] S. Kawtikwar, R. Nagi. Multi-target tracking with GPU-accelerated data
// association engine. FUSION 2023.
#include "blocks.h"

// pull lets the gaps take over what the blocks on both sides have.
KERNEL(pull, 256, PassTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists() || !x.interior()) return;
	if (x.row(task.colour)) {
		right(x, [&](int k, double least) {
			if (k < x.outs) m.v[x.out + k] = least;
			else m.vDeath[x.n] = least;
		});
	} else if (x.columnOf(task.colour)) {
		left(x, [&](int k, double least) {
			if (k < x.ins) m.u[constant(m.entry + x.in + k)] = least;
			else m.uBirth[x.n] = least;
		});
	}
}

// pose states the assignment problems. A column that has no row costs nothing: what
// its birth costs is taken off its entries.
KERNEL(pose, 256, PassTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists()) return;
	if (x.row(task.colour)) {
		for (int a = x.out + x.lane; a < x.out + x.outs; a += 32) {
			int h = x.head(a);
			m.theta[a] = constant(m.cost + a) + m.u[a] + m.v[a] - (constant(m.birth + h) + m.uBirth[h]);
		}
		if (x.lane == 0) m.miss[x.n] = constant(m.death + x.n) + m.vDeath[x.n];
	} else if (x.columnOf(task.colour) && x.lane == 0) {
		m.price[0][x.n] = m.column0[x.n] - (constant(m.birth + x.n) + m.uBirth[x.n]);
	}
}

// settle solves p, or ends when the budget of bids and paths is spent: what waits then
// gets the best price that it can have, and goes on from there the next time.
template <int K>
DEVICE void settle(int bids, int paths, Block &team, const Problem<double> &p, State<double> &s, Work &work) {
	Sparse<double> costs(p);
	for (int j = team.thread; j < p.columns; j += team.threads) s.bid[j] = 0;
	if (team.thread < padded(p.columns) - p.columns) s.v[p.columns + team.thread] = 0;
	for (int j = team.thread; j < p.columns; j += team.threads) s.v[j] = p.flags & WARM ? least(p.v[j], 0) : 0;
	forgetPairs(team, p, s);
	Bidding<double> b = {0, p.rows, 0, 0};
	if (p.flags & WARM) {
		keepPairs(team, p, costs, s);
		team.sync();
		b.waiting = listFree(team, p, s);
	}
	bidding(b, 0.0, bids, 2, team, p, costs, s, work);
	int waiting = listFree(team, p, s);
	serve<K>(waiting < paths ? waiting : paths, team, p, costs, s, work);
	team.sync();
	for (int r = team.warp; r < p.rows; r += team.warps) {
		if (s.colOf[r] != NONE) continue;
		double best = constant(p.miss + r);
		costs.scan(r, s.v, team.lane, [&](double y, int) { best = least(best, y); });
		best = warpLeast(best);
		if (team.lane == 0) s.u[r] = best;
	}
	work.paths = waiting - work.paths;
	team.sync();
}

// match solves the assignment problem of a gap by a block, whose threads have K
// columns each. From warm prices it may end with a column that is free at a price
// below zero, that is, with a proof of less than there is: then it begins anew.
template <int K> DEVICE void match(const MatchTask &task) {
	const Model &m = task.model;
	int gap = task.colour + 2 * blockIndex();
	if (gap < m.firstGap || gap >= m.endGap) return;
	int rows = m.first[gap], columns = m.first[gap + 1];
	Problem<double> p;
	p.cost = m.theta, p.start = m.out + rows, p.column = m.column, p.miss = m.miss + rows;
	p.v = m.price[0] + columns, p.colOf = m.mate + rows;
	p.rows = columns - rows, p.columns = m.first[gap + 2] - columns;
	p.flags = OPEN | (task.warm ? WARM : 0);

	Block team;
	State<double> s;
	Work work = {0, 0, 0, 0, 0, 0};
	int bids = task.bids, paths = task.paths;
	for (;;) {
		team.join(sharedMemory());
		s.place(sharedMemory() + MEETING, p.rows, p.columns, team.warps, true);
		work.paths = 0;
		settle<K>(bids, paths, team, p, s, work);
		if (!(p.flags & WARM) || work.paths > 0) break;
		if (team.thread == 0) s.count[0] = 0;
		team.sync();
		for (int base = 0; base < p.columns; base += team.threads) {
			int j = base + team.thread;
			u32 low = ballot(j < p.columns && s.rowOf[j] < 0 && s.v[j] < 0);
			if (low && team.lane == 0) atomicAdd(&s.count[0], bitCount(low));
		}
		team.sync();
		bool anew = s.count[0] > 0;
		team.sync();
		if (!anew) break;
		p.flags &= ~WARM;
		bids = 2 * p.rows, paths = p.rows;
	}
	for (int j = team.thread; j < p.columns; j += team.threads) {
		m.price[0][columns + j] = s.v[j];
		m.rowOf[columns + j] = s.rowOf[j];
	}
	for (int i = team.thread; i < p.rows; i += team.threads) {
		m.row[0][rows + i] = s.u[i];
		m.mate[rows + i] = s.colOf[i];
	}
	if (team.warp > 0) return;
	double sum = 0;
	for (int i = team.lane; i < p.rows; i += 32) sum += s.u[i];
	for (int j = team.lane; j < p.columns; j += 32) {
		int h = columns + j;
		sum += s.v[j] + (m.birth[h] + m.uBirth[h]);
	}
	sum = warpSum(sum, team.lane);
	if (team.lane == 0) {
		int *counts = m.counts + 4 * gap;
		m.value[gap] = sum;
		counts[0] = work.rounds;
		counts[1] = work.levels;
		counts[2] = work.scanned;
		counts[3] = work.paths; // not found
	}
}
KERNEL(match1, 512, MatchTask) { match<1>(task); }
KERNEL(match4, 1024, MatchTask) { match<4>(task); }

// spare is the least reduced cost of column h, its birth included, but for the row
// mate: all lanes.
DEVICE double spare(const Model &m, int h, int mate, int lane, const double *row, double beta) {
	int in = constant(m.in + h), ins = constant(m.in + h + 1) - in;
	double low = -beta;
#pragma unroll 2
	for (int k = in + lane; k < in + ins; k += 32) {
		int i = constant(m.source + k);
		double r = m.theta[constant(m.entry + k)] - row[i] - beta;
		if (i != mate) low = least(low, r);
	}
	return warpLeast(low);
}

// balance moves the prices of each pair to the middle between the second choice of its
// row and that of its column; a row or column that has no other moves half way up
// to its best. All move at once: a cost in the row of one and the column of another
// loses at most half of what it has to each, so prices stay feasible.
KERNEL(balance, 256, PassTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists()) return;
	const double *row = rowPrices(task), *price = columnPrices(task);
	double *rowTo = rowPrices(task, true), *priceTo = columnPrices(task, true);
	if (x.row(task.colour)) {
		int mate = m.mate[x.n];
		double alpha = row[x.n];
		double high = m.miss[x.n] - alpha;
		int first = constant(m.first + x.frame + 1);
#pragma unroll 2
		for (int a = x.out + x.lane; a < x.out + x.outs; a += 32) {
			int j = constant(m.column + a);
			double r = m.theta[a] - price[first + j] - alpha;
			if (j != mate) high = least(high, r);
		}
		double move = most(warpLeast(high), 0) / 2;
		if (mate >= 0) {
			int h = first + mate;
			double low = most(spare(m, h, x.n, x.lane, row, price[h]), 0);
			move -= low / 2;
			if (x.lane == 0) priceTo[h] = price[h] - move;
		}
		if (x.lane == 0) rowTo[x.n] = alpha + move;
	} else if (x.columnOf(task.colour) && m.rowOf[x.n] < 0) {
		double beta = price[x.n], low = beta < 0 ? spare(m, x.n, NONE, x.lane, row, beta) : 0;
		if (x.lane == 0) priceTo[x.n] = beta + most(low, 0) / 2;
	}
}

// push gives reduced costs back: those of arcs to the blocks on both sides in equal
// parts, where there are both, those of deaths to the left, of births to the right.
KERNEL(push, 256, PassTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists()) return;
	const double *row = rowPrices(task), *price = columnPrices(task);
	if (x.row(task.colour)) {
		bool isLeft = x.frame > 0, isRight = x.frame < m.frames - 2;
		double share = isLeft && isRight ? 0.5 : 1;
		double alpha = row[x.n];
		for (int a = x.out + x.lane; a < x.out + x.outs; a += 32) {
			double r = m.theta[a] - price[x.head(a)] - alpha;
			if (!(r > 0)) continue;
			if (isRight) m.u[a] -= share * r;
			if (isLeft) m.v[a] -= share * r;
		}
		double r = m.miss[x.n] - alpha;
		if (x.lane == 0 && isLeft && r > 0) m.vDeath[x.n] -= r;
	} else if (x.columnOf(task.colour) && x.lane == 0) {
		double v = price[x.n];
		m.column0[x.n] = v + (constant(m.birth + x.n) + m.uBirth[x.n]);
		if (x.frame < m.frames - 1 && v < 0) m.uBirth[x.n] += v;
	}
}

DEVICE void stride(double &x, double &last, double share) {
	double now = x;
	x += share * (now - last);
	last = now;
}

// stride takes that step. Before a pass the gaps of odd number say everything, as the
// others begin with what the blocks have. Those of the card beside take it on both.
KERNEL(stride, 256, StrideTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists()) return;
	if ((x.frame & 1) == 1 && x.frame < m.frames - 1) {
		for (int a = x.out + x.lane; a < x.out + x.outs; a += 32) {
			stride(m.u[a], m.lastU[a], task.share);
			stride(m.v[a], m.lastV[a], task.share);
		}
		if (x.lane == 0) stride(m.vDeath[x.n], m.lastDeath[x.n], task.share);
	} else if ((x.frame & 1) == 0 && x.frame > 0 && x.lane == 0) {
		stride(m.uBirth[x.n], m.lastBirth[x.n], task.share);
	}
}

// prove adds up afresh what the multipliers prove at each node: as a column of the
// gap before, as a row of the gap after, and as a block.
KERNEL(prove, 256, PassTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists()) return;
	const double INF = infinity<double>();
	double sum = 0;
	if (x.mine(x.frame - 1)) sum += least(m.column0[x.n], constant(m.birth + x.n) + m.uBirth[x.n]);
	if (x.mine(x.frame)) {
		double best = constant(m.death + x.n) + m.vDeath[x.n];
		for (int a = x.out + x.lane; a < x.out + x.outs; a += 32) {
			int h = x.head(a);
			double price = least(m.column0[h], constant(m.birth + h) + m.uBirth[h]);
			best = least(best, (constant(m.cost + a) + m.u[a] + m.v[a]) - price);
		}
		sum += warpLeast(best);
	}
	if (x.interior() && x.mine(x.frame)) {
		double best = INF;
		right(x, [&](int k, double reach) {
			best = least(best, reach - (k < x.outs ? m.v[x.out + k] : m.vDeath[x.n]));
		});
		sum += warpLeast(best);
	}
	if (x.lane == 0) m.term[x.n] = sum;
}

#include "answer.h"
#include "cube.h"
#include "generate.h"
#include "sort.h"
