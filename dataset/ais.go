package dataset

// This file reads positions by longitude and latitude, such as reports of ships: they
// become metres in a plane, course and speed become velocities.

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"mtt/internal/text"
	"mtt/sensor"
)

const (
	knot         = 1852.0 / 3600 // m/s
	noSpeed      = 102.25        // knots; AIS says 102.3 for "not available"
	noCourse     = 360           // degrees; AIS says 360 for "not available"
	drifting     = 2             // knots; below, a ship without a course counts as lying still
	outlierRange = 100e3         // m from the median position
	aisFrame     = 10            // s, the default length of a frame of ship reports
)

func fitsAIS(h *head, o *Options) *SyntaxError {
	if !h.xml && h.title != nil {
		if t, e := h.titles(o); e == nil && !t.isGeographic(o) {
			return &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 1, Msg: "no columns are named latitude and longitude"}
		}
	}
	return fitsPoints(h, o)
}

func readAIS(h *head, o *Options) (*source, error) {
	s, t, err := readTitled(h, o)
	if err != nil || s.rows.n == 0 {
		return s, err
	}
	r := s.rows
	r.size = nil
	if e := leftOut(s, h); e != nil {
		return nil, e
	}
	reports := r.fleet()
	s.unit = "m"
	nowhere := r.keep(func(i int) bool { return r.pos[i*r.dim] != 181 && r.pos[i*r.dim+1] != 91 })
	for i := range r.n {
		if lon, lat := r.pos[i*r.dim], r.pos[i*r.dim+1]; math.Abs(lon) > 360 || math.Abs(lat) > 90 {
			return nil, &SyntaxError{File: h.name, Line: int(r.line[i]), Col: 1, Msg: fmt.Sprintf("longitude %v, latitude %v: no such place", lon, lat),
				Hint: "are the two columns exchanged, or not in degrees?"}
		}
	}
	if r.n == 0 {
		return nil, &SyntaxError{File: h.name, Msg: "no report has a position"}
	}
	s.origin = r.median()
	far := r.project(*s.origin)
	still := r.velocities()
	ships := false
	if c := t.column(ident); c >= 0 {
		ships = strings.Contains(strings.ToLower(t.names[c]), "mmsi")
	}
	if ships && r.frame == nil {
		s.every = aisFrame
	}
	asked := ""
	if o.DT == 0 && o.Every == 0 && r.frame == nil && r.id == nil {
		if s.every = r.reporting(); s.every > 0 {
			asked = fmt.Sprintf("reports say no identities and come one target at a time: the least usual time between two of a moving one, %v s, makes a frame (--dt)", s.every)
		}
	}
	s.note("understood as %s: %s, %d columns, %s", map[bool]string{true: "ship reports", false: "points by longitude and latitude"}[ships], h.separated(), len(t.names), reports)
	s.note("positions in metres east and north of the median position, longitude %.6f, latitude %.6f (transverse Mercator)", s.origin[0], s.origin[1])
	s.note("columns read: %s", t.describe())
	if len(t.ignored) > 0 {
		s.note("columns ignored: %s", inShort(t.ignored))
	}
	if h.measures != nil {
		s.note("line %d is taken for units", h.measuredAt)
	}
	if far > 0 {
		s.note("%s more than %v km from there: kept", text.Count(far, "report"), outlierRange/1000)
	}
	if nowhere > 0 {
		s.note("%s without a position: left out", text.Count(nowhere, "report"))
	}
	s.note("%s", still)
	if asked != "" {
		s.note("%s", asked)
	}
	return s, nil
}

const (
	askedReports  = 4000 // how many reports are asked for the next of the same ship
	nextReport    = 60   // s, in which that should come
	underWay      = 1    // m/s; others do not tell two ships in one place apart
	reportStray   = 30   // m from where course and speed lead, or a quarter of the way
	leastReports  = 50   // of moving ships that tell the time between two
	leastQuantile = 0.05 // of the times between two, which is the least usual one
)

// reporting is the least usual time between two reports of one moving target, s, where these report
// one by one at times of their own; 0 where they do not, or where course and speed are not known.
// The next report of a target is the first one near where course and speed lead. Frames of that
// length hold two reports of a target seldom.
func (t *rows) reporting() float64 {
	if t.vel == nil || t.time == nil {
		return 0
	}
	order := ascending(t.n)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(t.time[a], t.time[b]) })
	var distinct []float64 // times between reports of whatever target, but for those at one time
	var between []float64
	every := max(1, t.n/askedReports)
	for k := 0; k < t.n; k += every {
		i := order[k]
		p, v := t.pos[int(i)*t.dim:], t.vel[int(i)*t.dim:]
		speed := math.Hypot(v[0], v[1])
		step := 0.0
		for _, j := range order[k+1:] {
			dt := t.time[j] - t.time[i]
			if dt > nextReport {
				break
			}
			if dt == 0 {
				continue
			}
			if step == 0 {
				step = dt
			}
			if speed < underWay {
				break
			}
			q, w := t.pos[int(j)*t.dim:], t.vel[int(j)*t.dim:]
			if math.Hypot(q[0]-p[0]-v[0]*dt, q[1]-p[1]-v[1]*dt) <= max(reportStray, speed*dt/4) && math.Hypot(w[0]-v[0], w[1]-v[1]) <= speed/4 {
				between = append(between, dt)
				break
			}
		}
		if step > 0 {
			distinct = append(distinct, step)
		}
	}
	if len(between) < leastReports {
		return 0
	}
	slices.Sort(between)
	slices.Sort(distinct)
	least := math.Round(between[int(leastQuantile*float64(len(between)))]*10) / 10
	if least < 2*distinct[len(distinct)/2] {
		return 0 // targets are seen together
	}
	return least
}

// fleet is the number of reports and ships in words.
func (t *rows) fleet() string {
	if t.id == nil {
		return text.Count(t.n, "report")
	}
	return fmt.Sprintf("%s of %s", text.Count(t.n, "report"), text.Count(t.identities(), "target"))
}

// A place is a longitude and a latitude in degrees.
type place [2]float64

// median is the median longitude and the median latitude.
func (t *rows) median() *place {
	lons, lats := make([]float64, t.n), make([]float64, t.n)
	for i := range t.n {
		lons[i] = wrap(t.pos[i*t.dim] - t.pos[0]) // about the first, so that the date line is no edge
		lats[i] = t.pos[i*t.dim+1]
	}
	slices.Sort(lons)
	slices.Sort(lats)
	return &place{wrap(lons[t.n/2] + t.pos[0]), lats[t.n/2]}
}

// project replaces longitude and latitude in degrees by metres east and north of
// the origin, see [sensor.Plane]. It returns how many reports are far from it.
func (t *rows) project(o place) (far int) {
	plane := o.plane()
	for i := range t.n {
		p := t.pos[i*t.dim : i*t.dim+2]
		p[0], p[1] = plane.Forward(p[1], p[0])
		if math.Hypot(p[0], p[1]) > outlierRange {
			far++
		}
	}
	return far
}

// LonLat is the longitude and latitude in degrees of a place x and y metres east and north of
// the origin, as Data.Origin has it: the inverse of the projection of geographic files.
func LonLat(origin [2]float64, x, y float64) (lon, lat float64) {
	lat, lon = place(origin).plane().Reverse(x, y)
	return lon, lat
}

// plane is the plane about o.
func (o place) plane() *sensor.Plane {
	p, err := sensor.NewPlane(o[1], o[0])
	if err != nil {
		panic("dataset: origin is no place on Earth")
	}
	return p
}

// move changes positions in the plane about one place to those in the plane about another.
func (t *rows) move(from, to place) {
	a, b := from.plane(), to.plane()
	for i := range t.n {
		p := t.pos[i*t.dim : i*t.dim+2]
		p[0], p[1] = b.Forward(a.Reverse(p[0], p[1]))
	}
}

// wrap is the longitude in degrees from -180 up to 180.
func wrap(lon float64) float64 { return lon - 360*math.Floor((lon+180)/360) }

// velocities makes velocities of course and speed and says so. Slow ships without
// a course lie still. Other reports without course or speed are left out when
// they are at most one in twenty, because a velocity is known for all detections
// or for none; else all velocities are.
func (t *rows) velocities() string {
	if t.motion == nil {
		return "no velocities"
	}
	known := func(i int) bool {
		c, s := t.motion[2*i], t.motion[2*i+1]
		return s >= 0 && s < noSpeed && (c >= 0 && c < noCourse || s < drifting)
	}
	unknown := 0
	for i := range t.n {
		if !known(i) {
			unknown++
		}
	}
	if 20*unknown > t.n {
		t.motion = nil
		return fmt.Sprintf("no velocities: %s without course or speed", text.Count(unknown, "report"))
	}
	if unknown > 0 {
		t.keep(known)
	}
	still := 0
	t.vel = make([]float64, t.n*t.dim)
	for i := range t.n {
		c, v := t.motion[2*i], knot*t.motion[2*i+1]
		if c >= 0 && c < noCourse {
			sin, cos := math.Sincos(c * math.Pi / 180)
			t.vel[i*t.dim], t.vel[i*t.dim+1] = v*sin, v*cos
		} else {
			still++
		}
	}
	t.motion = nil
	return fmt.Sprintf("velocities in m/s from course and speed over ground; without a course below %d knots taken as still: %s; left out without course or speed: %s",
		drifting, text.Count(still, "report"), text.Count(unknown, "report"))
}
