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

// The k cheapest pairs that share no row and no column, of n rows and m columns: m-k rows more take
// the columns, and n-k columns more the rows, that stay free; they cost nothing, and a pair of two
// of them is forbidden.
func Example_kPairs() {
	cost := [][]float64{
		{4, 1, 3},
		{2, 0, 5},
		{3, 2, 2},
		{9, 8, 7},
	}
	const n, m, k = 4, 3, 2
	p := &mapsolver.Problem{Rows: n + m - k, Cols: m + n - k, Ptr: []int{0}}
	for r := range p.Rows {
		for c := range p.Cols {
			switch {
			case r < n && c < m:
				p.Col, p.Cost = append(p.Col, int32(c)), append(p.Cost, cost[r][c])
			case r < n || c < m:
				p.Col, p.Cost = append(p.Col, int32(c)), append(p.Cost, 0)
			}
		}
		p.Ptr = append(p.Ptr, len(p.Col))
	}
	var solver auto.Solver
	var s mapsolver.Solution
	err := solver.Solve(context.Background(), &s, p, nil)
	for r, c := range s.ColOf[:n] {
		if c < m {
			fmt.Println("row", r, "column", c)
		}
	}
	fmt.Println(s.Cost, err)
	// Output:
	// row 1 column 1
	// row 2 column 2
	// 2 <nil>
}
