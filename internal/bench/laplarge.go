package bench

// This file measures large dense assignment problems, whose costs are computed.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/usage"
	"mtt/mapsolver"
	"mtt/mapsolver/dense"
)

// A largeClass is a kind of square costs that are computed row by row.
type largeClass struct {
	name string
	cost func(rng *rand.Rand, n int) func(dst []float64, r, c int)
}

// largeClasses are distances of points in the plane, squared distances of points
// in two pairs of squares that form a chequerboard, uniform numbers, and means of
// one and of eight products.
var largeClasses = []largeClass{
	{"euclidean", func(rng *rand.Rand, n int) func(dst []float64, r, c int) {
		a, b := drawPoints(rng, n), drawPoints(rng, n)
		return func(dst []float64, r, c int) {
			p := a[r]
			for j, q := range b[c:][:len(dst)] {
				x, y := q[0]-p[0], q[1]-p[1]
				dst[j] = math.Sqrt(float64(x*x) + float64(y*y))
			}
		}
	}},
	{"disjoint", func(rng *rand.Rand, n int) func(dst []float64, r, c int) {
		a, b := drawPoints(rng, n), drawPoints(rng, n)
		for i := range n {
			if i < n/2 {
				b[i][0]++
			} else {
				a[i][0]++
				a[i][1]++
				b[i][1]++
			}
		}
		return func(dst []float64, r, c int) {
			p := a[r]
			for j, q := range b[c:][:len(dst)] {
				x, y := q[0]-p[0], q[1]-p[1]
				dst[j] = float64(x*x) + float64(y*y)
			}
		}
	}},
	{"uniform", func(rng *rand.Rand, n int) func(dst []float64, r, c int) {
		key := rng.Uint64()
		return func(dst []float64, r, c int) {
			for j := range dst { // the finaliser of SplitMix64 (Steele, Lea, Flood 2014)
				x := key + (uint64(r)<<32|uint64(c+j))*0x9e3779b97f4a7c15
				x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
				x = (x ^ x>>27) * 0x94d049bb133111eb
				dst[j] = float64((x^x>>31)>>11) * 0x1p-53
			}
		}
	}},
	{"product", func(rng *rand.Rand, n int) func(dst []float64, r, c int) { return products(rng, n, 1) }},
	{"8 products", func(rng *rand.Rand, n int) func(dst []float64, r, c int) { return products(rng, n, 8) }},
}

// drawPoints makes n points in the unit square.
func drawPoints(rng *rand.Rand, n int) [][2]float64 {
	list := make([][2]float64, n)
	for i := range list {
		list[i] = [2]float64{rng.Float64(), rng.Float64()}
	}
	return list
}

// products is the mean of rank products of a number of the row and one of the
// column.
func products(rng *rand.Rand, n, rank int) func(dst []float64, r, c int) {
	a, b := make([][]float64, rank), make([][]float64, rank)
	for k := range rank {
		a[k], b[k] = make([]float64, n), make([]float64, n)
		for i := range n {
			a[k][i], b[k][i] = rng.Float64()/float64(rank), rng.Float64()
		}
	}
	return func(dst []float64, r, c int) {
		clear(dst)
		for k := range rank {
			x := a[k][r]
			for j, y := range b[k][c:][:len(dst)] {
				dst[j] += float64(x * y)
			}
		}
	}
}

// largeSizes are the numbers of rows; those above the limits are measured when
// they are asked for, those of whole rows never.
var largeSizes = []int{5000, 10_000, 20_000, 50_000, 100_000}

const mostLarge, mostWhole = 50_000, 5000

// largeCases is the number of cases that benchLapLarge has.
func largeCases() (cases int) {
	for _, n := range largeSizes {
		if n <= mostLarge {
			cases += len(largeClasses)
		}
	}
	return cases
}

// benchLapLarge solves one problem of each class at each size, and certifies the
// answer. Sweeps are rows read in full, for each row of the problem. Where there is
// time for it, whole rows are searched for comparison.
func benchLapLarge(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	for _, size := range largeSizes {
		if len(b.Sizes) == 0 && size > mostLarge || !b.HasSize(size) {
			continue
		}
		n := b.RowsOf(size)
		for _, class := range largeClasses {
			b.Step(fmt.Sprintf("%s, n = %d", class.name, size))
			costs := &dense.Func{Rows: n, Cols: n, Fill: class.cost(rand.New(rand.NewPCG(b.First, 31)), n)}
			solver := dense.Solver{Workers: b.Workers}
			var s mapsolver.Solution
			solve := func() (cpu, elapsed float64, err error) {
				runtime.GC()
				from, began := usage.CPUSeconds(), time.Now()
				err = solver.Solve(ctx, &s, costs, nil)
				return usage.CPUSeconds() - from, time.Since(began).Seconds(), err
			}
			whole := math.NaN()
			if size <= mostWhole {
				solver.Start = dense.Priced
				cpu, _, err := solve()
				if err != nil {
					return rows, err
				}
				whole = cpu
				solver.Start = dense.Auto
			}
			cpu, elapsed, err := solve()
			if err != nil {
				return rows, err
			}
			work := solver.Work()
			gap, err := dense.CertifyWith(costs, &s, b.Workers)
			if err != nil {
				return rows, fmt.Errorf("%s, n = %d: %w", class.name, n, err)
			}
			sweeps := work.StartRows
			if work.Start != dense.Core {
				sweeps += work.SearchRows
			}
			rows = append(rows, cli.Record{
				{Key: "class", Value: class.name}, {Key: "n", Value: size}, {Key: "start", Value: work.Start.String()},
				{Key: "sweeps", Value: float64(sweeps) / float64(n), Digits: 3},
				{Key: "entries_per_row", Value: float64(work.Kept) / float64(n), Digits: 3},
				{Key: "duality_gap", Value: gap, Digits: 2},
				{Key: "cpu", Value: cpu, Unit: "s", Digits: 2}, {Key: "elapsed", Value: elapsed, Unit: "s", Digits: 2},
				{Key: "whole_rows_cpu", Value: whole, Unit: "s", Digits: 2},
				{Key: "peak_rss", Value: usage.PeakMemory(), Unit: "MB", Digits: 4},
			})
		}
	}
	return rows, nil
}
