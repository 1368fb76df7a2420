package sensor

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"mtt"
	"mtt/internal/rng"

	"gonum.org/v1/gonum/mat"
)

// polarCases are settings from lidar to a coarse radar.
var polarCases = []struct {
	r, sr    float64 // m
	st, sp   float64 // degrees
	dim      int
	up       float64 // degrees
	runs     int
	headings int
}{
	{50, 0.05, 0.1, 0, 2, 0, 4000, 5},
	{5e3, 10, 0.5, 0, 2, 0, 4000, 5},
	{20e3, 10, 0.5, 0, 2, 0, 4000, 7},
	{20e3, 10, 2.5, 0, 2, 0, 4000, 7}, // the noise across is 870 m, the bend of its arc 19 m
	{100e3, 10, 1.5, 0, 2, 0, 4000, 3},
	{30, 1, 10, 0, 2, 0, 4000, 5},
	{5e3, 10, 0.5, 0.5, 3, 10, 4000, 5},
	{20e3, 10, 0.5, 0.5, 3, 0, 4000, 5},
	{20e3, 10, 0.5, 0.5, 3, 45, 4000, 5},
	{20e3, 30, 1, 2, 3, 20, 4000, 5},
	{20e3, 10, 0.5, 0.5, 3, -75, 4000, 3},
}

// TestPolar draws measurements of a target at rest: on average they must lie where it is,
// and be as far off as their covariances say. Both bands hold 99.9 % of what an unbiased
// and consistent conversion gives.
func TestPolar(t *testing.T) {
	rad := math.Pi / 180
	for n, c := range polarCases {
		for h := range c.headings {
			theta := 2 * math.Pi * (float64(h) + 0.13) / float64(c.headings)
			name := fmt.Sprintf("%d/%d", n, h)
			p := &Polar{Place: []float64{10, -20, 30}[:c.dim], RangeNoise: c.sr, BearingNoise: c.st * rad, ElevationNoise: c.sp * rad}
			if err := p.Validate(); err != nil {
				t.Fatal(err)
			}
			x := []float64{p.Place[0] + c.r*math.Cos(theta)*math.Cos(c.up*rad), p.Place[1] + c.r*math.Sin(theta)*math.Cos(c.up*rad), 0}[:c.dim]
			if c.dim == 3 {
				x[2] = p.Place[2] + c.r*math.Sin(c.up*rad)
			}
			truth := p.Measure(nil, x, nil)
			if math.Abs(truth[0]-c.r) > 1e-9*c.r {
				t.Fatalf("%s: range %v, want %v", name, truth[0], c.r)
			}
			random := rng.Stream(1, "test/polar", uint64(n), uint64(h))
			mean := mat.NewVecDense(c.dim, nil)
			spread := mat.NewSymDense(c.dim, nil)
			nees, nees2 := 0.0, 0.0
			for range c.runs {
				e1, e2 := rng.Normal(random)
				e3, _ := rng.Normal(random)
				z := []float64{truth[0] + c.sr*e1, truth[1] + c.st*rad*e2}
				if c.dim == 3 {
					z = append(z, truth[2]+c.sp*rad*e3)
				}
				var s mtt.Scan
				if err := p.Append(&s, z); err != nil {
					t.Fatal(err)
				}
				e := mat.NewVecDense(c.dim, nil)
				for k := range c.dim {
					e.SetVec(k, s.Pos[k]-x[k])
				}
				mean.AddScaledVec(mean, 1/float64(c.runs), e)
				spread.SymRankOne(spread, 1/float64(c.runs), e)
				d := quadratic(t, s.Cov, e)
				nees += d / float64(c.runs)
				nees2 += d * d / float64(c.runs)
			}
			// The mean error, in its own deviations.
			var f mat.Cholesky
			if !f.Factorize(spread) {
				t.Fatalf("%s: errors lie in a line", name)
			}
			var y mat.VecDense
			if err := f.SolveVecTo(&y, mean); err != nil {
				t.Fatal(err)
			}
			if chi2, limit := float64(c.runs)*mat.Dot(mean, &y), []float64{0, 0, 13.8, 16.3}[c.dim]; chi2 > limit {
				t.Errorf("%s: mean error %.3g, χ² %.1f", name, mean.RawVector().Data, chi2)
			}
			// 95 % of means of 100 runs lie in 2 ± .39 (3 ± .48); we ask for more runs.
			dev := math.Sqrt((nees2 - nees*nees) / float64(c.runs))
			if math.Abs(nees-float64(c.dim)) > 3.3*dev {
				t.Errorf("%s: NEES %.4f, want %d ± %.4f", name, nees, c.dim, 3.3*dev)
			}
		}
	}
}

// quadratic is eᵀC⁻¹e of a packed covariance.
func quadratic(t *testing.T, packed []float64, e *mat.VecDense) float64 {
	t.Helper()
	n := e.Len()
	c := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			c.SetSym(i, j, packed[i*(i+1)/2+j])
		}
	}
	var f mat.Cholesky
	if !f.Factorize(c) {
		t.Fatalf("covariance %v is not positive definite", packed)
	}
	var y mat.VecDense
	if err := f.SolveVecTo(&y, e); err != nil {
		t.Fatal(err)
	}
	return mat.Dot(e, &y)
}

// TestPolarMoments compares the closed forms with the second moments of the error given
// the measurement, by Gauss-Hermite quadrature over the three noises.
func TestPolarMoments(t *testing.T) {
	// Nodes and weights of ten points for the standard normal, by their definition.
	nodes, weights := hermite(24)
	for _, c := range []struct{ r, sr, theta, st, up, sp float64 }{
		{10, 1, 0.3, 0.1, 0.5, 0.2}, {10, 0.1, -2, 0.4, -1.2, 0.3}, {3, 0.5, 1, 0.01, 0, 0.02},
	} {
		p := &Polar{Place: []float64{0, 0, 0}, RangeNoise: c.sr, BearingNoise: c.st, ElevationNoise: c.sp}
		var s mtt.Scan
		if err := p.Append(&s, []float64{c.r, c.theta, c.up}); err != nil {
			t.Fatal(err)
		}
		var want [6]float64
		for i, a := range nodes {
			for j, b := range nodes {
				for k, d := range nodes {
					r, theta, up := c.r-c.sr*a, c.theta-c.st*b, c.up-c.sp*d
					e := [3]float64{s.Pos[0] - r*math.Cos(theta)*math.Cos(up), s.Pos[1] - r*math.Sin(theta)*math.Cos(up), s.Pos[2] - r*math.Sin(up)}
					w := weights[i] * weights[j] * weights[k]
					n := 0
					for u := range 3 {
						for v := range u + 1 {
							want[n] += w * e[u] * e[v]
							n++
						}
					}
				}
			}
		}
		for n := range want {
			if math.Abs(s.Cov[n]-want[n]) > 1e-9*c.r*c.r {
				t.Errorf("%+v: element %d is %v, want %v", c, n, s.Cov[n], want[n])
			}
		}
	}
}

// hermite are the nodes and weights of Gauss's quadrature for the standard normal: the
// eigenvalues of its Jacobi matrix (Golub and Welsch 1969).
func hermite(n int) (nodes, weights []float64) {
	j := mat.NewSymDense(n, nil)
	for i := 1; i < n; i++ {
		j.SetSym(i-1, i, math.Sqrt(float64(i)))
	}
	var e mat.EigenSym
	e.Factorize(j, true)
	var v mat.Dense
	e.VectorsTo(&v)
	for i := range n {
		weights = append(weights, v.At(0, i)*v.At(0, i))
	}
	return e.Values(nil), weights
}

// With little noise the digits that matter survive: the covariance is that of first
// order.
func TestPolarFarAndSharp(t *testing.T) {
	p := &Polar{Place: []float64{0, 0, 0}, RangeNoise: 0.01, BearingNoise: 1e-9, ElevationNoise: 1e-9}
	var s mtt.Scan
	if err := p.Append(&s, []float64{1e7, 0, 0}); err != nil {
		t.Fatal(err)
	}
	for n, want := range []float64{1e-4, 0, 1e-4, 0, 0, 1e-4} {
		if math.Abs(s.Cov[n]-want) > 1e-15 {
			t.Errorf("element %d is %v, want %v", n, s.Cov[n], want)
		}
	}
}

// Range rates: the velocity along the line of sight is measured, across it nothing is
// known, and the matrix is fit for use.
func TestRangeRate(t *testing.T) {
	for _, dim := range []int{2, 3} {
		for _, compass := range []bool{false, true} {
			p := &Polar{
				Place: []float64{100, 200, 300}[:dim], RangeNoise: 10, BearingNoise: 0.01, ElevationNoise: 0.02,
				RateNoise: 0.5, Speed: 30, Compass: compass,
			}
			x, v := []float64{4100, 3200, 1300}[:dim], []float64{20, -10, 5}[:dim]
			z := p.Measure(nil, x, v)
			if len(z) != len(p.Roles()) {
				t.Fatalf("%d numbers for %v", len(z), p.Roles())
			}
			s := mtt.Scan{}
			if err := p.Append(&s, z); err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(); err != nil {
				t.Fatal(err)
			}
			u := make([]float64, dim)
			r := 0.0
			for k := range u {
				u[k] = x[k] - p.Place[k]
				r = math.Hypot(r, u[k])
			}
			rate, speed, along, trace := 0.0, 0.0, 0.0, 0.0
			for i := range u {
				u[i] /= r
				rate += u[i] * v[i]
			}
			n := 0
			for i := range u {
				speed += u[i] * s.Vel[i]
				for j := range i + 1 {
					along += u[i] * s.VelCov[n] * u[j]
					if i == j {
						trace += s.VelCov[n]
					} else {
						along += u[i] * s.VelCov[n] * u[j]
					}
					n++
				}
			}
			tilt := map[int]float64{2: 1e-4, 3: 2.5e-4}[dim]
			if want := 0.25 + 900*tilt; math.Abs(speed-rate) > 1e-12 || math.Abs(along-want) > 1e-4*want {
				t.Errorf("dim %d: rate %v with variance %v, want %v with %v", dim, speed, along, rate, want)
			}
			if want := float64(dim-1) * 9e8; math.Abs(trace-want) > 1e-6*want {
				t.Errorf("dim %d: variances add up to %v, want %v", dim, trace, want)
			}
		}
	}
}

func TestExpm1(t *testing.T) {
	for k := -500; k <= 500; k++ {
		if u := float64(k) / 1000; math.Abs(expm1(u)-math.Expm1(u)) > 4e-16*math.Abs(u) {
			t.Errorf("expm1(%v) = %v, want %v", u, expm1(u), math.Expm1(u))
		}
	}
}

func TestCompass(t *testing.T) {
	p := &Polar{Place: []float64{0, 0}, RangeNoise: 1, BearingNoise: 0.01, Compass: true}
	var s mtt.Scan
	if err := p.Append(&s, []float64{100, math.Pi / 2}); err != nil { // east
		t.Fatal(err)
	}
	if math.Abs(s.Pos[0]-100) > 0.01 || math.Abs(s.Pos[1]) > 1e-9 || s.Cov[0] > s.Cov[2]+1e-3 {
		t.Errorf("east is %v with covariance %v", s.Pos, s.Cov)
	}
	if z := p.Measure(nil, []float64{3, 4}, nil); math.Abs(z[1]-math.Atan2(3, 4)) > 1e-15 {
		t.Errorf("bearing %v", z[1])
	}
}

func TestPolarRefuses(t *testing.T) {
	good := Polar{Place: []float64{0, 0, 0}, RangeNoise: 1, BearingNoise: 0.01, ElevationNoise: 0.01}
	for want, change := range map[string]func(*Polar){
		"Place has 1":     func(p *Polar) { p.Place = p.Place[:1] },
		"Place holds NaN": func(p *Polar) { p.Place = []float64{0, math.NaN(), 0} },
		"RangeNoise is 0": func(p *Polar) { p.RangeNoise = 0 },
		"BearingNoise is": func(p *Polar) { p.BearingNoise = 5 },
		"ElevationNoise":  func(p *Polar) { p.ElevationNoise = 0 },
		"Speed is 0":      func(p *Polar) { p.RateNoise = 1 },
	} {
		p := good
		change(&p)
		if err := p.Validate(); !errors.Is(err, ErrSensor) || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate says %v, want %q", err, want)
		}
	}
	for want, z := range map[string][]float64{
		"range is -1":        {-1, 0, 0},
		"bearing is NaN":     {1, math.NaN(), 0},
		"are these degrees?": {1, 0, 30},
	} {
		var s mtt.Scan
		if err := good.Append(&s, z); !errors.Is(err, ErrMeasurement) || !strings.Contains(err.Error(), want) || s.Pos != nil {
			t.Errorf("Append says %v, want %q", err, want)
		}
	}
}

// TestTinyNoise: where one noise is so much smaller than the other that rounding is more than it,
// there is an error and no covariance that filters refuse.
func TestTinyNoise(t *testing.T) {
	for _, c := range []struct {
		noise float64
		ok    bool
	}{{1e-3, true}, {1e-9, true}, {1e-12, false}, {1e-320, false}} {
		p := &Polar{Place: []float64{0, 0}, RangeNoise: 20, BearingNoise: c.noise}
		var s mtt.Scan
		failed := 0
		for k := range 100 {
			if err := p.Append(&s, []float64{8623.2, 0.1 + 0.06*float64(k)}); err != nil {
				if failed++; !errors.Is(err, ErrMeasurement) {
					t.Error(err)
				}
			}
		}
		if err := s.Validate(); err != nil || c.ok != (failed == 0) || s.Len() != 100-failed || len(s.Cov) != 3*s.Len() {
			t.Errorf("noise %v: %d of 100 fail, %d remain with %d numbers of covariances: %v", c.noise, failed, s.Len(), len(s.Cov), err)
		}
	}
}
