package sensing_test

import (
	"context"
	"reflect"
	"testing"

	"mtt/association"
	"mtt/metrics"
	"mtt/motion"
	"mtt/scenario"
)

// TestStretchedNoise tracks what is seen with noise four times as large along one axis: that is
// learnt, and wrong links are fewer than where noise is taken to be the same. Levels given back
// make the same tracks.
func TestStretchedNoise(t *testing.T) {
	ctx := context.Background()
	scene, err := scenario.Simulate(ctx, &scenario.Config{
		Scene: scenario.Steer, Targets: 20, Frames: 16, Spread: 7, Noise: 0.2, Stretch: 4, NoVelocity: true, Miss: 0.03, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	track := func(o association.Options) (*association.Result, float64) {
		o.Workers = 1
		res, err := association.Track(ctx, scene.Scans, &o)
		if err != nil {
			t.Fatal(err)
		}
		score, err := metrics.Score(scene.Truth, res.Tracks, &metrics.Options{Only: metrics.Links})
		if err != nil {
			t.Fatal(err)
		}
		return res, score.MMEP
	}
	learnt, wrong := track(association.Options{Motion: motion.Velocity{}}) // not compared with others, which spares time
	if _, round := track(association.Options{Motion: motion.Velocity{}, Isotropic: true}); !(wrong < 0.7*round) {
		t.Errorf("%v %% wrong, %v %% with noise the same along all directions", wrong, round)
	}
	std, along := learnt.Levels.NoiseAxes()
	if std == nil || std[0] < 0.15 || std[0] > 0.25 || std[1] < 0.6 || std[1] > 1 || along[1] < 0.98 || learnt.Shaped < 50 {
		t.Errorf("noise %v along %v, %v nat; want 0.2 and 0.8 along the second axis", std, along, learnt.Shaped)
	}
	again, _ := track(association.Options{Levels: learnt.Levels})
	if !reflect.DeepEqual(learnt.Tracks, again.Tracks) {
		t.Error("levels given back make other tracks")
	}
}
