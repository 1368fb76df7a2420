package costgen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/interp"

	"mtt"
)

// This file tests Paper against the splines and the quadrature of gonum.

// A spline is a clamped spline in space, one interpolator for each axis.
type spline []interp.PiecewiseCubic

// fitSpline passes a spline through detection det[n] of scan n.
func fitSpline(scans []*mtt.Scan, det []int) spline {
	times := make([]float64, len(scans))
	for n, s := range scans {
		times[n] = s.Time
	}
	fit := make(spline, scans[0].Dim)
	for axis := range fit {
		pos, vel := make([]float64, len(scans)), make([]float64, len(scans))
		for n, s := range scans {
			pos[n], vel[n] = s.At(det[n])[axis], s.VelAt(det[n])[axis]
		}
		fit[axis].FitWithDerivatives(times, pos, vel)
	}
	return fit
}

// length is the arc length between two times, from 1200 nodes.
func (s spline) length(from, to float64) float64 {
	const panels = 50
	speed := func(t float64) float64 {
		var v2 float64
		for axis := range s {
			v := s[axis].PredictDerivative(t)
			v2 += v * v
		}
		return math.Sqrt(v2)
	}
	var sum float64
	step := (to - from) / panels
	for n := range panels {
		lo := from + float64(n)*step
		sum += quad.Fixed(speed, lo, min(lo+step, to), 24, quad.Legendre{}, 0)
	}
	return sum
}

// TestHermiteLength measures the error of arc lengths: of gentle turns (up to
// 45°, nearly constant speed) and of anything (any two headings, steps from
// nothing to twice what the speeds allow).
func TestHermiteLength(t *testing.T) {
	for _, tt := range []struct {
		name       string
		turn, slip float64 // largest turn, rad; slack of the step, relative
		usual      float64 // bound on the relative error of 99 in 100 curves
		worst      float64 // of all
	}{
		{"gentle", math.Pi / 4, 0.1, 1e-12, 1e-10},
		{"random", math.Pi, 1, 1e-7, 1e-4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			var errors []float64
			for range 1000 {
				a := &mtt.Scan{Dim: 2, Pos: []float64{0, 0}}
				b := &mtt.Scan{Dim: 2, Time: 0.5 + r.Float64()}
				heading, turn := 2*math.Pi*r.Float64(), tt.turn*(2*r.Float64()-1)
				u, v := 1+r.Float64(), 1+r.Float64()
				a.Vel = []float64{u * math.Cos(heading), u * math.Sin(heading)}
				b.Vel = []float64{v * math.Cos(heading+turn), v * math.Sin(heading+turn)}
				step := b.Time * (u + v) / 2 * (1 + tt.slip*(2*r.Float64()-1))
				aim := heading + turn/2 + 0.3*tt.slip*r.NormFloat64()
				b.Pos = []float64{step * math.Cos(aim), step * math.Sin(aim)}
				want := fitSpline([]*mtt.Scan{a, b}, []int{0, 0}).length(0, b.Time)
				errors = append(errors, math.Abs((&Paper{}).length(a, 0, b, 0)-want)/want)
			}
			slices.Sort(errors)
			t.Logf("error: median %.1g, 99 %% %.1g, worst %.1g", errors[500], errors[990], errors[999])
			if errors[990] > tt.usual || errors[999] > tt.worst {
				t.Errorf("error of 99 %% %.1g, worst %.1g, want %.1g and %.1g", errors[990], errors[999], tt.usual, tt.worst)
			}
		})
	}
}

// TestPaper prices all links and triplets of random scans: as splines through
// two and three detections, one by one.
func TestPaper(t *testing.T) {
	for _, dim := range []int{2, 3} {
		r := rand.New(rand.NewPCG(uint64(dim), 5))
		a, b, c := scatter(r, 0, 3, 4, dim, 4, 2), scatter(r, 1, 4.5, 3, dim, 4, 2), scatter(r, 2, 5.5, 5, dim, 4, 2)
		m, straight := &Paper{}, &Paper{Euclid: true}
		var pairs [3]float64
		for i := range a.Len() {
			m.Pairs(pairs[:], a, i, b, every(3))
			for j := range b.Len() {
				want := math.Abs(floats.Distance(a.At(i), b.At(j), 2) - 1.5*floats.Norm(a.VelAt(i), 2))
				if !near(pairs[j], want) {
					t.Errorf("%d-D: pair %d→%d costs %v, want %v", dim, i, j, pairs[j], want)
				}
			}
		}
		for j := range b.Len() {
			curved, flat := make([]float64, 20), make([]float64, 20)
			m.Triplets(curved, 5, a, every(4), b, j, c, every(5))
			straight.Triplets(flat, 5, a, every(4), b, j, c, every(5))
			for i := range a.Len() {
				for k := range c.Len() {
					s := fitSpline([]*mtt.Scan{a, b, c}, []int{i, j, k})
					before, after := s.length(3, 4.5), s.length(4.5, 5.5)
					if got, want := curved[5*i+k], math.Abs(before-after); math.Abs(got-want) > 1e-5*(before+after) {
						t.Errorf("%d-D: triplet %d→%d→%d costs %v, want %v", dim, i, j, k, got, want)
					}
					want := math.Abs(floats.Distance(a.At(i), b.At(j), 2) - floats.Distance(b.At(j), c.At(k), 2))
					if got := flat[5*i+k]; !near(got, want) {
						t.Errorf("%d-D: straight triplet %d→%d→%d costs %v, want %v", dim, i, j, k, got, want)
					}
				}
			}
		}
	}
}
