package measure

// This file draws the random problems on which accelerators are compared.

import (
	"math/rand/v2"

	"mtt/mapsolver/fpga/cycle"
)

// problemsPerSeed is the number of problems of a size and density for each seed:
// small ones differ more, and cost less.
func problemsPerSeed(n int) int { return max(10, 10_000/n) }

// A Level is a size and a number of rewards of each agent.
type Level struct{ N, K int }

// Problems draws the problems of a level for every seed.
func (l Level) Problems(b *Run) []*cycle.Problem {
	var list []*cycle.Problem
	for i := range b.Seeds {
		rng := rand.New(rand.NewPCG(b.First+uint64(i), uint64(l.N)<<16|uint64(l.K)))
		for range problemsPerSeed(l.N) {
			list = append(list, cycle.Random(rng, l.N, l.N, l.K, 255))
		}
	}
	return list
}

// Counts adds up the counters of a core over problems.
func Counts(core cycle.Core, list []*cycle.Problem) (sum cycle.Counters) {
	var s cycle.State
	for _, p := range list {
		s.Reset(p.Objects)
		n, _ := core.Run(&s, p)
		sum.Add(n)
	}
	return sum
}

// Mean is sum over the number of problems.
func Mean(sum int, list []*cycle.Problem) float64 { return float64(sum) / float64(len(list)) }
