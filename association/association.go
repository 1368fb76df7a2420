package association

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"mtt"
	"mtt/association/chain"
	"mtt/association/gnn"
	"mtt/association/instance"
	"mtt/association/learn"
	"mtt/association/merged"
	"mtt/association/refine"
	"mtt/association/smooth"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/motion"
)

// This file defines Track, the way from scans to tracks.

// A Result is what Track found, and how.
type Result struct {
	Tracks []mtt.Track
	Plain  []mtt.Track  // before the refinement; Tracks where there was none
	States []mtt.States // of each of Tracks, given all its detections; nil unless the model is Gaussian

	Instance *instance.Instance // nil for GNN
	Dual     *dualascent.Result // nil for Greedy and GNN
	Cost     float64            // of the assignment, under the model; NaN for GNN

	Model      costgen.Model
	Levels     *costgen.Levels // noise levels and rates, given or estimated; nil unless the model is Gaussian
	Gate       gating.Gate
	Cap        int                // arcs kept for each row and column; 0: all
	Unbelieved string             // what is wrong with measured velocities, which are left unread, or read through Levels.VelMap; "": nothing, or there are none
	Shaped     float64            // nat: by how much Levels.Cov, with Blur or without, or Polar is likelier than noise that is the same along all directions and in all scans; 0: it was given, or there is none
	Changed    float64            // nat: by how much likelier all that was detected is under Levels than under Options.Before, see [learn.Model]; 0: there were none
	Moved      float64            // nat: by how much Levels.Shifts are likelier than a sensor that stands still; 0: they were given, or there are none
	Motions    []learn.Likelihood // of the motions that were compared, the one that was chosen first; nil: none were
	MaxSpeed   float64            // m/s
	Coasts     bool               // whether misses are part of the model
	Left       int                // links over misses that could make a better answer still, and the instance lacks

	Margins *dualascent.Margins // of the assignment; nil unless Options.Margins asks for them

	Merged     []merged.Pair // detections that stand for two targets; of Gaussian models
	Resolution float64       // m: below it two targets have one detection, given or estimated; 0: nothing speaks for one

	// Evidence says of each of Tracks by how many nats its detections are likelier to be of one
	// target than all to be false alarms; nil unless Options.MinEvidence asks for it.
	Evidence []float64
	Weak     int // tracks that had less than that, and were dropped

	LeftOut  int      // detections in no track
	Warnings []string // why the answer may not be right, one sentence each

	Seconds Seconds

	scans []mtt.Scan // that were tracked
	weak  int        // detections of tracks that were dropped

	prices []dualascent.Prices // of a pilot
}

// Seconds are wall-clock times.
type Seconds struct {
	Estimate, Gate, Cost, Solve, Margins float64
}

// Forget drops the costs of Instance and the prices of Dual.
func (r *Result) Forget() {
	r.Instance.Forget()
	r.Dual.Prices = nil
}

// Start is where a run that goes on from r starts; nil when r has no prices. It
// shares the memory of r.
func (r *Result) Start() *instance.Start { return instance.NewStart(r.Instance, r.Dual) }

// Track finds which detections belong together. Scans must be in order of
// time. Where opts does not say, noise levels and rates are estimated from the
// data: a pilot run with the parameter-free cost on part of the scans gives tracks, the
// tracks give the levels.
//
// When ctx ends the best tracks so far come back with an error that wraps
// ctx.Err(), once there are any; Warnings, Merged and States may be missing then.
func Track(ctx context.Context, scans []mtt.Scan, opts *Options) (*Result, error) {
	scans, r, err := begin(scans, opts)
	if err != nil {
		return nil, err
	}
	res, err := r.prepare(ctx, scans)
	if err != nil {
		return nil, err
	}
	given := scans
	scans = res.read(scans)
	if err = r.track(ctx, scans, res); err == nil && r.Learnt != nil {
		r.Learnt(res)
	}
	if r.MinEvidence > 0 {
		res.dropWeak(scans, r.MinEvidence)
	}
	res.Conclude(ctx, scans, &r.Options)
	if levels := res.Levels; levels != nil {
		began := time.Now()
		if err == nil && !r.seldom(res) { // where a miss is the usual nothing is explained by one
			res.Merged, res.Resolution, err = merged.Find(ctx, scans, res.Tracks, levels, r.Resolution)
		}
		if levels.Shifts != nil {
			Place(res.Tracks, given)
			Place(res.Plain, given)
		}
		res.Seconds.Solve += time.Since(began).Seconds()
	}
	return res, wrap(err)
}

// read are scans as the model has them: with the noise that it tells, and without velocities that
// it leaves unread.
func (r *Result) read(scans []mtt.Scan) []mtt.Scan {
	if r.Unbelieved != "" && r.Levels.PositionsOnly {
		scans = learn.WithoutVelocities(scans)
	}
	return r.Levels.Told(scans)
}

// Place sets the positions of tracks to those of their detections.
func Place(tracks []mtt.Track, scans []mtt.Scan) {
	for i := range tracks {
		tr, t := &tracks[i], 0
		for h, hit := range tr.Hits {
			for scans[t].Frame < hit.Frame {
				t++
			}
			copy(tr.At(h), scans[t].At(hit.Det))
		}
	}
}

// dropWeak drops tracks of less than the least evidence, and numbers the others anew.
func (r *Result) dropWeak(scans []mtt.Scan, least float64) {
	began := time.Now()
	found := r.Tracks
	r.Tracks, r.Evidence = nil, nil
	for i, nats := range refine.Evidence(found, scans, r.Model.(costgen.Leveled)) {
		if nats < least {
			r.Weak++
			r.weak += len(found[i].Hits)
			continue
		}
		tr := found[i]
		tr.ID = len(r.Tracks) + 1
		r.Tracks, r.Evidence = append(r.Tracks, tr), append(r.Evidence, nats)
	}
	r.Seconds.Solve += time.Since(began).Seconds()
}

// Smooth is States in less memory, made by so many workers, 0: one for each processor, or the error
// of ctx; nil unless the model is Gaussian. It needs neither Instance nor Dual.
func (r *Result) Smooth(ctx context.Context, workers int) (*smooth.Series, error) {
	if r.Levels == nil {
		return nil, nil
	}
	return smooth.TracksContext(ctx, r.scans, r.Tracks, r.Levels, workers)
}

// Conclude sets what follows from the tracks of scans: States, LeftOut and Warnings, of which some
// are missing when ctx ends.
func (r *Result) Conclude(ctx context.Context, scans []mtt.Scan, opts *Options) {
	began := time.Now()
	if r.scans = scans; !opts.NoStates && r.Levels != nil {
		if states, err := r.Smooth(ctx, opts.Workers); err == nil {
			r.States = states.States(opts.Workers)
		}
	}
	r.Warnings, r.LeftOut = r.doubts(ctx, scans, nil, opts)
	r.Seconds.Solve += time.Since(began).Seconds()
}

// Build is Track without the solving: the model, the gate and the priced
// instance that Track would solve. The engine must be one that has an instance.
func Build(ctx context.Context, scans []mtt.Scan, opts *Options) (*Result, error) {
	scans, r, err := begin(scans, opts)
	if err != nil {
		return nil, err
	}
	if r.Engine == GNN {
		return nil, fmt.Errorf("association: %w: the engine %s has no instance", ErrOptions, GNN)
	}
	res, err := r.prepare(ctx, scans)
	if err != nil {
		return nil, err
	}
	_, err = r.build(ctx, res.read(scans), res)
	return res, wrap(err)
}

// Learn is Build without an instance: levels, gate and speed. Tracks of its levels are
// those of Track.
func Learn(ctx context.Context, scans []mtt.Scan, opts *Options) (*Result, error) {
	scans, r, err := begin(scans, opts)
	if err != nil {
		return nil, err
	}
	return r.prepare(ctx, scans)
}

// LearnWhole adds to r, a result of [Learn] with the same options, what Track, in refining tracks of
// scans, learns of whole ones, [costgen.Levels.Whole]: how targets turn or accelerate for some time,
// and which detections are farther off than most; and these Tracks. It takes as long as Track, and
// does nothing where levels are given, or a model without.
func (r *Result) LearnWhole(ctx context.Context, scans []mtt.Scan, opts *Options) error {
	scans, k, err := begin(scans, opts)
	if err != nil || r.Levels == nil || k.known() != nil {
		return err
	}
	tracked := *r // what else there is of tracks is of no use
	err = k.track(ctx, r.read(scans), &tracked)
	r.Tracks = tracked.Tracks
	return wrap(err)
}

// Foresee returns the [*gating.TooLargeError] that Track would for a gate that was asked for and
// keeps, by a sample, at least twice what [Options.MemoryLimit] allows; see [gating.Foresee]. It
// serves those who copy scans before they track them.
func Foresee(ctx context.Context, scans []mtt.Scan, opts *Options) error {
	scans, r, err := begin(scans, opts)
	if err != nil {
		return err
	}
	return wrap(r.foresee(ctx, scans))
}

// begin checks options and scans, and drops velocities that are not to be read.
func begin(given []mtt.Scan, opts *Options) (scans []mtt.Scan, r *run, err error) {
	if opts == nil {
		opts = &Options{}
	}
	o := *opts
	if err := o.complete(); err != nil {
		return nil, nil, err
	}
	if err := mtt.ValidateAll(given); err != nil {
		return nil, nil, wrap(err)
	}
	scans = given
	if o.IgnoreVelocity || o.Motion == motion.Model(motion.Walk{}) || o.known() != nil && o.known().PositionsOnly || !learn.Velocities(scans) {
		if slices.ContainsFunc(given, func(s mtt.Scan) bool { return s.Vel != nil || s.VelCov != nil }) {
			scans = learn.WithoutVelocities(given)
		}
	}
	if err := o.suit(scans); err != nil {
		return nil, nil, err
	}
	if o.MaxMisses != auto {
		o.MaxMisses = min(o.MaxMisses, max(1, len(scans)-2)) // no more lie between two detections; 0 would say that nothing is missed
	}
	return scans, &run{Options: o}, nil
}

// A run holds the options while Track works.
type run struct {
	Options
	pilot bool    // learning: few rounds, on part of the scans
	sum   bool    // of a pilot: the cost is of all ways to join the detections together
	share float64 // of a pilot: of the triplets that one keeps at most; 0: all
	gated gated

	listed listing
}

// A listing is the tracks that were listed last while they were refined, and the links that they are of.
type listing struct {
	links  *chain.Links
	tracks []mtt.Track
}

// of lists the tracks of links. Those that stay as they were when it was asked last share memory.
func (l *listing) of(links *chain.Links, scans []mtt.Scan, single bool) []mtt.Track {
	tracks := links.TracksSince(l.links, l.tracks, scans, single)
	l.links, l.tracks = links.Clone(), tracks
	return tracks
}

// prepare settles the model, the gate and the speed: given, or learnt.
func (r *run) prepare(ctx context.Context, scans []mtt.Scan) (*Result, error) {
	began := time.Now()
	if err := r.foresee(ctx, scans); err != nil {
		return nil, wrap(err)
	}
	m, err := learn.Learn(ctx, scans, &learn.Options{
		Levels: r.known(), Sigma: r.Sigma, SigmaV: r.SigmaV, Accel: r.Accel, MaxSpeed: r.MaxSpeed, Rates: r.Rates, Motion: r.Motion, Sensors: r.Sensors,
		Gate: r.Gate, Cost: r.cost(), NoMisses: r.MaxMisses == 0, NoEchoes: r.Engine == GNN, FixedSensor: r.FixedSensor, Isotropic: r.Isotropic, Hasty: r.Hasty, Open: r.Open, Before: r.Before,
		Spent: r.Spent, Fitted: r.fitted, Sought: r.sought,
	}, r)
	if err != nil {
		return nil, wrap(err)
	}
	switch g, _ := m.Cost.(*costgen.Gaussian); {
	case r.Wrap != nil:
		m.Cost = r.Wrap(g)
	case g != nil && r.Cost == TPMB:
		m.Cost = costgen.NewTrajectoryPMB(g, scans)
	case g != nil && r.Model != nil:
		m.Cost = r.Model
	}
	return &Result{
		Model: m.Cost, Levels: m.Levels, Gate: m.Gate, Changed: m.Changed, Moved: m.Moved, Unbelieved: m.Unbelieved, Shaped: m.Shaped, Motions: m.Motions, MaxSpeed: m.MaxSpeed, Coasts: m.Coasts,
		Seconds: Seconds{Estimate: time.Since(began).Seconds()},
	}, nil
}

// fitted tells that levels were fitted to so many hits, with manoeuvres or without.
func (r *run) fitted(hits int, turning bool) {
	switch {
	case r.Piloted == nil:
	case turning:
		r.Piloted(Work{Turning: hits})
	default:
		r.Piloted(Work{Hits: hits})
	}
}

// sought tells what looking for manoeuvres took.
func (r *run) sought(hits int) {
	if r.Piloted != nil {
		r.Piloted(Work{Sought: hits})
	}
}

// Track implements [learn.Pilot]. The cost is that of whole tracks where they were refined.
func (r *run) Track(ctx context.Context, scans []mtt.Scan, m *learn.Model) (tracks []mtt.Track, cost float64, err error) {
	return r.inPilot(ctx, scans, m, false)
}

// Sum implements [learn.Pilot]. What all other ways add to the best one is that of the assignment problem.
func (r *run) Sum(ctx context.Context, scans []mtt.Scan, m *learn.Model) (tracks []mtt.Track, cost float64, err error) {
	return r.inPilot(ctx, scans, m, true)
}

func (r *run) inPilot(ctx context.Context, scans []mtt.Scan, m *learn.Model, sum bool) (tracks []mtt.Track, cost float64, err error) {
	p := &run{Options: r.Options, pilot: true, sum: sum, share: m.Share}
	p.Engine, p.NoRefine = Dual, m.Levels == nil
	res := &Result{Model: m.Cost, Levels: m.Levels, Gate: m.Gate, MaxSpeed: m.MaxSpeed, Coasts: m.Coasts}
	err = p.track(ctx, scans, res)
	return res.Tracks, res.Cost, err
}

// build gates and prices the scans with what res says about the model.
func (r *run) build(ctx context.Context, scans []mtt.Scan, res *Result) (*instance.Generator, error) {
	began, known := time.Now(), r.gated
	gates, err := r.gateAll(ctx, scans, res)
	if err != nil {
		return nil, err
	}
	res.Seconds.Gate += time.Since(began).Seconds()
	if !r.pilot && len(gates) > 0 && len(known.gates) > 0 && &gates[0] == &known.gates[0] { // made while learning
		res.Seconds.Gate += known.seconds
		res.Seconds.Estimate -= known.seconds
	}
	if r.pilot && r.Piloted != nil {
		r.Piloted(Work{Triplets: gating.Count(gates).Triplets})
	}
	began = time.Now()
	k := r.generator(scans, res)
	if !r.pilot {
		k.Start = r.Start
	}
	res.Instance, err = k.Build(ctx, scans, gates, res.Model)
	res.Seconds.Cost += time.Since(began).Seconds()
	return k, err
}

// generator poses the problem of scans with what res says about the model.
func (r *run) generator(scans []mtt.Scan, res *Result) *instance.Generator {
	k := &instance.Generator{Gate: res.Gate, K: res.Cap, Misses: r.passed(scans, res), Workers: r.Workers, Rough: r.pilot}
	if !r.pilot && r.Engine == Dual && r.Start == nil && !r.Margins && !r.NoRefine && res.Levels != nil {
		// Of a long recording the problem is solved once: links over misses that are left after that
		// save next to nothing, and the refinement, which takes less time, finds them as well.
		k.Lean = len(excerpts(scans)) > 0
	}
	if k.Misses > 0 && res.Levels != nil && res.Levels.Sensing != nil {
		k.Scans = learn.Between(scans)
	}
	if k.Misses > learn.Deepest && r.MaxMisses == auto {
		k.Spare = k.Misses * detections(scans) // as many coast nodes has one link of each
	}
	return k
}

// Windows says how Track poses and solves the problem of scans with what r, a result of [Learn]
// with the same options, knows of the model: for who does it in windows of time. The scans are
// the first of them; whether arcs are capped, which Track lets their number decide, is decided
// as if they were many. The engine must be one that has bounds.
func (r *Result) Windows(scans []mtt.Scan, opts *Options) (*instance.Generator, *dualascent.Options, error) {
	o := *opts
	if err := o.complete(); err != nil {
		return nil, nil, err
	}
	if o.Engine != Dual && o.Engine != Exact {
		return nil, nil, fmt.Errorf("association: %w: windows of time need the engine %s or %s, not %s", ErrOptions, Dual, Exact, o.Engine)
	}
	p := &run{Options: o}
	if r.Cap = max(0, o.Cap); o.Cap == 0 && o.Gate == nil {
		r.Cap = crowdedCap
	}
	return p.generator(scans, r), p.dual(), nil
}

// mostly is how many times the usual number of misses a pilot lets links pass over: seven
// detections of eight come within them, and those of targets that report at even times, whose rates
// are begun with as if they did at any, do nearly all.
const mostly = 3

// passed is the number of misses in a row that a link of the assignment problem
// may pass over.
func (r *run) passed(scans []mtt.Scan, res *Result) int {
	switch {
	case !res.Coasts:
		return 0
	case res.Levels == nil:
		return 1
	case r.pilot && r.seldom(res):
		return 1 // whole tracks begin by themselves
	case r.pilot:
		return max(1, learn.Turns(&res.Levels.Rates), min(learn.Deep(scans, &res.Levels.Rates), mostly*learn.Usual(&res.Levels.Rates)))
	case res.Levels.Sensing != nil && r.MaxMisses == auto:
		return learn.Deepest
	case r.MaxMisses != auto:
		return r.MaxMisses
	case r.seldom(res):
		return learn.Deepest
	}
	return max(1, learn.Worthwhile(res.Levels, learn.Deep(scans, &res.Levels.Rates), res.Levels.Rates.MissRun))
}

// track builds the instance, solves it and refines the tracks.
func (r *run) track(ctx context.Context, scans []mtt.Scan, res *Result) error {
	if r.Engine == GNN {
		return r.nearest(ctx, scans, res)
	}
	k, err := r.build(ctx, scans, res)
	if err != nil {
		return err
	}
	began := time.Now()
	defer func() { res.Seconds.Solve += time.Since(began).Seconds() }()
	next, err := r.solve(ctx, k, res)
	if next == nil {
		return cmp.Or(err, dualascent.ErrInfeasible)
	}
	if r.Margins && res.Dual != nil && err == nil {
		if err = r.margins(ctx, res); err != nil {
			return err
		}
		next = res.Dual.Next
	}
	if res.Levels == nil || r.NoRefine || err != nil {
		res.Tracks = res.Instance.Links(next).Tracks(scans, res.Instance.Single())
		res.Plain = res.Tracks
		return err
	}
	if r.Solved != nil && res.Dual != nil {
		r.Solved(res)
	}
	collect(scans)
	links := res.Instance.Links(next)
	err = r.refine(ctx, scans, res, links)
	if collect(scans); err == nil {
		res.Tracks = links.TracksSince(r.listed.links, r.listed.tracks, scans, res.Instance.Single())
		r.listed = listing{}
	}
	if r.pilot && err == nil {
		others := 0.0
		if r.sum {
			if others, err = dualascent.FreeEnergy(ctx, &res.Instance.Dual, res.prices, r.Workers); err != nil {
				return err
			}
			others -= res.Cost
		}
		res.Cost = refine.Price(links, scans, res.Model.(costgen.Leveled)) + others
		return nil
	}
	// Only now: the refinement wants much memory.
	res.Plain = res.Instance.Links(next).TracksSince(links, res.Tracks, scans, res.Instance.Single())
	if err != nil {
		res.Tracks = res.Plain
	}
	return err
}

// margins looks for the margins of the assignment, and improves it where they say how.
func (r *run) margins(ctx context.Context, res *Result) (err error) {
	began := time.Now()
	steps := dualascent.MarginOptions{Workers: r.Workers, NewSolver: r.Dual.NewSolver}
	res.Margins, err = dualascent.SettledMargins(ctx, &res.Instance.Dual, res.Dual, &steps)
	res.Cost = res.Dual.UpperBound
	res.Seconds.Margins = time.Since(began).Seconds()
	res.Seconds.Solve -= res.Seconds.Margins
	return err
}

// collect makes room between steps of which each takes as much memory as all detections do many times over:
// the collector, left alone, would look for garbage only when the next has asked for a part of its own.
func collect(scans []mtt.Scan) {
	const many = 20_000 // detections
	if detections(scans) >= many {
		runtime.GC()
	}
}

// nearest runs the engine GNN.
func (r *run) nearest(ctx context.Context, scans []mtt.Scan, res *Result) error {
	began := time.Now()
	misses := r.MaxMisses
	switch {
	case !res.Coasts:
		misses = 0
	case misses == auto:
		misses = 3 // as it looks one scan ahead only
	}
	links, err := gnn.Links(ctx, scans, res.Levels, &gnn.Options{Misses: misses, Speed: res.MaxSpeed})
	res.Tracks = links.Tracks(scans, len(scans) == 1)
	res.Plain, res.Cost = res.Tracks, math.NaN()
	res.Seconds.Solve += time.Since(began).Seconds()
	return err
}

// solve runs the engine; next is nil when there is no answer.
func (r *run) solve(ctx context.Context, k *instance.Generator, res *Result) (next [][]int32, err error) {
	if r.Engine == Greedy {
		next, res.Cost, err = dualascent.Greedy(ctx, &res.Instance.Dual)
		return next, err
	}
	inst, d, left, err := k.Solve(ctx, res.Instance, r.dual())
	res.Instance, res.Left = inst, left
	if d == nil {
		return nil, err
	}
	if r.pilot {
		res.prices = d.Prices
	} else {
		res.Dual = d
	}
	res.Cost = d.UpperBound
	return d.Next, err
}

// dual are the options of the dual ascent.
func (r *run) dual() *dualascent.Options {
	o := r.Dual
	o.Workers = r.Workers
	switch r.Engine {
	case DualPaper:
		o.Scheme = dualascent.Parallel
	case Exact:
		o.Effort = math.Inf(1)
	}
	return &o
}

// refine improves the links by the likelihood of whole tracks.
func (r *run) refine(ctx context.Context, scans []mtt.Scan, res *Result, links *chain.Links) error {
	o := refine.Options{Misses: longest, Speed: res.MaxSpeed, Sweeps: 8, Workers: r.Workers}
	several := learn.Deepest
	if r.pilot && r.Piloted != nil {
		o.Weighed = func(pairs int) { r.Piloted(Work{Pairs: pairs}) }
	}
	if r.pilot {
		o.Misses, o.Sweeps, several = max(longest/5, mostly*learn.Usual(&res.Levels.Rates)), 2, 1
	}
	if o.Seldom = r.seldom(res); o.Seldom {
		o.Misses = len(scans) // as long as it pays
	}
	switch {
	case !res.Coasts:
		o.Misses = 0
	case r.MaxMisses != auto:
		o.Misses = r.MaxMisses
	case res.Levels.Sensing != nil:
		o.Misses = max(0, min(learn.Over(several, learn.Between(scans)), len(scans)-2))
	default:
		o.Misses = learn.Worthwhile(res.Levels, max(0, min(o.Misses, len(scans)-2)), res.Levels.LeastRuns())
	}
	_, err := refine.Links(ctx, links, scans, res.Instance.Gates, res.Model.(costgen.Leveled), &o)
	if between := r.between(scans, res); err == nil && between > 0 && !o.Seldom {
		err = r.restart(ctx, scans, res, links, between, &o)
	}
	parts := excerpts(scans)
	for _, more := range [...]refining{(*run).lasting, (*run).steered, (*run).outliers, (*run).jumps} {
		if err == nil {
			err = r.tried(ctx, more, parts, scans, res, links, &o)
		}
	}
	return err
}

// seldom reports whether targets are seen in so few scans that whole tracks are made of what lies
// near, not of what the assignment problem finds.
func (r *run) seldom(res *Result) bool {
	return res.Coasts && res.Levels != nil && res.Levels.Sensing == nil && res.Levels.PositionsOnly && r.MaxMisses == auto && learn.Seldom(&res.Levels.Rates)
}

// between is over how many scans links mostly pass that do not see their targets: those of other
// sensors, or where a sensor looks elsewhere by turns. The ascent leaves a gap there, as a link
// over scans shares no assignment problem with the others of its head.
func (r *run) between(scans []mtt.Scan, res *Result) int {
	switch {
	case r.Engine != Dual && r.Engine != Exact:
		return 0
	case res.Levels.Sensing == nil:
		return learn.Turns(&res.Levels.Rates)
	case r.pilot:
		return 0
	}
	return learn.Between(scans)
}

// restart refines other links as well, and takes those with which whole tracks are likeliest: nearest
// neighbours, and what a window finds that goes along with the scans.
func (r *run) restart(ctx context.Context, scans []mtt.Scan, res *Result, links *chain.Links, between int, o *refine.Options) error {
	model := res.Model.(costgen.Leveled)
	best := refine.Price(links, scans, model)
	along := *o
	along.Between = between
	for _, start := range []func() (*chain.Links, error){
		func() (*chain.Links, error) {
			return gnn.Links(ctx, scans, res.Levels, &gnn.Options{Misses: o.Misses, Speed: res.MaxSpeed})
		},
		func() (*chain.Links, error) {
			return refine.Along(ctx, scans, model, res.Gate, 4*(1+along.Between), &along)
		},
	} {
		other, err := start()
		if err != nil {
			return err
		}
		if _, err := refine.Links(ctx, other, scans, res.Instance.Gates, model, o); err != nil {
			return err
		}
		if price := refine.Price(other, scans, model); price < best {
			*links, best = *other, price
		}
	}
	return nil
}

// wrap says which package failed.
func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("association: %w", err)
}
