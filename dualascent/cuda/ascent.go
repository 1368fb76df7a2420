package cuda

import (
	"context"
	"errors"
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
	io     cuda.Buffer // values and counts of the gaps, which come back

	size   sizes
	rows   int // most of a gap
	form   form
	shared int            // bytes that a kernel over blocks needs for its lists
	warm   bool           // there was a pass
	graph  [2]*cuda.Graph // of each colour
	plain  bool           // the driver has no graphs
	sent   [2]*cuda.Event // of each colour: when the card beside has what it waits for
}

// A form says how a block of the card solves a gap.
type form struct {
	kernel          string
	threads, shared int
}

// threads are those of a block of the kernels in which a warp takes a node.
const threads = 256

// What a pass does: sweeps of balancing, an even number, so that the prices end where
// they began; bids, for each row of the largest gap; searches in each gap. Most gaps
// need fewer, and the pass waits for the slowest: with all the searches 40 passes at
// 300×300 (BenchmarkPass) took 2.7 times as long and proved 0.05 % more, with half the
// bids two thirds of the time and 0.1 % less; with half the sweeps hardly less time.
const (
	sweeps     = 4
	bidsPerRow = 2
	paths      = 2
)

// formOf chooses how to solve frame pairs of at most rows × columns detections; false: they
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

// begin finds the card, for frame pairs of at most rows × columns detections.
func (a *Ascent) begin(rows, columns int) error {
	var err error
	if a.card == nil {
		if a.card, err = defaultCard(); err != nil {
			return err
		}
	}
	d := a.card.device
	a.rows = rows
	var ok bool
	if a.form, ok = formOf(d, rows, columns); !ok {
		return fmt.Errorf("dualascent/cuda: a gap of %d×%d nodes is too large for the card", rows, columns)
	}
	if a.stream, err = d.NewStream(); err != nil {
		return err
	}
	return a.io.Resize(d, a.size.frames*(8+4*countsLen))
}

// limit says how many entries or arcs a node with features has at most.
func (a *Ascent) limit(n int) error {
	a.model.limit = int64(n)
	a.shared = threads / 32 * 2 * 8 * n
	if a.shared > a.card.device.SharedMemory {
		return fmt.Errorf("dualascent/cuda: a node with %d arcs is too much for the card", n)
	}
	return nil
}

// order puts the lists of the nodes in the order of their features, where they have
// some.
func (a *Ascent) order() error {
	if err := a.onNodes("sort", 0, 0); err != nil {
		return err
	}
	return a.onNodes("merge", 0, 0)
}

// allocate makes room for a problem of the size at hand.
func (a *Ascent) allocate() error {
	if err := a.model.place(a.card.device, &a.memory, &a.size); err != nil {
		return err
	}
	a.model.frames, a.model.nodes = int32(a.size.frames), int32(a.size.nodes)
	if a.model.endGap == 0 {
		a.model.endGap = int32(a.Gaps())
	}
	a.model.value = a.io.Address(0)
	a.model.counts = a.io.Address(8 * a.size.frames)
	return nil
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
	first := a.graph[0].Free()
	for _, free := range []func() error{a.graph[1].Free, a.memory.Free, a.io.Free, a.stream.Free} {
		if err := free(); first == nil {
			first = err
		}
	}
	a.graph, a.stream = [2]*cuda.Graph{}, nil
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
	return launch(a, kernel, 0, &passTask{a.model, int32(colour), int32(from)})
}

// onBlocks runs one that reads blocks. Those with features are scanned in shared
// memory.
func (a *Ascent) onBlocks(kernel string, colour int) error {
	return launch(a, kernel, a.shared, &passTask{a.model, int32(colour), 0})
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

// match solves the assignment problems of a colour. From warm prices it may be told to
// leave what few searches do not find for the next time.
func (a *Ascent) match(colour int, warm, few bool) error {
	k, err := a.card.kernel(a.form.kernel)
	if err != nil {
		return err
	}
	shape := cuda.Shape{Blocks: a.gapsOf(colour), Threads: a.form.threads, Shared: a.form.shared}
	task := &matchTask{model: a.model, colour: int32(colour), bids: int32(bidsPerRow * a.rows), paths: int32(a.rows)}
	if warm {
		task.warm = 1
	}
	if few {
		task.paths = paths
	}
	return cuda.Launch(a.stream, k, shape, task)
}

// half visits the gaps of a colour.
func (a *Ascent) half(colour int, few bool) error {
	if a.gapsOf(colour) == 0 {
		return nil
	}
	if err := a.onBlocks("pull", colour); err != nil {
		return err
	}
	if err := a.onNodes("pose", colour, 0); err != nil {
		return err
	}
	if err := a.match(colour, a.warm, few); err != nil {
		return err
	}
	for sweep := range sweeps {
		if err := a.onNodes("balance", colour, sweep&1); err != nil {
			return err
		}
	}
	return a.onNodes("push", colour, 0)
}

// turn queues a visit to the gaps of a colour, which is one graph where it can be.
func (a *Ascent) turn(colour int, few bool) error {
	if !few || a.plain {
		return a.half(colour, few)
	}
	if a.graph[colour] == nil {
		g, err := a.stream.Capture(func() error { return a.half(colour, few) })
		if noGraphs(err) {
			a.plain = true
			return a.half(colour, few)
		}
		if err != nil {
			return err
		}
		a.graph[colour] = g
	}
	return a.stream.Replay(a.graph[colour])
}

// noGraphs says whether the driver has no graphs.
func noGraphs(err error) bool {
	e, ok := errors.AsType[*cuda.Error](err)
	return ok && e.Code == cuda.NotSupported
}

// Pass visits all gaps and returns the lower bound that it proves, but for rounding:
// [Ascent.Prove] adds up afresh. Before, the multipliers repeat a share of their last
// step; with 0 the bound does not fall. The first pass solves the assignment problem of
// each gap; later ones go on with them, as far as little work leads.
func (a *Ascent) Pass(ctx context.Context, share float64) (bound float64, err error) {
	return a.visit(ctx, share, a.warm)
}

// visit is Pass with few searches, or with all that there is to find.
func (a *Ascent) visit(ctx context.Context, share float64, few bool) (bound float64, err error) {
	return visit(ctx, []*Ascent{a}, share, few, func(int) error { return nil })
}

// visit makes a pass over the parts of a problem. After the gaps of each colour exchange has the
// cards tell each other what they need.
func visit(ctx context.Context, parts []*Ascent, share float64, few bool, exchange func(colour int) error) (bound float64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("dualascent/cuda: %w", err)
	}
	for _, a := range parts {
		if err := launch(a, "stride", 0, &strideTask{a.model, share}); err != nil {
			return 0, err
		}
	}
	for colour := range 2 {
		for _, a := range parts {
			if err := a.turn(colour, few); err != nil {
				return 0, err
			}
		}
		if err := exchange(colour); err != nil {
			return 0, err
		}
	}
	for _, a := range parts {
		a.warm = true
		if err := a.stream.Pull(&a.io, 0, 8*a.Gaps()); err != nil {
			return 0, err
		}
	}
	for _, a := range parts {
		if err := a.stream.Wait(); err != nil {
			return 0, err
		}
		for _, x := range cuda.View[float64](&a.io, 0, a.Gaps())[a.model.firstGap:a.model.endGap] {
			bound += x
		}
	}
	return bound, nil
}
