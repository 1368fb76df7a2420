package cuda

import "mtt/internal/cuda"

// This file mirrors the layouts of kernels/model.h, and lays the arrays out.

// A model is Model of kernels/model.h: addresses on the card.
type model struct {
	frames, nodes int32
	first, frame  uintptr

	out, column, cost, death, birth uintptr

	in, entry, source uintptr

	block, d, position uintptr

	entering, leaving, dying, born, alone uintptr
	feature, order, after, before         uintptr
	limit                                 int64

	u, v, uBirth, vDeath uintptr
	row, price           [2]uintptr
	column0              uintptr

	lastU, lastV, lastBirth, lastDeath uintptr

	theta, miss   uintptr
	mate, rowOf   uintptr
	value, counts uintptr

	next, prev     uintptr
	shift, column1 uintptr
	term           uintptr
}

// A passTask is PassTask of kernels/model.h.
type passTask struct {
	model        model
	colour, from int32
}

// A matchTask is MatchTask of kernels/ascent.cu.
type matchTask struct {
	model                     model
	colour, warm, bids, paths int32
}

// A strideTask is StrideTask of kernels/ascent.cu.
type strideTask struct {
	model model
	share float64
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
