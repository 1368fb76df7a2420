package reproduce

// This file repeats what the paper on the dual ascent says of time: where an iteration spends it,
// and what blocks and compressed costs gain, on the processor and on a card.

import (
	"context"
	_ "embed"
	"fmt"
	"math"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/plots"
)

// speedSizes are targets and frames of the paper, and such as are crowded to the end, where the
// gate lets a fifth of the triplets pass, which is what it has at every size.
var speedSizes = append([][2]int{{50, 20}, {100, 20}, {200, 20}, {300, 20}}, measure.IterationSizes...)

//go:embed measured/map-h200.csv
var mapH200 string

// mapCarried are the times of a card that the program carries.
var mapCarried = measure.ReadTable(mapH200)

// cardTimes measures where there is a card, else looks up what the program carries; NaN: nobody has
// measured that.
func cardTimes(ctx context.Context, it *measure.Iteration, here bool) (*measure.CardIteration, error) {
	if here {
		return it.CardTimes(ctx)
	}
	n, t := it.Scans[0].Len(), len(it.Scans)
	none := math.NaN()
	c := &measure.CardIteration{Targets: n, Frames: t, Naive: none, Compressed: none, Least: none, Trees: none, Blocks: none}
	for _, row := range mapCarried.Rows {
		if int(row[0]) == n && int(row[1]) == t {
			c.Naive, c.Compressed, c.Least, c.Trees, c.Blocks = row[3], row[4], row[5], row[6], row[7]
		}
	}
	return c, nil
}

// A mapSpeed is an iteration before, with every triplet and every pair, and after, with those
// inside the gate, the triplets in a list.
type mapSpeed struct {
	targets, frames       int
	filtered              float64 // % of the triplets
	cube, list            measure.FormMillis
	everyPair, insideGate measure.LAPMillis
	card                  *measure.CardIteration
}

func (m *mapSpeed) before() float64 { return m.cube.Sum() + m.everyPair.Solve + m.everyPair.Update }
func (m *mapSpeed) after() float64  { return m.list.Sum() + m.insideGate.Solve + m.insideGate.Update }

// eachSpeed measures all sizes, and makes rows of them.
func eachSpeed(ctx context.Context, b *measure.Run, row func(m *mapSpeed) cli.Record) (rows []cli.Record, err error) {
	here := newCard(b, "H200").here
	for _, size := range speedSizes {
		m := mapSpeed{targets: size[0], frames: size[1]}
		if !b.HasSize(m.targets) {
			continue
		}
		b.Step(fmt.Sprintf("%d targets, %d frames", m.targets, m.frames))
		it, err := measure.NewIteration(ctx, b, m.targets, m.frames, paperGate(5))
		if err != nil {
			return rows, err
		}
		m.filtered = it.Filtered()
		if m.cube, err = it.Form(ctx, measure.CubeForm); err != nil {
			return rows, err
		}
		if m.list, err = it.Form(ctx, measure.CSRForm); err != nil {
			return rows, err
		}
		if m.everyPair, err = it.EveryPair(ctx, max(1, m.frames/10)); err != nil {
			return rows, err
		}
		if m.insideGate, err = it.Gated(ctx); err != nil {
			return rows, err
		}
		if m.card, err = cardTimes(ctx, it, here); err != nil {
			return rows, err
		}
		head := cli.Record{
			{Key: "targets", Value: m.targets}, {Key: "frames", Value: m.frames},
			{Key: "filtered", Value: m.filtered, Unit: "%", Digits: 3},
		}
		rows = append(rows, append(head, row(&m)...))
	}
	return rows, nil
}

// reproduceMapFig2 prints the share of each step, before and after.
func reproduceMapFig2(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	names := []string{"x_laps", "distribution", "y", "update"}
	panels := []plots.GrowthPanel{{Label: "before, % of the time"}, {Label: "after, % of the time"}}
	for k := range panels {
		for _, name := range names {
			panels[k].Kinds = append(panels[k].Kinds, plots.Growth{Name: name})
		}
	}
	rows, err := eachSpeed(ctx, b, func(m *mapSpeed) (r cli.Record) {
		for k, side := range []struct {
			form  measure.FormMillis
			laps  measure.LAPMillis
			total float64
			key   string
		}{{m.cube, m.everyPair, m.before(), ""}, {m.list, m.insideGate, m.after(), "after_"}} {
			steps := []float64{side.laps.Solve, side.form.Distribute, side.form.Minima, side.laps.Update}
			r = append(r, cli.Field{Key: side.key + "iteration", Value: side.total, Unit: "ms", Digits: 3})
			for s, x := range steps {
				share := 100 * x / side.total
				r = append(r, cli.Field{Key: side.key + names[s], Value: share, Unit: "%", Digits: 3})
				kind := &panels[k].Kinds[s]
				kind.Measured = append(kind.Measured, plots.Point{X: float64(m.targets * m.frames), Y: share})
			}
			if k == 0 {
				r = append(r,
					cli.Field{Key: "laps_and_distribution", Value: 100 * (steps[0] + steps[1]) / side.total, Unit: "%", Digits: 3},
					cli.Field{Key: "published", Value: 85, Unit: "%"})
			}
		}
		c := m.card
		total := c.Trees + c.Naive + c.Least
		for s, x := range []float64{c.Trees, c.Naive, c.Least} {
			r = append(r, cli.Field{Key: "card_" + names[s], Value: 100 * x / total, Unit: "%", Digits: 3})
		}
		return r
	})
	return rows, plots.GrowthOf("Share of each step of an iteration of the dual ascent", "targets × frames", panels), err
}

// A speedup is a figure of the paper: a time before, a time after, and the geometric mean of the
// published ratios.
type speedup struct {
	title         string
	before, after func(m *mapSpeed) float64
	card          func(c *measure.CardIteration) (before, after float64)
	published     float64
}

var mapSpeedups = map[string]speedup{
	"map-fig6": {
		"X-LAPs: every pair by trees, over the gated pairs by shortest paths",
		func(m *mapSpeed) float64 { return m.everyPair.Solve }, func(m *mapSpeed) float64 { return m.insideGate.Solve },
		func(c *measure.CardIteration) (float64, float64) { return c.Trees, c.Blocks },
		measure.PublishedLAP,
	},
	"map-fig7": {
		"Cost distribution: every triplet over a list of those inside the gate",
		func(m *mapSpeed) float64 { return m.cube.Distribute }, func(m *mapSpeed) float64 { return m.list.Distribute },
		func(c *measure.CardIteration) (float64, float64) { return c.Naive, c.Compressed },
		measure.PublishedDistribution,
	},
	"map-fig8": {
		"An iteration, before over after", (*mapSpeed).before, (*mapSpeed).after,
		func(c *measure.CardIteration) (float64, float64) {
			return c.Trees + c.Naive + c.Least, c.Blocks + c.Compressed + c.Least
		},
		measure.PublishedOverall,
	},
}

// reproduceSpeedup prints a ratio at all sizes.
func reproduceSpeedup(name string) func(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	return func(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
		f := mapSpeedups[name]
		var list []plots.SpeedupRow
		rows, err := eachSpeed(ctx, b, func(m *mapSpeed) cli.Record {
			before, after := f.before(m), f.after(m)
			was, is := f.card(m.card)
			problem := fmt.Sprintf("%d×%d", m.targets, m.frames)
			list = append(list, plots.SpeedupRow{Problem: problem, Method: "processor", Ratio: before / after},
				plots.SpeedupRow{Problem: problem, Method: "card", Ratio: was / is})
			r := cli.Record{
				{Key: "before", Value: before, Unit: "ms", Digits: 3}, {Key: "after", Value: after, Unit: "ms", Digits: 3},
				{Key: "x", Value: before / after, Digits: 3},
				{Key: "card_before", Value: was, Unit: "ms", Digits: 3}, {Key: "card_after", Value: is, Unit: "ms", Digits: 3},
				{Key: "card_x", Value: was / is, Digits: 3}, {Key: "published_mean_x", Value: f.published},
			}
			if name == "map-fig8" { // what that is made of
				c := m.card
				for _, part := range []struct {
					key string
					ms  float64
				}{{"naive", c.Naive}, {"compressed", c.Compressed}, {"least", c.Least}, {"trees", c.Trees}, {"blocks", c.Blocks}} {
					r = append(r, cli.Field{Key: "card_" + part.key, Value: part.ms, Unit: "ms", Digits: 3})
				}
			}
			return r
		})
		return rows, plots.Speedups(f.title, list), err
	}
}
