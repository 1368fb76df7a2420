package costgen

import (
	"math"

	"mtt"
)

// This file defines the costs of the source paper.

// Paper prices links as Kawtikwar and Nagi 2023, Algorithm 2, with V the measured
// speed |w_i|:
//
//	pair     |‖z_j − z_i‖ − V·dt|
//	triplet  |L_ij − L_jk|
//
// where L is the arc length of the clamped cubic spline between two detections,
// whose end slopes are the measured velocities. With slopes given at every knot
// each piece of the spline is a Hermite cubic that depends on its own two ends
// only, so a triplet is the difference of two pair lengths: N² lengths and no
// N³ spline fits. Velocities must be measured. All in metres.
type Paper struct {
	Euclid bool // take straight distances for arc lengths
	Prices Ends
}

// Pairs implements [Model].
func (p *Paper) Pairs(dst []float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32) {
	dt := b.Time - a.Time
	x, y, z := coords(a.Pos, a.Dim, i)
	u, v, w := coords(a.Vel, a.Dim, i)
	step := norm(u, v, w) * dt
	for s, j := range out {
		xj, yj, zj := coords(b.Pos, b.Dim, int(j))
		dst[s] = math.Abs(norm(xj-x, yj-y, zj-z) - step)
	}
}

// Starts implements [Model].
func (p *Paper) Starts(dst []float64, _ *mtt.Scan, _ int, _ *mtt.Scan, out []int32) {
	clear(dst[:len(out)])
}

// Triplets implements [Model].
func (p *Paper) Triplets(dst []float64, stride int, a *mtt.Scan, in []int32, b *mtt.Scan, j int, c *mtt.Scan, out []int32) {
	// The lengths after j go to the first row's place and are spread from
	// there, bottom row first.
	if len(in) == 0 {
		return
	}
	after := dst[:len(out)]
	for s, k := range out {
		after[s] = p.length(b, j, c, int(k))
	}
	for r := len(in) - 1; r >= 0; r-- {
		before := p.length(a, int(in[r]), b, j)
		row := dst[r*stride:][:len(out)]
		for s, l := range after {
			row[s] = math.Abs(before - l)
		}
	}
}

// Ends implements [Model].
func (p *Paper) Ends() Ends { return p.Prices }

func (p *Paper) length(a *mtt.Scan, i int, b *mtt.Scan, j int) float64 {
	x, y, z := coords(a.Pos, a.Dim, i)
	xj, yj, zj := coords(b.Pos, b.Dim, j)
	d := [3]float64{xj - x, yj - y, zj - z}
	if p.Euclid {
		return norm(d[0], d[1], d[2])
	}
	dt := b.Time - a.Time
	u, v, w := coords(a.Vel, a.Dim, i)
	uj, vj, wj := coords(b.Vel, b.Dim, j)
	return hermiteLength(d, [3]float64{dt * u, dt * v, dt * w}, [3]float64{dt * uj, dt * vj, dt * wj})
}

// hermiteLength is the arc length of the cubic that goes from 0 to d with
// derivatives p and q (per unit of the parameter, 0…1) at its ends. Its
// derivative is a quadratic in the parameter, so the speed is the root of a
// quartic; eight Gauss–Legendre nodes integrate it to about 1e-9 of the length for turns
// below a right angle, and to a few per cent for a cusp.
func hermiteLength(d, p, q [3]float64) float64 {
	var sum float64
	for n := range gaussNodes {
		t := gaussNodes[n]
		// derivatives of the Hermite basis
		hd := 6 * t * (1 - t)
		hp := (1 - t) * (1 - 3*t)
		hq := t * (3*t - 2)
		sum += gaussWeights[n] * norm(hd*d[0]+hp*p[0]+hq*q[0], hd*d[1]+hp*p[1]+hq*q[1], hd*d[2]+hp*p[2]+hq*q[2])
	}
	return sum
}

// Nodes and weights of the eight-point Gauss–Legendre rule on [0,1]
// (Abramowitz and Stegun, table 25.4, moved from [−1,1]).
var (
	gaussNodes = [8]float64{
		0.5 - 0.9602898564975363/2, 0.5 - 0.7966664774136267/2, 0.5 - 0.5255324099163290/2, 0.5 - 0.1834346424956498/2,
		0.5 + 0.1834346424956498/2, 0.5 + 0.5255324099163290/2, 0.5 + 0.7966664774136267/2, 0.5 + 0.9602898564975363/2,
	}
	gaussWeights = [8]float64{
		0.1012285362903763 / 2, 0.2223810344533745 / 2, 0.3137066458778873 / 2, 0.3626837833783620 / 2,
		0.3626837833783620 / 2, 0.3137066458778873 / 2, 0.2223810344533745 / 2, 0.1012285362903763 / 2,
	}
)
