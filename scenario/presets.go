package scenario

// This file holds scenes that are known by the sensors that look at them.

import (
	"fmt"
	"math"
	"strings"

	"mtt/sensor"
)

// presets are the scenes by name; the first is the default.
var presets = []struct {
	name string
	make func() *Config
}{
	{"position", DefaultConfig},
	{"polar", PolarConfig},
	{"pair", PairConfig},
}

// Presets lists the names of the scenes that [Preset] knows.
func Presets() []string {
	names := make([]string, len(presets))
	for i := range presets {
		names[i] = presets[i].name
	}
	return names
}

// Preset is the scene of a name: that of DefaultConfig, PolarConfig or PairConfig.
func Preset(name string) (*Config, error) {
	for _, p := range presets {
		if p.name == name {
			return p.make(), nil
		}
	}
	return nil, fmt.Errorf("scenario: no scene is called %q; want one of %s", name, strings.Join(Presets(), ", "))
}

// degree is in rad.
const degree = math.Pi / 180

// PolarConfig is a scene seen by a radar: 50 targets that start 5 to 20 km away and
// accelerate at random, at 20 to 60 m/s; one scan a second with a noise of 10 m along the
// line of sight and half a degree across it, one target in ten missed, 10 false alarms.
func PolarConfig() *Config {
	c := (&Config{Seed: 1, Scene: Drift, Targets: 50, SpeedMin: 20, SpeedMax: 60, Accel: 1, Near: 5e3, Far: 20e3}).withDefaults()
	c.Sensors = []Sensor{{Sensor: sensor.Sensor{
		Name: "radar", Kind: "polar", Place: []float64{0, 0}, Detect: 0.9, Clutter: 10,
		Noise: map[string]float64{"range": 10, "bearing": degree / 2},
		View:  &sensor.View{Range: []float64{0, 25e3}},
	}, Period: 1}}
	return &c
}

// PairConfig is a crowd of 60 on a square of 31 m seen by two sensors that know nothing of
// each other: a radar that turns once in 2 s, and a camera with a picture every 0.7 s that
// sees the third of the square that its sector of 120 degrees covers from the middle.
func PairConfig() *Config {
	c := (&Config{Seed: 1, Scene: Reverting, Targets: 60, Frames: 100, Spread: 4, Revert: 0.2, SpeedMin: 0.5, SpeedMax: 2}).withDefaults()
	side := sceneSize(&c)
	c.Sensors = []Sensor{
		{Sensor: sensor.Sensor{
			Name: "radar", Kind: "polar", Place: []float64{-5, -5}, Detect: 0.9, Clutter: 3,
			Noise: map[string]float64{"range": 0.2, "bearing": degree},
			View:  &sensor.View{Range: []float64{0, 2 * side}, Bearing: []float64{0, 90 * degree}},
		}, Period: 2},
		{Sensor: sensor.Sensor{
			Name: "camera", Place: []float64{side / 2, side / 2}, Detect: 0.95, Clutter: 1,
			Noise: map[string]float64{"position": 0.2},
			View:  &sensor.View{Bearing: []float64{0, 120 * degree}},
		}, Period: 0.7, Offset: 0.15},
	}
	return &c
}
