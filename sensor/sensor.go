package sensor

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// This file defines what a sensor is to a tracker: its place and its field of view.

// A Sensor is what a tracker knows of a sensor. It is plain data, as TOML and JSON files
// hold it. A target that the sensor does not see ([Sensor.Sees]) is not missed by it.
type Sensor struct {
	Name string `toml:"name,omitempty" json:"name,omitempty"`

	// Kind is the kind of its measurements, see [Kinds]; "" is "position".
	Kind string `toml:"kind,omitempty" json:"kind,omitempty"`

	// Place is where it stands: m, len 2 or 3; of kind geographic degrees of latitude
	// and longitude, and m of height, of the origin of the plane. nil: at the origin,
	// or not known.
	Place []float64 `toml:"place,omitempty" json:"place,omitempty"`

	// Noise is the standard deviation of what it measures, by role: m, rad, m/s.
	Noise map[string]float64 `toml:"noise,omitempty" json:"noise,omitempty"`

	// View is what it sees; nil: everything.
	View *View `toml:"view,omitempty" json:"view,omitempty"`

	// Detect is the probability that it detects a target that it sees, in one scan;
	// 0: to be learnt.
	Detect float64 `toml:"detect,omitempty" json:"detect,omitempty"`

	// Clutter is the mean number of its false alarms in a scan; 0: to be learnt. They
	// are uniform over its view.
	Clutter float64 `toml:"clutter,omitempty" json:"clutter,omitempty"`
}

// Title is what messages call the sensor, whose number is k.
func (s *Sensor) Title(k int) string {
	if s.Name == "" {
		return fmt.Sprintf("sensor %d", k)
	}
	return fmt.Sprintf("sensor %d (%s)", k, s.Name)
}

// Plain reports whether it sees everything, and how much of that it detects and how often it raises
// a false alarm is not said.
func (s *Sensor) Plain() bool { return s.View == nil && s.Detect == 0 && s.Clutter == 0 }

// A View is a field of view: the places that meet all conditions that are told.
type View struct {
	// Range is the least and the greatest distance from the sensor, m; nil: any.
	Range []float64 `toml:"range,omitempty" json:"range,omitempty"`

	// Bearing is the sector from the first direction counter-clockwise to the second,
	// seen from the sensor in the plane; rad from the x axis; nil: all around.
	Bearing []float64 `toml:"bearing,omitempty" json:"bearing,omitempty"`

	// Min and Max are opposite corners of a rectangle or box, m; both or none.
	Min []float64 `toml:"min,omitempty" json:"min,omitempty"`
	Max []float64 `toml:"max,omitempty" json:"max,omitempty"`

	// Polygon has the corners of a polygon in the plane, m, in order; its last side leads
	// back to the first. Sides may cross: a point is inside where a ray from it crosses
	// an odd number of them.
	Polygon [][]float64 `toml:"polygon,omitempty" json:"polygon,omitempty"`
}

// Sees reports whether the place x, len 2 or 3, lies in the sensor's field of view. It
// takes time linear in the corners of the polygon.
func (s *Sensor) Sees(x []float64) bool {
	v := s.View
	if v == nil {
		return true
	}
	var d [3]float64 // from the sensor to x
	for k := range x {
		d[k] = x[k]
		if k < len(s.Place) && s.Kind != "geographic" { // whose place is the origin
			d[k] -= s.Place[k]
		}
	}
	if v.Range != nil {
		if r := math.Hypot(math.Hypot(d[0], d[1]), d[2]); r < v.Range[0] || r > v.Range[1] {
			return false
		}
	}
	if v.Bearing != nil && !between(math.Atan2(d[1], d[0]), v.Bearing[0], v.Bearing[1]) {
		return false
	}
	for k := range v.Min {
		if k < len(x) && (x[k] < v.Min[k] || x[k] > v.Max[k]) {
			return false
		}
	}
	return v.Polygon == nil || inside(v.Polygon, x)
}

// between reports whether angle lies in the sector from one angle counter-clockwise to
// another. A sector of a full turn or more is all around.
func between(angle, from, to float64) bool {
	width := to - from
	if width < 0 {
		width = turn(width)
	}
	return turn(angle-from) <= width
}

// turn is angle in [0, 2π).
func turn(angle float64) float64 {
	if math.Abs(angle) >= 2*math.Pi {
		angle = math.Mod(angle, 2*math.Pi)
	}
	if angle < 0 {
		angle += 2 * math.Pi
	}
	return angle
}

// inside reports whether a ray from x along the first axis crosses an odd number of
// sides.
func inside(polygon [][]float64, x []float64) bool {
	odd := false
	for i, b := range polygon {
		a := polygon[(i+len(polygon)-1)%len(polygon)]
		if (a[1] > x[1]) != (b[1] > x[1]) && x[0] < a[0]+(x[1]-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
			odd = !odd
		}
	}
	return odd
}

// Validate returns an error that names the first impossible value, or nil. It wraps [ErrSensor]. A
// polar sensor without any noise is one whose noise is to be learnt; [Sensor.Converter] needs it.
func (s *Sensor) Validate() error {
	if s.Place != nil && len(s.Place) != 2 && len(s.Place) != 3 {
		return s.wrong("place has %d numbers; want 2 or 3", len(s.Place))
	}
	if !(s.Detect >= 0 && s.Detect <= 1) {
		return s.wrong("detect is %v; want a probability, or 0 where it is to be learnt", s.Detect)
	}
	if !(s.Clutter >= 0) || math.IsInf(s.Clutter, 1) {
		return s.wrong("clutter is %v; want a number of false alarms in a scan, or 0 where it is to be learnt", s.Clutter)
	}
	if err := s.finite("place", s.Place); err != nil {
		return err
	}
	if s.Kind != "polar" || len(s.Noise) > 0 {
		if _, err := s.Converter(); err != nil {
			return err
		}
	}
	if s.View == nil {
		return nil
	}
	return s.validateView(s.View)
}

// validateView is the part of Validate for the field of view.
func (s *Sensor) validateView(v *View) error {
	for _, f := range []struct {
		name   string
		values []float64
	}{{"range", v.Range}, {"bearing", v.Bearing}, {"min", v.Min}, {"max", v.Max}} {
		if err := s.finite("view."+f.name, f.values); err != nil {
			return err
		}
	}
	switch {
	case v.Range != nil && (len(v.Range) != 2 || v.Range[0] < 0 || v.Range[1] <= v.Range[0]):
		return s.wrong("view.range is %v; want the least and the greatest distance", v.Range)
	case v.Bearing != nil && len(v.Bearing) != 2:
		return s.wrong("view.bearing is %v; want two angles in rad, from and to, counter-clockwise", v.Bearing)
	case len(v.Min) != len(v.Max) || v.Min != nil && len(v.Min) != 2 && len(v.Min) != 3:
		return s.wrong("view.min has %d numbers and view.max %d; want 2 or 3 of both", len(v.Min), len(v.Max))
	case v.Polygon != nil && len(v.Polygon) < 3:
		return s.wrong("view.polygon has %d corners; want 3 or more", len(v.Polygon))
	}
	for k := range v.Min {
		if v.Max[k] <= v.Min[k] {
			return s.wrong("view.max is %v; want more than view.min, %v", v.Max, v.Min)
		}
	}
	for i, corner := range v.Polygon {
		if len(corner) != 2 {
			return s.wrong("corner %d of view.polygon has %d numbers; want 2", i+1, len(corner))
		}
		if err := s.finite("view.polygon", corner); err != nil {
			return err
		}
	}
	return nil
}

// finite refuses numbers that are not.
func (s *Sensor) finite(name string, values []float64) error {
	if i := slices.IndexFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }); i >= 0 {
		return s.wrong("%s holds %v", name, values[i])
	}
	return nil
}

// ParsePlace reads a place as options write it: "x,y" or "x,y,z".
func ParsePlace(text string) ([]float64, error) {
	parts := strings.Split(text, ",")
	if len(parts) != 2 && len(parts) != 3 {
		return nil, fmt.Errorf("%q is not a place; want x,y or x,y,z", text)
	}
	place := make([]float64, len(parts))
	for i, part := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%q is not a place: %q is not a finite number", text, part)
		}
		place[i] = v
	}
	return place, nil
}
