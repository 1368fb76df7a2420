package gating

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// This file measures the package; the figures in its comments and in the
// commits come from here.

// BenchmarkNeighbors has two kinds of scenes: "cube" and "square" with about
// ten neighbours for each detection at random, and "arena", targets at speeds
// in [1, 2] in a square of side 2.5·√n, one step apart.
func BenchmarkNeighbors(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	unit := func(i, d int) float64 { return rng.Float64() }
	for _, dim := range []int{2, 3} {
		const n = 50_000
		volume := map[int]float64{2: math.Pi, 3: 4 * math.Pi / 3}[dim]
		radius := math.Pow(10/(n*volume), 1/float64(dim))
		x, y := scanOf(n, dim, 0, unit, nil), scanOf(n, dim, 1, unit, nil)
		b.Run(fmt.Sprintf("uniform/dim=%d/n=%d", dim, n), func(b *testing.B) {
			var f Finder
			var dst CSR
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Neighbors(&dst, x, y, Ball{radius}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(dst.NNZ())/n, "entries/row")
		})
	}

	const n = 10_000
	x, y := arena(rng, n, 0.1)
	for _, g := range []Gate{
		Mahalanobis{Sigma: 0.1, SigmaV: 0.1, Noise: 0.1},
		Disc{Epsilon: 2, Margin: 0.4 * math.Sqrt2},
		Disc{},
	} {
		for _, k := range []int{0, 8} {
			b.Run(fmt.Sprintf("arena/n=%d/%v/K=%d", n, g, k), func(b *testing.B) {
				f := Finder{K: k}
				var dst CSR
				b.ReportAllocs()
				for b.Loop() {
					if _, err := f.Neighbors(&dst, x, y, g); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(dst.NNZ())/n, "entries/row")
			})
		}
	}
}
