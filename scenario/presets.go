package scenario

// This file holds scenes that are known by the sensors that look at them.

import (
	"fmt"
	"math"
	"strings"

	"mtt/sensor"
)

// presets are the scenes by name, and the sensors that look at them; the first is the
// default.
var presets = []struct {
	name    string
	make    func() *Config
	sensors func(c *Config) []Sensor
}{
	{"position", DefaultConfig, func(*Config) []Sensor { return nil }},
	{"polar", PolarConfig, polarSensors},
	{"pair", PairConfig, pairSensors},
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

// PlaceSensors gives c the sensors of a preset, laid out for its targets, spread and
// dimensions.
func (c *Config) PlaceSensors(name string) error {
	for _, p := range presets {
		if p.name == name {
			d := c.withDefaults()
			c.Sensors = p.sensors(&d)
			return nil
		}
	}
	return fmt.Errorf("scenario: no sensors are called %q; want one of %s", name, strings.Join(Presets(), ", "))
}

// degree is in rad.
const degree = math.Pi / 180

// PolarConfig is a scene seen by a radar: 50 targets that start 5 to 20 km away and
// accelerate at random, at 20 to 60 m/s; one scan a second with a noise of 10 m along the
// line of sight and half a degree across it, one target in ten missed, 10 false alarms.
func PolarConfig() *Config {
	c := (&Config{Seed: 1, Scene: Drift, Targets: 50, SpeedMin: 20, SpeedMax: 60, Accel: 1, Near: 5e3, Far: 20e3}).withDefaults()
	c.Sensors = polarSensors(&c)
	return &c
}

// polarSensors is a radar at the origin. It sees a quarter further than targets start.
func polarSensors(c *Config) []Sensor {
	s := Sensor{Sensor: sensor.Sensor{
		Name: "radar", Kind: "polar", Place: make([]float64, c.Dim), Detect: 0.9, Clutter: 10,
		Noise: map[string]float64{"range": 10, "bearing": degree / 2},
	}, Period: c.Interval}
	if c.Far > 0 {
		s.View = &sensor.View{Range: []float64{0, 1.25 * c.Far}}
	}
	if c.Dim == 3 {
		s.Noise["elevation"] = degree / 2
	}
	return []Sensor{s}
}

// PairConfig is a crowd of 60 on a square of 31 m seen by two sensors that know nothing of
// each other: a radar that turns once in 2 s, and a camera with a picture every 0.7 s that
// sees the third of the square that its sector of 120 degrees covers from the middle.
func PairConfig() *Config {
	c := (&Config{Seed: 1, Scene: Reverting, Targets: 60, Frames: 100, Spread: 4, Revert: 0.2, SpeedMin: 0.5, SpeedMax: 2}).withDefaults()
	c.Sensors = pairSensors(&c)
	return &c
}

// pairSensors are a radar before a corner of the scene and a camera in its middle. Their
// periods are in proportion to the scene's interval.
func pairSensors(c *Config) []Sensor {
	corner, middle := 0.0, sceneSize(c)/2
	if c.Scene == Steer {
		corner, middle = -sceneSize(c), 0
	}
	if c.Far > 0 {
		corner, middle = -c.Far, 0
	}
	before := 5 + (middle-corner)/4 // of the corner, on either axis
	edge := corner - before
	radar := sensor.Sensor{
		Name: "radar", Kind: "polar", Place: []float64{edge, edge}, Detect: 0.9, Clutter: 2,
		Noise: map[string]float64{"range": 0.2, "bearing": degree},
		View:  &sensor.View{Range: []float64{before, 1.5 * (2*(middle-corner) + before)}, Bearing: []float64{0, 90 * degree}},
	}
	camera := sensor.Sensor{
		Name: "camera", Place: []float64{middle, middle}, Detect: 0.9, Clutter: 2,
		Noise: map[string]float64{"position": 0.2},
		View:  &sensor.View{Bearing: []float64{0, 120 * degree}},
	}
	if c.Dim == 3 {
		radar.Place, camera.Place = append(radar.Place, middle), append(camera.Place, middle)
		radar.Noise["elevation"] = degree
	}
	return []Sensor{{radar, 2 * c.Interval, 0}, {camera, 0.7 * c.Interval, 0.15 * c.Interval}}
}
