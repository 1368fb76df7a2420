package rng

// This file draws from the distributions a simulation needs, with equal bits
// on every machine.

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

const (
	badCount = "rng: IntN of a number that is not positive"
	badMean  = "rng: Poisson mean is negative, infinite or not a number"
)

// Uniform draws from [lo, hi).
func Uniform(r *rand.Rand, lo, hi float64) float64 {
	return lo + float64((hi-lo)*r.Float64())
}

// Normal draws two independent standard normal numbers, by Marsaglia's polar
// method [1].
//
// [1] Marsaglia, Bray. A convenient method for generating normal variables.
// SIAM Review 6(3), 1964.
func Normal(r *rand.Rand) (x, y float64) {
	u, v, q := disc(r)
	f := math.Sqrt(-2 * ln(q) / q)
	return float64(u * f), float64(v * f)
}

// Direction draws a unit vector of the plane, uniform in angle, without
// trigonometry.
func Direction(r *rand.Rand) (x, y float64) {
	u, v, q := disc(r)
	f := math.Sqrt(q)
	return u / f, v / f
}

// Direction3 draws a unit vector of space, uniform on the sphere [1].
//
// [1] Marsaglia. Choosing a point from the surface of a sphere. Annals of
// Mathematical Statistics 43(2), 1972.
func Direction3(r *rand.Rand) (x, y, z float64) {
	u, v, q := disc(r)
	f := 2 * math.Sqrt(1-q)
	return float64(u * f), float64(v * f), 1 - 2*q
}

// Quaternion draws a unit quaternion, uniform on the 3-sphere: a uniform random
// rotation of space. Source as for [Direction3].
func Quaternion(r *rand.Rand) (w, x, y, z float64) {
	w, x, q := disc(r)
	y, z, p := disc(r)
	f := math.Sqrt((1 - q) / p)
	return w, x, float64(y * f), float64(z * f)
}

// disc draws a point (u, v) uniform in the open unit disc without its centre,
// and q = u²+v².
func disc(r *rand.Rand) (u, v, q float64) {
	for {
		u = 2*r.Float64() - 1 // exact, so that fusing does no harm
		v = 2*r.Float64() - 1
		q = float64(u*u) + float64(v*v)
		if 0 < q && q < 1 {
			return u, v, q
		}
	}
}

// Poisson draws the number of events of a Poisson process with the given mean,
// by adding up exponential gaps. It takes O(mean) time.
func Poisson(r *rand.Rand, mean float64) int {
	if !(mean >= 0) || math.IsInf(mean, 1) {
		panic(badMean)
	}
	if mean == 0 {
		return 0
	}
	n := 0
	for at := exponential(r); at < mean; at += exponential(r) {
		n++
	}
	return n
}

// exponential draws from the exponential distribution of mean one.
func exponential(r *rand.Rand) float64 {
	return -ln(1 - r.Float64())
}

// IntN draws uniformly from 0, …, n-1, without bias, by Lemire's method [1].
// Unlike r.IntN it gives the same number on 32-bit machines.
//
// [1] Lemire. Fast random integer generation in an interval. ACM Transactions
// on Modeling and Computer Simulation 29(1), 2019.
func IntN(r *rand.Rand, n int) int {
	if n <= 0 {
		panic(badCount)
	}
	m := uint64(n)
	hi, lo := bits.Mul64(r.Uint64(), m)
	if lo < m {
		for floor := -m % m; lo < floor; {
			hi, lo = bits.Mul64(r.Uint64(), m)
		}
	}
	return int(hi)
}

// Shuffle puts s in a random order, every order equally likely.
func Shuffle[E any](r *rand.Rand, s []E) {
	for i := len(s) - 1; i > 0; i-- {
		j := IntN(r, i+1)
		s[i], s[j] = s[j], s[i]
	}
}

// ln is the natural logarithm of a positive normal number, within a few units
// in the last place. With x = m·2ᵉ and m in [√½, √2), it is e·ln 2 + ln m, and
//
//	ln m = 2 artanh z = 2z (1 + z²/3 + z⁴/5 + …),  z = (m-1)/(m+1), |z| < 0.1716.
//
// The first term left out is z²²/23 < 1e-18.
func ln(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	z := (m - 1) / (m + 1)
	z2 := float64(z * z)
	z4 := float64(z2 * z2)
	even := 1.0/17 + float64(z4*(1.0/21)) // two interleaved Horner schemes in z⁴
	even = 1.0/13 + float64(z4*even)
	even = 1.0/9 + float64(z4*even)
	even = 1.0/5 + float64(z4*even)
	odd := 1.0/15 + float64(z4*(1.0/19))
	odd = 1.0/11 + float64(z4*odd)
	odd = 1.0/7 + float64(z4*odd)
	odd = 1.0/3 + float64(z4*odd)
	p := odd + float64(z2*even)
	t := 2 * z
	return float64(float64(e)*math.Ln2) + (t + float64(t*float64(z2*p)))
}
