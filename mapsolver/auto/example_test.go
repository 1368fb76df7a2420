package auto_test

import (
	"context"
	"fmt"

	"mtt/mapsolver"
	"mtt/mapsolver/auto"
)

// A matrix of a hundred workers and jobs is dense; with a gate it is sparse.
func Example() {
	const n = 100
	cost := make([]float64, n*n)
	for i := range cost {
		worker, job := i/n, i%n
		cost[i] = float64((worker - job) * (worker - job))
	}
	p, err := mapsolver.Dense(n, n, cost)
	if err != nil {
		fmt.Println(err)
		return
	}
	gated := &mapsolver.Problem{Rows: n, Cols: n, Ptr: []int{0}}
	for e, x := range p.Cost {
		if x <= 4 {
			gated.Col, gated.Cost = append(gated.Col, p.Col[e]), append(gated.Cost, x)
		}
		if (e+1)%n == 0 {
			gated.Ptr = append(gated.Ptr, len(gated.Col))
		}
	}
	var solver auto.Solver
	var s mapsolver.Solution
	for _, p := range []*mapsolver.Problem{p, gated} {
		err := solver.Solve(context.Background(), &s, p, nil)
		fmt.Println(s.Stats.Solver, s.Cost, err)
	}
	// Output:
	// dense 0 <nil>
	// ssp 0 <nil>
}
