package association

import (
	"context"
	"math"

	"mtt"
	"mtt/gating"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// This file holds the baseline everyone knows: global nearest neighbour.

// gnnMisses is how many missed detections in a row end a track of nearest, at
// which it looks one scan at a time: 3 where nobody says.
func gnnMisses(misses int) int {
	if misses == auto {
		return 3
	}
	return misses
}

// nearest runs a Kalman filter for each track and assigns the detections of
// each scan to the predicted tracks at least cost; unassigned detections begin
// tracks, a track ends after more than misses missed detections in a row.
func nearest(scans []mtt.Scan, res *Result, misses int) *chains {
	c := newChains(scans)
	if len(scans) == 0 {
		return c
	}
	g := res.Levels
	rates := g.Rates
	m := newMotion(g, scans[0].Dim)
	if !res.Coasts {
		misses = 0
	}
	type track struct {
		state        // predicted for a smooth step
		wild   state // predicted for a manoeuvre
		last   hit
		missed int
		born   bool
	}
	var live []track
	var solver ssp.Solver
	var sol mapsolver.Solution
	var finder gating.Finder
	var found gating.CSR
	linked := -math.Log(rates.Survive * rates.Detect)
	missed := -math.Log(1 - rates.Survive*rates.Detect)
	begun := math.Log(rates.Volume) - math.Log(rates.Births*rates.Detect+rates.Clutter)
	for t := range scans {
		s := &scans[t]
		dt := 0.0
		if t > 0 {
			dt = s.Time - scans[t-1].Time
		}
		// Candidates: all detections within reach of a track's last one,
		// then those inside its validation gate.
		from := mtt.Scan{Time: s.Time - 1, Dim: s.Dim}
		reach := 0.0
		for i := range live {
			live[i].wild = live[i].state
			m.predict(&live[i].state, dt, smooth)
			m.predict(&live[i].wild, dt, turn)
			from.Pos = append(from.Pos, live[i].x[:s.Dim]...)
			r := 5 * math.Sqrt(max(live[i].p[0], live[i].wild.p[0])+m.r)
			if limit := res.MaxSpeed*dt*float64(live[i].missed+1) + 6*math.Sqrt(m.r); r > limit && live[i].born {
				r = limit
			}
			reach = max(reach, r)
		}
		p := mapsolver.Problem{Rows: len(live), Cols: s.Len(), Ptr: make([]int, 1, len(live)+1)}
		if len(live) > 0 && s.Len() > 0 {
			if _, err := finder.Neighbors(&found, &from, s, gating.Ball{Radius: reach}); err != nil {
				found = gating.CSR{Rows: len(live), Cols: s.Len(), Ptr: make([]int, len(live)+1)}
			}
		} else {
			found = gating.CSR{Rows: len(live), Cols: s.Len(), Ptr: make([]int, len(live)+1)}
		}
		for i := range live {
			for _, j := range found.Row(i) {
				calm, wild := m.innovation(&live[i].state, s, int(j)), m.innovation(&live[i].wild, s, int(j))
				cost := m.price(calm, wild) + linked
				if cost < missed+begun {
					p.Col, p.Cost = append(p.Col, j), append(p.Cost, cost)
				}
			}
			p.Ptr = append(p.Ptr, len(p.Col))
			p.RowMiss = append(p.RowMiss, missed)
		}
		for range s.Len() {
			p.ColMiss = append(p.ColMiss, begun)
		}
		if err := solver.Solve(context.Background(), &sol, &p, nil); err != nil {
			continue // cannot be: everything may stay free
		}
		kept := live[:0]
		for i := range live {
			tr := live[i]
			if j := sol.ColOf[i]; j >= 0 {
				at := hit{int32(t), j}
				c.link(tr.last, at)
				if m.gain(m.innovation(&tr.state, s, int(j)), m.innovation(&tr.wild, s, int(j))) > 0 {
					tr.state = tr.wild
				}
				m.update(&tr.state, s, int(j))
				tr.last, tr.missed, tr.born = at, 0, false
			} else if tr.missed++; tr.missed > misses {
				continue
			}
			kept = append(kept, tr)
		}
		live = kept
		for j := range s.Len() {
			if len(sol.RowOf) == 0 || sol.RowOf[j] < 0 {
				live = append(live, track{state: m.start(s, j), last: hit{int32(t), int32(j)}, born: true})
			}
		}
	}
	return c
}
