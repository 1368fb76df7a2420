package costgen

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"mtt"
)

// This file tests what all models have in common: the layout of prices, what
// they may not depend on, and what they refuse.

// models are the models of this package, for scans of a dimension.
func models(dim int) map[string]Model {
	levels := Levels{Sigma: 0.1, SigmaV: 0.2, Accel: 0.3, SpeedStd: 1, Dim: dim}
	turns, positions := levels, levels
	turns.ManoeuvreProb, turns.ManoeuvreAccel = 0.05, 2
	positions.PositionsOnly = true
	return map[string]Model{
		"gaussian":  &Gaussian{Levels: levels},
		"turns":     &Gaussian{Levels: turns},
		"positions": &Gaussian{Levels: positions},
		"trapezoid": &Trapezoid{},
		"paper":     &Paper{},
		"straight":  &Paper{Euclid: true},
		"funcs": &Funcs{
			Pair: func(a *mtt.Scan, i int, b *mtt.Scan, j int) float64 { return a.At(i)[0]*b.At(j)[1] + float64(i) },
			Triplet: func(a *mtt.Scan, i int, b *mtt.Scan, j int, c *mtt.Scan, k int) float64 {
				return a.At(i)[0] + 10*b.At(j)[0] + 100*c.At(k)[0]
			},
		},
		"nothing": &Funcs{},
	}
}

// names are the keys of models, sorted.
func names() []string {
	var s []string
	for name := range models(2) {
		s = append(s, name)
	}
	slices.Sort(s)
	return s
}

// TestLayout checks that prices of many links are those of one link at a time,
// in their places, and that no other place is written to.
func TestLayout(t *testing.T) {
	const blank = -1234.5
	for _, name := range names() {
		for _, dim := range []int{2, 3} {
			m := models(dim)[name]
			r := rand.New(rand.NewPCG(3, uint64(dim)))
			a, b, c := scatter(r, 0, 0, 7, dim, 2, 1), scatter(r, 1, 0.8, 5, dim, 2, 1), scatter(r, 2, 2, 6, dim, 2, 1)
			in, out := []int32{6, 0, 3}, []int32{1, 2, 5, 0}
			const stride = 6
			many, one := make([]float64, 4*stride), make([]float64, 1)
			for n := range many {
				many[n] = blank
			}
			m.Triplets(many, stride, a, in, b, 2, c, out)
			for n, got := range many {
				want := blank
				if r, s := n/stride, n%stride; r < len(in) && s < len(out) {
					m.Triplets(one, 1, a, in[r:r+1], b, 2, c, out[s:s+1])
					want = one[0]
				}
				if got != want {
					t.Errorf("%s, %d-D: triplet %d is %v, want %v", name, dim, n, got, want)
				}
			}
			for _, price := range []struct {
				name string
				f    func([]float64, *mtt.Scan, int, *mtt.Scan, []int32)
			}{{"pair", m.Pairs}, {"start", m.Starts}} {
				for n := range many {
					many[n] = blank
				}
				price.f(many, b, 3, c, out)
				for n, got := range many {
					want := blank
					if n < len(out) {
						price.f(one, b, 3, c, out[n:n+1])
						want = one[0]
					}
					if got != want {
						t.Errorf("%s, %d-D: %s %d is %v, want %v", name, dim, price.name, n, got, want)
					}
				}
			}
		}
	}
}

// rotated returns a copy of a planar scan, turned by an angle and moved.
func rotated(s *mtt.Scan, angle, dx, dy float64) *mtt.Scan {
	sin, cos := math.Sincos(angle)
	c := &mtt.Scan{Frame: s.Frame, Time: s.Time, Dim: 2}
	for i := range s.Len() {
		x, y, u, v := s.Pos[2*i], s.Pos[2*i+1], s.Vel[2*i], s.Vel[2*i+1]
		c.Pos = append(c.Pos, cos*x-sin*y+dx, sin*x+cos*y+dy)
		c.Vel = append(c.Vel, cos*u-sin*v, sin*u+cos*v)
	}
	return c
}

// TestRotation checks that it does not matter where north is, nor where zero is.
func TestRotation(t *testing.T) {
	for _, name := range names() {
		m := models(2)[name]
		if name == "funcs" {
			continue // as it likes
		}
		r := rand.New(rand.NewPCG(4, 4))
		for range 20 {
			angle, x, y := 2*math.Pi*r.Float64(), 100*r.Float64(), 100*r.Float64()
			var scans, moved []*mtt.Scan
			for f := range 3 {
				s := scatter(r, f, float64(f), 4, 2, 1, 0.5)
				scans, moved = append(scans, s), append(moved, rotated(s, angle, x, y))
			}
			price := func(s []*mtt.Scan) []float64 {
				dst := make([]float64, 16+4+4)
				m.Triplets(dst, 4, s[0], every(4), s[1], 2, s[2], every(4))
				m.Pairs(dst[16:], s[0], 1, s[1], every(4))
				m.Starts(dst[20:], s[0], 1, s[1], every(4))
				return dst
			}
			want, got := price(scans), price(moved)
			for n := range want {
				if math.Abs(got[n]-want[n]) > 1e-7*(1+math.Abs(want[n])) {
					t.Fatalf("%s: price %d is %v after a rotation, %v before", name, n, got[n], want[n])
				}
			}
		}
	}
}

// TestNothing prices no links at all, between scans that may be empty.
func TestNothing(t *testing.T) {
	full, empty := scatter(rand.New(rand.NewPCG(1, 1)), 0, 0, 2, 2, 1, 1), &mtt.Scan{Time: 1}
	for _, name := range names() {
		m := models(2)[name]
		m.Pairs(nil, full, 0, empty, nil)
		m.Starts(nil, full, 0, empty, nil)
		m.Triplets(nil, 0, empty, nil, full, 0, empty, nil)
		m.Triplets(nil, 0, full, []int32{0, 1}, full, 0, empty, nil)
		m.Triplets(nil, 2, empty, nil, full, 0, full, []int32{0, 1})
	}
}

// TestShapes checks that misuse panics, and with what.
func TestShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	plane := func(n int) *mtt.Scan { return scatter(r, n, float64(n), 3, 2, 1, 1) }
	space := scatter(r, 1, 1, 3, 3, 1, 1)
	still := plane(1)
	still.Vel = nil
	a, b, c, all := plane(0), plane(1), plane(2), every(3)
	dst := make([]float64, 9)
	flat := &Gaussian{Levels: Levels{Sigma: 1, SigmaV: 1, Accel: 1, Dim: 2}}
	deep := &Gaussian{Levels: Levels{Sigma: 1, SigmaV: 1, Accel: 1, Dim: 3}}
	for _, tt := range []struct {
		name string
		want string
		f    func()
	}{
		{"no velocity", noVelocity, func() { flat.Triplets(dst, 3, a, all, still, 0, c, all) }},
		{"no velocity at first", noVelocity, func() { flat.Starts(dst, a, 0, still, all) }},
		{"no velocity for splines", noVelocity, func() { (&Paper{}).Triplets(dst, 3, a, all, still, 0, c, all) }},
		{"no speed for the paper", noVelocity, func() { (&Paper{Euclid: true}).Pairs(dst, still, 0, c, all) }},
		{"levels for space", badLevels, func() { deep.Triplets(dst, 3, a, all, b, 0, c, all) }},
		{"levels for space at first", badLevels, func() { deep.Starts(dst, a, 0, b, all) }},
		{"no levels", noVariance, func() { (&Gaussian{}).Triplets(dst, 3, a, all, b, 0, c, all) }},
		{"levels not a number", noVariance, func() {
			(&Gaussian{Levels: Levels{Sigma: math.NaN(), SigmaV: 1}}).Starts(dst, a, 0, b, all)
		}},
		{"no levels in a turn", noVariance, func() {
			(&Gaussian{Levels: Levels{Accel: 1, ManoeuvreProb: 0.1}}).Starts(dst, a, 0, b, all)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { panics(t, tt.want, tt.f) })
	}
	for _, name := range names() {
		m := models(2)[name]
		t.Run(name, func(t *testing.T) {
			panics(t, shortDst, func() { m.Pairs(dst[:2], a, 0, b, all) })
			panics(t, badDim, func() { m.Pairs(dst, a, 0, space, all) })
			panics(t, shortDst, func() { m.Starts(dst[:2], a, 0, b, all) })
			panics(t, badDim, func() { m.Starts(dst, a, 0, space, all) })
			panics(t, shortDst, func() { m.Triplets(dst[:8], 3, a, all, b, 0, c, all) })
			panics(t, shortStride, func() { m.Triplets(dst, 2, a, all, b, 0, c, all) })
			panics(t, badDim, func() { m.Triplets(dst, 3, a, all, b, 0, space, all) })
			panics(t, badDim, func() { m.Triplets(dst, 3, space, all, b, 0, c, all) })
		})
	}
}

// panics checks that f panics with want.
func panics(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("panic with %v, want %q", got, want)
		}
	}()
	f()
}

func TestAllocs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	a, b, c := scatter(r, 0, 0, 4, 2, 1, 1), scatter(r, 1, 1, 4, 2, 1, 1), scatter(r, 2, 2.5, 4, 2, 1, 1)
	all, dst := every(4), make([]float64, 16)
	for _, name := range names() {
		m := models(2)[name]
		if n := testing.AllocsPerRun(10, func() {
			m.Pairs(dst, a, 0, b, all)
			m.Starts(dst, a, 0, b, all)
			m.Triplets(dst, 4, a, all, b, 1, c, all)
		}); n != 0 {
			t.Errorf("%s: %v allocations in a second call, want none", name, n)
		}
	}
}

// TestConcurrent prices triplets of many intervals from several goroutines.
func TestConcurrent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = 40
	var scans []*mtt.Scan
	for f := range n {
		scans = append(scans, scatter(r, f, float64(f*f), 3, 2, 1, 1))
	}
	price := func(m Model, dst []float64, t int) {
		m.Triplets(dst, 3, scans[t], every(3), scans[t+1], 0, scans[t+2], every(3))
		m.Starts(dst[9:], scans[t], 0, scans[t+1], every(3))
	}
	for _, name := range names() {
		m := models(2)[name]
		var got, want [n - 2][12]float64
		for t := range want {
			price(m, want[t][:], t)
		}
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				for t := w; t < n-2; t += 4 {
					price(m, got[t][:], t)
				}
			})
		}
		wg.Wait()
		if got != want {
			t.Errorf("%s: prices depend on who asks when", name)
		}
	}
}
