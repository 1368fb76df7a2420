package online_test

// This file shows the tracker at work.

import (
	"context"
	"fmt"
	"log"

	"mtt"
	"mtt/association/online"
)

// Two targets pass each other; each link is settled one scan later.
func ExampleTracker() {
	ctx := context.Background()
	k, err := online.NewTracker(&online.Options{Sigma: 0.1, Lag: 1, WarmUp: 4})
	if err != nil {
		log.Fatal(err)
	}
	for t := range 8 {
		x := float64(t)
		scan := &mtt.Scan{Frame: t, Time: x, Dim: 2, Pos: []float64{x, 0, 7 - x, 1}}
		if err := k.Step(ctx, scan); err != nil {
			log.Fatal(err)
		}
		for part := range k.Take() {
			for _, hit := range part.Hits {
				fmt.Printf("scan %d: frame %d, detection %d is track %d\n", t, hit.Frame, hit.Det, part.ID)
			}
		}
	}
	for _, target := range k.Targets(nil) {
		fmt.Printf("track %d is at %.0f\n", target.ID, target.Pos[:2])
	}
	// Output:
	// scan 5: frame 0, detection 0 is track 1
	// scan 5: frame 1, detection 0 is track 1
	// scan 5: frame 2, detection 0 is track 1
	// scan 5: frame 3, detection 0 is track 1
	// scan 5: frame 4, detection 0 is track 1
	// scan 5: frame 0, detection 1 is track 2
	// scan 5: frame 1, detection 1 is track 2
	// scan 5: frame 2, detection 1 is track 2
	// scan 5: frame 3, detection 1 is track 2
	// scan 5: frame 4, detection 1 is track 2
	// scan 6: frame 5, detection 0 is track 1
	// scan 6: frame 5, detection 1 is track 2
	// scan 7: frame 6, detection 0 is track 1
	// scan 7: frame 6, detection 1 is track 2
	// track 1 is at [7 0]
	// track 2 is at [0 1]
}
