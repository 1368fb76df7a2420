package bench

// This file times an iteration of the dual ascent at the sizes of its source paper, in
// the forms of triplet costs that were published and in ours.

import (
	"context"
	"fmt"
	"math"

	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/usage"
)

// benchDistribution times cost distribution and node minima of one iteration, in milliseconds of
// the processor, in all forms: cubes (at some blocks, scaled up, where they are large), compressed
// with indices (CSR-COO), our matrices, and what we use: differences of link values, or matrices
// where these are faster; then an iteration as it was (cubes, and dense assignment problems from
// nothing) beside a pass of ours, and the whole solve. The minima of all forms are equal, or the
// benchmark fails.
func benchDistribution(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	for _, c := range measure.IterationSizes {
		b.Step(fmt.Sprintf("%d targets, %d frames", c[0], c[1]))
		it, err := measure.NewIteration(ctx, b, c[0], c[1], gating.Disc{Epsilon: 5})
		if err != nil {
			return rows, err
		}
		inst := it.Inst
		var t [4]measure.FormMillis
		for form := range measure.TripletForm(len(t)) {
			if t[form], err = it.Form(ctx, form); err != nil {
				return rows, err
			}
		}
		laps, err := it.EveryPair(ctx, max(1, len(it.Scans)/10))
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
		ms := func(key string, v float64) cli.Field { return cli.Field{Key: key, Value: v, Unit: "ms", Digits: 3} }
		rows = append(rows, cli.Record{
			{Key: "targets", Value: it.Scans[0].Len()}, {Key: "frames", Value: len(it.Scans)},
			{Key: "triplets", Value: inst.Triplets()}, {Key: "filtered", Value: it.Filtered(), Unit: "%", Digits: 3},
			{Key: "cubes", Value: it.Cubes(), Note: fmt.Sprintf("of %d were measured", len(inst.Blocks))},
			ms("cube", t[measure.CubeForm].Sum()), ms("csr_coo", t[measure.CSRForm].Sum()),
			ms("stored", t[measure.StoredForm].Sum()), ms("ours", t[measure.OurForm].Sum()),
			{Key: "distribution_x", Value: t[measure.CubeForm].Distribute / t[measure.CSRForm].Distribute, Digits: 3},
			{Key: "published_x", Value: measure.PublishedDistribution},
			{Key: "ours_x", Value: t[measure.CubeForm].Sum() / t[measure.OurForm].Sum(), Digits: 3},
			ms("dense_laps", laps.Solve), ms("pass", pass),
			{Key: "iteration_x", Value: (t[measure.CubeForm].Sum() + laps.Solve) / pass, Digits: 3},
			{Key: "published_iteration_x", Value: measure.PublishedOverall},
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
