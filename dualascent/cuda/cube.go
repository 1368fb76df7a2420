package cuda

import (
	"fmt"

	"mtt/dualascent"
	"mtt/internal/cuda"
	"mtt/mapsolver"
)

// This file holds the published form of triplet costs on the card, to compare with.

// A Cube is the triplet costs of an instance as Kawtikwar and Nagi keep them [1]: one for every
// three detections of three frames, a large one outside the gate, and lists of those inside. It takes
// 8 bytes for each of blocks×n³ costs, where n is most nodes of a frame, and 16 for each inside the
// gate. Births and deaths are left out. It is there to measure their algorithms 3 and 4; an [Ascent]
// needs neither.
//
// [1] S. Kawtikwar, R. Nagi. Multi-Target Tracking with GPU-Accelerated Data Association Engine.
// FUSION 2023.
type Cube struct {
	card   *card
	stream *cuda.Stream
	task   cubeTask
	memory cuda.Memory
	begun  *cuda.Event
	ended  *cuda.Event
	listed int
}

// Outside is the cost of a triplet outside the gate, the article's.
const Outside = 1e6

// NewCube puts the triplet costs of an instance of at least three frames on the card. The error
// wraps [ErrUnavailable] when there is no card.
func NewCube(inst *dualascent.Instance) (*Cube, error) {
	if len(inst.Blocks) == 0 {
		panic(noGaps)
	}
	c := new(Cube)
	if err := c.send(inst); err != nil {
		_ = c.Free()
		return nil, err
	}
	return c, nil
}

// A lists are the costs inside the gate, by block and head.
type lists struct {
	pointer []int64
	i, j    []int32
	cost    []float64
}

// list lists them, those of a head by tail and then by node, as they lie in the cube; n is most nodes
// of a frame.
func list(inst *dualascent.Instance, n int) *lists {
	l := &lists{pointer: []int64{0}}
	for t := range inst.Blocks {
		left, right, b := &inst.Pairs[t], &inst.Pairs[t+1], inst.Blocks[t]
		if b.Differences != nil {
			b = b.Differences.Dense(left, right)
		}
		var in, out mapsolver.Columns
		mapsolver.ByColumn(&in, &mapsolver.Problem{Rows: left.Rows, Cols: left.Cols, Ptr: left.Ptr, Col: left.Col})
		mapsolver.ByColumn(&out, &mapsolver.Problem{Rows: right.Rows, Cols: right.Cols, Ptr: right.Ptr, Col: right.Col})
		after := make([]int, left.Rows+1) // where the costs of a tail go
		for k := range n {
			if k < right.Cols {
				nodes := out.Row[out.Ptr[k]:out.Ptr[k+1]]
				clear(after)
				for _, j := range nodes {
					for _, i := range in.Row[in.Ptr[j]:in.Ptr[j+1]] {
						after[i+1]++
					}
				}
				after[0] = len(l.i)
				for i := range left.Rows {
					after[i+1] += after[i]
				}
				more := after[left.Rows] - len(l.i)
				l.i, l.j = append(l.i, make([]int32, more)...), append(l.j, make([]int32, more)...)
				l.cost = append(l.cost, make([]float64, more)...)
				for e, j := range nodes {
					at := int(out.Entry[out.Ptr[k]+e])
					width := right.Ptr[j+1] - right.Ptr[j] + 1
					d := b.D[b.Ptr[j]+at-right.Ptr[j]:]
					for r, i := range in.Row[in.Ptr[j]:in.Ptr[j+1]] {
						x := after[i]
						l.i[x], l.j[x], l.cost[x] = i, j, min(d[r*width], Outside)
						after[i]++
					}
				}
			}
			l.pointer = append(l.pointer, int64(len(l.i)))
		}
	}
	return l
}

func (c *Cube) send(inst *dualascent.Instance) error {
	var err error
	if c.card, err = defaultCard(); err != nil {
		return err
	}
	n := 0
	for p := range inst.Pairs {
		n = max(n, inst.Pairs[p].Rows, inst.Pairs[p].Cols)
	}
	if c.stream, err = c.card.device.NewStream(); err != nil {
		return err
	}
	l := list(inst, n)
	c.listed = len(l.i)
	c.task.n, c.task.blocks, c.task.outside = int32(n), int32(len(inst.Blocks)), Outside
	square := len(inst.Blocks) * n * n
	size := 0
	place := func(bytes int) uintptr {
		at := size
		size += (bytes + 255) &^ 255
		return uintptr(at)
	}
	t := &c.task
	t.y, t.v, t.gamma = place(8*square*n), place(8*square), place(8*square)
	t.pointer, t.i, t.j, t.cost = place(8*len(l.pointer)), place(4*len(l.i)), place(4*len(l.j)), place(8*len(l.cost))
	if err := c.memory.Resize(c.card.device, size); err != nil {
		return err
	}
	for _, at := range []*uintptr{&t.y, &t.v, &t.gamma, &t.pointer, &t.i, &t.j, &t.cost} {
		*at += c.memory.Address(0)
	}
	if err := cuda.Write(c.stream, t.pointer, l.pointer); err != nil {
		return err
	}
	if err := cuda.Write(c.stream, t.i, l.i); err != nil {
		return err
	}
	if err := cuda.Write(c.stream, t.j, l.j); err != nil {
		return err
	}
	if err := cuda.Write(c.stream, t.cost, l.cost); err != nil {
		return err
	}
	return c.Reset()
}

// Reset makes the costs what they were.
func (c *Cube) Reset() error {
	if err := c.launch("cube_fill", 8*c.card.device.Multiprocessors, 256); err != nil {
		return err
	}
	return c.launch("cube_list", c.heads(), 32)
}

// heads is the number of lists, squares that of pairs of a node and another in all blocks.
func (c *Cube) heads() int   { return int(c.task.blocks) * int(c.task.n) }
func (c *Cube) squares() int { return c.heads() * int(c.task.n) }

func (c *Cube) launch(kernel string, blocks, threads int) error {
	k, err := c.card.kernel(kernel)
	if err != nil {
		return err
	}
	return cuda.Launch(c.stream, k, cuda.Shape{Blocks: blocks, Threads: threads}, &c.task)
}

// timed runs a kernel and returns its milliseconds.
func (c *Cube) timed(kernel string, blocks, threads int) (ms float64, err error) {
	if c.begun, err = c.stream.Record(c.begun); err != nil {
		return 0, err
	}
	if err = c.launch(kernel, blocks, threads); err != nil {
		return 0, err
	}
	if c.ended, err = c.stream.Record(c.ended); err != nil {
		return 0, err
	}
	return c.ended.Since(c.begun)
}

// Multipliers says what the next distributions subtract: v is blocks×n×n, by block, head and node.
func (c *Cube) Multipliers(v []float64) error {
	if len(v) != c.squares() {
		panic(badMultipliers)
	}
	return cuda.Write(c.stream, c.task.v, v)
}

const badMultipliers = "dualascent/cuda: a cube has other multipliers"

// Naive subtracts them from all costs, as algorithm 3 does. It returns the milliseconds on the card.
func (c *Cube) Naive() (ms float64, err error) {
	return c.timed("cube_naive", (c.squares()+255)/256, 256)
}

// Compressed subtracts them from the costs inside the gate, as algorithm 4 does.
func (c *Cube) Compressed() (ms float64, err error) {
	return c.timed("cube_compressed", c.heads(), 32)
}

// Least takes the least cost over the heads of each tail and node, the article's y problem.
func (c *Cube) Least() (ms float64, err error) {
	return c.timed("cube_least", (c.squares()+255)/256, 256)
}

// Minima are what Least found: blocks×n×n, by block, tail and node.
func (c *Cube) Minima() ([]float64, error) {
	list := make([]float64, c.squares())
	if err := cuda.Read(c.stream, list, c.task.gamma); err != nil {
		return nil, fmt.Errorf("dualascent/cuda: %w", err)
	}
	return list, nil
}

// Nodes is most nodes of a frame, Blocks the number of inner frames, Listed that of costs inside
// the gate.
func (c *Cube) Nodes() int  { return int(c.task.n) }
func (c *Cube) Blocks() int { return int(c.task.blocks) }
func (c *Cube) Listed() int { return c.listed }

// Free gives the memory back.
func (c *Cube) Free() error {
	first := c.memory.Free()
	if err := c.stream.Free(); first == nil {
		first = err
	}
	c.stream = nil
	return first
}
