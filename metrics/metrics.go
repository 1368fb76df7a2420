package metrics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"mtt"
	"mtt/internal/workers"
)

// This file defines the options and the entry point.

// A Group names scores that are computed together; groups are or-ed.
type Group uint

// The groups of scores.
const (
	Links        Group = 1 << iota // ITCP, MMEP, false links
	CLEAR                          // MOTA, MOTP, FP, FN, IDSW, Frag, MT, PT, ML
	Identity                       // IDF1, IDP, IDR
	HOTA                           // HOTA, DetA, AssA, LocA
	Sets                           // OSPA, GOSPA
	Trajectories                   // trajectory GOSPA, OSPA⁽²⁾
	Divisions                      // of tracks with parents, where there are any: divisions, BC(i), CT, DET, LNK, TRA

	All = Links | CLEAR | Identity | HOTA | Sets | Trajectories | Divisions
)

// Options say how tracks are compared with the truth. The zero value is good:
// each field says what its zero means. A Report repeats the options with the
// values that were used.
type Options struct {
	// MatchDistance is the greatest distance at which an estimated point
	// counts as the true one, in the unit of Pos. 0 means 1. Boxes ignore it.
	MatchDistance float64 `json:"match_distance,omitempty"`

	// MatchIoU is the least overlap, in (0, 1], at which an estimated box
	// counts as the true one. 0 means 0.5. Points ignore it.
	MatchIoU float64 `json:"match_iou,omitempty"`

	// Points compares positions even where both sides have boxes.
	Points bool `json:"points"`

	// Cutoff is c of OSPA and GOSPA, of trajectories too, in units of the distance: of Pos for
	// points, of 1 − IoU, so at most 1, for boxes. 0 means 2·MatchDistance for
	// points and 1 for boxes.
	Cutoff float64 `json:"cutoff"`

	// Order is p ≥ 1 of OSPA and GOSPA. 0 means 2.
	Order float64 `json:"order"`

	// Switch is γ of trajectory GOSPA, the penalty for a track that takes over from
	// another, in units of the distance. 0 means Cutoff/10, as in the scripts of
	// the metric's authors (c = 10, γ = 1).
	Switch float64 `json:"switch"`

	// DivisionFrames is by how many frames, 0 to 3, a division may be off the true one to be right.
	DivisionFrames int `json:"division_frames,omitempty"`

	// Only chooses groups of scores. 0 means all that the scene allows: distances of trajectories
	// are left out, with a warning, where there are too many neighbours for them, which is an error
	// where the group is asked for.
	Only Group `json:"-"`

	// Series keeps OSPA and GOSPA of every frame in the report, for plots.
	Series bool `json:"-"`
}

// Score compares tracks with the truth. A nil opts is Options{}.
//
// Neither slice is kept or changed. A panic with a constant message says that
// the slices of a track differ in length; an error names the track, frame or
// option that makes no sense: frames out of order, a position that is not
// finite, one detection in two tracks.
//
// The time is linear in hits for the links, n log n in the hits of a frame to
// find the pairs that are near enough, and that of sparse linear assignment
// problems over those pairs for the rest; memory is linear in hits and pairs.
// Groups are computed side by side, by up to GOMAXPROCS goroutines.
func Score(truth, tracks []mtt.Track, opts *Options) (*Report, error) {
	return ScoreContext(context.Background(), truth, tracks, opts)
}

// ScoreContext is Score that ends early, with an error wrapping ctx.Err(), when
// ctx ends. There is no partial report.
func ScoreContext(ctx context.Context, truth, tracks []mtt.Track, opts *Options) (*Report, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	all := o.Only == 0
	if all {
		o.Only = All
	}
	s, err := newScene(truth, tracks, o.Points)
	if err != nil {
		return nil, err
	}
	if err := o.complete(s.boxes); err != nil {
		return nil, err
	}
	r := &Report{
		Options:   o,
		Measure:   s.measure(),
		Frames:    len(s.frames),
		Targets:   s.truth.live,
		Tracks:    s.tracks.live,
		TruthHits: s.truth.hits(),
		TrackHits: s.tracks.hits(),
		Warnings:  warnFrames(nil, s),
	}
	byDetection := s.truth.hasDet() && s.tracks.hasDet()
	if !s.truth.divides() && !s.tracks.divides() {
		o.Only &^= Divisions
	}
	needMatches := o.Only&CLEAR != 0 || o.Only&(Links|Divisions) != 0 && !byDetection
	var near *pairs
	var own *ownership
	if err := beside(func() (err error) {
		if needMatches || o.Only&^(Links|Divisions) != 0 {
			near, err = s.nearPairs(ctx, o.radius(s.boxes))
		}
		return err
	}, func() (err error) {
		if o.Only&(Links|Divisions) != 0 && byDetection {
			own, err = ownByDetection(s)
		}
		return err
	}); err != nil {
		return nil, err
	}
	var over *overlaps
	if o.Only&(Identity|HOTA|Trajectories) != 0 {
		over = newOverlaps(s, near)
	}
	var crowded *crowdedError
	var steps []func() error
	add := func(group Group, step func() error) {
		if o.Only&group != 0 {
			steps = append(steps, step)
		}
	}
	add(Trajectories, func() (err error) { // what takes longest begins first
		if r.TrajectoryScores, err = scoreTrajectories(ctx, s, near, over, &o); all && errors.As(err, &crowded) {
			return nil
		}
		return err
	})
	add(CLEAR|Links|Divisions, func() error {
		if needMatches {
			c, matched, err := scoreCLEAR(ctx, s, near, &o)
			if err != nil {
				return err
			}
			if o.Only&CLEAR != 0 {
				r.CLEARScores = c
			}
			if !byDetection {
				r.Warnings = warnFew(warnShift(r.Warnings, s), s, c.Matches, &o)
				r.Warnings = warnWide(r.Warnings, s, &o)
				own = ownByMatching(s, matched)
			}
		}
		if o.Only&Divisions != 0 {
			r.DivisionScores = scoreDivisions(s, own)
		}
		if o.Only&Links != 0 {
			r.LinkScores = scoreLinks(s, own, byDetection)
			if byDetection && o.Only != Links {
				r.Warnings = warnFar(r.Warnings, s, own, &o)
			}
		}
		return nil
	})
	add(Identity, func() (err error) { r.IdentityScores, err = scoreIdentity(ctx, s, near, over, &o); return err })
	add(HOTA, func() (err error) { r.HOTAScores, err = scoreHOTA(ctx, s, near, over, &o); return err })
	add(Sets, func() (err error) { r.SetScores, err = scoreSets(ctx, s, near, &o, new(assigner)); return err })
	if err := beside(steps...); err != nil {
		return nil, err
	}
	if crowded != nil {
		r.Warnings = append(r.Warnings, "trajectory GOSPA and OSPA(2) are left out: "+crowded.why)
	}
	r.finish()
	return r, nil
}

// beside takes steps side by side, and returns the error of the first that has one.
func beside(steps ...func() error) error {
	errs := make([]error, len(steps))
	workers.Each(workers.Count(0), len(steps), func(_, k int) { errs[k] = steps[k]() })
	return cmp.Or(errs...)
}

// complete checks o and fills in the defaults.
func (o *Options) complete(boxes bool) error {
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"MatchDistance", o.MatchDistance}, {"MatchIoU", o.MatchIoU},
		{"Cutoff", o.Cutoff}, {"Order", o.Order}, {"Switch", o.Switch},
	} {
		if !(f.value >= 0) || math.IsInf(f.value, 1) {
			return fmt.Errorf("metrics: Options.%s is %v, want a finite number, at least 0", f.name, f.value)
		}
	}
	if o.MatchIoU > 1 {
		return fmt.Errorf("metrics: Options.MatchIoU is %v, want a share in (0, 1]: is it a percentage?", o.MatchIoU)
	}
	if o.Order != 0 && o.Order < 1 {
		return fmt.Errorf("metrics: Options.Order is %v, want at least 1: OSPA and GOSPA are no metrics below", o.Order)
	}
	if boxes && o.Cutoff > 1 {
		return fmt.Errorf("metrics: Options.Cutoff is %v, but boxes are at most 1 apart (1 − IoU): "+
			"give a share, or compare Points", o.Cutoff)
	}
	if o.DivisionFrames < 0 || o.DivisionFrames >= maxDivisionFrames {
		return fmt.Errorf("metrics: Options.DivisionFrames is %d, want 0 to %d", o.DivisionFrames, maxDivisionFrames-1)
	}
	if o.Only&^All != 0 {
		return errors.New("metrics: Options.Only names a group that does not exist")
	}
	if boxes {
		o.MatchDistance = 0
		setDefault(&o.MatchIoU, 0.5)
		setDefault(&o.Cutoff, 1)
	} else {
		o.MatchIoU = 0
		setDefault(&o.MatchDistance, 1)
		setDefault(&o.Cutoff, 2*o.MatchDistance)
	}
	twice := ""
	if !boxes && o.Cutoff == 2*o.MatchDistance {
		twice = ", twice MatchDistance"
	}
	setDefault(&o.Order, 2)
	setDefault(&o.Switch, o.Cutoff/10)
	// Sums over as many hits as fit into memory stay finite, and what is far below the Cutoff normal.
	const bits = 960
	cutoff, change := o.Order*math.Log2(o.Cutoff), o.Order*math.Log2(o.Switch)
	switch {
	case o.Only != 0 && o.Only&(Sets|Trajectories) == 0:
	case cutoff > bits || cutoff < -bits:
		return fmt.Errorf("metrics: %w: Options.Cutoff is %v%s, to the power of Options.Order, %v", ErrPower, o.Cutoff, twice, o.Order)
	case change > bits:
		return fmt.Errorf("metrics: %w: Options.Switch is %v, to the power of Options.Order, %v", ErrPower, o.Switch, o.Order)
	}
	return nil
}

// ErrPower marks distances of which a power is too large or too small to be summed: OSPA and GOSPA
// are sums of powers.
var ErrPower = errors.New("too large or too small to be summed")

func setDefault(v *float64, d float64) {
	if *v == 0 {
		*v = d
	}
}

// radius is the distance beyond which a pair matters to no chosen score.
func (o *Options) radius(boxes bool) float64 {
	r := 0.0
	if o.Only&^(Sets|Trajectories) != 0 {
		r = 1
		if !boxes {
			r = 2 * o.MatchDistance
		}
	}
	if o.Only&(Sets|Trajectories) != 0 {
		r = max(r, o.Cutoff)
	}
	return r
}

// limit is the greatest distance of a match. The rounding of 1 − IoU is
// forgiven, as TrackEval does.
func (o *Options) limit() float64 {
	const ulp = 0x1p-52
	if o.MatchIoU > 0 {
		return 1 - o.MatchIoU + ulp
	}
	return o.MatchDistance * (1 + ulp)
}

// similarity is 1 at distance 0 and 0.5 at the default thresholds.
func (o *Options) similarity(d float64) float64 {
	if o.MatchIoU == 0 {
		d /= 2 * o.MatchDistance
	}
	if d >= 1 {
		return 0
	}
	return 1 - d
}
