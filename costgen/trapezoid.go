package costgen

import "mtt"

// This file defines the parameter-free model.

// Trapezoid prices a link by the length of the residual of the trapezoidal rule
//
//	‖z_j − z_i − dt·(w_i + w_j)/2‖
//
// with z the positions and w the measured velocities (nothing when velocities
// are not measured), and two links by the length of the second difference
//
//	‖(z_k − z_j) − (dt₂/dt₁)·(z_j − z_i)‖
//
// All in metres: there is no weight and no noise level to choose.
type Trapezoid struct {
	Prices Ends
}

// Pairs implements [Model].
func (t *Trapezoid) Pairs(dst []float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32) {
	checkPairs(dst, a, b, out)
	if a.Vel == nil || b.Vel == nil {
		clear(dst[:len(out)])
		return
	}
	dt := b.Time - a.Time
	x, y, z := coords(a.Pos, a.Dim, i)
	u, v, w := coords(a.Vel, a.Dim, i)
	x, y, z = x+dt/2*u, y+dt/2*v, z+dt/2*w
	for s, j := range out {
		xj, yj, zj := coords(b.Pos, b.Dim, int(j))
		uj, vj, wj := coords(b.Vel, b.Dim, int(j))
		dst[s] = norm(xj-dt/2*uj-x, yj-dt/2*vj-y, zj-dt/2*wj-z)
	}
}

// Starts implements [Model]: a first link costs nothing more.
func (t *Trapezoid) Starts(dst []float64, a *mtt.Scan, _ int, b *mtt.Scan, out []int32) {
	checkPairs(dst, a, b, out)
	clear(dst[:len(out)])
}

// Triplets implements [Model].
func (t *Trapezoid) Triplets(dst []float64, stride int, a *mtt.Scan, in []int32, b *mtt.Scan, j int, c *mtt.Scan, out []int32) {
	checkTriplets(dst, stride, a, in, b, c, out)
	if len(in) == 0 || len(out) == 0 {
		return
	}
	ratio := (c.Time - b.Time) / (b.Time - a.Time)
	x, y, z := coords(b.Pos, b.Dim, j)
	for r, i := range in {
		xi, yi, zi := coords(a.Pos, a.Dim, int(i))
		px, py, pz := x+ratio*(x-xi), y+ratio*(y-yi), z+ratio*(z-zi)
		row := dst[r*stride:][:len(out)]
		for s, k := range out {
			xk, yk, zk := coords(c.Pos, c.Dim, int(k))
			row[s] = norm(xk-px, yk-py, zk-pz)
		}
	}
}

// Ends implements [Model].
func (t *Trapezoid) Ends() Ends { return t.Prices }
