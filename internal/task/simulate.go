package task

// This file simulates scenes.

import (
	"context"
	"math"
	"strconv"

	"mtt"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/version"
	"mtt/scenario"
)

// SimulateOptions say what to simulate.
type SimulateOptions struct {
	scenario.Config
	scene         string  // Config.Scene
	velocityNoise float64 // Config.VelocityNoise; below 0: that of positions
	degree        string  // Config.Degree: "3", "4" or "mixed"
	Costs         bool    // write costs.npz, too
	Pmbm          bool    // write the problems of the PMBM filter, too
	maxDetections float64 // that are expected
}

// Bind makes the options that set o.
func (o *SimulateOptions) Bind() []cli.Option {
	o.Config = *scenario.DefaultConfig()
	o.scene, o.degree, o.velocityNoise = string(o.Scene), "mixed", -1
	velocityNoise := cli.Number(&o.velocityNoise, "velocity-noise", 0, math.Inf(1),
		"`SIGMA` in m/s: standard deviation of each measured velocity component; the number of --noise unless given")
	o.maxDetections = 5e7
	velocityNoise.Get = func() any { return o.velocity() }
	var kinds []string
	for _, k := range scenario.Kinds() {
		kinds = append(kinds, string(k))
	}
	inf := math.Inf(1)
	return []cli.Option{
		cli.Number(&o.Targets, "targets", 1, inf, "`N` targets in the first frame"),
		cli.Number(&o.Frames, "frames", 1, inf, "`N` frames"),
		cli.Choice(&o.scene, "scene", kinds, "`KIND` of motion: burst (all start near one point), arena (all over a square), "+
			"cross (meet in the middle of the time), steer (stay together in a disc) or drift (all over a square, accelerating at random)"),
		cli.Choice(&o.degree, "degree", []string{"3", "4", "mixed"}, "`D` of the polynomial curves of burst, arena and cross: 3, 4 or mixed"),
		cli.Number(&o.A0, "a0", cli.AboveZero, inf, "`A` in m: coefficient k of a curve lies within A/16^k"),
		cli.Number(&o.Spread, "spread", cli.AboveZero, inf, "`S` in m: sets how crowded the scene is, less is denser"),
		cli.Number(&o.SpeedMin, "speed-min", 0, inf, "`V` in m/s: each target has one speed between this and --speed-max"),
		cli.Number(&o.SpeedMax, "speed-max", cli.AboveZero, inf, "`V` in m/s"),
		cli.Number(&o.Interval, "interval", cli.AboveZero, inf, "`T` in s from one frame to the next"),
		cli.Number(&o.Dim, "dim", 2, 3, "`D`, the dimensions of space: 2 or 3"),
		cli.Number(&o.Noise, "noise", 0, inf, "`SIGMA` in m: standard deviation of each measured coordinate"),
		velocityNoise,
		cli.Boolean(&o.NoVelocity, "no-velocity", "measure positions only"),
		cli.Number(&o.Miss, "miss", 0, 1, "`P`, the probability 0…1 that a target is not detected in a frame"),
		cli.Number(&o.MissRun, "miss-run", 1, inf, "`N`: a miss lasts from 1 to N frames, all equally likely"),
		cli.Number(&o.MergeWithin, "merge-within", 0, inf, "`R` in m: targets closer than R, and chains of such, cause one detection, the mean of theirs; "+
			"truth gives it to the oldest and counts the others as missed"),
		cli.Number(&o.Clutter, "clutter", 0, inf, "`N` false alarms in a frame on average"),
		cli.Number(&o.ClutterRadius, "clutter-radius", 0, inf, "`R` in m: false alarms lie within R of a target, or anywhere when 0"),
		cli.Number(&o.Births, "births", 0, inf, "`N` targets that appear in a frame on average; as many disappear"),
		cli.Number(&o.maxDetections, "max-detections", 1, inf, "`N`: refuse a scene of more detections, some hundred bytes each"),
		cli.Boolean(&o.Costs, "costs", "write the gated costs as well, as mtt costs would"),
		cli.Boolean(&o.Pmbm, "pmbm", "write the assignment problems of the PMBM filter as well, as mtt pmbm --dump-lap would, into the folder laps"),
	}
}

// velocity is the noise of velocities.
func (o *SimulateOptions) velocity() float64 {
	if o.velocityNoise < 0 {
		return o.Noise
	}
	return o.velocityNoise
}

// Scenario is the finished configuration.
func (o *SimulateOptions) Scenario(seed uint64) (*scenario.Config, error) {
	c := o.Config
	c.Seed = seed
	c.Scene = scenario.Kind(o.scene)
	c.VelocityNoise = o.velocity()
	c.Degree, _ = strconv.Atoi(o.degree) // "mixed" is 0
	if err := c.Validate(); err != nil {
		return nil, cli.BadInput(err)
	}
	if n := float64(c.Frames) * (float64(c.Targets) + c.Births + c.Clutter + 0.1); n > o.maxDetections {
		return nil, cli.Usagef("%d targets, %v births and %v false alarms in each of %d frames are some %.3g detections; the limit is %.3g",
			c.Targets, c.Births, c.Clutter, c.Frames, n, o.maxDetections).Hinted("--max-detections allows more, if there is memory for them")
	}
	return &c, nil
}

// Simulate makes a run folder of a simulated scene.
func Simulate(ctx context.Context, s *cli.Session, c *cli.Command, o *SimulateOptions) (*runfolder.Folder, *Scene, error) {
	cfg, err := o.Scenario(s.Common.Seed)
	if err != nil {
		return nil, nil, err
	}
	simulated, err := scenario.Simulate(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	sc := &Scene{Scans: simulated.Scans, Truth: simulated.Truth}
	folder, err := sc.save(s.OutOr(runfolder.Default), sceneMeta(c, cfg, sc))
	return folder, sc, err
}

// sceneMeta is the run.toml of a simulated scene.
func sceneMeta(c *cli.Command, cfg *scenario.Config, sc *Scene) *runfolder.Meta {
	return &runfolder.Meta{
		Version: version.Version, Command: c.Name, Seed: cfg.Seed,
		Scans:   SceneScans(cfg, sc.Scans),
		Options: map[string]map[string]any{c.Name: usedOptions(c)},
	}
}

// SceneScans is what run.toml says of simulated scans.
func SceneScans(cfg *scenario.Config, scans []mtt.Scan) runfolder.Scans {
	return runfolder.Scans{
		First: scans[0].Frame, Step: 1, Count: len(scans), Interval: cfg.Interval,
		Dim: cfg.Dim, Unit: "m", Noise: &cfg.Noise, VelocityNoise: &cfg.VelocityNoise,
	}
}
