package bench

// This file holds what simple programs do: one assignment of squared distances for each
// pair of frames, with a cut-off; and what the truth tells trackers.

import (
	"context"
	"math"
	"slices"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/gating"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
	"mtt/metrics"
)

// bestFrames tracks by frame pairs with the cut-off, of some, that the truth likes best: the
// fewest links that are wrong, missing or false. It is what scipy.optimize.linear_sum_assignment
// gives, whose optimum this is.
func bestFrames(ctx context.Context, scans []mtt.Scan, truth []mtt.Track) ([]mtt.Track, error) {
	steps := displacements(scans, truth)
	var best []mtt.Track
	least := math.Inf(1)
	for _, share := range []float64{0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 1} {
		if len(steps) == 0 {
			break
		}
		cut := 1.05 * steps[int(share*float64(len(steps)-1))]
		tracks, err := frameByFrame(ctx, scans, cut)
		if err != nil {
			return nil, err
		}
		r, err := metrics.ScoreContext(ctx, truth, tracks, &metrics.Options{Only: metrics.Links})
		if err != nil {
			return nil, err
		}
		if failed := r.MMEP + falseLinks(r); failed < least {
			best, least = tracks, failed
		}
	}
	return best, nil
}

// frameByFrame links each frame to the next so that the sum of squared distances, and of
// cut² for every link less than there could be, is least.
func frameByFrame(ctx context.Context, scans []mtt.Scan, cut float64) ([]mtt.Track, error) {
	links := chain.New(scans)
	var f gating.Finder
	var near gating.CSR
	var solver ssp.Solver
	var sol mapsolver.Solution
	for t := 1; t < len(scans); t++ {
		a, b := &scans[t-1], &scans[t]
		if a.Len() == 0 || b.Len() == 0 {
			continue
		}
		if _, err := f.Within(&near, a.Dim, a.Pos, slices.Repeat([]float64{cut}, a.Len()), b.Pos); err != nil {
			return nil, err
		}
		p := mapsolver.Problem{
			Rows: near.Rows, Cols: near.Cols, Ptr: near.Ptr, Col: near.Col,
			RowMiss: slices.Repeat([]float64{cut * cut / 2}, near.Rows), ColMiss: slices.Repeat([]float64{cut * cut / 2}, near.Cols),
		}
		for i := range near.Rows {
			for _, j := range near.Row(i) {
				p.Cost = append(p.Cost, square(a.At(i), b.At(int(j))))
			}
		}
		if err := solver.Solve(ctx, &sol, &p, nil); err != nil {
			return nil, err
		}
		for i, j := range sol.ColOf {
			if j >= 0 {
				links.Link(chain.At(t-1, i), chain.At(t, j))
			}
		}
	}
	return links.Tracks(scans, false), nil
}

// square is the squared distance of two points.
func square(a, b []float64) (d2 float64) {
	for k := range a {
		d2 += (a[k] - b[k]) * (a[k] - b[k])
	}
	return d2
}

// detected are the detections of true tracks, in order of time.
func detected(scans []mtt.Scan, truth []mtt.Track) []mtt.Track {
	at := mtt.ByFrame(scans)
	seen := make([]mtt.Track, len(truth))
	for i := range truth {
		seen[i] = mtt.Track{ID: truth[i].ID, Dim: truth[i].Dim}
		for _, h := range truth[i].Hits {
			if h.Det >= 0 {
				seen[i].Append(&scans[at[h.Frame]], h.Det)
			}
		}
	}
	return seen
}

// displacements are the distances, in order, that targets get from frame to frame.
func displacements(scans []mtt.Scan, truth []mtt.Track) []float64 {
	at := mtt.ByFrame(scans)
	var all []float64
	for _, tr := range detected(scans, truth) {
		for h := 1; h < len(tr.Hits); h++ {
			if at[tr.Hits[h].Frame] == at[tr.Hits[h-1].Frame]+1 {
				all = append(all, math.Sqrt(square(tr.At(h-1), tr.At(h))))
			}
		}
	}
	slices.Sort(all)
	return all
}

// truthLevels are the levels that the truth tells: those of noise and motion fitted to the
// detections of the true tracks, rates counted, half an event added to each count. What it
// does not tell is as in base.
func truthLevels(scans []mtt.Scan, truth []mtt.Track, base *costgen.Levels) *costgen.Levels {
	index, all := mtt.ByFrame(scans), 0.0
	for t := range scans {
		all += float64(scans[t].Len())
	}
	at := func(frame int) float64 { return scans[index[frame]].Time }
	g := *base
	seen := detected(scans, truth)
	told := costgen.Levels{Motion: g.Motion, Dim: g.Dim, Interval: g.Interval, PositionsOnly: g.PositionsOnly, Rates: g.Rates}
	if costgen.Fit(&told, seen, at) {
		g = told
	}
	var born, died, alive, found, runs, missed, hits, first float64
	last, speed := len(scans)-1, 0.0
	for i := range seen {
		h := seen[i].Hits
		if len(h) == 0 {
			continue
		}
		from, to := index[truth[i].Hits[0].Frame], index[truth[i].Hits[len(truth[i].Hits)-1].Frame]
		if from == 0 {
			first++
		} else {
			born++
		}
		if to < last {
			died++
		}
		alive += float64(to - from)
		hits += float64(len(h))
		for n := 1; n < len(h); n++ {
			found++
			if gap := index[h[n].Frame] - index[h[n-1].Frame] - 1; gap > 0 {
				runs, missed = runs+1, missed+float64(gap)
			}
			speed = max(speed, math.Sqrt(square(seen[i].At(n-1), seen[i].At(n)))/(at(h[n].Frame)-at(h[n-1].Frame)))
		}
	}
	r := &g.Rates
	r.Detect, r.Hidden = 1-(runs+0.5)/(found+1), (missed-runs+0.5)/(missed+1)
	r.Survive, r.Births, r.Targets = 1-(died+0.5)/(alive+died+1), (born+0.5)/float64(max(1, last)), first+0.5
	r.Clutter = (all - hits + 0.5) / float64(last+2)
	g.MaxSpeed = 1.25 * speed
	return &g
}
