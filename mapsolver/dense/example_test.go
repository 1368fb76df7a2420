package dense_test

import (
	"context"
	"fmt"

	"mtt/mapsolver"
	"mtt/mapsolver/dense"
)

// Three workers, four jobs.
func Example() {
	costs := dense.NewMatrix(3, 4, []float64{
		9, 2, 7, 8,
		6, 4, 3, 7,
		5, 8, 1, 8,
	})
	var solver dense.Solver
	var s mapsolver.Solution
	if err := solver.Solve(context.Background(), &s, costs, nil); err != nil {
		fmt.Println(err)
		return
	}
	gap, err := dense.Certify(costs, &s)
	fmt.Println("job of each worker:", s.ColOf)
	fmt.Println("cost:", s.Cost, "gap:", gap, err)
	// Output:
	// job of each worker: [1 0 2]
	// cost: 9 gap: 0 <nil>
}
