package main

// This file is "mtt pmbm": online tracking by the Poisson multi-Bernoulli mixture
// filter, and the assignment problems that it poses.

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"mtt"
	"mtt/association/pmbm"
	"mtt/dataset"
	"mtt/internal/runfolder"
	"mtt/metrics"
	"mtt/plots"
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

// A filterRun is what a filter made of a scene.
type filterRun struct {
	record           // the same for equal scenes and options
	times     record // and what is not
	tracks    []pmbm.Track
	estimates []mtt.Track // what was reported frame by frame, by track
	existence [][]float64 // of each estimate
	frames    []plots.FilterFrame
	sets      *metrics.SetScores // nil without truth
	cutoff    float64
}

// filterScene filters a scene, and dumps the assignment problems when o says so.
func filterScene(ctx context.Context, s *session, o *pmbmOptions, sc *scene, options *pmbm.Options, name string, formats []string) (*filterRun, error) {
	began := time.Now()
	opts := *options
	dump, err := newDump(o.dump, name, formats)
	if err != nil {
		return nil, err
	}
	if dump != nil {
		defer dump.discard()
		opts.Observe = func(p *pmbm.Posed) error { return dump.add(ctx, p) }
	}
	f, err := pmbm.New(&opts)
	if err != nil {
		return nil, badInput(err)
	}
	run := &filterRun{}
	line := s.startProgress(ctx, "frames", len(sc.scans))
	err = run.filter(ctx, f, sc.scans, line)
	line.done()
	if err != nil {
		return nil, err
	}
	seconds := time.Since(began).Seconds()
	run.tracks = f.Tracks()
	if err := dump.close(); err != nil {
		return nil, err
	}
	if run.cutoff = o.cutoff; run.cutoff == 0 {
		run.cutoff = 10 * opts.Sigma
	}
	run.describe(f, &opts, dump)
	if err := run.score(ctx, sc, len(sc.scans)); err != nil {
		return nil, err
	}
	run.times = record{{key: "seconds", value: seconds}, {key: "peak_rss_mb", value: peakMemory()}}
	return run, nil
}

// filter takes all scans.
func (run *filterRun) filter(ctx context.Context, f *pmbm.Filter, scans []mtt.Scan, line *progress) error {
	place := make(map[int]int) // of each track in run.estimates
	for i := range scans {
		if err := f.Step(ctx, &scans[i]); err != nil {
			return err
		}
		for _, e := range f.Estimates() {
			n, ok := place[e.Track]
			if !ok {
				n = len(run.estimates)
				place[e.Track] = n
				run.estimates = append(run.estimates, mtt.Track{ID: n + 1, Dim: len(e.Pos)})
				run.existence = append(run.existence, nil)
			}
			t := &run.estimates[n]
			t.Hits = append(t.Hits, mtt.Hit{Frame: scans[i].Frame, Det: e.Det})
			t.Pos = append(t.Pos, e.Pos...)
			t.Vel = append(t.Vel, e.Vel...)
			run.existence[n] = append(run.existence[n], e.Existence)
		}
		run.note(f, scans[i].Frame)
		line.set(i+1, fmt.Sprintf("%d targets", len(f.Estimates())))
	}
	return nil
}

// note notes what the filter did in a frame.
func (run *filterRun) note(f *pmbm.Filter, frame int) {
	last, sizes := f.Last(), f.Sizes()
	run.frames = append(run.frames, plots.FilterFrame{
		Frame: frame, Problems: float64(last.Problems()),
		Rows: last.Median(shapeRows), Cols: last.Median(shapeCols), Density: 100 * last.Median(pmbm.Shape.Density),
		Global: float64(sizes.Globals), Local: float64(sizes.Locals),
		Tracks: float64(sizes.Tracks), Clusters: float64(sizes.Clusters),
	})
}

func shapeRows(s pmbm.Shape) float64 { return float64(s.Rows) }
func shapeCols(s pmbm.Shape) float64 { return float64(s.Cols) }

// describe fills in the record but for the scores.
func (run *filterRun) describe(f *pmbm.Filter, o *pmbm.Options, dump *dump) {
	table := "clusters"
	if o.Whole {
		table = "whole"
	}
	stats, sizes := f.Stats(), f.Sizes()
	run.add("table", table)
	run.add("gate", o.Gate)
	run.add("hypotheses", o.Hypotheses)
	run.add("problems", stats.Problems())
	run.add("solved", stats.Roots+stats.Solved)
	if dump != nil {
		run.add("dumped", dump.count)
	}
	run.add("rows_median", int(stats.Median(shapeRows)))
	run.add("cols_median", int(stats.Median(shapeCols)))
	run.add("density_median", stats.Median(pmbm.Shape.Density))
	run.add("clusters", sizes.Clusters)
	run.add("largest", sizes.Largest)
	run.add("tracks", len(run.tracks))
}

// score compares the estimates with the truth, when it is known.
func (run *filterRun) score(ctx context.Context, sc *scene, frames int) error {
	const last = 10 // frames
	values := []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if sc.truth != nil {
		report, err := metrics.ScoreContext(ctx, sc.truth, run.estimates, &metrics.Options{
			MatchDistance: run.cutoff / 2, Cutoff: run.cutoff, Only: metrics.Sets, Series: true, Points: true,
		})
		if err != nil {
			return err
		}
		run.sets = report.SetScores
		first := sc.scans[max(0, frames-last)].Frame
		there, missed := 0, 0
		for i := range sc.truth {
			for _, h := range sc.truth[i].Hits {
				if h.Frame >= first {
					there++
				}
			}
		}
		for _, f := range report.PerFrame {
			if f.Frame >= first {
				missed += f.Missed
			}
		}
		values = []float64{
			100 * (1 - float64(missed)/float64(max(1, there))),
			report.GOSPA, report.GOSPALocalisation, report.GOSPAMissed, report.GOSPAFalse,
		}
	}
	for i, key := range []string{"estimated", "gospa", "gospa_localisation", "gospa_missed", "gospa_false"} {
		run.add(key, values[i])
	}
	return nil
}

// save writes tracks, estimates, the record and figures into a run folder.
func (run *filterRun) save(s *session, c *command, o *pmbmOptions, folder *runfolder.Folder, sc *scene) error {
	stale := []string{runfolder.ScoreFile, runfolder.CertificateFile, runfolder.SolveFile, runfolder.ReportFile, runfolder.PlotsDir}
	if err := folder.Remove(stale...); err != nil {
		return err
	}
	tracks := run.detected(sc.scans)
	err := folder.WriteFile(runfolder.TracksFile, func(w io.Writer) error { return dataset.WriteTracks(w, tracks) })
	if err == nil {
		err = folder.WriteFile(runfolder.EstimatesFile, run.writeEstimates)
	}
	if err == nil {
		err = writeRecord(folder, runfolder.PMBMFile, s, c, run.record)
	}
	if err != nil {
		return err
	}
	title, unit := "pmbm, "+sc.title(&folder.Meta), folder.Meta.Scans.Unit
	figures := []figure{
		{"pmbm-problems", plots.FilterProblems(title, run.frames)},
		{"pmbm-hypotheses", plots.FilterHypotheses(title, run.frames)},
	}
	if run.sets != nil {
		figures = append(figures, figure{"pmbm-gospa", plots.GOSPA(title, unit, gospaFrames(run.sets))})
	}
	for i := range figures {
		figures[i].Meta = provenance(&folder.Meta)
	}
	return saveFigures(folder, figures, o.png)
}

// detected are the tracks as tracks.csv has them: detections with their own
// positions, without the frames in which the target was missed.
func (run *filterRun) detected(scans []mtt.Scan) []mtt.Track {
	scanOf := make(map[int]*mtt.Scan, len(scans))
	for i := range scans {
		scanOf[scans[i].Frame] = &scans[i]
	}
	tracks := make([]mtt.Track, len(run.tracks))
	for i := range tracks {
		t := &run.tracks[i]
		tracks[i] = mtt.Track{ID: t.ID, Dim: t.Dim}
		for _, h := range t.Hits {
			if h.Det >= 0 {
				tracks[i].Hits = append(tracks[i].Hits, h)
				tracks[i].Pos = append(tracks[i].Pos, scanOf[h.Frame].At(h.Det)...)
			}
		}
	}
	return tracks
}

// writeEstimates writes estimates.csv: a row for each target reported in a frame,
// in order of frames, then tracks.
func (run *filterRun) writeEstimates(w io.Writer) error {
	type row struct{ frame, track, hit int }
	var rows []row
	for t := range run.estimates {
		for h, hit := range run.estimates[t].Hits {
			rows = append(rows, row{hit.Frame, t, h})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return a.frame - b.frame })
	axes := []string{"x", "y", "z"}
	dim := 2
	if len(run.estimates) > 0 {
		dim = run.estimates[0].Dim
	}
	if _, err := fmt.Fprintf(w, "frame,track,det,existence,%s,v%s\n",
		strings.Join(axes[:dim], ","), strings.Join(axes[:dim], ",v")); err != nil {
		return err
	}
	var line []byte
	for _, r := range rows {
		t := &run.estimates[r.track]
		line = fmt.Appendf(line[:0], "%d,%d,%d", r.frame, t.ID, t.Hits[r.hit].Det)
		line = strconv.AppendFloat(append(line, ','), run.existence[r.track][r.hit], 'g', -1, 64)
		for _, x := range append(slices.Clone(t.At(r.hit)), t.Vel[r.hit*dim:(r.hit+1)*dim]...) {
			line = strconv.AppendFloat(append(line, ','), x, 'g', -1, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
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
