package motion

// This file predicts states of linear motions whose axes have more than two elements.

// longest is the most elements of an axis: position, velocity and acceleration.
const longest = maxStates / 3

// An axisMatrix is a matrix of the elements of an axis, row-major, the same for all axes.
type axisMatrix struct {
	k int // rows
	v [longest * longest]float64
}

// spread adds m to a, row-major n×n, of which d axes have the elements by turns.
func (m *axisMatrix) spread(a []float64, n, d int) {
	for r := range m.k {
		for c := range m.k {
			for i := range d {
				a[(r*d+i)*n+c*d+i] += m.v[r*m.k+c]
			}
		}
	}
}

// A longStep is a step of an axis.
type longStep struct {
	dt   float64
	f, q axisMatrix
}

// longAxes remembers the steps of a linear motion, each where its interval hashes to.
type longAxes struct {
	model Linear
	known [5][32]longStep
}

// of is the step of dt seconds of a kind.
func (l *longAxes) of(p *Params, dt float64, kind int) *longStep {
	s := &l.known[kind][hash(dt)>>59]
	if s.dt == dt && s.f.k > 0 {
		return s
	}
	s.dt = dt
	k := l.model.States(p) / p.Dim
	s.f.k, s.q.k = k, k
	noise, position, velocity := p.of(kind)
	l.model.Axis(p, s.f.v[:k*k], s.q.v[:k*k], dt, noise)
	s.q.v[0] += position
	s.q.v[k+1] += velocity
	return s
}

// advance is Predict of a linear motion.
func (f *Full) advance(s *FullState, t *longStep) {
	d, k := f.dim, t.f.k
	var fp, x [maxStates * maxStates]float64 // fp = F·P, row-major n×n
	n := f.n
	F := t.f.v[:k*k]
	for r := range k {
		for i := range d {
			row := fp[(r*d+i)*n:][:n]
			for l := range k {
				c := F[r*k+l]
				if c == 0 {
					continue
				}
				x[r*d+i] += c * s.X[l*d+i]
				for j := range row {
					row[j] += c * s.P[packed(l*d+i, j)]
				}
			}
		}
	}
	copy(s.X[:n], x[:n])
	for c := range k {
		for j := range d {
			for row := c*d + j; row < n; row++ { // of the lower triangle
				v := 0.0
				for l := range k {
					v += F[c*k+l] * fp[row*n+l*d+j]
				}
				if row%d == j {
					v += t.q.v[row/d*k+c]
				}
				s.P[packed(row, c*d+j)] = v
			}
		}
	}
}
