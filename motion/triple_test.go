package motion

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// This file checks the filter of three elements against the general one.

// TestTriple: whatever Full says of a track, forward, backward, of both together, of its ends and
// smoothed, Triple says to rounding: in the plane and in space, with velocities and without, after odd
// intervals and long gaps, of every kind of step, along tracks that the motion expects and others.
func TestTriple(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for trial := range 400 {
		p := &Params{
			Model: Singer{}, Dim: 2 + trial%2, PositionsOnly: trial%4 < 2,
			Sigma: math.Exp(rng.NormFloat64() - 2), SigmaV: math.Exp(rng.NormFloat64() - 2),
			Accel: math.Exp(rng.NormFloat64() - 3), SpeedStd: math.Exp(rng.NormFloat64()),
			AccelStd: math.Exp(rng.NormFloat64() - 2), AccelRevert: math.Exp(3*rng.NormFloat64() - 3),
			ManoeuvreProb: 0.05, ManoeuvreAccel: 1, JumpProb: 0.01, JumpStd: 3, OutlierProb: 0.05, OutlierTimes: 4,
		}
		if trial%7 == 0 {
			p.Accel = 0
		}
		path := randomPath(rng, p, 12, false)
		likeFull(compared{t, trial}, NewTriple(p), p, path, rng, nil, nil)
	}
}

// likeFull compares a filter with the general one along a path whose kinds of steps it draws. The scan
// and seen are those of SmoothTrack.
func likeFull[S, E any](like compared, a Filter[S, E], p *Params, path *path, rng *rand.Rand, all *mtt.Scan, seen func(int) bool) {
	other := NewFull(p)
	var kinds, steps = []int{Smooth, Manoeuvre, Jump}, make([]float64, len(path.scans))
	for k := 1; k < len(path.scans); k++ {
		path.kind[k] = kinds[rng.IntN(3)]
		steps[k] = path.scans[k].Time - path.scans[k-1].Time
	}
	wide, otherWide := a.Wide(), other.Wide()
	like.number("First", a.First(&path.scans[0], 0), other.First(&path.scans[0], 0))
	like.number("Noise", a.Noise(&path.scans[0], 0), other.Noise(&path.scans[0], 0))
	var s S
	var o FullState
	states, others := make([]S, len(path.scans)), make([]FullState, len(path.scans))
	for k := range path.scans {
		scan := &path.scans[k]
		if k == 0 {
			a.Start(&s, scan, 0)
			other.Start(&o, scan, 0)
		} else {
			a.Predict(&s, steps[k], path.kind[k])
			other.Predict(&o, steps[k], path.kind[k])
			like.fit("Innovation", a.Innovation(&s, scan, 0), other.Innovation(&o, scan, 0))
			like.number("Ratio", a.Ratio(&s), other.Ratio(&o))
			e, f := gather(a, path, k, len(path.scans)), gather(other, path, k, len(path.scans))
			like.fit("Join", a.Join(&s, &e), other.Join(&o, &f))
			like.number("Open", a.Open(&e), other.Open(&f))
			like.number("Peak", a.Peak(nil, &e), other.Peak(nil, &f))
			if join := a.Join(&s, &e); a.Peak(&s, &e) > join.D2+join.Base+1e-9*math.Abs(join.Base) {
				like.t.Errorf("trial %d: joining costs %v, less than its least, %v", like.trial, join, a.Peak(&s, &e))
			}
			first, join := a.Innovation(&s, scan, 0), a.Join(&s, &e)
			if least := first.D2 + first.Base + a.Rest(&e); least > join.D2+join.Base+1e-9*(1+math.Abs(least)) {
				like.t.Errorf("trial %d: joining costs %v, less than %v of its first detection with the rest", like.trial, join, least)
			}
			var x, y Estimate
			a.Estimate(&x, &s, &e)
			other.Estimate(&y, &o, &f)
			like.estimate("Estimate with information", &x, &y)
			if k%5 == 4 {
				wide.Update(&s, scan, 0)
				otherWide.Update(&o, scan, 0)
			} else {
				a.Update(&s, scan, 0)
				other.Update(&o, scan, 0)
			}
		}
		var x, y Estimate
		a.Estimate(&x, &s, nil)
		other.Estimate(&y, &o, nil)
		like.estimate("Estimate", &x, &y)
		pos, vel, variance := a.Position(&s)
		pos2, vel2, variance2 := other.Position(&o)
		like.number("Position", pos[0]+vel[1]+variance, pos2[0]+vel2[1]+variance2)
		states[k], others[k] = s, o
	}
	a.SmoothTrack(states, steps[1:], path.kind[1:], all, seen)
	other.SmoothTrack(others, steps[1:], path.kind[1:], all, seen)
	for k := range states {
		var x, y Estimate
		a.Estimate(&x, &states[k], nil)
		other.Estimate(&y, &others[k], nil)
		like.estimate("SmoothTrack", &x, &y)
	}
}

// compared are two filters that must agree to rounding, in a trial.
type compared struct {
	t     *testing.T
	trial int
}

func (c compared) number(what string, x, y float64) {
	c.t.Helper()
	if !(math.Abs(x-y) <= 1e-6*(1+math.Abs(y))) {
		c.t.Errorf("trial %d: %s is %v, by the general filter %v", c.trial, what, x, y)
	}
}

func (c compared) fit(what string, x, y Fit) {
	c.t.Helper()
	c.number(what+", distance", x.D2, y.D2)
	c.number(what+", base", x.Base, y.Base)
}

func (c compared) estimate(what string, x, y *Estimate) {
	c.t.Helper()
	for k := range 2 * x.Dim {
		c.number(what+", mean", x.X[k], y.X[k])
		for l := range k + 1 {
			c.number(what+", covariance", x.Cov(k, l), y.Cov(k, l))
		}
	}
}

// TestTripleAlike: states and information are alike where they are the same, and not where any element is
// another.
func TestTripleAlike(t *testing.T) {
	p := &Params{Model: Singer{}, Dim: 2, PositionsOnly: true, Sigma: 0.2, Accel: 0.1, SpeedStd: 1, AccelStd: 0.3, AccelRevert: 0.2}
	path := randomPath(rand.New(rand.NewPCG(1, 2)), p, 8, false)
	a := NewTriple(p)
	s, e := run(a, path, 0, 8), gather(a, path, 0, 8)
	if !a.LikeState(&s, &s, Same) || !a.LikeInformation(&e, &e, Same) {
		t.Error("a state or information is not like itself")
	}
	for r := range 3 {
		for n := range 2 {
			other, f := s, e
			other.X[r][n] += 2 * Same * math.Sqrt(s.P[packed(r, r)])
			f.H[r][n] += 2 * Same * math.Sqrt(e.L[packed(r, r)])
			if a.LikeState(&other, &s, Same) || a.LikeInformation(&f, &e, Same) {
				t.Errorf("element %d of axis %d makes no difference", r, n)
			}
		}
		for c := range r + 1 {
			other, f := s, e
			other.P[packed(r, c)] += 2 * Same * math.Sqrt(s.P[packed(r, r)]*s.P[packed(c, c)])
			f.L[packed(r, c)] += 2 * Same * math.Sqrt(e.L[packed(r, r)]*e.L[packed(c, c)])
			if a.LikeState(&other, &s, Same) || a.LikeInformation(&f, &e, Same) {
				t.Errorf("element %d, %d of a matrix makes no difference", r, c)
			}
		}
	}
}

var sink Fit

// BenchmarkTriple is a step forward, a step back and a join of Singer, by both filters.
func BenchmarkTriple(b *testing.B) {
	p := &Params{Model: Singer{}, Dim: 2, PositionsOnly: true, Sigma: 0.2, Accel: 0.1, SpeedStd: 1, AccelStd: 0.3, AccelRevert: 0.2}
	path := randomPath(rand.New(rand.NewPCG(1, 2)), p, 8, false)
	b.Run("triple", func(b *testing.B) { stepping(b, NewTriple(p), path) })
	b.Run("full", func(b *testing.B) { stepping(b, NewFull(p), path) })
}

func stepping[S, E any](b *testing.B, f Filter[S, E], path *path) {
	s, e := run(f, path, 0, 4), gather(f, path, 4, 8)
	var scan *mtt.Scan = &path.scans[4]
	for b.Loop() {
		x, y := s, e
		f.Predict(&x, 1, Smooth)
		sink = f.Innovation(&x, scan, 0)
		f.Update(&x, scan, 0)
		f.Predict(&x, 1, Smooth)
		f.Retreat(&y, 1, Smooth)
		f.Observe(&y, scan, 0)
		sink = f.Join(&x, &y)
	}
}
