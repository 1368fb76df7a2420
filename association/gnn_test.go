package association_test

import (
	"reflect"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/costgen"
	"mtt/scenario"
)

// TestGNNUnits: nearest neighbours link what they link in metres in micrometres, too, velocities measured: formerly
// nothing, as the velocity of a false alarm had no density.
func TestGNNUnits(t *testing.T) {
	t.Parallel()
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Steer, Targets: 20, Frames: 15, Miss: 0.1, Clutter: 2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var before [][]mtt.Hit
	for _, unit := range []float64{1, 1 << 20} {
		scans := make([]mtt.Scan, len(scene.Scans))
		for k, s := range scene.Scans {
			scans[k] = mtt.Scan{Frame: s.Frame, Time: s.Time, Dim: s.Dim, Pos: scaled(s.Pos, unit), Vel: scaled(s.Vel, unit)}
		}
		res, err := association.Track(t.Context(), scans, &association.Options{Engine: association.GNN, NoRefine: true, Sigma: 0.1 * unit, SigmaV: 0.1 * unit, Accel: 0.1 * unit,
			MaxSpeed: 5 * unit, Rates: &costgen.Rates{Detect: 0.9, Survive: 0.99, Births: 0.1, Clutter: 2}})
		if err != nil {
			t.Fatal(err)
		}
		var hits [][]mtt.Hit
		for _, track := range res.Tracks {
			hits = append(hits, track.Hits)
		}
		if before != nil && !reflect.DeepEqual(hits, before) || len(hits) < 20 {
			t.Errorf("unit %v: %d tracks, in metres %d", unit, len(hits), len(before))
		}
		before = hits
	}
}

// scaled is x in another unit.
func scaled(x []float64, unit float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = unit * v
	}
	return y
}
