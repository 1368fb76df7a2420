package sensor

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"mtt"
	"mtt/internal/rng"

	"github.com/BurntSushi/toml"
)

const description = `
name = "radar"
kind = "polar"
place = [100.0, 200.0]
detect = 0.9
clutter = 10.0

[noise]
bearing = 0.0087
range = 10.0

[view]
range = [0.0, 20000.0]
bearing = [3.0, -3.0]
`

// A description survives TOML and JSON.
func TestDescription(t *testing.T) {
	var s, again Sensor
	if _, err := toml.Decode(description, &s); err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	e := toml.NewEncoder(&b)
	e.Indent = ""
	if err := e.Encode(&s); err != nil || strings.TrimSpace(b.String()) != strings.TrimSpace(description) {
		t.Errorf("%v: written as %s", err, b.String())
	}
	text, err := json.Marshal(&s)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(s, again) {
		t.Errorf("%v: read back as %+v", err, again)
	}
	c, err := s.Converter()
	if err != nil {
		t.Fatal(err)
	}
	if want := (&Polar{Place: []float64{100, 200}, RangeNoise: 10, BearingNoise: 0.0087}); !reflect.DeepEqual(c, want) {
		t.Errorf("converter %+v, want %+v", c, want)
	}
}

func TestSees(t *testing.T) {
	at := []float64{10, 10}
	for _, c := range []struct {
		view    *View
		in, out [][]float64
	}{
		{nil, [][]float64{{1e9, -1e9}, {0, 0, 7}}, nil},
		{&View{Range: []float64{1, 5}}, [][]float64{{15, 10}, {10, 6}}, [][]float64{{10, 10}, {15.1, 10}, {10, 10, 6}}},
		{&View{Bearing: []float64{-0.5, 0.5}}, [][]float64{{20, 10}, {20, 14}, {20, 6}}, [][]float64{{0, 10}, {10, 20}, {20, 4}}},
		{&View{Bearing: []float64{3, -3}}, [][]float64{{0, 10}, {0, 11}, {0, 9}}, [][]float64{{20, 10}, {0, 12}}},
		{&View{Bearing: []float64{0, 7}}, [][]float64{{0, 10}, {20, 3}, {10, -5}}, nil},
		{&View{Min: []float64{0, 0, 0}, Max: []float64{5, 6, 7}}, [][]float64{{0, 0, 0}, {5, 6, 7}, {1, 2}}, [][]float64{{6, 1, 1}, {1, -1, 1}, {1, 1, 8}}},
		{
			&View{Polygon: [][]float64{{0, 0}, {10, 0}, {10, 10}, {5, 2}, {0, 10}}},
			[][]float64{{1, 1}, {9, 5}, {1, 7}}, [][]float64{{5, 5}, {-1, 1}, {11, 1}, {5, -1}},
		},
	} {
		s := Sensor{Place: at, View: c.view}
		if err := s.Validate(); err != nil {
			t.Error(err)
		}
		for _, x := range c.in {
			if !s.Sees(x) {
				t.Errorf("%+v does not see %v", c.view, x)
			}
		}
		for _, x := range c.out {
			if s.Sees(x) {
				t.Errorf("%+v sees %v", c.view, x)
			}
		}
	}
}

// A polygon that is a circle sees what a range does, and a sector of it what a bearing.
func TestSeesAgree(t *testing.T) {
	var circle, wedge [][]float64
	for k := range 1000 {
		a := 2 * math.Pi * float64(k) / 1000
		circle = append(circle, []float64{5 + 3*math.Cos(a), 3 * math.Sin(a)})
	}
	for k := range 1001 {
		a := 0.5 + 2*float64(k)/1000
		wedge = append(wedge, []float64{5 + 3*math.Cos(a), 3 * math.Sin(a)})
	}
	wedge = append(wedge, []float64{5, 0})
	place := []float64{5, 0}
	pairs := [][2]Sensor{
		{{Place: place, View: &View{Polygon: circle}}, {Place: place, View: &View{Range: []float64{0, 3}}}},
		{{Place: place, View: &View{Polygon: wedge}}, {Place: place, View: &View{Range: []float64{0, 3}, Bearing: []float64{0.5, 2.5}}}},
	}
	r := rng.Stream(1, "test/sees")
	for n := range pairs {
		differ, seen := 0, 0
		for range 20000 {
			x := []float64{rng.Uniform(r, 1, 9), rng.Uniform(r, -4, 4)}
			a, b := pairs[n][0].Sees(x), pairs[n][1].Sees(x)
			if a {
				seen++
			}
			if a != b {
				differ++
			}
		}
		if differ > 3 || seen < 2000 { // a strip of 15 µm at the rim differs
			t.Errorf("pair %d: %d of %d points differ", n, differ, seen)
		}
	}
}

func TestSensorRefuses(t *testing.T) {
	inf := math.Inf(1)
	for want, s := range map[string]Sensor{
		"place has 1":                    {Place: []float64{1}},
		"place holds NaN":                {Place: []float64{1, math.NaN()}},
		"detect is 1.5":                  {Detect: 1.5},
		"clutter is +Inf":                {Clutter: inf},
		`kind is "laser"; want position`: {Kind: "laser"},
		"needs the standard deviation of its bearing": {Kind: "polar", Noise: map[string]float64{"range": 1}},
		`no noise of "azimuth"`:                       {Kind: "polar", Noise: map[string]float64{"range": 1, "azimuth": 1}},
		"latitude and longitude of its origin":        {Kind: "geographic"},
		"view.range is [5 1]":                         {View: &View{Range: []float64{5, 1}}},
		"view.bearing is [1]":                         {View: &View{Bearing: []float64{1}}},
		"view.min has 2 numbers and view.max 0":       {View: &View{Min: []float64{0, 0}}},
		"view.max is [0 1]":                           {View: &View{Min: []float64{0, 0}, Max: []float64{0, 1}}},
		"view.polygon has 2 corners":                  {View: &View{Polygon: [][]float64{{0, 0}, {1, 1}}}},
		"corner 2 of view.polygon has 1":              {View: &View{Polygon: [][]float64{{0, 0}, {1}, {1, 1}}}},
		"view.bearing holds NaN":                      {View: &View{Bearing: []float64{1, math.NaN()}}},
	} {
		if err := s.Validate(); !errors.Is(err, ErrSensor) || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate says %v, want %q", err, want)
		}
	}
}

// What converters append makes scans that packages take.
func TestConverters(t *testing.T) {
	for _, c := range []struct {
		sensor Sensor
		roles  string
		z      []float64
		want   mtt.Scan
	}{
		{Sensor{}, "x y", []float64{1, 2}, mtt.Scan{Dim: 2, Pos: []float64{1, 2}}},
		{
			Sensor{Place: []float64{0, 0, 0}, Noise: map[string]float64{"position": 2, "velocity": 3}}, "x y z vx vy vz", []float64{1, 2, 3, 4, 5, 6},
			mtt.Scan{Dim: 3, Pos: []float64{1, 2, 3}, Vel: []float64{4, 5, 6}, Cov: []float64{4, 0, 4, 0, 0, 4}, VelCov: []float64{9, 0, 9, 0, 0, 9}},
		},
		{
			Sensor{Kind: "boxes", Noise: map[string]float64{"position": 2}}, "left top w h conf", []float64{10, 20, 4, 6, 0.7},
			mtt.Scan{Dim: 2, Pos: []float64{12, 23}, Size: []float64{4, 6}, Conf: []float64{0.7}, Cov: []float64{4, 0, 4}},
		},
	} {
		conv, err := c.sensor.Converter()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(conv.Roles(), " "); got != c.roles {
			t.Errorf("roles %s, want %s", got, c.roles)
		}
		var s mtt.Scan
		for range 2 {
			if err := conv.Append(&s, c.z); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Validate(); err != nil || s.Len() != 2 {
			t.Errorf("%v: %+v", err, s)
		}
		var one mtt.Scan
		if err := conv.Append(&one, c.z); err != nil || !reflect.DeepEqual(one, c.want) {
			t.Errorf("%v: %+v, want %+v", err, one, c.want)
		}
	}
	var s mtt.Scan
	if err := (&Boxes{Corners: true}).Append(&s, []float64{10, 20, 14, 26}); err != nil || !reflect.DeepEqual(s, mtt.Scan{Dim: 2, Pos: []float64{12, 23}, Size: []float64{4, 6}}) {
		t.Errorf("%v: %+v", err, s)
	}
	if err := (&Boxes{Corners: true}).Append(&s, []float64{10, 20, 4, 6}); !errors.Is(err, ErrMeasurement) || !strings.Contains(err.Error(), "left, top, width, height?") || s.Len() != 1 {
		t.Errorf("inverted corners: %v", err)
	}
}

func TestParsePlace(t *testing.T) {
	for text, want := range map[string][]float64{"1,2": {1, 2}, " -1.5, 2e3 ,0": {-1.5, 2000, 0}, "1": nil, "1,2,3,4": nil, "a,b": nil, "1,NaN": nil, "": nil} {
		got, err := ParsePlace(text)
		if !reflect.DeepEqual(got, want) || (err == nil) != (want != nil) {
			t.Errorf("ParsePlace(%q) = %v, %v", text, got, err)
		}
	}
}
