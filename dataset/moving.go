package dataset

// This file places what a sensor that moves has measured: columns say where it was, how fast, and
// where it headed.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mtt"
)

// ownRoles are the columns of the sensor itself.
var ownRoles = []role{ownX, ownY, ownZ, ownVX, ownVY, ownVZ, heading}

// relativeNames are names of coordinates that count from the sensor: positions where a table has no
// others, and says where the sensor is.
var relativeNames = func() map[string]role {
	m := make(map[string]role)
	for c, axis := range []string{"x", "y", "z"} {
		for _, form := range strings.Fields("rel_? ?_rel relative_? ?_relative d? delta_? local_? ?_local body_? ?_body") {
			m[strings.Replace(form, "?", axis, 1)] = posX + role(c)
		}
	}
	return m
}()

// relative gives coordinates from the sensor their meaning.
func (t *titled) relative() {
	if t.has(posX) || t.has(left) || t.has(distance) || !t.has(ownX) {
		return
	}
	for c, name := range t.names {
		if as, unit := meaningIn(relativeNames, name); as != skip && t.roles[c] == skip && !t.has(as) && !slices.Contains(t.unnamed, c) {
			t.roles[c], t.unit[as] = as, unit
			t.fromSensor = true
		}
	}
}

// own drops the columns of the sensor itself where nothing counts from there: positions do where
// their names, or options that name these columns, say so. A heading without a prefix is that of
// the sensor where its place is given.
func (t *titled) own(o *Options) {
	counts := t.has(distance) || t.has(posX) && !t.isGeographic(o) && (t.fromSensor || t.given[ownX] || t.given[heading])
	if c := t.column(heading); c >= 0 && !t.given[heading] && !t.has(ownX) && !strings.Contains(strings.TrimSuffix(plainName(t.names[c]), "_"+t.unit[heading]), "_") {
		t.drop(heading)
	}
	if !t.has(ownX) || !t.has(ownY) {
		t.drop(ownX, ownY, ownZ, ownVX, ownVY, ownVZ)
	}
	if !t.has(ownVX) || !t.has(ownVY) || !t.has(rangeRate) && !t.has(velX) {
		t.drop(ownVX, ownVY, ownVZ)
	}
	if !t.has(posZ) && !t.has(elevation) {
		t.drop(ownZ, ownVZ)
	}
	aside := func(format string, a ...any) { t.asides = append(t.asides, fmt.Sprintf(format, a...)) }
	if !counts {
		if c := t.column(ownX); c >= 0 && t.has(posX) {
			aside("columns %s, %s are not read, as positions may well be those in the world; if they count from there, say so: --columns %[3]s=%[1]s,%[4]s=%[2]s",
				t.names[c], t.names[t.column(ownY)], ownX.word(), ownY.word())
		}
		t.drop(ownRoles...)
		return
	}
	if c := max(t.column(rangeRate), t.column(velX)); c >= 0 && t.has(ownX) && !t.has(ownVX) {
		aside("%s is relative to the sensor, and no columns %s, %s say how fast that is: it is not used", t.names[c], ownVX.word(), ownVY.word())
		t.drop(rangeRate, velX, velY, velZ)
	}
}

// moves says whether columns say where the sensor is, or heads.
func (t *titled) moves() bool { return t.has(ownX) || t.has(heading) }

// owned makes metres, as many as length for each where no name says the unit, and radians of what
// columns say of the sensor.
func (s *source) owned(h *head, t *titled, o *Options, length float64) error {
	if !t.moves() {
		return nil
	}
	if o.Sensor != nil && t.has(ownX) {
		return &SyntaxError{File: h.name, Line: max(h.titleAt, 1), Col: 1, Msg: fmt.Sprintf("column %s says where the sensor is, and so does --sensor", t.names[t.column(ownX)]),
			Hint: fmt.Sprintf("say one of them: --columns %s= has no column say it", ownX.word())}
	}
	own := s.rows.own
	s.moving = t.has(ownX)
	for c, r := range ownRoles {
		by := 1.0
		switch f := lengths[t.unit[r]]; {
		case !t.has(r):
			continue
		case r == heading:
			by = s.radians(t, heading, own, len(ownRoles), c)
		case f == 0 || o.Units != "":
			by = length
		case s.unit == "m" || s.unit == "":
			by = f
		default:
			return &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 1, Msg: fmt.Sprintf("%s is in %s, positions are in %s", t.names[t.column(r)], t.unit[r], s.unit),
				Hint: "give all coordinates in one unit"}
		}
		for i := c; i < len(own); i += len(ownRoles) {
			own[i] *= by
		}
	}
	s.note("%s", t.placed())
	return nil
}

// placed says what columns say of the sensor.
func (t *titled) placed() string {
	var said []string
	if t.has(ownX) {
		place := []string{t.names[t.column(ownX)], t.names[t.column(ownY)]}
		if t.has(ownZ) {
			place = append(place, t.names[t.column(ownZ)])
		}
		said = append(said, "the sensor is where "+strings.Join(place, ", ")+" say")
	}
	if t.has(heading) {
		said = append(said, fmt.Sprintf("directions count from where it heads, %s (--columns %s= if they do not)", t.names[t.column(heading)], heading.word()))
	}
	return strings.Join(said, ", and ") + ": what it measured is placed in the world"
}

// radians is what makes radians of the angles that stand in column at of n in angles: by the name
// of their column, or as none is more than a turn.
func (s *source) radians(t *titled, r role, angles []float64, n, at int) float64 {
	widest := 0.0
	for i := at; i < len(angles); i += n {
		widest = max(widest, math.Abs(angles[i]))
	}
	u := t.unit[r]
	if u == "" && widest > 2*math.Pi {
		u = "deg"
		s.note("angles up to %v in %s are taken for degrees", widest, t.names[t.column(r)])
	}
	if strings.HasPrefix(u, "deg") {
		return math.Pi / 180
	}
	return 1
}

// self is what columns say of the sensor at row i: where it is, how fast, and where it heads; nil:
// there are none.
func (t *rows) self(i int) []float64 {
	if t.own == nil {
		return nil
	}
	return t.own[len(ownRoles)*i : len(ownRoles)*(i+1)]
}

// fromSensors places positions that count from a sensor, and gives those without covariances the
// ones that polar sensors have there. Scale is how many of the unit one in the file is; 0: one.
func (s *source) fromSensors(h *head, t *titled, o *Options, scale float64) error {
	if err := s.owned(h, t, o, cmp.Or(scale, 1)); err != nil {
		return err
	}
	s.intoWorld(t, o)
	if s.unit != "m" && (o.Sensor == nil || o.SensorNoise != nil) { // noise is said in m
		return nil
	}
	return s.fromPlaces(h, t, o)
}

// intoWorld turns positions and velocities that count from a sensor, x ahead of it and y to its
// left, into those of the world, and covariances with them.
func (s *source) intoWorld(t *titled, o *Options) {
	r := s.rows
	if !t.moves() {
		return
	}
	s.served.Compass = t.has(heading)
	for i := range r.n {
		self := r.self(i)
		ahead := self[6]
		if o.Compass && t.has(heading) {
			ahead = math.Pi/2 - ahead
		}
		sin, cos := math.Sincos(ahead)
		turn := func(v []float64) {
			v[0], v[1] = float64(cos*v[0])-float64(sin*v[1]), float64(sin*v[0])+float64(cos*v[1])
		}
		for c, list := range [2][]float64{r.pos, r.vel} {
			if list == nil {
				continue
			}
			v := list[r.dim*i : r.dim*(i+1)]
			turn(v)
			for k := range v {
				v[k] += self[3*c+k]
			}
		}
		if r.cov != nil && t.has(heading) {
			c := r.cov[i*mtt.Packed(r.dim):]
			xx, xy, yy := c[0], c[1], c[2]
			c[0] = float64(cos*cos*xx) - float64(2*sin*cos*xy) + float64(sin*sin*yy)
			c[1] = float64(sin*cos*(xx-yy)) + float64((cos*cos-sin*sin)*xy)
			c[2] = float64(sin*sin*xx) + float64(2*sin*cos*xy) + float64(cos*cos*yy)
			if r.dim == 3 {
				turn(c[3:5])
			}
		}
	}
}
