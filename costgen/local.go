package costgen

import (
	"math"

	"mtt"
	"mtt/sensor"
)

// This file prices what depends on the place and on the sensor: misses and false alarms.

// A Local model prices ends and misses by place and sensor. What it says of them takes the
// place of its Ends.
type Local interface {
	Model

	// EndsAt sets dst[i] to the prices of ends at detection i of s, of which Miss and
	// Again are not read, or returns false and leaves dst alone: then they are those of
	// Ends for all detections of s.
	EndsAt(dst []Ends, s *mtt.Scan) bool

	// Passed is the price of a target at position x not being detected in s, and whether
	// it differs from the Miss, and after a miss the Again, of Ends.
	Passed(s *mtt.Scan, x []float64) (price float64, differs bool)
}

// Between is where a target is at time t that is at a and b at the times from and to, on the
// straight line between them.
func Between(a, b []float64, from, to, t float64) (x [3]float64) {
	share := (t - from) / (to - from)
	for d, p := range a {
		x[d] = p + share*(b[d]-p)
	}
	return x
}

// Sensing says what each of several sensors sees, and how well; slices have an element for
// each sensor, to which mtt.Scan.Sensor is the index. A target that a sensor does not see is
// not missed by it; misses of one that it sees do not come in runs.
type Sensing struct {
	Sensors []sensor.Sensor
	Detect  []float64 // probability that a target that it sees is detected in a scan, below 1
	Clutter []float64 // mean number of false alarms in a scan, above 0
	Volume  []float64 // m² or m³: where its false alarms lie

	// Sigma and SigmaV are the standard deviations of a measured position, m, and velocity, m/s,
	// per axis, of sensors whose detections do not tell them; 0: they do. nil: they do, or those of
	// Levels are common to all.
	Sigma, SigmaV []float64
}

// Sees reports whether a target at x is in view of the sensor of s.
func (p *Sensing) Sees(s *mtt.Scan, x []float64) bool {
	return s.Sensor >= len(p.Sensors) || p.Sensors[s.Sensor].Sees(x)
}

// EndsAt implements [Local].
func (m *Gaussian) EndsAt(dst []Ends, s *mtt.Scan) bool {
	p := m.Sensing
	sensed := p != nil && s.Sensor < len(p.Sensors)
	moves := m.AlarmSpeed > 0 && s.VelCov != nil && !m.PositionsOnly
	if !sensed && m.Places == nil && (m.Confidence == nil || s.Conf == nil) && m.Echoes == nil && !moves {
		return false
	}
	ends := m.Ends()
	if sensed {
		ends.Clutter += math.Log(p.Detect[s.Sensor]*p.Volume[s.Sensor]/p.Clutter[s.Sensor]) -
			math.Log(m.Rates.Detect*m.Rates.Volume/m.Rates.Clutter)
	}
	for i := range s.Len() {
		dst[i] = ends
	}
	if m.Places != nil {
		m.Places.shift(dst, s, m.Rates.Survive)
	}
	if m.Confidence != nil {
		suspect(dst, s, m.Confidence)
	}
	if m.Echoes != nil {
		m.echoed(dst, s, ends.Clutter)
	}
	if moves {
		m.alarmed(dst, s)
	}
	return true
}

// Passed implements [Local].
func (m *Gaussian) Passed(s *mtt.Scan, x []float64) (price float64, differs bool) {
	p := m.Sensing
	if p == nil || s.Sensor >= len(p.Sensors) {
		return 0, false
	}
	if price = -math.Log(m.Rates.Survive); p.Sees(s, x) {
		price -= math.Log1p(-p.Detect[s.Sensor])
	}
	return price, true
}
