package rng

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// The numbers below were printed once by this package. Results of other people
// depend on them: a change here is a change of every simulated scene.
func TestStreamPinned(t *testing.T) {
	tests := []struct {
		seed  uint64
		name  string
		index []uint64
		want  [3]uint64
	}{
		{0, "", nil, [3]uint64{0x9103d822a1b9fb39, 0x74a0f04974f9033e, 0x26ab80248574f4bd}},
		{1, "scenario/motion", []uint64{1}, [3]uint64{0xe33ac99579db9ef6, 0x2534d7ba672a316e, 0x6b91d65c38c41169}},
		{1, "scenario/motion", []uint64{2}, [3]uint64{0x48650933a88ef29e, 0x26d3c901622f7617, 0xbc18110c2a01fc27}},
		{2, "scenario/motion", []uint64{1}, [3]uint64{0x13b99ede9640a4a8, 0xf9b9f26b75842d71, 0x7bcdee99ec19dce5}},
		{1, "scenario/noise", []uint64{0}, [3]uint64{0xc0cea6668cd90efd, 0xfd780a17d6cf4a5b, 0x61ab146697f04c7}},
		{1, "scenario/velocity-noise", []uint64{0}, [3]uint64{0xe0c1e1551ba52209, 0x276fa609d883a20b, 0x4d863693e40de89}},
		{1, "scenario/miss", []uint64{0}, [3]uint64{0xbb6c7843811b3b97, 0x4c084978b2aa5eca, 0x75b928f80c243ffd}},
		{1, "scenario/clutter", []uint64{0}, [3]uint64{0xe2928bad11697b6c, 0x3987ea122614c6e3, 0x9fa2451c6d7f5380}},
		{1, "scenario/clutter-velocity", []uint64{0}, [3]uint64{0x36a97eb42353b149, 0xdda1db8402c8e695, 0xd15224c26cd0b5fd}},
		{1, "scenario/order", []uint64{0}, [3]uint64{0x27c4554864bd55e5, 0x8af40bf77e0e0109, 0x115327d647f48994}},
		{1, "scenario/birth", []uint64{1}, [3]uint64{0x18a617598aee1cd0, 0x707cf5461848ffb0, 0xff6064863ddaa9e5}},
		{1, "scenario/death", []uint64{1}, [3]uint64{0x1b3d6d640ecd9f8b, 0x3bef6e3782f2ec14, 0xe5b5964c88631e77}},
	}
	for _, tt := range tests {
		r := Stream(tt.seed, tt.name, tt.index...)
		got := [3]uint64{r.Uint64(), r.Uint64(), r.Uint64()}
		if got != tt.want {
			t.Errorf("Stream(%d, %q, %v) = %#x, want %#x", tt.seed, tt.name, tt.index, got, tt.want)
		}
	}
}

func TestStreamsDiffer(t *testing.T) {
	first := map[uint64]string{}
	add := func(what string, r *rand.Rand) {
		x := r.Uint64()
		if first[x] != "" {
			t.Errorf("%s starts like %s", what, first[x])
		}
		first[x] = what
	}
	add("no index", Stream(1, "a"))
	add("two indices", Stream(1, "a", 0, 0))
	add("two indices, swapped", Stream(1, "a", 1, 0))
	add("two indices, swapped back", Stream(1, "a", 0, 1))
	add("another name", Stream(1, "b"))
	for i := range uint64(1000) {
		add("index", Stream(1, "a", i))
		add("seed", Stream(i+2, "a", 0))
	}
}

// Across streams numbers must be as random as along one: first numbers of
// consecutive indices, mean and variance of a uniform.
func TestStreamsIndependent(t *testing.T) {
	const n = 20000
	var sum, sum2, lag float64
	last := 0.0
	for i := range uint64(n) {
		x := Stream(7, "x", i).Float64() - 0.5
		sum += x
		sum2 += x * x
		lag += x * last
		last = x
	}
	near(t, "mean", sum/n, 0, 5*math.Sqrt(1./12/n))
	near(t, "variance", sum2/n, 1./12, 5*math.Sqrt(1./180/n))
	near(t, "covariance of neighbours", lag/n, 0, 5./12/math.Sqrt(n))
}

func TestLn(t *testing.T) {
	worst := 0.0
	check := func(x float64) {
		want := math.Log(x)
		ulp := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
		worst = max(worst, math.Abs(ln(x)-want)/ulp)
	}
	for _, x := range []float64{1, 2, 0.5, math.Sqrt2, math.Sqrt2 / 2, math.E, 1e300, 1e-300, 0x1p-53, math.Nextafter(1, 0), math.Nextafter(1, 2)} {
		check(x)
	}
	r := Stream(1, "ln")
	for range 100000 {
		check(r.Float64())
		check(math.Exp(1000 * (r.Float64() - 0.5)))
	}
	if worst > 3 {
		t.Errorf("ln is off by up to %.1f units in the last place, want 3", worst)
	}
}

func TestNormal(t *testing.T) {
	const n = 200000
	r := Stream(1, "normal")
	var m [5]float64 // moments of both numbers
	var cross float64
	beyond3 := 0
	for range n {
		x, y := Normal(r)
		cross += x * y
		for _, v := range []float64{x, y} {
			for k, p := 1, v; k < 5; k, p = k+1, p*v {
				m[k] += p
			}
			if math.Abs(v) > 3 {
				beyond3++
			}
		}
	}
	// Standard errors: √(variance of the power / 2n).
	near(t, "mean", m[1]/(2*n), 0, 5*math.Sqrt(1./(2*n)))
	near(t, "variance", m[2]/(2*n), 1, 5*math.Sqrt(2./(2*n)))
	near(t, "third moment", m[3]/(2*n), 0, 5*math.Sqrt(15./(2*n)))
	near(t, "fourth moment", m[4]/(2*n), 3, 5*math.Sqrt(96./(2*n)))
	near(t, "covariance", cross/n, 0, 5*math.Sqrt(1./n))
	p := math.Erfc(3 / math.Sqrt2)
	near(t, "share beyond 3σ", float64(beyond3)/(2*n), p, 5*math.Sqrt(p/(2*n)))
}

func TestPoisson(t *testing.T) {
	for _, mean := range []float64{0, 1e-3, 0.5, 3, 40, 1000} {
		const n = 4000
		r := Stream(1, "poisson")
		var sum, sum2, zero float64
		for range n {
			k := float64(Poisson(r, mean))
			sum += k
			sum2 += (k - mean) * (k - mean)
			if k == 0 {
				zero++
			}
		}
		near(t, "mean", sum/n, mean, 5*math.Sqrt(mean/n))
		near(t, "variance", sum2/n, mean, 5*math.Sqrt((mean+2*mean*mean)/n))
		near(t, "share of zeros", zero/n, math.Exp(-mean), 5*math.Sqrt(math.Exp(-mean)*(1-math.Exp(-mean))/n)+1e-12)
	}
}

func TestUniformOnCircleAndSphere(t *testing.T) {
	const n = 50000
	r := Stream(1, "direction")
	var c, s, c2, z, z2, x float64
	for range n {
		u, v := Direction(r)
		c += u
		s += v
		c2 += u * u * u * u // 3/8 on the circle
		near(t, "length", u*u+v*v, 1, 1e-15)
		a, b, d := Direction3(r)
		near(t, "length", a*a+b*b+d*d, 1, 1e-15)
		x += a
		z += d
		z2 += d * d // 1/3 on the sphere
	}
	for _, m := range []float64{c, s, x, z} {
		near(t, "mean", m/n, 0, 5/math.Sqrt(2*n))
	}
	near(t, "fourth moment on the circle", c2/n, 3./8, 5*math.Sqrt(17./128/n))
	near(t, "second moment on the sphere", z2/n, 1./3, 5*math.Sqrt(4./45/n))
}

func TestQuaternion(t *testing.T) {
	const n = 50000
	r := Stream(1, "quaternion")
	var second [4]float64
	for range n {
		w, x, y, z := Quaternion(r)
		near(t, "length", w*w+x*x+y*y+z*z, 1, 1e-14)
		for i, v := range []float64{w, x, y, z} {
			second[i] += v * v / n
		}
	}
	for _, v := range second {
		near(t, "second moment", v, 1./4, 5*math.Sqrt(1./16/n))
	}
}

func TestIntN(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 10} {
		const draws = 70000
		r := Stream(1, "intn")
		count := make([]int, n)
		for range draws {
			count[IntN(r, n)]++
		}
		for _, c := range count {
			near(t, "share", float64(c)/draws, 1/float64(n), 5*math.Sqrt(1/float64(n)/draws))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, math.MaxInt).Draw(t, "n")
		if k := IntN(Stream(rapid.Uint64().Draw(t, "seed"), "intn"), n); k < 0 || k >= n {
			t.Fatalf("IntN(%d) = %d", n, k)
		}
	})
}

// Every order of four is equally likely: chi-square with 23 degrees of freedom,
// whose 0.9999 quantile is 55.
func TestShuffle(t *testing.T) {
	const n = 24000
	r := Stream(1, "shuffle")
	count := map[[4]int]float64{}
	for range n {
		s := [4]int{0, 1, 2, 3}
		Shuffle(r, s[:])
		count[s]++
	}
	chi2 := float64(24-len(count)) * n / 24
	for _, c := range count {
		chi2 += (c - n/24) * (c - n/24) / (n / 24)
	}
	if chi2 > 55 {
		t.Errorf("chi-square of 24 orders = %.1f, want below 55", chi2)
	}
}

func TestPanics(t *testing.T) {
	r := Stream(1, "panics")
	for want, f := range map[string]func(){
		badCount: func() { IntN(r, 0) },
		badMean:  func() { Poisson(r, math.NaN()) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %v", got, want)
				}
			}()
			f()
		}()
	}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %g, want %g ± %.2g", what, got, want, tolerance)
	}
}

func BenchmarkNormal(b *testing.B) {
	r := Stream(1, "bench")
	for b.Loop() {
		Normal(r)
	}
}

func BenchmarkStream(b *testing.B) {
	i := uint64(0)
	for b.Loop() {
		Stream(1, "scenario/noise", i)
		i++
	}
}
