package bench

// This file times an iteration of the dual ascent at the sizes of its source paper, in
// the forms of triplet costs that were published and in ours.

import (
	"context"
	"fmt"
	"math"

	"mtt"
	"mtt/association"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/usage"
	"mtt/mapsolver"
	"mtt/mapsolver/hungarian"
	"mtt/scenario"
)

// What Kawtikwar and Nagi 2023 report for sizes from 50 by 50 to 300 by 300 on a
// graphics card: geometric means of the speed-ups over the work before.
const (
	publishedDistribution = 24.7 // section V-C: gated and compressed over naive cost distribution
	publishedOverall      = 5.86 // of an iteration
	publishedLAP          = 708  // of the X-LAPs
)

// distributionCases are sizes of the paper, targets and frames.
var distributionCases = [][2]int{{50, 50}, {50, 300}, {100, 100}, {200, 200}, {300, 50}, {300, 300}}

// paperInstance prices a scene as the paper does, with its gate: epsilon 5.
func paperInstance(ctx context.Context, b *measure.Run, targets, frames int) (*association.Result, []mtt.Scan, error) {
	cfg := scenario.Config{Scene: scenario.Burst, Targets: targets, Frames: frames, Noise: 0.1, VelocityNoise: 0.1}
	sc, err := b.Scene(ctx, cfg, b.First)
	if err != nil {
		return nil, nil, err
	}
	opts := measure.Told(&cfg)
	opts.Cost, opts.NoRefine, opts.Gate, opts.Cap = association.Paper, true, gating.Disc{Epsilon: 5}, -1
	built, err := association.Build(ctx, sc.Scans, &opts)
	return built, sc.Scans, err
}

// formMillis are milliseconds of one iteration over all blocks.
type formMillis struct{ distribute, minima float64 }

// timeForm distributes and takes minima once at every block of inst, or at every
// step-th, and scales up. It compares the minima with those of others, by block.
func timeForm(ctx context.Context, form tripletForm, inst *dualascent.Instance, prices []dualascent.Prices, step int, others map[int][]float64) (formMillis, error) {
	var t formMillis
	count := 0
	for p := 0; p < len(inst.Blocks); p += step {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		count++
		d := newDistribution(form, inst, p)
		minima := make([]float64, len(inst.Pairs[p].Col))
		began := usage.CPUSeconds()
		d.distribute(prices[p+1].V)
		half := usage.CPUSeconds()
		d.least(minima)
		t.distribute += 1e3 * (half - began)
		t.minima += 1e3 * (usage.CPUSeconds() - half)
		if want, ok := others[p]; ok {
			for a, x := range minima {
				if x != want[a] && !(math.Abs(x-want[a]) < 1e-9) {
					return t, fmt.Errorf("block %d, %v: a minimum is %v, another form has %v", p, form, x, want[a])
				}
			}
		}
		others[p] = minima
	}
	scale := float64(len(inst.Blocks)) / float64(max(1, count))
	t.distribute *= scale
	t.minima *= scale
	return t, nil
}

// denseLAPs are the milliseconds that the X-LAPs of one iteration take when every pair
// of detections is allowed and none has a price to start from: by the Hungarian
// method, for every step-th gap, scaled up.
func denseLAPs(ctx context.Context, built *association.Result, scans []mtt.Scan, step int) (float64, error) {
	solver := &hungarian.Solver{Method: hungarian.Tree}
	total, count := 0.0, 0
	var s mapsolver.Solution
	for t := 0; t+1 < len(scans); t += step {
		n, m := scans[t].Len(), scans[t+1].Len()
		p := &mapsolver.Problem{Rows: n, Cols: m, Ptr: make([]int, n+1), Col: make([]int32, n*m), Cost: make([]float64, n*m)}
		for i := range n {
			p.Ptr[i+1] = (i + 1) * m
			out := p.Col[i*m : (i+1)*m]
			for j := range out {
				out[j] = int32(j)
			}
			built.Model.Pairs(p.Cost[i*m:(i+1)*m], &scans[t], i, &scans[t+1], out)
		}
		began := usage.CPUSeconds()
		if err := solver.Solve(ctx, &s, p, nil); err != nil {
			return 0, err
		}
		total += usage.CPUSeconds() - began
		count++
	}
	return 1e3 * total * float64(len(scans)-1) / float64(max(1, count)), nil
}

// benchDistribution times cost distribution and node minima of one iteration, in
// milliseconds of the processor, in all forms: cubes (at some blocks, scaled up, where
// they are large), compressed with indices (CSR-COO), our matrices, and what we use:
// differences of link values, or matrices where these are faster; then an iteration as it was (cubes, and dense assignment problems from nothing)
// beside a pass of ours, and the whole solve. The minima of all forms are equal, or the
// benchmark fails.
func benchDistribution(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	const costs = 30_000_000 // of cubes that are made
	var rows []cli.Record
	for _, c := range distributionCases {
		b.Step(fmt.Sprintf("%d targets, %d frames", c[0], c[1]))
		built, scans, err := paperInstance(ctx, b, c[0], c[1])
		if err != nil {
			return rows, err
		}
		inst := &built.Instance.Dual
		n := float64(scans[0].Len())
		step := max(1, int(math.Ceil(n*n*n*float64(len(inst.Blocks))/costs)))
		start, err := dualascent.Solve(ctx, inst, &dualascent.Options{MaxRounds: 1, Search: -1, Effort: -1, Workers: 1})
		if err != nil {
			return rows, err
		}
		minima := make(map[int][]float64)
		var t [4]formMillis
		for _, form := range []tripletForm{cubeForm, csrForm, storedForm, ourForm} {
			every := 1
			if form == cubeForm {
				every = step
			}
			if t[form], err = timeForm(ctx, form, inst, start.Prices, every, minima); err != nil {
				return rows, err
			}
		}
		laps, err := denseLAPs(ctx, built, scans, max(1, len(scans)/10))
		if err != nil {
			return rows, err
		}
		pass, err := passMillis(ctx, inst)
		if err != nil {
			return rows, err
		}
		began := usage.CPUSeconds()
		res, err := dualascent.Solve(ctx, inst, &dualascent.Options{Workers: 1})
		if err != nil {
			return rows, err
		}
		solve := usage.CPUSeconds() - began
		sum := func(f tripletForm) float64 { return t[f].distribute + t[f].minima }
		ms := func(key string, v float64) cli.Field { return cli.Field{Key: key, Value: v, Unit: "ms", Digits: 3} }
		_, filtered := gating.Count(built.Instance.Gates).Filtered()
		rows = append(rows, cli.Record{
			{Key: "targets", Value: scans[0].Len()}, {Key: "frames", Value: len(scans)},
			{Key: "triplets", Value: inst.Triplets()}, {Key: "filtered", Value: filtered, Unit: "%", Digits: 3},
			{Key: "cubes", Value: (len(inst.Blocks) + step - 1) / step, Note: fmt.Sprintf("of %d were measured", len(inst.Blocks))},
			ms("cube", sum(cubeForm)), ms("csr_coo", sum(csrForm)),
			ms("stored", sum(storedForm)), ms("ours", sum(ourForm)),
			{Key: "distribution_x", Value: t[cubeForm].distribute / t[csrForm].distribute, Digits: 3},
			{Key: "published_x", Value: publishedDistribution},
			{Key: "ours_x", Value: sum(cubeForm) / sum(ourForm), Digits: 3},
			ms("dense_laps", laps), ms("pass", pass),
			{Key: "iteration_x", Value: (sum(cubeForm) + laps) / pass, Digits: 3},
			{Key: "published_iteration_x", Value: publishedOverall},
			{Key: "gap", Value: 100 * res.Gap(), Unit: "%", Digits: 2},
			{Key: "solve_cpu", Value: solve, Unit: "s", Digits: 3},
		})
	}
	return rows, nil
}

// passMillis are the milliseconds of one pass of ours, from its second round on, warm
// starts and all.
func passMillis(ctx context.Context, inst *dualascent.Instance) (float64, error) {
	var at []float64
	_, err := dualascent.Solve(ctx, inst, &dualascent.Options{
		MaxRounds: 4, Search: -1, Effort: -1, Workers: 1,
		Progress: func(dualascent.Step) { at = append(at, usage.CPUSeconds()) },
	})
	last := min(len(at), 6) - 1 // in round 3: no answers are built there
	if err != nil || last < 2 {
		return math.NaN(), err
	}
	return 1e3 * (at[last] - at[last-2]) / 2, nil
}
