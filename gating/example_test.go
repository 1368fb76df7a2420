package gating_test

import (
	"context"
	"errors"
	"fmt"

	"mtt"
	"mtt/gating"
)

// Two targets fly to the right, one behind the other, past a standing one.
var scans = []mtt.Scan{
	{Frame: 0, Time: 0, Dim: 2, Pos: []float64{0, 0, 3, 0, 3, 1}, Vel: []float64{3, 0, 3, 0, 0, 0}},
	{Frame: 1, Time: 1, Dim: 2, Pos: []float64{3, 1, 6, 0, 3, 0}, Vel: []float64{0, 0, 3, 0, 3, 0}},
	{Frame: 2, Time: 2, Dim: 2, Pos: []float64{9, 0, 6, 0, 3, 1}, Vel: []float64{3, 0, 3, 0, 0, 0}},
}

func ExampleNeighbors() {
	near, err := gating.Neighbors(nil, &scans[0], &scans[1], gating.Ball{Radius: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range near.Rows {
		fmt.Println(i, "can become", near.Row(i))
	}
	// Output:
	// 0 can become [0 2]
	// 1 can become [0 1 2]
	// 2 can become [0 1 2]
}

// The position and velocity that a filter would predict leave one choice.
func ExampleMahalanobis() {
	gate := gating.Mahalanobis{Sigma: 0.1, SigmaV: 0.1, Noise: 0.1}
	near, err := gating.Neighbors(nil, &scans[0], &scans[1], gate)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range near.Rows {
		fmt.Println(i, "can become", near.Row(i))
	}
	fmt.Printf("a true arc is lost with probability %.1g\n", gating.TailProb(25, gating.DOF(&scans[1])))
	// Output:
	// 0 can become [2]
	// 1 can become [1]
	// 2 can become [0]
	// a true arc is lost with probability 5e-05
}

func ExampleThreshold() {
	fmt.Printf("lose one true arc in a million: %.1f with velocities, %.1f without\n",
		gating.Threshold(1e-6, 4), gating.Threshold(1e-6, 2))
	// Output:
	// lose one true arc in a million: 33.4 with velocities, 27.6 without
}

func ExampleFinder_Neighbors() {
	finder := gating.Finder{K: 1} // the best of each row and of each column
	var near gating.CSR           // reused
	for t := range len(scans) - 1 {
		if _, err := finder.Neighbors(&near, &scans[t], &scans[t+1], gating.Ball{Radius: 4}); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(near.Ptr, near.Col)
	}
	// Output:
	// [0 1 3 4] [2 1 2 0]
	// [0 1 3 4] [2 0 1 2]
}

func ExampleChain() {
	frames, err := gating.Chain(context.Background(), scans, gating.Disc{Epsilon: 1.5, Margin: 0.5}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	size := gating.Count(frames)
	arcs, triplets := size.Filtered()
	fmt.Printf("%d arcs, %d triplets\n", size.Arcs, size.Triplets)
	fmt.Printf("filtered: %.0f %% of all pairs, %.0f %% of all triplets\n", arcs, triplets)
	// Output:
	// 12 arcs, 10 triplets
	// filtered: 33 % of all pairs, 63 % of all triplets
}

func ExampleCheck() {
	_, err := gating.Check(context.Background(), scans, gating.Ball{Radius: 10}, &gating.Options{
		Budget: gating.Budget{Bytes: 1500},
	})
	fmt.Println(err)
	if e, ok := errors.AsType[*gating.TooLargeError](err); ok {
		size, err := gating.Check(context.Background(), scans, e.Fits, nil)
		fmt.Println(e.Fits, "keeps", size.Arcs, "arcs and", size.Triplets, "triplets:", err)
	}
	// Output:
	// gating: ball:10 keeps about 18 arcs and 27 triplets, 2.02 kB; the limit is 1.5 kB, which ball:3.16 keeps
	// ball:3.16 keeps 11 arcs and 10 triplets: <nil>
}

func ExampleComponents() {
	gate := gating.Mahalanobis{Sigma: 0.1, SigmaV: 0.1, Noise: 0.1}
	frames, err := gating.Chain(context.Background(), scans, gate, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(gating.Components(frames))
	// Output:
	// [[0 1 2] [2 1 0] [1 0 2]]
}

func ExampleTranspose() {
	pattern := gating.CSR{Rows: 2, Cols: 3, Ptr: []int{0, 2, 4}, Col: []int32{0, 2, 1, 2}}
	byColumn := gating.Transpose(nil, &pattern)
	for j := range pattern.Cols {
		from, to := byColumn.Ptr[j], byColumn.Ptr[j+1]
		fmt.Println("column", j, "has rows", byColumn.Row[from:to], "entries", byColumn.Entry[from:to])
	}
	fmt.Println("COO rows", gating.RowOf(nil, &pattern), "columns", pattern.Col)
	// Output:
	// column 0 has rows [0] entries [0]
	// column 1 has rows [1] entries [2]
	// column 2 has rows [0 1] entries [1 3]
	// COO rows [0 0 1 1] columns [0 2 1 2]
}
