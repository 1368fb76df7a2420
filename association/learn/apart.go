package learn

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"mtt"
	"mtt/costgen"
)

// This file moves scans apart, so that no detection follows another and what is tracked among them is chance.

// movedDetections is how many are moved, at most, and movedScans from how many scans where there are more.
const movedDetections, movedScans = 2000, 20

// Apart are scans in the middle, with those of their detections that lie in the middle of each,
// which are as many of one as of another, each scan moved by itself by up to the width of its field
// along each axis: what leaves the field on one side comes in on the other.
func Apart(scans []mtt.Scan) []mtt.Scan {
	parts := middle(scans)
	if len(parts) == 0 {
		return nil
	}
	dim := parts[0].Dim
	rng := rand.New(rand.NewPCG(1, 2))
	for t := range parts {
		s := &parts[t]
		for d := range dim {
			lo, hi := math.Inf(1), math.Inf(-1)
			for i := range s.Len() {
				lo, hi = min(lo, s.At(i)[d]), max(hi, s.At(i)[d])
			}
			beyond := (hi - lo) / float64(max(1, s.Len()-1)) // the field reaches as far beyond the last of them as neighbours are apart along the axis
			wide := hi - lo + 2*beyond
			by := wide * rng.Float64()
			for i := range s.Len() {
				y := &s.Pos[i*dim+d]
				if *y += by; *y > hi+beyond {
					*y -= wide
				}
			}
		}
	}
	return parts
}

// middle are scans in the middle, with those of their detections that lie in the middle of each,
// which are as many of one as of another.
func middle(scans []mtt.Scan) []mtt.Scan {
	k := len(scans)
	if count(scans) > movedDetections {
		k = min(k, movedScans)
	}
	first := (len(scans) - k) / 2
	parts := slices.Clone(scans[first : first+k])
	n := count(parts)
	if n == 0 {
		return nil
	}
	dim := parts[0].Dim
	share := min(1, math.Pow(movedDetections/n, 1/float64(dim)))
	for t := range parts {
		for d := range dim { // what is left in the end are shares of shares
			s := &parts[t]
			order := make([]int32, s.Len())
			for i := range order {
				order[i] = int32(i)
			}
			slices.SortFunc(order, func(i, j int32) int { return cmp.Or(cmp.Compare(s.At(int(i))[d], s.At(int(j))[d]), cmp.Compare(i, j)) })
			edge := int(float64(len(order)) * (1 - share) / 2)
			order = order[edge : len(order)-edge]
			slices.Sort(order)
			parts[t] = s.Pick(order)
		}
	}
	return parts
}

// Densities are the places of levels for parts of scans that were moved apart: where levels have a
// density of false alarms, that of all that parts have is theirs and that of targets; else nil.
func Densities(g *costgen.Levels, scans, parts []mtt.Scan) *costgen.Places {
	if g.Places == nil || g.Places.Clutter == nil {
		return nil
	}
	each := func(scans []mtt.Scan) float64 { return count(scans) / float64(max(1, len(scans))) }
	m, _ := costgen.FitClutter(parts, nil, 6*g.Sigma, g.Rates.Volume*each(parts)/each(scans))
	return &costgen.Places{Clutter: m, Targets: m}
}

// byChance is the share of the links of the tracks of l that its levels would make if no detection
// followed another: 1 and more where chance makes as many.
func (l *learner) byChance(ctx context.Context) (share float64, err error) {
	links := hits(l.tracks) - len(l.tracks)
	parts := Apart(l.part)
	n := count(parts)
	if links == 0 || n == 0 {
		return 0, nil
	}
	levels := *l.levels
	levels.Places = Densities(l.levels, l.part, parts)
	levels.Rates.Targets = min(levels.Rates.Targets, levels.Rates.Births) // what begins in the first of them was not there before
	found, _, err := l.pilot(ctx, parts, l.model(&levels))
	return float64(hits(found)-len(found)) / n * count(l.part) / float64(links), err
}
