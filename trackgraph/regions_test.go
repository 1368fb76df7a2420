package trackgraph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt/trackgraph"
)

// paired is a colony in which all pairs of links that follow each other have prices of their own,
// drawn at random.
func paired(seed uint64, cells, frames int) *trackgraph.Graph {
	g := colony(seed, cells, frames)
	g.Divide, g.Divisions = nil, nil
	rng := rand.New(rand.NewPCG(seed, 2))
	in := make([][]int32, len(g.Frame))
	for a, h := range g.Head {
		in[h] = append(in[h], int32(a))
	}
	for a, t := range g.Tail {
		for _, b := range in[t] {
			g.Triplets = append(g.Triplets, trackgraph.Triplet{In: b, Out: int32(a), Cost: rng.NormFloat64()})
		}
	}
	return g
}

// TestRegions: with little effort the answer is the cheapest one where it cannot be proved. What
// that costs HiGHS has proved, in 10 to 40 s.
func TestRegions(t *testing.T) {
	for seed, cheapest := range map[uint64]float64{3: -432.5532282838, 6: -449.8305659108, 7: -460.8775244974, 12: -440.5384705635} {
		r, err := trackgraph.Solve(t.Context(), paired(seed, 20, 8), &trackgraph.Options{Effort: 20})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.UpperBound-cheapest) > 1e-6 || r.LowerBound > cheapest+1e-6 {
			t.Errorf("colony %d: bounds %.10g to %.10g, want %.10g", seed, r.LowerBound, r.UpperBound, cheapest)
		}
	}
}
