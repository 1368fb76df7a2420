package bench

// This file measures how close the bounds come.

import (
	"context"
	"fmt"
	"slices"

	"mtt/association"
	"mtt/gating"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/task"
	"mtt/scenario"
)

// A boundCase is one scene of 100 targets in 50 frames and one cost.
type boundCase struct {
	scene scenario.Kind
	cost  association.Cost
	noise float64     // m, and m/s of velocities
	gate  gating.Gate // nil: automatic
	bar   float64     // %: what to reach; 0: no bar
}

// track solves the case for a seed, without refinement, as change has the options.
func (c *boundCase) track(ctx context.Context, b *measure.Run, seed uint64, change func(*association.Options)) (*association.Result, error) {
	cfg := scenario.Config{Scene: c.scene, Targets: 100, Frames: 50, Noise: c.noise, VelocityNoise: c.noise}
	sc, err := b.Scene(ctx, cfg, seed)
	if err != nil {
		return nil, err
	}
	opts := measure.Told(&cfg)
	opts.Cost, opts.NoRefine, opts.Gate = c.cost, true, c.gate
	change(&opts)
	return association.Track(ctx, sc.Scans, &opts)
}

// name says which case it is.
func (c *boundCase) name() string { return fmt.Sprintf("%s, %s, noise %g", c.scene, c.cost, c.noise) }

// fields are the columns that say which case it is.
func (c *boundCase) fields() cli.Record {
	gate := "auto"
	if c.gate != nil {
		gate = task.GateText(c.gate)
	}
	return cli.Record{
		{Key: "scene", Value: string(c.scene)}, {Key: "cost", Value: string(c.cost)}, {Key: "noise", Value: c.noise},
		{Key: "gate", Value: gate},
	}
}

// gapCases are those whose gaps are measured, with the gap to reach. The published
// cost is gated as it was published, with a margin for the noise.
var gapCases = []boundCase{
	{scenario.Burst, association.NLL, 0.05, nil, 0.01},
	{scenario.Burst, association.NLL, 0.1, nil, 0.01},
	{scenario.Arena, association.NLL, 0.05, nil, 0.01},
	{scenario.Arena, association.NLL, 0.1, nil, 0.01},
	{scenario.Cross, association.NLL, 0.05, nil, 0.01},
	{scenario.Cross, association.NLL, 0.1, nil, 0.01},
	{scenario.Steer, association.NLL, 0.05, nil, 0.01},
	{scenario.Steer, association.NLL, 0.1, nil, 0.01},
	{scenario.Burst, association.Paper, 0.1, gating.Disc{Epsilon: 2}, 0.1},
	{scenario.Cross, association.Paper, 0.2, gating.Disc{Epsilon: 2}, 0.3},
}

// benchGap solves every case with ten rounds of dual ascent, and with as many
// iterations of the published scheme as it takes until its bound rests, a hundred
// at most. Triplets and rounds are those of the seed with most.
func benchGap(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	for _, c := range gapCases {
		b.Step(c.name())
		for _, engine := range []association.Engine{association.Dual, association.DualPaper} {
			gap, rounds := make(measure.Series, b.Seeds), make(measure.Series, b.Seeds)
			triplets := make(measure.Series, b.Seeds)
			err := b.EachSeed(ctx, func(ctx context.Context, i int, seed uint64) error {
				res, err := c.track(ctx, b, seed, func(o *association.Options) {
					o.Engine, o.Dual.Effort = engine, -1 // the ascent alone
				})
				if err != nil {
					return err
				}
				gap[i], rounds[i] = 100*res.Dual.Gap(), float64(res.Dual.Rounds)
				triplets[i] = float64(res.Instance.Triplets())
				return nil
			})
			if err != nil {
				return rows, err
			}
			r := append(c.fields(), cli.Record{
				{Key: "triplets", Value: int(slices.Max(triplets))}, {Key: "engine", Value: string(engine)},
				{Key: "rounds", Value: int(slices.Max(rounds))},
			}...)
			limit := c.bar
			if engine == association.DualPaper {
				limit = 0
			}
			rows = append(rows, append(append(r, gap.Fields("gap")...), measure.Bar("gap", limit)))
		}
	}
	return rows, nil
}
