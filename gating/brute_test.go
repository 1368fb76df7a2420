package gating

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"mtt"
)

// This file holds the oracle of the package's tests: gates from their
// definitions, over all pairs.

// A pair is a row, a column and the statistic of the gate.
type pair struct {
	i, j int
	stat float64
}

// bruteRow lists the pairs of row i that are inside the gate, by the formulas
// in the gates' documentation.
func bruteRow(a, b *mtt.Scan, g Gate, i int) []pair {
	var pairs []pair
	for j := range b.Len() {
		if stat, ok := bruteInside(a, b, g, i, j); ok {
			pairs = append(pairs, pair{i, j, stat})
		}
	}
	return pairs
}

func bruteInside(a, b *mtt.Scan, g Gate, i, j int) (stat float64, ok bool) {
	dt := b.Time - a.Time
	var d2, v2 float64
	for d := range a.Dim {
		x := b.At(j)[d] - a.At(i)[d]
		d2 += float64(x * x)
		if a.Vel != nil {
			v := a.VelAt(i)[d]
			v2 += float64(v * v)
		}
	}
	switch g := g.(type) {
	case Ball:
		return d2, d2 < g.Radius*g.Radius
	case Disc:
		speed := math.Sqrt(v2)
		if g.MaxSpeed > 0 {
			speed = g.MaxSpeed
		}
		r := dt*g.size()*speed + g.Margin
		return d2, d2 < r*r
	case Mahalanobis:
		stat := bruteMahalanobis(a, b, g, i, j)
		return stat, stat < g.size()
	}
	panic("unknown gate")
}

// bruteMahalanobis inverts S by its determinant.
func bruteMahalanobis(a, b *mtt.Scan, g Mahalanobis, i, j int) float64 {
	dt := b.Time - a.Time
	q := g.Noise * g.Noise
	pv := g.SpeedStd * g.SpeedStd
	if a.Vel != nil {
		pv = g.SigmaV * g.SigmaV
	}
	s11 := g.Sigma*g.Sigma + dt*dt*pv + q*dt*dt*dt/3 + g.Sigma*g.Sigma
	s12 := dt*pv + q*dt*dt/2
	s22 := pv + q*dt + g.SigmaV*g.SigmaV
	det := s11*s22 - s12*s12
	sum := 0.0
	for d := range a.Dim {
		v := 0.0
		if a.Vel != nil {
			v = a.VelAt(i)[d]
		}
		n1 := b.At(j)[d] - a.At(i)[d] - dt*v
		if b.Vel == nil {
			sum += n1 * n1 / s11
			continue
		}
		n2 := b.VelAt(j)[d] - v
		sum += (s22*n1*n1 - 2*s12*n1*n2 + s11*n2*n2) / det
	}
	return sum
}

// brute is Neighbors with the cap k, over all pairs.
func brute(a, b *mtt.Scan, g Gate, k int) *CSR {
	rows := make([][]pair, a.Len())
	cols := make([][]pair, b.Len())
	for i := range rows {
		rows[i] = bruteRow(a, b, g, i)
		for _, p := range rows[i] {
			cols[p.j] = append(cols[p.j], p)
		}
	}
	keep := map[[2]int]bool{}
	longest := max(len(rows), len(cols))
	for at, list := range slices.Concat(rows, cols) {
		list = slices.Clone(list)
		steps := func(p pair) int { // of equal ones those stay that come next after the row's or the column's own index
			if at < len(rows) {
				return (p.j - p.i + longest) % longest
			}
			return (p.i - p.j + longest) % longest
		}
		slices.SortFunc(list, func(p, q pair) int {
			return cmp.Or(cmp.Compare(p.stat, q.stat), cmp.Compare(steps(p), steps(q)))
		})
		if k > 0 && len(list) > k {
			list = list[:k]
		}
		for _, p := range list {
			keep[[2]int{p.i, p.j}] = true
		}
	}
	g2 := &CSR{Rows: len(rows), Cols: len(cols), Ptr: []int{0}, Col: []int32{}}
	for i := range rows {
		for _, p := range rows[i] {
			if keep[[2]int{i, p.j}] {
				g2.Col = append(g2.Col, int32(p.j))
			}
		}
		g2.Ptr = append(g2.Ptr, len(g2.Col))
	}
	return g2
}

// scanOf draws n detections, positions from pos and velocities from vel (nil:
// not measured), at the given time.
func scanOf(n, dim int, time float64, pos, vel func(i, d int) float64) *mtt.Scan {
	s := &mtt.Scan{Frame: int(time), Time: time, Dim: dim, Pos: make([]float64, n*dim)}
	if vel != nil {
		s.Vel = make([]float64, n*dim)
	}
	for i := range n {
		for d := range dim {
			s.Pos[i*dim+d] = pos(i, d)
			if vel != nil {
				s.Vel[i*dim+d] = vel(i, d)
			}
		}
	}
	return s
}

// layouts are the ways in which the tests place detections.
var layouts = []struct {
	name string
	pos  func(rng *rand.Rand) func(i, d int) float64
}{
	{"uniform", func(rng *rand.Rand) func(i, d int) float64 {
		return func(i, d int) float64 { return 30 * rng.Float64() }
	}},
	{"normal", func(rng *rand.Rand) func(i, d int) float64 {
		return func(i, d int) float64 { return 5 * rng.NormFloat64() }
	}},
	{"clustered, extent 1e9", func(rng *rand.Rand) func(i, d int) float64 {
		return func(i, d int) float64 { return 1e9*float64(i%3-1) + 3*rng.NormFloat64() }
	}},
	{"sparse, extent 1e9", func(rng *rand.Rand) func(i, d int) float64 {
		return func(i, d int) float64 { return 1e9 * rng.NormFloat64() }
	}},
	{"on a line along x", func(rng *rand.Rand) func(i, d int) float64 {
		return func(i, d int) float64 {
			if d > 0 {
				return 7
			}
			return 200 * rng.Float64()
		}
	}},
	{"on a diagonal", func(rng *rand.Rand) func(i, d int) float64 {
		x := 0.0
		return func(i, d int) float64 {
			if d == 0 {
				x = 200 * rng.Float64()
			}
			return x
		}
	}},
	{"lattice with duplicates", func(rng *rand.Rand) func(i, d int) float64 {
		return func(i, d int) float64 { return float64(rng.IntN(8)) }
	}},
	{"one place", func(rng *rand.Rand) func(i, d int) float64 {
		return func(i, d int) float64 { return -3 }
	}},
	{"heavy tails", func(rng *rand.Rand) func(i, d int) float64 {
		return func(i, d int) float64 { return rng.NormFloat64() / (1e-6 + rng.Float64()*rng.Float64()) }
	}},
}

// arena draws two scans, one second apart, of n targets that fly straight at
// 1 to 2 m/s in a square of side 2.5·√n, with noise sigma on every coordinate.
// Detection i of both is target i.
func arena(rng *rand.Rand, n int, sigma float64) (a, b *mtt.Scan) {
	side := 2.5 * math.Sqrt(float64(n))
	scans := [2]*mtt.Scan{}
	for t := range scans {
		scans[t] = &mtt.Scan{Frame: t, Time: float64(t), Dim: 2}
	}
	for range n {
		x, y := side*rng.Float64(), side*rng.Float64()
		speed, heading := 1+rng.Float64(), 2*math.Pi*rng.Float64()
		sin, cos := math.Sincos(heading)
		for t, s := range scans {
			s.Pos = append(s.Pos, x+float64(t)*speed*cos+sigma*rng.NormFloat64(), y+float64(t)*speed*sin+sigma*rng.NormFloat64())
			s.Vel = append(s.Vel, speed*cos+sigma*rng.NormFloat64(), speed*sin+sigma*rng.NormFloat64())
		}
	}
	return scans[0], scans[1]
}
