package task

// This file tracks scenes: options, results and what there is to say about them.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"mtt"
	"mtt/association"
	"mtt/association/instance"
	"mtt/association/lineage"
	"mtt/association/online"
	"mtt/costgen"
	"mtt/dataset"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/solvers"
	"mtt/internal/usage"
	"mtt/internal/verify"
	"mtt/internal/workers"
	"mtt/mapsolver"
	"mtt/motion"
)

// TrackOptions say how to track.
type TrackOptions struct {
	cost, engine, lap string
	device            string
	gate              gating.Gate // nil: chosen from the noise levels
	gap               float64     // %
	maxRounds         int
	noise             float64 // m; below 0: what the run says, or estimated
	velocityNoise     float64 // m/s; likewise
	accel             float64 // m/s^1.5; 0: estimated
	maxSpeed          float64 // m/s; 0: estimated
	resolution        float64 // m; 0: estimated
	minEvidence       float64 // nat; 0: no track is dropped
	motion            string
	rates             costgen.Rates // those that are 0: estimated
	candidates        int           // 0: automatic; negative: all
	memoryLimit       int64         // bytes
	noFit             bool          // a scene that takes more is tracked in windows
	onceLimit         int64         // bytes of arcs and triplets from which on a scene is not tracked at once; see windows.go
	window            int           // scans; or windowAuto, windowAll
	maxMisses, lag    int           // -1: auto; all
	noVelocity        bool
	fixedSensor       bool
	noRefine          bool
	margins           string // none, bound, exact
	best              int    // answers that are ranked
	divisions         bool   // targets divide
	Arcs              string // file with a graph to be solved instead; empty: none
	programme         string // file for that graph as an integer programme; empty: none
	estimate          bool
	NoReport          bool            // neither figures nor a page
	Resume            string          // run folder or its certificate; empty: from nothing
	Start             *instance.Start // what stands there
	whole             bool            // when the context ends there is no result
	Part              Part            // of which run it is a part; zero: it is whole
	meter             *solvers.Meter  // of the solvers

	learnt func(*association.Result) // see association.Options
}

// autoMotion stands for the likeliest motion.
const autoMotion = "auto"

// motionOption binds how targets move.
func motionOption(dst *string) cli.Option {
	return cli.Choice(dst, "motion", []string{autoMotion, "walk", "velocity", "reverting", "swaying", "turn", "singer"}, "`MOTION` of targets: walk (random walk), velocity (nearly constant), "+
		"reverting (falls back to zero), swaying (nearly constant, seen by a detector whose errors last), turn (at nearly constant speed and rate), singer (an acceleration that lasts), or auto: "+
		"the likeliest but for the last two, and of boxes but for velocity, of others but for swaying")
}

// namedMotion is the motion of its option's word; nil: the likeliest.
func namedMotion(word string) (motion.Model, error) {
	if word == autoMotion {
		return nil, nil
	}
	return motion.Named(word)
}

// NewTrackOptions are the defaults.
func NewTrackOptions() *TrackOptions {
	return &TrackOptions{
		cost: string(association.NLL), engine: string(association.Dual), lap: "auto", device: onCPU, motion: autoMotion,
		noise: -1, velocityNoise: -1, memoryLimit: 16 << 30, onceLimit: mostGated, maxMisses: -1, lag: -1, margins: noMargins, best: 1,
	}
}

// mostLag is the greatest number of scans after which a link is settled: a tracker holds as many.
const mostLag = 100_000

// Bind makes the options that set o.
func (o *TrackOptions) Bind() []cli.Option {
	inf := math.Inf(1)
	return []cli.Option{
		cli.Choice(&o.cost, "cost", words(association.Costs()), "`COST` of a pair or triplet of detections: nll (negative log likelihood of nearly "+
			"constant velocity), tpmb (the same with births of targets that were missed before, as the trajectory PMB has them), trapezoid (no parameters) or paper (spline lengths)"),
		gateOption(&o.gate),
		cli.Choice(&o.engine, "engine", words(association.Engines()), "`ENGINE`: dual (dual ascent, with bounds), exact (the same until the answer is proved optimal), dual-paper (its published parallel scheme), "+
			"greedy (frame by frame, same costs) or gnn (Kalman filters, frame by frame)"),
		cli.Choice(&o.lap, "lap", solvers.Names(), "`SOLVER` of the assignment problems: one that 'mtt solvers' lists; auto is ssp"),
		cli.Choice(&o.device, "device", []string{onCPU, onCUDA}, "`DEVICE` on which the dual ascent begins: cpu, or cuda, an NVIDIA card; proofs and answers are made on the cpu, and go on from there"),
		cli.NumberOr(&o.maxRounds, "max-rounds", "auto", 0, 1, inf, "`N` rounds of dual ascent at most, or auto: 10, and 100 of dual-paper").Formerly("0", "auto"),
		cli.Number(&o.gap, "gap", 0, 100, "`PERCENT`: stop when the bounds are this close; 0 until they meet"),
		cli.NumberOr(&o.noise, "noise", "auto", -1, 0, inf, "`SIGMA` in m, or in the unit of the file: standard deviation of a measured coordinate, or auto: what run.toml says, or an estimate"),
		cli.NumberOr(&o.velocityNoise, "velocity-noise", "auto", -1, 0, inf, "`SIGMA` in m/s: of a measured velocity component, or auto: likewise"),
		cli.Boolean(&o.estimate, "estimate", "estimate noise levels even where run.toml says them"),
		estimateOr(&o.accel, "accel", "`A` in m/s^1.5: square root of the spectral density of acceleration, or auto: an estimate"),
		motionOption(&o.motion),
		cli.NumberOr(&o.rates.Detect, "detect", "auto", 0, cli.AboveZero, 1-1e-9, "`P`, the probability that a target is detected, or auto: an estimate"),
		cli.NumberOr(&o.rates.Survive, "survive", "auto", 0, cli.AboveZero, 1-1e-9, "`P`, the probability that a target is there one frame later, or auto: an estimate"),
		estimateOr(&o.rates.Births, "births", "`N` targets that appear in a frame on average, or auto: an estimate"),
		estimateOr(&o.rates.Clutter, "clutter", "`N` false alarms in a frame on average, or auto: an estimate"),
		estimateOr(&o.maxSpeed, "max-speed", "`V` in m/s of the fastest target, or auto: an estimate"),
		estimateOr(&o.resolution, "resolution", "`R` in m: targets closer than R have one detection, or auto: an estimate. It changes which misses are put down to that, not the tracks"),
		candidatesOption(&o.candidates),
		bytesOption(&o.memoryLimit, "memory-limit", "`BYTES`, such as 500MB or 16GiB, that arcs and triplets may take; a gate that keeps more is refused, and mtt track goes through a scene that is larger in windows of time"),
		cli.NumberOr(&o.maxMisses, "max-misses", "auto", -1, 0, inf, "`N` frames in a row in which a target may go undetected, or auto: as long as "+
			"going on is likelier than that one target goes and another comes"),
		cli.NumberOr(&o.lag, "lag", "all", -1, 0, mostLag, "`N` frames after which a link is settled, as in a tracker that runs along with the sensor, "+
			"or all: every link is judged with all frames; for the cost nll, without bounds"),
		cli.Choice(&o.margins, "margins", []string{noMargins, boundMargins, exactMargins}, "`WHICH` of each link and birth: none, bound, how much dearer, at least, every answer is that decides otherwise, by the prices, or exact, the same by solving around it once more, of answers that differ in one place, where a cheaper one is taken; below 0 nothing proves that the best answer has it; a column of tracks.csv"),
		cli.Number(&o.best, "best", 1, 1000, "`K` answers, the cheapest first, each with a bound on all that come after; what they do otherwise goes into best.csv"),
		cli.NumberOr(&o.minEvidence, "min-evidence", "none", 0, cli.AboveZero, inf, "`NAT`: drop tracks that are not likelier than false alarms by so much, of one target against each detection a false alarm, or none; tracks.csv gets a column evidence"),
		cli.Boolean(&o.divisions, "divisions", "targets divide, as cells do: a track ends, and two begin beside it, at a price that is learnt; tracks.csv has a column parent"),
		cli.Boolean(&o.noVelocity, "no-velocity", "leave measured velocities unread"),
		cli.Boolean(&o.fixedSensor, "fixed-sensor", "the sensor stands still: do not look for a camera that shakes, pans or is carried, or a stage that drifts, nor for what carries targets that walk"),
		cli.Boolean(&o.noRefine, "no-refine", "leave out the refinement of whole tracks"),
	}
}

// estimateOr binds a number above 0, or auto, for which dst is 0: it is estimated.
func estimateOr(dst *float64, name, usage string) cli.Option {
	return cli.NumberOr(dst, name, "auto", 0, cli.AboveZero, math.Inf(1), usage).Formerly("0", "auto")
}

// BindAll makes the options that set o, those of mtt track alone included.
func (o *TrackOptions) BindAll() []cli.Option {
	return append(o.Bind(), cli.Boolean(&o.NoReport, "no-report", "leave out the figures and report.html; 'mtt report' makes them later"),
		o.windowOption(), o.resumeOption(), cli.Text(&o.Arcs, "arcs", "`FILE` with detections, arcs and their costs, in CSV, JSON lines, npz, .lp or .mps, that is solved instead of a scene; see docs/formats.md"),
		cli.Text(&o.programme, "programme", "`FILE`, .lp or .mps, for the problem of --arcs as an integer programme, which other solvers read"))
}

// SceneToTrack is the scene that the arguments name and the folder for its tracks. A file is
// imported as o says (nil: with the defaults), with the second as its truth. Scenes that are not
// worth it are not copied; nil: all are.
func SceneToTrack(ctx context.Context, s *cli.Session, o *ImportOptions, args []string, worth worth) (*runfolder.Folder, *Scene, error) {
	source := runfolder.Default
	if len(args) > 0 {
		source = args[0]
	}
	info, err := os.Stat(source)
	if errors.Is(err, fs.ErrNotExist) && filepath.Ext(source) != "" {
		return nil, nil, cli.Usagef("%s does not exist", source) // meant to be a file
	}
	if source == "-" || err == nil && (!info.IsDir() || isScene(source)) {
		if o == nil {
			o = &ImportOptions{}
			o.Bind()
		}
		c := &cli.Command{Name: "import", Options: o.Again()}
		folder, sc, data, err := Import(ctx, s, c, o, append([]string{source}, args[min(1, len(args)):]...), worth)
		if err == nil {
			s.Note("%s: %s", source, strings.Join(data.Notes, "; "))
		}
		return folder, sc, err
	}
	folder, err := OpenRun(source)
	if err != nil {
		return nil, nil, err
	}
	if s.Common.Out != "" {
		sc, err := loadScene(ctx, folder, worth)
		if err == nil {
			err = Unchanged(folder)
		}
		if err == nil {
			sc.keepFiles(folder)
			folder, err = sc.save(ctx, s.Common.Out, &folder.Meta)
		}
		return folder, sc, err
	}
	if err := Edit(folder); err != nil {
		return nil, nil, err
	}
	sc, err := LoadScans(folder)
	if err != nil {
		folder.Discard()
	}
	return folder, sc, err
}

// foresee refuses a gate that was asked for and keeps far too much of the scene; where that is not
// tracked at once, it is asked later.
func (o *TrackOptions) foresee(ctx context.Context, sc *Scene, meta *runfolder.Meta, workers int) error {
	if o.gate == nil || o.lag >= 0 || o.exceeded(float64(sc.detections()), float64(len(sc.Scans))) {
		return nil
	}
	opts, err := o.Association(meta, workers)
	if err != nil {
		return err
	}
	return TrackFault(association.Foresee(ctx, sc.Scans, opts))
}

// A solved is what tracking found.
type solved struct {
	*association.Result
	Record cli.Record // for printing
}

// Track tracks the scene and writes the results into its folder. With an error it returns what was
// found before, or nil. What was found before the context ended is written whatever that takes, but
// for states, unless it is wanted whole. Seconds read are those that reading the scene took.
func Track(ctx context.Context, s *cli.Session, c *cli.Command, o *TrackOptions, folder *runfolder.Folder, sc *Scene, read float64) (*solved, error) {
	began := time.Now()
	foreseeMore(1300 * sc.detections()) // bytes at the peak, of scenes of 100,000 to 300,000 detections
	switch n := sc.detections(); {
	case n+3*len(sc.Scans) < 500_000:
	case n > 20*len(sc.Scans): // long arrays without pointers: cheap to look through, dear to keep
		defer debug.SetGCPercent(debug.SetGCPercent(10))
		if o.window != windowAll && o.unwindowed() == nil { // garbage stays within what a scene may take that is tracked at once
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(min(o.memoryLimit, atOnce-atOnce/8)))
		}
	default: // every scan is a dozen slices: with 10 half of the time would go into looking through them
		defer debug.SetGCPercent(debug.SetGCPercent(40))
	}
	opts, err := o.Association(&folder.Meta, s.Common.Workers)
	if err != nil {
		return nil, err
	}
	p := &trackProgress{Session: s, line: s.StartProgress(ctx, "passes", o.passes())}
	opts.Dual.Whole = o.whole
	keeping := ctx
	if !o.whole {
		keeping = context.WithoutCancel(ctx)
	}
	opts.Dual.Progress = func(step dualascent.Step) { p.set(ctx, step) }
	opts.Learnt = o.learnt
	// The certificate is written before the refinement, if nobody needs costs and prices after
	// that: the disk is at work meanwhile, and its memory is there for others.
	var proof *proof
	var unwritten error
	var early time.Duration
	begin := func(res *association.Result) {
		if unwritten = removeAnswer(folder); unwritten == nil {
			proof, unwritten = beginProof(keeping, folder, res, madeBy(o))
		}
	}
	if o.best <= 1 && o.margins == noMargins && !o.divisions {
		opts.Solved = func(res *association.Result) {
			now := time.Now()
			begin(res)
			res.Forget()
			early = time.Since(now)
		}
	}
	defer func() {
		if proof != nil {
			proof.writing.Wait()
		}
	}()
	var res *association.Result
	var latency []float64
	var family *lineage.Result
	if o.divisions {
		if family, err = o.trackDivisions(ctx, sc.Scans, opts); family != nil {
			res = family.Result
		}
	} else {
		res, latency, err = o.Track(ctx, sc.Scans, opts)
	}
	p.line.Done()
	if res == nil || err != nil && (res.Tracks == nil || o.whole) {
		return nil, TrackFault(err)
	}
	if told := estimated(opts, res, folder.Meta.Scans.Unit); told != "" {
		s.Note("%s", s.About("estimated: "+told))
	}
	if told := movedText(res, folder.Meta.Scans.Unit); told != "" {
		s.Note("%s", s.About(told))
	}
	if told := shapedText(res, folder.Meta.Scans.Unit); told != "" {
		s.Note("%s", told)
	}
	if told := motionText(res); told != "" {
		s.Note("%s", s.About("motion: "+told))
	}
	if o.minEvidence > 0 {
		s.Note("evidence: %d of %d tracks have less than %g nat and are dropped", res.Weak, res.Weak+len(res.Tracks), o.minEvidence)
	}
	for _, w := range res.Warnings {
		s.Log.Warn(s.About(w))
	}
	ranked, failed := o.rank(ctx, res, opts)
	if ended := ctx.Err(); failed != nil && (o.whole || ended == nil || !errors.Is(failed, ended)) {
		return nil, failed
	}
	err = cmp.Or(err, failed)
	margins, failed := o.marginsOf(ctx, res, ranked, opts)
	if failed != nil {
		return nil, failed
	}
	hitMargins, familyMargins, failed := o.familyMargins(ctx, sc.Scans, family)
	if failed != nil {
		return nil, failed
	}
	res.Seconds.Solve -= early.Seconds()
	writing := time.Now().Add(-early)
	if proof == nil && unwritten == nil {
		begin(res)
	}
	if unwritten != nil {
		return nil, unwritten
	}
	if ranked != nil {
		if err := folder.WriteFile(runfolder.BestFile, func(w io.Writer) error { return writeBest(w, res, ranked) }); err != nil {
			return nil, err
		}
	}
	if margins != nil {
		if err := folder.WriteFile(runfolder.MarginsFile, margins.write); err != nil {
			return nil, err
		}
		proof.sums.Margins, failed = hexSum(keeping, folder.Path(runfolder.MarginsFile))
	}
	if failed == nil && divides(family) {
		proof.sums.Graph, failed = writeGraph(keeping, folder, family, familyMargins)
	}
	if failed != nil {
		return nil, failed
	}
	r := solveRecord(folder, o, res, latency)
	if margins != nil {
		r.Add("margins", margins.record())
	}
	if hitMargins != nil {
		r.Add("margins", marginRecord(linksOf(hitMargins), familyMargins.proof, familyMargins.seconds))
	}
	if ranked != nil {
		r.Add("best", bestRecords(ranked))
	}
	refined := refinedLinks(res)
	// States take as much memory as the problem and its prices, which nobody needs from here on.
	if res.Instance = nil; res.Dual != nil {
		res.Dual.Prices = nil
	}
	var failures [2]error
	workers.Each(workers.Count(s.Common.Workers), 2, func(_, job int) {
		if job == 0 {
			failures[job] = writeTracks(keeping, folder, proof, refined, res.Tracks, slices.Concat(sc.columns(res.Tracks), evidenceColumn(res.Evidence), margins.columns(), marginColumn(hitMargins)))
		} else if res.Levels != nil {
			failures[job] = writeStates(ctx, folder, res, s.Common.Workers)
		}
	})
	if ended := ctx.Err(); ended != nil && errors.Is(failures[1], ended) && !o.whole {
		err, failures[1] = cmp.Or(err, ended), nil
	}
	if err := cmp.Or(failures[0], failures[1]); err != nil {
		return nil, err
	}
	more := append(evidence(res, refined, proof.sums), cli.Field{Key: "resolution", Value: res.Resolution, Unit: folder.Meta.Scans.Unit}, mergesField(res))
	if divides(family) {
		r = setDivisions(r, more, family, folder.Meta.Scans.Unit)
	}
	setUsed(r, &res.Seconds, read, time.Since(writing).Seconds(), read+time.Since(began).Seconds())
	if err := writeRecord(folder, runfolder.SolveFile, s, c, append(withoutKey(r, "certified_bound"), more...)); err != nil {
		return nil, err
	}
	return &solved{res, r}, TrackFault(err)
}

// writeTracks adds tracks.csv to a run folder, and its sum to the proof, which it finishes.
func writeTracks(ctx context.Context, folder *runfolder.Folder, proof *proof, refined int, tracks []mtt.Track, columns []dataset.TrackColumn) error {
	sum := sha256.New()
	if err := folder.WriteFile(runfolder.TracksFile, func(w io.Writer) error {
		return dataset.WriteTracks(cli.Writer(ctx, io.MultiWriter(w, sum)), tracks, columns...)
	}); err != nil {
		return err
	}
	return proof.finish(ctx, [sha256.Size]byte(sum.Sum(nil)), refined)
}

// writeStates adds states.csv to a run folder, unless ctx ends.
func writeStates(ctx context.Context, folder *runfolder.Folder, res *association.Result, workers int) error {
	return folder.WriteFile(runfolder.StatesFile, func(w io.Writer) error {
		states, err := res.Smooth(ctx, workers)
		if err != nil {
			return err
		}
		return dataset.WriteStates(cli.Writer(ctx, w), states)
	})
}

// evidenceColumn is the column of tracks.csv with the evidence of tracks, nat; nil: there is none.
func evidenceColumn(nats []float64) []dataset.TrackColumn {
	if nats == nil {
		return nil
	}
	return []dataset.TrackColumn{{Name: "evidence", Of: func(track, _ int) float64 { return nats[track] }}}
}

// removeAnswer removes what a run has of an earlier answer besides its tracks and solve.json, and more.
func removeAnswer(folder *runfolder.Folder, more ...string) error {
	return folder.Remove(append(more, runfolder.ScoreFile, runfolder.CertificateFile, runfolder.ReportFile, runfolder.PlotsDir,
		runfolder.BestFile, runfolder.MarginsFile, runfolder.StatesFile, runfolder.GraphFile)...)
}

// setUsed sets what tracking took in the record r, in seconds, and the peak of memory.
func setUsed(r cli.Record, of *association.Seconds, read, write, total float64) {
	setField(r, "seconds", cli.Record{
		{Key: "read", Value: read}, {Key: "estimate", Value: of.Estimate},
		{Key: "gate", Value: of.Gate}, {Key: "cost", Value: of.Cost},
		{Key: "solve", Value: of.Solve}, {Key: "write", Value: write},
		{Key: "total", Value: total},
	})
	setField(r, "peak_rss_mb", usage.PeakMemory())
}

// A trackProgress draws the passes, then the search: how much it has closed of the gap
// that they left, %.
type trackProgress struct {
	*cli.Session
	line   *cli.Progress
	search bool
	began  float64 // gap at the beginning of the search
}

func (p *trackProgress) set(ctx context.Context, step dualascent.Step) {
	gap := max(0, step.Upper-step.Lower)
	state := fmt.Sprintf("bound %.6g gap %.2g %%", step.Lower, 100*gap/math.Abs(step.Upper))
	if step.Parts == 0 {
		p.line.Set(step.Pass, state)
		return
	}
	if !p.search {
		p.line.Done()
		p.line, p.search, p.began = p.StartProgress(ctx, "closing the gap", 100), true, gap
	}
	closed := 0
	if p.began > 0 {
		closed = int(100 * (p.began - gap) / p.began)
	}
	p.line.Set(min(closed, 99), fmt.Sprintf("%s, %d parts searched", state, step.Parts)) // 100 would end the line
}

// Track tracks the scans, all together or one after another; then latency lists the
// seconds of each step.
func (o *TrackOptions) Track(ctx context.Context, scans []mtt.Scan, opts *association.Options) (res *association.Result, latency []float64, err error) {
	if o.lag < 0 {
		res, err = association.Track(ctx, scans, opts)
		return res, nil, err
	}
	if o.engine != string(association.Dual) || o.cost != string(association.NLL) {
		return nil, nil, cli.Usagef("--lag goes with the engine dual and the cost nll, not with %s and %s", o.engine, o.cost)
	}
	switch {
	case o.minEvidence != 0:
		return nil, nil, cli.Usagef("--min-evidence needs all frames, and --lag settles tracks as they come")
	case o.maxRounds != 0, o.gap != 0, o.candidates != 0, o.noRefine:
		return nil, nil, cli.Usagef("--max-rounds, --gap, --candidates and --no-refine have no use with --lag, where no instance is solved")
	}
	followed, err := online.Track(ctx, scans, online.Of(opts, unlessWord(o.lag)))
	if followed == nil {
		return nil, nil, err
	}
	return followed.Result, followed.Latency, err
}

// unlessWord is a number bound by numberOr as the library has it, where 0 stands
// for the default and -1 for none.
func unlessWord(n int) int {
	switch n {
	case -1:
		return 0
	case 0:
		return -1
	}
	return n
}

// passes is the greatest number of passes of the engine.
func (o *TrackOptions) passes() int {
	switch {
	case o.engine == string(association.DualPaper) && o.maxRounds == 0:
		return 100
	case o.engine == string(association.DualPaper):
		return o.maxRounds
	case o.maxRounds == 0:
		return 20
	}
	return 2 * min(o.maxRounds, math.MaxInt/2)
}

// solver is the name of the solver that --lap means: auto is ssp, as the problems
// of a scene are sparse, have miss costs and are solved over and over from the
// last prices.
func (o *TrackOptions) solver() string {
	if o.lap == "auto" {
		return "ssp"
	}
	return o.lap
}

// Association are the options for the engine, with that number of workers, and what is known of
// the scans: noise levels and sensors.
func (o *TrackOptions) Association(meta *runfolder.Meta, workers int) (*association.Options, error) {
	solver, err := solvers.Named(o.solver())
	if err != nil {
		return nil, err
	}
	solver, o.meter = solvers.Watch(solver)
	opts := &association.Options{
		Cost: association.Cost(o.cost), Engine: association.Engine(o.engine),
		Accel: o.accel, MaxSpeed: o.maxSpeed,
		Resolution: o.resolution, MinEvidence: o.minEvidence,
		Gate: o.gate, Cap: o.candidates, Workers: workers, MemoryLimit: o.memoryLimit, NoFit: o.noFit,
		MaxMisses: unlessWord(o.maxMisses), NoStates: true, // written when the rest is
		IgnoreVelocity: o.noVelocity, FixedSensor: o.fixedSensor, NoRefine: o.noRefine, Start: o.Start,
		Margins: o.margins == exactMargins && !o.divisions,
		Dual:    dualascent.Options{MaxRounds: o.maxRounds, Gap: o.gap / 100, NewSolver: solver},
	}
	if opts.Motion, err = namedMotion(o.motion); err != nil {
		return nil, err
	}
	if o.rates != (costgen.Rates{}) {
		opts.Rates = &o.rates
	}
	scans := &meta.Scans
	if association.Cost(o.cost).Learns() {
		opts.Sensors = meta.Sensors
	}
	if opts.Dual.Ascend, err = o.ascend(); err != nil {
		return nil, err
	}
	noise, velocityNoise := scans.Noise, scans.VelocityNoise
	if o.estimate {
		noise, velocityNoise = nil, nil
	}
	opts.Sigma, opts.SigmaV = knownLevel(o.noise, noise), knownLevel(o.velocityNoise, velocityNoise)
	return opts, nil
}

// knownLevel is a level of noise as the library takes it: the one that was given
// unless it is below 0, or that of the run, or 0 for an estimate.
func knownLevel(given float64, ofRun *float64) float64 {
	switch {
	case given >= 0:
		return max(given, association.NoNoise)
	case ofRun == nil:
		return 0
	}
	return max(*ofRun, association.NoNoise)
}

// TrackFault marks errors of the data and of options that do not suit them.
func TrackFault(err error) error {
	for _, known := range []error{mtt.ErrScan, association.ErrOptions, gating.ErrGate, gating.ErrTime, gating.ErrNotFinite} {
		if errors.Is(err, known) {
			return cli.BadInput(err)
		}
	}
	if large, ok := errors.AsType[*gating.TooLargeError](err); ok {
		return tooLarge(large, err)
	}
	if errors.Is(err, association.ErrChance) {
		return (&cli.Fault{Status: cli.ExitUsage, Err: err}).Hinted("false alarms alone have no tracks; where there are targets, --max-speed V says how fast the fastest is, and what is no farther apart is tracked")
	}
	if errors.Is(err, dualascent.ErrInfeasible) || errors.Is(err, mapsolver.ErrInfeasible) {
		return &cli.Fault{Status: cli.ExitInfeasible, Err: err}
	}
	return err
}

// Solve tracks the scans and says what came of it, all but what is of files.
func (o *TrackOptions) Solve(ctx context.Context, scans []mtt.Scan, opts *association.Options) (tracks []mtt.Track, r cli.Record, err error) {
	if !o.divisions {
		res, _, err := o.Track(ctx, scans, opts)
		if err != nil {
			return nil, nil, err
		}
		return res.Tracks, outcome(o, res), nil
	}
	family, err := o.trackDivisions(ctx, scans, opts)
	if err != nil {
		return nil, nil, err
	}
	r = outcome(o, family.Result)
	if divides(family) {
		setSolved(r, family)
	}
	return family.Tracks, r, nil
}

// outcome is what tracking found. Bounds are absent where the engine has none.
func outcome(o *TrackOptions, res *association.Result) cli.Record {
	status, lower, upper, gap, rounds := "heuristic", math.NaN(), res.Cost, math.NaN(), 0
	if d := res.Dual; d != nil {
		status, upper, gap, rounds = d.Status.String(), d.UpperBound, 100*d.Gap(), d.Rounds
		lower = min(d.LowerBound, upper) // rounding can lift it above
	}
	arcs, triplets := 0, 0
	if res.Instance != nil {
		arcs, triplets = res.Instance.Arcs(), res.Instance.Triplets()
	}
	return cli.Record{
		{Key: "status", Value: status},
		{Key: "lower_bound", Value: lower, Unit: costUnit(o)},
		{Key: "upper_bound", Value: upper, Unit: costUnit(o)},
		{Key: "gap_percent", Value: gap},
		{Key: "rounds", Value: rounds},
		{Key: "arcs", Value: arcs},
		{Key: "triplets", Value: triplets},
		{Key: "tracks", Value: len(res.Tracks)},
	}
}

// solveRecord is the outcome as it is printed, with room for what is known in the end: seconds and
// peak_rss_mb.
func solveRecord(folder *runfolder.Folder, o *TrackOptions, res *association.Result, latency []float64) cli.Record {
	r := append(cli.Record{{Key: "run", Value: folder.Dir}}, outcome(o, res)...)
	if res.Evidence != nil || res.Weak > 0 {
		r.Add("weak", res.Weak) // tracks that were dropped
	}
	r.Add("left_out", res.LeftOut)
	if res.Levels != nil {
		r.Add("merged", len(res.Merged))
	}
	r.Add("seconds", nil)
	if o.lag >= 0 {
		r.Add("latency_ms", LatencyFields(latency))
	}
	r.Add("peak_rss_mb", nil)
	if proofOf(res) == verify.BySearch {
		for i := range r {
			if r[i].Key == "lower_bound" {
				r[i].Note = "by search; certified bound is what certificate.bin proves"
			}
		}
		r = append(r, cli.Field{Key: "certified_bound", Value: certifiedField(res).Value, Unit: costUnit(o), Note: "what certificate.bin proves; search ruled out the rest"})
	}
	r.Add("solver", ranSolver(o, res))
	if o.device != onCPU {
		r.Add("device", o.device)
	}
	if res.Dual != nil {
		o.addAccelerator(&r, len(res.Dual.Trace))
	}
	r.Add("engine", o.engine)
	r.Add("cost", o.cost)
	r = append(r, modelFields(res, folder.Meta.Scans.Unit)...)
	r.Add("warnings", append([]string{}, res.Warnings...))
	return r
}

// ranSolver names the assignment solver that did it: the engines without bounds have their own.
func ranSolver(o *TrackOptions, res *association.Result) string {
	if res.Dual == nil {
		return "ssp"
	}
	return cmp.Or(res.Dual.Stats.Solver, o.solver())
}

// setField sets the value of a key of r.
func setField(r cli.Record, key string, value any) {
	for i := range r {
		if r[i].Key == key {
			r[i].Value = value
		}
	}
}

// withoutKey is r without a key.
func withoutKey(r cli.Record, key string) cli.Record {
	return slices.DeleteFunc(slices.Clone(r), func(f cli.Field) bool { return f.Key == key })
}

// evidence is what solve.json has for those who check it, and what is printed has not.
func evidence(res *association.Result, refined int, sums verify.Sums) cli.Record {
	return cli.Record{certifiedField(res), {Key: "proof", Value: proofOf(res)},
		{Key: "refined_links", Value: refined}, {Key: "sha256", Value: sums}, pricingField(res), traceField(res)}
}

// certifiedField is the bound that the prices of the certificate prove. What search
// rules out besides is part of lower_bound alone.
func certifiedField(res *association.Result) cli.Field {
	bound := math.NaN()
	if d := res.Dual; d != nil {
		bound = min(d.Certified, d.UpperBound)
	}
	return cli.Field{Key: "certified_bound", Value: bound}
}

// LatencyFields say how long a step of the tracker takes, ms; NaN where there was none.
func LatencyFields(seconds []float64) cli.Record {
	ms := slices.Sorted(slices.Values(seconds))
	quantile := func(p float64) float64 {
		if len(ms) == 0 {
			return math.NaN()
		}
		return 1000 * stat.Quantile(p, stat.Empirical, ms, nil)
	}
	return cli.Record{
		{Key: "median", Value: quantile(0.5)}, {Key: "p99", Value: quantile(0.99)}, {Key: "max", Value: quantile(1)},
	}
}

// traceField is the trace of the dual ascent: one step for each pass.
func traceField(res *association.Result) cli.Field {
	steps := []cli.Record{}
	if res.Dual != nil {
		for _, s := range res.Dual.Trace {
			steps = append(steps, cli.Record{
				{Key: "pass", Value: s.Pass}, {Key: "lower_bound", Value: s.Lower}, {Key: "upper_bound", Value: s.Upper},
			})
		}
	}
	return cli.Field{Key: "trace", Value: steps}
}

// mergesField lists the merged detections.
func mergesField(res *association.Result) cli.Field {
	merges := []cli.Record{}
	for _, m := range res.Merged {
		merges = append(merges, cli.Record{
			{Key: "frame", Value: m.Frame}, {Key: "det", Value: m.Det}, {Key: "tracks", Value: m.Tracks[:]}, {Key: "log_odds", Value: m.LogOdds},
		})
	}
	return cli.Field{Key: "merges", Value: merges}
}

// costUnit is the unit of bounds.
func costUnit(o *TrackOptions) string {
	if association.Cost(o.cost).Learns() {
		return "nat"
	}
	return "m"
}

// words turns names into strings.
func words[S ~string](names []S) []string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = string(n)
	}
	return list
}

// TrackedWith are the options that the tracks of a run folder were made with, the
// defaults where that is not known.
func TrackedWith(folder *runfolder.Folder) (*TrackOptions, error) {
	o := NewTrackOptions()
	var file struct {
		Options map[string]any `json:"options"`
	}
	if err := ReadJSON(folder, runfolder.SolveFile, &file); err != nil {
		return nil, err
	}
	for _, option := range o.Bind() {
		if v, ok := file.Options[option.Name]; ok {
			if err := option.SetSaved(fmt.Sprint(v)); err != nil {
				return nil, cli.BadInput(fmt.Errorf("%s: option %s: %w", folder.Path(runfolder.SolveFile), option.Name, err))
			}
		}
	}
	return o, nil
}

// TracksOf reads the tracks of a run folder, tracking its scene first, with the
// defaults, when there are none yet: wholly, or not at all when ctx ends, and then the folder is as it was.
func TracksOf(ctx context.Context, s *cli.Session, folder *runfolder.Folder, sc *Scene) ([]mtt.Track, error) {
	if !folder.Has(runfolder.TracksFile) {
		s.Note("%s has no tracks yet: tracking it with the defaults", folder.Dir)
		o := NewTrackOptions()
		o.whole = true // who comes back for the tracks would not know of an interrupt
		c := &cli.Command{Name: "track", Options: o.BindAll()}
		whole := !folder.Editing()
		if err := Edit(folder); err != nil {
			return nil, err
		}
		_, err := Track(ctx, s, c, o, folder, sc, 0)
		if err != nil {
			folder.Discard()
			return nil, err
		}
		if whole {
			err = Finish(folder, nil)
		}
		if err != nil {
			return nil, err
		}
	}
	return LoadTracks(folder.Path(runfolder.TracksFile))
}
