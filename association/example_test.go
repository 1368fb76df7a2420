package association_test

import (
	"context"
	"fmt"
	"log"

	"mtt/association"
	"mtt/dualascent"
	"mtt/scenario"
)

// The parts of Track, to put a solver of one's own in the place of
// dualascent.Solve.
func ExampleBuild() {
	ctx := context.Background()
	scene, err := scenario.Simulate(ctx, &scenario.Config{
		Scene: scenario.Arena, Targets: 20, Frames: 10, Seed: 1, Noise: 0.05, VelocityNoise: 0.05,
	})
	if err != nil {
		log.Fatal(err)
	}
	built, err := association.Build(ctx, scene.Scans, nil)
	if err != nil {
		log.Fatal(err)
	}
	res, err := dualascent.Solve(ctx, &built.Instance.Dual, nil)
	if err != nil {
		log.Fatal(err)
	}
	tracks := built.Instance.Tracks(res.Next)
	fmt.Printf("%d triplets, %v, %d tracks of %d detections\n",
		built.Instance.Triplets(), res.Status, len(tracks), len(tracks[0].Hits))
	// Output:
	// 160 triplets, optimal, 20 tracks of 10 detections
}
