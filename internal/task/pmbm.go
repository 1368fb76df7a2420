package task

// This file sets up the Poisson multi-Bernoulli mixture filter and its scene.

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"mtt/association/pmbm"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/motion"
	"mtt/scenario"
)

// PMBMOptions steer the filter, and the scene where none is given.
type PMBMOptions struct {
	targets, frames int
	spread          float64
	Gates           []float64
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
	DumpAs          string
	png             bool
}

// pmbmEstimators are the names of the estimators.
var pmbmEstimators = []string{"best", "count", "fixed"}

// Bind makes the options that set o.
func (o *PMBMOptions) Bind() []cli.Option {
	*o = PMBMOptions{
		targets: 100, frames: 50, spread: 100, Gates: []float64{20}, hypotheses: 200, motion: autoMotion,
		noise: -1, velocityNoise: -1,
		estimator: pmbmEstimators[0], threshold: 0.4, DumpAs: dumpFormats[0],
	}
	inf := math.Inf(1)
	return []cli.Option{
		cli.Number(&o.targets, "targets", 1, inf, "`N` targets of the scene that is simulated where no RUN is given"),
		cli.Number(&o.frames, "frames", 1, inf, "`N` frames of that scene"),
		cli.Number(&o.spread, "spread", cli.AboveZero, inf, "`S` in m: the square of that scene has S × S for each target"),
		pmbmGates(&o.Gates, "`G` or mahalanobis:G, the squared Mahalanobis distance below which a detection may belong to a target; several, separated by commas, make a run for each"),
		cli.Number(&o.hypotheses, "hypotheses", 1, inf, "`N` global hypotheses that a cluster of tracks keeps"),
		cli.Boolean(&o.whole, "whole", "one table of global hypotheses for all tracks, as the filter was published"),
		motionOption(&o.motion).Formerly("cv", "velocity").Formerly("ct", "turn"),
		cli.Choice(&o.estimator, "estimator", pmbmEstimators, "`NAME`: best (hypothesis), count (the likeliest number of targets, then the best hypothesis with it) or fixed (the best hypothesis with a fixed number)"),
		cli.Number(&o.threshold, "threshold", 0, 1, "`P`, the probability of existence above which best reports a target"),
		cli.Number(&o.recycle, "recycle", 0, 1, "`P`, the probability of existence below which a track returns to the undetected targets"),
		cli.NumberOr(&o.noise, "noise", "auto", -1, cli.AboveZero, inf, "`SIGMA` in m: standard deviation of a measured coordinate, or auto: what run.toml says, or an estimate").Formerly("0", "auto"),
		cli.NumberOr(&o.velocityNoise, "velocity-noise", "auto", -1, cli.AboveZero, inf, "`SIGMA` in m/s: of a measured velocity component, or auto: likewise").Formerly("0", "auto"),
		cli.Boolean(&o.noVelocity, "no-velocity", "leave measured velocities unread"),
		estimateOr(&o.accel, "accel", "`A` in m/s^1.5: square root of the spectral density of acceleration, or auto: an estimate"),
		cli.NumberOr(&o.detect, "detect", "auto", 0, cli.AboveZero, 1-1e-9, "`P`, the probability that a target is detected, or auto: an estimate").Formerly("0", "auto"),
		cli.NumberOr(&o.survive, "survive", "auto", 0, cli.AboveZero, 1, "`P`, the probability that a target is there one frame later, or auto: an estimate").Formerly("0", "auto"),
		estimateOr(&o.births, "births", "`N` targets that appear in a frame on average, or auto: an estimate"),
		estimateOr(&o.clutter, "clutter", "`N` false alarms in a frame on average, or auto: an estimate"),
		cli.NumberOr(&o.cutoff, "cutoff", "auto", 0, cli.AboveZero, inf, "`C` in m of GOSPA, or auto: ten times the noise").Formerly("0", "auto"),
		cli.Text(&o.dump, "dump-lap", "`FOLDER` for every assignment problem with its optimum"),
		cli.Text(&o.DumpAs, "dump-as", "`FORMATS` of the problems, separated by commas: laps (one compact file), csv (rewards of one byte), mm (MatrixMarket), mm8 (the same, one byte)"),
		cli.Boolean(&o.png, "png", "write the figures as PNG as well"),
	}
}

// Scene is the scene to filter, its folder (nil: none), and the options that its
// model makes. Files are imported as from says.
func (o *PMBMOptions) Scene(ctx context.Context, s *cli.Session, c *cli.Command, from *ImportOptions, args []string) (*runfolder.Folder, *Scene, *pmbm.Options, error) {
	if len(args) == 0 {
		return o.simulate(ctx, s, c)
	}
	files, err := AreFiles(args)
	if err != nil {
		return nil, nil, nil, err
	}
	if files {
		if err := notOfRuns(args); err != nil {
			return nil, nil, nil, err
		}
		folder, sc, err := SceneToTrack(ctx, s, from, args, nil)
		if err != nil {
			return nil, nil, nil, err
		}
		return o.withModel(ctx, s, folder, sc)
	}
	if len(args) > 1 {
		return nil, nil, nil, cli.Usagef("%s and %s are given; one run is filtered at a time", args[0], args[1])
	}
	folder, err := OpenRun(args[0])
	if err != nil {
		return nil, nil, nil, err
	}
	sc, err := LoadScene(ctx, folder)
	if err != nil {
		return nil, nil, nil, err
	}
	if err := Unchanged(folder); err != nil {
		return nil, nil, nil, err
	}
	if s.Common.Out != "" {
		folder, err = sc.save(ctx, s.Common.Out, &folder.Meta)
	} else {
		err = Edit(folder)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return o.withModel(ctx, s, folder, sc)
}

// withModel is what Scene returns of a scene whose folder is being edited.
func (o *PMBMOptions) withModel(ctx context.Context, s *cli.Session, folder *runfolder.Folder, sc *Scene) (*runfolder.Folder, *Scene, *pmbm.Options, error) {
	options, err := o.model(ctx, s, folder, sc)
	if err != nil {
		folder.Discard()
	}
	return folder, sc, options, err
}

// simulate makes the scene of the command, and the model behind it.
func (o *PMBMOptions) simulate(ctx context.Context, s *cli.Session, c *cli.Command) (*runfolder.Folder, *Scene, *pmbm.Options, error) {
	cfg := LargeScene(o.targets, o.frames)
	cfg.Spread = o.spread
	cfg.Seed = s.Common.Seed
	simulated, err := scenario.Simulate(ctx, &cfg)
	if err != nil {
		return nil, nil, nil, err
	}
	sc := &Scene{Scans: simulated.Scans, Truth: simulated.Truth}
	var folder *runfolder.Folder
	if s.Common.Out != "" {
		folder, err = sc.save(ctx, s.Common.Out, sceneMeta(c, &simulated.Config, sc.Scans))
		if err != nil {
			return nil, nil, nil, err
		}
	}
	m := LargeModel(&simulated.Config)
	if m.Motion, err = namedMotion(o.motion); err != nil {
		return nil, nil, nil, err
	}
	switch m.Motion {
	case motion.Model(motion.Turn{}):
		m.TurnWalk, m.TurnStd = 0.05, 0.1
	case motion.Model(motion.Singer{}):
		m.AccelStd, m.AccelRevert = 0.1, 0.1
	}
	return folder, sc, o.filter(m, s.Common.Workers), nil
}

// pmbmGates binds gates, squared Mahalanobis distances, which may be written as mtt track
// writes its gates.
func pmbmGates(dst *[]float64, usage string) cli.Option {
	o := cli.Numbers(dst, "gate", 0, usage)
	set := o.Set
	o.Set = func(text string) error {
		sizes := strings.Split(text, ",")
		for i, size := range sizes {
			kind, rest, ok := strings.Cut(strings.TrimSpace(size), ":")
			switch {
			case ok && kind != "mahalanobis":
				return cli.Usagef("the filter has no gate of the kind %q", kind).Hinted("mahalanobis:20, or 20, is a squared distance in units of its variance")
			case ok:
				sizes[i] = rest
			}
		}
		return set(strings.Join(sizes, ","))
	}
	return o
}

// filter are the options of a filter with the given model, where o does not know
// better.
func (o *PMBMOptions) filter(m pmbm.Model, workers int) *pmbm.Options {
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
	return &pmbm.Options{
		Model: m, Hypotheses: o.hypotheses, Whole: o.whole, Recycle: o.recycle,
		Estimator: pmbm.Estimator(1 + slices.Index(pmbmEstimators, o.estimator)), Threshold: o.threshold,
		Workers: workers,
	}
}

// WriteLaps writes the assignment problems of a scene into its folder, for mtt
// simulate --pmbm.
func WriteLaps(ctx context.Context, s *cli.Session, folder *runfolder.Folder, sc *Scene) (cli.Record, error) {
	o := &PMBMOptions{}
	o.Bind()
	o.dump = folder.Path(runfolder.LapsDir)
	options, err := o.model(ctx, s, folder, sc)
	if err != nil {
		return nil, err
	}
	options.Gate = o.Gates[0]
	run, err := FilterScene(ctx, s, o, sc, options, "problems", []string{dumpFormats[0]})
	if err != nil {
		return nil, err
	}
	r := cli.Record{{Key: "file", Value: filepath.Join(folder.Dir, runfolder.LapsDir, "problems.laps")}}
	return append(append(r, run.Record...), run.Times...), nil
}
