package reproduce

// This file measures what a cache of rows is worth to Algorithm 1015 where costs are computed.

import (
	"context"
	"fmt"
	"slices"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/usage"
	"mtt/mapsolver"
	"mtt/mapsolver/dense"
	"mtt/mapsolver/lapgen"
	"mtt/plots"
)

// cacheClasses are squared distances: of uniform points, of points in two pairs of squares, and of
// pixels of two pictures.
var cacheClasses = []struct {
	name  string
	costs func(n int, seed uint64) *dense.Func
}{
	{"geometric", func(n int, seed uint64) *dense.Func {
		a, b := lapgen.Points(n, seed, false)
		return dense.Distances(a, b, 2, dense.Squared)
	}},
	{"disjoint", func(n int, seed uint64) *dense.Func {
		a, b := lapgen.Points(n, seed, true)
		return dense.Distances(a, b, 2, dense.Squared)
	}},
	{"images", func(n int, seed uint64) *dense.Func {
		return dense.Distances(lapgen.Pixels(n, 2*seed), lapgen.Pixels(n, 2*seed+1), 5, dense.Squared)
	}},
}

// cacheShares are the parts of the rows that fit; 0 is a single row.
var cacheShares = []float64{0, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 1}

var cacheStarts = []dense.Start{dense.Priced, dense.Plain}

// countedRows are costs that count how often each row is asked for.
type countedRows struct {
	dense.Costs
	asked []int
}

func (c *countedRows) Row(dst []float64, r int) []float64 {
	c.asked[r]++
	return c.Costs.Row(dst, r)
}

// bestHits is the share of hits of the best set of rows of that size that never changes, which
// only who knows what comes can choose, in percent. That of a random one is its part of the rows,
// but for the first time.
func bestHits(asked []int, size int) float64 {
	sorted := slices.Clone(asked)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	hits, all := 0, 0
	for i, n := range sorted {
		if i < size {
			hits += max(0, n-1)
		}
		all += n
	}
	return 100 * float64(hits) / float64(max(1, all))
}

// reproduceCache prints hits and time against the share of the rows that fit, for both rules of
// the article and a steadier one, beside the best and a random set of rows. The answer never changes.
func reproduceCache(ctx context.Context, b *measure.Run) ([]cli.Record, *plots.Figure, error) {
	size := onlySize(b, 1000)
	n := b.RowsOf(size)
	var rows []cli.Record
	var panels []plots.GrowthPanel
	for _, class := range cacheClasses {
		for _, start := range cacheStarts {
			b.Step(fmt.Sprintf("%s, %s", class.name, start))
			costs := class.costs(n, b.First)
			solve := func(from dense.Costs) (float64, *mapsolver.Solution, error) {
				solver, s := dense.Solver{Start: start}, new(mapsolver.Solution)
				began := usage.CPUSeconds()
				err := solver.Solve(ctx, s, from, nil)
				return usage.CPUSeconds() - began, s, err
			}
			counted := &countedRows{costs, make([]int, n)}
			none, want, err := solve(counted)
			if err != nil {
				return rows, nil, err
			}
			asked := 0
			for _, k := range counted.asked {
				asked += k
			}
			panel := plots.GrowthPanel{Label: fmt.Sprintf("%s, %s: hits, %%", class.name, start), Kinds: []plots.Growth{{Name: "SLRU"}, {Name: "LFU"}, {Name: "steady"}, {Name: "best set"}}}
			for _, share := range cacheShares {
				slots := max(1, int(share*float64(n)))
				best := bestHits(counted.asked, slots)
				r := cli.Record{
					{Key: "class", Value: class.name}, {Key: "pricing", Value: measure.Pricing(start)},
					{Key: "n", Value: size}, {Key: "rows_kept", Value: slots}, {Key: "rows_asked", Value: asked},
				}
				var hits, cpu []float64
				for _, rule := range []dense.Eviction{dense.SLRU, dense.LFU, dense.Steady} {
					cache := dense.NewCacheBy(costs, 8*n*slots, rule)
					took, s, err := solve(cache)
					if err != nil {
						return rows, nil, err
					}
					if s.Cost != want.Cost {
						return rows, nil, fmt.Errorf("%s: with a cache of %d rows the cost is %v, without %v", class.name, slots, s.Cost, want.Cost)
					}
					found, missed := cache.Counts()
					hits, cpu = append(hits, 100*float64(found)/float64(max(1, found+missed))), append(cpu, took)
				}
				for k, x := range append(slices.Clone(hits), best) {
					panel.Kinds[k].Measured = append(panel.Kinds[k].Measured, plots.Point{X: float64(slots), Y: x})
				}
				rows = append(rows, append(r,
					cli.Field{Key: "slru_hits", Value: hits[0], Unit: "%", Digits: 3}, cli.Field{Key: "lfu_hits", Value: hits[1], Unit: "%", Digits: 3},
					cli.Field{Key: "steady_hits", Value: hits[2], Unit: "%", Digits: 3},
					cli.Field{Key: "random_hits", Value: 100 * float64(slots) / float64(n) * float64(asked-n) / float64(max(1, asked)), Unit: "%", Digits: 3},
					cli.Field{Key: "best_hits", Value: best, Unit: "%", Digits: 3},
					cli.Field{Key: "slru_cpu", Value: cpu[0], Unit: "s", Digits: 3}, cli.Field{Key: "lfu_cpu", Value: cpu[1], Unit: "s", Digits: 3},
					cli.Field{Key: "steady_cpu", Value: cpu[2], Unit: "s", Digits: 3},
					cli.Field{Key: "none_cpu", Value: none, Unit: "s", Digits: 3}))
			}
			panels = append(panels, panel)
		}
	}
	return rows, plots.GrowthOf(fmt.Sprintf("Rows found in a cache, n = %d", size), "rows kept", panels), nil
}
