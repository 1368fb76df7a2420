package association

import (
	"fmt"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
)

// This file defines the options of Track, and checks them and the scans.

// An Engine solves the assignment.
type Engine string

// The engines.
const (
	Dual      Engine = "dual"       // balanced sequential dual ascent: bounds and the best answers
	DualExact Engine = "exact"      // dual, then as much search as a proof takes
	DualPaper Engine = "dual-paper" // the published parallel scheme
	Forward   Engine = "greedy"     // gap by gap, with the same costs, never looking ahead
	GNN       Engine = "gnn"        // a Kalman filter for each track and one assignment for each scan
)

// Engines lists the engines.
func Engines() []Engine { return []Engine{Dual, DualExact, DualPaper, Forward, GNN} }

// A Cost names a model of package costgen.
type Cost string

// The costs.
const (
	NLL       Cost = "nll"       // costgen.Gaussian
	Trapezoid Cost = "trapezoid" // costgen.Trapezoid
	Paper     Cost = "paper"     // costgen.Paper
)

// Costs lists the costs.
func Costs() []Cost { return []Cost{NLL, Trapezoid, Paper} }

// Options steer Track. The zero value is the default; a nil *Options is too.
type Options struct {
	Cost   Cost          // which model; empty: NLL
	Model  costgen.Model // a model of the caller's, in place of Cost
	Engine Engine        // empty: Dual

	// Levels, from an earlier result, say everything about noise and rates;
	// nil: the fields below do, and what they leave open is estimated.
	Levels *costgen.Levels

	// Noise levels. 0 means estimate it; Exact means that it is 0.
	Sigma    float64 // m: standard deviation of a measured position, per axis
	SigmaV   float64 // m/s: of a measured velocity, per axis
	Accel    float64 // m/s^1.5: square root of the spectral density of acceleration
	MaxSpeed float64 // m/s: fastest target; 0: estimate it
	Rates    *costgen.Rates

	// Gate is chosen from the noise levels when nil. A Mahalanobis gate without
	// Sigma, and a Disc without Margin, get theirs from them.
	Gate gating.Gate

	// Cap is the number of best arcs that crowded rows and columns keep, see
	// gating.Finder.K. 0 caps, at 12, only what would have more than fifty
	// million triplets; negative never caps.
	Cap int

	Workers     int   // goroutines; 0: one for each processor. It does not change the result
	MemoryLimit int64 // bytes that the gated instance may take; 0: 16 GiB

	MaxMisses int // missed detections in a row that a track survives; 0: as many as are worth while; negative: none

	// Resolution is the distance below which two targets have one detection; m. It
	// changes no track, only what is said of their misses; 0: estimate it.
	Resolution float64

	IgnoreVelocity bool // leave measured velocities unread
	NoRefine       bool // leave out the refinement by whole-track likelihood

	// Start is where the dual ascent starts from; nil: from nothing. It saves most
	// rounds where the scans are mostly those of an earlier run: some detections
	// were added or removed, frames came or went, or the run was cut short.
	Start *Start

	Dual dualascent.Options // Scheme is set by Engine

	// Progress, when not nil, is told of each step of the dual ascent.
	Progress func(dualascent.Step)
}

// auto, for Options.MaxMisses, means as many as are worth while, but not more
// than longest.
const auto, longest = -1, 100

// Exact is a noise level of zero, where 0 would mean "estimate it".
const Exact = 1e-9

// ErrOptions marks options that make no sense, or none for these scans.
var ErrOptions = fmt.Errorf("unusable options")

func (o *Options) defaults() error {
	if o.Cost == "" {
		o.Cost = NLL
	}
	if !slices.Contains(Costs(), o.Cost) {
		return fmt.Errorf("association: %w: unknown cost %q, want one of %v", ErrOptions, o.Cost, Costs())
	}
	if o.Engine == "" {
		o.Engine = Dual
	}
	if !slices.Contains(Engines(), o.Engine) {
		return fmt.Errorf("association: %w: unknown engine %q, want one of %v", ErrOptions, o.Engine, Engines())
	}
	if o.MemoryLimit == 0 {
		o.MemoryLimit = 16 << 30
	}
	switch {
	case o.MaxMisses == 0:
		o.MaxMisses = auto
	case o.MaxMisses < 0:
		o.MaxMisses = 0
	}
	for _, v := range []float64{o.Sigma, o.SigmaV, o.Accel, o.MaxSpeed, o.Resolution} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("association: %w: a noise level, speed or resolution is %v, want a finite number of at least 0", ErrOptions, v)
		}
	}
	return nil
}

// check refuses scans that are out of order or disagree in kind.
func check(scans []mtt.Scan) error {
	first := -1
	for t := range scans {
		s := &scans[t]
		if t > 0 && !(s.Time > scans[t-1].Time) {
			return fmt.Errorf("association: scan %d (frame %d): time %v is not after that of the scan before, %v", t, s.Frame, s.Time, scans[t-1].Time)
		}
		if s.Len() == 0 {
			continue
		}
		if first < 0 {
			first = t
		}
		f := &scans[first]
		if s.Dim != f.Dim || (s.Vel == nil) != (f.Vel == nil) || (s.Size == nil) != (f.Size == nil) {
			return fmt.Errorf("association: scan %d (frame %d): dimension, velocities or sizes differ from those of frame %d", t, s.Frame, f.Frame)
		}
		for i, x := range s.Pos {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("association: frame %d, detection %d: position is %v", s.Frame, i/s.Dim, x)
			}
		}
		for i, x := range s.Vel {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("association: frame %d, detection %d: velocity is %v", s.Frame, i/s.Dim, x)
			}
		}
	}
	return nil
}
