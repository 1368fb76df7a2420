package costgen_test

import (
	"context"
	"fmt"
	"math"

	"mtt"
	"mtt/association"
	"mtt/costgen"
	"mtt/gating"
	"mtt/scenario"
)

// A target that has moved east by a metre a second: what does it cost to say
// that one or the other detection of the next scan is its own?
func ExampleGaussian() {
	before := &mtt.Scan{Time: 0, Dim: 2, Pos: []float64{0, 0}, Vel: []float64{1.0, 0.1}}
	now := &mtt.Scan{Time: 1, Dim: 2, Pos: []float64{1.1, 0}, Vel: []float64{0.9, 0}}
	after := &mtt.Scan{Time: 2, Dim: 2,
		Pos: []float64{2.1, 0, 2.0, 0.3, 1.9, 0.7, 2.1, 0.2},
		Vel: []float64{1, 0, 0.9, 0.3, 0.6, 0.9, -1, 0},
	}
	names := []string{"straight on", "a little to the left", "a sharp turn", "the other way round"}

	m := &costgen.Gaussian{Levels: costgen.Levels{
		Sigma: 0.1, SigmaV: 0.1, Accel: 0.1, SpeedStd: 1,
		Rates: costgen.Rates{Detect: 0.95, Survive: 0.99, Births: 0.5, Targets: 50, Clutter: 2, Volume: 1e4},
	}}
	agile := &costgen.Gaussian{Levels: m.Levels}
	agile.ManoeuvreProb, agile.ManoeuvreAccel = 0.05, 0.5

	prices, turning := make([]float64, 4), make([]float64, 4)
	m.Triplets(prices, 4, before, []int32{0}, now, 0, after, []int32{0, 1, 2, 3})
	agile.Triplets(turning, 4, before, []int32{0}, now, 0, after, []int32{0, 1, 2, 3})
	fmt.Println("price in nats           smooth  with manoeuvres")
	for k, name := range names {
		fmt.Printf("%-22s  %6.1f  %15.1f\n", name, prices[k], turning[k])
	}
	ends := m.Ends()
	fmt.Printf("\nto end the track and begin another: %.1f + %.1f\n", ends.Death, ends.Birth)
	// Output:
	// price in nats           smooth  with manoeuvres
	// straight on                0.2              0.2
	// a little to the left       1.9              1.9
	// a sharp turn              18.7              8.6
	// the other way round       47.8             15.3
	//
	// to end the track and begin another: 4.6 + 16.5
}

// Bring your own cost: two lamps pass each other in the dark. By their positions
// they might as well have bounced; by their brightness they have not.
func ExampleFuncs() {
	var scans []mtt.Scan
	for t := range 6 {
		x := float64(t) - 2.5
		scans = append(scans, mtt.Scan{Frame: t, Time: float64(t), Dim: 2,
			Pos:  []float64{x, 0.2, -x, 0},
			Conf: []float64{0.9, 0.3}, // brightness
		})
	}
	model := &costgen.Funcs{
		Pair: func(a *mtt.Scan, i int, b *mtt.Scan, j int) float64 {
			x, y := a.At(i), b.At(j)
			return math.Hypot(y[0]-x[0], y[1]-x[1]) + 10*math.Abs(b.Conf[j]-a.Conf[i])
		},
		Prices: costgen.Ends{Birth: 20, Death: 20, Clutter: 30},
	}
	result, err := association.Track(context.Background(), scans, &association.Options{
		Model: model, Gate: gating.Ball{Radius: 2},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, track := range result.Tracks {
		fmt.Printf("lamp %d:", track.ID)
		for h, hit := range track.Hits {
			fmt.Printf("  %+.1f (%.1f)", track.At(h)[0], scans[hit.Frame].Conf[hit.Det])
		}
		fmt.Println()
	}
	// Output:
	// lamp 1:  -2.5 (0.9)  -1.5 (0.9)  -0.5 (0.9)  +0.5 (0.9)  +1.5 (0.9)  +2.5 (0.9)
	// lamp 2:  +2.5 (0.3)  +1.5 (0.3)  +0.5 (0.3)  -0.5 (0.3)  -1.5 (0.3)  -2.5 (0.3)
}

// What noise does this sensor have, and how restless are these targets?
func ExampleFit() {
	scene, err := scenario.Simulate(context.Background(), &scenario.Config{
		Scene: scenario.Arena, Targets: 50, Frames: 50, Noise: 0.2, VelocityNoise: 0.3, Seed: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Tracks as they were measured; any tracker's will do.
	tracks := make([]mtt.Track, len(scene.Truth))
	for i, truth := range scene.Truth {
		track := mtt.Track{ID: truth.ID, Dim: truth.Dim, Hits: truth.Hits}
		for _, hit := range truth.Hits {
			scan := &scene.Scans[hit.Frame]
			track.Pos = append(track.Pos, scan.At(hit.Det)...)
			track.Vel = append(track.Vel, scan.VelAt(hit.Det)...)
		}
		tracks[i] = track
	}
	var levels costgen.Levels // all to be estimated
	if !costgen.Fit(&levels, tracks, func(frame int) float64 { return scene.Scans[frame].Time }) {
		fmt.Println("nothing to go by")
		return
	}
	fmt.Printf("position %.3f m, simulated %.3f\n", levels.Sigma, scene.Config.Noise)
	fmt.Printf("velocity %.3f m/s, simulated %.3f\n", levels.SigmaV, scene.Config.VelocityNoise)
	fmt.Printf("acceleration %.3f m/s^1.5\n", levels.Accel)
	// Output:
	// position 0.193 m, simulated 0.200
	// velocity 0.296 m/s, simulated 0.300
	// acceleration 0.073 m/s^1.5
}
