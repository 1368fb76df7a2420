package association

import (
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

	MaxMisses int // missed detections in a row that a track survives; 0: 3; negative: none

	IgnoreVelocity bool // leave measured velocities unread
	NoRefine       bool // leave out the refinement by whole-track likelihood

	Dual dualascent.Options // Scheme is set by Engine

	// Progress, when not nil, is told of each step of the dual ascent.
	Progress func(dualascent.Step)
}

// Exact is a noise level of zero, where 0 would mean "estimate it".
const Exact = 1e-9

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
	Coasts    bool    // whether one-frame misses are part of the model

	Seconds Seconds
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
	return res, tk.run(ctx, scans, res)
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
		o.MaxMisses = 3
	case o.MaxMisses < 0:
		o.MaxMisses = 0
	}
	for _, v := range []float64{o.Sigma, o.SigmaV, o.Accel, o.MaxSpeed} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("association: %w: a noise level or speed is %v, want a finite number of at least 0", ErrOptions, v)
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

// A tracker holds the options while Track works.
type tracker struct {
	Options
	pilot bool // estimating: few rounds, on part of the scans
}

// build gates and prices the scans with what res says about the model.
func (k *tracker) build(ctx context.Context, scans []mtt.Scan, res *Result) error {
	began := time.Now()
	gates, err := k.gateAll(ctx, scans, res)
	if err != nil {
		return err
	}
	var skips []gating.CSR
	if res.Coasts {
		if skips, err = gateSkips(scans, res.Gate, res.Cap); err != nil {
			return fmt.Errorf("association: %w", err)
		}
	}
	res.Seconds.Gate += time.Since(began).Seconds()
	began = time.Now()
	res.Instance = NewInstance(scans, gates, skips, res.Model)
	res.Seconds.Cost += time.Since(began).Seconds()
	return nil
}

// run builds the instance, solves it and refines the tracks.
func (k *tracker) run(ctx context.Context, scans []mtt.Scan, res *Result) error {
	if k.Engine == GNN {
		began := time.Now()
		res.Tracks = nearest(scans, res, k.MaxMisses).tracks(scans, len(scans) == 1)
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
	single := len(scans) == 1 || res.Instance.price.Alarm >= res.Instance.price.Birth+res.Instance.price.Death
	res.Tracks = c.tracks(scans, single)
	res.Plain = res.Tracks
	if res.Levels != nil && !k.NoRefine && err == nil {
		misses := k.MaxMisses
		if !res.Coasts {
			misses = 0
		}
		levels := *res.Levels
		if !k.pilot && k.Accel == 0 && levels.Turns == 0 {
			levels.Accel = max(levels.Accel, restless(scans, &levels, res.Plain))
		}
		sweeps := 8
		if k.pilot {
			sweeps = 2
		}
		if _, err = c.refine(ctx, scans, res.Instance.Gates, &costgen.Gaussian{Levels: levels}, misses, res.MaxSpeed, sweeps); err == nil {
			res.Tracks = c.tracks(scans, single)
		}
	}
	return err
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
		o = dualascent.Options{MaxRounds: 2, Search: 2, Effort: -1, Workers: k.Workers}
	}
	d, err := dualascent.Solve(ctx, &res.Instance.Dual, &o)
	if d == nil {
		return nil, err
	}
	if !k.pilot {
		res.Dual = d
	}
	res.Cost = d.UpperBound
	return d.Next, err
}

// prepare settles the model, the gate and the speed: given, or estimated.
func (k *tracker) prepare(ctx context.Context, scans []mtt.Scan) (*Result, error) {
	began := time.Now()
	res := &Result{MaxSpeed: k.MaxSpeed}
	defer func() { res.Seconds.Estimate = time.Since(began).Seconds() }()
	part := window(scans)
	dt := interval(scans)
	half := tiny
	if k.Levels == nil || k.MaxSpeed == 0 || k.Cost != NLL || k.Model != nil {
		half = max(reach(part), tiny)
	}
	most := 2 * half
	vel := measured(scans)
	dim := dimension(scans)
	g := &costgen.Levels{
		Sigma: k.Sigma, SigmaV: k.SigmaV, Accel: k.Accel, Dim: dim, Interval: dt, PositionsOnly: !vel,
	}
	known := *g
	if k.Rates != nil {
		g.Rates = *k.Rates
	} else {
		g.Rates = guess(scans)
	}
	coasts := k.MaxMisses > 0 && !steady(scans)
	// First levels, from how far successors lie.
	pilotGate := gating.Gate(gating.Ball{Radius: 1.25*most + 4*math.Sqrt2*k.Sigma})
	if vel {
		g.SpeedStd = speedStd(scans, g.SigmaV)
		start(&g.Sigma, half/3)
		start(&g.SigmaV, half/3/dt)
		pilotGate = gating.Mahalanobis{Sigma: most / 2, SigmaV: most / 2 / dt, Noise: 0.2 * g.SpeedStd / math.Sqrt(dt)}
	} else {
		g.SpeedStd = half / 1.18 / dt
		start(&g.Sigma, 0.1*half)
	}
	start(&g.Accel, 0.1*g.SpeedStd/math.Sqrt(dt))
	floors(g)
	if k.MaxSpeed == 0 {
		res.MaxSpeed = 2 * most / dt
		if vel {
			res.MaxSpeed = maxSpeed(scans) + 2*most/dt
		}
	}
	pilot := func(model costgen.Model, gate gating.Gate, levels *costgen.Levels) ([]mtt.Track, error) {
		p := &tracker{Options: k.Options, pilot: true}
		p.Engine, p.NoRefine = Dual, levels == nil
		r := &Result{Model: model, Levels: levels, Gate: gate, Coasts: coasts && levels != nil, MaxSpeed: res.MaxSpeed}
		err := p.run(ctx, part, r)
		return r.Tracks, err
	}
	learn := func(tracks []mtt.Track) {
		fresh := known
		fresh.Rates = g.Rates
		if vel {
			fresh.SpeedStd = g.SpeedStd
		}
		if costgen.Fit(&fresh, tracks, times(part)) {
			g = &fresh
			floors(g)
		}
		if k.Rates == nil && !steady(scans) {
			g.Rates = rates(part, tracks)
			g.Rates.Volume = volume(scans)
		}
		if s := speed(part, tracks); k.MaxSpeed == 0 && s > 0 {
			res.MaxSpeed = min(res.MaxSpeed, s)
		}
	}
	user := k.Engine != GNN && (k.Model != nil || k.Cost != NLL)
	needLevels := known.Sigma == 0 || vel && known.SigmaV == 0
	if k.Levels != nil {
		*g = *k.Levels
	} else if len(scans) > 2 && !(user && k.Gate != nil) {
		if needLevels || !vel {
			tracks, err := pilot(&costgen.Trapezoid{Prices: metric(scans, most)}, pilotGate, nil)
			if err != nil {
				return nil, err
			}
			learn(tracks)
		}
		for range 2 {
			if k.Accel > 0 && k.Rates != nil && !needLevels {
				break
			}
			gate := k.gate(g, res.MaxSpeed)
			tracks, err := pilot(&costgen.Gaussian{Levels: *g}, gate, g)
			if err != nil {
				return nil, err
			}
			learn(tracks)
		}
	}
	res.Coasts = coasts
	if k.Gate == nil {
		if !vel && k.MaxSpeed == 0 {
			res.MaxSpeed = k.widen(scans, g, res)
		}
	}
	res.Gate = k.gate(g, res.MaxSpeed)
	switch {
	case k.Engine == GNN: // it knows no other
		res.Model, res.Levels = &costgen.Gaussian{Levels: *g}, g
	case k.Model != nil:
		res.Model = k.Model
	case k.Cost == Trapezoid:
		res.Model = &costgen.Trapezoid{Prices: metric(scans, most)}
	case k.Cost == Paper:
		res.Model = &costgen.Paper{Prices: metric(scans, most)}
	default:
		res.Model, res.Levels = &costgen.Gaussian{Levels: *g}, g
	}
	res.Coasts = coasts && res.Model.Ends().Miss > 0
	return res, nil
}

// restless is the largest Accel that is the most likely one of a third of the
// time: targets turn more at one time than at another, and a filter that is
// tuned to the calm loses them in the storm, while the other way round it
// loses little.
func restless(scans []mtt.Scan, g *costgen.Levels, tracks []mtt.Track) float64 {
	const parts, enough = 3, 1000 // hits
	var most float64
	if len(scans) < 3*parts {
		return 0
	}
	for p := range parts {
		from, to := scans[p*len(scans)/parts].Frame, scans[(p+1)*len(scans)/parts-1].Frame
		var cut []mtt.Track
		hits := 0
		for i := range tracks {
			if t := tracks[i].Between(from, to); len(t.Hits) >= 3 {
				cut = append(cut, t)
				hits += len(t.Hits)
			}
		}
		if hits >= enough {
			most = max(most, costgen.FitAccel(g, cut, times(scans)))
		}
	}
	return most
}

// floors keeps levels above what the data could ever tell, in units of the
// speed's: a sensor that is exact, a target that never turns, would make one
// rounding error a proof.
func floors(g *costgen.Levels) {
	g.Sigma = max(g.Sigma, 0.01*g.SpeedStd*g.Interval)
	if !g.PositionsOnly {
		g.SigmaV = max(g.SigmaV, 0.01*g.SpeedStd)
	}
	g.Accel = max(g.Accel, 0.03*g.SpeedStd/math.Sqrt(g.Interval))
	if g.Turns > 0 {
		g.TurnAccel = max(g.TurnAccel, g.Accel)
	}
}

const tiny = 1e-9

// start sets a level that is not known.
func start(level *float64, v float64) {
	if *level == 0 {
		*level = max(v, tiny)
	}
}

// gate chooses a gate for the levels, or completes the one that was asked for.
func (k *tracker) gate(g *costgen.Levels, speed float64) gating.Gate {
	noise := g.Accel
	if g.Turns > 0 {
		noise = 3 * g.TurnAccel // for the tails
	}
	mahalanobis := gating.Mahalanobis{G: 25, Sigma: g.Sigma, SigmaV: g.SigmaV, Noise: noise, SpeedStd: g.SpeedStd}
	if g.Dim == 3 {
		mahalanobis.G = 30
	}
	disc := gating.Disc{Epsilon: 1, Margin: 4 * math.Sqrt2 * g.Sigma}
	if g.PositionsOnly {
		disc.MaxSpeed = speed
	}
	switch asked := k.Gate.(type) {
	case nil:
		if g.PositionsOnly {
			return disc
		}
		return mahalanobis
	case gating.Mahalanobis:
		if asked.Sigma > 0 {
			return asked
		}
		if asked.G > 0 {
			mahalanobis.G = asked.G
		}
		return mahalanobis
	case gating.Disc:
		if asked.Margin == 0 {
			asked.Margin = disc.Margin
		}
		if asked.MaxSpeed == 0 {
			asked.MaxSpeed = disc.MaxSpeed
		}
		return asked
	}
	return k.Gate
}

// crowded is the number of triplets from which on arcs are capped, and the cap.
const crowded, crowdedCap = 50_000_000, 12

// gateAll gates consecutive scans.
func (k *tracker) gateAll(ctx context.Context, scans []mtt.Scan, res *Result) ([]gating.CSR, error) {
	res.Cap = max(0, k.Cap)
	if k.Cap == 0 && (k.Gate == nil || k.pilot) {
		most := crowded
		if k.pilot {
			most /= 10
		}
		if !few(scans, res.Gate, most) {
			res.Cap = crowdedCap
		}
	}
	gates, err := gating.Chain(ctx, scans, res.Gate, &gating.Options{
		K: res.Cap, Budget: gating.Budget{Bytes: k.MemoryLimit}, Workers: k.Workers,
	})
	return gates, wrap(err)
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("association: %w", err)
}

// widen returns up to twice the speed, as far as the gate leaves the instance
// small: the fastest target may not be among those that the speed was
// estimated from.
func (k *tracker) widen(scans []mtt.Scan, g *costgen.Levels, res *Result) float64 {
	speed := res.MaxSpeed
	triplets, n := 40, 0 // triplets for each detection
	if res.Coasts {
		triplets = 10
	}
	for t := range scans {
		n += scans[t].Len()
	}
	for _, f := range []float64{2, 1.6, 1.3} {
		if few(scans, k.gate(g, f*speed), triplets*n) {
			return f * speed
		}
	}
	return speed
}

// few says whether a gate leaves at most so many triplets.
func few(scans []mtt.Scan, g gating.Gate, most int) bool {
	var f gating.Finder
	var pair [2]gating.CSR // the pattern before, and this one
	n := 0
	for t := 0; t+1 < len(scans); t++ {
		pair[0], pair[1] = pair[1], pair[0]
		if _, err := f.Neighbors(&pair[1], &scans[t], &scans[t+1], g); err != nil {
			return false
		}
		if t > 0 {
			n += gating.Count(pair[:]).Triplets
		}
		if n > most || pair[1].NNZ() > most {
			return false
		}
	}
	return true
}

// metric are the prices of ends for costs in metres. In steady scans a track
// begins and ends only where a gate leaves no other way.
func metric(scans []mtt.Scan, most float64) costgen.Ends {
	if steady(scans) {
		b := 1e3 * most
		return costgen.Ends{Birth: b, Death: b, Alarm: 2 * b}
	}
	return costgen.Ends{Birth: most, Death: most, Alarm: 2 * most, Miss: most}
}

// window is the part of the scans that estimates are made from: some twenty
// thousand detections from the beginning, at least a dozen scans.
func window(scans []mtt.Scan) []mtt.Scan {
	const enough, least = 20000, 12
	n := 0
	for t := range scans {
		if n += scans[t].Len(); n > enough && t+1 >= least {
			return scans[:t+1]
		}
	}
	return scans
}

// speedStd is the standard deviation of a velocity's coordinate, less noise.
func speedStd(scans []mtt.Scan, sigmaV float64) float64 {
	var sum, n float64
	for t := range scans {
		for _, v := range scans[t].Vel {
			sum += v * v
			n++
		}
	}
	if n == 0 {
		return 1
	}
	return math.Sqrt(max(sum/n-sigmaV*sigmaV, 0.01*sum/n, tiny))
}

// maxSpeed is the largest measured speed.
func maxSpeed(scans []mtt.Scan) float64 {
	var most float64
	for t := range scans {
		for i := range scans[t].Len() {
			var s float64
			for _, v := range scans[t].VelAt(i) {
				s += v * v
			}
			most = max(most, s)
		}
	}
	return math.Sqrt(most)
}
