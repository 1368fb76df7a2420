package measure

// This file times the same iteration on a card.

import (
	"context"
	"fmt"
	"time"

	ascent "mtt/dualascent/cuda"
	"mtt/mapsolver"
	"mtt/mapsolver/cuda"
)

// A CardIteration is the milliseconds of one iteration on a card, in the forms that Kawtikwar and
// Nagi compare: algorithms 3 and 4, the y problem, and the X-LAPs with every pair, by the trees of Date
// and Nagi one after the other and by a block of threads for each, all at once.
type CardIteration struct {
	Targets, Frames   int
	Filtered          float64 // % of the triplets
	Naive, Compressed float64
	Least             float64
	Trees, Blocks     float64
}

// CardTimes measures on the card that there is. Each time is the median of five.
func (it *Iteration) CardTimes(ctx context.Context) (*CardIteration, error) {
	r := &CardIteration{Targets: it.Scans[0].Len(), Frames: len(it.Scans), Filtered: it.Filtered()}
	if err := it.cubeTimes(r); err != nil {
		return nil, err
	}
	if err := it.treeTimes(ctx, r); err != nil {
		return nil, err
	}
	return r, it.blockTimes(ctx, r)
}

const repeats = 5

// median calls do once to warm up, and takes the median of what it returns later.
func median(do func() (float64, error)) (float64, error) {
	var list Series
	for k := range repeats + 1 {
		ms, err := do()
		if err != nil {
			return 0, err
		}
		if k > 0 {
			list = append(list, ms)
		}
	}
	return list.Median(), nil
}

func (it *Iteration) cubeTimes(r *CardIteration) error {
	c, err := ascent.NewCube(it.Inst)
	if err != nil {
		return err
	}
	defer c.Free()
	n := c.Nodes()
	v := make([]float64, c.Blocks()*n*n)
	for t := range c.Blocks() {
		g := &it.Inst.Pairs[t+1]
		for j := range g.Rows {
			for b := g.Ptr[j]; b < g.Ptr[j+1]; b++ {
				v[(t*n+int(g.Col[b]))*n+j] = it.Prices[t+1].V[b]
			}
		}
	}
	if err := c.Multipliers(v); err != nil {
		return err
	}
	if r.Naive, err = median(c.Naive); err != nil {
		return err
	}
	if r.Least, err = median(c.Least); err != nil {
		return err
	}
	r.Compressed, err = median(c.Compressed)
	return err
}

// treeTimes solves at most ten problems and scales up.
func (it *Iteration) treeTimes(ctx context.Context, r *CardIteration) error {
	solver := &cuda.Hungarian{Form: cuda.DateNagi}
	defer solver.Free()
	step, count := max(1, len(it.Inst.Pairs)/10), 0
	var s mapsolver.Solution
	for t := 0; t < len(it.Inst.Pairs); t += step {
		p := it.everyPair(t)
		if t == 0 { // loads the kernels
			if err := solver.Solve(ctx, &s, p, nil); err != nil {
				return err
			}
		}
		times := new(cuda.HungarianTimes)
		solver.Times = times
		if err := solver.Solve(ctx, &s, p, nil); err != nil {
			return err
		}
		r.Trees += 1e3 * times.Run.Seconds()
		count++
	}
	r.Trees *= float64(len(it.Inst.Pairs)) / float64(max(1, count))
	return nil
}

func (it *Iteration) blockTimes(ctx context.Context, r *CardIteration) error {
	gaps, n := len(it.Inst.Pairs), it.Scans[0].Len()
	costs, err := cuda.NewCosts(gaps, n, n)
	if err != nil {
		return err
	}
	defer costs.Free()
	for t := range gaps {
		p := it.everyPair(t)
		if p.Rows != n || p.Cols != n {
			return fmt.Errorf("frames %d and %d have %d and %d detections, the first has %d", t, t+1, p.Rows, p.Cols, n)
		}
		for i := range n {
			row := costs.Row(t, i)
			for j, x := range p.Cost[i*n : (i+1)*n] {
				row[j] = float32(x)
			}
		}
	}
	if err := costs.Upload(); err != nil {
		return err
	}
	batch, err := costs.NewBatch()
	if err != nil {
		return err
	}
	defer batch.Free()
	r.Blocks, err = median(func() (float64, error) {
		began := time.Now()
		err := batch.Solve(ctx, false)
		return 1e3 * time.Since(began).Seconds(), err
	})
	return err
}
