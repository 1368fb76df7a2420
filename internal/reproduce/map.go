package reproduce

// This file repeats the paper on the dual ascent: what its gate loses, and what splines gain.

import (
	"context"
	"fmt"
	"math"

	"mtt/association"
	"mtt/costgen"
	"mtt/gating"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/task"
	"mtt/plots"
	"mtt/scenario"
)

const mapSource = "S. Kawtikwar, R. Nagi. Multi-target tracking with GPU-accelerated data association engine. FUSION 2023"

// mapSizes are targets and frames. Near twenty frames the gate lets a fifth of the triplets
// pass, as the paper has it at every size: its scenes stay crowded for longer than its text says.
var mapSizes = [][2]int{{20, 20}, {50, 20}, {50, 50}, {100, 20}, {100, 50}}

// mapNoise is the noise of positions in m, which the paper does not state.
const mapNoise = 0.1

// whole is the price of what the paper does not have, births, deaths and false alarms: nobody
// pays it who need not.
const whole = 1e4

// A mapRun is the published scheme with a gate and a model.
type mapRun struct {
	mmep, itcp, gap, filtered float64 // %
}

// solveMap draws a scene and solves it by a hundred iterations of the published scheme.
func solveMap(ctx context.Context, b *measure.Run, targets, frames int, seed uint64, gate gating.Gate, straight bool) (r mapRun, err error) {
	cfg := scenario.Config{Scene: scenario.Burst, Targets: targets, Frames: frames, Noise: mapNoise, VelocityNoise: mapNoise}
	scene, err := b.Scene(ctx, cfg, seed)
	if err != nil {
		return r, err
	}
	opts := measure.Told(&cfg)
	opts.Model = &costgen.Paper{Euclid: straight, Prices: costgen.Ends{Birth: whole, Death: whole, Miss: whole, Clutter: whole}}
	opts.Engine, opts.Gate, opts.NoRefine, opts.MaxMisses, opts.Cap = association.DualPaper, gate, true, -1, -1
	opts.Dual.MaxRounds = 100
	found, err := association.Track(ctx, scene.Scans, &opts)
	if err != nil {
		return r, err
	}
	report, err := task.Links(ctx, scene.Truth, found.Tracks)
	if err != nil {
		return r, err
	}
	n, t := float64(len(scene.Truth)), float64(len(scene.Scans))
	return mapRun{report.MMEP, report.ITCP, 100 * found.Dual.Gap(), 100 * (1 - float64(found.Instance.Triplets())/(n*n*n*(t-2)))}, nil
}

// mapCell is the mean over seeds.
func mapCell(ctx context.Context, b *measure.Run, targets, frames int, gate gating.Gate, straight bool) (mean mapRun, err error) {
	list := make([]mapRun, b.Seeds)
	err = b.EachSeed(ctx, func(ctx context.Context, i int, seed uint64) (err error) {
		list[i], err = solveMap(ctx, b, targets, frames, seed, gate, straight)
		return err
	})
	for _, r := range list {
		mean.mmep += r.mmep / float64(len(list))
		mean.itcp += r.itcp / float64(len(list))
		mean.gap += r.gap / float64(len(list))
		mean.filtered += r.filtered / float64(len(list))
	}
	return mean, err
}

// paperGate is Algorithm 2's: no margin for the noise.
func paperGate(epsilon float64) gating.Gate {
	return gating.Disc{Epsilon: epsilon, Margin: math.SmallestNonzeroFloat32}
}

// everything is no gate.
var everything = gating.Ball{Radius: 1e6}

// reproduceMapFig5 prints wrong links with the gate ε = 5 and without any.
func reproduceMapFig5(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	var rows []cli.Record
	panels := []plots.GrowthPanel{
		{Label: "MMEP, %", Kinds: []plots.Growth{{Name: "gate ε = 5"}, {Name: "no gate"}}},
		{Label: "ITCP, %", Kinds: []plots.Growth{{Name: "gate ε = 5"}, {Name: "no gate"}}},
	}
	for _, size := range mapSizes {
		n, t := size[0], size[1]
		if !b.HasSize(n) {
			continue
		}
		b.Step(fmt.Sprintf("%d targets, %d frames", n, t))
		gated, err := mapCell(ctx, b, n, t, paperGate(5), false)
		if err != nil {
			return rows, nil, err
		}
		all, err := mapCell(ctx, b, n, t, everything, false)
		if err != nil {
			return rows, nil, err
		}
		rows = append(rows, cli.Record{
			{Key: "targets", Value: n}, {Key: "frames", Value: t}, {Key: "filtered", Value: gated.filtered, Unit: "%", Digits: 3},
			{Key: "mmep_gated", Value: gated.mmep, Digits: 4}, {Key: "mmep_all", Value: all.mmep, Digits: 4},
			{Key: "itcp_gated", Value: gated.itcp, Digits: 4}, {Key: "itcp_all", Value: all.itcp, Digits: 4},
			{Key: "gap_gated", Value: gated.gap, Unit: "%", Digits: 3}, {Key: "gap_all", Value: all.gap, Unit: "%", Digits: 3},
		})
		x := float64(n * t)
		for k, pair := range [][2]float64{{gated.mmep, all.mmep}, {gated.itcp, all.itcp}} {
			for i := range panels[k].Kinds {
				panels[k].Kinds[i].Measured = append(panels[k].Kinds[i].Measured, plots.Point{X: x, Y: pair[i]})
			}
		}
	}
	return rows, plots.GrowthOf("Wrong links with the paper's gate and without", "targets × frames", panels), nil
}

// reproduceMapSplines prints wrong links with arc lengths of splines and with straight ones.
func reproduceMapSplines(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	var rows []cli.Record
	for _, size := range mapSizes {
		n, t := size[0], size[1]
		if !b.HasSize(n) {
			continue
		}
		b.Step(fmt.Sprintf("%d targets, %d frames", n, t))
		spline, err := mapCell(ctx, b, n, t, paperGate(5), false)
		if err != nil {
			return rows, nil, err
		}
		straight, err := mapCell(ctx, b, n, t, paperGate(5), true)
		if err != nil {
			return rows, nil, err
		}
		rows = append(rows, cli.Record{
			{Key: "targets", Value: n}, {Key: "frames", Value: t},
			{Key: "mmep_splines", Value: spline.mmep, Digits: 4}, {Key: "mmep_straight", Value: straight.mmep, Digits: 4},
			{Key: "itcp_splines", Value: spline.itcp, Digits: 4}, {Key: "itcp_straight", Value: straight.itcp, Digits: 4},
		})
	}
	return rows, nil, nil
}
