package main

// This file is "mtt simulate": a scene with truth, as a run folder.

import (
	"context"
	"math"
	"strconv"
	"time"

	"mtt"
	"mtt/internal/runfolder"
	"mtt/scenario"
)

// simulateOptions say what to simulate.
type simulateOptions struct {
	scenario.Config
	scene         string  // Config.Scene
	velocityNoise float64 // Config.VelocityNoise; below 0: that of positions
	degree        string  // Config.Degree: "3", "4" or "mixed"
	costs         bool    // write costs.npz, too
	pmbm          bool    // write the problems of the PMBM filter, too
}

// bind makes the options that set o.
func (o *simulateOptions) bind() []option {
	o.Config = *scenario.DefaultConfig()
	o.scene, o.degree, o.velocityNoise = string(o.Scene), "mixed", -1
	velocityNoise := number(&o.velocityNoise, "velocity-noise", 0, math.Inf(1),
		"`SIGMA` in m/s: standard deviation of each measured velocity component; the number of --noise unless given")
	velocityNoise.get = func() any { return o.velocity() }
	var kinds []string
	for _, k := range scenario.Kinds() {
		kinds = append(kinds, string(k))
	}
	inf := math.Inf(1)
	return []option{
		number(&o.Targets, "targets", 1, inf, "`N` targets in the first frame"),
		number(&o.Frames, "frames", 1, inf, "`N` frames"),
		choice(&o.scene, "scene", kinds, "`KIND` of motion: burst (all start near one point), arena (all over a square), "+
			"cross (meet in the middle of the time), steer (stay together in a disc) or drift (all over a square, accelerating at random)"),
		choice(&o.degree, "degree", []string{"3", "4", "mixed"}, "`D` of the polynomial curves of burst, arena and cross: 3, 4 or mixed"),
		number(&o.A0, "a0", aboveZero, inf, "`A` in m: coefficient k of a curve lies within A/16^k"),
		number(&o.Spread, "spread", aboveZero, inf, "`S` in m: sets how crowded the scene is, less is denser"),
		number(&o.SpeedMin, "speed-min", 0, inf, "`V` in m/s: each target has one speed between this and --speed-max"),
		number(&o.SpeedMax, "speed-max", aboveZero, inf, "`V` in m/s"),
		number(&o.Interval, "interval", aboveZero, inf, "`T` in s from one frame to the next"),
		number(&o.Dim, "dim", 2, 3, "`D`, the dimensions of space: 2 or 3"),
		number(&o.Noise, "noise", 0, inf, "`SIGMA` in m: standard deviation of each measured coordinate"),
		velocityNoise,
		boolean(&o.NoVelocity, "no-velocity", "measure positions only"),
		number(&o.Miss, "miss", 0, 1, "`P`, the probability 0…1 that a target is not detected in a frame"),
		number(&o.MissRun, "miss-run", 1, inf, "`N`: a miss lasts from 1 to N frames, all equally likely"),
		number(&o.MergeWithin, "merge-within", 0, inf, "`R` in m: targets closer than R, and chains of such, cause one detection, the mean of theirs; "+
			"truth gives it to the oldest and counts the others as missed"),
		number(&o.Clutter, "clutter", 0, inf, "`N` false alarms in a frame on average"),
		number(&o.ClutterRadius, "clutter-radius", 0, inf, "`R` in m: false alarms lie within R of a target, or anywhere when 0"),
		number(&o.Births, "births", 0, inf, "`N` targets that appear in a frame on average; as many disappear"),
		boolean(&o.costs, "costs", "write the gated costs as well, as mtt costs would"),
		boolean(&o.pmbm, "pmbm", "write the assignment problems of the PMBM filter as well, as mtt pmbm --dump-lap would, into the folder laps"),
	}
}

// velocity is the noise of velocities.
func (o *simulateOptions) velocity() float64 {
	if o.velocityNoise < 0 {
		return o.Noise
	}
	return o.velocityNoise
}

// config is the finished configuration.
func (o *simulateOptions) config(seed uint64) (*scenario.Config, error) {
	c := o.Config
	c.Seed = seed
	c.Scene = scenario.Kind(o.scene)
	c.VelocityNoise = o.velocity()
	c.Degree, _ = strconv.Atoi(o.degree) // "mixed" is 0
	if err := c.Validate(); err != nil {
		return nil, badInput(err)
	}
	return &c, nil
}

func newSimulateCommand() *command {
	o := &simulateOptions{}
	c := &command{
		name:    "simulate",
		summary: "makes a scene with truth: a run folder with detections.csv and truth.csv",
		about: "Targets fly along random curves; a sensor measures them frame by frame, in random\n" +
			"order. Equal options and seeds give equal files on every machine.\n",
		examples: "mtt simulate\n" +
			"mtt simulate --targets 20 --frames 30 --scene arena --noise 0.05 -o runs/arena\n" +
			"mtt simulate --scene steer --miss 0.05 --clutter 2 --births 0.5 --seed 7 -o runs/hard --format json\n",
		outUsage: "`FOLDER` to make (default: " + runfolder.Default + ")",
		options:  o.bind(),
	}
	c.run = func(ctx context.Context, s *session, _ []string) error { return runSimulate(ctx, s, c, o) }
	return c
}

func runSimulate(ctx context.Context, s *session, c *command, o *simulateOptions) error {
	start := time.Now()
	folder, sc, err := simulateRun(ctx, s, c, o)
	if err != nil {
		return err
	}
	r := record{{key: "run", value: folder.Dir}}
	sc.counts(&r)
	if o.costs {
		costs, err := writeCosts(ctx, s, newTrackOptions(), folder, sc, folder.Path(runfolder.CostsFile))
		if err != nil {
			return err
		}
		r.add("costs", costs)
	}
	if o.pmbm {
		laps, err := writeLaps(ctx, s, folder, sc)
		if err != nil {
			return err
		}
		r.add("pmbm", laps)
	}
	r.add("seconds", time.Since(start).Seconds())
	return s.out.print(r)
}

// simulateRun makes a run folder of a simulated scene.
func simulateRun(ctx context.Context, s *session, c *command, o *simulateOptions) (*runfolder.Folder, *scene, error) {
	cfg, err := o.config(s.common.Seed)
	if err != nil {
		return nil, nil, err
	}
	simulated, err := scenario.Simulate(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	sc := &scene{scans: simulated.Scans, truth: simulated.Truth}
	folder, err := sc.save(s.outOr(runfolder.Default), sceneMeta(c, cfg, sc))
	return folder, sc, err
}

// sceneMeta is the run.toml of a simulated scene.
func sceneMeta(c *command, cfg *scenario.Config, sc *scene) *runfolder.Meta {
	return &runfolder.Meta{
		Version: version, Command: c.name, Seed: cfg.Seed,
		Scans:   sceneScans(cfg, sc.scans),
		Options: map[string]map[string]any{c.name: usedOptions(c)},
	}
}

// sceneScans is what run.toml says of simulated scans.
func sceneScans(cfg *scenario.Config, scans []mtt.Scan) runfolder.Scans {
	return runfolder.Scans{
		First: scans[0].Frame, Step: 1, Count: len(scans), Interval: cfg.Interval,
		Dim: cfg.Dim, Unit: "m", Noise: &cfg.Noise, VelocityNoise: &cfg.VelocityNoise,
	}
}
