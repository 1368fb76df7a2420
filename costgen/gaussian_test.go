package costgen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"mtt"
	"mtt/motion"
)

// This file tests Gaussian against the Kalman filter of kalman_test.go, and its
// parts against quadrature.

// near says whether two prices agree to twelve digits or so.
func near(x, y float64) bool { return math.Abs(x-y) <= 1e-10*(1+math.Abs(x)+math.Abs(y)) }

// every lists detections 0…n−1.
func every(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// levelsUnderTest are levels that between them use every field.
var levelsUnderTest = []struct {
	name string
	Levels
}{
	{"plain", Levels{Sigma: 0.1, SigmaV: 0.2, Accel: 0.3, SpeedStd: 1}},
	{"space", Levels{Sigma: 0.1, SigmaV: 0.2, Accel: 0.3, SpeedStd: 1, Dim: 3}},
	{"fast", Levels{Sigma: 3, SigmaV: 40, Accel: 100, SpeedStd: 200, Interval: 0.04}},
	{"positions", Levels{Sigma: 0.1, Accel: 0.3, SpeedStd: 1, PositionsOnly: true}},
	{"positions in space", Levels{Sigma: 0.1, Accel: 0.3, SpeedStd: 1, Dim: 3, PositionsOnly: true}},
	{"turns", Levels{Sigma: 0.1, SigmaV: 0.2, Accel: 0.1, SpeedStd: 1, ManoeuvreProb: 0.05, ManoeuvreAccel: 1}},
	{"turns in space", Levels{Sigma: 0.1, SigmaV: 0.2, Accel: 0.1, SpeedStd: 1, Dim: 3, ManoeuvreProb: 0.3, ManoeuvreAccel: 1}},
	{"turns seen by positions", Levels{Sigma: 0.1, Accel: 0.1, SpeedStd: 1, PositionsOnly: true, ManoeuvreProb: 0.05, ManoeuvreAccel: 1}},
	{"turns seen by positions in space", Levels{Sigma: 0.1, Accel: 0.1, SpeedStd: 1, Dim: 3, PositionsOnly: true, ManoeuvreProb: 0.6, ManoeuvreAccel: 2}},
	{"no noise in velocities", Levels{Sigma: 0.1, Accel: 0.3, SpeedStd: 1}},
	{"odd interval", Levels{Sigma: 0.1, SigmaV: 0.2, Accel: 0.3, SpeedStd: 1, Interval: 2.5, ManoeuvreProb: 0.05, ManoeuvreAccel: 1}},
}

// intervals are pairs of intervals in units of the reference interval.
var intervals = [][2]float64{{1, 1}, {1, 2}, {2, 1}, {0.3, 1.7}}

func TestGaussianKalman(t *testing.T) {
	for _, tt := range levelsUnderTest {
		for _, dt := range intervals {
			t.Run(fmt.Sprintf("%s/%g,%g", tt.name, dt[0], dt[1]), func(t *testing.T) {
				m := &Gaussian{Levels: tt.Levels}
				unit, dim := m.interval(), m.dim()
				r := rand.New(rand.NewPCG(7, 7))
				speed := 3 * (m.Sigma/unit + m.Accel*math.Sqrt(unit))
				scans := [3]*mtt.Scan{}
				for f, time := range []float64{5, 5 + dt[0]*unit, 5 + (dt[0]+dt[1])*unit} {
					scans[f] = scatter(r, f, time, 5, dim, speed*unit, speed)
					if m.PositionsOnly {
						scans[f].Vel = nil
					}
				}
				a, b, c := scans[0], scans[1], scans[2]
				in, out := []int32{3, 0, 4}, []int32{1, 2, 4}
				dst := make([]float64, 3)
				for i := range a.Len() {
					m.Starts(dst, a, i, b, out)
					for s, j := range out {
						if got, want := dst[s], startPrice(&m.Levels, a, i, b, int(j)); !near(got, want) {
							t.Errorf("start %d→%d costs %v, want %v", i, j, got, want)
						}
					}
				}
				const stride = 4
				dst = make([]float64, 3*stride)
				for j := range b.Len() {
					m.Triplets(dst, stride, a, in, b, j, c, out)
					for r, i := range in {
						for s, k := range out {
							if got, want := dst[r*stride+s], tripletPrice(&m.Levels, a, int(i), b, j, c, int(k)); !near(got, want) {
								t.Errorf("triplet %d→%d→%d costs %v, want %v", i, j, k, got, want)
							}
						}
					}
				}
			})
		}
	}
}

// TestLevels checks that a model notices new levels.
func TestLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	a, b, c := scatter(r, 0, 0, 1, 2, 1, 1), scatter(r, 1, 1, 1, 2, 1, 1), scatter(r, 2, 2, 1, 2, 1, 1)
	m := &Gaussian{Levels: Levels{Sigma: 1, SigmaV: 1, Accel: 1}}
	for _, accel := range []float64{1, 2, 3} {
		m.Accel = accel
		var got [1]float64
		if m.Starts(got[:], a, 0, b, every(1)); !near(got[0], startPrice(&m.Levels, a, 0, b, 0)) {
			t.Errorf("Accel %v: start costs %v, want %v", accel, got[0], startPrice(&m.Levels, a, 0, b, 0))
		}
		if m.Triplets(got[:], 1, a, every(1), b, 0, c, every(1)); !near(got[0], tripletPrice(&m.Levels, a, 0, b, 0, c, 0)) {
			t.Errorf("Accel %v: triplet costs %v, want %v", accel, got[0], tripletPrice(&m.Levels, a, 0, b, 0, c, 0))
		}
	}
}

// TestDim prices scans of both dimensions with levels that name none.
func TestDim(t *testing.T) {
	m := &Gaussian{Levels: Levels{Sigma: 0.1, SigmaV: 0.2, Accel: 0.3, ManoeuvreProb: 0.1, ManoeuvreAccel: 2}}
	for _, dim := range []int{2, 3, 2} {
		r := rand.New(rand.NewPCG(1, 1))
		a, b, c := scatter(r, 0, 0, 1, dim, 1, 1), scatter(r, 1, 1, 1, dim, 1, 1), scatter(r, 2, 2.5, 1, dim, 1, 1)
		want := m.Levels
		want.Dim = dim
		var got [1]float64
		if m.Starts(got[:], a, 0, b, every(1)); !near(got[0], startPrice(&want, a, 0, b, 0)) {
			t.Errorf("%d-D: start costs %v, want %v", dim, got[0], startPrice(&want, a, 0, b, 0))
		}
		if m.Triplets(got[:], 1, a, every(1), b, 0, c, every(1)); !near(got[0], tripletPrice(&want, a, 0, b, 0, c, 0)) {
			t.Errorf("%d-D: triplet costs %v, want %v", dim, got[0], tripletPrice(&want, a, 0, b, 0, c, 0))
		}
	}
}

// TestUnits checks that prices do not depend on the units of length and time.
func TestUnits(t *testing.T) {
	const length, time = 1000.0, 60.0 // mm per m, s per minute
	m := &Gaussian{Levels: Levels{Sigma: 0.1, SigmaV: 0.2, Accel: 0.3, SpeedStd: 2, ManoeuvreProb: 0.1, ManoeuvreAccel: 1, Interval: 0.5, Rates: someRates}}
	n := &Gaussian{Levels: m.Levels}
	n.Sigma *= length
	n.SigmaV *= length / time
	n.Accel *= length / (time * math.Sqrt(time))
	n.SpeedStd *= length / time
	n.ManoeuvreAccel *= length / (time * math.Sqrt(time))
	n.Interval *= time
	n.Rates.Volume *= length * length
	r := rand.New(rand.NewPCG(1, 1))
	var scans, scaled []*mtt.Scan
	for f := range 3 {
		s := scatter(r, f, 0.7*float64(f), 3, 2, 1, 1)
		u := &mtt.Scan{Frame: f, Time: s.Time * time, Dim: 2}
		for k := range s.Pos {
			u.Pos, u.Vel = append(u.Pos, s.Pos[k]*length), append(u.Vel, s.Vel[k]*length/time)
		}
		scans, scaled = append(scans, s), append(scaled, u)
	}
	price := func(m Model, s []*mtt.Scan) []float64 {
		dst := make([]float64, 12)
		m.Starts(dst, s[0], 1, s[1], every(3))
		m.Triplets(dst[3:], 3, s[0], every(3), s[1], 2, s[2], every(3))
		e := m.Ends()
		return append(dst, e.Birth, e.First, e.Death, e.Miss, e.Clutter)
	}
	want, got := price(m, scans), price(n, scaled)
	for k := range want {
		if !near(got[k], want[k]) {
			t.Errorf("price %d is %v in other units, want %v", k, got[k], want[k])
		}
	}
}

var someRates = Rates{Detect: 0.9, Survive: 0.97, Births: 0.4, Targets: 12, Clutter: 3, Volume: 500}

// TestEnds compares with the definition, densities from gonum.
func TestEnds(t *testing.T) {
	for _, tt := range levelsUnderTest {
		m := &Gaussian{Levels: tt.Levels}
		m.Rates = someRates
		if m.PositionsOnly {
			m.Rates.Hidden = 0.6
		}
		r := m.Rates
		if r.Hidden == 0 {
			r.Hidden = 1 - r.Detect
		}
		velocity := 0.0 // log density
		if !m.PositionsOnly {
			cov := mat.NewSymDense(m.dim(), nil)
			for n := range m.dim() {
				cov.SetSym(n, n, m.SpeedStd*m.SpeedStd+m.SigmaV*m.SigmaV)
			}
			normal, _ := distmv.NewNormal(make([]float64, m.dim()), cov, nil)
			velocity = -normal.Entropy()
		}
		link := math.Log(r.Survive*r.Detect) + referencePeak(&m.Levels) // what prices are relative to
		want := Ends{
			Birth:   link - math.Log(r.Births/r.Volume*r.Detect) - velocity,
			First:   link - math.Log(r.Targets/r.Volume*r.Detect) - velocity,
			Death:   -math.Log(1 - r.Survive),
			Miss:    -math.Log(r.Survive * (1 - r.Detect) * (1 - r.Hidden) / r.Detect),
			Clutter: link - math.Log(r.Clutter/r.Volume) - velocity,
		}
		got := m.Ends()
		for _, p := range []struct {
			name      string
			got, want float64
		}{
			{"birth", got.Birth, want.Birth}, {"first", got.First, want.First}, {"death", got.Death, want.Death},
			{"miss", got.Miss, want.Miss}, {"alarm", got.Clutter, want.Clutter},
		} {
			if !near(p.got, p.want) {
				t.Errorf("%s: %s costs %v, want %v", tt.name, p.name, p.got, p.want)
			}
		}
	}
}

// TestGap adds the probabilities of all that can follow a detection: it is the
// last one of its target, or the next comes after any number of misses.
func TestGap(t *testing.T) {
	for _, hidden := range []float64{0, 0.3, 0.9} {
		r := someRates
		r.Hidden = hidden
		var sum float64
		for misses := range 1000 {
			sum += math.Exp(-r.MissRun(misses))
		}
		if hidden == 0 {
			hidden = 1 - r.Detect
		}
		// Missed, perhaps again, until it dies.
		dies := (1 - r.Survive) * (1 + r.Survive*(1-r.Detect)/(1-r.Survive*hidden))
		if !near(sum+dies, 1) {
			t.Errorf("hidden %v: probabilities add up to %v", hidden, sum+dies)
		}
	}
}

// TestSizes prices boxes that grow.
func TestSizes(t *testing.T) {
	m := &Gaussian{Levels: Levels{SizeStd: 0.1, Interval: 0.5}}
	a := &mtt.Scan{Dim: 2, Pos: []float64{0, 0, 0, 0}, Size: []float64{10, 20, 0, 0}}
	b := &mtt.Scan{Dim: 2, Time: 1, Pos: make([]float64, 10), Size: []float64{10, 20, 11, 20, 10, 16, 1000, 20, 0, 20}}
	var got [5]float64
	m.Pairs(got[:], a, 0, b, every(5))
	// Two reference intervals: the log changes are N(0, 2·0.1²).
	for j, want := range []float64{0, 0.25 * 100 * math.Pow(math.Log(1.1), 2), 0.25 * 100 * math.Pow(math.Log(0.8), 2), 20, 20} {
		if !near(got[j], want) {
			t.Errorf("box %d costs %v, want %v", j, got[j], want)
		}
	}
	if m.Pairs(got[:], a, 1, b, []int32{0, 4}); got[0] != 20 || got[1] != 20 {
		t.Errorf("boxes after one without size cost %v, want 20", got[:2])
	}
	a.Size = nil
	if m.Pairs(got[:], a, 0, b, every(5)); got != [5]float64{} {
		t.Errorf("boxes after a point cost %v, want nothing", got)
	}
}

// TestTail compares the cheap powers with the definition.
func TestTail(t *testing.T) {
	for _, dof := range []float64{2, 3, 4, 7.5, 10, 20, 100, math.Inf(1)} {
		for dim := 1; dim <= 6; dim++ {
			for _, e2 := range []float64{0, 0.1, 1, 30} {
				got, want := tail(1+e2/tailScale(dof), dof, dim), math.Exp(-motion.Tail(dof, e2, float64(dim))/2)
				if math.Abs(got-want) > 1e-9*want {
					t.Errorf("dof %v, dim %d: density at %v is %v of the peak, want %v", dof, dim, e2, got, want)
				}
			}
		}
	}
}

// radial integrates f(|x|²) over all x of a space.
func radial(f func(r2 float64) float64, dim int) float64 {
	d := float64(dim)
	sphere := 2 * math.Pow(math.Pi, d/2) / math.Gamma(d/2)
	g := func(s float64) float64 { // r = s/(1−s)
		r := s / (1 - s)
		return f(r*r) * sphere * math.Pow(r, d-1) / ((1 - s) * (1 - s))
	}
	return quad.Fixed(g, 0, 1, 400, quad.Legendre{}, 0)
}

// TestMixture integrates exp(−price) over all innovations. By the definition
// that is 1/N(0; S) over 1−ManoeuvreProb.
func TestMixture(t *testing.T) {
	for _, dim := range []int{2, 3} {
		const calm, wild = 0.5, 3.0 // variances
		m := newMixture([3]float64{calm}, [3]float64{wild}, &Levels{ManoeuvreProb: 0.2, Dim: dim, PositionsOnly: true})
		got := radial(func(r2 float64) float64 {
			c := m.cost(r2, 0, 0)
			if c > 40 { // bent from here on
				return 0
			}
			return math.Exp(-c)
		}, dim)
		if want := math.Pow(2*math.Pi*calm, float64(dim)/2) / (1 - 0.2); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%d-D: integral is %v, want %v", dim, got, want)
		}
	}
}

// TestCostLimits follows prices from a perfect continuation to absurd ones: they
// rise, without a jump, and stay finite.
func TestCostLimits(t *testing.T) {
	for _, tt := range levelsUnderTest {
		var smooth, turn [3]float64
		for n, v := range []float64{0.5, 0.2, 0.9} {
			smooth[n], turn[n] = v, 4*v
		}
		m := newMixture(smooth, turn, &tt.Levels)
		last := m.cost(0, 0, 0)
		if m.peak == 0 && last != 0 {
			t.Errorf("%s: a perfect continuation costs %v, want 0", tt.name, last)
		}
		if m.peak > 0 && !near(last, -math.Log1p(m.peak)) {
			t.Errorf("%s: a perfect continuation costs %v, want %v", tt.name, last, -math.Log1p(m.peak))
		}
		for e2 := 1e-6; e2 < 1e200; e2 *= 1.001 {
			c := m.cost(e2, 0, 0)
			if c < last || math.IsInf(c, 0) || math.IsNaN(c) {
				t.Fatalf("%s: price of %g is %v, before %v", tt.name, e2, c, last)
			}
			// The bend rises like a root from 40 on.
			if c-last > 2e-3*(1+c) && c < 40 || c-last > 0.3 && c < 50 {
				t.Fatalf("%s: price jumps from %v to %v at %g", tt.name, last, c, e2)
			}
			if d2, t2 := 2*m.smooth[0]*e2, tailScale(m.dof)*m.turn[0]*e2; c < 40 && m.peak > 0 {
				turn := math.Log(m.peak) - motion.Tail(m.dof, t2, float64(m.dim))/2
				if want := -math.Log(math.Exp(-d2/2) + math.Exp(turn)); math.Abs(c-want) > 1e-12*(1+c) {
					t.Fatalf("%s: price of %g is %v, want %v", tt.name, e2, c, want)
				}
			}
			last = c
		}
	}
	m := newMixture([3]float64{1}, [3]float64{}, &Levels{PositionsOnly: true})
	for _, tt := range [][2]float64{{2, 1}, {80, 40}, {82, 41}, {2 * 140, 50}, {2 * 10040, 140}} {
		if got := m.cost(tt[0], 0, 0); !near(got, tt[1]) {
			t.Errorf("cost(%v) = %v, want %v", tt[0], got, tt[1])
		}
	}
}

// TestKernelsStay asks for the constants of all pairs of intervals that links over up to seven
// misses have, in turn: none may drive out another.
func TestKernelsStay(t *testing.T) {
	m := &Gaussian{Levels: Levels{Sigma: 0.1, SigmaV: 0.1, Accel: 0.1, SpeedStd: 1, Dim: 2, Interval: 1}}
	var first [8][8]*kernel
	for range 2 {
		for i := range first {
			for k := range first[i] {
				c := m.kernel(&m.triplets, 2, float64(i+1), float64(k+1))
				if was := first[i][k]; was != nil && was != c {
					t.Errorf("intervals %d and %d: made anew", i+1, k+1)
				}
				first[i][k] = c
			}
		}
	}
}

// TestGaussianFloor: no triplet costs less than the floor of its scans, and one that goes on as
// expected costs that.
func TestGaussianFloor(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	for n := range 200 {
		vel, dim := n%2 == 0, 2+n/2%2
		m := &Gaussian{Levels: Levels{
			Sigma: math.Exp(r.NormFloat64()), SigmaV: math.Exp(r.NormFloat64()), Accel: math.Exp(2 * r.NormFloat64()), SpeedStd: math.Exp(2 * r.NormFloat64()),
			PositionsOnly: !vel, ManoeuvreProb: float64(n%3) / 10, ManoeuvreAccel: math.Exp(2 * r.NormFloat64()), TailDOF: float64(n % 5),
		}}
		a, b, c := randomScan(r, dim, 9, 1, vel), randomScan(r, dim, 9, 1+r.Float64(), vel), randomScan(r, dim, 9, 2+5*r.Float64(), vel)
		for _, s := range []*mtt.Scan{&a, &b, &c} { // one of a target that rests, others close to it
			for k := range s.Pos {
				s.Pos[k] *= math.Pow(10, -float64(k/dim)/2)
				if k < dim {
					s.Pos[k] = 1
				}
			}
			if vel {
				clear(s.Vel[:dim])
			}
		}
		floor := m.Floor(&a, &b, &c)
		triplets := prices(m, &a, &b, &c)[a.Len()*b.Len():]
		if least := slices.Min(triplets); least < floor-1e-12 {
			t.Fatalf("scene %d: a triplet costs %v, less than %v", n, least, floor)
		}
		if rests := triplets[0]; rests > floor+1e-12 {
			t.Fatalf("scene %d: a target that rests costs %v, not %v", n, rests, floor)
		}
		if b.Cov = spread(&b, 0.1); !math.IsInf(m.Floor(&a, &b, &c), -1) {
			t.Fatalf("scene %d: a floor where detections have covariances", n)
		}
	}
}

// TestGaussianAnew: prices follow levels, whichever of them change between two calls.
func TestGaussianAnew(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 3))
	moved := 0
	for _, motion := range motion.Models() {
		for n := range reflect.TypeFor[Levels]().NumField() {
			vel := n%2 == 0
			levels := Levels{
				Motion: motion, Sigma: 0.3, SigmaV: 0.2, Accel: 0.4, SpeedStd: 1.5, Revert: 0.7, Sway: 0.2, Interval: 0.9, TurnStd: 0.1, TurnWalk: 0.1,
				ManoeuvreProb: 0.1, ManoeuvreAccel: 2, TailDOF: 6, PositionsOnly: !vel,
			}
			m := &Gaussian{Levels: levels}
			a, b, c := randomScan(r, 2, 3, 1, true), randomScan(r, 2, 4, 1.8, true), randomScan(r, 2, 5, 3, true)
			was := prices(m, &a, &b, &c)
			switch f := reflect.ValueOf(&m.Levels).Elem().Field(n); f.Kind() {
			case reflect.Float64:
				f.SetFloat(f.Float()*0.9 + 0.05)
			case reflect.Bool:
				f.SetBool(!f.Bool())
			default:
				continue
			}
			now, want := prices(m, &a, &b, &c), prices(&Gaussian{Levels: m.Levels}, &a, &b, &c)
			if !slices.Equal(now, want) {
				t.Errorf("%s: prices are those from before %s changed", motion.Name(), reflect.TypeFor[Levels]().Field(n).Name)
			}
			if !slices.Equal(now, was) {
				moved++
			}
		}
	}
	if moved < 30 {
		t.Errorf("%d changes of levels change prices", moved)
	}
}

// TestPlane: in two dimensions detections are priced as cost has it, to the last bit.
func TestPlane(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 4))
	s := randomScan(r, 2, 50, 1, true)
	var all []int32
	for k := range s.Len() {
		all = append(all, int32(k))
	}
	dst := make([]float64, s.Len()+1)
	for n := range 40 {
		m := &Gaussian{Levels: Levels{Sigma: 0.1 * math.Exp(r.NormFloat64()), SigmaV: 0.3, Accel: 0.4, SpeedStd: 2, PositionsOnly: n%2 == 0, ManoeuvreProb: float64(n%3) / 10, ManoeuvreAccel: 2}}
		f := m.kernel(&m.triplets, 2, 1, 1).second
		x, y, u, v := r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		if m.PositionsOnly {
			f.positions(dst, x, y, 0, &s, all)
		} else {
			f.velocities(dst, x, y, 0, u, v, 0, &s, all)
		}
		for k := range all {
			p, q := s.At(k), s.Vel[2*k:]
			dx, dy, du, dv := p[0]-x, p[1]-y, q[0]-u, q[1]-v
			want := f.cost(dx*dx+dy*dy, dx*du+dy*dv, du*du+dv*dv)
			if m.PositionsOnly {
				want = f.cost(dx*dx+dy*dy, 0, 0)
			}
			if dst[k] != want {
				t.Fatalf("levels %d: detection %d costs %v, not %v", n, k, dst[k], want)
			}
		}
	}
}
