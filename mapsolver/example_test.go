package mapsolver_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

// Three tracks meet three detections. The gate forbids some pairs; a track
// that goes undetected costs 5, a detection that starts a new track costs 4.
func Example() {
	inf := math.Inf(1)
	p, err := mapsolver.Dense(3, 3, []float64{
		1, 3, inf,
		2, 9, inf,
		inf, inf, 12,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	p.RowMiss = []float64{5, 5, 5}
	p.ColMiss = []float64{4, 4, 4}

	var solver ssp.Solver
	var s mapsolver.Solution
	if err := solver.Solve(context.Background(), &s, p, nil); err != nil {
		fmt.Println(err)
		return
	}
	gap, err := mapsolver.Certify(p, &s)
	fmt.Println("detection of each track:", s.ColOf)
	fmt.Println("cost:", s.Cost, "gap:", gap, err)
	// Output:
	// detection of each track: [1 0 -1]
	// cost: 14 gap: 0 <nil>
}

// Two workers who can only do the same job.
func ExampleInfeasibleError() {
	inf := math.Inf(1)
	p, _ := mapsolver.Dense(3, 3, []float64{
		1, inf, inf,
		2, 9, 4,
		8, inf, inf,
	})
	var solver ssp.Solver
	err := solver.Solve(context.Background(), new(mapsolver.Solution), p, nil)
	fmt.Println(err)
	if bad, ok := errors.AsType[*mapsolver.InfeasibleError](err); ok {
		fmt.Println("proof holds:", bad.Check(p) == nil)
	}
	// Output:
	// mapsolver: no assignment serves every row and column that must be served: rows [0 2] have only columns [0]
	// proof holds: true
}
