package bench

// This file measures tracking on data of many kinds, with all scans and as they come.

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"mtt"
	"mtt/association"
	"mtt/association/online"
	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/metrics"
	"mtt/scenario"
)

// A kindCase is a scene or a recording of positions.
type kindCase struct {
	name  string
	scene scenario.Config
	file  string // below the data folder; "": simulated
	read  dataset.Options
	flat  bool // in space, but for noise of nothing above the plane
}

// crowded is a scene of the review: a fifth is missed, and there are 20 false alarms.
func crowded(kind scenario.Kind, dim int) scenario.Config {
	return scenario.Config{Scene: kind, Targets: 56, Frames: 40, Dim: dim, Noise: 0.1, NoVelocity: true, Miss: 0.2, Clutter: 20}
}

// speeds is a scene of 40 targets in a square of the given side, half of which are fast.
func speeds(side float64) scenario.Config {
	return scenario.Config{
		Scene: scenario.Bounce, Targets: 40, Frames: 60, Spread: side / math.Sqrt(40), Noise: 0.1, NoVelocity: true,
		SpeedMin: 0.2, SpeedMax: 0.4, Fast: 0.5, FastMin: 5, FastMax: 10,
	}
}

// carried is a scene of a sensor that shakes, or is carried; neighbours are some 6 m apart.
func carried(shake, carry float64) scenario.Config {
	return scenario.Config{
		Scene: scenario.Arena, Spread: 12, Targets: 40, Frames: 60, Noise: 0.2, NoVelocity: true, Miss: 0.05, Clutter: 2, Shake: shake, Carry: carry,
	}
}

// kindCases are the kinds. Each recording of a file is one row.
var kindCases = []kindCase{
	{name: "two speeds, 60 m", scene: speeds(60)},
	{name: "two speeds, 200 m", scene: speeds(200)},
	{name: "clutter as targets", scene: aroundTargets(false)},
	{name: "bounces", scene: scenario.Config{
		Scene: scenario.Bounce, Targets: 40, Frames: 120, Interval: 0.04, Spread: 1.6, SpeedMin: 4, SpeedMax: 4, Noise: 0.01, NoVelocity: true}},
	{name: "standing first", scene: scenario.Config{
		Scene: scenario.Steer, Targets: 40, Frames: 80, Still: 25, Noise: 0.05, NoVelocity: true, Miss: 0.02, Clutter: 1}},
	{name: "flat in space", flat: true, scene: scenario.Config{
		Scene: scenario.Drift, Targets: 12, Frames: 50, Spread: 30, Noise: 0.3, NoVelocity: true, Miss: 0.08, Clutter: 1}},
	{name: "burst", scene: scenario.Config{Scene: scenario.Burst, Targets: 100, Frames: 50, Noise: 0.1, NoVelocity: true}},
	{name: "steer, clean", scene: scenario.Config{Scene: scenario.Steer, Targets: 300, Frames: 60, Noise: 0.1, NoVelocity: true}},
	{name: "steer, crowded", scene: crowded(scenario.Steer, 2)},
	{name: "cross, crowded", scene: crowded(scenario.Cross, 2)},
	{name: "arena, crowded", scene: crowded(scenario.Arena, 2)},
	{name: "drift, crowded", scene: crowded(scenario.Drift, 2)},
	{name: "steer, crowded, in space", scene: crowded(scenario.Steer, 3)},
	{name: "shaken", scene: carried(4, 0)},
	{name: "carried", scene: carried(0, 3)},
	{name: "turns", scene: scenario.Config{Scene: scenario.Turn, Targets: 60, Frames: 50, Noise: 0.1, NoVelocity: true, Miss: 0.05, Clutter: 3}},
	{name: "walk, slow", scene: scenario.Config{Scene: scenario.Walk, Targets: 100, Frames: 50, Step: 0.3}},
	{name: "walk, fast", scene: scenario.Config{Scene: scenario.Walk, Targets: 100, Frames: 50, Step: 0.65}},
	{name: "flow", scene: scenario.Config{Scene: scenario.Flow, Targets: 200, Frames: 40, Step: 0.6}},
	{name: "UCY zara01", file: "pedestrians/zara01/obsmat.txt", read: dataset.Options{NoVelocity: true}},
	{name: "UCY zara01, every 2nd", file: "pedestrians/zara01/obsmat.txt", read: dataset.Options{NoVelocity: true, Every: 2}},
	{name: "ETH seq_eth", file: "pedestrians/seq_eth/obsmat.txt", read: dataset.Options{NoVelocity: true}},
	{name: "HERMES bo-360, every 8th", file: "hermes/bo-360-090-090.txt", read: dataset.Options{NoVelocity: true, Every: 8, Noise: 0.02}},
	{name: "HERMES bot-300, every 8th", file: "hermes/bot-300-065-065.txt", read: dataset.Options{NoVelocity: true, Every: 8, Noise: 0.02}},
	{name: "HERMES uo-050, every 8th", file: "hermes/uo-050-180-180.txt", read: dataset.Options{NoVelocity: true, Every: 8, Noise: 0.02}},
}

// kindLags are the lags of the tracker that runs along, and anewScans what the engine that
// is run anew at each step looks back on.
var kindLags = []int{3, 5, 10}

const anewScans = 20

// A kindRun is what one seed of a case gives, by the names of columns.
type kindRun map[string]float64

// kindColumns are the columns, in order.
var kindColumns = []string{
	"mmep", "itcp", "false_links", "idf1", "told", "gnn", "frames",
	"lag_3", "lag_5", "lag_10", "lag_3_told", "lag_5_told", "lag_10_told", "lag_3_itcp", "lag_3_false", "lag_3_idf1", "anew_3", "anew_5",
}

// benchKinds tracks every kind: with all scans, levels learnt (mmep, itcp, false_links, idf1)
// and told by the truth; by nearest neighbours (gnn) and by one assignment for each pair
// of frames with the best cut-off there is (frames); and as scans come, links settled some
// scans later, levels learnt all along (lag_…) and those of all scans (lag_…_told),
// beside the engine of all scans run anew on the last 20 at each step with these levels
// (anew_…; a quick run leaves it out). Wrong links are percentages of the true ones.
func benchKinds(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	return trackKinds(ctx, b, kindCases)
}

// trackKinds tracks every case with every seed, several at a time.
func trackKinds(ctx context.Context, b *measure.Run, cases []kindCase) ([]cli.Record, error) {
	found := make([][]kindRun, len(cases)) // by case, then seed
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(b.Workers)
	for k := range cases {
		c := &cases[k]
		if !b.Wants(c.name) {
			continue
		}
		if c.file != "" {
			if _, missing := recording(b.Data, []string{c.file}); missing != "" {
				b.Note("%s is left out: %s is not there", c.name, missing)
				continue
			}
		}
		b.Step(c.name)
		found[k] = make([]kindRun, c.runs(b))
		for i := range found[k] {
			group.Go(func() (err error) {
				if found[k][i], err = c.measure(ctx, b, b.First+uint64(i)); err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				return nil
			})
		}
	}
	err := group.Wait()
	var rows []cli.Record
	for k, runs := range found {
		if len(runs) > 0 && !slices.ContainsFunc(runs, func(r kindRun) bool { return r == nil }) {
			rows = append(rows, kindRow(cases[k].name, runs))
		}
	}
	return rows, err
}

// runs is the number of runs of a case: one for each seed, but of a recording to which no
// noise is added.
func (c *kindCase) runs(b *measure.Run) int {
	if c.file != "" && c.read.Noise == 0 {
		return 1
	}
	return b.Seeds
}

// measure is one run of a case.
func (c *kindCase) measure(ctx context.Context, b *measure.Run, seed uint64) (kindRun, error) {
	scans, truth, err := c.scans(ctx, b, seed)
	if err != nil {
		return nil, err
	}
	return measureKind(ctx, scans, truth, c.sigma(), b.Quick)
}

// kindRow is the row of a case: means over its runs.
func kindRow(name string, runs []kindRun) cli.Record {
	row := cli.Record{{Key: "kind", Value: name}, {Key: "runs", Value: len(runs)}}
	for _, column := range kindColumns {
		all := make(measure.Series, len(runs))
		for i := range runs {
			all[i] = math.NaN()
			if v, ok := runs[i][column]; ok {
				all[i] = v
			}
		}
		row = append(row, all.Mean(column))
	}
	return row
}

// sigma is the noise that trackers are told, 0 where they are not.
func (c *kindCase) sigma() float64 {
	if c.file != "" {
		return c.read.Noise
	}
	return c.scene.Noise
}

// scans are the scans of a case, and their truth.
func (c *kindCase) scans(ctx context.Context, b *measure.Run, seed uint64) ([]mtt.Scan, []mtt.Track, error) {
	if c.file != "" {
		o := c.read
		o.Seed = seed
		data, err := dataset.Read([]string{filepath.Join(b.Data, filepath.FromSlash(c.file))}, &o)
		if err != nil {
			return nil, nil, cli.BadInput(err)
		}
		return data.Scans, data.Truth, nil
	}
	sc, err := b.Scene(ctx, c.scene, seed)
	if err != nil {
		return nil, nil, err
	}
	if c.flat {
		for t := range sc.Scans {
			sc.Scans[t].Dim, sc.Scans[t].Pos = 3, lift(sc.Scans[t].Pos)
		}
		for i := range sc.Truth {
			sc.Truth[i].Dim, sc.Truth[i].Pos, sc.Truth[i].Vel = 3, lift(sc.Truth[i].Pos), nil
		}
	}
	return sc.Scans, sc.Truth, nil
}

// lift makes points of a plane points in space, at height 0.
func lift(plane []float64) []float64 {
	space := make([]float64, 0, len(plane)/2*3)
	for k := 0; k < len(plane); k += 2 {
		space = append(space, plane[k], plane[k+1], 0)
	}
	return space
}

// measureKind tracks scans in all ways.
func measureKind(ctx context.Context, scans []mtt.Scan, truth []mtt.Track, sigma float64, quick bool) (kindRun, error) {
	run := make(kindRun)
	opts := association.Options{Sigma: sigma, Workers: 1}
	wrong := func(column string, tracks []mtt.Track) (*metrics.Report, error) {
		r, err := metrics.ScoreContext(ctx, truth, tracks, &metrics.Options{Only: metrics.Links | metrics.Identity})
		if err == nil {
			run[column] = r.MMEP
		}
		return r, err
	}
	all, err := association.Track(ctx, scans, &opts)
	if err != nil {
		return nil, err
	}
	r, err := wrong("mmep", all.Tracks)
	if err != nil {
		return nil, err
	}
	run["itcp"], run["false_links"], run["idf1"] = r.ITCP, falseLinks(r), r.IDF1
	learnt := association.Options{Levels: all.Levels, Workers: 1}

	for column, o := range map[string]association.Options{
		"told": {Levels: truthLevels(scans, truth, all.Levels), Workers: 1},
		"gnn":  {Sigma: sigma, Engine: association.GNN, Workers: 1},
	} {
		res, err := association.Track(ctx, scans, &o)
		if err != nil {
			return nil, err
		}
		if _, err := wrong(column, res.Tracks); err != nil {
			return nil, err
		}
	}
	frames, err := bestFrames(ctx, scans, truth)
	if err != nil {
		return nil, err
	}
	if _, err := wrong("frames", frames); err != nil {
		return nil, err
	}
	for _, lag := range kindLags {
		res, err := online.Track(ctx, scans, online.Of(&opts, lag))
		if err != nil {
			return nil, err
		}
		r, err := wrong(fmt.Sprintf("lag_%d", lag), res.Tracks)
		if err != nil {
			return nil, err
		}
		if lag == 3 {
			run["lag_3_itcp"], run["lag_3_false"], run["lag_3_idf1"] = r.ITCP, falseLinks(r), r.IDF1
		}
		if res, err = online.Track(ctx, scans, online.Of(&learnt, lag)); err != nil {
			return nil, err
		}
		if _, err := wrong(fmt.Sprintf("lag_%d_told", lag), res.Tracks); err != nil {
			return nil, err
		}
	}
	if quick {
		return run, nil
	}
	anew, err := trackAnew(ctx, scans, anewScans, []int{3, 5}, &learnt)
	if err != nil {
		return nil, err
	}
	for lag, tracks := range anew {
		if _, err := wrong(fmt.Sprintf("anew_%d", lag), tracks); err != nil {
			return nil, err
		}
	}
	return run, nil
}

// falseLinks are the false links as a percentage of the true ones.
func falseLinks(r *metrics.Report) float64 {
	return 100 * float64(r.FalseLinks) / float64(max(1, r.TrueLinks))
}
