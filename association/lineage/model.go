package lineage

import (
	"math"

	"mtt"
	"mtt/costgen"
	"mtt/gating"
)

// This file defines what divisions are like, and prices them.

// A Model says how often targets divide, and where the daughters are.
//
// Between two scans a target divides with probability Rate. The middle u of the daughters, as seen
// from where the mother's detection leads (in its place, or with measured velocities further on),
// is normal with Centre on each axis. Half of what parts them, h, has any direction, and its square
// s has a Gamma distribution:
//
//	p(u) = N(0, Centre²·I)    p(s) = s^(k−1) e^(−s/θ) / (Γ(k) θ^k),  k = Shape, θ = Apart²/(4k)
//
// With k = dim/2 h is normal; daughters that are always about as far from each other have a larger
// k, so that those in one place are no likelier than those far away. The density of an unordered
// pair of positions is then
//
//	2 · p(u) · p(h) / 2^dim,   p(h) = p(s)·2|h|^(2−dim)/A,   A = 2π in the plane, 4π in space.
//
// A division costs −log of Rate, this, and that both daughters are detected, relative as all
// prices of package costgen are: to targets that survive, are detected and continue perfectly.
type Model struct {
	Rate   float64 // probability
	Centre float64 // m
	Apart  float64 // m: root mean square distance of the daughters
	Shape  float64

	dim      int
	constant float64 // of the price: all but the terms in u and s
	inU, inS float64 // coefficients of |u|² and s
	lead     bool    // mothers' detections have velocities
}

// prepare computes the constants, for scans whose targets have these levels.
func (m *Model) prepare(levels *costgen.Levels, dim int) {
	m.dim, m.lead = dim, !levels.PositionsOnly
	d, r := float64(dim), &levels.Rates
	area := 2 * math.Pi
	if dim == 3 {
		area *= 2
	}
	theta := m.Apart * m.Apart / 4 / m.Shape
	gamma, _ := math.Lgamma(m.Shape)
	// What a detection of a target that continues perfectly is likely to be, as Ends has it.
	perfect := levels.Ends().Clutter - math.Log(r.Volume) + math.Log(r.Clutter)
	m.constant = -math.Log(m.Rate) + (d-1)*math.Ln2 - math.Log(2/area) +
		d/2*math.Log(2*math.Pi*m.Centre*m.Centre) + gamma + m.Shape*math.Log(theta) - 2*math.Log(r.Detect) + 2*perfect
	m.inU, m.inS = 1/(2*m.Centre*m.Centre), 1/theta
}

// price is what a division costs whose daughters lie so: u2 = |u|², s = |h|².
func (m *Model) price(u2, s float64) float64 {
	const least = 1e-30 // m²: two detections in one place
	return m.constant + m.inU*u2 + m.inS*s - (m.Shape-float64(m.dim)/2)*math.Log(max(s, least))
}

// least is the least price of a division whose daughters lie s apart, and of all.
func (m *Model) least() (all float64) {
	return m.price(0, max(0, m.Shape-float64(m.dim)/2)/m.inS)
}

// A site is a detection of a scan.
type site struct {
	*mtt.Scan
	det int
}

// lie says how daughters a and b lie about where mother m leads by the times of their scans.
func lie(m, a, b site, lead bool) (u2, h2 float64) {
	vel, x, y := m.VelAt(m.det), a.At(a.det), b.At(b.det)
	for k, from := range m.At(m.det) {
		x, y := x[k]-from, y[k]-from
		if lead {
			x, y = x-vel[k]*(a.Time-m.Time), y-vel[k]*(b.Time-m.Time)
		}
		u, h := (x+y)/2, (x-y)/2
		u2, h2 = u2+u*u, h2+h*h
	}
	return u2, h2
}

// A daughter is a detection that may be one.
type daughter struct {
	site
	node  int32   // of the graph
	birth float64 // price of being born
	arc   int32   // of the graph, from the mother; -1: there is none yet
	link  float64 // price of being the mother's only successor; +Inf: there was no arc
	late  float64 // of not being there in the scan after the mother's
}

// A pair are two daughters, by their places in a list, and what the division costs.
type pair struct {
	a, b  int
	price float64
}

// pairs are those of near whose division from m costs less than what else may become of the three:
// m ends and both are born, or m goes on as one of them and the other is born. Whatever an answer
// does besides, it may do either instead, so no optimum has another pair. What is late is so for
// both, or for one, at the same price: a mother that was missed, or a daughter.
func (m *Model) pairs(of site, near []daughter, death float64) (list []pair) {
	for k := range near {
		for l := range k {
			a, b := &near[l], &near[k]
			u2, s := lie(of, a.site, b.site, m.lead)
			if p := m.price(u2, s) + max(a.late, b.late); p < min(death+a.birth+b.birth, a.link+b.birth, a.birth+b.link) {
				list = append(list, pair{l, k, p})
			}
		}
	}
	return list
}

// reach is how far a daughter may be from where its mother leads, if the division is to cost less than most.
func (m *Model) reach(most float64) float64 {
	spare := most - m.least()
	if spare <= 0 {
		return 0
	}
	middle := math.Sqrt(spare / m.inU)
	// The price grows with s from its least on: by doubling, then by halving.
	lo := max(0, m.Shape-float64(m.dim)/2) / m.inS
	hi := lo + 1/m.inS
	for m.price(0, hi) < most {
		hi = 2*hi + 1/m.inS
	}
	for range 60 {
		if mid := (lo + hi) / 2; m.price(0, mid) < most {
			lo = mid
		} else {
			hi = mid
		}
	}
	return middle + math.Sqrt(hi)
}

// A radius is the gate of daughters.
type radius struct {
	r    float64
	lead bool
}

// String implements [gating.Gate].
func (g *radius) String() string { return "daughters" }

// Between implements [gating.Gate].
func (g *radius) Between(a, b *mtt.Scan) (gating.Region, error) { return &around{g, a, b}, nil }

type around struct {
	*radius
	a, b *mtt.Scan
}

// Around implements [gating.Region].
func (g *around) Around(i int) (centre [3]float64, radius float64) {
	copy(centre[:], g.a.At(i))
	if g.lead {
		for k, v := range g.a.VelAt(i) {
			centre[k] += v * (g.b.Time - g.a.Time)
		}
	}
	return centre, g.r
}

// Accepts implements [gating.Region].
func (g *around) Accepts(int, int) (float64, bool) { return 0, true }
