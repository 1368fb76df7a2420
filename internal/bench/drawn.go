package bench

// This file measures tracking on scenes that nobody chose.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"mtt/association"
	"mtt/association/online"
	"mtt/costgen"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/metrics"
	"mtt/scenario"
)

// drawnKinds are the ways in which targets of drawn scenes move.
var drawnKinds = []scenario.Kind{
	scenario.Burst, scenario.Steer, scenario.Cross, scenario.Arena, scenario.Drift,
	scenario.Bounce, scenario.Turn, scenario.Reverting, scenario.Walk, scenario.Flow,
}

// drawnDetections is about how many detections a drawn scene has at most.
const drawnDetections = 2500

// draw draws a scene of a kind: 4 to 80 targets, 12 to 100 frames, noise of .01 to .4 m, two thirds each
// with misses (up to 30 %, of which a quarter in runs) and with false alarms (up to half as many as targets,
// of which a quarter near targets), half with births, a quarter each with velocities and at uneven
// times, a fifth in space, a sixth each with targets that stand at first and with two speeds. Whether the
// tracker is told the noise is drawn, too.
func draw(kind scenario.Kind, seed uint64) (c scenario.Config, told bool) {
	r := rand.New(rand.NewPCG(seed, uint64(slices.Index(drawnKinds, kind))))
	one := func(in int) bool { return r.IntN(in) == 0 }
	even := func(least, most float64) float64 { return least + (most-least)*r.Float64() }
	scale := func(least, most float64) float64 { return least * math.Pow(most/least, r.Float64()) }
	c = scenario.Config{Scene: kind, Dim: 2, Targets: int(scale(4, 80)), Frames: int(scale(12, 100))}
	for c.Targets*c.Frames > drawnDetections {
		c.Frames /= 2
	}
	if one(5) {
		c.Dim = 3
	}
	n := float64(c.Targets)
	if kind == scenario.Walk || kind == scenario.Flow { // particles
		c.NoVelocity, c.Step, c.Noise = true, scale(0.1, 0.6), scale(0.005, 0.1)
	} else {
		c.Noise = scale(0.01, 0.4)
		if c.NoVelocity = !one(4); !c.NoVelocity {
			c.VelocityNoise = scale(0.03, 0.5)
		}
		if one(2) {
			c.Spread = scale(2.5, 15)
		}
		if one(6) {
			c.Still = c.Frames / 3
		}
		if one(6) {
			c.Fast, c.FastMin, c.FastMax = even(0.1, 0.5), 4, 8
		}
	}
	if !one(3) {
		if c.Miss = even(0, 0.3); one(4) {
			c.MissRun = 2 + r.IntN(3)
		}
	}
	if !one(3) {
		if c.Clutter = even(0, 0.5) * n; one(4) {
			c.ClutterRadius = even(1, 5)
		}
	}
	if one(2) {
		c.Births = scale(0.005, 0.06) * n
	}
	if one(4) {
		c.Uneven, c.Jitter = even(0, 0.6), even(0, 0.2)
	}
	return c, one(2)
}

// drawnTrackers are what drawn scenes are tracked with: all scans, levels learnt; levels told by the
// truth; nearest neighbours; and as scans come, links settled three scans later.
var drawnTrackers = words("learnt told gnn lag_3")

// benchDrawn tracks as many scenes of each kind as there are seeds, all else of them drawn by lot.
// Wrong links are percentages of the true ones; far_off counts the scenes where IDF1 is more than 5
// below that of levels told by the truth.
func benchDrawn(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	for _, kind := range drawnKinds {
		if !b.Wants(string(kind)) {
			continue
		}
		b.Step(string(kind))
		found := make([]map[string]*metrics.Report, b.Seeds)
		err := b.EachSeed(ctx, func(ctx context.Context, i int, seed uint64) (err error) {
			c, told := draw(kind, seed)
			found[i], err = trackDrawn(ctx, b, c, told, seed)
			return err
		})
		if err != nil {
			return rows, err
		}
		row, far := cli.Record{{Key: "kind", Value: string(kind)}, {Key: "scenes", Value: b.Seeds}}, 0
		for _, of := range found {
			if of["learnt"].IDF1 < of["told"].IDF1-5 {
				far++
			}
		}
		row = append(row, cli.Field{Key: "far_off", Value: far})
		for _, score := range []struct {
			name string
			of   func(r *metrics.Report) float64
		}{
			{"mmep", func(r *metrics.Report) float64 { return r.MMEP }},
			{"itcp", func(r *metrics.Report) float64 { return r.ITCP }},
			{"false", falseLinks},
			{"idf1", func(r *metrics.Report) float64 { return r.IDF1 }},
		} {
			for _, tracker := range drawnTrackers {
				all := make(measure.Series, len(found))
				for i := range found {
					all[i] = score.of(found[i][tracker])
				}
				row = append(row, all.Mean(score.name+"_"+tracker))
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// trackDrawn tracks a scene with each of the trackers.
func trackDrawn(ctx context.Context, b *measure.Run, c scenario.Config, told bool, seed uint64) (map[string]*metrics.Report, error) {
	scene, err := b.Scene(ctx, c, seed)
	if err != nil {
		return nil, err
	}
	opts := association.Options{Workers: 1, NoStates: true}
	if told {
		opts.Sigma = c.Noise
	}
	found := make(map[string]*metrics.Report)
	var levels *costgen.Levels // as learnt
	for _, tracker := range drawnTrackers {
		o := opts
		switch tracker {
		case "told":
			o.Levels, o.Sigma = truthLevels(scene.Scans, scene.Truth, levels), 0
		case "gnn":
			o.Engine = association.GNN
		}
		var res *association.Result
		if tracker == "lag_3" {
			var along *online.Result
			if along, err = online.Track(ctx, scene.Scans, online.Of(&o, 3)); err == nil {
				res = along.Result
			}
		} else {
			res, err = association.Track(ctx, scene.Scans, &o)
		}
		if err != nil {
			return nil, err
		}
		if levels == nil {
			levels = res.Levels
		}
		if found[tracker], err = metrics.ScoreContext(ctx, scene.Truth, res.Tracks, &metrics.Options{Only: metrics.Links | metrics.Identity}); err != nil {
			return nil, err
		}
	}
	return found, nil
}
