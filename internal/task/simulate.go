package task

// This file simulates scenes.

import (
	"context"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"

	"mtt"
	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/version"
	"mtt/scenario"
)

// SimulateOptions say what to simulate.
type SimulateOptions struct {
	scenario.Config
	scene         string  // Config.Scene
	sensor        string  // which of scenario.Presets
	velocityNoise float64 // Config.VelocityNoise; below 0: that of positions
	degree        string  // Config.Degree: "3", "4" or "mixed"
	rangeNoise    float64 // m
	bearingNoise  float64 // degrees
	rateNoise     float64 // m/s; 0: not measured
	Costs         bool    // write costs.npz, too
	Pmbm          bool    // write the problems of the PMBM filter, too
	maxDetections float64 // that are expected

	bound []cli.Option    // as bind made them
	given map[string]bool // options that were set
}

// Bind makes the options that set o.
func (o *SimulateOptions) Bind() []cli.Option {
	o.bound, o.given = o.bind(scenario.DefaultConfig()), make(map[string]bool)
	options := slices.Clone(o.bound)
	for i, b := range o.bound {
		options[i].Set = func(text string) error {
			o.given[b.Name] = true
			return b.Set(text)
		}
	}
	return options
}

// bind makes the options that set o, c being the default.
func (o *SimulateOptions) bind(c *scenario.Config) []cli.Option {
	o.Config = *c
	o.scene, o.degree, o.velocityNoise = string(o.Scene), "mixed", -1
	o.Apart = 0 // as the scene has it
	o.rangeNoise, o.bearingNoise = 10, 0.5
	o.sensor = scenario.Presets()[0]
	if len(c.Sensors) > 0 {
		o.fromSensors(c.Sensors)
	}
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
		cli.Choice(&o.sensor, "sensor", scenario.Presets(), "`KIND` of sensor, and the scene that it looks at unless options say another: position, "+
			"polar (a radar: 50 targets 5 to 20 km away) or pair (a radar that turns and a camera that sees a third of the scene, with times of their own)"),
		cli.Number(&o.Targets, "targets", 1, inf, "`N` targets in the first frame"),
		cli.Number(&o.Frames, "frames", 1, inf, "`N` frames, of all sensors together"),
		cli.Choice(&o.scene, "scene", kinds, "`KIND` of motion: burst (all start near one point), arena (all over a square), "+
			"cross (meet in the middle of the time), steer (stay together in a disc), drift (all over a square, accelerating at random), "+
			"walk (Brownian particles), reverting (velocities that fall back to 0), turn (coordinated turns), bounce (off walls), flow (carried by a fluid) or cells (that wander and divide)"),
		cli.Choice(&o.degree, "degree", []string{"3", "4", "mixed"}, "`D` of the polynomial curves of burst, arena and cross: 3, 4 or mixed"),
		cli.Number(&o.A0, "a0", cli.AboveZero, inf, "`A` in m: coefficient k of a curve lies within A/16^k"),
		cli.Number(&o.Spread, "spread", cli.AboveZero, inf, "`S` in m: sets how crowded the scene is, less is denser"),
		cli.Number(&o.SpeedMin, "speed-min", 0, inf, "`V` in m/s: each target has one speed between this and --speed-max"),
		cli.Number(&o.SpeedMax, "speed-max", cli.AboveZero, inf, "`V` in m/s"),
		cli.Number(&o.Fast, "fast", 0, 1, "`P`, the share 0…1 of targets that have a speed between --fast-min and --fast-max instead"),
		cli.Number(&o.FastMin, "fast-min", 0, inf, "`V` in m/s"),
		cli.Number(&o.FastMax, "fast-max", cli.AboveZero, inf, "`V` in m/s"),
		cli.Number(&o.Accel, "drift-accel", cli.AboveZero, inf, "`A` in m/s^1.5: root of the spectral density of the acceleration in drift"),
		cli.Number(&o.Step, "step", cli.AboveZero, inf, "`R`: how far particles of walk, flow and cells go in a frame, in mean distances to the nearest neighbour"),
		cli.Number(&o.Cycle, "cycle", 2, inf, "`N` frames from a cell's birth to its division, on average"),
		cli.NumberOr(&o.Apart, "apart", "auto", 0, cli.AboveZero, inf, "`D` in m between the daughters of a cell when they appear, or auto: half of --spread"),
		cli.Number(&o.Revert, "revert", cli.AboveZero, inf, "`RATE` in 1/s at which velocities of reverting fall back"),
		cli.Number(&o.TurnStd, "turn-rate", cli.AboveZero, inf, "`W` in rad/s: standard deviation of turn rates at the start, in turn"),
		cli.Number(&o.TurnWalk, "turn-walk", cli.AboveZero, inf, "`W` in rad/s^1.5: root of the spectral density of their changes"),
		cli.Number(&o.Still, "still", 0, inf, "`N` frames at the beginning in which nobody moves"),
		cli.Number(&o.Near, "near", 0, inf, "`R` in m: targets of drift, reverting and turn start between this and --far from the origin"),
		cli.Number(&o.Far, "far", 0, inf, "`R` in m; 0: they start all over a square"),
		cli.Number(&o.Interval, "interval", cli.AboveZero, inf, "`T` in s from one frame to the next; the periods of a pair are in proportion to it"),
		cli.Number(&o.Uneven, "uneven", 0, 0.9, "`U`: intervals differ, all from (1-U)·T to (1+U)·T equally likely"),
		cli.Number(&o.Jitter, "jitter", 0, 0.45, "`J`: each frame comes up to J intervals early or late"),
		cli.Number(&o.Shake, "shake", 0, inf, "`D` in m: the sensor is off its place by so much in each frame, standard deviation of each axis; goes with --no-velocity"),
		cli.Number(&o.Carry, "carry", 0, inf, "`D` in m: the sensor is carried by so much from frame to frame, likewise"),
		cli.Number(&o.Dim, "dim", 2, 3, "`D`, the dimensions of space: 2 or 3"),
		cli.Number(&o.Noise, "noise", 0, inf, "`SIGMA` in m: standard deviation of each measured coordinate, of a pair those of the camera"),
		velocityNoise,
		cli.Number(&o.Stretch, "stretch", 0, inf, "`X`: the noise of the last coordinate of positions is X times that of the others; 0: the same. Trackers are not told of it"),
		cli.Boolean(&o.NoVelocity, "no-velocity", "measure positions only"),
		cli.Number(&o.rangeNoise, "range-noise", cli.AboveZero, inf, "`SIGMA` in m: standard deviation of a range, of polar and pair"),
		cli.Number(&o.bearingNoise, "bearing-noise", cli.AboveZero, 25, "`SIGMA` in degrees: of a bearing, in space of an elevation, too"),
		cli.Number(&o.rateNoise, "range-rate-noise", 0, inf, "`SIGMA` in m/s: of a range rate; 0: not measured"),
		cli.Number(&o.Miss, "miss", 0, 1, "`P`, the probability 0…1 that a target in view is not detected in a frame"),
		cli.Number(&o.MissRun, "miss-run", 1, inf, "`N`: a miss lasts from 1 to N frames, all equally likely"),
		cli.Number(&o.MergeWithin, "merge-within", 0, inf, "`R` in m: targets closer than R, and chains of such, cause one detection, the mean of theirs; "+
			"truth gives it to the oldest and counts the others as missed"),
		cli.Number(&o.Clutter, "clutter", 0, inf, "`N` false alarms in a frame on average"),
		cli.Number(&o.ClutterRadius, "clutter-radius", 0, inf, "`R` in m: false alarms lie within R of a target, or anywhere when 0"),
		cli.Number(&o.Births, "births", 0, inf, "`N` targets that appear in a frame on average; as many disappear"),
		cli.Number(&o.maxDetections, "max-detections", 1, inf, "`N`: refuse a scene of more detections, some hundred bytes each"),
		cli.Number(&o.Features, "features", 0, inf, "`N` features of identity of each detection"),
		cli.Number(&o.FeatureNoise, "feature-noise", 0, inf, "`SIGMA`: their standard deviation; that from target to target is 1"),
		cli.Number(&o.Classes, "classes", 0, inf, "`N` classes of targets: each detection says which"),
		cli.Number(&o.Confusion, "confusion", 0, 1, "`P`, the probability 0…1 that it says any class instead"),
		cli.Boolean(&o.Costs, "costs", "write the gated costs as well, as mtt costs would"),
		cli.Boolean(&o.Pmbm, "pmbm", "write the assignment problems of the PMBM filter as well, as mtt pmbm --dump-lap would, into the folder laps"),
	}
}

// fromSensors sets what options say of sensors to what those of a preset have; misses and
// false alarms are those of the first.
func (o *SimulateOptions) fromSensors(sensors []scenario.Sensor) {
	o.Miss, o.Clutter = math.Round(1e9*(1-sensors[0].Detect))/1e9, sensors[0].Clutter
	o.NoVelocity = true
	for _, s := range sensors {
		if s.Kind == "polar" {
			o.rangeNoise, o.bearingNoise = s.Noise["range"], s.Noise["bearing"]*180/math.Pi
		} else {
			o.Noise = s.Noise["position"]
		}
	}
	o.Sensors = nil
}

// velocity is the noise of velocities.
func (o *SimulateOptions) velocity() float64 {
	if o.velocityNoise < 0 {
		return o.Noise
	}
	return o.velocityNoise
}

// preset gives the options that nobody set the values of the scene that goes with the
// sensor.
func (o *SimulateOptions) preset() error {
	c, err := scenario.Preset(o.sensor)
	if err != nil {
		return err
	}
	base := &SimulateOptions{}
	for _, b := range base.bind(c) {
		if b.Name == "sensor" || o.given[b.Name] {
			continue
		}
		if err := cli.Find(o.bound, b.Name).Set(b.Value()); err != nil {
			return err
		}
	}
	return nil
}

// Scenario is the finished configuration.
func (o *SimulateOptions) Scenario(seed uint64) (*scenario.Config, error) {
	if o.sensor != scenario.Presets()[0] {
		if err := o.preset(); err != nil {
			return nil, err
		}
	}
	c := o.Config
	c.Seed = seed
	c.Scene = scenario.Kind(o.scene)
	c.VelocityNoise = o.velocity()
	c.Degree, _ = strconv.Atoi(o.degree) // "mixed" is 0
	if o.sensor != scenario.Presets()[0] {
		if err := o.placeSensors(&c); err != nil {
			return nil, err
		}
	}
	if err := c.Validate(); err != nil {
		return nil, cli.BadInput(err)
	}
	expected := c
	expected.Clutter = o.Clutter // of each sensor
	if n := expected.Detections(); n > o.maxDetections {
		return nil, cli.Usagef("%d targets at first, %v births and %v false alarms in each of %d frames are some %.3g detections; the limit is %.3g",
			c.Targets, c.Births, o.Clutter, c.Frames, n, o.maxDetections).Hinted("--max-detections allows more, if there is memory for them")
	}
	return &c, nil
}

// placeSensors gives c the sensors that the options describe.
func (o *SimulateOptions) placeSensors(c *scenario.Config) error {
	if err := c.PlaceSensors(o.sensor); err != nil {
		return err
	}
	switch {
	case !o.NoVelocity:
		return cli.Usagef("sensors of kind %s measure no velocities but range rates", o.sensor).Hinted("say --range-rate-noise")
	case o.MergeWithin > 0:
		return cli.Usagef("--merge-within is for sensors of kind %s", scenario.Presets()[0])
	case o.rateNoise > 0 && o.sensor == "pair":
		return cli.Usagef("of a pair only one sensor could measure range rates; all detections report the same")
	}
	polar := map[string]float64{"range": o.rangeNoise, "bearing": o.bearingNoise * math.Pi / 180}
	if c.Dim == 3 {
		polar["elevation"] = polar["bearing"]
	}
	if o.rateNoise > 0 {
		polar["range_rate"], polar["speed"] = o.rateNoise, c.SpeedMax
		if c.Fast > 0 {
			polar["speed"] = max(c.SpeedMax, c.FastMax)
		}
	}
	used := 0.0
	for k := range c.Sensors {
		s := &c.Sensors[k]
		s.Detect, s.Clutter = max(1-c.Miss, math.SmallestNonzeroFloat64), c.Clutter // 0 would mean 1
		if s.Kind == "polar" {
			s.Noise = polar
		} else {
			s.Noise, used = map[string]float64{"position": o.Noise}, o.Noise
		}
	}
	if o.Noise != used {
		return cli.Usagef("--noise is not that of a polar sensor").Hinted("say --range-noise and --bearing-noise")
	}
	c.Noise, c.VelocityNoise, c.Miss, c.Clutter = 0, 0, 0, 0
	return nil
}

// Simulate makes a run folder of a simulated scene.
func Simulate(ctx context.Context, s *cli.Session, c *cli.Command, o *SimulateOptions) (*runfolder.Folder, *Scene, error) {
	cfg, err := o.Scenario(s.Common.Seed)
	if err != nil {
		return nil, nil, err
	}
	o.warnUnused(s)
	simulated, err := scenario.Simulate(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	sc := &Scene{Scans: simulated.Scans, Truth: simulated.Truth}
	folder, err := sc.save(ctx, s.OutOr(runfolder.Default), sceneMeta(c, cfg, sc.Scans))
	return folder, sc, err
}

// SimulateAside is Simulate for who wants the run folder and not the scene, of which only a few
// frames are ever in memory.
func SimulateAside(ctx context.Context, s *cli.Session, c *cli.Command, o *SimulateOptions) (folder *runfolder.Folder, n Counts, err error) {
	cfg, err := o.Scenario(s.Common.Seed)
	if err != nil {
		return nil, n, err
	}
	o.warnUnused(s)
	scans, err := scenario.Schedule(cfg)
	if err != nil {
		return nil, n, err
	}
	if folder, err = createRun(s.OutOr(runfolder.Default), sceneMeta(c, cfg, scans)); err != nil {
		return nil, n, err
	}
	next, stop := iter.Pull2(scenario.Stream(ctx, cfg))
	defer stop()
	n = Counts{known: true, frames: len(scans)}
	err = folder.WriteFile(runfolder.DetectionsFile, func(detections io.Writer) error {
		return folder.WriteFile(runfolder.TruthFile, func(truth io.Writer) error {
			return dataset.WriteObserved(detections, truth, scans, func() (*dataset.Observed, error) {
				f, err, _ := next()
				if f == nil || err != nil {
					return nil, err
				}
				scan := &scans[f.Scan.Frame]
				if f.Scan.Len() > 0 { // run.toml lists those without
					scan.Pos = slices.Clone(f.Scan.At(0))
				}
				n.detections += f.Scan.Len()
				for i, id := range f.ID {
					n.targets = max(n.targets, id)
					if f.Det[i] < 0 {
						n.missed++
					} else {
						n.detected++
					}
				}
				return (*dataset.Observed)(f), nil
			})
		})
	})
	if err != nil {
		folder.Discard()
		return nil, n, err
	}
	folder.Meta.Scans = SceneScans(cfg, scans)
	return folder, n, nil
}

// sceneMeta is the run.toml of a simulated scene.
func sceneMeta(c *cli.Command, cfg *scenario.Config, scans []mtt.Scan) *runfolder.Meta {
	return &runfolder.Meta{
		Version: version.Version, Command: c.Name, Seed: cfg.Seed,
		Scans:   SceneScans(cfg, scans),
		Sensors: cfg.Describe(),
		Options: map[string]map[string]any{c.Name: usedOptions(c)},
	}
}

// SceneScans is what run.toml says of simulated scans.
func SceneScans(cfg *scenario.Config, scans []mtt.Scan) runfolder.Scans {
	t := runfolder.Scans{
		First: scans[0].Frame, Step: 1, Count: len(scans), Interval: cfg.Interval,
		Dim: cfg.Dim, Unit: "m", Uneven: dataset.ColumnsOf(scans).Time,
	}
	if cfg.Sensors == nil && cfg.Stretch == 0 {
		t.Noise, t.VelocityNoise = &cfg.Noise, &cfg.VelocityNoise
	}
	if last := len(scans) - 1; last > 0 {
		t.Interval = scans[1].Time // two scans are even, however far apart
		if t.Uneven {
			t.Interval = (scans[last].Time - scans[0].Time) / float64(last)
		}
	}
	listEmpty(&t, scans)
	return t
}
