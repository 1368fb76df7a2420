// Package gnn holds the baseline everyone knows: global nearest neighbour, a Kalman
// filter for each track and one assignment for each scan.
package gnn

import (
	"context"
	"fmt"
	"math"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
	"mtt/gating"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
	"mtt/motion"
)

// This file runs global nearest neighbour.

// Options say when tracks end, and how far they reach.
type Options struct {
	Misses int     // missed detections in a row that a track survives
	Speed  float64 // m/s: of the fastest target, for tracks of one detection
}

// Links runs a Kalman filter for each track and assigns the detections of each scan to
// the predicted tracks at least cost; unassigned detections begin tracks, a track ends
// after more than opts.Misses missed detections in a row. When ctx ends the links found
// by then come back with its error.
func Links(ctx context.Context, scans []mtt.Scan, levels *costgen.Levels, opts *Options) (*chain.Links, error) {
	links := chain.New(scans)
	params := levels.Params(dimension(scans))
	if levels.AnyGeneral(scans) {
		return links, follow(ctx, newNearest(motion.NewFull(params), links, scans, levels, opts))
	}
	return links, follow(ctx, newNearest(motion.NewAxes(params), links, scans, levels, opts))
}

// dimension is that of the scans, 2 when all are empty.
func dimension(scans []mtt.Scan) int {
	for t := range scans {
		if scans[t].Len() > 0 {
			return scans[t].Dim
		}
	}
	return 2
}

// A nearest holds the tracks that are alive; S is the state of a filter.
type nearest[S, E any] struct {
	*chain.Links
	opts   *Options
	scans  []mtt.Scan
	filter motion.Filter[S, E]
	dim    int
	live   []track[S]

	linked, missed, begun float64 // prices

	solver         ssp.Solver
	sol            mapsolver.Solution
	problem        mapsolver.Problem
	finder         gating.Finder
	found          gating.CSR
	centres, radii []float64
}

// A track is one that may go on.
type track[S any] struct {
	calm, wild S // predicted for the scan at hand, by a smooth step and by a manoeuvre
	last       chain.Node
	missed     int
	born       bool // of one detection
}

func newNearest[S, E any](filter motion.Filter[S, E], links *chain.Links, scans []mtt.Scan, levels *costgen.Levels, opts *Options) *nearest[S, E] {
	r := &levels.Rates
	g := &nearest[S, E]{
		Links: links, opts: opts, scans: scans, filter: filter, dim: dimension(scans),
		linked: -math.Log(r.Survive * r.Detect),
		missed: -math.Log(1 - r.Survive*r.Detect),
		begun:  math.Log(r.Volume) - math.Log(r.Births*r.Detect+r.Clutter),
	}
	if !levels.PositionsOnly { // the typical density of a measured velocity, as costgen.Levels.Ends has it
		g.begun += float64(g.dim) / 2 * (math.Log(2*math.Pi*(levels.SpeedStd*levels.SpeedStd+levels.SigmaV*levels.SigmaV)) + 1)
	}
	return g
}

// follow tracks all scans.
func follow[S, E any](ctx context.Context, g *nearest[S, E]) error {
	g.finder.Until(ctx)
	for t := range g.scans {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.pose(t); err != nil {
			return fmt.Errorf("gnn: frame %d: %w", g.scans[t].Frame, err)
		}
		if err := g.solver.Solve(ctx, &g.sol, &g.problem, nil); err != nil {
			return fmt.Errorf("gnn: frame %d: %w", g.scans[t].Frame, err)
		}
		g.settle(t)
	}
	return nil
}

// pose predicts the tracks for scan t and makes the assignment problem.
func (g *nearest[S, E]) pose(t int) error {
	s, reach := &g.scans[t], 0.0
	dt := 0.0
	if t > 0 {
		dt = s.Time - g.scans[t-1].Time
	}
	noise := 0.0
	for i := range s.Len() {
		noise = max(noise, g.filter.Noise(s, i))
	}
	// Candidates: all detections within reach of a track's expected position.
	g.centres = g.centres[:0]
	for i := range g.live {
		tr := &g.live[i]
		tr.wild = tr.calm
		g.filter.Predict(&tr.calm, dt, motion.Smooth)
		g.filter.Predict(&tr.wild, dt, motion.Manoeuvre)
		x, _, variance := g.filter.Position(&tr.calm)
		_, _, wild := g.filter.Position(&tr.wild)
		g.centres = append(g.centres, x[:g.dim]...)
		r := 5 * math.Sqrt(max(variance, wild)+noise)
		if limit := g.opts.Speed*dt*float64(tr.missed+1) + 6*math.Sqrt(noise); r > limit && tr.born {
			r = limit
		}
		reach = max(reach, r)
	}
	g.radii = g.radii[:0]
	for range g.live {
		g.radii = append(g.radii, reach)
	}
	g.finder.K, g.finder.Few = gating.InSight, gating.InCrowd
	if _, err := g.finder.Within(&g.found, g.dim, g.centres, g.radii, s.Pos); err != nil {
		return err
	}
	p := &g.problem
	p.Rows, p.Cols = len(g.live), s.Len()
	p.Ptr, p.Col, p.Cost = append(p.Ptr[:0], 0), p.Col[:0], p.Cost[:0]
	p.RowMiss, p.ColMiss = p.RowMiss[:0], p.ColMiss[:0]
	mixture := g.filter.Mixture()
	for i := range g.live {
		tr := &g.live[i]
		for _, j := range g.found.Row(i) {
			calm, wild := g.filter.Innovation(&tr.calm, s, int(j)), g.filter.Innovation(&tr.wild, s, int(j))
			if cost := mixture.Price(calm, wild) + g.linked; cost < g.missed+g.begun {
				p.Col, p.Cost = append(p.Col, j), append(p.Cost, cost)
			}
		}
		p.Ptr = append(p.Ptr, len(p.Col))
		p.RowMiss = append(p.RowMiss, g.missed)
	}
	for range s.Len() {
		p.ColMiss = append(p.ColMiss, g.begun)
	}
	return nil
}

// settle links the detections of scan t as the problem was solved.
func (g *nearest[S, E]) settle(t int) {
	s, kept := &g.scans[t], g.live[:0]
	mixture := g.filter.Mixture()
	for i := range g.live {
		tr := &g.live[i]
		if j := g.sol.ColOf[i]; j >= 0 {
			at := chain.At(t, j)
			g.Link(tr.last, at)
			if mixture.Gain(g.filter.Innovation(&tr.calm, s, int(j)), g.filter.Innovation(&tr.wild, s, int(j))) > 0 {
				tr.calm = tr.wild
			}
			g.filter.Update(&tr.calm, s, int(j))
			tr.last, tr.missed, tr.born = at, 0, false
		} else if tr.missed++; tr.missed > g.opts.Misses {
			continue
		}
		kept = append(kept, *tr)
	}
	g.live = kept
	for j := range s.Len() {
		if len(g.sol.RowOf) == 0 || g.sol.RowOf[j] < 0 {
			g.live = append(g.live, track[S]{last: chain.At(t, j), born: true})
			g.filter.Start(&g.live[len(g.live)-1].calm, s, j)
		}
	}
}
