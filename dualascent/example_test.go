package dualascent_test

import (
	"context"
	"fmt"
	"math"

	"mtt/dualascent"
)

// crossing is the instance of two targets on a line whose paths cross at one
// metre a frame: one is seen at 0, 1, 2, the other at 1.8, 0.8, −0.2. A link
// costs its length, two links in a row cost the length of their second
// difference. To end or to begin a track in the middle costs 10.
func crossing() *dualascent.Instance {
	x := [][]float64{{0, 1.8}, {0.8, 1}, {-0.2, 2}}
	inst := &dualascent.Instance{}
	for p := range 2 {
		g := dualascent.FramePair{Rows: 2, Cols: 2, Ptr: []int{0, 2, 4}, Col: []int32{0, 1, 0, 1}, RowMiss: []float64{10, 10}, ColMiss: []float64{10, 10}}
		for i := range 2 {
			for j := range 2 {
				g.Cost = append(g.Cost, math.Abs(x[p+1][j]-x[p][i]))
			}
		}
		inst.Pairs = append(inst.Pairs, g)
	}
	b := dualascent.Block{Ptr: []int{0, 9, 18}}
	for j := range 2 {
		for i := range 2 {
			for k := range 2 {
				b.D = append(b.D, math.Abs(x[2][k]-2*x[1][j]+x[0][i]))
			}
			b.D = append(b.D, 0) // comes from i, dies here
		}
		b.D = append(b.D, 0, 0, 0) // born here
	}
	inst.Blocks = append(inst.Blocks, b)
	return inst
}

// By their lengths alone the links of this scene turn both targets back where
// they meet, for 3.6 against 4. With the triplets that costs 7.2.
func ExampleSolve() {
	inst := crossing()
	res, err := dualascent.Solve(context.Background(), inst, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%v: bound %.2f, cost %.2f\n", res.Status, res.LowerBound, res.UpperBound)
	for i, a := range res.Next[0] {
		j := inst.Pairs[0].Col[a]
		k := inst.Pairs[1].Col[res.Next[1][j]]
		fmt.Printf("%d → %d → %d\n", i, j, k)
	}
	// Output:
	// optimal: bound 4.00, cost 4.00
	// 0 → 1 → 1
	// 1 → 0 → 0
}

// A result carries its own certificate: prices that prove its bound, and an
// assignment that has its cost. Checking them trusts no solver.
func ExampleBound() {
	inst := crossing()
	res, err := dualascent.Solve(context.Background(), inst, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("nothing costs less than %.2f\n", dualascent.Bound(inst, res.Prices))
	fmt.Printf("this answer costs %.2f\n", inst.Cost(res.Next))
	// Output:
	// nothing costs less than 4.00
	// this answer costs 4.00
}

// Greedy takes the two shortest links first and has to make sharp turns of them.
func ExampleGreedy() {
	inst := crossing()
	_, cost, err := dualascent.Greedy(context.Background(), inst)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("cost %.2f\n", cost)
	// Output:
	// cost 4.80
}
