package murty_test

import (
	"context"
	"fmt"
	"math"

	"mtt/mapsolver"
	"mtt/mapsolver/murty"
)

// Three workers, three jobs; the second worker cannot do the first job.
func ExampleKBest() {
	p, err := mapsolver.Dense(3, 3, []float64{
		4, 1, 3,
		math.Inf(1), 0, 5,
		3, 2, 2,
	})
	if err != nil {
		panic(err)
	}
	for s, err := range murty.KBest(context.Background(), nil, p) {
		if err != nil {
			panic(err)
		}
		fmt.Println(s.Cost, s.ColOf)
	}
	// Output:
	// 6 [2 1 0]
	// 6 [0 1 2]
	// 9 [1 2 0]
	// 11 [0 2 1]
}
