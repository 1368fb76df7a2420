package motion

// This file tests that filters are as sure as they should be: the normalised estimation
// error squared (NEES; Bar-Shalom, Li and Kirubarajan 2001, section 5.4) of filtered and of
// smoothed states, over 100 runs of targets that move as the model says. On average it is
// the number of elements of the state; 95 % of the means of 100 runs lie in a band that
// follows from χ².

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"mtt"
	"mtt/internal/nightly"
	"mtt/sensor"
)

const (
	neesRuns  = 100
	neesScans = 40
)

// A world is how targets move and are measured, for these tests.
type world struct {
	name string
	p    *Params
	// measure appends the detection of a target at x with velocity v, and its covariances
	// where it has some.
	measure func(r *rand.Rand, s *mtt.Scan, x, v []float64)
	start   func(r *rand.Rand) []float64 // where targets begin; nil: at the origin
	gaps    bool                         // a third of the scans miss it, two and three in a row too, but never the first
}

// simulate draws a target: its states (positions, velocities) and its scans, at odd times.
func (w *world) simulate(r *rand.Rand) (states [][]float64, scans []mtt.Scan) {
	p, d := w.p, w.p.Dim
	x, v := make([]float64, d), make([]float64, d)
	if w.start != nil {
		x = w.start(r)
	}
	for k := range v {
		v[k] = p.SpeedStd * r.NormFloat64()
	}
	rate := p.TurnStd * r.NormFloat64()
	now := 0.0
	for k := range neesScans {
		if k > 0 {
			dt := 0.3 + 1.4*r.Float64()
			now += dt
			w.move(r, x, v, &rate, dt)
		}
		s := mtt.Scan{Frame: k, Time: now, Dim: d}
		w.measure(r, &s, x, v)
		states = append(states, append(append([]float64(nil), x...), v...))
		scans = append(scans, s)
	}
	return states, scans
}

// move moves a target on, by the model but not by the code of the filters: turns in small
// steps.
func (w *world) move(r *rand.Rand, x, v []float64, rate *float64, dt float64) {
	p := w.p
	pieces := 1
	if p.Name() == "turn" {
		pieces = 50
	}
	h := dt / float64(pieces)
	for range pieces {
		if p.Name() == "turn" {
			sin, cos := math.Sincos(*rate * h)
			v[0], v[1] = cos*v[0]-sin*v[1], sin*v[0]+cos*v[1]
			*rate += p.TurnWalk * math.Sqrt(h) * r.NormFloat64()
		}
		t := p.Step(h, Smooth)
		for k := range x {
			a, b := r.NormFloat64(), r.NormFloat64()
			x[k] += t.A * v[k]
			v[k] *= t.B
			// Cholesky's factor of Q.
			l := math.Sqrt(t.Q[0])
			x[k] += l * a
			if l > 0 {
				c := t.Q[1] / l
				v[k] += c*a + math.Sqrt(math.Max(0, t.Q[2]-c*c))*b
			}
		}
	}
}

// plain measures with the deviations of the parameters.
func (w *world) plain(r *rand.Rand, s *mtt.Scan, x, v []float64) {
	for k := range x {
		s.Pos = append(s.Pos, x[k]+w.p.Sigma*r.NormFloat64())
	}
	if !w.p.PositionsOnly {
		for k := range v {
			s.Vel = append(s.Vel, v[k]+w.p.SigmaV*r.NormFloat64())
		}
	}
}

// own measures with a covariance for each detection.
func (w *world) own(r *rand.Rand, s *mtt.Scan, x, v []float64) {
	draw := func(dst, cov, x []float64) ([]float64, []float64) {
		c := randomCov(r, len(x))
		sym := mat.NewSymDense(len(x), nil)
		for i := range x {
			for j := range i + 1 {
				sym.SetSym(i, j, c[packed(i, j)])
			}
		}
		var f mat.Cholesky
		f.Factorize(sym)
		var l mat.TriDense
		f.LTo(&l)
		e := make([]float64, len(x))
		for i := range e {
			e[i] = r.NormFloat64()
		}
		for i := range x {
			z := x[i]
			for j := range i + 1 {
				z += l.At(i, j) * e[j]
			}
			dst = append(dst, z)
		}
		return dst, append(cov, c...)
	}
	s.Pos, s.Cov = draw(s.Pos, s.Cov, x)
	if !w.p.PositionsOnly {
		s.Vel, s.VelCov = draw(s.Vel, s.VelCov, v)
	}
}

func TestNEES(t *testing.T) {
	for _, dim := range []int{2, 3} {
		if dim == 3 && !nightly.Is() {
			continue // nothing of the code knows which of the two it is but by a number
		}
		for _, m := range Models() {
			for _, positions := range []bool{true, false} {
				p := &Params{
					Model: m, Dim: dim, PositionsOnly: positions, Sigma: 0.3, SigmaV: 0.4, Accel: 0.5, SpeedStd: 2,
					Revert: 0.4, Sway: 0.3, TurnStd: 0.1, TurnWalk: 0.02,
				}
				switch m.Name() {
				case "walk":
					if !positions {
						continue
					}
					p.SpeedStd = 0
				case "turn":
					p.Accel, p.SpeedStd, p.TurnStd = 0.1, 5, 0.05 // where speeds are much above their noise a turn is nearly straight
				}
				name := fmt.Sprintf("%s in %d dimensions, positions only %v", m.Name(), dim, positions)
				w := &world{name: name, p: p}
				w.measure = w.plain
				if _, curved := m.(Curved); !curved {
					checkNEES(t, w, NewAxes(p))
				}
				checkNEES(t, w, NewFull(p))
				w.gaps = true
				checkNEES(t, w, NewFull(p))
				w.gaps = false
				w.measure = w.own
				w.name += ", covariances"
				checkNEES(t, w, NewFull(p))
			}
		}
	}
}

// A radar: ranges and bearings, and range rates, of targets 5 to 20 km away. Covariances of
// converted measurements depend on what was measured; over 2000 runs that makes the NEES of
// smoothed states 3 % too large, with range rates 6 %.
func TestNEESRadar(t *testing.T) {
	for _, rates := range []bool{false, true} {
		p := &Params{Dim: 2, PositionsOnly: !rates, Sigma: 1, SigmaV: 1, Accel: 1, SpeedStd: 8}
		radar := &sensor.Polar{Place: []float64{0, 0}, RangeNoise: 10, BearingNoise: 0.5 * math.Pi / 180}
		if rates {
			radar.RateNoise, radar.Speed = 1, 11
		}
		w := &world{name: fmt.Sprintf("radar, range rates %v", rates), p: p}
		w.start = func(r *rand.Rand) []float64 {
			sin, cos := math.Sincos(2 * math.Pi * r.Float64())
			far := 5e3 + 15e3*r.Float64()
			return []float64{far * cos, far * sin}
		}
		w.measure = func(r *rand.Rand, s *mtt.Scan, x, v []float64) {
			z := radar.Measure(nil, x, v)
			for k, sd := range []float64{radar.RangeNoise, radar.BearingNoise, radar.RateNoise}[:len(z)] {
				z[k] += sd * r.NormFloat64()
			}
			if err := radar.Append(s, z); err != nil {
				t.Fatal(err)
			}
		}
		checkNEES(t, w, NewFull(p))
	}
}

// checkNEES runs a filter forward and backward over 100 targets.
func checkNEES[S, E any](t *testing.T, w *world, f Filter[S, E]) {
	t.Helper()
	d := w.p.Dim
	n := 2 * d
	if w.p.SpeedStd == 0 {
		n = d // there is no velocity
	}
	var filtered, smoothed [neesScans]float64
	for run := range neesRuns {
		r := rand.New(rand.NewPCG(uint64(run), 11))
		states, scans := w.simulate(r)
		missed := make([]bool, len(scans))
		for k := 1; k < len(scans); k++ {
			missed[k] = w.gaps && r.IntN(3) == 0
		}
		seen := func(k int) bool { return !missed[k] }
		list := make([]S, len(scans))
		f.Start(&list[0], &scans[0], 0)
		for k := 1; k < len(scans); k++ {
			list[k] = list[k-1]
			f.Predict(&list[k], scans[k].Time-scans[k-1].Time, Smooth)
			if seen(k) {
				f.Update(&list[k], &scans[k], 0)
			}
		}
		whole := append([]S(nil), list...) // smoothed by going back through the states
		var dt []float64
		for k := 1; k < len(scans); k++ {
			dt = append(dt, scans[k].Time-scans[k-1].Time)
		}
		all := mtt.Scan{Dim: d}
		for k := range scans {
			all.Pos, all.Vel = append(all.Pos, scans[k].Pos...), append(all.Vel, scans[k].Vel...)
			all.Cov, all.VelCov = append(all.Cov, scans[k].Cov...), append(all.VelCov, scans[k].VelCov...)
		}
		f.SmoothTrack(whole, dt, nil, &all, seen)
		_, curved := w.p.model().(Curved)
		var e E
		for k := len(scans) - 1; k >= 0; k-- {
			var est Estimate
			f.Estimate(&est, &list[k], nil)
			filtered[k] += nees(t, w, &est, states[k], n) / neesRuns
			if k < len(scans)-1 {
				f.Retreat(&e, scans[k+1].Time-scans[k].Time, Smooth)
				f.Estimate(&est, &list[k], &e)
			}
			var back Estimate
			f.Estimate(&back, &whole[k], nil)
			if curved {
				est = back // see SmoothTrack
			} else {
				sameEstimate(t, w, &est, &back)
			}
			smoothed[k] += nees(t, w, &est, states[k], n) / neesRuns
			if seen(k) {
				f.Observe(&e, &scans[k], 0)
			}
		}
	}
	chi2 := distuv.ChiSquared{K: float64(n * neesRuns)}
	low, high := chi2.Quantile(0.025)/neesRuns, chi2.Quantile(0.975)/neesRuns
	for what, list := range map[string]*[neesScans]float64{"filtered": &filtered, "smoothed": &smoothed} {
		outside, mean := 0, 0.0
		for _, v := range list {
			if v < low || v > high {
				outside++
			}
			mean += v / neesScans
		}
		// Scans of one run depend on each other: ten in a row lie outside together as often as
		// one alone would. So the mean over all must be inside, and half of them.
		if mean < low || mean > high || outside > neesScans/2 {
			t.Errorf("%s, gaps %v, %s: mean NEES %.3f, want %.3f to %.3f; %d of %d scans outside", w.name, w.gaps, what, mean, low, high, outside, neesScans)
		}
	}
}

// sameEstimate compares two ways to smooth.
func sameEstimate(t *testing.T, w *world, a, b *Estimate) {
	t.Helper()
	for i := range 2 * w.p.Dim {
		if sd := math.Sqrt(a.Cov(i, i)); !(math.Abs(a.X[i]-b.X[i]) <= 1e-5*sd) || !(math.Abs(b.Cov(i, i)-sd*sd) <= 1e-5*sd*sd) {
			t.Fatalf("%s: element %d is %v ± %v by information and %v ± %v by going back", w.name, i, a.X[i], sd, b.X[i], math.Sqrt(b.Cov(i, i)))
		}
	}
}

// nees is the squared error of the first n elements under their covariance.
func nees(t *testing.T, w *world, est *Estimate, truth []float64, n int) float64 {
	t.Helper()
	c := mat.NewSymDense(n, nil)
	e := mat.NewVecDense(n, nil)
	for i := range n {
		e.SetVec(i, est.X[i]-truth[i])
		for j := range i + 1 {
			c.SetSym(i, j, est.Cov(i, j))
		}
	}
	var f mat.Cholesky
	if !f.Factorize(c) {
		t.Fatalf("%s: a covariance is not positive definite", w.name)
	}
	var y mat.VecDense
	if err := f.SolveVecTo(&y, e); err != nil && y.Len() == 0 {
		t.Fatal(err)
	}
	return mat.Dot(e, &y)
}
