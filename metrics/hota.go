package metrics

import (
	"context"
	"fmt"
	"math"
)

// This file computes HOTA.

// Alphas is the number of localisation thresholds of HOTA: threshold a, from
// 0, is (a+1)/20.
const Alphas = 19

// HOTAScores are the HOTA scores; all but the sums are percentages and means
// over the thresholds, as the reference code (TrackEval) of [1] computes them.
//
// For a target g and a track k let C(g,k) be the sum over frames of
//
//	S / (Σ S of the target's pairs + Σ S of the track's pairs − S)
//
// where S is the similarity of the two in the frame, and
// J(g,k) = C / (hits of g + hits of k − C) their overall alignment. Each frame
// is matched once, by the assignment of greatest Σ J·S. For each threshold
// α = 0.05, 0.10 … 0.95 the matches with S ≥ α are the true positives TP, and
//
//	DetA = TP / (true hits + track hits − TP)
//	AssA = 1/TP · Σ over true positives of m / (hits of g + hits of k − m)
//	LocA = 1/TP · Σ over true positives of S
//	HOTA = √(DetA·AssA)
//
// where m counts the true positives that g and k have in common. What is
// reported is the mean over α, and HOTA(0), the value at α = 0.05.
//
// [1] Luiten, Ošep, Dendorfer, Torr, Geiger, Leal-Taixé, Leibe. HOTA: a higher
// order metric for evaluating multi-object tracking. IJCV 129, 2021.
type HOTAScores struct {
	HOTA  float64 `json:"hota"`
	DetA  float64 `json:"deta"`
	AssA  float64 `json:"assa"`
	DetRe float64 `json:"detre"` // recall of detections
	DetPr float64 `json:"detpr"` // precision of detections
	AssRe float64 `json:"assre"` // recall of association
	AssPr float64 `json:"asspr"` // precision of association
	LocA  float64 `json:"loca"`
	HOTA0 float64 `json:"hota0"` // HOTA at the first threshold

	// Sums holds what each threshold contributes.
	Sums HOTASums `json:"hota_sums"`
}

// HOTASums are sums over true positives, one for each threshold.
type HOTASums struct {
	TP    [Alphas]int     `json:"tp"`
	AssA  [Alphas]float64 `json:"assa"`
	AssRe [Alphas]float64 `json:"assre"`
	AssPr [Alphas]float64 `json:"asspr"`
	LocA  [Alphas]float64 `json:"loca"`
}

// A HOTAPoint is HOTA and its parts at one threshold, in percent.
type HOTAPoint struct {
	Alpha                  float64 // similarity, 0.05 … 0.95
	HOTA, DetA, AssA, LocA float64
}

// HOTACurve returns HOTA at each threshold; nil when r has no HOTA scores.
func (r *Report) HOTACurve() []HOTAPoint {
	if r.HOTAScores == nil {
		return nil
	}
	curve := make([]HOTAPoint, Alphas)
	for a := range curve {
		tp, sums := r.Sums.TP[a], &r.Sums
		p := HOTAPoint{
			Alpha: float64(a+1) / 20,
			DetA:  percent(tp, r.TruthHits+r.TrackHits-tp),
			AssA:  ratio(100*sums.AssA[a], tp),
			LocA:  100, // by convention when there is no match
		}
		if tp > 0 {
			p.LocA = 100 * sums.LocA[a] / float64(tp)
		}
		p.HOTA = math.Sqrt(p.DetA * p.AssA)
		curve[a] = p
	}
	return curve
}

// finish computes the means over the thresholds from the sums.
func (h *HOTAScores) finish(r *Report) {
	*h = HOTAScores{Sums: h.Sums}
	curve := r.HOTACurve()
	for a, p := range curve {
		tp := h.Sums.TP[a]
		h.HOTA += p.HOTA
		h.DetA += p.DetA
		h.AssA += p.AssA
		h.LocA += p.LocA
		h.DetRe += percent(tp, r.TruthHits)
		h.DetPr += percent(tp, r.TrackHits)
		h.AssRe += ratio(100*h.Sums.AssRe[a], tp)
		h.AssPr += ratio(100*h.Sums.AssPr[a], tp)
	}
	for _, mean := range []*float64{&h.HOTA, &h.DetA, &h.AssA, &h.LocA, &h.DetRe, &h.DetPr, &h.AssRe, &h.AssPr} {
		*mean /= Alphas // last, so that 100 stays 100
	}
	h.HOTA0 = curve[0].HOTA
}

// add adds the sums of g.
func (h *HOTAScores) add(g *HOTAScores) {
	for a := range Alphas {
		h.Sums.TP[a] += g.Sums.TP[a]
		h.Sums.AssA[a] += g.Sums.AssA[a]
		h.Sums.AssRe[a] += g.Sums.AssRe[a]
		h.Sums.AssPr[a] += g.Sums.AssPr[a]
		h.Sums.LocA[a] += g.Sums.LocA[a]
	}
}

func scoreHOTA(ctx context.Context, s *scene, near *pairs, over *overlaps, o *Options) (*HOTAScores, error) {
	h := &HOTAScores{}
	align := alignments(s, near, over, o)
	var lap assigner
	var matches []int // entries of near
	for t := range s.frames {
		first := s.truth.ptr[t]
		lap.begin(s.tracks.ptr[t+1] - s.tracks.ptr[t])
		for r := first; r < s.truth.ptr[t+1]; r++ {
			for e := near.ptr[r]; e < near.ptr[r+1]; e++ {
				lap.pair(near.col[e], align[over.of[e]]*o.similarity(near.d[e]))
			}
			lap.endRow()
		}
		colOf, err := lap.solve(ctx)
		if err != nil {
			return nil, fmt.Errorf("metrics: frame %d: %w", s.frames[t], err)
		}
		for i, j := range colOf {
			if j != none {
				matches = append(matches, near.entry(first+i, j))
			}
		}
	}
	h.Sums.sum(s, near, over, o, matches)
	return h, nil
}

// alignments returns J of each overlap.
func alignments(s *scene, near *pairs, over *overlaps, o *Options) []float64 {
	c := make([]float64, len(over.track))
	var colSum []float64
	for t := range s.frames {
		first, end := s.truth.ptr[t], s.truth.ptr[t+1]
		colSum = append(colSum[:0], make([]float64, s.tracks.ptr[t+1]-s.tracks.ptr[t])...)
		for e := near.ptr[first]; e < near.ptr[end]; e++ {
			colSum[near.col[e]] += o.similarity(near.d[e])
		}
		for r := first; r < end; r++ {
			rowSum := 0.0
			for e := near.ptr[r]; e < near.ptr[r+1]; e++ {
				rowSum += o.similarity(near.d[e])
			}
			for e := near.ptr[r]; e < near.ptr[r+1]; e++ {
				if sim := o.similarity(near.d[e]); sim > 0 {
					c[over.of[e]] += sim / (rowSum + colSum[near.col[e]] - sim)
				}
			}
		}
	}
	for g := range s.truth.of {
		for v := over.ptr[g]; v < over.ptr[g+1]; v++ {
			hits := len(s.truth.of[g].Hits) + len(s.tracks.of[over.track[v]].Hits)
			c[v] /= float64(hits) - c[v]
		}
	}
	return c
}

// sum counts the matched entries, overlap by overlap.
func (h *HOTASums) sum(s *scene, near *pairs, over *overlaps, o *Options, matches []int) {
	ptr := make([]int32, len(over.track)+1) // matches of each overlap
	for _, e := range matches {
		ptr[over.of[e]+1]++
	}
	for v := range over.track {
		ptr[v+1] += ptr[v]
	}
	next := append([]int32(nil), ptr...)
	sorted := make([]int, len(matches))
	for _, e := range matches {
		v := over.of[e]
		sorted[next[v]] = e
		next[v]++
	}
	for g := range s.truth.of {
		nt := len(s.truth.of[g].Hits)
		for v := over.ptr[g]; v < over.ptr[g+1]; v++ {
			nk := len(s.tracks.of[over.track[v]].Hits)
			var count [Alphas]int
			for _, e := range sorted[ptr[v]:ptr[v+1]] {
				sim := o.similarity(near.d[e])
				for a := 0; a < Alphas && sim >= alpha(a); a++ {
					count[a]++
					h.LocA[a] += sim
				}
			}
			for a, m := range count {
				if m == 0 {
					break
				}
				fm := float64(m)
				h.TP[a] += m
				h.AssA[a] += fm * fm / float64(nt+nk-m)
				h.AssRe[a] += fm * fm / float64(nt)
				h.AssPr[a] += fm * fm / float64(nk)
			}
		}
	}
}

// alpha is threshold a less the rounding that TrackEval forgives, and rounded
// as there: similarities of decimal positions do fall on thresholds.
func alpha(a int) float64 {
	const step = 0.05
	return step + float64(float64(a)*step) - 0x1p-52
}
