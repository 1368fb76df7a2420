package smooth

// This file tests smoothed states against the joint Gaussian density of a whole track, and
// against targets that move as the model says.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// levels are those of a motion in the plane.
func levels(m motion.Model, positions bool) *costgen.Levels {
	g := &costgen.Levels{
		Motion: m, Dim: 2, PositionsOnly: positions, Sigma: 0.3, SigmaV: 0.4, Accel: 0.5, SpeedStd: 2, Revert: 0.4,
	}
	switch m.Name() {
	case "walk":
		g.SpeedStd = 0
	case "turn":
		// Where neither rate nor velocity is known and a gap follows, a smoother that takes the tangent of
		// the filtered states is too sure: its NEES is 5.2 for 4.
		g.Accel, g.SpeedStd, g.TurnStd, g.TurnWalk = 0.1, 5, 0.05, 0.005
	}
	return g
}

// simulate draws a target at odd times and its track; a third of the scans miss it.
func simulate(r *rand.Rand, g *costgen.Levels, n int, covariances bool) (states [][4]float64, scans []mtt.Scan, tr mtt.Track) {
	p := g.Params(2)
	x := [4]float64{100 * r.NormFloat64(), 50, p.SpeedStd * r.NormFloat64(), p.SpeedStd * r.NormFloat64()}
	rate, now := p.TurnStd*r.NormFloat64(), 0.0
	tr = mtt.Track{ID: 7, Dim: 2}
	for k := range n {
		s := mtt.Scan{Frame: 10 + 3*k, Time: now, Dim: 2}
		if k == 0 || k == n-1 || r.IntN(3) > 0 {
			for _, v := range x[:2] {
				sd := p.Sigma
				if covariances {
					sd *= 0.5 + r.Float64()
					s.Cov = append(s.Cov, sd*sd)
				}
				s.Pos = append(s.Pos, v+sd*r.NormFloat64())
			}
			if covariances {
				s.Cov = []float64{s.Cov[0], 0, s.Cov[1]}
			}
			if !p.PositionsOnly {
				s.Vel = []float64{x[2] + p.SigmaV*r.NormFloat64(), x[3] + p.SigmaV*r.NormFloat64()}
			}
			tr.Append(&s, 0)
		}
		states, scans = append(states, x), append(scans, s)
		dt := 0.3 + 1.4*r.Float64()
		now += dt
		pieces := 1.0
		if p.Name() == "turn" {
			pieces = 50
		}
		for range int(pieces) {
			h := dt / pieces
			if p.Name() == "turn" {
				sin, cos := math.Sincos(rate * h)
				x[2], x[3] = cos*x[2]-sin*x[3], sin*x[2]+cos*x[3]
				rate += p.TurnWalk * math.Sqrt(h) * r.NormFloat64()
			}
			step := p.Step(h, motion.Smooth)
			for i := range 2 {
				a, b, l := r.NormFloat64(), r.NormFloat64(), math.Sqrt(step.Q[0])
				x[i] += step.A*x[2+i] + l*a
				x[2+i] = step.B*x[2+i] + step.Q[1]/l*a + math.Sqrt(max(0, step.Q[2]-step.Q[1]*step.Q[1]/step.Q[0]))*b
			}
		}
	}
	return states, scans, tr
}

// joint is the mean and covariance of the states at all scans on an axis, given the
// detections, without any recursion: a Gaussian over all of them is written down and
// conditioned. A target begins anywhere.
func joint(g *costgen.Levels, scans []mtt.Scan, axis int) (mean *mat.VecDense, cov *mat.Dense) {
	p, n := g.Params(2), len(scans)
	origin := scans[0].Pos[axis]
	prior := mat.NewDense(2*n, 2*n, nil)
	f := mat.NewDense(2*n, 2*n, nil) // from noise at each scan to states
	q := mat.NewDense(2*n, 2*n, nil)
	for k := range n {
		f.Set(2*k, 2*k, 1)
		f.Set(2*k+1, 2*k+1, 1)
		if k == 0 {
			q.Set(0, 0, 1e8)
			q.Set(1, 1, p.SpeedStd*p.SpeedStd)
			continue
		}
		s := p.Step(scans[k].Time-scans[k-1].Time, motion.Smooth)
		for c := range 2 * k {
			f.Set(2*k, c, f.At(2*k-2, c)+s.A*f.At(2*k-1, c))
			f.Set(2*k+1, c, s.B*f.At(2*k-1, c))
		}
		q.Set(2*k, 2*k, s.Q[0])
		q.Set(2*k, 2*k+1, s.Q[1])
		q.Set(2*k+1, 2*k, s.Q[1])
		q.Set(2*k+1, 2*k+1, s.Q[2])
	}
	prior.Product(f, q, f.T())

	var which []int
	var z, noise []float64
	for k := range scans {
		s := &scans[k]
		if s.Len() == 0 {
			continue
		}
		r := p.Sigma * p.Sigma
		if s.Cov != nil {
			r = s.Cov[2*axis]
		}
		which, z, noise = append(which, 2*k), append(z, s.Pos[axis]-origin), append(noise, r)
		if s.Vel != nil {
			which, z, noise = append(which, 2*k+1), append(z, s.Vel[axis]), append(noise, p.SigmaV*p.SigmaV)
		}
	}
	m := len(which)
	inner, cross := mat.NewSymDense(m, nil), mat.NewDense(2*n, m, nil)
	for a, i := range which {
		for b, j := range which[:a+1] {
			inner.SetSym(a, b, prior.At(i, j))
		}
		inner.SetSym(a, a, inner.At(a, a)+noise[a])
		for k := range 2 * n {
			cross.Set(k, a, prior.At(k, i))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(inner) {
		panic("not positive definite")
	}
	var gain, less mat.Dense
	chol.SolveTo(&gain, cross.T())
	mean = mat.NewVecDense(2*n, nil)
	mean.MulVec(gain.T(), mat.NewVecDense(m, z))
	for k := range n {
		mean.SetVec(2*k, mean.AtVec(2*k)+origin)
	}
	less.Mul(cross, &gain)
	cov = mat.NewDense(2*n, 2*n, nil)
	cov.Sub(prior, &less)
	return mean, cov
}

func TestAgainstJointGaussian(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 13))
	for _, m := range []motion.Model{motion.Velocity{}, motion.Walk{}, motion.Reverting{}} {
		for _, positions := range []bool{true, false} {
			for _, covariances := range []bool{true, false} {
				if m == motion.Model(motion.Walk{}) && !positions {
					continue
				}
				name := fmt.Sprintf("%s, positions only %v, covariances %v", m.Name(), positions, covariances)
				g := levels(m, positions)
				_, scans, tr := simulate(r, g, 12, covariances)
				got := Tracks(scans, []mtt.Track{tr}, g, 1).States(1)[0]
				if got.ID != 7 || len(got.Hits) != 12 || got.Hits[1].Frame != 13 || got.Time[11] != scans[11].Time {
					t.Fatalf("%s: states %v", name, got)
				}
				for axis := range 2 {
					mean, cov := joint(g, scans, axis)
					for k := range scans {
						if want := scans[k].Len() - 1; got.Hits[k].Det != want {
							t.Errorf("%s: detection %d at %d, want %d", name, got.Hits[k].Det, k, want)
						}
						x, c := got.At(k)
						at := func(i, j int) float64 { i, j = max(i, j), min(i, j); return c[i*(i+1)/2+j] }
						for i, e := range []int{axis, 2 + axis} {
							sd := math.Sqrt(max(0, cov.At(2*k+i, 2*k+i)))
							if d := x[e] - mean.AtVec(2*k+i); !(math.Abs(d) <= 1e-4*(1+sd)) {
								t.Errorf("%s: element %d at %d is %v, want %v", name, e, k, x[e], mean.AtVec(2*k+i))
							}
							for j, o := range []int{axis, 2 + axis} {
								if d := at(e, o) - cov.At(2*k+i, 2*k+j); !(math.Abs(d) <= 1e-5) {
									t.Errorf("%s: covariance %d, %d at %d is %v, want %v", name, e, o, k, at(e, o), cov.At(2*k+i, 2*k+j))
								}
							}
						}
					}
				}
			}
		}
	}
}

// Errors are as large as covariances say, in gaps too: the mean over 100 tracks of the
// normalised squared error is inside its 95 % band (see motion.TestNEES).
func TestNEES(t *testing.T) {
	const runs = 100
	for _, m := range motion.Models() {
		for _, covariances := range []bool{true, false} {
			g := levels(m, true)
			elements := 4
			if g.SpeedStd == 0 {
				elements = 2
			}
			var seen, filled, nSeen, nFilled float64
			for run := range runs {
				states, scans, tr := simulate(rand.New(rand.NewPCG(uint64(run), 17)), g, 30, covariances)
				got := Tracks(scans, []mtt.Track{tr}, g, 1).States(1)[0]
				for k := range scans {
					x, c := got.At(k)
					e2 := nees(x[:elements], states[k][:elements], c)
					if got.Hits[k].Det < 0 {
						filled, nFilled = filled+e2, nFilled+1
					} else {
						seen, nSeen = seen+e2, nSeen+1
					}
				}
			}
			// As if the scans of a run were all the same, which makes the band the widest.
			chi2 := distuv.ChiSquared{K: float64(elements * runs)}
			low, high := chi2.Quantile(0.025)/runs, chi2.Quantile(0.975)/runs
			for what, mean := range map[string]float64{"detected": seen / nSeen, "filled": filled / nFilled} {
				if !(low <= mean && mean <= high) {
					t.Errorf("%s, covariances %v, %s: mean NEES %.3f, want %.3f to %.3f", m.Name(), covariances, what, mean, low, high)
				}
			}
		}
	}
}

// nees is the squared error under a packed covariance.
func nees(x, truth, packed []float64) float64 {
	n := len(x)
	c, e := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		e.SetVec(i, x[i]-truth[i])
		for j := range i + 1 {
			c.SetSym(i, j, packed[i*(i+1)/2+j])
		}
	}
	var chol mat.Cholesky
	var y mat.VecDense
	if !chol.Factorize(c) || chol.SolveVecTo(&y, e) != nil {
		return math.NaN()
	}
	return mat.Dot(e, &y)
}

// The states do not depend on the number of workers, and a track of one detection has one.
// TestSeldom: where gaps would make many states of each detection there are states at detections
// only, and they are those that are there when gaps are filled in.
func TestSeldom(t *testing.T) {
	const each, n = 2 * filled, 8 * filled
	g := levels(motion.Velocity{}, true)
	r := rand.New(rand.NewPCG(6, 19))
	scans := make([]mtt.Scan, n+1)
	seldom, often := mtt.Track{ID: 1, Dim: 2}, mtt.Track{ID: 2, Dim: 2}
	for k := range scans {
		scans[k] = mtt.Scan{Frame: 2 * k, Time: 0.1 * float64(k), Dim: 2, Pos: []float64{r.NormFloat64(), r.NormFloat64(), 5, 5}}
		if often.Append(&scans[k], 1); k%each == 0 {
			seldom.Append(&scans[k], 0)
		}
	}
	few, all := Tracks(scans, []mtt.Track{seldom}, g, 1).States(1)[0], Tracks(scans, []mtt.Track{seldom, often}, g, 1).States(1)[0]
	if len(few.Hits) != len(seldom.Hits) || len(all.Hits) != len(scans) {
		t.Fatalf("%d states of %d detections, %d of %d scans", len(few.Hits), len(seldom.Hits), len(all.Hits), len(scans))
	}
	for k, h := range few.Hits {
		at := k * each
		if h != seldom.Hits[k] || h != all.Hits[at] || few.Time[k] != scans[at].Time {
			t.Errorf("state %d is of %v at %v", k, h, few.Time[k])
		}
		for d := range 4 {
			if want := all.Mean[4*at+d]; math.Abs(few.Mean[4*k+d]-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("state %d: %v, want %v", k, few.Mean[4*k:4*k+4], all.Mean[4*at:4*at+4])
			}
		}
		for d := range 10 {
			if want := all.Cov[10*at+d]; math.Abs(few.Cov[10*k+d]-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("state %d: %v, want %v", k, few.Cov[10*k:10*k+10], all.Cov[10*at:10*at+10])
			}
		}
	}
}

func TestWorkers(t *testing.T) {
	g := levels(motion.Velocity{}, true)
	g.ManoeuvreProb, g.ManoeuvreAccel = 0.1, 5
	_, scans, tr := simulate(rand.New(rand.NewPCG(5, 19)), g, 30, false)
	short := mtt.Track{ID: 8, Dim: 2}
	short.Append(&scans[0], 0)
	tracks := []mtt.Track{tr, short, tr, {Dim: 2}}
	one, four := Tracks(scans, tracks, g, 1).States(1), Tracks(scans, tracks, g, 4).States(4)
	for k := range one {
		if !slices.Equal(one[k].Mean, four[k].Mean) || !slices.Equal(one[k].Cov, four[k].Cov) {
			t.Errorf("track %d depends on the workers", k)
		}
	}
	if len(one[1].Hits) != 1 || one[1].Mean[0] != scans[0].Pos[0] || len(one[3].Hits) != 0 {
		t.Errorf("short tracks: %v, %v", one[1], one[3])
	}
}
