package association

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"mtt"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
)

// This file defines Track, the way from scans to tracks.

// A Result is what Track found, and how.
type Result struct {
	Tracks []mtt.Track
	Plain  []mtt.Track // before the refinement; Tracks where there was none

	Instance *Instance          // nil for GNN
	Dual     *dualascent.Result // nil for Forward and GNN
	Cost     float64            // of the assignment, under the model; NaN for GNN

	Model     costgen.Model
	Levels    *costgen.Levels // noise levels and rates, given or estimated; nil unless the model is Gaussian
	Estimated []string        // names of the levels that were estimated
	Gate      gating.Gate
	Cap       int     // arcs kept for each row and column; 0: all
	MaxSpeed  float64 // m/s
	Coasts    bool    // whether misses are part of the model
	Left      int     // links over misses that could make a better answer still, and the instance lacks

	Merged     []Merged // detections that stand for two targets; of Gaussian models, and of Follow when it came to its end
	Resolution float64  // m: below it two targets have one detection, given or estimated; 0: nothing speaks for one

	Seconds Seconds
	Latency []float64 // s, of each step after the levels were learnt; of Follow only
}

// Seconds are wall-clock times.
type Seconds struct {
	Estimate, Gate, Cost, Solve float64
}

// Track finds which detections belong together. Scans must be in order of
// time. Where opts does not say, noise levels and rates are estimated from the
// data: a pilot run with the parameter-free cost on part of the scans gives tracks, the
// tracks give the levels.
//
// When ctx ends the best tracks so far come back with an error that wraps
// ctx.Err(), once there are any.
func Track(ctx context.Context, scans []mtt.Scan, opts *Options) (*Result, error) {
	scans, tk, err := begin(scans, opts)
	if err != nil {
		return nil, err
	}
	res, err := tk.prepare(ctx, scans)
	if err != nil {
		return nil, err
	}
	err = tk.run(ctx, scans, res)
	tk.explain(scans, res)
	return res, err
}

// Build is Track without the solving: the model, the gate and the priced
// instance that Track would solve. The engine must be one that has an instance.
func Build(ctx context.Context, scans []mtt.Scan, opts *Options) (*Result, error) {
	scans, tk, err := begin(scans, opts)
	if err != nil {
		return nil, err
	}
	res, err := tk.prepare(ctx, scans)
	if err != nil {
		return nil, err
	}
	return res, tk.build(ctx, scans, res)
}

// begin checks options and scans, and drops velocities that are not to be read.
func begin(given []mtt.Scan, opts *Options) (scans []mtt.Scan, tk *tracker, err error) {
	if opts == nil {
		opts = &Options{}
	}
	o := *opts
	if err := o.defaults(); err != nil {
		return nil, nil, err
	}
	if err := check(given); err != nil {
		return nil, nil, err
	}
	scans = slices.Clone(given)
	if o.IgnoreVelocity || !measured(scans) {
		for t := range scans {
			scans[t].Vel = nil
		}
	}
	if (o.Cost == Paper && o.Model == nil) && !measured(scans) {
		return nil, nil, fmt.Errorf("association: %w: the paper's cost needs measured velocities", ErrOptions)
	}
	return scans, &tracker{Options: o}, nil
}

// A tracker holds the options while Track works.
type tracker struct {
	Options
	pilot bool // estimating: few rounds, on part of the scans

	leaper *leaper // finds links over misses; nil: there are none

	refined *costgen.Levels    // of the refinement; nil: there was none
	done    *dualascent.Result // of a pilot's instance, which generate has solved already; nil: it has not

	gated struct { // what was gated last, without a cap
		gate     gating.Gate
		gates    []gating.CSR
		triplets int
	}
}

// build gates and prices the scans with what res says about the model.
func (k *tracker) build(ctx context.Context, scans []mtt.Scan, res *Result) error {
	began := time.Now()
	gates, err := k.gateAll(ctx, scans, res)
	if err != nil {
		return err
	}
	res.Seconds.Gate += time.Since(began).Seconds()
	began = time.Now()
	misses := k.passed(res)
	var leaps []leap
	if k.Start != nil && !k.pilot && misses > 0 {
		leaps = k.Start.leaps(scans)
	}
	res.Instance = newInstance(scans, gates, leaps, res.Model)
	if misses > 0 {
		k.leaper = &leaper{gate: res.Gate, limit: res.Cap, misses: misses, workers: k.Workers, rough: k.pilot}
		err = k.generate(ctx, res)
	}
	res.Seconds.Cost += time.Since(began).Seconds()
	return err
}

// run builds the instance, solves it and refines the tracks.
func (k *tracker) run(ctx context.Context, scans []mtt.Scan, res *Result) error {
	if k.Engine == GNN {
		began := time.Now()
		res.Tracks = nearest(scans, res, gnnMisses(k.MaxMisses)).tracks(scans, len(scans) == 1)
		res.Plain, res.Cost = res.Tracks, math.NaN()
		res.Seconds.Solve += time.Since(began).Seconds()
		return nil
	}
	if err := k.build(ctx, scans, res); err != nil {
		return err
	}
	began := time.Now()
	defer func() { res.Seconds.Solve += time.Since(began).Seconds() }()
	next, err := k.solve(ctx, res)
	if next == nil {
		if err == nil {
			err = dualascent.ErrInfeasible
		}
		return err
	}
	c := res.Instance.chainsOf(next)
	single := res.Instance.single()
	res.Tracks = c.tracks(scans, single)
	res.Plain = res.Tracks
	if res.Levels != nil && !k.NoRefine && err == nil {
		levels := *res.Levels
		k.refined = &levels
		sweeps, misses := 8, longest
		if k.pilot {
			sweeps, misses = 2, longest/5
		}
		switch {
		case !res.Coasts:
			misses = 0
		case k.MaxMisses != auto:
			misses = k.MaxMisses
		default:
			misses = worthwhile(&levels, max(0, min(misses, len(scans)-2)))
		}
		if _, err = c.refine(ctx, scans, res.Instance.Gates, &costgen.Gaussian{Levels: levels}, misses, res.MaxSpeed, sweeps, k.Workers); err == nil {
			res.Tracks = c.tracks(scans, single)
		}
	}
	return err
}

// explain finds out which misses of the tracks are merged detections.
func (k *tracker) explain(scans []mtt.Scan, res *Result) {
	levels := cmp.Or(k.refined, res.Levels)
	if levels == nil {
		return
	}
	began := time.Now()
	res.Merged, res.Resolution = findMerged(scans, res.Tracks, levels, k.Resolution)
	res.Seconds.Solve += time.Since(began).Seconds()
}

// solve runs the engine; next is nil when there is no answer.
func (k *tracker) solve(ctx context.Context, res *Result) (next [][]int32, err error) {
	if k.Engine == Forward {
		next, res.Cost, err = dualascent.Greedy(ctx, &res.Instance.Dual)
		return next, err
	}
	o := k.Dual
	o.Progress, o.Workers = k.Progress, k.Workers
	switch k.Engine {
	case DualPaper:
		o.Scheme = dualascent.Parallel
	case DualExact:
		o.Effort = math.Inf(1)
	}
	if k.pilot {
		o = k.quick()
	}
	d, err := k.ascend(ctx, res, &o)
	if d == nil {
		return nil, err
	}
	if !k.pilot {
		res.Dual = d
	}
	res.Cost = d.UpperBound
	return d.Next, err
}
