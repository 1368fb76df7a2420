package dataset

// This file places directions, of which nobody says how far: azimuth and elevation of a camera of
// the whole sky, right ascension and declination of a telescope, bearings of a sonar.
//
// Angles meet again after a turn: who goes from 359 to 0 degrees is near, and would be lost in a
// plane of the two angles; near the poles a degree of the first of them is hardly a step. So
// directions are placed in a plane about the middle of all, azimuthal and equidistant [1]:
// distances and directions from there are true, and at c radians from there those across are c/sin
// c times as long, 1.57 at a right angle.
//
// [1] Snyder. Map projections: a working manual. U.S. Geological Survey Professional Paper 1395,
// 1987, page 195.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mtt"
	"mtt/internal/text"
)

// directionNames are names of angles that may be other things in tables of positions or ranges.
var directionNames = map[string]role{
	"ra": bearing, "raj2000": bearing, "ra_j2000": bearing, "ra_icrs": bearing, "right_ascension": bearing, "ra_h": bearing, "ra_hours": bearing,
	"dec": elevation, "decl": elevation, "declination": elevation, "de": elevation, "dej2000": elevation, "dec_j2000": elevation, "de_icrs": elevation, "dec_icrs": elevation,
	"alt": elevation, "altitude": elevation, "el": elevation, "az": bearing,
}

// directionOf is what angle a column of that name is, skip for none, and its unit.
func directionOf(name string) (role, string) {
	r, unit := meaning(name)
	if r != bearing && r != elevation {
		r, unit = meaningIn(directionNames, name)
	}
	if name := plainName(name); name == "ra_h" || name == "ra_hours" {
		unit = "hours"
	}
	return r, unit
}

// directions gives two columns of angles their meaning where a table has no positions and no
// ranges, or where the options say that two columns of such names are x and y.
func (t *titled) directions() {
	if x, y := t.column(posX), t.column(posY); t.given[posX] && t.given[posY] && !t.has(posZ) {
		a, u := directionOf(t.names[x])
		b, v := directionOf(t.names[y])
		if a != b && a != skip && b != skip {
			t.roles[x], t.roles[y] = a, b
			t.unit[a], t.unit[b] = u, v
		}
		return
	}
	if t.has(posX) || t.has(left) || t.has(distance) {
		return
	}
	found := map[role]int{}
	for c, name := range t.names {
		if r, _ := directionOf(name); r != skip && t.roles[c] == skip && !t.has(r) && !slices.Contains(t.unnamed, c) {
			if _, twice := found[r]; !twice {
				found[r] = c
			}
		}
	}
	for _, r := range []role{bearing, elevation} {
		if _, ok := found[r]; !ok && !t.has(r) {
			return
		}
	}
	for r, c := range found {
		t.roles[c] = r
		_, t.unit[r] = directionOf(t.names[c])
	}
}

// looks says whether positions are directions: two angles, or one if the options say so.
func (t *titled) looks() bool {
	return t.has(bearing) && !t.has(distance) && !t.has(posX) && !t.has(left) && (t.has(elevation) || t.given[bearing])
}

// fromDirections places directions in a plane, in degrees.
func (s *source) fromDirections(h *head, t *titled, o *Options) error {
	r := s.rows
	celestial := false
	for _, of := range []role{bearing, elevation} {
		if c := t.column(of); c >= 0 {
			is, _ := meaningIn(directionNames, t.names[c])
			celestial = celestial || is != skip && !slices.Contains([]string{"az", "el", "alt", "altitude"}, plainName(t.names[c]))
		}
	}
	widest, highest := 0.0, 0.0
	for i := range r.n {
		widest, highest = max(widest, math.Abs(r.polar[4*i+1])), max(highest, math.Abs(r.polar[4*i+2]))
	}
	radians := !celestial && widest <= 2*math.Pi && highest <= math.Pi/2
	by := func(of role) float64 {
		unit := t.unit[of]
		if o.Units != "" {
			unit = strings.ToLower(o.Units)
		}
		switch {
		case unit == "hours":
			return 15
		case strings.HasPrefix(unit, "rad") || unit == "" && radians:
			return 180 / math.Pi
		}
		return 1
	}
	toDegrees := [2]float64{by(bearing), by(elevation)}
	looks := make([]place, r.n)
	for i := range r.n {
		looks[i] = place{r.polar[4*i+1] * toDegrees[0], r.polar[4*i+2] * toDegrees[1]}
		if math.Abs(looks[i][1]) > 90+1e-9 {
			return &SyntaxError{File: h.name, Line: int(r.line[i]), Col: 1, Msg: fmt.Sprintf("%s is %v, more than a right angle", t.names[t.column(elevation)], r.polar[4*i+2]),
				Hint: "are the two columns exchanged, or in another unit (--units deg, --units rad)?"}
		}
	}
	s.unit, s.sky = "deg", amid(looks)
	r.dim, r.pos, r.polar = 2, make([]float64, 2*r.n), nil
	farthest, beyond := 0.0, 0
	for i, look := range looks {
		away := s.sky.flatten(look, r.pos[2*i:2*i+2])
		if farthest = max(farthest, away); away > torn {
			beyond++
		}
	}
	unit := "degrees"
	if radians && t.unit[bearing] == "" && o.Units == "" {
		unit = fmt.Sprintf("radians, as none is more than %.3g (--units deg if they are degrees)", widest)
	}
	s.note("directions, in %s, become positions in degrees in a plane about %s %.6g%s, the farthest %.4g degrees from there: 0 and 360 are the same there (azimuthal equidistant)", unit,
		t.names[t.column(bearing)], s.sky[0], t.upwards(s.sky[1]), farthest)
	if len(t.ignored) > 0 {
		s.note("if one of the columns that are ignored says how far, --columns %s=NAME reads ranges, and positions are in metres", distance.word())
	}
	if beyond > 0 {
		s.doubts = append(s.doubts, fmt.Sprintf("directions are all round: %s more than %v degrees from the middle of all, where a plane is drawn out wide; tracks there may be torn", text.Count(beyond, "row"), torn))
	}
	return nil
}

// upwards says an elevation in words, if there are any.
func (t *titled) upwards(of float64) string {
	if c := t.column(elevation); c >= 0 {
		return fmt.Sprintf(", %s %.6g", t.names[c], of)
	}
	return ""
}

// torn is from how many degrees on a plane is more than 2.4 times as wide as the sky.
const torn = 120

// towards is the unit vector of a direction in degrees.
func (p place) towards() [3]float64 {
	sin, cos := math.Sincos(p[0] * math.Pi / 180)
	up, along := math.Sincos(p[1] * math.Pi / 180)
	return [3]float64{along * cos, along * sin, up}
}

// flatten places a direction, in degrees, in the plane about p, and returns how far it is from there.
func (p place) flatten(look place, dst []float64) (away float64) {
	sin, cos := math.Sincos((look[0] - p[0]) * math.Pi / 180)
	up, along := math.Sincos(look[1] * math.Pi / 180)
	up0, along0 := math.Sincos(p[1] * math.Pi / 180)
	x, y := along*sin, float64(along0*up)-float64(up0*along*cos)
	out := math.Hypot(x, y)
	away = math.Atan2(out, float64(up0*up)+float64(along0*along*cos)) * 180 / math.Pi
	if out == 0 {
		out = 1
	}
	dst[0], dst[1] = x/out*away, y/out*away
	return away
}

// seen is the direction, in degrees, whose place in the plane about p is pos.
func (p place) seen(pos []float64) place {
	away := math.Hypot(pos[0], pos[1])
	if away == 0 {
		return p
	}
	sin, cos := math.Sincos(away * math.Pi / 180)
	up0, along0 := math.Sincos(p[1] * math.Pi / 180)
	x, y := pos[0]/away*sin, pos[1]/away*sin
	up := float64(cos*up0) + float64(y*along0)
	return place{p[0] + math.Atan2(x, float64(cos*along0)-float64(y*up0))*180/math.Pi, math.Asin(max(-1, min(1, up))) * 180 / math.Pi}
}

// turn changes positions in the plane of directions about one place to those in that about another.
func (t *rows) turn(from, to place) {
	for i := range t.n {
		p := t.pos[2*i : 2*i+2]
		to.flatten(from.seen(p), p)
	}
}

// amid is the mean of the directions where all are within a right angle of it; else what is
// opposite to the widest part of the sky where there are none, among so many places, as far as a
// thousand of them tell.
func amid(looks []place) *place {
	const places = 4000
	of := func(u [3]float64) *place {
		at := place{math.Atan2(u[1], u[0]) * 180 / math.Pi, math.Atan2(u[2], math.Hypot(u[0], u[1])) * 180 / math.Pi}
		return &at
	}
	dot := func(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
	var mean [3]float64
	vectors := make([][3]float64, len(looks))
	for i, look := range looks {
		vectors[i] = look.towards()
		for c, v := range vectors[i] {
			mean[c] += v
		}
	}
	if !slices.ContainsFunc(vectors, func(v [3]float64) bool { return dot(v, mean) <= 0 }) {
		return of(mean)
	}
	best, least := mean, math.Inf(-1)
	every := 1 + len(vectors)/1000
	for k := range places { // along a spiral from pole to pole, a golden section of a turn apart
		up := 1 - 2*float64(k)/(places-1)
		sin, cos := math.Sincos(float64(k) * math.Pi * (3 - math.Sqrt(5)))
		at := [3]float64{math.Sqrt(1-up*up) * cos, math.Sqrt(1-up*up) * sin, up}
		farthest := math.Inf(1)
		for i := 0; i < len(vectors) && farthest > least; i += every {
			farthest = min(farthest, dot(vectors[i], at))
		}
		if farthest > least {
			best, least = at, farthest
		}
	}
	return of(best)
}

// A turn is the range of an angle.
type turn struct {
	from, to float64
	unit     string
}

// around is all the way round.
func (a turn) around() float64 { return a.to - a.from }

// meets is in words which coordinate of the scans seems to be an angle, since targets leave at one
// end of a turn and enter at the other; "": none does. The file is a table.
//
// A detection near an end that has no successor near it, but one a turn away, says so; as many such
// ones as chance leaves, which other scans than the next tell, say nothing.
func meets(scans []mtt.Scan) string {
	const least = 3 // who cross
	if len(scans) < control {
		return ""
	}
	for c := range scans[0].Dim {
		low, high := math.Inf(1), math.Inf(-1)
		for t := range scans {
			for i := range scans[t].Len() {
				x := scans[t].At(i)[c]
				low, high = min(low, x), max(high, x)
			}
		}
		for _, a := range []turn{{0, 360, "degrees"}, {-180, 180, "degrees"}, {0, 2 * math.Pi, "radians"}, {-math.Pi, math.Pi, "radians"}} {
			if low < a.from || high > a.to+1e-9*a.around() || high-low < 0.95*a.around() {
				continue
			}
			if crossed, chance := a.crossings(scans, c); crossed >= least && crossed > 2*chance+4*math.Sqrt(chance) {
				return fmt.Sprintf("%c seems to be an angle in %s, from %.4g to %.4g: %v detections near one end go on at the other, where tracks are torn", 'x'+c, a.unit, a.from, a.to, crossed)
			}
		}
	}
	return ""
}

// control is the number of other scans than the next that tell chance.
const control = 5

// crossings are how many detections near an end of the turn, along axis c, go on at the other one
// in the next scan and not where they are, and how many would by chance.
func (a turn) crossings(scans []mtt.Scan, c int) (crossed, chance float64) {
	const (
		pairs = 400 // of scans that are looked at
		reach = 3   // typical steps
		most  = 1e8 // detections that are looked at
	)
	var steps []float64
	every := 1 + len(scans)/pairs
	for t := 0; t+1 < len(scans); t += every {
		for i := range min(20, scans[t].Len()) {
			if step := nearestTo(&scans[t+1], scans[t].At(i), c, 0); step < math.Inf(1) {
				steps = append(steps, step)
			}
		}
	}
	if len(steps) == 0 {
		return 0, 0
	}
	slices.Sort(steps)
	r := reach * steps[len(steps)/2]
	for t, left := 0, int(most); t+1 < len(scans); t += every {
		for i := 0; i < scans[t].Len() && left > 0; i++ {
			at := scans[t].At(i)
			by := a.around()
			if at[c]-a.from > a.around()/2 {
				by = -a.around()
			}
			if min(at[c]-a.from, a.to-at[c]) > r {
				continue
			}
			if left -= (2 + control) * scans[t].Len(); nearestTo(&scans[t+1], at, c, 0) <= r {
				continue
			}
			if nearestTo(&scans[t+1], at, c, by) <= r {
				crossed++
			}
			for k := range control {
				if other := (t + 1 + (1+k)*len(scans)/(control+1)) % len(scans); nearestTo(&scans[other], at, c, by) <= r {
					chance += 1. / control
				}
			}
		}
	}
	return crossed, chance
}

// nearestTo is how far the nearest detection of the scan is from what is at, moved by so much along axis c.
func nearestTo(scan *mtt.Scan, at []float64, c int, by float64) float64 {
	least := math.Inf(1)
	for j := range scan.Len() {
		sum := 0.0
		for d, x := range scan.At(j) {
			off := x - at[d]
			if d == c {
				off -= by
			}
			sum += off * off
		}
		least = min(least, sum)
	}
	return math.Sqrt(least)
}
