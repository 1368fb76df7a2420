package scenario_test

import (
	"context"
	"fmt"

	"mtt/scenario"
)

func ExampleSimulate() {
	scene, err := scenario.Simulate(context.Background(), &scenario.Config{
		Targets: 3, Frames: 4, Seed: 1, Noise: 0.1, VelocityNoise: 0.1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range scene.Scans {
		fmt.Printf("frame %d sees", s.Frame)
		for i := range s.Len() {
			fmt.Printf(" (%.2f, %.2f)", s.At(i)[0], s.At(i)[1])
		}
		fmt.Println()
	}
	for _, t := range scene.Truth {
		fmt.Printf("target %d is detection", t.ID)
		for _, h := range t.Hits {
			fmt.Printf(" %d", h.Det)
		}
		fmt.Println()
	}
	// Output:
	// frame 0 sees (1.11, 3.17) (1.02, 1.05) (0.42, 0.19)
	// frame 1 sees (-0.26, -1.62) (3.18, 2.58) (-0.02, 0.21)
	// frame 2 sees (4.83, 1.77) (-0.92, -3.31) (-0.62, -0.59)
	// frame 3 sees (-1.42, -1.34) (-1.55, -5.07) (6.72, 1.23)
	// target 1 is detection 2 0 1 1
	// target 2 is detection 1 2 2 0
	// target 3 is detection 0 1 0 2
}

// One frame at a time: the scene as a whole is never in memory.
func ExampleStream() {
	config := &scenario.Config{Scene: scenario.Steer, Targets: 1000, Frames: 401, Miss: 0.1, Clutter: 20}
	for f, err := range scenario.Stream(context.Background(), config) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if f.Scan.Frame%100 == 0 {
			missed := 0
			for _, det := range f.Det {
				if det < 0 {
					missed++
				}
			}
			fmt.Printf("frame %3d: %d targets, %d missed, %d detections\n", f.Scan.Frame, len(f.ID), missed, f.Scan.Len())
		}
	}
	// Output:
	// frame   0: 1000 targets, 86 missed, 937 detections
	// frame 100: 1000 targets, 113 missed, 902 detections
	// frame 200: 1000 targets, 106 missed, 916 detections
	// frame 300: 1000 targets, 106 missed, 905 detections
	// frame 400: 1000 targets, 84 missed, 942 detections
}

func ExampleDefaultConfig() {
	c := scenario.DefaultConfig()
	c.Scene, c.Targets = scenario.Arena, 300
	scene, err := scenario.Simulate(context.Background(), c)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(scene.Truth), "targets,", len(scene.Scans), "frames, noise", scene.Config.Noise)
	// Output: 300 targets, 50 frames, noise 0.1
}

// Two sensors take turns: a radar, and a camera that sees a third of the scene.
func ExamplePairConfig() {
	c := scenario.PairConfig()
	c.Frames = 5
	scene, err := scenario.Simulate(context.Background(), c)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range scene.Scans {
		fmt.Printf("%.2f s, %s: %d detections\n", s.Time, scene.Config.Sensors[s.Sensor].Name, s.Len())
	}
	// Output:
	// 0.00 s, radar: 58 detections
	// 0.15 s, camera: 25 detections
	// 0.85 s, camera: 23 detections
	// 1.55 s, camera: 21 detections
	// 2.00 s, radar: 55 detections
}

func ExampleParseScene() {
	_, err := scenario.ParseScene("brust")
	fmt.Println(err)
	// Output: scenario: unknown scene "brust"; did you mean "burst"?
}

func ExampleConfig_Validate() {
	fmt.Println((&scenario.Config{Miss: 10}).Validate())
	// Output: scenario: Miss is 10; want 0 to 1
}
