// This file is the order of a solve: prices to begin with, the pairs of an earlier
// answer that are still good, bidding, tight entries, searches, the answer.
#pragma once
#include "bid.h"
#include "search.h"
#include "tight.h"

// firstPrices are those of the caller; else, where every column gets a row, the
// least cost of each column of a dense problem; else 0.
template <int K, typename Real, int AHEAD, class Team>
DEVICE void firstPrices(Team &team, const Problem<Real> &p, const Dense<Real, AHEAD> &costs, State<Real> &s) {
	if (p.flags & OPEN) {
		for (int j = team.thread; j < p.columns; j += team.threads) s.v[j] = 0;
		return;
	}
	const Real INF = infinity<Real>();
	Real least[K];
#pragma unroll
	for (int k = 0; k < K; k++) least[k] = INF;
#pragma unroll 8
	for (int r = 0; r < p.rows; r++) {
#pragma unroll
		for (int k = 0; k < K; k++) {
			int j = team.thread + k * team.threads;
			Real x = constant(costs.row(r) + (j < p.columns ? j : 0));
			least[k] = x < least[k] ? x : least[k];
		}
	}
#pragma unroll
	for (int k = 0; k < K; k++) {
		int j = team.thread + k * team.threads;
		if (j < p.columns) s.v[j] = least[k] < INF ? least[k] : 0;
	}
}
template <int K, typename Real, class Team>
DEVICE void firstPrices(Team &team, const Problem<Real> &p, const Sparse<Real> &, State<Real> &s) {
	for (int j = team.thread; j < p.columns; j += team.threads) s.v[j] = 0;
}

// keepPairs gives each row its earlier column when that is its best at the
// prices at hand, up to rounding. Of rows with one column the first keeps it.
template <typename Real, class Costs, class Team>
DEVICE void keepPairs(Team &team, const Problem<Real> &p, const Costs &costs, State<Real> &s) {
	// Four units in the last place.
	const Real ROUNDING = sizeof(Real) == 4 ? (Real)0x1p-21 : (Real)0x1p-50;
	for (int r = team.warp; r < p.rows; r += team.warps) {
		int hint = p.colOf[r];
		Real held = infinity<Real>(), least = held, price = 0;
		if (p.miss) {
			least = constant(p.miss + r);
			if (hint == MISS) held = least;
		}
		if (hint >= 0 && hint < p.columns) price = magnitude(s.v[hint]);
		costs.scan(r, s.v, team.lane, [&](Real y, int j) {
			least = y < least ? y : least;
			if (j == hint) held = y;
		});
		least = toReal(warpMin(toKey(least)));
		held = toReal(warpMin(toKey(held)));
		bool keep = held < infinity<Real>() && held - least <= ROUNDING * (magnitude(held) + 2 * price);
		if (team.lane == 0) {
			s.colOf[r] = keep ? hint : NONE;
			s.u[r] = held;
			if (keep && hint >= 0) atomicMax(&s.bid[hint], (u64)(p.rows - r));
		}
	}
	team.sync();
	for (int r = team.thread; r < p.rows; r += team.threads) {
		int j = s.colOf[r];
		if (j < 0) continue;
		if (s.bid[j] == (u64)(p.rows - r)) s.rowOf[j] = r;
		else s.colOf[r] = NONE;
	}
	team.sync();
	for (int j = team.thread; j < p.columns; j += team.threads) s.bid[j] = 0;
}

// listFree puts the rows without a column into the queue, in order, and counts
// them.
template <typename Real, class Team> DEVICE int listFree(Team &team, const Problem<Real> &p, State<Real> &s) {
	int n = 0;
	for (int base = 0; base < p.rows; base += 32) {
		int r = base + team.lane;
		bool free = r < p.rows && s.colOf[r] == NONE;
		u32 mask = ballot(free);
		if (free && team.warp == 0) s.queue[n + bitCount(mask & lanesBelow(team.lane))] = r;
		n += bitCount(mask);
	}
	team.sync();
	return n;
}

// forgetPairs makes all rows free.
template <typename Real, class Team> DEVICE void forgetPairs(Team &team, const Problem<Real> &p, State<Real> &s) {
	for (int j = team.thread; j < p.columns; j += team.threads) s.rowOf[j] = NONE;
	for (int r = team.thread; r < p.rows; r += team.threads) {
		s.colOf[r] = NONE;
		s.queue[r] = r;
	}
	team.sync();
}

// gapOfFirstBids is by how much the second best of a row costs more than its
// best, the mean over the first bid of each row; 0 where most rows have two equal
// best, as with small integers: epsilons would only spoil those ties.
template <typename Real, class Team>
DEVICE Real gapOfFirstBids(const Bidding<Real> &b, Team &team, int rows, State<Real> &s) {
	if (team.lane == 0) {
		s.gap[team.warp] = b.gap;
		s.ties[team.warp] = b.ties;
	}
	team.sync();
	Real gap = 0;
	int ties = 0;
	for (int w = 0; w < team.warps; w++) {
		gap += s.gap[w];
		ties += s.ties[w];
	}
	return 2 * ties > rows ? 0 : gap / rows;
}

// bidRounds bids without epsilon, in most cases. A square problem without prices
// to begin with is bid for with falling epsilons before, each time from no pairs.
template <typename Real, class Costs, class Team>
DEVICE void bidRounds(Bidding<Real> &b, const Tuning &t, Team &team, const Problem<Real> &p, const Costs &costs,
		State<Real> &s, Work &work) {
	const int LOOK = t.phases + 1; // left: the look at first bids, phases, 0
	int left = p.flags & (OPEN | WARM) || t.phases == 0 ? 0 : LOOK;
	Real epsilon = 0;
	for (;;) {
		int limit = t.bidsPerRow * p.rows, leave = t.leave;
		if (left == LOOK) {
			limit = p.rows;
		} else if (left > 0) {
			limit = 30 * p.rows;
			leave = p.rows / 100 > 2 ? p.rows / 100 : 2;
		}
		bidding(b, epsilon, limit, leave, team, p, costs, s, work);
		if (left == 0) return;
		if (left == LOOK) {
			epsilon = (Real)t.epsilon * gapOfFirstBids(b, team, p.rows, s);
			if (epsilon == 0) {
				left = 0;
				continue;
			}
		} else {
			epsilon *= (Real)t.ratio;
		}
		if (--left == 0) epsilon = 0;
		forgetPairs(team, p, s);
		b.head = 0, b.waiting = p.rows;
	}
}

// solve solves p by a team, whose threads have K columns each.
template <int K, typename Real, class Costs, class Team>
DEVICE void solve(Team &team, const Problem<Real> &p, const Tuning &tuning, State<Real> &s) {
	Costs costs(p);
	Work work = {0, 0, 0, 0, 0, 0};
	for (int j = team.thread; j < p.columns; j += team.threads) s.bid[j] = 0;
	if (team.thread < padded(p.columns) - p.columns) s.v[p.columns + team.thread] = 0;
	if (p.flags & WARM) {
		for (int j = team.thread; j < p.columns; j += team.threads) {
			Real v = p.v[j];
			s.v[j] = p.flags & OPEN && v > 0 ? 0 : v;
		}
	} else {
		firstPrices<K>(team, p, costs, s);
	}
	forgetPairs(team, p, s);
	Bidding<Real> b = {0, p.rows, 0, 0};
	if (p.flags & WARM) {
		keepPairs(team, p, costs, s);
		team.sync();
		b.waiting = listFree(team, p, s);
	}
	bidRounds(b, tuning, team, p, costs, s, work);
	if (s.tight) matchTight(listFree(team, p, s), team, p, costs, s, work);
	serve<K>(listFree(team, p, s), team, p, costs, s, work);
	team.sync();

	for (int j = team.thread; j < p.columns; j += team.threads) p.v[j] = s.v[j];
	for (int r = team.thread; r < p.rows; r += team.threads) {
		p.colOf[r] = s.colOf[r];
		p.u[r] = s.u[r];
	}
	if (team.thread == 0) {
		p.counts[0] = work.status;
		p.counts[1] = work.bids;
		p.counts[2] = work.rounds;
		p.counts[3] = work.levels;
		p.counts[4] = work.scanned;
		p.counts[5] = work.paths;
	}
}
