package metrics

import (
	"context"
	"fmt"
	"math"
)

// This file computes the distances between sets: OSPA and GOSPA.

// SetDistances are distances between the sets of true and estimated hits, in
// units of the distance, with their parts.
//
// In a frame with n true and m estimated hits, cut-off c and order p, choose
// pairs P, each hit at most once, of least
//
//	E = Σ over P of d^p + c^p/2 · (n + m − 2·|P|)
//
// GOSPA, with its α = 2, is E^(1/p) [2]: the localisation error of the pairs,
// c^p/2 for each missed target, c^p/2 for each false track hit. The same pairs
// serve OSPA [1], which cuts distances at c and divides by the greater number:
//
//	OSPA = (1/max(n,m) · (Σ over P of d^p + c^p · (max(n,m) − |P|)))^(1/p)
//
// Pairs at or beyond the cut-off gain nothing and are absent from the
// assignment problem. Both are 0 where there are neither targets nor tracks.
//
// What is reported is the mean over the frames in which there is a hit. The
// parts are p-th roots of their frame's part of E, so only their p-th powers
// add up to that of GOSPA, and only frame by frame.
//
// [1] Schuhmacher, Vo, Vo. A consistent metric for performance evaluation of
// multi-object filters. IEEE Trans. Signal Process. 56(8), 2008.
//
// [2] Rahmathullah, García-Fernández, Svensson. Generalized optimal sub-pattern
// assignment metric. FUSION 2017.
type SetDistances struct {
	OSPA              float64 `json:"ospa"`
	OSPALocalisation  float64 `json:"ospa_localisation"`
	OSPACardinality   float64 `json:"ospa_cardinality"`
	GOSPA             float64 `json:"gospa"`
	GOSPALocalisation float64 `json:"gospa_localisation"`
	GOSPAMissed       float64 `json:"gospa_missed"`
	GOSPAFalse        float64 `json:"gospa_false"`
}

// SetScores are the means of the set distances over the frames.
type SetScores struct {
	SetDistances

	// PerFrame is the series of the frames, when Options.Series asks for it.
	PerFrame []FrameScores `json:"per_frame,omitempty"`
}

// FrameScores are the set distances of one frame.
type FrameScores struct {
	Frame int `json:"frame"`
	SetDistances
	Missed int `json:"missed"` // targets without a pair
	False  int `json:"false"`  // track hits without a pair
}

// add adds w times e.
func (d *SetDistances) add(w float64, e *SetDistances) {
	d.OSPA += w * e.OSPA
	d.OSPALocalisation += w * e.OSPALocalisation
	d.OSPACardinality += w * e.OSPACardinality
	d.GOSPA += w * e.GOSPA
	d.GOSPALocalisation += w * e.GOSPALocalisation
	d.GOSPAMissed += w * e.GOSPAMissed
	d.GOSPAFalse += w * e.GOSPAFalse
}

// scale multiplies all by w.
func (d *SetDistances) scale(w float64) {
	e := *d
	*d = SetDistances{}
	d.add(w, &e)
}

func scoreSets(ctx context.Context, s *scene, near *pairs, o *Options, lap *assigner) (*SetScores, error) {
	var sum SetDistances
	var series []FrameScores
	cut := power(o.Cutoff, o.Order)
	for t := range s.frames {
		first := s.truth.ptr[t]
		lap.begin(s.tracks.ptr[t+1] - s.tracks.ptr[t])
		for r := first; r < s.truth.ptr[t+1]; r++ {
			for e := near.ptr[r]; e < near.ptr[r+1]; e++ {
				lap.pair(near.col[e], cut-power(near.d[e], o.Order))
			}
			lap.endRow()
		}
		colOf, err := lap.solve(ctx)
		if err != nil {
			return nil, fmt.Errorf("metrics: frame %d: %w", s.frames[t], err)
		}
		found, errors := 0, 0.0
		for i, j := range colOf {
			if j != none {
				found++
				errors += power(near.d[near.entry(first+i, j)], o.Order)
			}
		}
		f := frameScores(s.frames[t], len(s.truth.frame(t)), len(s.tracks.frame(t)), found, errors, o)
		sum.add(1, &f.SetDistances)
		if o.Series {
			series = append(series, f)
		}
	}
	if n := len(s.frames); n > 0 {
		sum.scale(1 / float64(n))
	}
	return &SetScores{SetDistances: sum, PerFrame: series}, nil
}

// frameScores are the distances of a frame with n true and m estimated hits, of
// which found pairs are chosen with Σ d^p = errors.
func frameScores(frame, n, m, found int, errors float64, o *Options) FrameScores {
	cut := power(o.Cutoff, o.Order)
	root := func(x float64) float64 { return power(x, 1/o.Order) }
	f := FrameScores{Frame: frame, Missed: n - found, False: m - found}
	missed, extra := cut/2*float64(f.Missed), cut/2*float64(f.False)
	f.GOSPA = root(errors + missed + extra)
	f.GOSPALocalisation, f.GOSPAMissed, f.GOSPAFalse = root(errors), root(missed), root(extra)

	least, most := min(n, m), float64(max(n, m))
	if most > 0 {
		loc := errors + cut*float64(least-found)
		card := cut * (most - float64(least))
		f.OSPA = root((loc + card) / most)
		f.OSPALocalisation, f.OSPACardinality = root(loc/most), root(card/most)
	}
	return f
}

// power is x^p.
func power(x, p float64) float64 {
	switch p {
	case 1:
		return x
	case 2:
		return x * x
	case 0.5:
		return math.Sqrt(x)
	}
	return math.Pow(x, p)
}
