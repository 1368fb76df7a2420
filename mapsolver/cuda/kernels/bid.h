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
};

// choose finds the two best of a row, for all lanes of a warp.
template <typename Real, class Costs>
DEVICE Choice<Real> choose(const Problem<Real> &p, const Costs &costs, const Real *v, int row, int lane) {
	Real first = infinity<Real>(), second = first;
	int column = NONE, other = NONE;
	if (p.miss && lane == 0) {
		first = constant(p.miss + row);
		column = MISS;
	}
	costs.scan(row, v, lane, [&](Real y, int j) {
		bool best = y < first, next = y < second;
		second = best ? first : next ? y : second;
		other = best ? column : next ? j : other;
		first = best ? y : first;
		column = best ? j : column;
	});
	auto least = warpMin(toKey(first));
	int winner = firstBit(ballot(toKey(first) == least));
	Real rest = lane == winner ? second : first;
	int restColumn = lane == winner ? other : column;
	auto restLeast = warpMin(toKey(rest));
	int runnerUp = firstBit(ballot(toKey(rest) == restLeast));
	return Choice<Real>{toReal(least), toReal(restLeast), shuffle(column, winner), shuffle(restColumn, runnerUp)};
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

// bidding goes on for at most limit bids, and while more than leave rows wait or
// each has not had its turn.
template <typename Real, class Costs, class Team>
DEVICE void bidding(Bidding<Real> &b, Real epsilon, int limit, int leave, Team &team, const Problem<Real> &p,
		const Costs &costs, State<Real> &s, Work &work) {
	const Real INF = infinity<Real>();
	int rows = p.rows;
	for (int bids = 0; b.waiting > 0 && bids < limit && (bids < rows || b.waiting > leave);) {
		int count = b.waiting < team.warps ? b.waiting : team.warps;
		int at = b.head + team.warp;
		int row = team.warp < count ? s.queue[at < rows ? at : at - rows] : NONE;

		// Each warp makes its bid.
		u64 claim = 0; // 0: no bid
		int column = NONE;
		Real raise = 0, price = 0;
		if (row >= 0) {
			Choice<Real> c = choose(p, costs, s.v, row, team.lane);
			if (!(c.second < INF)) c.second = c.first;
			bool strict = c.first < c.second || epsilon > 0;
			column = c.column;
			if (!strict) { // a tie: take what is free, or leave the row to a search
				b.ties++;
				if (column >= 0 && s.rowOf[column] >= 0) {
					column = c.other == MISS ? MISS : freeAmongTied(c.first, costs, s, row, team.lane);
				}
			}
			raise = c.second - c.first;
			b.gap += raise < INF ? raise : 0;
			raise += epsilon;
			price = c.first + raise;
			if (!(c.first < INF)) column = NONE;
			if (column >= 0) {
				// Bids compete as float32, of which equal ones go by rank.
				claim = (u64)__builtin_bit_cast(u32, (float)raise) << 32 | (u32)(team.warps - team.warp);
				if (team.lane == 0) atomicMax(&s.bid[column], claim);
			} else if (column == MISS && team.lane == 0) {
				s.colOf[row] = MISS;
				s.u[row] = c.first;
			}
		}
		team.sync();

		// The winners take their columns.
		if (team.lane == 0 && team.warp < count) {
			int again = NONE;
			if (claim && s.bid[column] == claim) {
				again = s.rowOf[column];
				s.rowOf[column] = row;
				s.colOf[row] = column;
				s.u[row] = price;
				s.v[column] -= raise;
				if (again >= 0) s.colOf[again] = NONE;
			} else if (claim) {
				again = row;
			}
			s.evicted[team.warp] = again;
		}
		team.sync();

		// The others wait again, in the order of the warps.
		if (claim && team.lane == 0) s.bid[column] = 0;
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
