package measure

// This file times an iteration of the dual ascent of Kawtikwar and Nagi 2023 in the forms that
// they compare.

import (
	"context"
	"fmt"
	"math"

	"mtt"
	"mtt/association"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/usage"
	"mtt/mapsolver"
	"mtt/mapsolver/hungarian"
	"mtt/mapsolver/ssp"
	"mtt/scenario"
)

// What they report for sizes from 50 by 50 to 300 by 300 on a graphics card: geometric means of
// the speed-ups over the work before.
const (
	PublishedDistribution = 24.7 // section V-C: gated and compressed over naive cost distribution
	PublishedOverall      = 5.86 // of an iteration
	PublishedLAP          = 708  // of the X-LAPs
)

// IterationSizes are sizes of theirs, targets and frames.
var IterationSizes = [][2]int{{50, 50}, {50, 300}, {100, 100}, {200, 200}, {300, 50}, {300, 300}}

// An Iteration is a scene priced as they do, and the prices after a round, which are what an
// iteration distributes.
type Iteration struct {
	Built  *association.Result
	Scans  []mtt.Scan
	Inst   *dualascent.Instance
	Prices []dualascent.Prices
	step   int               // every step-th block is made a cube
	minima map[int][]float64 // of the blocks, which all forms have to agree on
}

// NewIteration draws the scene of the first seed.
func NewIteration(ctx context.Context, b *Run, targets, frames int, gate gating.Gate) (*Iteration, error) {
	const costs = 30_000_000 // of cubes that are made
	cfg := scenario.Config{Scene: scenario.Burst, Targets: targets, Frames: frames, Noise: 0.1, VelocityNoise: 0.1}
	sc, err := b.Scene(ctx, cfg, b.First)
	if err != nil {
		return nil, err
	}
	opts := Told(&cfg)
	opts.Cost, opts.NoRefine, opts.Gate, opts.Cap = association.Paper, true, gate, -1
	built, err := association.Build(ctx, sc.Scans, &opts)
	if err != nil {
		return nil, err
	}
	it := &Iteration{Built: built, Scans: sc.Scans, Inst: &built.Instance.Dual, minima: make(map[int][]float64)}
	n := float64(sc.Scans[0].Len())
	it.step = max(1, int(math.Ceil(n*n*n*float64(len(it.Inst.Blocks))/costs)))
	start, err := dualascent.Solve(ctx, it.Inst, &dualascent.Options{MaxRounds: 1, Search: -1, Effort: -1, Workers: 1})
	if err != nil {
		return nil, err
	}
	it.Prices = start.Prices
	return it, nil
}

// Filtered is the share of the triplets that the gate leaves out, in percent.
func (it *Iteration) Filtered() float64 {
	_, filtered := gating.Count(it.Built.Instance.Gates).Filtered()
	return filtered
}

// Cubes is the number of blocks that are measured as cubes.
func (it *Iteration) Cubes() int { return (len(it.Inst.Blocks) + it.step - 1) / it.step }

// FormMillis are milliseconds of one iteration over all blocks.
type FormMillis struct{ Distribute, Minima float64 }

// Sum is both.
func (m FormMillis) Sum() float64 { return m.Distribute + m.Minima }

// Form distributes and takes minima once at every block, of cubes at some, and scales up. It
// compares the minima with those of the forms before.
func (it *Iteration) Form(ctx context.Context, form TripletForm) (FormMillis, error) {
	var t FormMillis
	count, step := 0, 1
	if form == CubeForm {
		step = it.step
	}
	for p := 0; p < len(it.Inst.Blocks); p += step {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		count++
		d := newDistribution(form, it.Inst, p)
		minima := make([]float64, len(it.Inst.Pairs[p].Col))
		began := usage.CPUSeconds()
		d.distribute(it.Prices[p+1].V)
		half := usage.CPUSeconds()
		d.least(minima)
		t.Distribute += 1e3 * (half - began)
		t.Minima += 1e3 * (usage.CPUSeconds() - half)
		if want, ok := it.minima[p]; ok {
			for a, x := range minima {
				if x != want[a] && !(math.Abs(x-want[a]) < 1e-9) {
					return t, fmt.Errorf("block %d, %v: a minimum is %v, another form has %v", p, form, x, want[a])
				}
			}
		}
		it.minima[p] = minima
	}
	scale := float64(len(it.Inst.Blocks)) / float64(max(1, count))
	t.Distribute *= scale
	t.Minima *= scale
	return t, nil
}

// LAPMillis are the milliseconds of the X-LAPs of one iteration, from nothing, and of the
// update of the multipliers by what the assignments leave of the costs.
type LAPMillis struct{ Solve, Update float64 }

// EveryPair times the X-LAPs where every pair of detections is allowed, as it was before the gate,
// by the Hungarian method with one tree after the other, as Date and Nagi have it: at every step-th
// pair of frames, scaled up.
func (it *Iteration) EveryPair(ctx context.Context, step int) (LAPMillis, error) {
	return it.laps(ctx, &hungarian.Solver{Method: hungarian.Tree}, step, it.everyPair)
}

// everyPair is the assignment problem of scans t and t+1 with every pair.
func (it *Iteration) everyPair(t int) *mapsolver.Problem {
	n, m := it.Scans[t].Len(), it.Scans[t+1].Len()
	p := &mapsolver.Problem{Rows: n, Cols: m, Ptr: make([]int, n+1), Col: make([]int32, n*m), Cost: make([]float64, n*m)}
	for i := range n {
		p.Ptr[i+1] = (i + 1) * m
		out := p.Col[i*m : (i+1)*m]
		for j := range out {
			out[j] = int32(j)
		}
		it.Built.Model.Pairs(p.Cost[i*m:(i+1)*m], &it.Scans[t], i, &it.Scans[t+1], out)
	}
	return p
}

// Gated times them with the pairs inside the gate and births and deaths, by shortest paths.
func (it *Iteration) Gated(ctx context.Context) (LAPMillis, error) {
	return it.laps(ctx, new(ssp.Solver), 1, func(t int) *mapsolver.Problem {
		g := &it.Inst.Pairs[t]
		return &mapsolver.Problem{Rows: g.Rows, Cols: g.Cols, Ptr: g.Ptr, Col: g.Col, Cost: g.Cost, RowMiss: g.RowMiss, ColMiss: g.ColMiss}
	})
}

func (it *Iteration) laps(ctx context.Context, solver mapsolver.Solver, step int, problem func(t int) *mapsolver.Problem) (sum LAPMillis, err error) {
	count := 0
	var s mapsolver.Solution
	var left []float64
	for t := 0; t < len(it.Inst.Pairs); t += step {
		p := problem(t)
		left = append(left[:0], p.Cost...)
		began := usage.CPUSeconds()
		if err := solver.Solve(ctx, &s, p, nil); err != nil {
			return sum, err
		}
		half := usage.CPUSeconds()
		for i := range p.Rows {
			for e := p.Ptr[i]; e < p.Ptr[i+1]; e++ {
				left[e] -= p.Cost[e] - s.U[i] - s.V[p.Col[e]]
			}
		}
		sum.Solve += 1e3 * (half - began)
		sum.Update += 1e3 * (usage.CPUSeconds() - half)
		count++
	}
	scale := float64(len(it.Inst.Pairs)) / float64(max(1, count))
	return LAPMillis{sum.Solve * scale, sum.Update * scale}, nil
}
