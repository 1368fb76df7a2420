package hungarian

import (
	"context"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/lapgen"
)

// TestSteps wants the steps timed, and the answer to be the same.
func TestSteps(t *testing.T) {
	const n = 150
	p, err := mapsolver.Dense(n, n, lapgen.Integers(n, 10*n, 1))
	if err != nil {
		t.Fatal(err)
	}
	var steps [6]float64
	var timed, plain mapsolver.Solution
	if err := (&Solver{Method: Classic, Steps: &steps}).Solve(context.Background(), &timed, p, nil); err != nil {
		t.Fatal(err)
	}
	if err := (&Solver{Method: Classic}).Solve(context.Background(), &plain, p, nil); err != nil {
		t.Fatal(err)
	}
	if timed.Cost != plain.Cost {
		t.Errorf("cost %v with times, %v without", timed.Cost, plain.Cost)
	}
	for k, s := range steps {
		if s < 0 || k == 5 && s == 0 {
			t.Errorf("step %d took %v s", k+1, s)
		}
	}
}
