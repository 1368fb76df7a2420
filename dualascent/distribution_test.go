package dualascent_test

// This file compares the forms of cost distribution.

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt/dualascent"
)

// TestDistribution distributes multipliers twice in every form: all have the minima
// that the definition says.
func TestDistribution(t *testing.T) {
	defer dualascent.NoFewPairs()()
	for seed := range uint64(5) {
		s := scene{kind: "burst", targets: 12, frames: 5, noise: 0.1, cost: "paper", seed: seed}
		inst := s.instance(t)
		full := stored(inst)
		rng := rand.New(rand.NewPCG(seed, 1))
		for p := range inst.Blocks {
			left, right := &inst.Pairs[p], &inst.Pairs[p+1]
			total := make([]float64, len(right.Col))
			var steps [2][]float64
			for k := range steps {
				steps[k] = make([]float64, len(right.Col))
				for b := range steps[k] {
					steps[k][b] = rng.NormFloat64()
					total[b] += steps[k][b]
				}
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
			for _, form := range []dualascent.Form{dualascent.Cube, dualascent.CSRCOO, dualascent.Stored, dualascent.AsIs} {
				d := dualascent.NewDistribution(form, inst, p)
				got := make([]float64, len(left.Col))
				for _, v := range steps {
					d.Distribute(v)
					d.Minima(got)
				}
				for a := range got {
					if got[a] != want[a] && !(math.Abs(got[a]-want[a]) < 1e-9) {
						t.Fatalf("seed %d, block %d, %v: arc %d has the minimum %v, want %v", seed, p, form, a, got[a], want[a])
					}
				}
			}
		}
	}
}
