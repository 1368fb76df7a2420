package pmbm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"mtt"
	"mtt/motion"
)

// This file holds the Filter: its options, its state between scans, and the
// order of work in a step.

// Options steer a filter. But for the model, the zero value is good.
type Options struct {
	Model

	// Gate is the squared Mahalanobis distance below which a detection may
	// belong to a target; 0: 20, which loses 4.5·10⁻⁵ of the true ones in the
	// plane.
	Gate float64

	// Hypotheses is the number of global hypotheses that a cluster keeps; 0: 200.
	Hypotheses int

	// Whole keeps one table of global hypotheses for all tracks, not one for each
	// cluster, cuts nothing, and merges only when MergeDistance is given: the filter
	// as it was published.
	Whole bool

	// What is pruned after each update: global hypotheses with a weight below
	// MinWeight (0: 1e-4), tracks whose probability of existence is below
	// MinExistence (0: 1e-5), Gaussians of undetected targets with a weight below
	// MinIntensity (0: 1e-5). Negative: none.
	MinWeight, MinExistence, MinIntensity float64

	// MergeDistance is the squared Mahalanobis distance below which hypotheses of a
	// track are merged; 0: 0.01, a tenth of a standard deviation, or none with
	// Whole. Negative: none.
	MergeDistance float64

	// Recycle is the probability of existence, over all hypotheses, below which a
	// track is returned to the undetected targets. 0: never.
	Recycle float64

	// SplitTolerance is the total variation up to which a cluster's table counts
	// as a product; 0: 1e-3, ten times MinWeight. Negative: rounding only.
	SplitTolerance float64

	// Crowd is the number of tracks with a choice from which on unlikely links are
	// cut before clusters are joined; 0: 12. Negative: nothing is cut.
	Crowd int

	Estimator Estimator // 0: BestHypothesis

	// Threshold is the probability of existence above which BestHypothesis
	// reports a target; 0: 0.4.
	Threshold float64

	// Workers is the number of goroutines that update clusters; 0: one. It does
	// not change the result.
	Workers int

	// Observe, when not nil, is told of every assignment problem: those of global
	// hypotheses and, after each, the cells of its partition by Murty, of which
	// then all are solved (see Posed). It costs time and leaves the result as it is
	// but for hypotheses whose weight is within rounding of MinWeight.
	Observe func(*Posed) error
}

// complete checks o and fills in the defaults.
func (o *Options) complete() error {
	if err := o.Model.complete(); err != nil {
		return err
	}
	if o.Whole && o.MergeDistance == 0 {
		o.MergeDistance = -1
	}
	for _, f := range []struct {
		name    string
		value   *float64
		usual   float64
		signed  bool // negative means 0
		atMost1 bool
	}{
		{"Gate", &o.Gate, 20, false, false},
		{"MinWeight", &o.MinWeight, 1e-4, true, true},
		{"MinExistence", &o.MinExistence, 1e-5, true, true},
		{"MinIntensity", &o.MinIntensity, 1e-5, true, false},
		{"MergeDistance", &o.MergeDistance, 0.01, true, false},
		{"Recycle", &o.Recycle, 0, false, true},
		{"SplitTolerance", &o.SplitTolerance, 1e-3, true, true},
		{"Threshold", &o.Threshold, 0.4, false, true},
	} {
		x := *f.value
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0) || x < 0 && !f.signed || f.atMost1 && x > 1:
			return fmt.Errorf("pmbm: %w: %s is %v", ErrModel, f.name, x)
		case x == 0:
			*f.value = f.usual
		case x < 0:
			*f.value = 0
		}
	}
	switch {
	case o.Hypotheses < 0:
		return fmt.Errorf("pmbm: %w: Hypotheses is %d; want 1 or more", ErrModel, o.Hypotheses)
	case o.Hypotheses == 0:
		o.Hypotheses = 200
	}
	if o.Crowd == 0 {
		o.Crowd = 12
	}
	if o.Estimator == 0 {
		o.Estimator = BestHypothesis
	}
	if o.Estimator < BestHypothesis || o.Estimator > BestFixedCount {
		return fmt.Errorf("pmbm: %w: Estimator is %d; want 1 to 3", ErrModel, o.Estimator)
	}
	return nil
}

// A Filter tracks targets from scan to scan. Make one with [New]. It is not safe
// for concurrent use.
type Filter struct {
	o Options

	undetected []component // the Poisson process
	clusters   []*cluster
	estimates  []Estimate
	reported   map[int]*node // of each track that was ever reported: its last state then

	scans     int
	frame     int     // of the last scan
	time      float64 // s, of the last scan
	nextID    int
	stats     Stats // of all scans
	last      Stats // of the last scan
	gate      gater
	workers   []*updater
	borns     []born
	newborn   gaussian
	motion    *motion.Full
	n         int // elements of a state
	reporting []chosen
}

// A component is a Gaussian of the Poisson process.
type component struct {
	weight float64 // mean number of targets
	gaussian
}

// A local is a local hypothesis of a track: some detections were its own.
type local struct {
	r float64 // probability that the target exists
	gaussian
	node *node

	// In the scan at hand.
	in    motion.Expectation // where all detections are as noisy
	gated []gated            // detections in the gate, ascending
	miss  float64            // log(1 − r·Detect)
	next  []int32            // for each way to go on (missed, gated[0], …) the new hypothesis; -1: none yet
}

// A gated detection of the scan at hand.
type gated struct {
	det  int32
	gain float64 // log(r·Detect·N(z)) − miss
}

// A node is one scan of the history of a local hypothesis. Histories share their
// beginnings.
type node struct {
	prev  *node
	frame int
	det   int // -1: missed
	r     float64
	x     [6]float64 // positions and velocities
}

// A track is a potential target: it was detected first by one certain detection.
type track struct {
	id     int
	locals []*local
}

// A cluster is a set of tracks and its table of global hypotheses.
type cluster struct {
	tracks []track
	rows   []row // descending weight; the weights add up to 1
}

// A row is a global hypothesis: for each track of the cluster the index of a
// local hypothesis, -1 when the track is none of its targets.
type row struct {
	weight float64
	pick   []int32
}

// New makes a filter that has seen nothing yet. A nil o is refused, because
// there is no useful model without numbers; the error wraps [ErrModel].
func New(o *Options) (*Filter, error) {
	if o == nil {
		return nil, fmt.Errorf("pmbm: %w: there are no options", ErrModel)
	}
	f := &Filter{o: *o, reported: make(map[int]*node)}
	if err := f.o.complete(); err != nil {
		return nil, err
	}
	f.newborn = f.o.newborn()
	f.motion = motion.NewFull(f.o.params())
	f.n = f.motion.States()
	f.stats.Shapes, f.last.Shapes = make(map[Shape]int), make(map[Shape]int)
	for range max(1, f.o.Workers) {
		f.workers = append(f.workers, newUpdater(f))
	}
	return f, nil
}

// ErrOrder is returned for a scan that is not after the one before.
var ErrOrder = errors.New("scans must ascend in frame and time")

// Step takes the next scan: it predicts, updates, prunes and estimates. The scan
// is not kept. A frame number that jumps by n counts as n-1 scans without detections.
//
// After an error the filter is not to be used again, except that Estimates and
// Tracks say what was known before.
func (f *Filter) Step(ctx context.Context, s *mtt.Scan) error {
	if err := f.check(s); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("pmbm: frame %d: %w", s.Frame, err)
	}
	f.predict(s)
	f.frame, f.time = s.Frame, s.Time
	f.scans++
	if err := f.gate.find(f, s); err != nil {
		return err
	}
	f.detect(s.Len())
	if err := f.update(ctx, s.Len()); err != nil {
		return err
	}
	f.recycle()
	f.thin()
	f.estimate()
	return nil
}

// check refuses scans that make no sense.
func (f *Filter) check(s *mtt.Scan) error {
	if f.scans > 0 && (s.Frame <= f.frame || !(s.Time > f.time)) {
		return fmt.Errorf("pmbm: frame %d at %v s after frame %d at %v s: %w", s.Frame, s.Time, f.frame, f.time, ErrOrder)
	}
	if s.Len() > 0 && s.Dim != f.o.Dim {
		return fmt.Errorf("pmbm: frame %d has %d dimensions, the model %d", s.Frame, s.Dim, f.o.Dim)
	}
	if s.Len() > 0 && s.Vel == nil && f.o.SigmaV > 0 {
		return fmt.Errorf("pmbm: frame %d: velocities are not measured, but the model has SigmaV", s.Frame)
	}
	if err := s.Validate(); err != nil {
		return fmt.Errorf("pmbm: %w", err)
	}
	return nil
}

// predict moves everything on to the time of s, and lets targets appear.
func (f *Filter) predict(s *mtt.Scan) {
	if f.scans == 0 {
		f.undetected = append(f.undetected[:0], component{f.o.Targets, f.newborn})
		return
	}
	dt, gaps := s.Time-f.time, s.Frame-f.frame
	survive := math.Pow(f.o.Survive, float64(gaps))
	for i := range f.undetected {
		c := &f.undetected[i]
		c.weight *= survive
		f.motion.Predict(&c.gaussian, dt, motion.Smooth)
	}
	births := 0.0
	for range gaps {
		births = births*f.o.Survive + f.o.Births
	}
	f.undetected = append(f.undetected, component{births, f.newborn})
	for _, c := range f.clusters {
		for _, t := range c.tracks {
			for _, h := range t.locals {
				h.r *= survive
				f.motion.Predict(&h.gaussian, dt, motion.Smooth)
			}
		}
	}
}

// detect turns detections into potential new targets, and thins the process of
// those that stay undetected.
func (f *Filter) detect(detections int) {
	f.borns = slices.Grow(f.borns[:0], detections)[:detections]
	for d := range f.borns {
		// Uniform in position and, where velocities are read, as those of targets that appear.
		f.borns[d] = f.gate.born(f, d, f.o.Clutter/f.o.Volume*math.Exp(-f.motion.First(f.gate.scan, d)))
	}
	for i := range f.undetected {
		f.undetected[i].weight *= 1 - f.o.Detect
	}
}

// A born is the target that a detection may have been the first of.
type born struct {
	r float64
	gaussian
	weight float64 // log(ρ + λ)
}
