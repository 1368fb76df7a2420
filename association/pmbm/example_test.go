package pmbm_test

import (
	"context"
	"fmt"

	"mtt"
	"mtt/association/pmbm"
)

// One target crosses the scene, is missed once, and a false alarm lies far off.
func Example() {
	f, err := pmbm.New(&pmbm.Options{Model: pmbm.Model{
		Sigma: 1, Detect: 0.9, Clutter: 1, Volume: 100 * 100, Accel: 0.1,
		Births: 0.1, Targets: 1, BirthStd: [3]float64{50, 50}, SpeedStd: 3,
	}})
	if err != nil {
		panic(err)
	}
	for k, pos := range [][]float64{{0, 0}, {2.1, 1.2, -40, 30}, {3.8, 1.9}, {}, {8.2, 4.1}} {
		scan := mtt.Scan{Frame: k, Time: float64(k), Dim: 2, Pos: pos}
		if err := f.Step(context.Background(), &scan); err != nil {
			panic(err)
		}
		for _, e := range f.Estimates() {
			fmt.Printf("frame %d: target %d at (%.1f, %.1f), detection %d, exists with %.2f\n", k, e.Track, e.Pos[0], e.Pos[1], e.Det, e.Existence)
		}
	}
	// Output:
	// frame 1: target 1 at (1.9, 1.1), detection 0, exists with 1.00
	// frame 2: target 1 at (3.8, 1.9), detection 0, exists with 1.00
	// frame 3: target 1 at (5.6, 2.8), detection -1, exists with 0.91
	// frame 4: target 1 at (8.1, 4.0), detection 0, exists with 1.00
}
