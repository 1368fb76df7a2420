package dataset

// This file makes positions of ranges and bearings.

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"mtt"
	"mtt/sensor"
)

// fromPolar replaces ranges, bearings and elevations by positions: with covariances where the options
// say how noisy they are, else where they point.
func (s *source) fromPolar(h *head, t *titled, o *Options) error {
	r := s.rows
	from, err := s.sensors(h, t, o)
	if err != nil {
		return err
	}
	unit := t.unit[distance]
	if o.Units != "" {
		unit = strings.ToLower(o.Units)
	}
	length := 1.0
	if f, ok := lengths[unit]; ok {
		length, unit = f, "m"
	}
	s.unit = unit
	for _, c := range []struct {
		role role
		at   int
	}{{bearing, 1}, {elevation, 2}} {
		if !t.has(c.role) {
			continue
		}
		widest := 0.0
		for i := c.at; i < len(r.polar); i += 4 {
			widest = max(widest, math.Abs(r.polar[i]))
		}
		u := t.unit[c.role]
		if u == "" && widest > 2*math.Pi {
			u = "deg"
			s.note("angles up to %v in %s are taken for degrees", widest, t.names[t.column(c.role)])
		}
		if strings.HasPrefix(u, "deg") {
			for i := c.at; i < len(r.polar); i += 4 {
				r.polar[i] *= math.Pi / 180
			}
		}
	}
	if o.Compass {
		for i := 1; i < len(r.polar); i += 4 {
			r.polar[i] = math.Pi/2 - r.polar[i]
		}
	}
	made := mtt.Scan{Dim: r.dim}
	for i := range r.n {
		z := r.polar[4*i : 4*i+4]
		of := from[0]
		if len(from) > 1 {
			of = from[r.sensor[i]-1]
		}
		place, polar := of.place, of.polar
		z[0] *= length
		z[3] *= length
		if z[0] < 0 {
			return &SyntaxError{File: h.name, Line: int(r.line[i]), Col: 1, Msg: fmt.Sprintf("range is %v", z[0]), Hint: "ranges are not negative"}
		}
		if polar == nil {
			sin, cos := math.Sincos(z[1])
			up, along := math.Sincos(z[2])
			pos := []float64{place[0] + z[0]*cos*along, place[1] + z[0]*sin*along, z[0] * up}
			if r.dim == 3 {
				pos[2] += place[2]
			}
			made.Pos = append(made.Pos, pos[:r.dim]...)
			continue
		}
		measured := z[:r.dim:r.dim]
		if polar.RateNoise > 0 {
			measured = append(measured, z[3])
		}
		if err := polar.Append(&made, measured); err != nil {
			return &SyntaxError{File: h.name, Line: int(r.line[i]), Col: 1, Msg: err.Error()}
		}
	}
	r.pos, r.cov, r.vel, r.velCov = made.Pos, made.Cov, made.Vel, made.VelCov
	count := "from the x axis to the y axis (--compass: clockwise from north)"
	if o.Compass {
		count = "clockwise from north, the y axis"
	}
	var places []string
	for _, of := range from {
		places = append(places, strings.TrimSpace(fmt.Sprintf("%s at %v", of.name, of.place)))
	}
	s.note("ranges and bearings from %s become positions; bearings count %s", strings.Join(places, ", "), count)
	if o.SensorNoise == nil {
		s.note("how noisy they are is not known (--sensor-noise): positions have no covariances")
	}
	r.sensor = nil // scans apart, what each sees is learnt of all together
	return nil
}

// A polarSensor is one of those from which ranges and bearings are measured.
type polarSensor struct {
	name  string
	place []float64
	polar *sensor.Polar // nil: how noisy it is is not known
}

// sensors are those of the rows, in order of their numbers: one, or those that the column sensor names.
// It sets the times of those that report at the same time a little apart, since a scan is of one sensor.
func (s *source) sensors(h *head, t *titled, o *Options) ([]polarSensor, error) {
	r := s.rows
	names := []string{"a sensor"}
	if t.sensors != nil && (len(t.sensors.text) > 1 || o.Sensors != nil) {
		names = t.sensors.text
	} else if o.Sensors != nil {
		return nil, &SyntaxError{File: h.name, Msg: "places are given of several sensors, and no column says which one measured", Hint: "--columns sensor=NAME says it"}
	}
	bad := func(msg, hint string) error {
		return &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 1, Msg: msg, Hint: hint}
	}
	list := make([]polarSensor, len(names))
	for k, name := range names {
		place := o.Sensor
		if o.Sensors != nil || len(names) > 1 {
			if place = o.Sensors[name]; place == nil {
				return nil, bad(fmt.Sprintf("column %s names the sensors %s, and where %s stands is not known", t.names[t.column(device)], strings.Join(names, ", "), name),
					fmt.Sprintf("say it of each: --sensor '%s=0,0;%s=1000,0'; or take the files of each apart", names[0], names[len(names)-1]))
			}
		}
		if place == nil {
			place = make([]float64, r.dim)
		}
		if len(place) == 2 && r.dim == 3 {
			place = []float64{place[0], place[1], 0}
		}
		if len(place) != r.dim {
			return nil, bad(fmt.Sprintf("the sensor has %d coordinates, its measurements %d", len(place), r.dim), "without a column elevation a sensor has two")
		}
		list[k] = polarSensor{name: name, place: place}
		if o.SensorNoise == nil {
			continue
		}
		noise := func(role string) float64 {
			if v, ok := o.SensorNoise[name+"."+role]; ok {
				return v
			}
			return o.SensorNoise[role]
		}
		p := &sensor.Polar{Place: place, RangeNoise: noise("range"), BearingNoise: noise("bearing"), ElevationNoise: noise("elevation"), Speed: noise("speed")}
		if t.has(rangeRate) {
			p.RateNoise = noise("range_rate")
		}
		if p.RateNoise > 0 && p.Speed == 0 {
			p.Speed = s.typical()
			if k == 0 {
				s.note("the typical speed of targets is taken for %.3g m/s, the root mean square of the range rates (--sensor-noise speed=…)", p.Speed)
			}
		}
		if err := p.Validate(); err != nil {
			return nil, &SyntaxError{File: h.name, Msg: err.Error(), Hint: "say the standard deviations, range in m and bearing in rad, such as --sensor-noise range=10,bearing=0.01"}
		}
		list[k].polar = p
	}
	if len(list) > 1 {
		return list, s.apart(h, len(list))
	}
	return list, nil
}

// typical is the root mean square of the range rates.
func (s *source) typical() float64 {
	sum := 0.0
	for i := 3; i < len(s.rows.polar); i += 4 {
		sum += s.rows.polar[i] * s.rows.polar[i]
	}
	return math.Sqrt(sum / float64(max(1, s.rows.n)))
}

// shift is how much later a sensor is than the one before that reports at the same time, in the least time between scans.
const shift = 1e-3

// apart sets the times of sensors that report at the same time apart, each by the same small time from the one before,
// so that a scan is of one sensor.
func (s *source) apart(h *head, sensors int) error {
	r := s.rows
	if r.time == nil {
		return &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 1, Msg: "several sensors, and no times", Hint: "a scan is of one sensor: a column time says when it was"}
	}
	by := make(map[float64]int32) // sensor at a time, -1 where there are several
	own := make([][]float64, sensors)
	for i, t := range r.time {
		own[r.sensor[i]-1] = append(own[r.sensor[i]-1], t)
		if k, ok := by[t]; ok && k != r.sensor[i] {
			by[t] = -1
		} else if !ok {
			by[t] = r.sensor[i]
		}
	}
	for _, list := range own {
		slices.Sort(list)
		rows := len(list)
		if list = slices.Compact(list); 2*rows >= 3*len(list) {
			continue
		}
		if _, ok := even(list); ok {
			continue // scans of one detection, or of none
		}
		return &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 1, Msg: "several sensors, whose detections have times of their own", Hint: "give the detections of a scan one time: which ones are of a scan cannot be told where sensors report at once"}
	}
	times := slices.Sorted(maps.Keys(by))
	least := math.Inf(1)
	for k := 1; k < len(times); k++ {
		least = min(least, times[k]-times[k-1])
	}
	for i, t := range r.time {
		if by[t] < 0 {
			r.time[i] = t + shift*least*float64(r.sensor[i]-1)
		}
	}
	r.frame = nil
	return nil
}
