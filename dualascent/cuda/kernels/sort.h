// These kernels put the lists of the nodes with features in their order.
#pragma once
#include "blocks.h"

// sort takes entries in the order of their tails, arcs in before and tails in after, and
// lists them by feature, and the arcs that leave as well; equal ones keep their order.
// Nodes without features keep it altogether.
KERNEL(sort, 256, PassTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists()) return;
	int *entry = (int *)m.entry + x.in, *source = (int *)m.source + x.in, *order = (int *)m.order + x.out;
	const int *arc = m.before + x.in, *tail = m.after + x.in;
	if (!x.interior() || !x.featured()) {
		for (int k = x.lane; k < x.ins; k += 32) entry[k] = constant(arc + k), source[k] = constant(tail + k);
		return;
	}
	double *key = m.lastU + x.in;
	for (int k = x.lane; k < x.ins; k += 32) key[k] = constant(m.entering + constant(arc + k));
	syncWarp();
	for (int k = x.lane; k < x.ins; k += 32) {
		double mine = key[k];
		int rank = 0;
#pragma unroll 4
		for (int i = 0; i < x.ins; i++) rank += key[i] < mine || (key[i] == mine && i < k);
		entry[rank] = constant(arc + k);
		source[rank] = constant(tail + k);
		((double *)m.feature)[x.in + rank] = mine;
	}
	const double *leaving = m.leaving + x.out;
	for (int k = x.lane; k < x.outs; k += 32) {
		double mine = constant(leaving + k);
		int rank = 0;
#pragma unroll 4
		for (int i = 0; i < x.outs; i++) {
			double other = constant(leaving + i);
			rank += other < mine || (other == mine && i < k);
		}
		order[rank] = x.out + k;
	}
}

// upTo is how many of n features, which ascend, are at most x.
template <class At> DEVICE int upTo(int n, double x, At at) {
	int lo = 0, hi = n;
	while (lo < hi) {
		int mid = (lo + hi) / 2;
		if (at(mid) <= x) lo = mid + 1;
		else hi = mid;
	}
	return lo;
}

// merge finds the place of each feature among those of the other side.
KERNEL(merge, 256, PassTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists() || !x.interior() || !x.featured()) return;
	for (int k = x.lane; k < x.outs; k += 32) {
		((int *)m.after)[x.out + k] =
			upTo(x.ins, constant(m.leaving + x.out + k), [&](int i) { return constant(m.feature + x.in + i); });
	}
	for (int k = x.lane; k < x.ins; k += 32) {
		((int *)m.before)[x.in + k] = upTo(x.outs, constant(m.feature + x.in + k),
			[&](int i) { return constant(m.leaving + constant(m.order + x.out + i)); });
	}
}
