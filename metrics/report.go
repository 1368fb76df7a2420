package metrics

import (
	"errors"
	"fmt"
	"slices"
)

// This file defines the report: what it holds, how reports add up, and the list
// of its values.

// A Report is what Score found. The scores of a group are promoted, as in
// r.MOTA; the embedded pointer of a group that Options.Only left out is nil and
// its keys are absent in JSON. A rate without anything to divide by (MOTA
// without targets, MOTP without matches) is 0.
type Report struct {
	Options   Options `json:"options"` // with the values that were used
	Measure   string  `json:"measure"` // the distance: "euclidean" or "1-iou"
	Frames    int     `json:"frames"`  // in which there is a hit
	Targets   int     `json:"targets"` // true trajectories with a hit
	Tracks    int     `json:"tracks"`  // tracks with a hit
	TruthHits int     `json:"truth_hits"`
	TrackHits int     `json:"track_hits"`

	// Warnings are worth showing: signs that truth, tracks and options do not
	// fit together.
	Warnings []string `json:"warnings,omitempty"`

	*LinkScores
	*DivisionScores
	*CLEARScores
	*IdentityScores
	*HOTAScores
	*SetScores
	*TrajectoryScores
}

// finish computes the rates of r from its counts.
func (r *Report) finish() {
	if r.LinkScores != nil {
		r.LinkScores.finish()
	}
	if r.DivisionScores != nil {
		r.DivisionScores.finish(&r.Options)
	}
	if r.CLEARScores != nil {
		r.CLEARScores.finish()
	}
	if r.IdentityScores != nil {
		r.IdentityScores.finish()
	}
	if r.HOTAScores != nil {
		r.HOTAScores.finish(r)
	}
}

// Merge pools reports as if their scenes were one, one after the other: counts are added and rates
// computed from the sums, set distances are averaged over all frames. Series and warnings are
// dropped. The reports must hold the same groups of scores, made with the same options; those of
// divisions and of trajectories are dropped where a report lacks them.
func Merge(reports ...*Report) (*Report, error) {
	if len(reports) == 0 {
		return nil, errors.New("metrics: no reports to merge")
	}
	sum := reports[0].empty()
	if slices.ContainsFunc(reports, func(r *Report) bool { return r.DivisionScores == nil }) {
		sum.DivisionScores = nil
	}
	if slices.ContainsFunc(reports, func(r *Report) bool { return r.TrajectoryScores == nil }) {
		sum.TrajectoryScores = nil
	}
	var e energies // of the trajectories
	for i, r := range reports {
		if !sum.sameKind(r) {
			return nil, fmt.Errorf("metrics: report %d (%s, %+v) cannot be added to the first (%s, %+v): "+
				"score both with the same options", i+1, r.Measure, r.Options, sum.Measure, sum.Options)
		}
		sum.add(r)
		if r.TrajectoryScores != nil {
			one := r.TrajectoryScores.energies(&r.Options, r.Targets, r.Tracks)
			e.add(&one)
		}
	}
	if sum.TrajectoryScores != nil {
		sum.TrajectoryScores = e.scores(&sum.Options, sum.Targets, sum.Tracks)
	}
	if sum.SetScores != nil && sum.Frames > 0 {
		sum.SetDistances.scale(1 / float64(sum.Frames))
	}
	sum.finish()
	return sum, nil
}

// empty is a report of the same kind as r without counts.
func (r *Report) empty() *Report {
	e := &Report{Options: r.Options, Measure: r.Measure}
	e.Options.Only, e.Options.Series = 0, false
	if r.LinkScores != nil {
		e.LinkScores = &LinkScores{LinksBy: r.LinksBy}
	}
	if r.DivisionScores != nil {
		e.DivisionScores = &DivisionScores{}
	}
	if r.CLEARScores != nil {
		e.CLEARScores = &CLEARScores{}
	}
	if r.IdentityScores != nil {
		e.IdentityScores = &IdentityScores{}
	}
	if r.HOTAScores != nil {
		e.HOTAScores = &HOTAScores{}
	}
	if r.SetScores != nil {
		e.SetScores = &SetScores{}
	}
	if r.TrajectoryScores != nil {
		e.TrajectoryScores = &TrajectoryScores{}
	}
	return e
}

// sameKind is whether r can be added to sum.
func (sum *Report) sameKind(r *Report) bool {
	o := r.Options
	o.Only, o.Series = 0, false
	return o == sum.Options && r.Measure == sum.Measure &&
		(r.LinkScores != nil) == (sum.LinkScores != nil) &&
		(r.CLEARScores != nil) == (sum.CLEARScores != nil) &&
		(r.IdentityScores != nil) == (sum.IdentityScores != nil) &&
		(r.HOTAScores != nil) == (sum.HOTAScores != nil) &&
		(r.SetScores != nil) == (sum.SetScores != nil)
}

// add adds the counts of r, and its set distances times its frames.
func (sum *Report) add(r *Report) {
	sum.Frames += r.Frames
	sum.Targets += r.Targets
	sum.Tracks += r.Tracks
	sum.TruthHits += r.TruthHits
	sum.TrackHits += r.TrackHits
	if sum.LinkScores != nil {
		sum.LinkScores.add(r.LinkScores)
	}
	if sum.DivisionScores != nil {
		sum.DivisionScores.add(r.DivisionScores)
	}
	if sum.CLEARScores != nil {
		sum.CLEARScores.add(r.CLEARScores)
	}
	if sum.IdentityScores != nil {
		sum.IdentityScores.add(r.IdentityScores)
	}
	if sum.HOTAScores != nil {
		sum.HOTAScores.add(r.HOTAScores)
	}
	if sum.SetScores != nil {
		sum.SetDistances.add(float64(r.Frames), &r.SetDistances)
	}
}

// percent is 100·n/of, 0 when there is nothing to divide by.
func percent(n, of int) float64 { return ratio(100*float64(n), of) }

// ratio is x/n, 0 when there is nothing to divide by.
func ratio(x float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return x / float64(n)
}
