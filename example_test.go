package mtt_test

// This file holds the Go code of README.md and docs, line for line. A test
// compares; the parts that the documents show are the same as here.

import (
	"context"
	"fmt"
	"log"
	"math"

	"mtt"
	"mtt/association"
	"mtt/association/online"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
	"mtt/metrics"
	"mtt/scenario"
)

// A scene, its tracks and their scores.
func Example() {
	ctx := context.Background()
	scene, err := scenario.Simulate(ctx, &scenario.Config{
		Scene: scenario.Steer, Targets: 50, Frames: 40, Seed: 1, Noise: 0.1, NoVelocity: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	res, err := association.Track(ctx, scene.Scans, nil)
	if err != nil {
		log.Fatal(err)
	}
	report, err := metrics.Score(scene.Truth, res.Tracks, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d tracks, gap %.2g %%, %d of %d links wrong\n",
		len(res.Tracks), 100*res.Dual.Gap(), report.WrongLinks+report.MissingLinks, report.TrueLinks)
	// Output:
	// 50 tracks, gap 0 %, 4 of 1950 links wrong
}

// Two people walk towards each other, each scan lists them in another order.
func Example_ownScans() {
	ctx := context.Background()
	scans := []mtt.Scan{
		{Frame: 0, Time: 0.0, Dim: 2, Pos: []float64{0.00, 1.04, 3.97, 1.53}},
		{Frame: 1, Time: 0.5, Dim: 2, Pos: []float64{3.51, 1.63, 0.45, 1.21}},
		{Frame: 2, Time: 1.0, Dim: 2, Pos: []float64{3.12, 1.71, 1.03, 1.50}},
		{Frame: 3, Time: 1.5, Dim: 2, Pos: []float64{1.50, 1.77, 2.68, 1.85}},
		{Frame: 4, Time: 2.0, Dim: 2, Pos: []float64{2.20, 1.94, 2.02, 2.01}},
		{Frame: 5, Time: 2.5, Dim: 2, Pos: []float64{2.50, 2.26, 1.77, 2.07}},
	}
	res, err := association.Track(ctx, scans, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, track := range res.Tracks {
		fmt.Print("track ", track.ID, " is detection")
		for _, hit := range track.Hits {
			fmt.Print(" ", hit.Det)
		}
		fmt.Println()
	}
	// Output:
	// track 1 is detection 0 1 1 0 1 0
	// track 2 is detection 1 0 0 1 0 1
}

// Scans come one by one, and what is settled is handed on.
func Example_online() {
	ctx := context.Background()
	scene, err := scenario.Simulate(ctx, &scenario.Config{
		Scene: scenario.Steer, Targets: 20, Frames: 40, Seed: 1, Noise: 0.1, NoVelocity: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	k, err := online.NewTracker(&online.Options{Sigma: 0.1, Lag: 3})
	if err != nil {
		log.Fatal(err)
	}
	links := 0
	for _, scan := range scene.Scans { // as a sensor reports them
		if err := k.Step(ctx, &scan); err != nil {
			log.Fatal(err)
		}
		for part := range k.Take() { // settled by this scan; later scans only add to it
			links += len(part.Hits)
		}
	}
	targets := k.Targets(nil) // where they are believed to be now
	if err := k.Flush(ctx); err != nil {
		log.Fatal(err)
	}
	for part := range k.Take() {
		links += len(part.Hits)
	}
	fmt.Printf("%d targets now, the first exists with probability %.2g, %d detections settled\n",
		len(targets), targets[0].Existence, links)
	// Output:
	// 20 targets now, the first exists with probability 1, 800 detections settled
}

// The linear assignment solver knows nothing of tracking.
func Example_assignment() {
	ctx := context.Background()
	p := &mapsolver.Problem{
		Rows: 3, Cols: 3,
		Ptr:     []int{0, 2, 4, 5}, // row r holds the entries Ptr[r] to Ptr[r+1]-1
		Col:     []int32{0, 1, 0, 1, 2},
		Cost:    []float64{1, 3, 2, 9, 12},
		RowMiss: []float64{5, 5, 5}, // what a row without a column costs
		ColMiss: []float64{4, 4, 4},
	}
	var solver ssp.Solver
	var s mapsolver.Solution
	if err := solver.Solve(ctx, &s, p, nil); err != nil {
		log.Fatal(err)
	}
	gap, err := mapsolver.Certify(p, &s) // adds up by itself; trusts no solver
	fmt.Println(s.ColOf, s.Cost, gap, err)
	// Output:
	// [1 0 -1] 14 0 <nil>
}

// A cost of one's own.
func Example_ownCost() {
	ctx := context.Background()
	scene, err := scenario.Simulate(ctx, &scenario.Config{
		Scene: scenario.Arena, Targets: 20, Frames: 20, Seed: 1, Noise: 0.1, NoVelocity: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	distance := func(a *mtt.Scan, i int, b *mtt.Scan, j int) float64 {
		p, q := a.At(i), b.At(j)
		return math.Hypot(q[0]-p[0], q[1]-p[1])
	}
	model := &costgen.Funcs{
		Triplet: func(a *mtt.Scan, i int, b *mtt.Scan, j int, c *mtt.Scan, k int) float64 {
			return math.Abs(distance(b, j, c, k) - distance(a, i, b, j)) // steady speed
		},
		Prices: costgen.Ends{Birth: 3, First: 3, Death: 3, Clutter: 6},
	}
	res, err := association.Track(ctx, scene.Scans, &association.Options{
		Model: model, Gate: gating.Ball{Radius: 3}, // m
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Dual.Status, len(res.Tracks), "tracks")
	// Output:
	// optimal 20 tracks
}

// The engine knows arrays only: here one gap between two frames of two nodes
// each, another gap, and between them a block for each node of the middle frame.
func Example_engine() {
	ctx := context.Background()
	never := math.Inf(1)
	arcs := dualascent.FramePair{
		Rows: 2, Cols: 2, Ptr: []int{0, 2, 4}, Col: []int32{0, 1, 0, 1},
		Cost:    []float64{0, 0, 0, 0},
		RowMiss: []float64{never, never}, ColMiss: []float64{never, never}, // no deaths, no births
	}
	inst := &dualascent.Instance{
		Pairs: []dualascent.FramePair{arcs, arcs},
		Blocks: []dualascent.Block{{
			Ptr: []int{0, 9, 18},
			D: []float64{ // one row for each way in, the last for a birth; columns likewise
				1, 5, never, 5, 2, never, never, never, never,
				1, 4, never, 6, 3, never, never, never, never,
			},
		}},
	}
	res, err := dualascent.Solve(ctx, inst, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Status, res.LowerBound, res.UpperBound, res.Next)
	// Output:
	// optimal 3 3 [[1 2] [1 2]]
}
