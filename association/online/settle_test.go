package online

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/scenario"
)

// TestShuffled: in what order the detections of a scan come makes no difference but to their numbers. Parts
// that are taken are of tracks with the same numbers all along.
func TestShuffled(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Arena, Targets: 30, Frames: 25, Noise: 0.1, VelocityNoise: 0.1, Miss: 0.1, Clutter: 5, Births: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	levels := costgen.Levels{
		Dim: scene.Scans[0].Dim, Sigma: 0.1, SigmaV: 0.1, Accel: 1, SpeedStd: 5,
		Rates: costgen.Rates{Detect: 0.9, Survive: 0.97, Births: 1, Targets: 30, Clutter: 5, Volume: 1e5},
	}
	track := func(orders [][]int32) (tracks [][]mtt.Hit) {
		k, err := NewTracker(&Options{Levels: &levels})
		if err != nil {
			t.Fatal(err)
		}
		byID := map[int][]mtt.Hit{}
		take := func() {
			for part := range k.Take() {
				byID[part.ID] = append(byID[part.ID], part.Hits...)
			}
		}
		for f := range scene.Scans {
			s := scene.Scans[f].Pick(orders[f])
			if err := k.Step(t.Context(), &s); err != nil {
				t.Fatal(err)
			}
			for _, g := range k.Targets(nil) {
				if g.Det >= 0 && (g.Pos[0]-s.At(g.Det)[0])*(g.Pos[0]-s.At(g.Det)[0]) > 1 {
					t.Fatalf("scan %d: target %+v is not at its detection, %v", f, g, s.At(g.Det))
				}
			}
			take()
		}
		if err := k.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		take()
		for _, hits := range byID {
			for i := range hits {
				hits[i].Det = int(orders[hits[i].Frame][hits[i].Det])
			}
			tracks = append(tracks, hits)
		}
		slices.SortFunc(tracks, func(a, b []mtt.Hit) int { return 1000*(a[0].Frame-b[0].Frame) + a[0].Det - b[0].Det })
		return tracks
	}
	rng := rand.New(rand.NewPCG(1, 2))
	asTheyAre, shuffled := make([][]int32, len(scene.Scans)), make([][]int32, len(scene.Scans))
	for f := range scene.Scans {
		for i := range scene.Scans[f].Len() {
			asTheyAre[f] = append(asTheyAre[f], int32(i))
		}
		shuffled[f] = slices.Clone(asTheyAre[f])
		rng.Shuffle(len(shuffled[f]), func(i, j int) { shuffled[f][i], shuffled[f][j] = shuffled[f][j], shuffled[f][i] })
	}
	want, got := track(asTheyAre), track(shuffled)
	if len(want) < 30 || !slices.EqualFunc(want, got, slices.Equal) {
		t.Errorf("%d tracks, shuffled %d", len(want), len(got))
		for i := range min(len(want), len(got)) {
			if !slices.Equal(want[i], got[i]) {
				t.Fatalf("%v, shuffled %v", want[i], got[i])
			}
		}
	}
}
