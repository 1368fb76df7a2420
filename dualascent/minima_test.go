package dualascent_test

// This file tests the minima of blocks of differences.

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt/dualascent"
)

// TestMinima distributes multipliers: the minima are those that the definition says.
func TestMinima(t *testing.T) {
	defer dualascent.NoFewPairs()()
	for seed := range uint64(5) {
		s := scene{kind: "burst", targets: 12, frames: 5, noise: 0.1, cost: "paper", seed: seed}
		inst := s.instance(t)
		full := stored(inst)
		rng := rand.New(rand.NewPCG(seed, 1))
		for p := range inst.Blocks {
			left, right := &inst.Pairs[p], &inst.Pairs[p+1]
			total := make([]float64, len(right.Col))
			for b := range total {
				total[b] = rng.NormFloat64()
			}
			want := make([]float64, len(left.Col))
			row := make([]int, right.Rows) // rows seen
			for a, j := range left.Col {
				want[a] = inf
				b := &full.Blocks[p]
				width := right.Ptr[j+1] - right.Ptr[j] + 1
				for k := range width - 1 {
					want[a] = min(want[a], b.D[b.Ptr[j]+row[j]*width+k]-total[right.Ptr[j]+k])
				}
				row[j]++
			}
			got := make([]float64, len(left.Col))
			inst.Blocks[p].Differences.Minima(left, right)(got, total)
			for a := range got {
				if got[a] != want[a] && !(math.Abs(got[a]-want[a]) < 1e-9) {
					t.Fatalf("seed %d, block %d: arc %d has the minimum %v, want %v", seed, p, a, got[a], want[a])
				}
			}
		}
	}
}
