package cuda

import (
	"context"
	"fmt"

	"mtt/internal/cuda"
)

// This file holds an Ascent: a problem on the card, and the passes over it.

// An Ascent is a multi-frame assignment problem on the card, with the state of its
// dual ascent. Costs, multipliers and prices stay there; a pass brings back one number
// for each gap. It is not safe for concurrent use.
type Ascent struct {
	card   *card
	stream *cuda.Stream
	model  model
	memory cuda.Memory
	io     cuda.Buffer // the model, then values and counts of the gaps, which come back

	size   sizes
	form   form
	shared int    // bytes that a kernel over splines needs for its lists
	blocks string // suffix of the kernels that read blocks
	warm   bool   // there was a pass
	graph  *cuda.Graph
	plain  bool // the driver has no graphs
}

// A form says how a block of the card solves a gap.
type form struct {
	kernel          string
	threads, shared int
}

// threads are those of a block of the kernels in which a warp takes a node.
const threads = 256

// sweeps of balancing in each pass; an even number, so that the prices end where
// they began.
const sweeps = 4

// formOf chooses how to solve gaps of at most so many rows and columns; false: they
// are too large for a block. The shared memory is that of State in
// mapsolver/cuda/kernels/state.h, which takes at most 40 bytes a column, 16 a row
// and 16 a warp, and before it 2048 in which warps meet.
func formOf(d *cuda.Device, rows, columns int) (form, bool) {
	round := func(n int) int { return max((n+31)&^31, 32) }
	f := form{kernel: "match1", threads: round(columns)}
	if columns > 512 {
		f = form{kernel: "match4", threads: min(round(columns/2), 1024)}
	}
	f.shared = 2048 + 40*(columns+4) + 16*rows + f.threads/2 + 32
	return f, columns <= 4096 && f.shared <= d.SharedMemory
}

// begin finds the card, for gaps of at most so many rows and columns.
func (a *Ascent) begin(rows, columns int) error {
	var err error
	if a.card, err = defaultCard(); err != nil {
		return err
	}
	d := a.card.device
	var ok bool
	if a.form, ok = formOf(d, rows, columns); !ok {
		return fmt.Errorf("dualascent/cuda: a gap of %d×%d nodes is too large for the card", rows, columns)
	}
	if a.stream, err = d.NewStream(); err != nil {
		return err
	}
	return a.io.Resize(d, int(modelSize)+a.size.frames*(8+4*countsLen))
}

// allocate makes room for a problem of the size at hand.
func (a *Ascent) allocate() error {
	if err := a.model.place(a.card.device, &a.memory, &a.size); err != nil {
		return err
	}
	a.model.frames, a.model.nodes = int32(a.size.frames), int32(a.size.nodes)
	a.model.value = a.io.Address(int(modelSize))
	a.model.counts = a.io.Address(int(modelSize) + 8*a.size.frames)
	return nil
}

// sendModel tells the card where everything lies.
func (a *Ascent) sendModel() error {
	cuda.View[model](&a.io, 0, 1)[0] = a.model
	return a.stream.Push(&a.io, 0, int(modelSize))
}

// clear begins the ascent with multipliers of 0.
func (a *Ascent) clear() error {
	m, n := &a.model, &a.size
	for _, address := range []uintptr{m.u, m.v, m.lastU, m.lastV} {
		if err := a.stream.Clear(address, 8*n.arcs); err != nil {
			return err
		}
	}
	for _, address := range []uintptr{m.uBirth, m.vDeath, m.lastBirth, m.lastDeath, m.column0} {
		if err := a.stream.Clear(address, 8*n.nodes); err != nil {
			return err
		}
	}
	return a.stream.Wait()
}

// Free gives the memory of the ascent back.
func (a *Ascent) Free() error {
	first := a.graph.Free()
	for _, free := range []func() error{a.memory.Free, a.io.Free, a.stream.Free} {
		if err := free(); first == nil {
			first = err
		}
	}
	a.graph, a.stream = nil, nil
	return first
}

// Gaps, Nodes, Arcs and Triplets say how large the problem is.
func (a *Ascent) Gaps() int     { return a.size.frames - 1 }
func (a *Ascent) Nodes() int    { return a.size.nodes }
func (a *Ascent) Arcs() int     { return a.size.arcs }
func (a *Ascent) Triplets() int { return a.size.triplets }

// gapsOf is the number of gaps of a colour.
func (a *Ascent) gapsOf(colour int) int { return (a.Gaps() + 1 - colour) / 2 }

// onNodes runs a kernel in which a warp takes a node.
func (a *Ascent) onNodes(kernel string, colour, from int) error {
	return launch(a, kernel, 0, &passTask{a.io.Address(0), int32(colour), int32(from)})
}

// onBlocks runs one that reads blocks. Those of splines are scanned in shared
// memory.
func (a *Ascent) onBlocks(kernel string, colour int) error {
	return launch(a, kernel+a.blocks, a.shared, &passTask{a.io.Address(0), int32(colour), 0})
}

// launch runs a kernel in which a warp takes a node.
func launch[Task any](a *Ascent, kernel string, shared int, task *Task) error {
	k, err := a.card.kernel(kernel)
	if err != nil {
		return err
	}
	shape := cuda.Shape{Blocks: (32*a.size.nodes + threads - 1) / threads, Threads: threads, Shared: shared}
	return cuda.Launch(a.stream, k, shape, task)
}

// match solves the assignment problems of a colour.
func (a *Ascent) match(colour int, warm bool) error {
	k, err := a.card.kernel(a.form.kernel)
	if err != nil {
		return err
	}
	shape := cuda.Shape{Blocks: a.gapsOf(colour), Threads: a.form.threads, Shared: a.form.shared}
	task := &matchTask{model: a.io.Address(0), colour: int32(colour), bidsPerRow: 2, leave: 2}
	if warm {
		task.warm = 1
	}
	return cuda.Launch(a.stream, k, shape, task)
}

// half visits the gaps of a colour.
func (a *Ascent) half(colour int, warm bool) error {
	if a.gapsOf(colour) == 0 {
		return nil
	}
	if err := a.onBlocks("pull", colour); err != nil {
		return err
	}
	if err := a.onNodes("pose", colour, 0); err != nil {
		return err
	}
	if err := a.match(colour, warm); err != nil {
		return err
	}
	for sweep := range sweeps {
		if err := a.onNodes("balance", colour, sweep&1); err != nil {
			return err
		}
	}
	return a.onNodes("push", colour, 0)
}

// pass queues a pass: launches at first, one graph from then on.
func (a *Ascent) pass() error {
	both := func() error {
		for colour := range 2 {
			if err := a.half(colour, a.warm); err != nil {
				return err
			}
		}
		return nil
	}
	if !a.warm || a.plain {
		err := both()
		a.warm = err == nil
		return err
	}
	if a.graph == nil {
		g, err := a.stream.Capture(both)
		if noGraphs(err) {
			a.plain = true
			return both()
		}
		if err != nil {
			return err
		}
		a.graph = g
	}
	return a.stream.Replay(a.graph)
}

// Pass visits all gaps and returns the lower bound that it proves, but for rounding:
// [Ascent.Prove] adds up afresh. Before, the multipliers repeat a share of their last
// step; with 0 the bound never falls.
func (a *Ascent) Pass(ctx context.Context, share float64) (bound float64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("dualascent/cuda: %w", err)
	}
	if err := launch(a, "stride", 0, &strideTask{a.io.Address(0), share}); err != nil {
		return 0, err
	}
	if err := a.pass(); err != nil {
		return 0, err
	}
	gaps, from := a.Gaps(), int(modelSize)
	if err := a.stream.Pull(&a.io, from, from+8*gaps); err != nil {
		return 0, err
	}
	if err := a.stream.Wait(); err != nil {
		return 0, err
	}
	for _, x := range cuda.View[float64](&a.io, from, gaps) {
		bound += x
	}
	return bound, nil
}
