package dense

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// TestAgain: where half of the costs are 10¹⁵, and costs are not to be copied, answers are as cheap
// as those of another solver without these, also where some of them cannot be avoided.
func TestAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 1))
	spoilt := 0
	for trial := range 300 {
		n := 5 + rng.IntN(30)
		m := n + trial%2*rng.IntN(10)
		costs := make([]float64, n*m)
		var few []float64
		ptr, col := []int{0}, []int32(nil)
		for r := range n {
			for c := range m {
				x := rng.Float64()
				if rng.IntN(2) == 0 && r != c {
					x = 1e15
				} else {
					few, col = append(few, x), append(col, int32(c))
				}
				costs[r*m+c] = x
			}
			ptr = append(ptr, len(col))
		}
		solver := &Solver{neverCopy: true, Start: []Start{Auto, Priced, Plain}[trial%3]}
		var got, want mapsolver.Solution
		if err := solver.Solve(t.Context(), &got, NewMatrix(n, m, costs), nil); err != nil {
			t.Fatal(err)
		}
		p := &mapsolver.Problem{Rows: n, Cols: m, Ptr: ptr, Col: col, Cost: few}
		if err := new(ssp.Solver).Solve(t.Context(), &want, p, nil); err != nil {
			t.Fatal(err)
		}
		if solver.Work().Unproved {
			t.Errorf("trial %d: not proved", trial)
		}
		if math.Abs(got.Cost-want.Cost) > 1e-12*want.Cost {
			t.Errorf("trial %d: cost %v, want %v", trial, got.Cost, want.Cost)
		}
		full, err := mapsolver.Dense(n, m, costs)
		if err != nil {
			t.Fatal(err)
		}
		if !mapsolver.Proved(full, &got) {
			t.Errorf("trial %d: the prices do not prove it", trial)
		}
		solver.neverCopy = false
		if solver.Solve(t.Context(), &got, NewMatrix(n, m, costs), nil); solver.largest > 1e10 {
			spoilt++
		}
	}
	if spoilt == 0 {
		t.Error("no prices were spoilt")
	}
}
