package pmbm

import (
	"fmt"
	"math"
	"slices"

	"mtt"
	"mtt/gating"
)

// This file lists which detections lie in which gates.
//
// The gate of a Gaussian is the ellipsoid νᵀS⁻¹ν < Gate. The ball around it with
// the square of its radius Gate times a bound on the largest eigenvalue of S
// finds the candidates by cell lists (package gating), the ellipsoid decides.
// Where velocities are read the distance of the positions alone is never larger
// than the whole one, so the ball holds the ellipsoid there, too.

// A gater lists the detections in the gates of the local hypotheses and of the
// undetected targets.
type gater struct {
	z       [][maxStates]float64 // the detections
	finder  gating.Finder
	found   gating.CSR
	centres []float64 // row-major ×Dim
	radii   []float64
	locals  []*local // of all tracks
	store   []gated
	first   [][]firstGate // of each detection: undetected targets that may have caused it
}

// A firstGate says that an undetected component may have caused a detection.
type firstGate struct {
	component int32
	weight    float64 // Detect·w·N(z)
}

// find fills in gated, miss and in of every local hypothesis, and first.
func (g *gater) find(f *Filter, s *mtt.Scan) error {
	m := &f.o.Model
	n := s.Len()
	g.z = slices.Grow(g.z[:0], n)[:n]
	for d := range n {
		g.z[d] = [maxStates]float64{}
		copy(g.z[d][:], s.At(d))
		if m.SigmaV > 0 {
			copy(g.z[d][m.Dim:], s.VelAt(d))
		}
	}
	g.locals = g.locals[:0]
	for _, c := range f.clusters {
		for _, t := range c.tracks {
			g.locals = append(g.locals, t.locals...)
		}
	}
	innovations := make([]innovation, len(f.undetected))
	g.centres, g.radii = g.centres[:0], g.radii[:0]
	for _, h := range g.locals {
		m.expect(&h.in, &h.gaussian)
		g.centre(m, &h.gaussian, f.o.Gate)
	}
	for i := range f.undetected {
		m.expect(&innovations[i], &f.undetected[i].gaussian)
		g.centre(m, &f.undetected[i].gaussian, f.o.Gate)
	}
	if _, err := g.finder.Within(&g.found, m.Dim, g.centres, g.radii, s.Pos); err != nil {
		return fmt.Errorf("pmbm: frame %d: %w", s.Frame, err)
	}
	g.store = slices.Grow(g.store[:0], g.found.NNZ())
	for i, h := range g.locals {
		begin := len(g.store)
		h.miss = math.Log1p(-h.r * m.Detect)
		hit := math.Log(h.r*m.Detect) + h.in.peak - h.miss
		for _, d := range g.found.Row(i) {
			if x := m.distance(&h.in, &h.gaussian, &g.z[d]); x < f.o.Gate {
				g.store = append(g.store, gated{d, hit - x/2})
			}
		}
		h.gated = g.store[begin:len(g.store):len(g.store)]
	}
	g.first = slices.Grow(g.first[:0], n)[:n]
	for d := range g.first {
		g.first[d] = g.first[d][:0]
	}
	for i := range f.undetected {
		c := &f.undetected[i]
		for _, d := range g.found.Row(len(g.locals) + i) {
			if x := m.distance(&innovations[i], &c.gaussian, &g.z[d]); x < f.o.Gate {
				w := m.Detect * c.weight * math.Exp(innovations[i].peak-x/2)
				g.first[d] = append(g.first[d], firstGate{int32(i), w})
			}
		}
	}
	return nil
}

// centre adds the ball around the gate of a Gaussian. The radius comes from
// Gershgorin's bound on the eigenvalues of S, in position.
func (g *gater) centre(m *Model, at *gaussian, gate float64) {
	largest := 0.0
	for i := range m.Dim {
		sum := m.noise(i)
		for j := range m.Dim {
			sum += math.Abs(at.p[2*i][2*j])
		}
		largest = max(largest, sum)
	}
	for i := range m.Dim {
		g.centres = append(g.centres, at.x[2*i])
	}
	g.radii = append(g.radii, math.Sqrt(gate*largest)*(1+1e-9))
}

// born is the new target of detection d, where false alarms have intensity
// alarms: the terms of the process in whose gates it lies, each conditioned on
// it, matched in their moments.
func (g *gater) born(f *Filter, d int, alarms float64) born {
	if len(g.first[d]) == 0 {
		return born{weight: math.Log(alarms)}
	}
	var sum mixture
	for _, t := range g.first[d] {
		if !(t.weight > 0) {
			continue
		}
		x := f.undetected[t.component].gaussian
		var in innovation
		f.o.expect(&in, &x)
		f.o.update(&x, &in, &g.z[d])
		sum.add(t.weight, &x, f.o.states())
	}
	b := born{r: sum.weight / (sum.weight + alarms), weight: math.Log(sum.weight + alarms)}
	if sum.weight > 0 {
		b.gaussian = sum.match(f.o.states())
	}
	return b
}
