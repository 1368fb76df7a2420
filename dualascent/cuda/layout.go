package cuda

import "mtt/internal/cuda"

// This file lays out what host and kernels share, and places the arrays on the card.
// Kernels have the structs from kernels/layout.h, which a test generates from here.

// A model is a multi-frame assignment problem on the card, and what the ascent knows of it.
//
// Nodes are numbered frame by frame, arcs by their tail and then by their head, both
// through the whole problem, so that one array serves all gaps: gap f has the arcs
// that leave the nodes of frame f. No number is infinite: what is forbidden has a
// price that no answer pays unless it must.
type model struct {
	frames int32
	nodes  int32

	// Gaps from firstGap to endGap−1 are visited: all, but where there are several cards.
	firstGap int32
	endGap   int32

	first uintptr `c:"const int *"` // frames+1: first node of each frame, and the number of nodes
	frame uintptr `c:"const int *"` // nodes

	out    uintptr `c:"const int *"`    // nodes+1: arcs out[n] to out[n+1] leave node n
	column uintptr `c:"const int *"`    // arcs: head, counted in its frame
	cost   uintptr `c:"const double *"` // arcs
	death  uintptr `c:"const double *"` // nodes: cost when no arc leaves
	birth  uintptr `c:"const double *"` // nodes: cost when none enters

	in     uintptr `c:"const int *"` // nodes+1: entries in[n] to in[n+1] enter node n
	entry  uintptr `c:"const int *"` // entries: arc
	source uintptr `c:"const int *"` // entries: tail

	// Blocks that are stored: the matrix of node n lies from block[n] on, with a
	// row for each entry and one for birth, a column for each arc and one for death.
	block    uintptr `c:"const long long *"` // nodes; -1: the block has features
	d        uintptr `c:"const double *"`
	position uintptr `c:"const int *"` // arcs: number among the entries of its head

	// Blocks that have features: an entry and an arc cost the difference of theirs,
	// |entering − leaving|. Entries and order are sorted by these.
	entering uintptr `c:"const double *"` // arcs: feature at the head
	leaving  uintptr `c:"const double *"` // arcs: feature at the tail
	dying    uintptr `c:"const double *"` // arcs: what they cost with death; null: nothing
	born     uintptr `c:"const double *"` // arcs: what they cost with birth; null: nothing
	alone    uintptr `c:"const double *"` // nodes: birth with death
	feature  uintptr `c:"const double *"` // entries: entering of the arc
	order    uintptr `c:"const int *"`    // arcs: those of each node by leaving
	after    uintptr `c:"const int *"`    // arcs: entries of the tail that have no more
	before   uintptr `c:"const int *"`    // entries: arcs of the head that have no more
	limit    int64   // most entries or arcs of a node with features

	// Multipliers, and prices of the assignment problem of each gap: of rows, and of
	// columns less what a birth costs there. Two copies, for sweeps of balancing.
	u       uintptr    `c:"double *"` // arcs
	v       uintptr    `c:"double *"` // arcs
	uBirth  uintptr    `c:"double *"` // nodes
	vDeath  uintptr    `c:"double *"` // nodes
	row     [2]uintptr `c:"double *"` // nodes
	price   [2]uintptr `c:"double *"` // nodes
	column0 uintptr    `c:"double *"` // nodes: prices of columns, in full

	// What of these a pass ended with, in the gaps of odd number: it says everything.
	lastU     uintptr `c:"double *"` // arcs
	lastV     uintptr `c:"double *"` // arcs
	lastBirth uintptr `c:"double *"` // nodes
	lastDeath uintptr `c:"double *"` // nodes

	theta  uintptr `c:"double *"` // arcs: what they cost a gap, less the birth of their head
	miss   uintptr `c:"double *"` // nodes: what a death costs it
	mate   uintptr `c:"int *"`    // nodes: column of a row, or MISS
	rowOf  uintptr `c:"int *"`    // nodes: row of a column, or NONE
	value  uintptr `c:"double *"` // frames: of the problem of each gap
	counts uintptr `c:"int *"`    // frames, 4 each: what match tells of a gap

	next    uintptr `c:"int *"`    // nodes: arc that an answer chooses, or NONE
	prev    uintptr `c:"int *"`    // nodes: arc that an answer chooses, or NONE
	shift   uintptr `c:"double *"` // nodes: what a birth costs the gap before, as the answer leaves it
	column1 uintptr `c:"double *"` // nodes: prices of columns there, in full
	term    uintptr `c:"double *"` // nodes: parts of a sum
}

// A passTask says which gaps: those of even number, or the others.
type passTask struct {
	model  model
	colour int32
	from   int32 // balance and push: which copy of the prices
}

// A matchTask says how to solve the problems of gaps.
type matchTask struct {
	model  model
	colour int32
	warm   int32
	bids   int32 // in all, for each gap
	paths  int32 // searches, for each gap
}

// A strideTask asks for a share of the step of the last pass to be repeated.
type strideTask struct {
	model model
	share float64
}

// A generateTask asks for a problem made of detections.
type generateTask struct {
	model   model
	feature uintptr `c:"const double *"` // nodes, 6 each: position and velocity, z being 0 in the plane
	time    uintptr `c:"const double *"` // frames

	// frames, 12 each, as costgen.Quadratics has them: four of a link as the first of its
	// track, four of a link after another, four of the correction; null: the paper's cost.
	quadratic uintptr `c:"const double *"`
	epsilon   float64
	margin    float64
	outs      uintptr `c:"int *"` // nodes: how many arcs leave
	ins       uintptr `c:"int *"` // nodes: how many enter
}

// A cubeTask says where the costs of a [Cube] lie. Blocks are those of inner frames, of n nodes
// each; lists of costs go by block and head.
type cubeTask struct {
	n       int32
	blocks  int32
	y       uintptr `c:"double *"`          // blocks×n×n×n: by block, tail, head and node
	v       uintptr `c:"const double *"`    // blocks×n×n: by block, head and node
	gamma   uintptr `c:"double *"`          // blocks×n×n: by block, tail and node
	pointer uintptr `c:"const long long *"` // blocks×n+1: where the list of a head begins
	i       uintptr `c:"const int *"`       // of each cost in the lists: tail
	j       uintptr `c:"const int *"`       // node
	cost    uintptr `c:"const double *"`
	outside float64 // of all others
}

// countsLen is what match tells of each gap: rounds of bids, levels of searches, rows
// scanned, and rows that still wait.
const countsLen = 4

// A sizes says how large a problem is.
type sizes struct {
	frames, nodes, arcs, triplets int
	d                             int  // stored triplet costs
	ends                          bool // arcs may have two features, and costs with births and deaths
}

// place lays out the arrays of m in memory.
func (m *model) place(device *cuda.Device, memory *cuda.Memory, n *sizes) error {
	type array struct {
		address *uintptr
		bytes   int
	}
	list := []array{
		{&m.first, 4 * (n.frames + 1)}, {&m.frame, 4 * n.nodes},
		{&m.out, 4 * (n.nodes + 1)}, {&m.column, 4 * n.arcs}, {&m.cost, 8 * n.arcs},
		{&m.death, 8 * n.nodes}, {&m.birth, 8 * n.nodes},
		{&m.in, 4 * (n.nodes + 1)}, {&m.entry, 4 * n.arcs}, {&m.source, 4 * n.arcs},
		{&m.u, 8 * n.arcs}, {&m.v, 8 * n.arcs}, {&m.uBirth, 8 * n.nodes}, {&m.vDeath, 8 * n.nodes},
		{&m.row[0], 8 * n.nodes}, {&m.row[1], 8 * n.nodes}, {&m.price[0], 8 * n.nodes}, {&m.price[1], 8 * n.nodes},
		{&m.column0, 8 * n.nodes},
		{&m.lastU, 8 * n.arcs}, {&m.lastV, 8 * n.arcs}, {&m.lastBirth, 8 * n.nodes}, {&m.lastDeath, 8 * n.nodes},
		{&m.theta, 8 * n.arcs}, {&m.miss, 8 * n.nodes},
		{&m.mate, 4 * n.nodes}, {&m.rowOf, 4 * n.nodes},
		{&m.next, 4 * n.nodes}, {&m.prev, 4 * n.nodes}, {&m.shift, 8 * n.nodes}, {&m.column1, 8 * n.nodes}, {&m.term, 8 * n.nodes},
		{&m.block, 8 * n.nodes}, {&m.d, 8 * n.d}, {&m.leaving, 8 * n.arcs}, {&m.alone, 8 * n.nodes},
		{&m.feature, 8 * n.arcs}, {&m.order, 4 * n.arcs}, {&m.after, 4 * n.arcs}, {&m.before, 4 * n.arcs},
	}
	if n.d > 0 || n.ends {
		list = append(list, array{&m.position, 4 * n.arcs})
	}
	if n.ends {
		list = append(list, array{&m.entering, 8 * n.arcs},
			array{&m.dying, 8 * n.arcs}, array{&m.born, 8 * n.arcs})
	}
	size := 0
	for _, a := range list {
		*a.address = uintptr(size)
		size += (a.bytes + 255) &^ 255
	}
	if err := memory.Resize(device, size); err != nil {
		return err
	}
	for _, a := range list {
		*a.address += memory.Address(0)
	}
	if !n.ends {
		m.entering = m.leaving
	}
	return nil
}
