package plots_test

import (
	"fmt"
	"io"
	"math"

	"mtt"
	"mtt/plots"
)

func ExampleBoundTrace() {
	f := plots.BoundTrace("burst, 100 targets, 50 frames",
		plots.Trace{Name: "dual", Steps: []plots.Step{
			{Pass: 1, Lower: -260, Upper: math.Inf(1)},
			{Pass: 2, Lower: -242, Upper: -239},
			{Pass: 3, Lower: -240, Upper: -240},
		}})
	fmt.Println(f.Title)
	fmt.Println(len(f.Panels), "panels")
	if err := f.Encode(io.Discard, "svg"); err != nil { // plots.Save("bounds.svg", f) in earnest
		fmt.Println(err)
	}
	// Output:
	// burst, 100 targets, 50 frames: dual optimal after 3 passes
	// 2 panels
}

func ExampleTracks() {
	truth := []mtt.Track{
		{ID: 1, Dim: 2, Hits: []mtt.Hit{{Frame: 0, Det: 0}, {Frame: 1, Det: 0}, {Frame: 2, Det: 0}}, Pos: []float64{0, 0, 1, 0.1, 2, 0.2}},
		{ID: 2, Dim: 2, Hits: []mtt.Hit{{Frame: 0, Det: 1}, {Frame: 1, Det: 1}, {Frame: 2, Det: 1}}, Pos: []float64{0, 1, 1, 0.9, 2, 0.8}},
	}
	tracks := []mtt.Track{ // exchanged in the last frame
		{ID: 1, Dim: 2, Hits: []mtt.Hit{{Frame: 0, Det: 0}, {Frame: 1, Det: 0}, {Frame: 2, Det: 1}}, Pos: []float64{0, 0, 1, 0.1, 2, 0.8}},
		{ID: 2, Dim: 2, Hits: []mtt.Hit{{Frame: 0, Det: 1}, {Frame: 1, Det: 1}, {Frame: 2, Det: 0}}, Pos: []float64{0, 1, 1, 0.9, 2, 0.2}},
	}
	f, err := plots.Tracks("crossing", truth, tracks, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	f.Panels[0].X.Label.Text = "east, m" // panels are ordinary plots
	fmt.Println(f.Title)
	// Output:
	// crossing: 2 wrong links, 2 of 4 true ones missing
}

func ExampleScoreAgainstNoise() {
	f := plots.ScoreAgainstNoise("arena, 10 seeds", "position noise σ, m", "MMEP, %", []plots.Series{
		{Name: "dual", Points: []plots.Point{{X: 0.1, Y: 1.2}, {X: 0.5, Y: 6, Bar: plots.Bar{Low: 5, High: 7.5}}}},
		{Name: "greedy", Points: []plots.Point{{X: 0.1, Y: 3.1}, {X: 0.5, Y: 14, Bar: plots.Bar{Low: 12, High: 17}}}},
	})
	fmt.Println(f.Title)
	// Output:
	// arena, 10 seeds: MMEP dual 6, greedy 14 % at position noise σ 0.5 m
}

func ExampleGatingSensitivity() {
	f := plots.GatingSensitivity("burst", "gate radius, m", []plots.GateRow{
		{Gate: 2, MMEP: 4, ITCP: 12, Triplets: 14_400},
		{Gate: 5, MMEP: 1, ITCP: 4, Triplets: 562_500},
	})
	fmt.Println(f.Title)
	// Output:
	// burst: lowest MMEP 1 % at gate radius 5 m
}
