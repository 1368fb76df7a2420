package verify

import (
	"fmt"
	"math"
	"slices"

	"mtt"
)

// This file prices links anew from detections and levels, as docs/model.md defines the cost
// nll, with no help from package costgen: matrices in place of its closed forms, quadrature in
// place of its integrals.

// A Pricing is what solve.json says that the costs were made of. Units are those of
// costgen.Levels and costgen.Rates.
type Pricing struct {
	Cost     string  // the name of the cost; nll is the one that can be made anew
	Motion   string  // velocity, walk, reverting or swaying; others cannot
	Interval float64 // s: the reference interval between frames
	Sensors  int     // that see different parts of the scene; 0: one that sees all of it

	PositionsOnly                                   bool // velocities are not read
	Sigma, SigmaV, Accel, SpeedStd, Revert, Sway    float64
	ManoeuvreProb, ManoeuvreAccel, TailDOF          float64
	Detect, Hidden, Survive, Births, Targets, Alarm float64
	Volume                                          float64

	AlarmSpeed float64 // m/s: SpeedStd of false alarms; 0: that of targets

	Mean, Var, Same []float64 // of each feature of a detection; nil: features are not priced
	Classes         Classes   // of detections; without kinds: not priced

	Cov    []float64         // m²: packed covariance of every position; nil: what detections tell, or Sigma
	Blur   map[int]float64   // by frame: the square root of Cov is so many times as large there; 0: as large
	Sights []Sight           // of sensors whose noise lies along and across lines of sight; nil: there are none
	VelMap []float64         // row-major: what velocities are made of measured ones by; nil: they are as measured
	Shifts map[int][]float64 // m, by frame: positions are priced less that; nil: as they are

	BirthPlaces, DeathPlaces  *Map // nil: as anywhere
	AlarmPlaces, TargetPlaces *Map // of false alarms and of targets, by place or by place and time; nil: anywhere
	Confidence                *Map // nil: not priced

	Echoes *Echoes // second detections of targets; nil: there are none
}

// Echoes are second detections of targets at an Offset from the first, m, but for errors of
// standard deviation Sigma along each axis, m: Share of all detections have one.
type Echoes struct {
	Offset []float64 // len 2 or 3
	Sigma  float64
	Share  float64
}

// A Sight is what a sensor errs by: Range along the line of sight, m, and across it Bearing, of the
// distance over the ground, and Elevation, in space, rad. Distances are those from Place, squared,
// and more by Range squared.
type Sight struct {
	Sensor                    int
	Place                     []float64 // m, len 2 or 3
	Range, Bearing, Elevation float64
}

// Classes say how probable it is that two detections of one target are of the same kind for more than
// chance, and the shares of kinds in all.
type Classes struct {
	Kinds []int32
	Share []float64
	Same  float64
}

// A Map is a function of the place: a box whose cells are halved along axes, again and
// again. A node is an axis, and the index of the lower half, after which the upper follows;
// or −1, anything, and the value of the cell. The first is the box.
type Map struct {
	Min   []float64    `json:"min"`
	Max   []float64    `json:"max"`
	Nodes [][3]float64 `json:"nodes"`
}

// valid reports whether every way through the map comes to an end, for positions of dim
// coordinates.
func (m *Map) valid(dim int) bool {
	if m == nil {
		return true
	}
	for k, n := range m.Nodes {
		lower := n[1]
		if n[0] >= 0 && !(n[0] < float64(dim) && lower > float64(k) && lower+1 < float64(len(m.Nodes))) {
			return false
		}
	}
	return len(m.Nodes) > 0 && len(m.Min) == dim && len(m.Max) == dim
}

// at is the value at x; 0 where there is no map.
func (m *Map) at(x []float64) float64 {
	if m == nil {
		return 0
	}
	least, most := append([]float64(nil), m.Min...), append([]float64(nil), m.Max...)
	n := m.Nodes[0]
	for n[0] >= 0 {
		axis, lower := int(n[0]), int(n[1])
		if mid := (least[axis] + most[axis]) / 2; x[axis] < mid {
			most[axis], n = mid, m.Nodes[lower]
		} else {
			least[axis], n = mid, m.Nodes[lower+1]
		}
	}
	return n[2]
}

// unable says why costs cannot be made anew; "": they can.
func (p *Pricing) unable() string {
	switch {
	case p.Cost != "nll":
		return fmt.Sprintf("the cost %s", p.Cost)
	case p.Motion != "velocity" && p.Motion != "walk" && p.Motion != "reverting" && p.Motion != "swaying":
		return fmt.Sprintf("the motion %s", p.Motion)
	case p.Sensors > 0:
		return "several sensors, or one that does not see everything"
	case !(p.Interval > 0 && p.Sigma >= 0 && p.Accel >= 0 && p.Volume > 0 && p.Survive > 0 && p.Detect > 0 && p.ManoeuvreProb < 1):
		return "levels that make no sense"
	}
	return ""
}

// A matrix is one of up to six rows and columns; what lies beyond is not read.
type matrix [6][6]float64

// A belief is the distribution of dim positions, then dim velocities.
type belief struct {
	mean [6]float64
	cov  matrix
}

// A pricer prices links between the scans of one dimension.
type pricer struct {
	*Pricing

	dim       int
	reference float64 // log det S₀ over all axes
	known     map[[2]float64]*pace
	steps     map[float64]step
}

func newPricer(p *Pricing, dim int) *pricer {
	m := &pricer{Pricing: p, dim: dim, known: make(map[[2]float64]*pace), steps: make(map[float64]step)}
	m.reference = float64(dim) * m.pace(p.Interval, p.Interval).second.logdet
	return m
}

// width is the number of measured coordinates of a detection of dim dimensions.
func (p *Pricing) width(dim int) int {
	if p.PositionsOnly {
		return dim
	}
	return 2 * dim
}

// A step is what some seconds do to position and velocity on one axis, x + a·v and b·v, and the
// covariance that noise of density 1 adds to them.
type step struct {
	a, b float64
	q    [3]float64
}

// step is that of dt seconds.
func (m *pricer) step(dt float64) step {
	switch m.Motion {
	case "walk":
		return step{0, 1, [3]float64{dt}}
	case "velocity", "swaying":
		return step{dt, 1, [3]float64{dt * dt * dt / 3, dt * dt / 2, dt}}
	}
	if s, ok := m.steps[dt]; ok {
		return s
	}
	// Noise s seconds before the end has moved the velocity by e^−θs and the position by
	// reach(s) = (1−e^−θs)/θ.
	decay := func(s float64) float64 { return math.Exp(-m.Revert * s) }
	reach := func(s float64) float64 {
		if m.Revert == 0 {
			return s
		}
		return -math.Expm1(-m.Revert*s) / m.Revert
	}
	s := step{reach(dt), decay(dt), [3]float64{
		integral(dt, func(s float64) float64 { return reach(s) * reach(s) }),
		integral(dt, func(s float64) float64 { return reach(s) * decay(s) }),
		integral(dt, func(s float64) float64 { return decay(s) * decay(s) }),
	}}
	if len(m.steps) > 10_000 {
		clear(m.steps)
	}
	m.steps[dt] = s
	return s
}

// integral is that of f from 0 to end, by Gauss's rule of three points on many pieces.
func integral(end float64, f func(float64) float64) float64 {
	const pieces = 400
	var total, h = 0.0, end / pieces
	off := h / 2 * math.Sqrt(0.6)
	for k := range pieces {
		mid := (float64(k) + 0.5) * h
		total += h / 18 * (5*f(mid-off) + 8*f(mid) + 5*f(mid+off))
	}
	return total
}

// noise is the covariance of detection i of s: its own, or that of the levels.
func (p *Pricing) noise(s *mtt.Scan, i, dim int) (r matrix) {
	fill := func(at int, packed []float64, sigma float64) {
		k := 0
		for row := range dim {
			for col := range row + 1 {
				switch {
				case packed != nil:
					r[at+row][at+col], r[at+col][at+row] = packed[k], packed[k]
				case row == col:
					r[at+row][at+row] = sigma * sigma
				}
				k++
			}
		}
	}
	var position, velocity []float64
	if s != nil {
		position, velocity = s.CovAt(i), s.VelCovAt(i)
	}
	fill(0, position, p.Sigma)
	if !p.PositionsOnly {
		fill(dim, velocity, p.SigmaV)
	}
	return r
}

// predicted is b after dt seconds with noise of the given root spectral density.
func (m *pricer) predicted(b *belief, dt, noise float64, dim int) (after belief) {
	s := m.step(dt)
	var f, fp matrix
	for d := range dim {
		f[d][d], f[d][dim+d], f[dim+d][dim+d] = 1, s.a, s.b
	}
	n := 2 * dim
	for i := range n {
		for k := range n {
			after.mean[i] += f[i][k] * b.mean[k]
			for j := range n {
				fp[i][j] += f[i][k] * b.cov[k][j]
			}
		}
	}
	for i := range n {
		for j := range n {
			for k := range n {
				after.cov[i][j] += fp[i][k] * f[j][k]
			}
		}
	}
	for d := range dim {
		after.cov[d][d] += noise * noise * s.q[0]
		if m.Motion == "swaying" {
			after.cov[d][d] += m.Sway * m.Sway * dt
		}
		after.cov[d][dim+d] += noise * noise * s.q[1]
		after.cov[dim+d][d] += noise * noise * s.q[1]
		after.cov[dim+d][dim+d] += noise * noise * s.q[2]
	}
	return after
}

// factored is the Cholesky factor of the m rows and columns of p + r from the given one on, and
// the logarithm of the determinant.
func factored(p, r *matrix, at, m int) (l matrix, logdet float64) {
	for i := range m {
		for j := range i + 1 {
			v := p[at+i][at+j] + r[at+i][at+j]
			for k := range j {
				v -= l[i][k] * l[j][k]
			}
			if i == j {
				l[i][i] = math.Sqrt(v)
				logdet += math.Log(v)
			} else {
				l[i][j] = v / l[j][j]
			}
		}
	}
	return l, logdet
}

// solved is (l·lᵀ)⁻¹·v, of m elements.
func solved(l *matrix, v [6]float64, m int) [6]float64 {
	for i := range m {
		for k := range i {
			v[i] -= l[i][k] * v[k]
		}
		v[i] /= l[i][i]
	}
	for i := m - 1; i >= 0; i-- {
		for k := i + 1; k < m; k++ {
			v[i] -= l[k][i] * v[k]
		}
		v[i] /= l[i][i]
	}
	return v
}

// update conditions b, of n elements, on elements at … at+m−1 being measured as z with noise r.
func (b *belief) update(z []float64, r *matrix, at, m, n int) {
	l, _ := factored(&b.cov, r, at, m)
	var nu [6]float64
	for k := range m {
		nu[k] = z[k] - b.mean[at+k]
	}
	nu = solved(&l, nu, m)
	before := b.cov
	for i := range n {
		for k := range m {
			b.mean[i] += before[i][at+k] * nu[k]
		}
	}
	for j := range n {
		var column [6]float64
		for k := range m {
			column[k] = before[at+k][j]
		}
		column = solved(&l, column, m)
		for i := range n {
			for k := range m {
				b.cov[i][j] -= before[i][at+k] * column[k]
			}
		}
	}
}

// measured are the coordinates of detection i of s.
func (p *Pricing) measured(s *mtt.Scan, i int) []float64 {
	if p.PositionsOnly {
		return s.At(i)
	}
	return append(append(make([]float64, 0, 6), s.At(i)...), s.VelAt(i)...)
}

// A fit is the Mahalanobis distance of an innovation, squared, and log det S.
type fit struct{ d2, logdet float64 }

// price is what an innovation costs, given how it fits a smooth step and a manoeuvre. Own says
// that detections have covariances of their own.
func (m *pricer) price(smooth, turn fit, own bool) float64 {
	c, width := smooth.d2/2, float64(m.width(m.dim))
	if m.ManoeuvreProb > 0 {
		normal := -width/2*math.Log(2*math.Pi) - smooth.logdet/2 - smooth.d2/2
		sharp := -width/2*math.Log(2*math.Pi) - turn.logdet/2 - turn.d2/2
		if dof := m.TailDOF; !math.IsInf(dof, 1) {
			up, _ := math.Lgamma((dof + width) / 2)
			down, _ := math.Lgamma(dof / 2)
			sharp = up - down - width/2*math.Log(dof*math.Pi) - turn.logdet/2 - (dof+width)/2*math.Log1p(turn.d2/dof)
		}
		gain := math.Log(m.ManoeuvreProb) - math.Log1p(-m.ManoeuvreProb) + sharp - normal
		c -= max(gain, 0) + math.Log1p(math.Exp(-math.Abs(gain)))
		// The model adds the smallest number there is to densities which, unless detections have
		// covariances of their own, it takes for 0 below e^−700.
		const none = 700
		least, gone := -math.Log(math.SmallestNonzeroFloat64), smooth.d2/2 > none && math.IsInf(m.TailDOF, 1) && turn.d2/2 > none
		if !own && (gone || c > least) {
			c = least
		}
	}
	if c > 40 {
		c = 40 + math.Sqrt(c-40)
	}
	return c + (smooth.logdet-m.reference)/2
}

// ahead prices detection k of s, dt seconds after b, with the general filter.
func (m *pricer) ahead(b *belief, dt float64, s *mtt.Scan, k int) float64 {
	r, z := m.noise(s, k, m.dim), m.measured(s, k)
	width := m.width(m.dim)
	fits := func(noise float64) fit {
		p := m.predicted(b, dt, noise, m.dim)
		l, logdet := factored(&p.cov, &r, 0, width)
		var nu [6]float64
		for i := range width {
			nu[i] = z[i] - p.mean[i]
		}
		f := fit{logdet: logdet}
		for i, x := range solved(&l, nu, width) {
			f.d2 += x * nu[i]
		}
		return f
	}
	smooth, turn := fits(m.Accel), fit{}
	if m.ManoeuvreProb > 0 {
		turn = fits(m.ManoeuvreAccel)
	}
	return m.price(smooth, turn, true) - m.excess(s, k)/2
}

// excess is by how much a velocity of which nothing else is known is less likely, in −2·log of a
// density, than a typical one is: where s tells its noise. Where nothing is said of how fast false
// alarms are, all are typical of their noise.
func (m *pricer) excess(s *mtt.Scan, k int) float64 {
	if m.PositionsOnly || s.VelCov == nil {
		return 0
	}
	seen := m.alone(s, k, m.SpeedStd)
	if m.AlarmSpeed == 0 {
		seen.d2 = float64(m.dim)
	}
	return seen.logdet + seen.d2 - float64(m.dim)*(math.Log(m.SpeedStd*m.SpeedStd+m.SigmaV*m.SigmaV)+1)
}

// alone is how the velocity of detection k of s, which tells its noise, fits N(0, speed²) on each axis.
func (m *pricer) alone(s *mtt.Scan, k int, speed float64) fit {
	r := m.noise(s, k, m.dim)
	var prior belief
	for d := range m.dim {
		prior.cov[m.dim+d][m.dim+d] = speed * speed
	}
	l, logdet := factored(&prior.cov, &r, m.dim, m.dim)
	f := fit{logdet: logdet}
	var v [6]float64
	copy(v[:], s.VelAt(k))
	for i, x := range solved(&l, v, m.dim) {
		f.d2 += x * v[i]
	}
	return f
}

// begin is what detection i of s tells by itself, with covariances of its own: its position, and
// of its velocity what the measurement and the prior say together.
func (m *pricer) begin(s *mtt.Scan, i int) belief {
	var b belief
	r := m.noise(s, i, m.dim)
	for d := range m.dim {
		b.mean[d] = s.At(i)[d]
		b.cov[m.dim+d][m.dim+d] = m.SpeedStd * m.SpeedStd
		for e := range m.dim {
			b.cov[d][e] = r[d][e]
		}
	}
	if !m.PositionsOnly {
		b.update(s.VelAt(i), &r, m.dim, m.dim, 2*m.dim)
	}
	return b
}

// own says whether detections of any of the scans have covariances of their own.
func (m *pricer) own(scans ...*mtt.Scan) bool {
	for _, s := range scans {
		if s.Cov != nil || s.VelCov != nil && !m.PositionsOnly {
			return true
		}
	}
	return false
}

// A pace holds what does not depend on the detections where their noise is all the same: on one
// axis, of a link over the first of two intervals as the first of its track, and of one over the
// second after it.
type pace struct {
	step          [2]step       // of either interval
	gain          [2][2]float64 // with which the second detection corrects position and velocity
	first, second density
}

// A density is that of an innovation on one axis: the inverse of its covariance and the
// logarithm of the determinant, of smooth steps and of manoeuvres.
type density struct {
	smooth, turn        [3]float64
	logdet, turnsLogdet float64
}

// pace is that of two intervals.
func (m *pricer) pace(dt1, dt2 float64) *pace {
	if c := m.known[[2]float64{dt1, dt2}]; c != nil {
		return c
	}
	r := m.noise(nil, 0, 1)
	c := &pace{step: [2]step{m.step(dt1), m.step(dt2)}}
	b := belief{cov: r}
	if m.PositionsOnly {
		b.cov[1][1] = m.SpeedStd * m.SpeedStd
	}
	c.first = m.density(&b, dt1, &r)
	b = m.predicted(&b, dt1, m.Accel, 1)
	width := m.width(1)
	l, _ := factored(&b.cov, &r, 0, width)
	for k := range width { // column k of P·S⁻¹
		var unit [6]float64
		unit[k] = 1
		column := solved(&l, unit, width)
		for i := range 2 {
			for j := range width {
				c.gain[i][k] += b.cov[i][j] * column[j]
			}
		}
	}
	b.mean = [6]float64{}
	b.update([]float64{0, 0}[:width], &r, 0, width, 2)
	c.second = m.density(&b, dt2, &r)
	if len(m.known) > 10_000 {
		clear(m.known)
	}
	m.known[[2]float64{dt1, dt2}] = c
	return c
}

// density is that of what is measured dt seconds after b.
func (m *pricer) density(b *belief, dt float64, r *matrix) (d density) {
	width := m.width(1)
	inverse := func(noise float64) (inv [3]float64, logdet float64) {
		p := m.predicted(b, dt, noise, 1)
		l, logdet := factored(&p.cov, r, 0, width)
		x := solved(&l, [6]float64{1, 0}, width)
		inv = [3]float64{x[0], 0, 0}
		if width == 2 {
			y := solved(&l, [6]float64{0, 1}, width)
			inv[1], inv[2] = x[1], y[1]
		}
		return inv, logdet
	}
	d.smooth, d.logdet = inverse(m.Accel)
	if m.ManoeuvreProb > 0 {
		d.turn, d.turnsLogdet = inverse(m.ManoeuvreAccel)
	}
	return d
}

// fits is how innovations of position and velocity on each axis fit a density.
func (m *pricer) fits(d *density, x, v *[3]float64) float64 {
	n := float64(m.dim)
	smooth, turn := fit{logdet: n * d.logdet}, fit{logdet: n * d.turnsLogdet}
	for k := range m.dim {
		smooth.d2 += d.smooth[0]*x[k]*x[k] + 2*d.smooth[1]*x[k]*v[k] + d.smooth[2]*v[k]*v[k]
		turn.d2 += d.turn[0]*x[k]*x[k] + 2*d.turn[1]*x[k]*v[k] + d.turn[2]*v[k]*v[k]
	}
	return m.price(smooth, turn, false)
}

// start is the extra price of the link from detection i of a to detection j of b as the first of
// its track.
func (m *pricer) start(a *mtt.Scan, i int, b *mtt.Scan, j int) float64 {
	dt := b.Time - a.Time
	if m.own(a, b) {
		from := m.begin(a, i)
		return m.ahead(&from, dt, b, j)
	}
	c := m.pace(dt, m.Interval)
	var x, v [3]float64
	for d := range m.dim {
		if x[d] = b.At(j)[d] - a.At(i)[d]; !m.PositionsOnly {
			x[d] -= c.step[0].a * a.VelAt(i)[d]
			v[d] = b.VelAt(j)[d] - c.step[0].b*a.VelAt(i)[d]
		}
	}
	return m.fits(&c.first, &x, &v)
}

// triplet is the price of the links from detection i of a by way of detection j of b to detection
// k of c.
func (m *pricer) triplet(a *mtt.Scan, i int, b *mtt.Scan, j int, c *mtt.Scan, k int) float64 {
	dt1, dt2 := b.Time-a.Time, c.Time-b.Time
	if m.own(a, b, c) {
		from := m.begin(a, i)
		from = m.predicted(&from, dt1, m.Accel, m.dim)
		r := m.noise(b, j, m.dim)
		from.update(m.measured(b, j), &r, 0, m.width(m.dim), 2*m.dim)
		return m.ahead(&from, dt2, c, k)
	}
	p := m.pace(dt1, dt2)
	var x, v [3]float64
	for d := range m.dim {
		position, velocity := a.At(i)[d], 0.0
		if !m.PositionsOnly {
			velocity = a.VelAt(i)[d]
		}
		position, velocity = position+p.step[0].a*velocity, p.step[0].b*velocity
		dx, dv := b.At(j)[d]-position, 0.0
		if !m.PositionsOnly {
			dv = b.VelAt(j)[d] - velocity
		}
		position += p.gain[0][0]*dx + p.gain[0][1]*dv
		velocity += p.gain[1][0]*dx + p.gain[1][1]*dv
		x[d] = c.At(k)[d] - position - p.step[1].a*velocity
		if !m.PositionsOnly {
			v[d] = c.VelAt(k)[d] - p.step[1].b*velocity
		}
	}
	return m.fits(&p.second, &x, &v)
}

// pair is the price of a link by itself: that of the features and classes at its ends.
func (m *pricer) pair(a *mtt.Scan, i int, b *mtt.Scan, j int) (cost float64) {
	if a.Class != nil && b.Class != nil && m.Classes.Kinds != nil {
		// The probability of the second class given the first, over that of it among all.
		given := 1 - m.Classes.Same
		if k := slices.Index(m.Classes.Kinds, a.Class[i]); a.Class[i] == b.Class[j] && k < 0 {
			given = 1
		} else if a.Class[i] == b.Class[j] {
			given += m.Classes.Same / m.Classes.Share[k]
		}
		cost = -math.Log(given)
	}
	if a.Feat == nil || b.Feat == nil {
		return cost
	}
	for k, rho := range m.Same {
		if rho == 0 {
			continue
		}
		d := (a.FeatAt(i)[k] - m.Mean[k]) / math.Sqrt(m.Var[k])
		e := (b.FeatAt(j)[k] - m.Mean[k]) / math.Sqrt(m.Var[k])
		rest := 1 - rho*rho
		cost += min(((e-rho*d)*(e-rho*d)/rest-e*e+math.Log(rest))/2, 20)
	}
	return cost
}

// ends are the prices of what is not a link.
type ends struct{ birth, first, death, miss, again, alarm float64 }

// ends are those of the rates.
func (m *pricer) ends() ends {
	hidden := m.Hidden
	if hidden == 0 {
		hidden = 1 - m.Detect
	}
	seen := 1.0 // the density of a measured velocity at its entropy
	if !m.PositionsOnly {
		seen = math.Pow(2*math.Pi*math.E*(m.SpeedStd*m.SpeedStd+m.SigmaV*m.SigmaV), -float64(m.dim)/2)
	}
	perfect := -float64(m.width(m.dim))/2*math.Log(2*math.Pi) - m.reference/2 // log N(0; S₀)
	among := func(number float64) float64 {
		return -math.Log(number) + math.Log(m.Volume) - math.Log(seen) + math.Log(m.Survive) + perfect
	}
	return ends{
		birth: among(m.Births), first: among(m.Targets), death: -math.Log1p(-m.Survive),
		miss:  -math.Log(m.Survive) - math.Log1p(-m.Detect) - math.Log1p(-hidden) + math.Log(m.Detect),
		again: -math.Log(m.Survive) - math.Log(hidden),
		alarm: among(m.Alarm) + math.Log(m.Detect),
	}
}

// endsAt are the ends of detection i of s. The maps are logarithms of the odds of a birth, of
// a death and, by confidence, of being false, relative to those of all detections, and of the densities of
// targets and of false alarms, relative to even ones. What a target that goes on does there is what prices
// are relative to.
func (m *pricer) endsAt(e ends, s *mtt.Scan, i int) ends {
	x, usual := s.At(i), e.alarm
	here := append(append(make([]float64, 0, len(x)+1), x...), s.Time)
	target := m.TargetPlaces.at(here)
	e.birth -= m.BirthPlaces.at(x) + target
	e.first -= target
	if m.DeathPlaces != nil {
		odds := (1 - m.Survive) / m.Survive * math.Exp(m.DeathPlaces.at(x))
		stays := 1 / (1 + odds)
		e.death = -math.Log(odds*stays) + math.Log(stays/m.Survive)
		e.alarm += math.Log(stays / m.Survive)
	}
	e.alarm -= m.AlarmPlaces.at(here)
	if s.Conf != nil {
		e.alarm -= m.Confidence.at(s.Conf[i : i+1])
	}
	if echo := m.Echoes; echo != nil {
		others, all := math.Exp(usual-e.alarm)*m.Alarm/m.Volume, 0.0 // densities
		for k := range s.Len() {
			if k == i {
				continue
			}
			d2 := 0.0
			for d, z := range s.At(k) {
				off := (x[d] - z - echo.Offset[d]) / echo.Sigma
				d2 += off * off
			}
			all += echo.Share * math.Exp(-d2/2) / math.Pow(math.Sqrt(2*math.Pi)*echo.Sigma, float64(m.dim))
		}
		e.alarm -= math.Log1p(all / others)
	}
	if m.AlarmSpeed > 0 && !m.PositionsOnly && s.VelCov != nil {
		alarm, target := m.alone(s, i, m.AlarmSpeed), m.alone(s, i, m.SpeedStd)
		e.alarm += (alarm.logdet + alarm.d2 - target.logdet - target.d2) / 2
	}
	return e
}
