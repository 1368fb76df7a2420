package task

import (
	"context"
	"math"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
	"mtt/association/instance"
	"mtt/association/refine"
	"mtt/costgen"
)

// This file says how probable the links of tracks are, by refine.NewOdds, which has the rivals of
// the tracks made of the arcs of the assignment problem.

// Rivals that exchange detections for some frames are looked at where a margin is smaller: farther
// ones are not doubtful.
const farther = 6

// likelihoods returns the log odds for what comes before each hit of each track, and how sharp the
// noise was for them. They are NaN in the first scan, where nothing can be before.
func (m *trackMargins) likelihoods(ctx context.Context, res *association.Result, workers int) (odds [][]float64, sharpness float64, err error) {
	scans := res.Instance.Scans
	scan := make(map[int]int32, len(scans)) // of a frame
	for t := range scans {
		scan[scans[t].Frame] = int32(t)
	}
	at := func(h mtt.Hit) chain.Node { return chain.At(scan[h.Frame], int32(h.Det)) }
	links := chain.New(scans)
	for k := range res.Tracks {
		for h := 1; h < len(res.Tracks[k].Hits); h++ {
			links.Link(at(res.Tracks[k].Hits[h-1]), at(res.Tracks[k].Hits[h]))
		}
	}
	all, err := refine.NewOdds(ctx, links, scans, candidates(res.Instance, links, m.all), res.Model.(costgen.Leveled), workers)
	if err != nil {
		return nil, 0, err
	}
	odds = make([][]float64, len(res.Tracks))
	for k := range res.Tracks {
		odds[k] = make([]float64, len(res.Tracks[k].Hits))
		for h, hit := range res.Tracks[k].Hits {
			n := at(hit)
			if odds[k][h] = -all.Against[n.T][n.Det]; n.T == 0 || math.IsInf(odds[k][h], 0) {
				odds[k][h] = math.NaN()
			}
		}
	}
	return odds, all.Sharpness, nil
}

// candidates are the arcs of inst, those over misses included, that tracks do not have; near are
// those at which a margin is small or unknown.
func candidates(inst *instance.Instance, links *chain.Links, all *instance.Margins) (list []refine.Candidate) {
	for p := range inst.Dual.Pairs {
		g, n, m := &inst.Dual.Pairs[p], inst.Scans[p].Len(), inst.Scans[p+1].Len()
		for i := range g.Rows {
			from := chain.At(p, i)
			if i >= n {
				coast := inst.Coast[p][i-n]
				from = chain.At(int32(p)-coast.Since, coast.From)
			}
			own := links.Next[from.T][from.Det]
			least := all.After[from.T][from.Det]
			if own != chain.None {
				least = all.Before[own.T][own.Det]
			}
			for _, j := range g.Col[g.Ptr[i]:g.Ptr[i+1]] {
				if to := chain.At(p+1, int(j)); int(j) < m && to != own {
					list = append(list, refine.Candidate{From: from, To: to, Near: !(min(least, all.Before[p+1][j]) >= farther)})
				}
			}
		}
	}
	return list
}

// probability is that of log odds.
func probability(odds float64) float64 { return 1 / (1 + math.Exp(-odds)) }
