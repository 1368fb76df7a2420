// This file lays out a multi-frame assignment problem on the card, and what the
// ascent knows of it. Go's layout.go mirrors it.
//
// Nodes are numbered frame by frame, arcs by their tail and then by their head, both
// through the whole problem, so that one array serves all gaps: gap f has the arcs
// that leave the nodes of frame f. No number is infinite: what is forbidden has a
// price that no answer pays unless it must.
#pragma once
#include "mapsolver/cuda/kernels/solve.h"

struct Model {
	int frames, nodes;
	const int *first; // frames+1: first node of each frame, and the number of nodes
	const int *frame; // nodes

	const int *out;      // nodes+1: arcs out[n] to out[n+1] leave node n
	const int *column;   // arcs: head, counted in its frame
	const double *cost;  // arcs
	const double *death; // nodes: cost when no arc leaves
	const double *birth; // nodes: cost when none enters

	const int *in;     // nodes+1: entries in[n] to in[n+1] enter node n
	const int *entry;  // entries: arc
	const int *source; // entries: tail

	// Blocks that are stored: the matrix of node n lies from block[n] on, with a
	// row for each entry and one for birth, a column for each arc and one for death.
	const long long *block; // nodes; -1: the block has features
	const double *d;
	const int *place; // arcs: number among the entries of its head

	// Blocks that have features: an entry and an arc cost the difference of theirs,
	// |entering − leaving|. Entries and order are sorted by these.
	const double *entering, *leaving; // arcs: feature at the head, at the tail
	const double *dying, *born;       // arcs: what they cost with death, with birth; null: nothing
	const double *alone;              // nodes: birth with death
	const double *feature;            // entries: entering of the arc
	const int *order;                 // arcs: those of each node by leaving
	const int *after;                 // arcs: entries of the tail that have no more
	const int *before;                // entries: arcs of the head that have no more
	long limit;                       // most entries or arcs of a node with features

	// Multipliers, and prices of the assignment problem of each gap: of rows, and of
	// columns less what a birth costs there. Two copies, for sweeps of balancing.
	double *u, *v;           // arcs
	double *uBirth, *vDeath; // nodes
	double *row[2];          // nodes
	double *price[2];        // nodes
	double *column0;         // nodes: prices of columns, in full

	// What of these a pass ended with, in the gaps of odd number: it says everything.
	double *lastU, *lastV;           // arcs
	double *lastBirth, *lastDeath; // nodes

	double *theta; // arcs: what they cost a gap, less the birth of their head
	double *miss;  // nodes: what a death costs it
	int *mate;     // nodes: column of a row, or MISS
	int *rowOf;    // nodes: row of a column, or NONE
	double *value; // frames: of the problem of each gap
	int *counts;   // frames, 4 each: what match tells of a gap

	int *next, *prev; // nodes: arc that an answer chooses, or NONE
	double *shift;    // nodes: what a birth costs the gap before, as the answer leaves it
	double *column1;  // nodes: prices of columns there, in full
	double *term;     // nodes: parts of a sum
};

// A PassTask says which gaps: those of even number, or the others.
struct PassTask {
	Model model;
	int colour;
	int from; // balance and push: which copy of the prices

	METHOD double *row(bool other = false) const { return from ^ other ? model.row[1] : model.row[0]; }
	METHOD double *price(bool other = false) const { return from ^ other ? model.price[1] : model.price[0]; }
};

// A Node is what a warp works on: one node and its lists.
struct Node {
	const Model &m;
	int n, lane, frame;
	int out, outs, in, ins;

	METHOD explicit Node(const Model &m) : m(m) {
		lane = threadIndex() & 31;
		n = (blockIndex() * blockThreads() + threadIndex()) >> 5;
		if (exists()) look(constant(m.frame + n));
	}
	// The node h of the next frame, for the same lane.
	METHOD Node(const Node &x, int h) : m(x.m), n(h), lane(x.lane) { look(x.frame + 1); }

	METHOD void look(int f) {
		frame = f;
		out = constant(m.out + n), outs = constant(m.out + n + 1) - out;
		in = constant(m.in + n), ins = constant(m.in + n + 1) - in;
	}
	METHOD bool exists() const { return n < m.nodes; }
	METHOD bool featured() const { return m.block[n] < 0; }
	METHOD bool interior() const { return frame > 0 && frame < m.frames - 1; }
	// Whether the node is a row or a column of a gap of that colour.
	METHOD bool row(int colour) const { return (frame & 1) == colour && frame < m.frames - 1; }
	METHOD bool columnOf(int colour) const { return (frame & 1) != colour && frame > 0; }
	METHOD int head(int a) const { return constant(m.first + frame + 1) + constant(m.column + a); }
};

DEVICE double least(double a, double b) { return b < a ? b : a; }
DEVICE double most(double a, double b) { return b > a ? b : a; }
DEVICE double warpLeast(double x) { return toReal(warpMin(toKey(x))); }

// warpSum adds in an order of its own, the same at all times.
DEVICE double warpSum(double x, int lane) {
	for (int d = 16; d > 0; d /= 2) x += shuffle(x, lane ^ d);
	return x;
}
