package gating

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"mtt"
)

// TestMahalanobisStatistic compares with the innovation of a Kalman filter
// written with matrices, in every combination of measured velocities.
func TestMahalanobisStatistic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	unit := func(i, d int) float64 { return rng.NormFloat64() }
	for range 200 {
		dim := 2 + rng.IntN(2)
		a, b := scanOf(3, dim, 0, unit, nil), scanOf(3, dim, 0.1+3*rng.Float64(), unit, nil)
		if rng.IntN(2) == 0 {
			a = scanOf(3, dim, 0, unit, unit)
		}
		if rng.IntN(2) == 0 {
			b = scanOf(3, dim, b.Time, unit, unit)
		}
		g := Mahalanobis{Sigma: 0.1 + rng.Float64(), SigmaV: 0.1 + rng.Float64(), Noise: rng.Float64(), SpeedStd: 0.1 + rng.Float64()}
		r, err := newRule(a, b, g, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Len() {
			for j := range b.Len() {
				got := r.statistic(r.centre(a, i), a, b, i, j)
				want := kalmanStatistic(a, b, g, i, j)
				if math.Abs(got-want) > 1e-10*(1+want) {
					t.Fatalf("statistic = %v, want %v (velocities of a: %v, of b: %v)", got, want, a.Vel != nil, b.Vel != nil)
				}
			}
		}
	}
}

func kalmanStatistic(a, b *mtt.Scan, g Mahalanobis, i, j int) float64 {
	dt := b.Time - a.Time
	f := mat.NewDense(2, 2, []float64{1, dt, 0, 1})
	q := mat.NewDense(2, 2, []float64{dt * dt * dt / 3, dt * dt / 2, dt * dt / 2, dt})
	q.Scale(g.Noise*g.Noise, q)
	p := mat.NewDense(2, 2, []float64{g.Sigma * g.Sigma, 0, 0, g.SpeedStd * g.SpeedStd})
	if a.Vel != nil {
		p.Set(1, 1, g.SigmaV*g.SigmaV)
	}
	measured := 1
	if b.Vel != nil {
		measured = 2
	}
	h := mat.NewDense(2, 2, []float64{1, 0, 0, 1}).Slice(0, measured, 0, 2)
	noise := mat.NewDense(2, 2, []float64{g.Sigma * g.Sigma, 0, 0, g.SigmaV * g.SigmaV}).Slice(0, measured, 0, measured)
	var s, inv mat.Dense
	s.Product(f, p, f.T())
	s.Add(&s, q)
	hs := new(mat.Dense)
	hs.Product(h, &s, h.T())
	hs.Add(hs, noise)
	if err := inv.Inverse(hs); err != nil {
		panic(err)
	}
	sum := 0.0
	for d := range a.Dim {
		x := mat.NewVecDense(2, []float64{a.At(i)[d], 0})
		z := []float64{b.At(j)[d], 0}
		if a.Vel != nil {
			x.SetVec(1, a.VelAt(i)[d])
		}
		if b.Vel != nil {
			z[1] = b.VelAt(j)[d]
		}
		var nu, ahead mat.VecDense
		ahead.MulVec(f, x)
		nu.MulVec(h, &ahead)
		nu.SubVec(mat.NewVecDense(measured, z[:measured]), &nu)
		sum += mat.Inner(&nu, &inv, &nu)
	}
	return sum
}

// TestTailOfTrueArcs simulates targets that obey the model and counts how many
// true arcs the gate loses: TailProb, within five standard deviations.
func TestTailOfTrueArcs(t *testing.T) {
	const n = 40_000
	rng := rand.New(rand.NewPCG(2, 2))
	sigma, sigmaV, q, speed, dt := 0.3, 0.4, 0.5, 2.0, 1.5
	for _, velocities := range []bool{true, false} {
		a := &mtt.Scan{Time: 0, Dim: 2}
		b := &mtt.Scan{Time: dt, Dim: 2}
		for i := range n {
			for d := range 2 {
				z := 1e3 * float64(i) * float64(1-d) // far apart: the true pair is the only one
				v := speed * rng.NormFloat64()
				// Q by its Cholesky factor.
				e1, e2 := rng.NormFloat64(), rng.NormFloat64()
				z2 := z + v*dt + q*math.Sqrt(dt*dt*dt/3)*e1
				v2 := v + q*(math.Sqrt(3*dt)/2*e1+math.Sqrt(dt)/2*e2)
				a.Pos = append(a.Pos, z+sigma*rng.NormFloat64())
				b.Pos = append(b.Pos, z2+sigma*rng.NormFloat64())
				if velocities {
					a.Vel = append(a.Vel, v+sigmaV*rng.NormFloat64())
					b.Vel = append(b.Vel, v2+sigmaV*rng.NormFloat64())
				}
			}
		}
		for _, tail := range []float64{0.5, 0.1, 0.01} {
			g := Mahalanobis{G: Threshold(tail, DOF(b)), Sigma: sigma, SigmaV: sigmaV, Noise: q, SpeedStd: speed}
			got, err := Neighbors(nil, a, b, g)
			if err != nil {
				t.Fatal(err)
			}
			lost := float64(n - got.NNZ())
			if dev := math.Abs(lost - n*tail); dev > 5*math.Sqrt(n*tail*(1-tail)) {
				t.Errorf("velocities %v: the gate lost %v of %d true arcs, want about %v", velocities, lost, n, n*tail)
			}
		}
	}
}

// TestEpsilonOne repeats a finding about the paper's gate: without a margin,
// Epsilon 1 loses half of the targets that fly straight.
func TestEpsilonOne(t *testing.T) {
	a, b := arena(rand.New(rand.NewPCG(3, 3)), 4000, 0.1)
	lost := func(g Gate) int {
		got, err := Neighbors(nil, a, b, g)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for i := range got.Rows {
			if got.Entry(i, i) < 0 {
				n++
			}
		}
		return n
	}
	if n := lost(Disc{Epsilon: 1}); n < 1800 || n > 2200 {
		t.Errorf("Epsilon 1 without margin lost %d of 4000 true arcs, want about half", n)
	}
	if n := lost(Disc{Epsilon: 1, Margin: 0.1 * 4 * math.Sqrt2}); n > 4 {
		t.Errorf("Epsilon 1 with margin lost %d of 4000 true arcs", n)
	}
}

func TestGateString(t *testing.T) {
	tests := []struct {
		gate Gate
		want string
	}{
		{Ball{2.5}, "ball:2.5"},
		{Disc{}, "disc:5"},
		{Disc{Epsilon: 2, Margin: 0.4}, "disc:2 margin 0.4"},
		{Disc{MaxSpeed: 3}, "disc:1 speed 3"},
		{Mahalanobis{}, "mahalanobis:25"},
		{Mahalanobis{G: 30}, "mahalanobis:30"},
	}
	for _, tt := range tests {
		if got := tt.gate.String(); got != tt.want {
			t.Errorf("%#v.String() = %q, want %q", tt.gate, got, tt.want)
		}
	}
}

// TestCritical checks that a pair is inside exactly the gates larger than its
// critical size.
func TestCritical(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	a, b := arena(rng, 40, 0.1)
	copy(a.VelAt(0), []float64{0, 0}) // a row whose disc is its margin
	for _, g := range []Gate{Ball{3}, Disc{Margin: 0.3}, Disc{MaxSpeed: 2, Margin: 0.3}, Mahalanobis{Sigma: 0.1, SigmaV: 0.1}} {
		r, err := newRule(a, b, g, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Len() {
			for j := range b.Len() {
				c := sizedOf(g).critical(&r, r.statistic(r.centre(a, i), a, b, i, j), speed(a, i))
				for _, size := range []float64{0.5, 1, 2, 5, 20} {
					if math.Abs(c-size) < 1e-9 {
						continue
					}
					if _, inside := bruteInside(a, b, sizedOf(g).resize(size), i, j); inside != (c < size) {
						t.Fatalf("%v: pair %d, %d has critical size %v, inside at %v: %v", g, i, j, c, size, inside)
					}
				}
			}
		}
	}
}

func TestTailProb(t *testing.T) {
	// Closed forms for 2, 4 and 6 degrees of freedom.
	closed := map[int]func(h float64) float64{
		2: func(h float64) float64 { return math.Exp(-h) },
		4: func(h float64) float64 { return math.Exp(-h) * (1 + h) },
		6: func(h float64) float64 { return math.Exp(-h) * (1 + h + h*h/2) },
	}
	for dof, tail := range closed {
		for _, g := range []float64{0, 0.1, 1, 9, 25, 40, 100, 400} {
			got, want := TailProb(g, dof), tail(g/2)
			if math.Abs(got-want) > 1e-10*want {
				t.Errorf("TailProb(%v, %d) = %v, want %v", g, dof, got, want)
			}
		}
	}
	for dof := 1; dof <= 7; dof++ {
		for _, g := range []float64{0.5, 3, 12} {
			got, want := TailProb(g, dof), distuv.ChiSquared{K: float64(dof)}.Survival(g)
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("TailProb(%v, %d) = %v, want %v", g, dof, got, want)
			}
		}
		for _, p := range []float64{1, 0.9, 0.5, 1e-3, 5e-6, 1e-12} {
			if got := TailProb(Threshold(p, dof), dof); math.Abs(got-p) > 1e-6*p {
				t.Errorf("TailProb(Threshold(%v, %d)) = %v", p, dof, got)
			}
		}
	}
	if got := TailProb(-1, 2); got != 1 {
		t.Errorf("TailProb(-1, 2) = %v, want 1", got)
	}
	for _, call := range []func(){
		func() { TailProb(1, 0) }, func() { TailProb(math.NaN(), 2) },
		func() { Threshold(0, 2) }, func() { Threshold(1.1, 2) }, func() { Threshold(0.5, 0) }, func() { Threshold(math.NaN(), 1) },
	} {
		func() {
			defer func() {
				if recover() != badTail {
					t.Error("no panic")
				}
			}()
			call()
		}()
	}
}
