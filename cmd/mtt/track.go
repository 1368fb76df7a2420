package main

// This file is "mtt track": which detections belong together.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mtt"
	"mtt/association"
	"mtt/dataset"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/runfolder"
)

// trackOptions say how to track.
type trackOptions struct {
	cost, engine, lap string
	device            string
	gate              gating.Gate // nil: chosen from the noise levels
	gap               float64     // %
	maxRounds         int
	noise             float64 // m; 0: what the run says, or estimated
	velocityNoise     float64 // m/s; likewise
	accel             float64 // m/s^1.5; 0: estimated
	maxSpeed          float64 // m/s; 0: estimated
	resolution        float64 // m; 0: estimated
	candidates        int     // 0: automatic; negative: all
	memoryLimit       int64   // bytes
	maxMisses, lag    int     // -1: auto; all
	noVelocity        bool
	noRefine          bool
	estimate          bool
	resume            string             // run folder or its certificate; empty: from nothing
	start             *association.Start // what stands there
	meter             *fpgaMeter         // of the accelerator, nil without
}

// newTrackOptions are the defaults.
func newTrackOptions() *trackOptions {
	return &trackOptions{
		cost: string(association.NLL), engine: string(association.Dual), lap: "auto", device: onCPU,
		memoryLimit: 16 << 30, maxMisses: -1, lag: -1,
	}
}

// bind makes the options that set o.
func (o *trackOptions) bind() []option {
	inf := math.Inf(1)
	return []option{
		choice(&o.cost, "cost", words(association.Costs()), "`COST` of a pair or triplet of detections: nll (negative log likelihood of nearly "+
			"constant velocity), trapezoid (no parameters) or paper (spline lengths)"),
		gateOption(&o.gate),
		choice(&o.engine, "engine", words(association.Engines()), "`ENGINE`: dual (dual ascent, with bounds), exact (the same until the answer is proved optimal), dual-paper (its published parallel scheme), "+
			"greedy (frame by frame, same costs) or gnn (Kalman filters, frame by frame)"),
		choice(&o.lap, "lap", solverNames(), "`SOLVER` of the assignment problems: one that 'mtt solvers' lists; auto is ssp"),
		choice(&o.device, "device", []string{onCPU, onCUDA}, "`DEVICE` on which the dual ascent begins: cpu, or cuda, an NVIDIA card; proofs and answers are made on the cpu, and go on from there"),
		number(&o.maxRounds, "max-rounds", 0, inf, "`N` rounds of dual ascent at most; 0 for 10, or 100 of dual-paper"),
		number(&o.gap, "gap", 0, 100, "`PERCENT`: stop when the bounds are this close; 0 until they meet"),
		number(&o.noise, "noise", 0, inf, "`SIGMA` in m: standard deviation of a measured coordinate; 0 for what run.toml says, or an estimate"),
		number(&o.velocityNoise, "velocity-noise", 0, inf, "`SIGMA` in m/s: of a measured velocity component; 0 likewise"),
		boolean(&o.estimate, "estimate", "estimate noise levels even where run.toml says them"),
		number(&o.accel, "accel", 0, inf, "`A` in m/s^1.5: square root of the spectral density of acceleration; 0 for an estimate"),
		number(&o.maxSpeed, "max-speed", 0, inf, "`V` in m/s of the fastest target; 0 for an estimate"),
		number(&o.resolution, "resolution", 0, inf, "`R` in m: targets closer than R have one detection; 0 for an estimate. It changes which misses are put down to that, not the tracks"),
		candidatesOption(&o.candidates),
		bytesOption(&o.memoryLimit, "memory-limit", "`BYTES`, such as 500MB or 16GiB, that arcs and triplets may take; a gate that keeps more is refused"),
		numberOr(&o.maxMisses, "max-misses", "auto", "`N` frames in a row in which a target may go undetected, or auto: as long as "+
			"going on is likelier than that one target goes and another comes"),
		numberOr(&o.lag, "lag", "all", "`N` frames after which a link is settled, as in a tracker that runs along with the sensor, "+
			"or all: every link is judged with all frames; for the cost nll, without bounds"),
		boolean(&o.noVelocity, "no-velocity", "leave measured velocities unread"),
		boolean(&o.noRefine, "no-refine", "leave out the refinement of whole tracks"),
	}
}

func newTrackCommand() *command {
	c, _ := bindTrack()
	return c
}

// bindTrack makes the command together with the options that its flags set.
func bindTrack() (*command, *trackOptions) {
	o := newTrackOptions()
	c := &command{
		name:    "track",
		summary: "finds which detections belong together: tracks, bounds and gap",
		args:    "[RUN|FILE]",
		maxArgs: 1,
		about: "Tracks the detections of a run folder (default: " + runfolder.Default + ") and writes tracks.csv and\n" +
			"solve.json into it. A FILE is imported first, with the defaults of mtt import.\n" +
			"Noise levels and rates that nobody says are estimated from the data.\n",
		examples: "mtt simulate --targets 20 --frames 20\n" +
			"mtt track\n" +
			"mtt track --engine greedy -o runs/greedy --format json\n" +
			"mtt track points.csv --gate ball:1.5 -o runs/points\n" +
			"mtt track --lag 3 -o runs/online\n" +
			"mtt track --engine exact --resume runs/latest\n",
		outUsage: "`FOLDER` for the scene and its tracks (default: RUN; for a FILE " + runfolder.Default + ")",
		options:  append(o.bind(), o.resumeOption()),
	}
	c.run = func(ctx context.Context, s *session, args []string) error { return runTrack(ctx, s, c, o, args) }
	return c, o
}

func runTrack(ctx context.Context, s *session, c *command, o *trackOptions, args []string) error {
	began := time.Now()
	if len(args) == 0 && o.resume != "" {
		args = []string{o.resumeFolder()}
	}
	var err error
	if o.start, err = o.readStart(); err != nil { // before -o makes the folder anew
		return err
	}
	folder, sc, err := sceneToTrack(ctx, s, args)
	if err != nil {
		return err
	}
	read := time.Since(began).Seconds()
	done, err := trackRun(ctx, s, c, o, folder, sc, read)
	if done != nil {
		if exitStatus(err) == exitInterrupted && folder.Has(runfolder.CertificateFile) {
			s.resume = folder.Dir
		}
		err = errors.Join(err, s.out.print(done.record))
	}
	return err
}

// sceneToTrack is the scene that the arguments name and the folder for its tracks.
func sceneToTrack(ctx context.Context, s *session, args []string) (*runfolder.Folder, *scene, error) {
	source := runfolder.Default
	if len(args) > 0 {
		source = args[0]
	}
	info, err := os.Stat(source)
	if errors.Is(err, fs.ErrNotExist) && filepath.Ext(source) != "" {
		return nil, nil, usagef("%s does not exist", source) // meant to be a file
	}
	if err == nil && !info.IsDir() {
		c, o := bindImport()
		folder, sc, data, err := importFiles(ctx, s, c, o, []string{source})
		if err == nil {
			s.note("%s: %s", source, strings.Join(data.Notes, "; "))
		}
		return folder, sc, err
	}
	folder, err := openRun(source)
	if err != nil {
		return nil, nil, err
	}
	if s.common.Out == "" {
		sc, err := loadScans(folder)
		return folder, sc, err
	}
	sc, err := loadScene(folder)
	if err == nil {
		folder, err = sc.save(s.common.Out, &folder.Meta)
	}
	return folder, sc, err
}

// A solved is what tracking found.
type solved struct {
	*association.Result
	record record // for printing
}

// trackRun tracks the scene and writes the results into its folder. With an error
// it returns what was found before, or nil. Seconds read are those that reading
// the scene took.
func trackRun(ctx context.Context, s *session, c *command, o *trackOptions, folder *runfolder.Folder, sc *scene, read float64) (*solved, error) {
	began := time.Now()
	opts, err := o.association(&folder.Meta.Scans, s.common.Workers)
	if err != nil {
		return nil, err
	}
	p := &trackProgress{session: s, line: s.startProgress(ctx, "passes", o.passes())}
	opts.Progress = func(step dualascent.Step) { p.set(ctx, step) }
	res, err := o.track(ctx, sc.scans, opts)
	p.line.done()
	if res == nil || res.Tracks == nil && err != nil {
		return nil, trackFault(err)
	}
	if told := estimated(opts, res, folder.Meta.Scans.Unit); told != "" {
		s.note("estimated: %s", told)
	}
	writing := time.Now()
	stale := []string{runfolder.ScoreFile, runfolder.CertificateFile, runfolder.ReportFile, runfolder.PlotsDir}
	if err := folder.Remove(stale...); err != nil {
		return nil, err
	}
	if err := folder.WriteFile(runfolder.TracksFile, func(w io.Writer) error {
		return dataset.WriteTracks(w, res.Tracks)
	}); err != nil {
		return nil, err
	}
	if err := writeCertificate(folder, res, madeBy(o)); err != nil {
		return nil, err
	}
	t := &timings{read: read, write: time.Since(writing).Seconds(), total: read + time.Since(began).Seconds()}
	r := solveRecord(folder, o, res, t)
	if err := writeRecord(folder, runfolder.SolveFile, s, c, append(r[:len(r):len(r)], certifiedField(res), traceField(res),
		field{key: "resolution", value: res.Resolution, unit: folder.Meta.Scans.Unit}, mergesField(res))); err != nil {
		return nil, err
	}
	return &solved{res, r}, trackFault(err)
}

// A trackProgress draws the passes, then the search: how much it has closed of the gap
// that they left, %.
type trackProgress struct {
	*session
	line   *progress
	search bool
	began  float64 // gap at the beginning of the search
}

func (p *trackProgress) set(ctx context.Context, step dualascent.Step) {
	gap := max(0, step.Upper-step.Lower)
	state := fmt.Sprintf("bound %.6g gap %.2g %%", step.Lower, 100*gap/math.Abs(step.Upper))
	if step.Parts == 0 {
		p.line.set(step.Pass, state)
		return
	}
	if !p.search {
		p.line.done()
		p.line, p.search, p.began = p.startProgress(ctx, "closing the gap", 100), true, gap
	}
	closed := 0
	if p.began > 0 {
		closed = int(100 * (p.began - gap) / p.began)
	}
	p.line.set(min(closed, 99), fmt.Sprintf("%s, %d parts searched", state, step.Parts)) // 100 would end the line
}

// track tracks the scans, all together or one after another.
func (o *trackOptions) track(ctx context.Context, scans []mtt.Scan, opts *association.Options) (*association.Result, error) {
	if o.lag < 0 {
		return association.Track(ctx, scans, opts)
	}
	if o.engine != string(association.Dual) || o.cost != string(association.NLL) {
		return nil, usagef("--lag goes with the engine dual and the cost nll, not with %s and %s", o.engine, o.cost)
	}
	return association.Follow(ctx, scans, &association.TrackerOptions{Options: *opts, Lag: unlessWord(o.lag)})
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
func (o *trackOptions) passes() int {
	switch {
	case o.engine == string(association.DualPaper) && o.maxRounds == 0:
		return 100
	case o.engine == string(association.DualPaper):
		return o.maxRounds
	case o.maxRounds == 0:
		return 20
	}
	return 2 * o.maxRounds
}

// solver is the name of the solver that --lap means: auto is ssp, as the problems
// of a scene are sparse, have miss costs and are solved over and over from the
// last prices.
func (o *trackOptions) solver() string {
	if o.lap == "auto" {
		return "ssp"
	}
	return o.lap
}

// association are the options for the engine, with so many workers, and the noise
// levels that are known of the scans.
func (o *trackOptions) association(scans *runfolder.Scans, workers int) (*association.Options, error) {
	solver, err := solverOf(o.solver())
	if err != nil {
		return nil, err
	}
	solver, o.meter = watch(solver)
	opts := &association.Options{
		Cost: association.Cost(o.cost), Engine: association.Engine(o.engine),
		Sigma: o.noise, SigmaV: o.velocityNoise, Accel: o.accel, MaxSpeed: o.maxSpeed,
		Resolution: o.resolution,
		Gate:       o.gate, Cap: o.candidates, Workers: workers, MemoryLimit: o.memoryLimit,
		MaxMisses:      unlessWord(o.maxMisses),
		IgnoreVelocity: o.noVelocity, NoRefine: o.noRefine, Start: o.start,
		Dual: dualascent.Options{MaxRounds: o.maxRounds, Gap: o.gap / 100, NewSolver: solver},
	}
	if opts.Dual.Ascend, err = o.ascend(); err != nil {
		return nil, err
	}
	if !o.estimate {
		opts.Sigma = knownLevel(opts.Sigma, scans.Noise)
		opts.SigmaV = knownLevel(opts.SigmaV, scans.VelocityNoise)
	}
	return opts, nil
}

// knownLevel is the level that was given, or that of the run, or 0 for "estimate
// it".
func knownLevel(given float64, ofRun *float64) float64 {
	if given > 0 || ofRun == nil {
		return given
	}
	return max(*ofRun, association.Exact)
}

// trackFault marks errors of the data and of options that do not suit them.
func trackFault(err error) error {
	for _, known := range []error{association.ErrOptions, gating.ErrGate, gating.ErrTime, gating.ErrNotFinite} {
		if errors.Is(err, known) {
			return badInput(err)
		}
	}
	if large, ok := errors.AsType[*gating.TooLargeError](err); ok {
		return tooLarge(large, err)
	}
	if errors.Is(err, dualascent.ErrInfeasible) {
		return &fault{status: exitInfeasible, err: err}
	}
	return err
}

// timings are the seconds that the command adds to those of the engine.
type timings struct{ read, write, total float64 }

// outcome is what tracking found. Bounds are absent where the engine has none.
func outcome(o *trackOptions, res *association.Result) record {
	status, lower, upper, gap, rounds := "heuristic", math.NaN(), res.Cost, math.NaN(), 0
	if d := res.Dual; d != nil {
		status, upper, gap, rounds = d.Status.String(), d.UpperBound, 100*d.Gap(), d.Rounds
		lower = min(d.LowerBound, upper) // rounding can lift it above
	}
	arcs, triplets := 0, 0
	if res.Instance != nil {
		arcs, triplets = res.Instance.Arcs(), res.Instance.Triplets()
	}
	return record{
		{key: "status", value: status},
		{key: "lower_bound", value: lower, unit: costUnit(o)},
		{key: "upper_bound", value: upper, unit: costUnit(o)},
		{key: "gap_percent", value: gap},
		{key: "rounds", value: rounds},
		{key: "arcs", value: arcs},
		{key: "triplets", value: triplets},
		{key: "tracks", value: len(res.Tracks)},
	}
}

// solveRecord is the outcome as it is printed.
func solveRecord(folder *runfolder.Folder, o *trackOptions, res *association.Result, t *timings) record {
	r := append(record{{key: "run", value: folder.Dir}}, outcome(o, res)...)
	if res.Levels != nil {
		r.add("merged", len(res.Merged))
	}
	r.add("seconds", record{
		{key: "read", value: t.read}, {key: "estimate", value: res.Seconds.Estimate},
		{key: "gate", value: res.Seconds.Gate}, {key: "cost", value: res.Seconds.Cost},
		{key: "solve", value: res.Seconds.Solve}, {key: "write", value: t.write}, {key: "total", value: t.total},
	})
	if o.lag >= 0 {
		r.add("latency_ms", latencyFields(res.Latency))
	}
	r.add("peak_rss_mb", peakMemory())
	r.add("solver", o.solver())
	if o.device != onCPU {
		r.add("device", o.device)
	}
	if res.Dual != nil {
		o.meter.add(&r, len(res.Dual.Trace))
	}
	r.add("engine", o.engine)
	r.add("cost", o.cost)
	return append(r, modelFields(res, folder.Meta.Scans.Unit)...)
}

// certifiedField is the bound that the prices of the certificate prove. What search
// rules out besides is part of lower_bound alone.
func certifiedField(res *association.Result) field {
	bound := math.NaN()
	if d := res.Dual; d != nil {
		bound = min(d.Certified, d.UpperBound)
	}
	return field{key: "certified_bound", value: bound}
}

// latencyFields say how long a step of the tracker takes, ms.
func latencyFields(seconds []float64) record {
	ms := slices.Sorted(slices.Values(seconds))
	for i := range ms {
		ms[i] *= 1000
	}
	if len(ms) == 0 {
		ms = []float64{math.NaN()}
	}
	return record{
		{key: "median", value: ms[len(ms)/2]}, {key: "p99", value: ms[len(ms)*99/100]}, {key: "max", value: ms[len(ms)-1]},
	}
}

// traceField is the trace of the dual ascent: one step for each pass.
func traceField(res *association.Result) field {
	steps := []record{}
	if res.Dual != nil {
		for _, s := range res.Dual.Trace {
			steps = append(steps, record{
				{key: "pass", value: s.Pass}, {key: "lower_bound", value: s.Lower}, {key: "upper_bound", value: s.Upper},
			})
		}
	}
	return field{key: "trace", value: steps}
}

// mergesField lists the merged detections.
func mergesField(res *association.Result) field {
	merges := []record{}
	for _, m := range res.Merged {
		merges = append(merges, record{
			{key: "frame", value: m.Frame}, {key: "det", value: m.Det}, {key: "tracks", value: m.Tracks[:]}, {key: "log_odds", value: m.LogOdds},
		})
	}
	return field{key: "merges", value: merges}
}

// costUnit is the unit of bounds.
func costUnit(o *trackOptions) string {
	if o.cost == string(association.NLL) {
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

// trackedWith are the options that the tracks of a run folder were made with, the
// defaults where that is not known.
func trackedWith(folder *runfolder.Folder) (*trackOptions, error) {
	o := newTrackOptions()
	var file struct {
		Options map[string]any `json:"options"`
	}
	if err := readJSON(folder, runfolder.SolveFile, &file); err != nil {
		return nil, err
	}
	for _, option := range o.bind() {
		if v, ok := file.Options[option.name]; ok {
			if err := option.set(fmt.Sprint(v)); err != nil {
				return nil, badInput(fmt.Errorf("%s: option %s: %w", folder.Path(runfolder.SolveFile), option.name, err))
			}
		}
	}
	return o, nil
}

// tracksOf reads the tracks of a run folder, tracking its scene first, with the
// defaults, when there are none yet.
func tracksOf(ctx context.Context, s *session, folder *runfolder.Folder, sc *scene) ([]mtt.Track, error) {
	if !folder.Has(runfolder.TracksFile) {
		s.note("%s has no tracks yet: tracking it with the defaults", folder.Dir)
		c, o := bindTrack()
		if _, err := trackRun(ctx, s, c, o, folder, sc, 0); err != nil {
			return nil, err
		}
	}
	return loadTracks(folder.Path(runfolder.TracksFile))
}
