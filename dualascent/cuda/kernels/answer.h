// These kernels turn the state of the ascent into an answer, and make it better: each
// gap is matched again with what the answer has on both sides left as it is, all gaps
// of even number at once, and then the others.
#pragma once
#include "blocks.h"

// take makes the matchings of the gaps part of the answer. After a rematch (from 1) it
// keeps the prices of the columns in full for the next.
KERNEL(take, 256, PassTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists()) return;
	if (x.row(task.colour)) {
		int mate = m.mate[x.n];
		if (mate < 0 && x.lane == 0) m.next[x.n] = NONE;
		for (int a = x.out + x.lane; a < x.out + x.outs; a += 32) {
			if (constant(m.column + a) != mate) continue;
			m.next[x.n] = a;
			m.prev[x.head(a)] = a;
		}
	} else if (x.columnOf(task.colour) && x.lane == 0) {
		if (m.rowOf[x.n] < 0) m.prev[x.n] = NONE;
		if (task.from) m.column1[x.n] = m.price[0][x.n] + m.shift[x.n];
	}
}

// reprice states the assignment problem of each gap as the answer leaves it.
KERNEL(reprice, 256, PassTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists()) return;
	if (x.row(task.colour)) {
		int before = x.frame > 0 ? m.prev[x.n] : NONE;
		for (int a = x.out + x.lane; a < x.out + x.outs; a += 32) {
			Node h(x, x.head(a));
			int after = h.interior() ? m.next[h.n] : NONE;
			double birth = constant(m.birth + h.n) + blockCost(h, NONE, after);
			m.theta[a] = constant(m.cost + a) + blockCost(x, before, a) + blockCost(h, a, after) - birth;
		}
		if (x.lane == 0) m.miss[x.n] = constant(m.death + x.n) + blockCost(x, before, NONE);
	} else if (x.columnOf(task.colour) && x.lane == 0) {
		double birth = constant(m.birth + x.n) + blockCost(x, NONE, x.interior() ? m.next[x.n] : NONE);
		m.shift[x.n] = birth;
		m.price[0][x.n] = m.column1[x.n] - birth;
	}
}

// charge adds up what the answer costs at each node.
KERNEL(charge, 256, PassTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists() || x.lane > 0) return;
	double sum = 0;
	int before = x.frame > 0 ? m.prev[x.n] : NONE, after = x.frame < m.frames - 1 ? m.next[x.n] : NONE;
	if (x.frame > 0 && before < 0) sum += constant(m.birth + x.n);
	if (x.frame < m.frames - 1) sum += after < 0 ? constant(m.death + x.n) : constant(m.cost + after);
	m.term[x.n] = sum + blockCost(x, before, after);
}
