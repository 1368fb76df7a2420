package dense_test

import (
	"context"
	"fmt"
	"math"

	"mtt/mapsolver"
	"mtt/mapsolver/dense"
)

// Two sets of 1000 points on spirals are joined at the least sum of distances,
// which are computed when they are needed. Rows are read a few times.
func ExampleFunc() {
	const n = 1000
	at := func(k int, turn float64) (x, y float64) {
		radius, angle := math.Sqrt(float64(k)), turn*float64(k)
		return radius * math.Cos(angle), radius * math.Sin(angle)
	}
	costs := &dense.Func{Rows: n, Cols: n, Fill: func(dst []float64, r, c int) {
		px, py := at(r, 2.4)
		for j := range dst {
			x, y := at(c+j, 2.5)
			dst[j] = math.Hypot(x-px, y-py)
		}
	}}
	solver := dense.Solver{Workers: 2}
	var s mapsolver.Solution
	if err := solver.Solve(context.Background(), &s, costs, nil); err != nil {
		fmt.Println(err)
		return
	}
	work := solver.Work()
	gap, err := dense.CertifyWith(costs, &s, 2)
	fmt.Println("start:", work.Start)
	fmt.Println("rows read fewer than six times:", work.StartRows < 6*n)
	fmt.Println("optimal:", math.Abs(gap) < 1e-9, err)
	// Output:
	// start: core
	// rows read fewer than six times: true
	// optimal: true <nil>
}
