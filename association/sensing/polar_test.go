package sensing_test

import (
	"math"
	"reflect"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/association/online"
	"mtt/metrics"
	"mtt/scenario"
	"mtt/sensor"
)

// This file tests that noise of range and bearing is learnt.

// silent are the scans of a scene without covariances, its truth, and its sensors without their noise.
func silent(t *testing.T, c *scenario.Config) (scene *scenario.Scene, sensors []sensor.Sensor) {
	t.Helper()
	scene, err := scenario.Simulate(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for k := range scene.Scans {
		scene.Scans[k].Cov = nil
	}
	for _, s := range c.Describe() {
		sensors = append(sensors, sensor.Sensor{Kind: s.Kind, Place: s.Place})
	}
	return scene, sensors
}

// links are the share of wrong links of tracks, %.
func links(t *testing.T, scene *scenario.Scene, tracks []mtt.Track) float64 {
	t.Helper()
	score, err := metrics.Score(scene.Truth, tracks, &metrics.Options{Only: metrics.Links})
	if err != nil {
		t.Fatal(err)
	}
	return score.MMEP
}

// erring is a sensor that errs by so many m and degrees.
func erring(place []float64, along, degrees float64) scenario.Sensor {
	return scenario.Sensor{Sensor: sensor.Sensor{
		Kind: "polar", Place: place, Detect: 0.95, Clutter: 2, Noise: map[string]float64{"range": along, "bearing": degrees * math.Pi / 180},
	}}
}

// errs tells of a sensor whose learnt noise is not that of another one, within a tenth.
func errs(t *testing.T, levels *association.Result, of scenario.Sensor, k int) {
	t.Helper()
	if levels.Levels.Polar == nil {
		t.Fatal("noise is not that of range and bearing")
	}
	got := levels.Levels.Polar.Sensors[k]
	if math.Abs(got.Range/of.Noise["range"]-1) > 0.1 || math.Abs(got.Bearing/of.Noise["bearing"]-1) > 0.1 {
		t.Errorf("sensor %d errs by %+v, want %v", k, got, of.Noise)
	}
}

// TestPolarNoise: noise of range and bearing is learnt where it is said where the sensor stands,
// links are those that are found with it told, and levels given back make the same tracks. Online
// it is learnt with the other levels, and stays.
func TestPolarNoise(t *testing.T) {
	t.Parallel()
	of := erring([]float64{200, -100}, 5, 1)
	c := &scenario.Config{Seed: 2, Scene: scenario.Drift, Targets: 30, Frames: 40, SpeedMin: 20, SpeedMax: 60, Accel: 1, Near: 500, Far: 3000, Sensors: []scenario.Sensor{of}}
	scene, sensors := silent(t, c)
	track := func(o association.Options) *association.Result {
		t.Helper()
		res, err := association.Track(t.Context(), scene.Scans, &o)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	learnt := track(association.Options{Sensors: sensors})
	errs(t, learnt, of, 0)
	if learnt.Shaped < 100 || learnt.Levels.Sensing != nil {
		t.Errorf("%v nat likelier, with levels of sensors %v", learnt.Shaped, learnt.Levels.Sensing)
	}
	round := track(association.Options{Sensors: sensors, Isotropic: true})
	if round.Levels.Polar != nil {
		t.Error("noise is polar where it is said to be the same along all directions")
	}
	if wrong, other := links(t, scene, learnt.Tracks), links(t, scene, round.Tracks); wrong > 0.6*other {
		t.Errorf("%.2f %% wrong, %.2f %% with noise the same along all directions", wrong, other)
	}
	again := track(association.Options{Levels: learnt.Levels})
	if !reflect.DeepEqual(learnt.Tracks, again.Tracks) || learnt.Cost != again.Cost {
		t.Error("levels given back make other tracks")
	}
	along, err := online.Track(t.Context(), scene.Scans, &online.Options{Sensors: sensors})
	if err != nil {
		t.Fatal(err)
	}
	errs(t, along.Result, of, 0)
	plain, err := online.Track(t.Context(), scene.Scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	if wrong, other := links(t, scene, along.Tracks), links(t, scene, plain.Tracks); plain.Levels.Polar != nil || wrong > 0.8*other {
		t.Errorf("with a lag %.2f %% wrong, %.2f %% where it is not said where the sensor stands", wrong, other)
	}
}

// TestPolarNot: noise that is the same along all directions is not polar where a sensor is
// described, and what is described says no more than nothing does. It has no false alarms: those at
// the sensor's own place still make such noise polar (docs/model.md, a known fault).
func TestPolarNot(t *testing.T) {
	c := &scenario.Config{Seed: 1, Scene: scenario.Drift, Targets: 20, Frames: 20, SpeedMin: 20, SpeedMax: 60, Accel: 1, Near: 500, Far: 3000, Noise: 20, NoVelocity: true, Miss: 0.05}
	scene, _ := silent(t, c)
	var tracks [2][]mtt.Track
	for k, sensors := range [][]sensor.Sensor{nil, {{Kind: "polar"}}} {
		res, err := association.Track(t.Context(), scene.Scans, &association.Options{Sensors: sensors})
		if err != nil {
			t.Fatal(err)
		}
		if res.Levels.Polar != nil {
			t.Errorf("noise is %+v", res.Levels.Polar)
		}
		tracks[k] = res.Tracks
	}
	if !reflect.DeepEqual(tracks[0], tracks[1]) {
		t.Error("a sensor that is described as nothing special has other tracks than one that is not")
	}
}

// TestPolarPair: of two radars that see the same targets by turns each has noise of its own.
func TestPolarPair(t *testing.T) {
	t.Parallel()
	pair := []scenario.Sensor{erring([]float64{-3000, 0}, 5, 1), erring([]float64{3000, 1000}, 30, 0.3)}
	pair[1].Offset = 0.5
	c := &scenario.Config{Seed: 1, Scene: scenario.Drift, Targets: 25, Frames: 25, SpeedMin: 20, SpeedMax: 60, Accel: 1, Near: 100, Far: 2500, Sensors: pair}
	scene, sensors := silent(t, c)
	var wrong [2]float64
	for k, isotropic := range []bool{false, true} {
		res, err := association.Track(t.Context(), scene.Scans, &association.Options{Sensors: sensors, Isotropic: isotropic})
		if err != nil {
			t.Fatal(err)
		}
		if wrong[k] = links(t, scene, res.Tracks); !isotropic {
			errs(t, res, pair[0], 0)
			errs(t, res, pair[1], 1)
		}
	}
	if wrong[0] > 0.7*wrong[1] {
		t.Errorf("%.2f %% wrong, %.2f %% with one level of noise for each", wrong[0], wrong[1])
	}
}
