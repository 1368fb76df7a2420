package main

// This file is "mtt pmbm": online tracking by the Poisson multi-Bernoulli mixture
// filter, and the assignment problems that it poses.

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"mtt/association/pmbm"
	"mtt/internal/runfolder"
	"mtt/scenario"
)

// pmbmOptions steer the filter, and the scene where none is given.
type pmbmOptions struct {
	targets, frames int
	spread          float64
	gates           []float64
	hypotheses      int
	whole           bool
	motion          string
	estimator       string
	threshold       float64
	recycle         float64
	noise, accel    float64
	velocityNoise   float64
	noVelocity      bool
	detect, survive float64
	births, clutter float64
	cutoff          float64
	dump            string // folder
	dumpAs          string
	png             bool
}

// pmbmEstimators are the names of the estimators.
var pmbmEstimators = []string{"best", "count", "fixed"}

// bind makes the options that set o.
func (o *pmbmOptions) bind() []option {
	*o = pmbmOptions{
		targets: 100, frames: 50, spread: 100, gates: []float64{20}, hypotheses: 200, motion: string(pmbm.ConstantVelocity),
		estimator: pmbmEstimators[0], threshold: 0.4, dumpAs: dumpFormats[0],
	}
	inf := math.Inf(1)
	return []option{
		number(&o.targets, "targets", 1, inf, "`N` targets of the scene that is simulated where no RUN is given"),
		number(&o.frames, "frames", 1, inf, "`N` frames of that scene"),
		number(&o.spread, "spread", aboveZero, inf, "`S` in m: the square of that scene has S × S for each target"),
		numbers(&o.gates, "gate", 0, "`G`, the squared Mahalanobis distance below which a detection may belong to a target; several, separated by commas, make a run for each"),
		number(&o.hypotheses, "hypotheses", 1, inf, "`N` global hypotheses that a cluster of tracks keeps"),
		boolean(&o.whole, "whole", "one table of global hypotheses for all tracks, as the filter was published"),
		choice(&o.motion, "motion", []string{string(pmbm.ConstantVelocity), string(pmbm.CoordinatedTurn)}, "`MODEL`: cv, nearly constant velocity, or ct, coordinated turns in the plane"),
		choice(&o.estimator, "estimator", pmbmEstimators, "`NAME`: best (hypothesis), count (the likeliest number of targets, then the best hypothesis with it) or fixed (the best hypothesis with a fixed number)"),
		number(&o.threshold, "threshold", 0, 1, "`P`, the probability of existence above which best reports a target"),
		number(&o.recycle, "recycle", 0, 1, "`P`, the probability of existence below which a track returns to the undetected targets"),
		number(&o.noise, "noise", 0, inf, "`SIGMA` in m: standard deviation of a measured coordinate; 0 for what run.toml says, or an estimate"),
		number(&o.velocityNoise, "velocity-noise", 0, inf, "`SIGMA` in m/s: of a measured velocity component; 0 likewise"),
		boolean(&o.noVelocity, "no-velocity", "leave measured velocities unread"),
		number(&o.accel, "accel", 0, inf, "`A` in m/s^1.5: square root of the spectral density of acceleration; 0 for an estimate"),
		number(&o.detect, "detect", 0, 1-1e-9, "`P`, the probability that a target is detected; 0 for an estimate"),
		number(&o.survive, "survive", 0, 1, "`P`, the probability that a target is there one frame later; 0 for an estimate"),
		number(&o.births, "births", 0, inf, "`N` targets that appear in a frame on average; 0 for an estimate"),
		number(&o.clutter, "clutter", 0, inf, "`N` false alarms in a frame on average; 0 for an estimate"),
		number(&o.cutoff, "cutoff", 0, inf, "`C` in m of GOSPA; 0 for ten times the noise"),
		text(&o.dump, "dump-lap", "`FOLDER` for every assignment problem with its optimum"),
		text(&o.dumpAs, "dump-as", "`FORMATS` of the problems, separated by commas: laps (one compact file), csv (rewards of one byte), mm (MatrixMarket), mm8 (the same, one byte)"),
		boolean(&o.png, "png", "write the figures as PNG as well"),
	}
}

func newPMBMCommand() *command {
	o := &pmbmOptions{}
	c := &command{
		name:    "pmbm",
		summary: "tracks online with a Poisson multi-Bernoulli mixture filter; keeps its assignment problems",
		args:    "[RUN]",
		maxArgs: 1,
		about: "Filters the detections of a run folder frame by frame: births, deaths, misses and false\n" +
			"alarms, with a probability of existence for each target. Writes tracks.csv,\n" +
			"estimates.csv (what was reported in each frame), pmbm.json and figures into it. What\n" +
			"the run folder does not say about noise and rates is estimated from the data.\n\n" +
			"Without RUN a scene is simulated: targets all over a square of 100 m for each, noise\n" +
			"1 m, one detection in ten missed, half a false alarm for each target; only -o writes it.\n\n" +
			"problems counts the assignment problems posed: those of global hypotheses and the\n" +
			"cells of their partitions by Murty; solved, those that took a search. With --dump-lap\n" +
			"every cell is posed and solved, as by Murty's plain algorithm; sizes and density are\n" +
			"those of the layout with one column for each new target. estimated is the share of\n" +
			"targets, in the last ten frames, with an estimate within the cut-off.\n",
		examples: "mtt pmbm --targets 20 --frames 20\n" +
			"mtt pmbm --targets 10 --frames 10 --dump-lap laps --format json\n" +
			"mtt simulate --scene drift --spread 20 --noise 0.5 --miss 0.1 --clutter 10 --targets 20 --frames 20\n" +
			"mtt pmbm runs/latest -o runs/pmbm\n",
		outUsage: "`FOLDER` for the scene and its tracks (default: RUN; without RUN nothing is written)",
		options:  o.bind(),
	}
	c.run = func(ctx context.Context, s *session, args []string) error { return runPMBM(ctx, s, c, o, args) }
	return c
}

func runPMBM(ctx context.Context, s *session, c *command, o *pmbmOptions, args []string) error {
	formats, err := parseDumpFormats(o.dumpAs)
	if err != nil {
		return err
	}
	folder, sc, options, err := o.scene(ctx, s, c, args)
	if err != nil {
		return err
	}
	for i, gate := range o.gates {
		options.Gate = gate
		name := "problems"
		if len(o.gates) > 1 {
			name = "gate-" + strconv.FormatFloat(gate, 'g', -1, 64)
		}
		run, err := filterScene(ctx, s, o, sc, options, name, formats)
		if err != nil {
			return err
		}
		if folder != nil && i == 0 {
			if err := run.save(s, c, o, folder, sc); err != nil {
				return err
			}
		}
		if err := s.out.print(append(run.record, run.times...)); err != nil {
			return err
		}
	}
	return nil
}

// scene is the scene to filter, its folder (nil: none), and the options that its
// model makes.
func (o *pmbmOptions) scene(ctx context.Context, s *session, c *command, args []string) (*runfolder.Folder, *scene, *pmbm.Options, error) {
	if len(args) == 0 {
		return o.simulate(ctx, s, c)
	}
	folder, err := openRun(args[0])
	if err != nil {
		return nil, nil, nil, err
	}
	sc, err := loadScene(folder)
	if err == nil && s.common.Out != "" {
		folder, err = sc.save(s.common.Out, &folder.Meta)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	options, err := o.model(ctx, s, folder, sc)
	return folder, sc, options, err
}

// simulate makes the scene of the command, and the model behind it.
func (o *pmbmOptions) simulate(ctx context.Context, s *session, c *command) (*runfolder.Folder, *scene, *pmbm.Options, error) {
	cfg := largeScene(o.targets, o.frames)
	cfg.Spread = o.spread
	cfg.Seed = s.common.Seed
	simulated, err := scenario.Simulate(ctx, &cfg)
	if err != nil {
		return nil, nil, nil, err
	}
	sc := &scene{scans: simulated.Scans, truth: simulated.Truth}
	var folder *runfolder.Folder
	if s.common.Out != "" {
		folder, err = sc.save(s.common.Out, sceneMeta(c, &simulated.Config, sc))
		if err != nil {
			return nil, nil, nil, err
		}
	}
	return folder, sc, o.filter(largeModel(&simulated.Config), s.common.Workers), nil
}

// filter are the options of a filter with the given model, where o does not know
// better.
func (o *pmbmOptions) filter(m pmbm.Model, workers int) *pmbm.Options {
	m.Motion = pmbm.Motion(o.motion)
	for _, f := range []struct {
		dst   *float64
		given float64
	}{
		{&m.Sigma, o.noise}, {&m.SigmaV, o.velocityNoise}, {&m.Accel, o.accel}, {&m.Detect, o.detect},
		{&m.Survive, o.survive}, {&m.Births, o.births}, {&m.Clutter, o.clutter},
	} {
		if f.given > 0 {
			*f.dst = f.given
		}
	}
	if o.noVelocity {
		m.SigmaV = 0
	}
	if m.Motion == pmbm.CoordinatedTurn {
		m.TurnAccel, m.TurnStd = 0.05, 0.1
	}
	return &pmbm.Options{
		Model: m, Hypotheses: o.hypotheses, Whole: o.whole, Recycle: o.recycle,
		Estimator: pmbm.Estimator(1 + slices.Index(pmbmEstimators, o.estimator)), Threshold: o.threshold,
		Workers: workers,
	}
}

// writeLaps writes the assignment problems of a scene into its folder, for mtt
// simulate --pmbm.
func writeLaps(ctx context.Context, s *session, folder *runfolder.Folder, sc *scene) (record, error) {
	o := &pmbmOptions{}
	o.bind()
	o.dump = folder.Path(runfolder.LapsDir)
	options, err := o.model(ctx, s, folder, sc)
	if err != nil {
		return nil, err
	}
	options.Gate = o.gates[0]
	run, err := filterScene(ctx, s, o, sc, options, "problems", []string{dumpFormats[0]})
	if err != nil {
		return nil, err
	}
	r := record{{key: "file", value: filepath.Join(o.dump, "problems.laps")}}
	return append(append(r, run.record...), run.times...), nil
}
