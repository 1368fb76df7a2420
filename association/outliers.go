package association

import (
	"context"
	"math"

	"mtt"
	"mtt/association/chain"
	"mtt/association/learn"
	"mtt/association/refine"
	"mtt/costgen"
)

// This file refines tracks once more where some positions are far off.

// outliers refines links again with noise that has outliers, where tracks speak for them, and keeps
// that where whole tracks are likelier, by more than two more numbers are worth. Tracks end at
// outliers before they are known, so they are counted until no more are found.
func (r *run) outliers(ctx context.Context, scans []mtt.Scan, res *Result, links *chain.Links, o *refine.Options) (kept bool, err error) {
	const rounds = 3
	if r.pilot || r.known() != nil || o.Seldom || len(scans) == 0 {
		return false, nil
	}
	model := res.Model.(costgen.Leveled)
	levels := model.Noise()
	var before *chain.Links
	usual, price, n := levels.Whole, 0.0, 0
	time := learn.Times(scans)
	for round := range rounds {
		tracks := r.listed.of(links, scans, false)
		learnt := costgen.FitOutliers(levels.OfTracks(), tracks, time, r.Sigma == 0, r.Accel == 0)
		switch {
		case learnt == nil && round == 0:
			if left, _ := learn.Leftover(scans, tracks, levels); !suspect(links, scans, left, levels) {
				return false, nil
			}
			first := *levels
			learnt = &first
			learnt.OutlierProb, learnt.OutlierTimes = 0.03, 5
		case learnt == nil:
			*links, levels.Whole = *before, usual
			return false, nil
		}
		if round == 0 {
			before, price = links.Clone(), whole(links, scans, model)
		}
		learnt.Whole, levels.Whole = nil, learnt
		n = hits(tracks)
		changed, err := refine.Links(ctx, links, scans, res.Instance.Gates, model, o)
		if err != nil {
			*links, levels.Whole = *before, usual
			return false, err
		}
		if changed == 0 {
			break
		}
	}
	if kept = levels.Whole != usual && whole(links, scans, model)+math.Log(float64(n)) < price; !kept {
		*links, levels.Whole = *before, usual
	}
	res.Levels.Whole = levels.Whole
	return kept, nil
}

// suspect reports whether more of what tracks leave over lies where they have a miss than false
// alarms would: within ten times the noise. These are as dense as in the field, or as three to four
// times as far away, whichever is more: they may lie all over it or, some of the time, just here.
func suspect(links *chain.Links, scans, left []mtt.Scan, levels *costgen.Levels) bool {
	const times, inner, outer = 10, 3, 4
	dim, reach := float64(scans[0].Dim), times*levels.Sigma
	ball := math.Pow(2*reach, dim) / levels.Rates.Volume // not less than its share of the field
	found, around, chance := 0.0, 0.0, 0.0
	for t := range links.Next {
		for i, next := range links.Next[t] {
			if next == chain.None {
				continue
			}
			from, to := &scans[t], &scans[next.T]
			for u := t + 1; u < int(next.T); u++ {
				x := costgen.Between(from.At(i), to.At(int(next.Det)), from.Time, to.Time, scans[u].Time)
				chance += float64(left[u].Len()) * ball
				for k := range left[u].Len() {
					d := 0.0
					for n, y := range left[u].At(k) {
						d = math.Hypot(d, y-x[n])
					}
					switch {
					case d < reach:
						found++
					case inner*reach < d && d < outer*reach:
						around++
					}
				}
			}
		}
	}
	chance = max(chance, around/(math.Pow(outer, dim)-math.Pow(inner, dim)))
	return found > chance+2*math.Sqrt(chance+1)
}

// whole is the price of links with what prices leave out.
func whole(links *chain.Links, scans []mtt.Scan, model costgen.Leveled) float64 {
	n := 0
	for t := range links.Next {
		for _, next := range links.Next[t] {
			if next != chain.None {
				n++
			}
		}
	}
	return refine.Price(links, scans, model) - float64(n)*model.Noise().OfTracks().Usual()
}
