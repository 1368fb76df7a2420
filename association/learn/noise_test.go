package learn_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/association/online"
	"mtt/internal/nightly"
	"mtt/metrics"
	"mtt/scenario"
	"mtt/sensor"
)

// This file tests what is learnt of sensors that do not tell how noisy they are.

// TestNoise: of two sensors of which one is eight times as noisy as the other the noise of each is
// learnt, though nobody tells it, and fewer links of the finer one are wrong than with one noise
// for both. Levels given back make the same tracks, and the online tracker has use for them.
func TestNoise(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("tracks two sensors three times")
	}
	c := *scenario.PairConfig()
	middle := c.Sensors[1].Place
	c.Targets, c.Frames, c.Sensors = nightly.Or(24, 30), nightly.Or(45, 70), []scenario.Sensor{
		{Sensor: sensor.Sensor{Name: "fine", Place: middle, Detect: 0.9, Clutter: 1, Noise: map[string]float64{"position": 0.1}}, Period: 1},
		{Sensor: sensor.Sensor{Name: "coarse", Place: middle, Detect: 0.9, Clutter: 1, Noise: map[string]float64{"position": 0.8}}, Period: 0.7, Offset: 0.15},
	}
	scene, err := scenario.Simulate(t.Context(), &c)
	if err != nil {
		t.Fatal(err)
	}
	for i := range scene.Scans {
		if scene.Scans[i].Sensor == 1 {
			scene.Scans[i].Cov = nil
		}
	}
	sensors := c.Describe()
	for k := range sensors {
		sensors[k].Noise = nil
	}
	mixed, err := association.Learn(t.Context(), scene.Scans, &association.Options{Sensors: sensors})
	if err != nil {
		t.Fatal(err)
	}
	if sigma := mixed.Levels.Sensing.Sigma; len(sigma) != 2 || sigma[0] != 0 || math.Abs(sigma[1]/0.8-1) > 0.15 {
		t.Errorf("where the finer one tells its noise the other's is %v, want 0.8", sigma)
	}
	if _, err := association.Learn(t.Context(), scene.Scans, nil); !errors.Is(err, association.ErrOptions) {
		t.Errorf("one sensor tells its noise, the other does not, and nobody describes them: %v", err)
	}
	for i := range scene.Scans {
		scene.Scans[i].Cov = nil
	}
	fine := func(tracks []mtt.Track) (list []mtt.Track) { // what they are of the detections of the finer sensor
		for _, tr := range tracks {
			part := mtt.Track{ID: tr.ID, Dim: 2}
			for h, hit := range tr.Hits {
				if hit.Det >= 0 && scene.Scans[hit.Frame].Sensor == 0 {
					part.Hits, part.Pos = append(part.Hits, hit), append(part.Pos, tr.At(h)...)
				}
			}
			if len(part.Hits) > 0 {
				list = append(list, part)
			}
		}
		return list
	}
	wrong := func(tracks []mtt.Track) float64 {
		report, err := metrics.Score(fine(scene.Truth), fine(tracks), nil)
		if err != nil {
			t.Fatal(err)
		}
		return report.MMEP
	}
	track := func(o association.Options) *association.Result {
		res, err := association.Track(t.Context(), scene.Scans, &o)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	each := track(association.Options{Sensors: sensors})
	sigma := each.Levels.Sensing.Sigma
	if len(sigma) != 2 || math.Abs(sigma[0]/0.1-1) > 0.4 || math.Abs(sigma[1]/0.8-1) > 0.15 {
		t.Fatalf("noise %v, want 0.1 and 0.8", sigma)
	}
	one := track(association.Options{Sensors: sensors, Sigma: 0.57}) // root mean square
	if one.Levels.Sensing.Sigma != nil {
		t.Errorf("noise %v, though one was given", one.Levels.Sensing.Sigma)
	}
	if of, common := wrong(each.Tracks), wrong(one.Tracks); of > 0.7*common {
		t.Errorf("%.2f %% of the links of the finer one are wrong, with one noise for both %.2f", of, common)
	}
	again := track(association.Options{Levels: each.Levels})
	if !reflect.DeepEqual(again.Tracks, each.Tracks) || again.Cost != each.Cost {
		t.Errorf("levels given back make %d tracks of cost %v, want %d of %v", len(again.Tracks), again.Cost, len(each.Tracks), each.Cost)
	}
	known, err := online.Track(t.Context(), scene.Scans, &online.Options{Levels: each.Levels, Lag: 10})
	if err != nil {
		t.Fatal(err)
	}
	common, err := online.Track(t.Context(), scene.Scans, &online.Options{Levels: one.Levels, Lag: 10})
	if err != nil {
		t.Fatal(err)
	}
	if of, common := wrong(known.Tracks), wrong(common.Tracks); of > 0.7*common {
		t.Errorf("with a lag %.2f %% of its links are wrong, with one noise for both %.2f", of, common)
	}
	for _, s := range known.States[0].Cov {
		if math.IsNaN(s) {
			t.Fatal("a smoothed state is none")
		}
	}
}
