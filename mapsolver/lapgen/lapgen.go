// Package lapgen makes the dense cost matrices on which assignment solvers are
// compared: the classes of Algorithm 1015 [1], and integers.
//
//	for _, class := range lapgen.Classes() {
//		m := dense.NewMatrix(n, n, class.Cost(n, seed))
//		…
//	}
//
// Equal sizes and seeds give equal bytes.
//
// [1] S. Guthe, D. Thuerck. Algorithm 1015: A fast scalable solver for the
// dense linear (sum) assignment problem. ACM TOMS 47 (2021), 18.
package lapgen

import (
	"math"
	"math/rand/v2"
)

// A Class is a kind of square cost matrices.
type Class struct {
	Name string
	Cost func(n int, seed uint64) []float64 // n×n, row-major
}

// Classes lists the classes of Algorithm 1015 [1, §5] on which its Table 1
// counts rows. The scales and the identity as the optimum of sanity are those
// of the tests that come with it; the random numbers are ours.
func Classes() []Class {
	return []Class{
		{"random", uniformClass},
		{"geometric", func(n int, seed uint64) []float64 { return pointsClass(n, seed, false) }},
		{"disjoint", func(n int, seed uint64) []float64 { return pointsClass(n, seed, true) }},
		{"sanity", sanityClass},
		{"rank 1", func(n int, seed uint64) []float64 { return rankClass(n, 1, seed) }},
		{"rank 2", func(n int, seed uint64) []float64 { return rankClass(n, 2, seed) }},
		{"rank 4", func(n int, seed uint64) []float64 { return rankClass(n, 4, seed) }},
		{"rank 8", func(n int, seed uint64) []float64 { return rankClass(n, 8, seed) }},
	}
}

// Integers makes an n×n matrix of integers, uniform from 0 to most.
func Integers(n, most int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 15))
	return draw(n*n, func() float64 { return float64(rng.IntN(most + 1)) })
}

// uniformClass is costs uniform in [0,1).
func uniformClass(n int, seed uint64) []float64 {
	return draw(n*n, rand.New(rand.NewPCG(seed, 11)).Float64)
}

// pointsClass is the squared distance between two sets of Points.
func pointsClass(n int, seed uint64, apart bool) []float64 {
	a, b := Points(n, seed, apart)
	return square(n, func(r, c int) float64 {
		x, y := a[2*r]-b[2*c], a[2*r+1]-b[2*c+1]
		return float64(x*x) + float64(y*y) // rounded twice on every machine
	})
}

// Points are two sets of n points in the plane, uniform in the unit square; apart, in two unit
// squares each, the four forming a chequerboard. The classes geometric and disjoint are their
// squared distances.
func Points(n int, seed uint64, apart bool) (a, b []float64) {
	rng := rand.New(rand.NewPCG(seed, 12))
	a, b = draw(2*n, rng.Float64), draw(2*n, rng.Float64)
	if apart {
		for i := range n {
			if i < n/2 {
				b[2*i]++
			} else {
				a[2*i]++
				a[2*i+1]++
				b[2*i+1]++
			}
		}
	}
	return a, b
}

// Pixels are those of a picture, n points of five numbers: place and colour, each from 0 to 1. The
// picture is square; pixels are cut off at its end. A channel of its colour is a mean of waves of
// any direction and up to eight periods, which gives what pictures have and uniform points have not:
// neighbours of much the same colour, and colours that are rare. Squared distances of two of them
// stand for the class images of Algorithm 1015, whose pictures may not be passed on.
func Pixels(n int, seed uint64) []float64 {
	const channels, waves = 3, 4
	rng := rand.New(rand.NewPCG(seed, 16))
	type wave struct{ x, y, phase float64 }
	var list [channels][waves]wave
	for k := range list {
		for w := range list[k] {
			list[k][w] = wave{16 * math.Pi * (rng.Float64() - 0.5), 16 * math.Pi * (rng.Float64() - 0.5), 2 * math.Pi * rng.Float64()}
		}
	}
	side := int(math.Ceil(math.Sqrt(float64(n))))
	points := make([]float64, 0, (2+channels)*n)
	for i := range n {
		x, y := float64(i%side)/float64(side), float64(i/side)/float64(side)
		points = append(points, x, y)
		for k := range list {
			sum := 0.0
			for _, w := range list[k] {
				sum += math.Sin(float64(w.x*x) + float64(w.y*y) + w.phase)
			}
			points = append(points, 0.5+sum/(2*waves))
		}
	}
	return points
}

// sanityClass is a[r]+b[c], and 0.1 more off the diagonal, which is the optimum.
func sanityClass(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 13))
	a, b := draw(n, rng.Float64), draw(n, rng.Float64)
	return square(n, func(r, c int) float64 {
		if r == c {
			return a[r] + b[c]
		}
		return a[r] + b[c] + 0.1
	})
}

// rankClass is the mean of rank products x[r]x[c] of random vectors.
func rankClass(n, rank int, seed uint64) []float64 {
	x := draw(n*rank, rand.New(rand.NewPCG(seed, 14)).Float64)
	return square(n, func(r, c int) float64 {
		sum := 0.0
		for k := range rank {
			sum += float64(x[k*n+r] * x[k*n+c])
		}
		return sum / float64(rank)
	})
}

// square makes an n×n matrix of a cost function.
func square(n int, cost func(r, c int) float64) []float64 {
	m := make([]float64, 0, n*n)
	for r := range n {
		for c := range n {
			m = append(m, cost(r, c))
		}
	}
	return m
}

// draw makes n numbers.
func draw(n int, f func() float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = f()
	}
	return x
}
