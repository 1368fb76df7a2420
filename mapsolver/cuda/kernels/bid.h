// This file is the first part of a solve: free rows bid for columns, as many at
// once as the team has warps, all at the same prices [1, 2]. A bid lowers the
// price of the row's best column, where prices are what is subtracted from costs,
// until the row likes its second best as much, and epsilon more. The highest bid
// for a column wins; who held it, and who lost, bid again. At epsilon 0 every
// price stays one of an optimal dual, and each pair the best of its row: what
// bidding leaves undone, searches finish exactly.
//
// [1] D. Bertsekas. The auction algorithm. Annals of OR 14 (1988).
// [2] S. Guthe, D. Thuerck. Algorithm 1015. ACM TOMS 47 (2021), 18.
#pragma once
#include "state.h"
#include "team.h"

// A Choice is the best column of a row and what the second best costs.
template <typename Real> struct Choice {
	Real first, second; // reduced costs; +Inf: there is none
	int column, other;  // of them; MISS: to stay free

	METHOD void see(Real y, int j) {
		bool best = y < first, next = y < second;
		second = best ? first : next ? y : second;
		other = best ? column : next ? j : other;
		first = best ? y : first;
		column = best ? j : column;
	}
};

// nothingYet is the choice of a row none of whose entries a lane has seen.
template <typename Real> DEVICE Choice<Real> nothingYet(const Problem<Real> &p, int row, int lane) {
	const Real INF = infinity<Real>();
	if (p.miss && lane == 0) return Choice<Real>{constant(p.miss + row), INF, MISS, NONE};
	return Choice<Real>{INF, INF, NONE, NONE};
}

// agree makes one choice of those of the lanes.
template <typename Real> DEVICE Choice<Real> agree(const Choice<Real> &mine, int lane) {
	auto least = warpMin(toKey(mine.first));
	int winner = firstBit(ballot(toKey(mine.first) == least));
	Real rest = lane == winner ? mine.second : mine.first;
	int restColumn = lane == winner ? mine.other : mine.column;
	auto restLeast = warpMin(toKey(rest));
	int runnerUp = firstBit(ballot(toKey(rest) == restLeast));
	return Choice<Real>{toReal(least), toReal(restLeast), shuffle(mine.column, winner), shuffle(restColumn, runnerUp)};
}

// choose finds the two best of a row, for all lanes of a warp.
template <typename Real, class Costs>
DEVICE Choice<Real> choose(const Problem<Real> &p, const Costs &costs, const Real *v, int row, int lane) {
	Choice<Real> mine = nothingYet(p, row, lane);
	costs.scan(row, v, lane, [&](Real y, int j) { mine.see(y, j); });
	return agree(mine, lane);
}

// freeAmongTied is a free column of row at reduced cost least, or NONE. Rows begin
// to look at different lanes, lest they all choose the same.
template <typename Real, class Costs>
DEVICE int freeAmongTied(Real least, const Costs &costs, const State<Real> &s, int row, int lane) {
	int found = NONE;
	costs.scan(row, s.v, lane, [&](Real y, int j) {
		if (y == least && s.rowOf[j] < 0) found = j;
	});
	u32 mask = ballot(found >= 0);
	if (!mask) return NONE;
	u32 later = mask & ~lanesBelow(row & 31);
	return shuffle(found, firstBit(later ? later : mask));
}

// A Bidding is the ring of rows that wait, and what the first bids were like.
template <typename Real> struct Bidding {
	int head, waiting;
	Real gap; // sum of second - first over the bids of this warp
	int ties;
};

// A Bid is what a row offers: to raise its price for column, from first, by raise.
template <typename Real> struct Bid {
	int column; // NONE: no bid; MISS: to stay free
	Real first, raise;
};

// decide makes a bid of a choice.
template <typename Real, class Costs>
DEVICE Bid<Real> decide(const Choice<Real> &c, Real epsilon, int row, Bidding<Real> &b, const Costs &costs,
		const State<Real> &s, int lane) {
	const Real INF = infinity<Real>();
	Real second = c.second < INF ? c.second : c.first;
	Bid<Real> bid = {c.column, c.first, second - c.first};
	if (!(c.first < second || epsilon > 0)) { // a tie: take what is free, or leave the row to a search
		b.ties++;
		if (c.column >= 0 && s.rowOf[c.column] >= 0) {
			bid.column = c.other == MISS ? MISS : freeAmongTied(c.first, costs, s, row, lane);
		}
	}
	b.gap += bid.raise < INF ? bid.raise : 0;
	bid.raise += epsilon;
	if (!(c.first < INF)) bid.column = NONE;
	return bid;
}

// take gives row the column that it bid for, and returns who had it.
template <typename Real> DEVICE int take(int row, const Bid<Real> &bid, State<Real> &s) {
	int j = bid.column, loser = s.rowOf[j];
	s.rowOf[j] = row;
	s.colOf[row] = j;
	s.u[row] = bid.first + bid.raise;
	s.v[j] -= bid.raise;
	if (loser >= 0) s.colOf[loser] = NONE;
	return loser;
}

// bidding goes on for at most limit bids, and while more than leave rows wait or
// each has not had its turn.
template <typename Real, class Costs, class Team>
DEVICE void bidding(Bidding<Real> &b, Real epsilon, int limit, int leave, Team &team, const Problem<Real> &p,
		const Costs &costs, State<Real> &s, Work &work) {
	int rows = p.rows;
	for (int bids = 0; b.waiting > 0 && bids < limit && (bids < rows || b.waiting > leave);) {
		int count = b.waiting < team.warps ? b.waiting : team.warps;
		int at = b.head + team.warp;
		int row = team.warp < count ? s.queue[at < rows ? at : at - rows] : NONE;

		// Each warp makes its bid.
		u64 claim = 0; // 0: no bid
		Bid<Real> bid = {NONE, 0, 0};
		if (row >= 0) {
			bid = decide(choose(p, costs, s.v, row, team.lane), epsilon, row, b, costs, s, team.lane);
			if (bid.column >= 0) {
				// Bids compete as float32, of which equal ones go by rank.
				claim = (u64)bits((float)bid.raise) << 32 | (u32)(team.warps - team.warp);
				if (team.lane == 0) atomicMax(&s.bid[bid.column], claim);
			} else if (bid.column == MISS && team.lane == 0) {
				s.colOf[row] = MISS;
				s.u[row] = bid.first;
			}
		}
		team.sync();

		// The winners take their columns.
		if (team.lane == 0 && team.warp < count) {
			int again = NONE;
			if (claim && s.bid[bid.column] == claim) {
				again = take(row, bid, s);
			} else if (claim) {
				again = row;
			}
			s.evicted[team.warp] = again;
		}
		team.sync();

		// The others wait again, in the order of the warps.
		if (claim && team.lane == 0) s.bid[bid.column] = 0;
		int before = 0, total = 0;
		for (int base = 0; base < count; base += 32) {
			int i = base + team.lane;
			u32 mask = ballot(i < count && s.evicted[i] >= 0);
			if (base + 32 <= team.warp) before += bitCount(mask);
			else if (base <= team.warp) before += bitCount(mask & lanesBelow(team.warp & 31));
			total += bitCount(mask);
		}
		int tail = b.head + b.waiting + before;
		if (team.lane == 0 && team.warp < count && s.evicted[team.warp] >= 0) {
			if (tail >= rows) tail -= rows;
			s.queue[tail < rows ? tail : tail - rows] = s.evicted[team.warp];
		}
		b.head += count;
		if (b.head >= rows) b.head -= rows;
		b.waiting += total - count;
		bids += count;
		work.bids += count;
		work.rounds++;
		team.sync();
	}
}
