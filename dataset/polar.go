package dataset

// This file makes positions of ranges and bearings.

import (
	"fmt"
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
	place := o.Sensor
	if place == nil {
		place = make([]float64, r.dim)
	}
	if len(place) == 2 && r.dim == 3 {
		place = []float64{place[0], place[1], 0}
	}
	if len(place) != r.dim {
		return &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 1, Msg: fmt.Sprintf("the sensor has %d coordinates, its measurements %d", len(place), r.dim),
			Hint: "without a column elevation a sensor has two"}
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
	var polar *sensor.Polar
	if o.SensorNoise != nil {
		n := o.SensorNoise
		polar = &sensor.Polar{Place: place, RangeNoise: n["range"], BearingNoise: n["bearing"], ElevationNoise: n["elevation"], Speed: n["speed"]}
		if t.has(rangeRate) {
			polar.RateNoise = n["range_rate"]
		} else if n["range_rate"] > 0 {
			s.note("no column says range rates: their noise is not used")
		}
		if e := lacksNoise(n, r.dim, polar.RateNoise > 0); e != nil {
			e.File = h.name
			return e
		}
		if err := polar.Validate(); err != nil {
			return &SyntaxError{File: h.name, Msg: err.Error(), Hint: "say the standard deviations, such as --sensor-noise range=10,bearing=0.01"}
		}
	}
	made := mtt.Scan{Dim: r.dim}
	for i := range r.n {
		z := r.polar[4*i : 4*i+4]
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
	s.note("ranges and bearings from a sensor at %v become positions; bearings count %s", place, count)
	if polar == nil {
		s.note("how noisy they are is not known (--sensor-noise): positions have no covariances")
	}
	return nil
}

// lacksNoise is the error of noise of a polar sensor, in so many dimensions, that is not all there; nil: it is.
func lacksNoise(noise map[string]float64, dim int, rates bool) *SyntaxError {
	wanted := []string{"range", "bearing"}
	if dim == 3 {
		wanted = append(wanted, "elevation")
	}
	if rates {
		wanted = append(wanted, "range_rate", "speed")
	}
	about := map[string]string{"range": "10", "bearing": "0.01", "elevation": "0.01", "speed": "20"}
	var missing, all []string
	for _, role := range wanted {
		value := about[role]
		if v, ok := noise[role]; ok {
			value = fmt.Sprint(v)
		} else {
			missing = append(missing, role)
		}
		all = append(all, role+"="+value)
	}
	for _, role := range []string{"bearing", "elevation"} {
		if v := noise[role]; v > 0.5 {
			return &SyntaxError{Msg: fmt.Sprintf("the noise of the %s is %v rad, more than 0.5", role, v),
				Hint: fmt.Sprintf("if that is in degrees, write %s=%.3g", role, v*math.Pi/180)}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	e := &SyntaxError{Msg: "the noise of the sensor lacks " + strings.Join(missing, " and "), Hint: "write for example --sensor-noise " + strings.Join(all, ",")}
	if slices.Contains(missing, "speed") {
		e.Hint += ": speed is how fast targets typically are, in m/s, which range rates need since they see motion along the line of sight only"
	}
	return e
}
