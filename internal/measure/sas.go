package measure

// This file draws the random problems on which accelerators are compared.

import (
	"context"
	"math/rand/v2"

	"mtt/mapsolver/fpga/cycle"
)

// problemsPerSeed is the number of problems of a size and density for each seed:
// small ones differ more, and cost less.
func problemsPerSeed(n int) int { return max(10, 10_000/n) }

// A Level is a size and a number of rewards of each agent.
type Level struct{ N, K int }

// Problems draws the problems of a level for every seed; the error is that of ctx.
func (l Level) Problems(ctx context.Context, b *Run) (list []*cycle.Problem, err error) {
	for i := range b.Seeds {
		rng := rand.New(rand.NewPCG(b.First+uint64(i), uint64(l.N)<<16|uint64(l.K)))
		for range problemsPerSeed(l.N) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			list = append(list, cycle.Random(rng, l.N, l.N, l.K, 255))
		}
	}
	return list, nil
}

// Counts adds up the counters of a core over problems; the error is that of ctx.
func Counts(ctx context.Context, core cycle.Core, list []*cycle.Problem) (sum cycle.Counters, err error) {
	var s cycle.State
	for _, p := range list {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		s.Reset(p.Objects)
		n, _ := core.Run(&s, p)
		sum.Add(n)
	}
	return sum, nil
}

// Mean is sum over the number of problems.
func Mean(sum int, list []*cycle.Problem) float64 { return float64(sum) / float64(len(list)) }
