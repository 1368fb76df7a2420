// These kernels make a problem of detections: which pairs a disc gate lets pass, and
// what pairs and triplets cost. Gate and costs are those of gating.Disc, costgen.Paper
// and costgen.Gaussian.
#pragma once
#include "blocks.h"

// price is what an innovation costs.
DEVICE double price(const double *q, const double *p, const double *w) {
	double pp = 0, pv = 0, vv = 0;
#pragma unroll
	for (int i = 0; i < 3; i++) pp += p[i] * p[i], pv += p[i] * w[i], vv += w[i] * w[i];
	double c = constant(q) * pp + constant(q + 1) * pv + constant(q + 2) * vv;
	if (c > 40) c = 40 + root(c - 40);
	return c + constant(q + 3);
}

// A Detection is a node with what was measured.
struct Detection {
	double x[3], w[3];
	METHOD Detection(const GenerateTask &t, int n) {
		const double *f = t.feature + 6 * (long)n;
#pragma unroll
		for (int i = 0; i < 3; i++) x[i] = constant(f + i), w[i] = constant(f + 3 + i);
	}
};

DEVICE double norm(double x, double y, double z) { return root(x * x + y * y + z * z); }
DEVICE double distance(const Detection &a, const Detection &b) {
	return norm(b.x[0] - a.x[0], b.x[1] - a.x[1], b.x[2] - a.x[2]);
}
DEVICE double reach(const Detection &a, double dt, const GenerateTask &t) {
	return norm(a.w[0], a.w[1], a.w[2]) * (dt * t.epsilon) + t.margin;
}

// gaussLength integrates the root of the quartic s over [lo, hi] by the eight-point
// Gauss-Legendre rule (Abramowitz and Stegun, table 25.4).
DEVICE double gaussLength(const double *s, double lo, double hi) {
	const double AT[4] = {0.9602898564975363, 0.7966664774136267, 0.5255324099163290, 0.1834346424956498};
	const double WEIGHT[4] = {0.1012285362903763, 0.2223810344533745, 0.3137066458778873, 0.3626837833783620};
	double sum = 0;
#pragma unroll
	for (int n = 0; n < 8; n++) {
		int k = n < 4 ? n : 7 - n;
		double t = lo + (hi - lo) * (n < 4 ? 0.5 - AT[k] / 2 : 0.5 + AT[k] / 2);
		double v = s[0] + t * (s[1] + t * (s[2] + t * (s[3] + t * s[4])));
		if (v > 0) sum += WEIGHT[k] / 2 * root(v);
	}
	return sum * (hi - lo);
}

// splineLength is hermiteLength of package costgen, its recursion as a stack.
DEVICE double splineLength(const Detection &a, const Detection &b, double dt) {
	double s[5] = {0, 0, 0, 0, 0};
#pragma unroll
	for (int n = 0; n < 3; n++) {
		double d = b.x[n] - a.x[n], p = dt * a.w[n], q = dt * b.w[n];
		double e = 6 * d - 4 * p - 2 * q, c = 3 * (p + q) - 6 * d;
		s[0] += p * p;
		s[1] += 2 * p * e;
		s[2] += e * e + 2 * p * c;
		s[3] += 2 * e * c;
		s[4] += c * c;
	}
	const int DEPTH = 40;
	double from[DEPTH], to[DEPTH], whole[DEPTH], sum = 0;
	int depth = 1;
	from[0] = 0, to[0] = 1, whole[0] = gaussLength(s, 0, 1);
	double tolerance = 1e-7 * whole[0];
	while (depth > 0) {
		depth--;
		double lo = from[depth], hi = to[depth], mid = (lo + hi) / 2;
		double left = gaussLength(s, lo, mid), right = gaussLength(s, mid, hi);
		if (!(magnitude(left + right - whole[depth]) > tolerance) || depth + 2 > DEPTH) {
			sum += left + right;
			continue;
		}
		from[depth] = mid, to[depth] = hi, whole[depth] = right;
		from[depth + 1] = lo, to[depth + 1] = mid, whole[depth + 1] = left;
		depth += 2;
	}
	return sum;
}

// firstLink prices a link from a detection of frame f as the first of its track.
DEVICE double firstLink(const GenerateTask &t, const Detection &a, const Detection &b, int f, double dt) {
	double p[3], w[3];
#pragma unroll
	for (int i = 0; i < 3; i++) p[i] = b.x[i] - (a.x[i] + dt * a.w[i]), w[i] = b.w[i] - a.w[i];
	return price(t.quadratic + 12 * f, p, w);
}

// eachOut visits the nodes that follow x through the gate, ascending: 32 heads at a
// time, of which lane l has the l-th; k counts those before.
template <class Visit> DEVICE int eachOut(const GenerateTask &t, const Node &x, Visit visit) {
	const Model &m = x.m;
	if (x.frame == m.frames - 1) return 0;
	int first = constant(m.first + x.frame + 1), n = constant(m.first + x.frame + 2) - first, k = 0;
	double dt = constant(t.time + x.frame + 1) - constant(t.time + x.frame);
	Detection at(t, x.n);
	double radius = reach(at, dt, t);
	for (int base = 0; base < n; base += 32) {
		int j = base + x.lane;
		bool in = j < n && distance(at, Detection(t, first + (j < n ? j : 0))) < radius;
		u32 mask = ballot(in);
		if (in) visit(k + bitCount(mask & lanesBelow(x.lane)), j);
		k += bitCount(mask);
	}
	return k;
}

// eachIn does the same for those that x follows.
template <class Visit> DEVICE int eachIn(const GenerateTask &t, const Node &x, Visit visit) {
	const Model &m = x.m;
	if (x.frame == 0) return 0;
	int first = constant(m.first + x.frame - 1), n = constant(m.first + x.frame) - first, k = 0;
	double dt = constant(t.time + x.frame) - constant(t.time + x.frame - 1);
	Detection at(t, x.n);
	for (int base = 0; base < n; base += 32) {
		int i = base + x.lane;
		Detection from(t, first + (i < n ? i : 0));
		bool in = i < n && distance(from, at) < reach(from, dt, t);
		u32 mask = ballot(in);
		if (in) visit(k + bitCount(mask & lanesBelow(x.lane)), first + i);
		k += bitCount(mask);
	}
	return k;
}

KERNEL(gate_count, 256, GenerateTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists()) return;
	int outs = eachOut(task, x, [](int, int) {}), ins = eachIn(task, x, [](int, int) {});
	if (x.lane == 0) task.outs[x.n] = outs, task.ins[x.n] = ins;
}

// gate_leave writes the arcs.
KERNEL(gate_leave, 256, GenerateTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists()) return;
	eachOut(task, x, [&](int k, int j) {
		int a = x.out + k;
		double dt = constant(task.time + x.frame + 1) - constant(task.time + x.frame);
		Detection from(task, x.n), to(task, constant(m.first + x.frame + 1) + j);
		((int *)m.column)[a] = j;
		if (task.quadratic) {
			((double *)m.cost)[a] = x.frame == 0 ? firstLink(task, from, to, 0, dt) : 0;
			return;
		}
		((double *)m.cost)[a] = magnitude(distance(from, to) - norm(from.w[0], from.w[1], from.w[2]) * dt);
		((double *)m.leaving)[a] = splineLength(from, to, dt);
	});
}

// gate_enter writes the entries in the order of their tails, where sort expects
// them.
KERNEL(gate_enter, 256, GenerateTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists()) return;
	eachIn(task, x, [&](int k, int tail) {
		int lo = m.out[tail], hi = m.out[tail + 1], column = x.n - m.first[x.frame];
		while (hi - lo > 1) {
			int mid = (lo + hi) / 2;
			if (m.column[mid] <= column) lo = mid;
			else hi = mid;
		}
		((int *)m.before)[x.in + k] = lo;
		((int *)m.after)[x.in + k] = tail;
		if (task.quadratic) ((int *)m.position)[lo] = k;
	});
}

// gate_gaussian writes the matrix of each node: a row for each entry, whose detection,
// corrected by that of the node, predicts where an arc leads.
KERNEL(gate_gaussian, 256, GenerateTask) {
	const Model &m = task.model;
	Node x(m);
	if (!x.exists() || !x.interior()) return;
	double *d = (double *)m.d + m.block[x.n];
	const double *q = task.quadratic + 12 * x.frame;
	double now = constant(task.time + x.frame);
	double dt1 = now - constant(task.time + x.frame - 1), dt2 = constant(task.time + x.frame + 1) - now;
	Detection at(task, x.n);
	for (int r = 0; r <= x.ins; r++) {
		double p[3] = {0, 0, 0}, w[3] = {0, 0, 0}; // predicted for the frame after
		if (r < x.ins) {
			Detection from(task, constant(m.source + x.in + r));
#pragma unroll
			for (int i = 0; i < 3; i++) {
				double ahead = from.x[i] + dt1 * from.w[i];
				double e = at.x[i] - ahead, f = at.w[i] - from.w[i];
				w[i] = from.w[i] + constant(q + 10) * e + constant(q + 11) * f;
				p[i] = ahead + constant(q + 8) * e + constant(q + 9) * f + dt2 * w[i];
			}
		}
		for (int s = x.lane; s < x.outs; s += 32) {
			Detection to(task, x.head(x.out + s));
			double a[3], b[3];
#pragma unroll
			for (int i = 0; i < 3; i++) a[i] = to.x[i] - p[i], b[i] = to.w[i] - w[i];
			d[(long)r * (x.outs + 1) + s] = r < x.ins ? price(q + 4, a, b) : firstLink(task, at, to, x.frame, dt2);
		}
		if (x.lane == 0) d[(long)r * (x.outs + 1) + x.outs] = r < x.ins ? 0 : constant(m.alone + x.n);
	}
}
