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

// Names of polar coordinates that may be other things in tables of positions.
var polarNames = map[string]role{
	"r": distance, "rho": distance, "radius": distance, "dist": distance, "distance": distance,
	"theta": bearing, "phi": bearing, "angle": bearing,
}

// called says whether a column has such a name of r.
func (t *titled) called(r role) bool {
	return slices.ContainsFunc(t.names, func(name string) bool { of, _ := meaningIn(polarNames, name); return of == r })
}

// inPolar gives columns of such names their meaning where a table has no positions and there is one
// range and one angle.
func (t *titled) inPolar() {
	if t.has(posX) || t.has(posY) || t.has(left) || t.looks() {
		return
	}
	found := map[role][]int{}
	for c, name := range t.names {
		if r, _ := meaningIn(polarNames, name); r != skip && t.roles[c] == skip && !slices.Contains(t.unnamed, c) {
			found[r] = append(found[r], c)
		}
	}
	for _, r := range []role{distance, bearing} {
		if t.has(r) {
			found[r] = nil
		} else if len(found[r]) != 1 {
			return
		}
	}
	for r, columns := range found {
		for _, c := range columns {
			t.roles[c] = r
			_, t.unit[r] = meaningIn(polarNames, t.names[c])
		}
	}
}

// fromPolar replaces ranges, bearings and elevations by positions: with covariances where the options
// say how noisy they are, else where they point.
func (s *source) fromPolar(h *head, t *titled, o *Options) error {
	r := s.rows
	if len(o.Described) > 1 && r.sensor == nil {
		return h.whose(o)
	}
	eyes, told, err := s.eyes(h, t, o)
	if err != nil {
		return err
	}
	s.served = Served{true, true, true}
	unit := t.unit[distance]
	if o.Units != "" {
		unit = strings.ToLower(o.Units)
	}
	length := 1.0
	if f, ok := lengths[unit]; ok {
		length, unit = f, "m"
	}
	s.unit = unit
	for at, role := range []role{1: bearing, 2: elevation} {
		if role == skip || !t.has(role) {
			continue
		}
		if by := s.radians(t, role, r.polar, 4, at); by != 1 {
			for i := at; i < len(r.polar); i += 4 {
				r.polar[i] *= by
			}
		}
	}
	if err := s.owned(h, t, o, length); err != nil {
		return err
	}
	if t.has(heading) {
		for i := range r.n {
			r.polar[4*i+1] += r.self(i)[6]
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
		z[0] *= length
		z[3] *= length
		if z[0] < 0 {
			return &SyntaxError{File: h.name, Line: int(r.line[i]), Col: 1, Msg: fmt.Sprintf("range is %v", z[0]), Hint: "ranges are not negative"}
		}
		polar := s.eye(eyes, i, o)
		if polar == nil {
			return &SyntaxError{File: h.name, Line: int(r.line[i]), Col: 1, Msg: fmt.Sprintf("sensor %d is not among the %d that are described, from 0", r.sensor[i], len(eyes))}
		}
		sin, cos := math.Sincos(z[1])
		up, along := math.Sincos(z[2])
		if place := polar.Place; !told {
			pos := []float64{place[0] + z[0]*cos*along, place[1] + z[0]*sin*along, z[0] * up}
			if r.dim == 3 {
				pos[2] += place[2]
			}
			made.Pos = append(made.Pos, pos[:r.dim]...)
			continue
		}
		if self := r.self(i); self != nil { // its own speed along the line of sight
			z[3] += float64(self[3]*cos*along) + float64(self[4]*sin*along) + float64(self[5]*up)
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
	for k := range eyes {
		of := "a sensor"
		if o.Described != nil {
			of = o.Described[k].Title(k)
		}
		if s.moving {
			s.note("ranges and bearings from %s become positions; bearings count %s", of, count)
		} else {
			s.note("ranges and bearings from %s at %v become positions; bearings count %s", of, eyes[k].Place, count)
		}
	}
	if !told {
		s.note("how noisy they are is not known (--sensor-noise, or noise in --sensors): positions have no covariances, which are learnt")
		s.errs(o, eyes[0].Place)
	}
	return nil
}

// errs notes where a sensor stands whose noise is not known, if it is one that nobody describes.
func (s *source) errs(o *Options, place []float64) {
	if o.Described == nil && !s.moving && s.untold == nil {
		s.untold = &sensor.Sensor{Kind: "polar", Place: place}
	}
}

// eyes are the polar sensors: one, or those that are described; told says whether their noise is
// known, of all.
func (s *source) eyes(h *head, t *titled, o *Options) (eyes []sensor.Polar, told bool, err error) {
	list := o.Described
	if list == nil {
		list = []sensor.Sensor{{Place: o.Sensor, Noise: o.SensorNoise}}
	}
	told = true
	for k := range list {
		if of := &list[k]; len(of.Noise) == 0 || of.Kind != "polar" && o.Described != nil {
			told = false
		}
	}
	for k := range list {
		of, n := &list[k], list[k].Noise
		e := sensor.Polar{Place: slices.Clone(of.Place)}
		if e.Place == nil {
			e.Place = make([]float64, s.rows.dim)
		}
		if len(e.Place) == 2 && s.rows.dim == 3 {
			e.Place = []float64{e.Place[0], e.Place[1], 0}
		}
		if len(e.Place) != s.rows.dim {
			return nil, false, &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 1, Msg: fmt.Sprintf("the sensor has %d coordinates, its measurements %d", len(e.Place), s.rows.dim),
				Hint: "without a column elevation a sensor has two"}
		}
		if told {
			e.RangeNoise, e.BearingNoise, e.ElevationNoise, e.Speed = n["range"], n["bearing"], n["elevation"], n["speed"]
			if t.has(rangeRate) {
				e.RateNoise = n["range_rate"]
			} else if n["range_rate"] > 0 && t.has(distance) {
				s.note("no column says range rates: their noise is not used")
			}
			if lacks := lacksNoise(n, s.rows.dim, e.RateNoise > 0); lacks != nil {
				if lacks.File = h.name; o.Described != nil {
					lacks.Msg = fmt.Sprintf("%s: %s", of.Title(k), lacks.Msg)
				}
				return nil, false, lacks
			}
			if err := e.Validate(); err != nil {
				return nil, false, &SyntaxError{File: h.name, Msg: err.Error(), Hint: "say the standard deviations, such as --sensor-noise range=10,bearing=0.01"}
			}
		}
		eyes = append(eyes, e)
	}
	return eyes, told, nil
}

// eye is the one of eyes that row i is of, where it was then; nil: none is described. It is good
// until the next call.
func (s *source) eye(eyes []sensor.Polar, i int, o *Options) *sensor.Polar {
	k := 0
	if s.rows.sensor != nil && o.Described != nil {
		k = int(s.rows.sensor[i])
	}
	if k < 0 || k >= len(eyes) {
		return nil
	}
	if s.moving {
		copy(eyes[k].Place, s.rows.self(i))
	}
	return &eyes[k]
}

// fromPlaces gives positions without covariances those that their sensors have there, where all are
// polar and of known place and noise.
func (s *source) fromPlaces(h *head, t *titled, o *Options) error {
	r := s.rows
	placed := s.moving || !slices.ContainsFunc(o.Described, func(of sensor.Sensor) bool { return of.Place == nil })
	if r.cov != nil || !placed || r.sensor == nil && len(o.Described) > 1 {
		return nil
	}
	eyes, told, err := s.eyes(h, t, o)
	if err != nil && o.Described == nil {
		return err
	}
	if err != nil || !told { // levels are learnt
		if err == nil && o.Sensor != nil {
			s.served.Sensor = true
			s.errs(o, eyes[0].Place)
		}
		return nil
	}
	var made mtt.Scan
	u := make([]float64, r.dim)
	for i := range r.n {
		e := s.eye(eyes, i, o)
		if e == nil {
			return nil // which is refused later
		}
		away := 0.0
		for c := range u {
			u[c] = r.pos[i*r.dim+c] - e.Place[c]
			away = math.Hypot(away, u[c])
		}
		for c := range u {
			u[c] /= away
		}
		if e.AppendAlong(&made, away, u, 0) != nil {
			return nil
		}
	}
	r.cov = made.Cov
	s.served.Sensor, s.served.SensorNoise = true, true
	s.note("positions have the covariances of the polar sensors that are described")
	return nil
}

// lacksNoise is the error of noise of a polar sensor, in so many dimensions, that is not all there;
// nil: it is.
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
