package scenario

// This file defines sensors of several kinds, each with times of its own, and what they
// see.

import (
	"fmt"
	"math"
	"math/rand/v2"

	"mtt/internal/rng"
	"mtt/sensor"
)

// A Sensor is one of those that look at a scene. Its kind is "position" or "polar", and
// its noise is told: of position (and velocity, where it measures them), or of range,
// bearing, in space elevation, and range_rate. Detections have the covariance of their
// noise.
type Sensor struct {
	sensor.Sensor         // Detect 0 means 1; false alarms lie in its view
	Period        float64 // s, from one scan to the next; 0 means Config.Interval
	Offset        float64 // s, before the first
}

// Describe lists the sensors of a scene as trackers know them.
func (c *Config) Describe() []sensor.Sensor {
	list := make([]sensor.Sensor, len(c.Sensors))
	for k := range list {
		list[k] = c.Sensors[k].Sensor
	}
	return list
}

// withSensors fills in the defaults of the sensors.
func (c *Config) withSensors() {
	if len(c.Sensors) == 0 {
		return
	}
	c.Sensors = append([]Sensor(nil), c.Sensors...)
	for k := range c.Sensors {
		s := &c.Sensors[k]
		if s.Period == 0 {
			s.Period = c.Interval
		}
		if s.Detect == 0 {
			s.Detect = 1
		}
		if s.Place == nil {
			s.Place = make([]float64, c.Dim)
		}
	}
}

// validateSensors is the part of Validate for Sensors.
func (c *Config) validateSensors() error {
	if c.Sensors == nil {
		return nil
	}
	for _, f := range []struct {
		name  string
		value float64
	}{{"Noise", c.Noise}, {"VelocityNoise", c.VelocityNoise}, {"Miss", c.Miss}, {"Clutter", c.Clutter}, {"MergeWithin", c.MergeWithin}} {
		if f.value != 0 {
			return fmt.Errorf("scenario: %s is %g; with Sensors each has its own, and it must be 0", f.name, f.value)
		}
	}
	if len(c.Sensors) == 0 || len(c.Sensors) > maxSensors {
		return fmt.Errorf("scenario: %d Sensors; want 1 to %d, or nil", len(c.Sensors), maxSensors)
	}
	for k := range c.Sensors {
		s := &c.Sensors[k]
		if err := s.Validate(); err != nil {
			return fmt.Errorf("scenario: sensor %d: %w", k, err)
		}
		eye, err := c.eye(s)
		switch {
		case err != nil:
			return fmt.Errorf("scenario: sensor %d: %w", k, err)
		case !(s.Period >= 1/limit && s.Period <= limit) || !(s.Offset >= 0 && s.Offset <= limit):
			return fmt.Errorf("scenario: sensor %d: Period is %g and Offset %g; want %g to %g, and 0 to %[5]g", k, s.Period, s.Offset, 1/limit, limit)
		case len(s.Place) != c.Dim:
			return fmt.Errorf("scenario: sensor %d: its place has %d coordinates; Dim is %d", k, len(s.Place), c.Dim)
		case s.Clutter > limit:
			return fmt.Errorf("scenario: sensor %d: Clutter is %g; want at most %g", k, s.Clutter, limit)
		case eye.moves() && c.Scene.wanders():
			return fmt.Errorf("scenario: sensor %d measures velocities; Brownian particles have none", k)
		case k > 0:
			first, err := c.eye(&c.Sensors[0])
			if err == nil && first.moves() != eye.moves() {
				return fmt.Errorf("scenario: sensor %d measures velocities or does not, unlike the first", k)
			}
		}
	}
	return nil
}

// maxSensors is the most sensors of a scene.
const maxSensors = 1000

// An eye is what a sensor measures with: one of the two is not nil.
type eye struct {
	polar *sensor.Polar
	plain *sensor.Position
}

// eye makes that of a sensor.
func (c *Config) eye(s *Sensor) (e eye, err error) {
	converter, err := s.Converter()
	if err != nil {
		return e, err
	}
	switch v := converter.(type) {
	case *sensor.Polar:
		e.polar = v
	case *sensor.Position:
		e.plain = v
		v.Space = c.Dim == 3
		if v.Sigma == 0 {
			return e, fmt.Errorf("a simulated sensor needs the noise of its position")
		}
	default:
		return e, fmt.Errorf("kind %q is not simulated; want position or polar", s.Kind)
	}
	return e, nil
}

// moves reports whether velocities, or parts of them, are measured.
func (e eye) moves() bool {
	return e.polar != nil && e.polar.RateNoise > 0 || e.plain != nil && e.plain.Velocity
}

// A sighting is a measurement: of an eye in polar coordinates a direction in pos, with a
// range and its rate.
type sighting struct {
	pos, vel [3]float64
	r, rate  float64
}

// look fills the scan of f with what its sensor sees, and returns which detections are
// false.
func (w *world) look(f *Frame, stream func(string) *rand.Rand) (alarms []int) {
	cfg, dim := &w.cfg, w.cfg.Dim
	s := &cfg.Sensors[f.Scan.Sensor]
	e, _ := cfg.eye(s) // valid, as the scene is
	seen := w.detect(f, stream("scenario/miss"), 1-s.Detect, s.Sees)

	list := make([]sighting, seen)
	noise := stream("scenario/noise")
	for i := range f.ID {
		x, v := f.Pos[i*dim:(i+1)*dim], []float64(nil)
		if f.Vel != nil {
			v = f.Vel[i*dim : (i+1)*dim]
		}
		m := e.measure(x, v, noise) // missed targets draw too
		if f.Det[i] >= 0 {
			list[f.Det[i]] = m
		}
	}
	clutter := stream("scenario/clutter")
	for range rng.Poisson(clutter, s.Clutter) {
		if m, ok := w.alarm(s, e, f, clutter); ok {
			list = append(list, m)
		}
	}

	row := shuffled(stream("scenario/order"), len(list))
	at := make([]int, len(list)) // at[row[d]] is d
	for d, place := range row {
		at[place] = d
	}
	for _, d := range at {
		e.append(f, &list[d], dim)
	}
	for i, d := range f.Det {
		if d >= 0 {
			f.Det[i] = row[d]
		}
	}
	return row[seen:]
}

// measure draws the measurement of a target at x with velocity v; a nil v is 0.
func (e eye) measure(x, v []float64, r *rand.Rand) (m sighting) {
	dim := len(x)
	a, b := normal(r, dim), normal(r, dim)
	if e.plain != nil {
		measure(m.pos[:dim], x, e.plain.Sigma, &a)
		if e.plain.Velocity {
			measure(m.vel[:dim], v, e.plain.SigmaV, &b)
		}
		return m
	}
	p := e.polar
	var u [3]float64
	for k := range dim {
		u[k] = x[k] - p.Place[k]
	}
	distance := math.Sqrt(dot(&u, &u))
	if distance == 0 {
		u[0] = 1 // on top of the sensor any direction will do
		distance = math.SmallestNonzeroFloat64
	} else {
		u[0], u[1], u[2] = unit(u[0], u[1], u[2])
	}
	for k := range v {
		m.rate += float64(u[k] * v[k])
	}
	m.rate += float64(p.RateNoise * b[0])
	m.r = math.Abs(distance + float64(p.RangeNoise*a[0]))
	m.pos = tilted(&u, float64(p.BearingNoise*a[1]), float64(p.ElevationNoise*a[2]))
	return m
}

// tilted is the unit vector u with bearing and elevation changed by the given angles.
func tilted(u *[3]float64, bearing, elevation float64) [3]float64 {
	flat := norm(u[0], u[1], 0)
	c, s := 1.0, 0.0
	if flat > 0 {
		c, s = u[0]/flat, u[1]/flat
	}
	sin, cos := sincosTurns(bearing / (2 * math.Pi))
	c, s = float64(c*cos)-float64(s*sin), float64(s*cos)+float64(c*sin)
	up := u[2]
	if elevation != 0 {
		sin, cos = sincosTurns(elevation / (2 * math.Pi))
		flat, up = float64(flat*cos)-float64(up*sin), float64(up*cos)+float64(flat*sin)
	}
	return [3]float64{flat * c, flat * s, up}
}

// append appends a measurement to the scan of f.
func (e eye) append(f *Frame, m *sighting, dim int) {
	var err error
	if e.polar != nil {
		err = e.polar.AppendAlong(&f.Scan, m.r, m.pos[:dim], m.rate)
	} else {
		z := append(make([]float64, 0, 6), m.pos[:dim]...)
		if e.plain.Velocity {
			z = append(z, m.vel[:dim]...)
		}
		err = e.plain.Append(&f.Scan, z)
	}
	if err != nil {
		panic(err) // cannot be: lengths, speeds and noise are limited
	}
}

// alarm draws a false alarm in the sensor's view; ok is false where none is found.
func (w *world) alarm(s *Sensor, e eye, f *Frame, r *rand.Rand) (m sighting, ok bool) {
	dim := w.cfg.Dim
	for range 1000 { // the view may be a small part of the scene
		if e.plain != nil {
			x := w.falseAlarm(r, f)
			if s.Sees(x) {
				v := w.falseVelocity(r)
				m := sighting{vel: v}
				copy(m.pos[:], x)
				if b := normal(r, dim); e.plain.Velocity {
					measure(m.vel[:dim], v[:dim], e.plain.SigmaV, &b)
				}
				return m, true
			}
			continue
		}
		near, far, low, high := w.reach(s, e.polar, f)
		m := sighting{r: rng.Uniform(r, near, far), rate: rng.Uniform(r, -w.cfg.SpeedMax, w.cfg.SpeedMax)}
		m.pos = direction(r, 2)
		x := []float64{e.polar.Place[0] + float64(m.r*m.pos[0]), e.polar.Place[1] + float64(m.r*m.pos[1])}
		if dim == 3 {
			up := rng.Uniform(r, low, high)
			flat := math.Sqrt(1 - float64(up*up))
			m.pos = [3]float64{flat * m.pos[0], flat * m.pos[1], up}
			for k := range x {
				x[k] = e.polar.Place[k] + float64(m.r*m.pos[k])
			}
			x = append(x, e.polar.Place[2]+float64(m.r*up))
		}
		if m.r > 0 && s.Sees(x) {
			return m, true
		}
	}
	return sighting{}, false
}

// reach is between which ranges, and which sines of the elevation, false alarms of a
// polar sensor are uniform: the ranges of its view, or else those of the targets.
func (w *world) reach(s *Sensor, p *sensor.Polar, f *Frame) (near, far, low, high float64) {
	near, far = math.Inf(1), 0.0
	low, high = 1.0, -1.0
	dim := w.cfg.Dim
	for i := range f.ID {
		var u [3]float64
		for k := range dim {
			u[k] = f.Pos[i*dim+k] - p.Place[k]
		}
		d := math.Sqrt(dot(&u, &u))
		near, far = min(near, d), max(far, d)
		if d > 0 {
			low, high = min(low, u[2]/d), max(high, u[2]/d)
		}
	}
	if s.View != nil && s.View.Range != nil {
		near, far = s.View.Range[0], s.View.Range[1]
	}
	if !(near <= far) {
		near, far = 0, w.size
	}
	if !(low <= high) {
		low, high = 0, 0
	}
	return near, far, low, high
}
