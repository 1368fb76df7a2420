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

// This file refines tracks once more where some misses last.

// lasting refines links again with runs of misses of two kinds, and keeps that where whole tracks
// are likelier, by more than two more numbers are worth. Long runs cannot be counted before they
// are closed, and are not closed before they are counted: so the first are looked for as if half a
// run lasted a fifth of the longest there may be, and then as many as were found, until no more
// are.
func (r *run) lasting(ctx context.Context, scans []mtt.Scan, res *Result, links *chain.Links, o *refine.Options) (kept bool, err error) {
	const rounds = 4
	model := res.Model.(costgen.Leveled)
	levels := model.Noise()
	said := r.known() != nil || r.Rates != nil && r.Rates.Hidden > 0 || r.MaxMisses != auto
	if r.pilot || said || !res.Coasts || o.Seldom || levels.Sensing != nil {
		return false, nil
	}
	before, price := links.Clone(), refine.Price(links, scans, model)
	fit, n := costgen.FitLasting(lapses(links))
	levels.Lasting = costgen.Lasting{Share: 0.5 / (n + 1), Brief: levels.Rates.Again(), Long: 1 - 5./longest}
	if fit.Share < 1 {
		levels.Lasting.Share, levels.Lasting.Brief = max(fit.Share, levels.Lasting.Share), min(fit.Brief, levels.Lasting.Brief)
	}
	found := 0
	for range rounds {
		o.Misses = learn.Worthwhile(levels, max(0, min(longest, len(scans)-2)), levels.LeastRuns())
		changed, err := refine.Links(ctx, links, scans, res.Instance.Gates, model, o)
		if err != nil {
			*links, levels.Lasting = *before, costgen.Lasting{}
			return false, err
		}
		if changed == 0 {
			break
		}
		found += changed
		if levels.Lasting, n = costgen.FitLasting(lapses(links)); levels.Lasting.Share == 1 { // of one kind
			break
		}
	}
	if kept = found > 0 && levels.Lasting.Share < 1 && refine.Price(links, scans, model)+math.Log(max(n, 1)) < price; !kept {
		*links, levels.Lasting = *before, costgen.Lasting{}
	}
	res.Levels.Lasting = levels.Lasting
	return kept, nil
}

// lapses counts the runs of misses of tracks: those of k+1 misses.
func lapses(links *chain.Links) (runs []int) {
	for t := range links.Next {
		for _, next := range links.Next[t] {
			if k := int(next.T) - t - 2; next != chain.None && k >= 0 {
				for len(runs) <= k {
					runs = append(runs, 0)
				}
				runs[k]++
			}
		}
	}
	return runs
}
