package costgen

// This file hands the constants of a Gaussian model to those who price triplets
// elsewhere, as package dualascent/cuda does.

// A Quadratic prices an innovation: pp, pv and vv are the sums over the axes of the
// products of its positions and velocities. Where c = PP·pp + PV·pv + VV·vv is above
// 40 it becomes 40 + √(c−40); the price is c + Level.
type Quadratic struct{ PP, PV, VV, Level float64 }

// Quadratics are the constants of m for scans of dim dimensions: what prices a link over
// dt2 as the first of its track, what prices it after one over dt1, and the gain with
// which a detection at the end of that one corrects the (position, velocity) predicted
// for it. m must have no ManoeuvreProb, whose price is no such form.
func (m *Gaussian) Quadratics(dim int, dt1, dt2 float64) (start, triplet Quadratic, correct [2][2]float64) {
	if m.ManoeuvreProb > 0 {
		panic(hasManoeuvres)
	}
	quadratic := func(x *mixture) Quadratic {
		return Quadratic{x.smooth[0], x.smooth[1], x.smooth[2], x.level}
	}
	start = quadratic(&m.kernel(&m.starts, dim, dt2, m.interval()).first)
	c := m.kernel(&m.triplets, dim, dt1, dt2)
	return start, quadratic(&c.second), c.k
}
