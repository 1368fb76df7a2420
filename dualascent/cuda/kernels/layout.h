// Code generated from dualascent/cuda/layout.go by go test -update. DO NOT EDIT.
#pragma once
#include "internal/cuda/kernels/device.h"

// A Model is a multi-frame assignment problem on the card, and what the ascent knows of it.
//
// Nodes are numbered frame by frame, arcs by their tail and then by their head, both
// through the whole problem, so that one array serves all gaps: gap f has the arcs
// that leave the nodes of frame f. No number is infinite: what is forbidden has a
// price that no answer pays unless it must.
struct Model {
	int frames;
	int nodes;

	// Gaps from firstGap to endGap−1 are visited: all, but where there are several cards.
	int firstGap;
	int endGap;
	const int *first; // frames+1: first node of each frame, and the number of nodes
	const int *frame; // nodes
	const int *out; // nodes+1: arcs out[n] to out[n+1] leave node n
	const int *column; // arcs: head, counted in its frame
	const double *cost; // arcs
	const double *death; // nodes: cost when no arc leaves
	const double *birth; // nodes: cost when none enters
	const int *in; // nodes+1: entries in[n] to in[n+1] enter node n
	const int *entry; // entries: arc
	const int *source; // entries: tail

	// Blocks that are stored: the matrix of node n lies from block[n] on, with a
	// row for each entry and one for birth, a column for each arc and one for death.
	const long long *block; // nodes; -1: the block has features
	const double *d;
	const int *position; // arcs: number among the entries of its head

	// Blocks that have features: an entry and an arc cost the difference of theirs,
	// |entering − leaving|. Entries and order are sorted by these.
	const double *entering; // arcs: feature at the head
	const double *leaving; // arcs: feature at the tail
	const double *dying; // arcs: what they cost with death; null: nothing
	const double *born; // arcs: what they cost with birth; null: nothing
	const double *alone; // nodes: birth with death
	const double *feature; // entries: entering of the arc
	const int *order; // arcs: those of each node by leaving
	const int *after; // arcs: entries of the tail that have no more
	const int *before; // entries: arcs of the head that have no more
	long long limit; // most entries or arcs of a node with features

	// Multipliers, and prices of the assignment problem of each gap: of rows, and of
	// columns less what a birth costs there. Two copies, for sweeps of balancing.
	double *u; // arcs
	double *v; // arcs
	double *uBirth; // nodes
	double *vDeath; // nodes
	double *row[2]; // nodes
	double *price[2]; // nodes
	double *column0; // nodes: prices of columns, in full

	// What of these a pass ended with, in the gaps of odd number: it says everything.
	double *lastU; // arcs
	double *lastV; // arcs
	double *lastBirth; // nodes
	double *lastDeath; // nodes
	double *theta; // arcs: what they cost a gap, less the birth of their head
	double *miss; // nodes: what a death costs it
	int *mate; // nodes: column of a row, or MISS
	int *rowOf; // nodes: row of a column, or NONE
	double *value; // frames: of the problem of each gap
	int *counts; // frames, 4 each: what match tells of a gap
	int *next; // nodes: arc that an answer chooses, or NONE
	int *prev; // nodes: arc that an answer chooses, or NONE
	double *shift; // nodes: what a birth costs the gap before, as the answer leaves it
	double *column1; // nodes: prices of columns there, in full
	double *term; // nodes: parts of a sum
};
namespace layoutOfModel {
typedef Model S;
static_assert(sizeof(S) == 392, "Go and C++ differ in the size of Model");
static_assert(__builtin_offsetof(S, frames) == 0 &&
	__builtin_offsetof(S, nodes) == 4 &&
	__builtin_offsetof(S, firstGap) == 8 &&
	__builtin_offsetof(S, endGap) == 12 &&
	__builtin_offsetof(S, first) == 16 &&
	__builtin_offsetof(S, frame) == 24 &&
	__builtin_offsetof(S, out) == 32 &&
	__builtin_offsetof(S, column) == 40 &&
	__builtin_offsetof(S, cost) == 48 &&
	__builtin_offsetof(S, death) == 56 &&
	__builtin_offsetof(S, birth) == 64 &&
	__builtin_offsetof(S, in) == 72 &&
	__builtin_offsetof(S, entry) == 80 &&
	__builtin_offsetof(S, source) == 88 &&
	__builtin_offsetof(S, block) == 96 &&
	__builtin_offsetof(S, d) == 104 &&
	__builtin_offsetof(S, position) == 112 &&
	__builtin_offsetof(S, entering) == 120 &&
	__builtin_offsetof(S, leaving) == 128 &&
	__builtin_offsetof(S, dying) == 136 &&
	__builtin_offsetof(S, born) == 144 &&
	__builtin_offsetof(S, alone) == 152 &&
	__builtin_offsetof(S, feature) == 160 &&
	__builtin_offsetof(S, order) == 168 &&
	__builtin_offsetof(S, after) == 176 &&
	__builtin_offsetof(S, before) == 184 &&
	__builtin_offsetof(S, limit) == 192 &&
	__builtin_offsetof(S, u) == 200 &&
	__builtin_offsetof(S, v) == 208 &&
	__builtin_offsetof(S, uBirth) == 216 &&
	__builtin_offsetof(S, vDeath) == 224 &&
	__builtin_offsetof(S, row) == 232 &&
	__builtin_offsetof(S, price) == 248 &&
	__builtin_offsetof(S, column0) == 264 &&
	__builtin_offsetof(S, lastU) == 272 &&
	__builtin_offsetof(S, lastV) == 280 &&
	__builtin_offsetof(S, lastBirth) == 288 &&
	__builtin_offsetof(S, lastDeath) == 296 &&
	__builtin_offsetof(S, theta) == 304 &&
	__builtin_offsetof(S, miss) == 312 &&
	__builtin_offsetof(S, mate) == 320 &&
	__builtin_offsetof(S, rowOf) == 328 &&
	__builtin_offsetof(S, value) == 336 &&
	__builtin_offsetof(S, counts) == 344 &&
	__builtin_offsetof(S, next) == 352 &&
	__builtin_offsetof(S, prev) == 360 &&
	__builtin_offsetof(S, shift) == 368 &&
	__builtin_offsetof(S, column1) == 376 &&
	__builtin_offsetof(S, term) == 384,
	"Go and C++ differ in the places of the fields of Model");
}

// A PassTask says which gaps: those of even number, or the others.
struct PassTask {
	Model model;
	int colour;
	int from; // balance and push: which copy of the prices
};
namespace layoutOfPassTask {
typedef PassTask S;
static_assert(sizeof(S) == 400, "Go and C++ differ in the size of PassTask");
static_assert(__builtin_offsetof(S, model) == 0 &&
	__builtin_offsetof(S, colour) == 392 &&
	__builtin_offsetof(S, from) == 396,
	"Go and C++ differ in the places of the fields of PassTask");
}

// A MatchTask says how to solve the problems of gaps.
struct MatchTask {
	Model model;
	int colour;
	int warm;
	int bids; // in all, for each gap
	int paths; // searches, for each gap
};
namespace layoutOfMatchTask {
typedef MatchTask S;
static_assert(sizeof(S) == 408, "Go and C++ differ in the size of MatchTask");
static_assert(__builtin_offsetof(S, model) == 0 &&
	__builtin_offsetof(S, colour) == 392 &&
	__builtin_offsetof(S, warm) == 396 &&
	__builtin_offsetof(S, bids) == 400 &&
	__builtin_offsetof(S, paths) == 404,
	"Go and C++ differ in the places of the fields of MatchTask");
}

// A StrideTask asks for a share of the step of the last pass to be repeated.
struct StrideTask {
	Model model;
	double share;
};
namespace layoutOfStrideTask {
typedef StrideTask S;
static_assert(sizeof(S) == 400, "Go and C++ differ in the size of StrideTask");
static_assert(__builtin_offsetof(S, model) == 0 &&
	__builtin_offsetof(S, share) == 392,
	"Go and C++ differ in the places of the fields of StrideTask");
}

// A GenerateTask asks for a problem made of detections.
struct GenerateTask {
	Model model;
	const double *feature; // nodes, 6 each: position and velocity, z being 0 in the plane
	const double *time; // frames

	// frames, 12 each, as costgen.Quadratics has them: four of a link as the first of its
	// track, four of a link after another, four of the correction; null: the paper's cost.
	const double *quadratic;
	double epsilon;
	double margin;
	int *outs; // nodes: how many arcs leave
	int *ins; // nodes: how many enter
};
namespace layoutOfGenerateTask {
typedef GenerateTask S;
static_assert(sizeof(S) == 448, "Go and C++ differ in the size of GenerateTask");
static_assert(__builtin_offsetof(S, model) == 0 &&
	__builtin_offsetof(S, feature) == 392 &&
	__builtin_offsetof(S, time) == 400 &&
	__builtin_offsetof(S, quadratic) == 408 &&
	__builtin_offsetof(S, epsilon) == 416 &&
	__builtin_offsetof(S, margin) == 424 &&
	__builtin_offsetof(S, outs) == 432 &&
	__builtin_offsetof(S, ins) == 440,
	"Go and C++ differ in the places of the fields of GenerateTask");
}

// A CubeTask says where the costs of a [Cube] lie. Blocks are those of inner frames, of n nodes
// each; lists of costs go by block and head.
struct CubeTask {
	int n;
	int blocks;
	double *y; // blocks×n×n×n: by block, tail, head and node
	const double *v; // blocks×n×n: by block, head and node
	double *gamma; // blocks×n×n: by block, tail and node
	const long long *pointer; // blocks×n+1: where the list of a head begins
	const int *i; // of each cost in the lists: tail
	const int *j; // node
	const double *cost;
	double outside; // of all others
};
namespace layoutOfCubeTask {
typedef CubeTask S;
static_assert(sizeof(S) == 72, "Go and C++ differ in the size of CubeTask");
static_assert(__builtin_offsetof(S, n) == 0 &&
	__builtin_offsetof(S, blocks) == 4 &&
	__builtin_offsetof(S, y) == 8 &&
	__builtin_offsetof(S, v) == 16 &&
	__builtin_offsetof(S, gamma) == 24 &&
	__builtin_offsetof(S, pointer) == 32 &&
	__builtin_offsetof(S, i) == 40 &&
	__builtin_offsetof(S, j) == 48 &&
	__builtin_offsetof(S, cost) == 56 &&
	__builtin_offsetof(S, outside) == 64,
	"Go and C++ differ in the places of the fields of CubeTask");
}
