package task

// This file explains what a detection might do instead, and at which price: mtt explain.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mtt"
	"mtt/association/instance"
	"mtt/dualascent"
	"mtt/internal/certificate"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
)

// Explain lists what may be before and after a detection of a tracked run, the cheapest first,
// with how much more the best answer costs that has it. Problem, prices and answer are those of the
// certificate.
func Explain(ctx context.Context, folder *runfolder.Folder, frame, det, workers int) ([]cli.Record, error) {
	var c *certificate.Certificate
	start, err := cli.Await(ctx, func() (start *instance.Start, err error) {
		start, c, err = readStart(ctx, folder)
		return start, err
	})
	if err != nil {
		return nil, err
	}
	t := slices.IndexFunc(start.Scans, func(s mtt.Scan) bool { return s.Frame == frame })
	if t < 0 {
		return nil, cli.Usagef("%s has no frame %d: the first is %d, the last %d", folder.Dir, frame, start.Scans[0].Frame, start.Scans[len(start.Scans)-1].Frame)
	}
	if n := start.Scans[t].Len(); det < 0 || det >= n {
		return nil, cli.Usagef("frame %d has no detection %d: there are %d, counted from 0", frame, det, n)
	}
	inst := problemOf(c)
	if err := inst.Validate(); err != nil {
		return nil, cli.BadInput(fmt.Errorf("%s: %w", folder.Path(runfolder.CertificateFile), err))
	}
	if math.IsInf(inst.Cost(start.Next), 0) {
		return nil, cli.BadInput(fmt.Errorf("%s: its answer does something forbidden: 'mtt verify' says more", folder.Path(runfolder.CertificateFile)))
	}
	prices := slices.Clone(start.Prices)
	for p := range prices { // the file leaves out what no matrix is there for
		g, m := &inst.Pairs[p], &prices[p]
		if p == 0 {
			m.V, m.Death = make([]float64, len(g.Col)), make([]float64, g.Rows)
		}
		if p == len(prices)-1 {
			m.U, m.Birth = make([]float64, len(g.Col)), make([]float64, g.Cols)
		}
	}
	var rows []cli.Record
	side := func(pair int, in bool, name, end string) error {
		opts := &dualascent.Options{Workers: workers}
		list, err := dualascent.Alternatives(ctx, inst, prices, start.Next, pair, int32(det), in, opts)
		if err != nil {
			return err
		}
		g := &inst.Pairs[pair]
		for _, x := range list {
			what, to, other := end, -1, -1
			if x.Arc >= 0 {
				what = "link"
				to, other = pair+1, int(g.Col[x.Arc])
				if in {
					to, other = pair, rowOf(g, x.Arc)
				}
				if n := start.Scans[to].Len(); other >= n { // undetected there
					coast := &start.Coast[to][other-n]
					if in {
						to, other = to-int(coast.Since), int(coast.From)
					} else {
						to, other = to+int(coast.Until), int(coast.To)
					}
				}
				to = start.Scans[to].Frame
			}
			rows = append(rows, cli.Record{
				{Key: "side", Value: name}, {Key: "what", Value: what}, {Key: "frame", Value: to}, {Key: "det", Value: other},
				{Key: "chosen", Value: chosen(g, start.Next[pair], det, in, x.Arc)},
				{Key: "least", Value: clean(x.Least)}, {Key: "most", Value: clean(x.Most)},
			})
		}
		return nil
	}
	if t > 0 {
		if err := side(t-1, true, "before", "birth"); err != nil {
			return rows, err
		}
	}
	if t < len(inst.Pairs) {
		if err := side(t, false, "after", "death"); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// clean is 0 for what rounding leaves of it.
func clean(x float64) float64 {
	if math.Abs(x) < 1e-9 {
		return 0
	}
	return x
}

// rowOf is the tail of an arc.
func rowOf(g *dualascent.FramePair, arc int32) int {
	k, _ := slices.BinarySearch(g.Ptr, int(arc)+1)
	return k - 1
}

// chosen says whether an answer has an arc, or none, at a detection.
func chosen(g *dualascent.FramePair, next []int32, det int, in bool, arc int32) bool {
	if !in {
		return next[det] == arc
	}
	return arc == firstOf(next, func(a int32) bool { return a >= 0 && int(g.Col[a]) == det })
}

// firstOf is the first element for which yes is true; -1: there is none.
func firstOf(list []int32, yes func(int32) bool) int32 {
	if k := slices.IndexFunc(list, yes); k >= 0 {
		return list[k]
	}
	return -1
}

// problemOf is the problem of a certificate.
func problemOf(c *certificate.Certificate) *dualascent.Instance {
	inst := &dualascent.Instance{}
	for p := range c.Gaps {
		g := &c.Gaps[p]
		inst.Pairs = append(inst.Pairs, dualascent.FramePair{
			Rows: g.Rows, Cols: g.Cols, Ptr: g.Ptr, Col: g.Col, Cost: g.Cost, RowMiss: g.RowMiss, ColMiss: g.ColMiss,
		})
		if p == 0 {
			continue
		}
		b := dualascent.Block{D: g.D, Ptr: make([]int, g.Rows+1), Differences: (*dualascent.Differences)(g.Features)}
		if g.Features == nil {
			in := make([]int, g.Rows)
			for _, j := range c.Gaps[p-1].Col {
				in[j]++
			}
			for j := range g.Rows {
				b.Ptr[j+1] = b.Ptr[j] + (in[j]+1)*(g.Ptr[j+1]-g.Ptr[j]+1)
			}
		}
		inst.Blocks = append(inst.Blocks, b)
	}
	return inst
}
