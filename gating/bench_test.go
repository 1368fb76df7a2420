package gating

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
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

	// Scenes that a plain grid would choke on.
	{
		const n = 50_000
		cluster := func(i, d int) float64 { return 1e9*float64(i%7) + 400*rng.Float64() }
		x, y := scanOf(n, 3, 0, cluster, nil), scanOf(n, 3, 1, cluster, nil)
		speeds := func(i, d int) float64 { return math.Exp(float64(i % 12)) }
		v := scanOf(n, 2, 0, func(i, d int) float64 { return 1e6 * rng.Float64() }, speeds)
		w := scanOf(n, 2, 1, func(i, d int) float64 { return 1e6 * rng.Float64() }, speeds)
		for _, tt := range []struct {
			name string
			a, b *mtt.Scan
			g    Gate
		}{
			{"seven clusters 1e9 apart", x, y, Ball{25}},
			{"twelve speeds from 1 to 1e5", v, w, Disc{Epsilon: 0.1}},
		} {
			b.Run(fmt.Sprintf("hard/%s/n=%d", tt.name, n), func(b *testing.B) {
				var f Finder
				var dst CSR
				for b.Loop() {
					if _, err := f.Neighbors(&dst, tt.a, tt.b, tt.g); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(dst.NNZ())/n, "entries/row")
			})
		}
	}

	const n = 10_000
	x, y := arena(rng, n, 0.1)
	for _, g := range []Gate{
		Mahalanobis{Sigma: 0.1, SigmaV: 0.1, Noise: 0.1},
		Disc{Epsilon: 2, Margin: 0.4 * math.Sqrt2},
		Disc{},
	} {
		for _, k := range []int{0, 8} {
			b.Run(fmt.Sprintf("arena/n=%d/%T/size=%v/K=%d", n, g, sizedOf(g).size(), k), func(b *testing.B) {
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

// BenchmarkViews looks at a chain of ten frames of 10,000 targets from the
// other sides.
func BenchmarkViews(b *testing.B) {
	frames, err := Chain(context.Background(), flight(1, 10_000, 10), Disc{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	arcs := Count(frames).Arcs
	var csc CSC
	var row []int32
	for _, tt := range []struct {
		name string
		call func()
	}{
		{"Transpose", func() {
			for t := range frames {
				Transpose(&csc, &frames[t])
			}
		}},
		{"RowOf", func() {
			for t := range frames {
				row = RowOf(row, &frames[t])
			}
		}},
		{"Components", func() { Components(frames) }},
		{"Count", func() { Count(frames) }},
	} {
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				tt.call()
			}
			b.ReportMetric(float64(arcs)*float64(b.N)/b.Elapsed().Seconds(), "arcs/s")
		})
	}
}

// BenchmarkCheck refuses a chain of 100 frames of 10,000 targets that is 25
// times too large.
func BenchmarkCheck(b *testing.B) {
	scans := flight(1, 10_000, 100)
	opts := &Options{Budget: Budget{Bytes: 1 << 30}}
	for b.Loop() {
		if _, err := Check(context.Background(), scans, Disc{}, opts); err == nil {
			b.Fatal("not refused")
		}
	}
}
