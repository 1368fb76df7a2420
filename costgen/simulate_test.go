package costgen

import (
	"math"
	"math/rand/v2"

	"mtt"
)

// This file draws tracks from the very model that Gaussian and Fit assume.

// A population is a set of targets to draw.
type population struct {
	Levels
	seed         uint64
	tracks, hits int
	times        func(hit int) float64 // s; nil: 0, 1, 2 …
	swaps        int                   // detections that two tracks have exchanged
}

// draw draws the tracks; hit number h is of frame h.
func (p *population) draw() []mtt.Track {
	r := rand.New(rand.NewPCG(p.seed, 0))
	dim := p.dim()
	tracks := make([]mtt.Track, p.tracks)
	for i := range tracks {
		t := mtt.Track{ID: i, Dim: dim, Hits: make([]mtt.Hit, p.hits)}
		var x, v [3]float64
		for n := range dim {
			x[n], v[n] = 10*p.SpeedStd*r.NormFloat64(), p.SpeedStd*r.NormFloat64()
		}
		for h := range t.Hits {
			t.Hits[h] = mtt.Hit{Frame: h, Det: i}
			if h > 0 {
				accel := p.Accel
				if r.Float64() < p.ManoeuvreProb {
					// Student's t is a Gaussian of random width.
					var chi2 float64
					dof := int(p.Params(dim).Tail())
					for range dof {
						g := r.NormFloat64()
						chi2 += g * g
					}
					accel = p.ManoeuvreAccel * math.Sqrt(float64(dof)/chi2)
				}
				dt := p.time(h) - p.time(h-1)
				// Q = L·Lᵀ with L = √dt·[dt/√3 0; √3/2 1/2]
				for n := range dim {
					a, b := accel*math.Sqrt(dt)*r.NormFloat64(), accel*math.Sqrt(dt)*r.NormFloat64()
					x[n] += dt*v[n] + dt/math.Sqrt(3)*a
					v[n] += math.Sqrt(3)/2*a + b/2
				}
			}
			if h > 0 && p.JumpProb > 0 && r.Float64() < p.JumpProb {
				for n := range dim {
					x[n] += p.JumpStd * r.NormFloat64()
				}
			}
			sigma := p.Sigma
			if p.OutlierProb > 0 && r.Float64() < p.OutlierProb {
				sigma *= p.OutlierTimes
			}
			for n := range dim {
				t.Pos = append(t.Pos, x[n]+sigma*r.NormFloat64())
				if !p.PositionsOnly {
					t.Vel = append(t.Vel, v[n]+p.SigmaV*r.NormFloat64())
				}
			}
		}
		tracks[i] = t
	}
	for range p.swaps {
		a, b := &tracks[r.IntN(p.tracks)], &tracks[r.IntN(p.tracks)]
		h := r.IntN(p.hits)
		for n := range dim {
			a.Pos[h*dim+n], b.Pos[h*dim+n] = b.Pos[h*dim+n], a.Pos[h*dim+n]
			if !p.PositionsOnly {
				a.Vel[h*dim+n], b.Vel[h*dim+n] = b.Vel[h*dim+n], a.Vel[h*dim+n]
			}
		}
	}
	return tracks
}

func (p *population) time(hit int) float64 {
	if p.times == nil {
		return float64(hit)
	}
	return p.times(hit)
}
