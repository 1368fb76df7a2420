package graphfile

import (
	"io"
	"math"

	"mtt/internal/npz"
	"mtt/trackgraph"
)

// This file writes a graph, with its answer and what proves it, as arrays.

// WriteNPZ writes g in the npz format of this package. With an answer it adds used and chosen (0 or
// 1), with prices link, and with margins margin_arc, margin_birth, margin_end and margin_unused:
// what internal/verify checks. Each of the three may be nil.
func WriteNPZ(w io.Writer, g *trackgraph.Graph, a *trackgraph.Answer, p *trackgraph.Prices, m *trackgraph.Margins) error {
	z := npz.NewWriter(w, true)
	var err error
	floats := func(name string, x []float64) {
		if err == nil && x != nil {
			err = npz.Add(z, name, x, len(x))
		}
	}
	whole := func(name string, x []int32, shape ...int) {
		if err == nil {
			err = npz.Add(z, name, x, shape...)
		}
	}
	frames, long := make([]int32, len(g.Frame)), false
	for d, t := range g.Frame {
		frames[d], long = int32(t), long || t > math.MaxInt32 || t < math.MinInt32
	}
	if long {
		frames := make([]int64, len(g.Frame))
		for d, t := range g.Frame {
			frames[d] = int64(t)
		}
		err = npz.Add(z, "frame", frames, len(frames))
	} else {
		whole("frame", frames, len(frames))
	}
	whole("tail", g.Tail, len(g.Tail))
	whole("head", g.Head, len(g.Head))
	if costs := g.Cost; costs != nil {
		floats("cost", costs)
	} else { // a reader wants it where there are no arcs, too
		floats("cost", []float64{})
	}
	floats("use", g.Use)
	floats("birth", g.Birth)
	floats("end", g.End)
	floats("false", g.False)
	floats("divide", g.Divide)
	floats("merge", g.Merge)
	var arcs []int32
	var costs []float64
	for _, t := range g.Triplets {
		arcs, costs = append(arcs, t.In, t.Out), append(costs, t.Cost)
	}
	if costs != nil {
		whole("triplet", arcs, len(costs), 2)
		floats("triplet_cost", costs)
	}
	arcs, costs = nil, nil
	for _, d := range g.Divisions {
		arcs, costs = append(arcs, d.First, d.Second), append(costs, d.Cost)
	}
	if costs != nil {
		whole("division", arcs, len(costs), 2)
		floats("division_cost", costs)
	}
	if a != nil {
		flags := func(name string, x []bool) {
			out := make([]int32, len(x))
			for k, yes := range x {
				if yes {
					out[k] = 1
				}
			}
			whole(name, out, len(out))
		}
		flags("used", a.Used)
		flags("chosen", a.Chosen)
	}
	if p != nil {
		floats("link", p.Link)
	}
	if m != nil {
		floats("margin_arc", m.Arc)
		floats("margin_birth", m.Birth)
		floats("margin_end", m.End)
		floats("margin_unused", m.Unused)
	}
	if err != nil {
		return err
	}
	return z.Close()
}
