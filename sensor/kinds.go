package sensor

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"mtt"
)

// This file defines what a kind of sensor is, and lists those that are built in.

// A Converter makes detections of what one kind of sensor reports.
type Converter interface {
	// Roles names the numbers of a measurement, in the order in which Append takes
	// them, as columns of files are called: "range", "bearing".
	Roles() []string

	// Append appends the measurement z to s as a detection. What the detections of s
	// have, this one has. It fails, and leaves s alone, where z makes no sense.
	Append(s *mtt.Scan, z []float64) error
}

// ErrMeasurement marks a measurement that makes no sense.
var ErrMeasurement = errors.New("impossible measurement")

// ErrSensor marks a description of a sensor that makes no sense.
var ErrSensor = errors.New("unusable sensor")

// badLength is the panic for a measurement with more or fewer numbers than roles.
const badLength = "sensor: a measurement has another number of elements than its sensor has roles"

// kinds are the kinds of sensor that descriptions know by name.
var kinds = []struct {
	name string
	make func(*Sensor) (Converter, error)
}{
	{"position", newPosition},
	{"polar", newPolar},
	{"geographic", newGeographic},
	{"boxes", newBoxes},
}

// Kinds lists the names of the kinds of sensor; the first is the default.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i := range kinds {
		names[i] = kinds[i].name
	}
	return names
}

// Converter is the converter of the sensor's kind, place and noise.
func (s *Sensor) Converter() (Converter, error) {
	for _, k := range kinds {
		if k.name == s.Kind || s.Kind == "" {
			return k.make(s)
		}
	}
	return nil, s.wrong("kind is %q; want %s", s.Kind, strings.Join(Kinds(), ", "))
}

// noise is the deviation of a role, which must be told.
func (s *Sensor) noise(role string) (float64, error) {
	sd, ok := s.Noise[role]
	if !ok || !(sd > 0) || math.IsInf(sd, 1) {
		return 0, s.wrong("a sensor of kind %s needs the standard deviation of its %s, a number above 0", s.Kind, role)
	}
	return sd, nil
}

// only fails where noise is told of a role that is not among known.
func (s *Sensor) only(known ...string) error {
	for role := range s.Noise {
		if !slices.Contains(known, role) {
			return s.wrong("a sensor of kind %s has no noise of %q; known are %s", s.Kind, role, strings.Join(known, ", "))
		}
	}
	return nil
}

func (s *Sensor) wrong(format string, args ...any) error {
	return fmt.Errorf("sensor: %w %q: %s", ErrSensor, s.Name, fmt.Sprintf(format, args...))
}

// check refuses a measurement that is not finite.
func check(roles []string, z []float64) error {
	if len(z) != len(roles) {
		panic(badLength)
	}
	for i, v := range z {
		if !(math.Abs(v) <= mtt.Largest) {
			return fmt.Errorf("sensor: %w: %s is %v", ErrMeasurement, roles[i], v)
		}
	}
	return nil
}
