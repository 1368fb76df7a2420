package pmbm

import (
	"fmt"
	"math"
	"slices"

	"mtt"
	"mtt/gating"
	"mtt/motion"
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
	scan    *mtt.Scan // at hand
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
	m, k := &f.o.Model, f.motion
	n := s.Len()
	g.scan = s
	g.locals = g.locals[:0]
	for _, c := range f.clusters {
		for _, t := range c.tracks {
			g.locals = append(g.locals, t.locals...)
		}
	}
	expected := make([]motion.Expectation, len(f.undetected))
	noise := 0.0 // the largest variance of a position
	for d := range n {
		if noise = max(noise, k.Noise(s, d)); s.Cov == nil {
			break
		}
	}
	alike := n > 0 && f.alike(s)
	g.centres, g.radii = g.centres[:0], g.radii[:0]
	for _, h := range g.locals {
		if alike {
			k.Expect(&h.in, &h.gaussian, s, 0)
		}
		g.centre(m.Dim, &h.gaussian, noise, f.o.Gate)
	}
	for i := range f.undetected {
		if alike {
			k.Expect(&expected[i], &f.undetected[i].gaussian, s, 0)
		}
		g.centre(m.Dim, &f.undetected[i].gaussian, noise, f.o.Gate)
	}
	if _, err := g.finder.Within(&g.found, m.Dim, g.centres, g.radii, s.Pos); err != nil {
		return fmt.Errorf("pmbm: frame %d: %w", s.Frame, err)
	}
	g.store = slices.Grow(g.store[:0], g.found.NNZ())
	for i, h := range g.locals {
		begin := len(g.store)
		h.miss = math.Log1p(-h.r * m.Detect)
		hit := math.Log(h.r*m.Detect) - h.miss
		for _, d := range g.found.Row(i) {
			if !alike {
				k.Expect(&h.in, &h.gaussian, s, int(d))
			}
			if x := k.Distance(&h.in, &h.gaussian, s, int(d)); x < f.o.Gate {
				g.store = append(g.store, gated{d, hit + h.in.Peak - x/2})
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
			if !alike {
				k.Expect(&expected[i], &c.gaussian, s, int(d))
			}
			if x := k.Distance(&expected[i], &c.gaussian, s, int(d)); x < f.o.Gate {
				w := m.Detect * c.weight * math.Exp(expected[i].Peak-x/2)
				g.first[d] = append(g.first[d], firstGate{int32(i), w})
			}
		}
	}
	return nil
}

// alike reports whether all detections of s are as noisy.
func (f *Filter) alike(s *mtt.Scan) bool { return s.Cov == nil && (s.VelCov == nil || f.o.SigmaV == 0) }

// centre adds the ball around the gate of a Gaussian, noise being the largest variance of a
// measured position. The radius comes from Gershgorin's bound on the eigenvalues of S, in
// position.
func (g *gater) centre(dim int, at *gaussian, noise, gate float64) {
	largest := 0.0
	for i := range dim {
		sum := noise
		for j := range dim {
			sum += math.Abs(at.P[packed(max(i, j), min(i, j))])
		}
		largest = max(largest, sum)
	}
	g.centres = append(g.centres, at.X[:dim]...)
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
		f.motion.Update(&x, g.scan, d)
		sum.add(t.weight, &x, f.n)
	}
	b := born{r: sum.weight / (sum.weight + alarms), weight: math.Log(sum.weight + alarms)}
	if sum.weight > 0 {
		b.gaussian = sum.match(f.n)
	}
	return b
}
