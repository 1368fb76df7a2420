package association

import (
	"fmt"
	"math"
	"slices"

	"mtt"
	"mtt/association/instance"
	"mtt/association/learn"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/motion"
	"mtt/sensor"
)

// This file defines the options of Track, and checks them.

// An Engine solves the assignment.
type Engine string

// The engines.
const (
	Dual      Engine = "dual"       // balanced sequential dual ascent: bounds and the best answers
	Exact     Engine = "exact"      // dual, then as much search as a proof takes
	DualPaper Engine = "dual-paper" // the published parallel scheme
	Greedy    Engine = "greedy"     // frame pair by frame pair, with the same costs, never looking ahead
	GNN       Engine = "gnn"        // a Kalman filter for each track and one assignment for each scan
)

// Engines lists the engines.
func Engines() []Engine { return []Engine{Dual, Exact, DualPaper, Greedy, GNN} }

// A Cost names a model of package costgen.
type Cost string

// The costs.
const (
	NLL       Cost = "nll"       // costgen.Gaussian
	TPMB      Cost = "tpmb"      // costgen.TrajectoryPMB
	Trapezoid Cost = "trapezoid" // costgen.Trapezoid
	Paper     Cost = "paper"     // costgen.Paper
)

// models make the costs that need no levels out of the prices of ends.
var models = map[Cost]func(ends costgen.Ends) costgen.Model{
	NLL:       nil,
	TPMB:      nil,
	Trapezoid: func(e costgen.Ends) costgen.Model { return &costgen.Trapezoid{Prices: e} },
	Paper:     func(e costgen.Ends) costgen.Model { return &costgen.Paper{Prices: e} },
}

// Learns says whether a cost is a likelihood: of levels that are learnt, in nats.
func (c Cost) Learns() bool { return c == "" || c == NLL || c == TPMB }

// Costs lists the costs.
func Costs() []Cost { return []Cost{NLL, TPMB, Trapezoid, Paper} }

// Options steer Track. The zero value is the default; a nil *Options is too. What an
// engine or a model has no use for is refused.
type Options struct {
	Cost Cost // which model; empty: NLL
	// Model is a model of the caller's, in place of Cost. One that is [costgen.Leveled], such
	// as a type that embeds a costgen.Gaussian, is tracked and refined as that is, with the
	// levels that it has; of others nothing is learnt and nothing refined.
	Model costgen.Model

	// Wrap, when not nil, makes the model out of the one whose levels were learnt.
	Wrap func(g *costgen.Gaussian) costgen.Leveled

	Engine Engine // empty: Dual

	// Levels, from an earlier result, say everything about noise, rates and the
	// fastest speed: with them the tracks are those of that result. nil: the fields
	// below do, and what they leave open is estimated.
	Levels *costgen.Levels

	// Noise levels. 0 means estimate it; NoNoise means that it is 0.
	Sigma    float64        // m: standard deviation of a measured position, per axis
	SigmaV   float64        // m/s: of a measured velocity, per axis
	Accel    float64        // m/s^1.5: square root of the spectral density of acceleration
	MaxSpeed float64        // m/s: fastest target; 0: that of Levels, or an estimate
	Rates    *costgen.Rates // those that are 0 are estimated, Uneven where Hidden is

	// Before are levels of earlier scans, of which it is to be told whether they still hold, see
	// Result.Changed; nil: nobody asks. They are no other levels that are learnt.
	Before *costgen.Levels

	// Motion is how targets move; nil: that of Levels, or the likeliest one.
	Motion motion.Model

	// Sensors are what mtt.Scan.Sensor is an index to: what each sees, and, where that is known,
	// how well; nil: there is one, which sees everything. Of one of kind polar without Noise it is
	// learnt whether its noise is that of range and bearing, as seen from its Place.
	Sensors []sensor.Sensor

	// Gate is chosen from the noise levels when nil. A Mahalanobis gate without
	// Sigma, and a Disc without Margin, get theirs from them.
	Gate gating.Gate

	// Cap is the number of best arcs that crowded rows and columns keep, see
	// gating.Finder.K. 0 caps, at 12, only what would have more than fifty
	// million triplets; negative never caps.
	Cap int

	Workers     int   // goroutines; 0: one for each processor. It does not change the result
	MemoryLimit int64 // bytes that the gated instance may take; 0: 16 GiB
	NoFit       bool  // the error of a scene that takes more names no gate that fits, see [gating.Options]

	MaxMisses int // missed detections in a row that a track survives; 0: as many as are worth while; negative: none

	// Resolution is the distance below which two targets have one detection; m. It
	// changes no track, only what is said of their misses; 0: estimate it.
	Resolution float64

	// MinEvidence drops tracks of less evidence, see [Result.Evidence], from what [Track] finds;
	// nat; 0: none.
	MinEvidence float64

	Divides        bool // targets divide: a track that begins beside the end of another is not doubted
	FixedSensor    bool // the sensor stands still, or moves on a straight line: nothing else is learnt of it, see costgen.Shifts
	Isotropic      bool // noise is the same along all directions and in all scans: nothing else is learnt of it, see costgen.Levels.Cov, Blur and Polar
	IgnoreVelocity bool // leave measured velocities unread
	Hasty          bool // levels are learnt with less work: see [learn.Options]
	Open           bool // levels are for scans that follow, too: see [learn.Options]
	NoRefine       bool // leave out the refinement by whole-track likelihood
	NoStates       bool // leave Result.States to [Result.Smooth]: they take more memory than all else that is found

	// Solved, when not nil, is called when the assignment is solved and bounds are proved, before
	// tracks are refined: whoever reads the costs of Result.Instance and the prices of Result.Dual
	// then can have them dropped by [Result.Forget], as the refinement wants much memory. Without
	// refinement it is not called.
	Solved func(r *Result)

	// Learnt, when not nil, is called by Track once model, levels, gate and speed of r are known, what
	// the refinement adds to the levels included, before it looks for what may be wrong.
	Learnt func(r *Result)

	// Piloted, when not nil, is told by one goroutine, all the while that levels are learnt, what
	// is being done for that. Whoever learns beside other work tells by the sums how long it takes,
	// whatever the machine.
	Piloted func(w Work)

	// Spent, when not nil, is asked by that goroutine whether there is time for no more while
	// levels are learnt: see [learn.Options].
	Spent func() bool

	// Margins has the margins of the assignment of the dual ascent computed, see
	// [dualascent.SettledMargins], before tracks are refined: where a gap is open that finds better
	// assignments.
	Margins bool

	// Start is where the dual ascent starts from; nil: from nothing. It saves most
	// rounds where the scans are mostly those of an earlier run: some detections
	// were added or removed, frames came or went, or the run was cut short.
	Start *instance.Start

	// Dual steers the dual ascent: all but Scheme, which Engine sets, Workers, and
	// Prices and Next, for which there is Start.
	Dual dualascent.Options
}

// Work is what is done to learn levels, as [Options.Piloted] is told it: counts that are the same
// with any number of goroutines. On one core of a shared machine a triplet took a fifth of a
// microsecond, a pair a third, a hit two and a half, a turning one twenty, one in which
// manoeuvres are looked for ten, a detection that is linked along and a hit of an acceleration that lasts
// twenty, and one of a curve a hundred.
type Work struct {
	Triplets int // of detections inside the gate that are priced and solved
	Pairs    int // that are weighed while tracks are refined
	Hits     int // of tracks that levels are fitted to without manoeuvres
	Turning  int // and with them
	Sought   int // in which manoeuvres are looked for, and twice for each search for their tails
	Along    int // detections that are linked as they come, where tracks show what lasts
	Lasting  int // hits of tracks that accelerations that last are fitted to
	Curved   int // and turn rates that do, six times each where the filter is the general one
}

// auto, for Options.MaxMisses, means as many as are worth while, but not more
// than longest.
const auto, longest = -1, 100

// NoNoise is a noise level of zero, where 0 would mean "estimate it".
const NoNoise = 1e-9

// ErrOptions marks options that make no sense, or none for these scans.
var ErrOptions = fmt.Errorf("unusable options")

// ErrChance marks crowds in which what a detection is followed by is what chance puts there, so
// that neither levels nor speed can be learnt. With a MaxSpeed they are tracked all the same.
var ErrChance = learn.ErrChance

// Validate says what is wrong with options, whatever the scans; the error wraps
// [ErrOptions].
func (o *Options) Validate() error {
	c := *o
	return c.complete()
}

// complete checks options and sets defaults.
func (o *Options) complete() error {
	if o.Engine == "" {
		o.Engine = Dual
	}
	if !slices.Contains(Engines(), o.Engine) {
		return fmt.Errorf("association: %w: unknown engine %q, want one of %v", ErrOptions, o.Engine, Engines())
	}
	if _, known := models[o.Cost]; o.Cost != "" && !known {
		return fmt.Errorf("association: %w: unknown cost %q, want one of %v", ErrOptions, o.Cost, Costs())
	}
	if unused := o.unused(); unused != "" {
		return fmt.Errorf("association: %w: %s", ErrOptions, unused)
	}
	if o.Cost == "" && o.Model == nil {
		o.Cost = NLL
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
	for _, v := range []float64{o.Sigma, o.SigmaV, o.Accel, o.MaxSpeed, o.Resolution, o.MinEvidence} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("association: %w: a noise level, speed, resolution or evidence is %v, want a finite number of at least 0", ErrOptions, v)
		}
	}
	if r := o.Rates; r != nil {
		for _, v := range []float64{r.Detect, r.Hidden, r.Uneven, r.Survive, r.Births, r.Targets, r.Clutter, r.Volume} {
			if !(v >= 0) || math.IsInf(v, 1) {
				return fmt.Errorf("association: %w: a rate is %v, want a finite number of at least 0", ErrOptions, v)
			}
		}
		if r.Detect >= 1 || r.Hidden >= 1 || r.Survive >= 1 {
			return fmt.Errorf("association: %w: a probability in Rates is 1 or more", ErrOptions)
		}
	}
	return nil
}

// unused says which option would not be used, and what to do instead; "" when all are.
func (o *Options) unused() string {
	_, leveled := o.Model.(costgen.Leveled)
	metres := o.Model != nil && !leveled || !o.Cost.Learns()
	given := o.Sigma != 0 || o.SigmaV != 0 || o.Accel != 0 || o.Rates != nil || o.Motion != nil || o.Sensors != nil
	switch {
	case leveled && (o.Levels != nil || given):
		return "the Model has levels of its own: change them there"
	case o.Wrap != nil && (metres || leveled):
		return "Wrap makes a model out of the learnt one: give it, or a Model or a Cost"
	case o.Wrap != nil && o.Cost == TPMB:
		return "Wrap makes a model of its own: leave out the cost tpmb"
	case o.Cost == TPMB && o.Engine == GNN:
		return "the engine gnn has the cost nll only"
	case o.Wrap != nil && o.Engine == GNN:
		return "the engine gnn has the cost nll only"
	case leveled && o.Engine == GNN:
		return "the engine gnn has the cost nll only"
	case o.Model != nil && o.Cost != "":
		return fmt.Sprintf("a Model takes the place of the cost %s: give one of them", o.Cost)
	case o.Levels != nil && given:
		return "Levels say what Sigma, SigmaV, Accel, Rates, Motion and Sensors would: change them there"
	case o.Sensors != nil && metres:
		return "Sensors are of the cost nll only"
	case o.Rates != nil && metres:
		return "Rates are of the cost nll only"
	case o.Motion != nil && metres:
		return "a Motion is of the cost nll only"
	case o.Engine == GNN && metres:
		return "the engine gnn has the cost nll only"
	case o.Engine == GNN && o.Gate != nil:
		return "the engine gnn has its own gate"
	case o.Start != nil && (o.Engine == GNN || o.Engine == Greedy):
		return fmt.Sprintf("the engine %s starts from nothing", o.Engine)
	case metres && o.Resolution != 0:
		return "merged detections are found with the cost nll only, so a Resolution has no use"
	case metres && o.MinEvidence != 0:
		return "MinEvidence is of the cost nll only"
	case o.Dual.Scheme != 0:
		return "the Engine decides about Dual.Scheme"
	case o.Dual.Workers != 0:
		return "Workers are set once, in Options"
	case o.Dual.Prices != nil || o.Dual.Next != nil:
		return "links over misses are found as the ascent runs, so Dual.Prices and Dual.Next have no arcs to belong to: use Start"
	}
	return ""
}

// suit refuses options that are not for such scans.
func (o *Options) suit(scans []mtt.Scan) error {
	first := slices.IndexFunc(scans, func(s mtt.Scan) bool { return s.Len() > 0 })
	if first < 0 {
		return nil
	}
	s, g := &scans[first], o.known()
	untold := slices.IndexFunc(scans, func(o mtt.Scan) bool { return o.Len() > 0 && (o.Cov == nil) != (s.Cov == nil) })
	learns := len(o.Sensors) > 1 && o.Sigma == 0 || g != nil && g.Sensing != nil && g.Sensing.Sigma != nil
	switch {
	case untold >= 0 && !learns:
		return fmt.Errorf("association: %w: one of sensors %d and %d tells covariances of its detections, the other does not: describe Sensors, and say no Sigma, so that its noise is learnt", ErrOptions, s.Sensor, scans[untold].Sensor)
	case o.Cost == Paper && s.Vel == nil:
		return fmt.Errorf("association: %w: the paper's cost needs measured velocities", ErrOptions)
	case g != nil && g.Dim != 0 && g.Dim != s.Dim:
		return fmt.Errorf("association: %w: Levels are for %d dimensions, scans have %d", ErrOptions, g.Dim, s.Dim)
	case g != nil && !g.PositionsOnly && s.Vel == nil:
		return fmt.Errorf("association: %w: Levels are for measured velocities, and there are none (or they are not to be read)", ErrOptions)
	}
	return nil
}

// known are the levels that were given, by themselves or with the model; nil: none.
func (o *Options) known() *costgen.Levels {
	if m, ok := o.Model.(costgen.Leveled); ok {
		return m.Noise()
	}
	return o.Levels
}

// cost makes the model; nil: it is costgen.Gaussian, or priced by levels as that is.
func (o *Options) cost() func(costgen.Ends) costgen.Model {
	if _, leveled := o.Model.(costgen.Leveled); leveled {
		return nil
	}
	if o.Model != nil {
		return func(costgen.Ends) costgen.Model { return o.Model }
	}
	return models[o.Cost]
}
