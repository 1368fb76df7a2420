package cuda_test

import (
	"context"
	"errors"
	"fmt"

	"mtt/mapsolver"
	"mtt/mapsolver/cuda"
	"mtt/mapsolver/ssp"
)

// A program that prefers the card, and does without where there is none.
func Example() {
	var problems []mapsolver.Problem
	for _, cost := range [][]float64{{9, 2, 7, 5, 8, 1}, {4, 1, 3, 2, 5, 0}} {
		p, err := mapsolver.Dense(2, 3, cost)
		if err != nil {
			fmt.Println(err)
			return
		}
		problems = append(problems, *p)
	}
	answers := make([]mapsolver.Solution, len(problems))

	var card cuda.Solver
	err := card.SolveBatch(context.Background(), answers, problems, nil)
	if errors.Is(err, cuda.ErrUnavailable) {
		var host ssp.Solver
		for i := range problems {
			if err = host.Solve(context.Background(), &answers[i], &problems[i], nil); err != nil {
				break
			}
		}
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range answers {
		gap, err := mapsolver.Certify(&problems[i], &answers[i])
		fmt.Println("columns:", answers[i].ColOf, "cost:", answers[i].Cost, "gap:", gap, err)
	}
	// Output:
	// columns: [1 2] cost: 3 gap: 0 <nil>
	// columns: [1 2] cost: 1 gap: 0 <nil>
}

// Costs go to the card once and are solved again after each change.
func ExampleCosts() {
	costs, err := cuda.NewCosts(300, 100, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer costs.Free()
	for i := range costs.Count {
		for r := range costs.Rows {
			row := costs.Row(i, r)
			for c := range row {
				row[c] = float32((i + r*c) % 97)
			}
		}
	}
	if err := costs.Upload(); err != nil {
		fmt.Println(err)
		return
	}
	batch, err := costs.NewBatch()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer batch.Free()
	for warm := range 2 {
		if err := batch.Solve(context.Background(), warm == 1); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(batch.ColOf(0)[:10])
}
