package bench

// This file compares the PMBM filter with the tracker and the nearest neighbours.

import (
	"context"
	"strings"

	"mtt"
	"mtt/association"
	"mtt/association/pmbm"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/task"
	"mtt/internal/usage"
	"mtt/metrics"
	"mtt/scenario"
)

// filterCases are crowded scenes, most with one detection in ten missed and as many false.
var filterCases = []struct {
	name string
	cfg  scenario.Config
}{
	{"steer", clutterScene(1)},
	{"steer, missed in runs", clutterScene(3)},
	{"steer, positions only", func() scenario.Config {
		c := clutterScene(1)
		c.NoVelocity, c.Spread = true, 3
		return c
	}()},
	{"drift", task.LargeScene(200, 60)},
	{"clutter around targets", aroundTargets(false)},
	{"clutter around targets, velocities", aroundTargets(true)},
}

// aroundTargets is a scene with as many false alarms as targets, all of them around these.
func aroundTargets(velocities bool) scenario.Config {
	return scenario.Config{
		Scene: scenario.Steer, Spread: 8, Targets: 40, Frames: 60, Noise: 0.1, VelocityNoise: 0.1, NoVelocity: !velocities,
		Miss: 0.15, MissRun: 3, Clutter: 40, ClutterRadius: 4,
	}
}

// filterMethods are the trackers that are compared; all are told the noise of the sensor and
// estimate the rest, but for the filter that is told what the truth says of it. What is smoothed
// has positions of its own, between detections too.
var filterMethods = []string{"pmbm", "pmbm, told", "pmbm, whole table", string(association.Dual), "dual, tpmb", "dual, tpmb, smoothed", string(association.GNN)}

// benchFilters tracks each scene with each method.
func benchFilters(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	for _, c := range filterCases {
		for _, method := range filterMethods {
			if !b.Wants(c.name + ", " + method) {
				continue
			}
			b.Step(c.name + ", " + method)
			idf1, gospa, tgospa, mmep, wrong, seconds := make(measure.Series, b.Seeds), make(measure.Series, b.Seeds), make(measure.Series, b.Seeds), make(measure.Series, b.Seeds), make(measure.Series, b.Seeds), make(measure.Series, b.Seeds)
			for i := range b.Seeds { // one after the other, to tell their processor times apart
				cfg := c.cfg
				if b.Targets > 0 {
					cfg.Clutter *= float64(b.Targets) / float64(cfg.Targets)
				}
				sc, err := b.Scene(ctx, cfg, b.First+uint64(i))
				if err != nil {
					return rows, err
				}
				began := usage.CPUSeconds()
				tracks, err := trackBy(ctx, sc, method)
				if err != nil {
					return rows, err
				}
				seconds[i] = usage.CPUSeconds() - began
				// A track matches within five times the noise.
				report, err := metrics.ScoreContext(ctx, sc.Truth, tracks, &metrics.Options{MatchDistance: 5 * cfg.Noise, Only: metrics.All})
				if err != nil {
					return rows, err
				}
				idf1[i], gospa[i], tgospa[i], mmep[i] = report.IDF1, report.GOSPA, report.TGOSPA, report.MMEP
				wrong[i] = 100 * float64(report.FalseLinks) / float64(report.TrueLinks)
			}
			rows = append(rows, cli.Record{
				{Key: "scene", Value: c.name}, {Key: "method", Value: method},
				idf1.Mean("idf1"), gospa.Mean("gospa"), tgospa.Mean("tgospa"), mmep.Mean("mmep"), wrong.Mean("false_links_percent"), seconds.Mean("cpu_seconds"),
			})
		}
	}
	return rows, nil
}

// trackBy tracks a scene by one of filterMethods.
func trackBy(ctx context.Context, sc *scenario.Scene, method string) ([]mtt.Track, error) {
	opts := measure.Told(&sc.Config)
	engine, cost, _ := strings.Cut(method, ", ")
	switch engine {
	case string(association.Dual), string(association.GNN):
		cost, way, _ := strings.Cut(cost, ", ")
		opts.Engine, opts.Cost = association.Engine(engine), association.Cost(cost)
		res, err := association.Track(ctx, sc.Scans, &opts)
		if err != nil {
			return nil, err
		}
		if way != "" {
			return smoothed(res.States), nil
		}
		return res.Tracks, nil
	}
	opts.Engine = association.GNN
	res, err := association.Track(ctx, sc.Scans, &opts)
	if err != nil {
		return nil, err
	}
	levels := res.Levels
	if cost == "told" {
		levels = truthLevels(sc.Scans, sc.Truth, levels)
	}
	f, err := filtered(ctx, &pmbm.Options{Model: task.LevelsModel(levels, sc.Scans), Whole: cost == "whole table"}, sc.Scans)
	if err != nil {
		return nil, err
	}
	var tracks []mtt.Track
	for _, t := range f.Tracks() {
		tracks = append(tracks, t.Track)
	}
	return tracks, nil
}

// smoothed are tracks at the positions of states.
func smoothed(states []mtt.States) []mtt.Track {
	tracks := make([]mtt.Track, len(states))
	for k := range states {
		s := &states[k]
		tracks[k] = mtt.Track{ID: s.ID, Dim: s.Dim, Hits: s.Hits}
		for h := range s.Hits {
			mean, _ := s.At(h)
			tracks[k].Pos = append(tracks[k].Pos, mean[:s.Dim]...)
		}
	}
	return tracks
}

// filtered is a filter that has seen the scans.
func filtered(ctx context.Context, o *pmbm.Options, scans []mtt.Scan) (*pmbm.Filter, error) {
	f, err := pmbm.New(o)
	if err != nil {
		return nil, err
	}
	for i := range scans {
		if err := f.Step(ctx, &scans[i]); err != nil {
			return nil, err
		}
	}
	return f, nil
}
