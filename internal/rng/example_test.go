package rng_test

import (
	"fmt"

	"mtt/internal/rng"
)

func ExampleStream() {
	// Frame 7 draws the same noise whether or not frames 0 to 6 were drawn.
	for frame := range uint64(3) {
		noise := rng.Stream(1, "example/noise", frame)
		x, y := rng.Normal(noise)
		fmt.Printf("frame %d: %6.3f %6.3f\n", frame, x, y)
	}
	// Output:
	// frame 0:  0.265 -1.069
	// frame 1:  0.329  0.053
	// frame 2:  0.094  1.116
}
