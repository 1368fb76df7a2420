package costgen

import (
	"math"
	"slices"

	"mtt"
)

// This file defines noise along and across the lines of sight of sensors that measure range and
// direction, and learns it from tracks.

// A Polar is noise along and across lines of sight, where it was learnt that that of sensors is such.
type Polar struct {
	Sensors []Sight // by mtt.Scan.Sensor
}

// A Sight is what a sensor at a known place errs by. The error of a position, r from there, has to
// first order the standard deviation Range along the line of sight, and across it Bearing and
// Elevation times as much as the sensor is far, of Bearing over the ground only.
type Sight struct {
	Place     [3]float64 // m
	Range     float64    // m; 0: its noise is not polar
	Bearing   float64    // rad
	Elevation float64    // rad; 0 in the plane
}

// appendCov appends the covariance of a measured position, len 2 or 3, packed as mtt.Scan.Cov has
// it, m². The square of a distance is taken to be more by that of Range, which it is on average, so
// that no covariance is singular, where a detection is at the very place of the sensor either.
func (s *Sight) appendCov(dst, pos []float64) []float64 {
	var d [3]float64
	for k, x := range pos {
		d[k] = x - s.Place[k]
	}
	flat := math.Hypot(d[0], d[1])
	r := math.Hypot(flat, d[2])
	along, across, up := s.Range*s.Range, float64(flat*flat)+s.Range*s.Range, float64(r*r)+s.Range*s.Range
	across *= s.Bearing * s.Bearing
	up *= s.Elevation * s.Elevation
	c, sn := 1.0, 0.0 // of the bearing; straight up any will do
	if flat > 0 {
		c, sn = d[0]/flat, d[1]/flat
	}
	if len(pos) == 2 {
		return append(dst, float64(along*c*c)+float64(across*sn*sn), (along-across)*c*sn, float64(along*sn*sn)+float64(across*c*c))
	}
	ce, se := 1.0, 0.0 // of the elevation
	if r > 0 {
		ce, se = flat/r, d[2]/r
	}
	level := float64(along*ce*ce) + float64(up*se*se) // of the line of sight as it lies on the ground
	return append(dst, float64(level*c*c)+float64(across*sn*sn), (level-across)*c*sn, float64(level*sn*sn)+float64(across*c*c),
		(along-up)*ce*se*c, (along-up)*ce*se*sn, float64(along*se*se)+float64(up*ce*ce))
}

// sight is that of a sensor whose noise is polar; nil: it is not.
func (p *Polar) sight(sensor int) *Sight {
	if p == nil || sensor >= len(p.Sensors) || p.Sensors[sensor].Range == 0 {
		return nil
	}
	return &p.Sensors[sensor]
}

// told has detections of s tell the covariances that p knows of.
func (p *Polar) told(s *mtt.Scan) {
	of := p.sight(s.Sensor)
	if of == nil || s.Cov != nil || s.Len() == 0 {
		return
	}
	cov := make([]float64, 0, s.Len()*mtt.Packed(s.Dim))
	for i := range s.Len() {
		cov = of.appendCov(cov, s.At(i))
	}
	s.Cov = cov
}

// FitPolar estimates from tracks the noise of sensors along and across their lines of sight, and
// says by how much the tracks are likelier with it than under g with the noise that they tell, or
// Sigma of g, nat, and how many hits it went by. places has where each sensor stands, m; nil: its
// noise is what its hits tell. sensor says whose scan a frame is. Neither g nor tracks are changed.
// p is nil where there is nothing to go by.
//
// The estimate is the likeliest one, as that of [Fit], together with Accel; that targets move along
// lines of sight as they do across them, the motion says. Manoeuvres are those of g, or there are
// none, whatever is likelier.
func FitPolar(g *Levels, places [][]float64, tracks []mtt.Track, time func(frame int) float64, sensor func(frame int) int) (p *Polar, nats float64, hits int) {
	const most = enough / 2
	plain := newSearch(g, tracks, time, most)
	if plain == nil {
		return nil, 0, 0
	}
	told := make([]mtt.Track, len(tracks))
	for i := range tracks { // a Cov for the general filter to read
		if told[i] = tracks[i]; tracks[i].Cov == nil {
			told[i].Cov = make([]float64, len(tracks[i].Hits)*mtt.Packed(tracks[i].Dim))
		} else {
			told[i].Cov = slices.Clone(tracks[i].Cov)
		}
	}
	levels := *g
	s := newSearch(&levels, told, time, most)
	p = &Polar{Sensors: make([]Sight, len(places))}
	for k := range places {
		copy(p.Sensors[k].Place[:], places[k])
	}
	far, n := make([]float64, len(places)), make([]float64, len(places))
	each := func(do func(k int, cov, pos []float64)) {
		w := mtt.Packed(s.dim)
		for i := range s.paths {
			path := &s.paths[i]
			for h, hit := range path.hits {
				if k := sensor(hit.Frame); k < len(places) && places[k] != nil {
					do(k, path.scan.Cov[h*w:h*w:(h+1)*w], path.scan.At(h))
				}
			}
		}
	}
	each(func(k int, _, pos []float64) {
		for x, v := range pos {
			far[k] += (v - p.Sensors[k].Place[x]) * (v - p.Sensors[k].Place[x])
		}
		n[k]++
	})
	s.noise = func() {
		each(func(k int, cov, pos []float64) { p.Sensors[k].appendCov(cov, pos) })
	}
	run := func() float64 {
		s.level, s.least, s.more = nil, nil, nil
		s.free(&levels.Accel, g.Accel)
		for k := range places {
			if far[k] == 0 {
				continue
			}
			of, away, sigma := &p.Sensors[k], math.Sqrt(far[k]/n[k]), g.Sigma
			if g.Sensing != nil && k < len(g.Sensing.Sigma) && g.Sensing.Sigma[k] > 0 {
				sigma = g.Sensing.Sigma[k]
			}
			s.free(&of.Range, sigma)
			s.rounded(func(p *path) []float64 { return p.pos })
			rounding := s.more[len(s.more)-1]
			for _, angle := range []*float64{&of.Bearing, &of.Elevation}[:s.dim-1] {
				s.free(angle, sigma/away)
				s.more[len(s.more)-1] = rounding / away
			}
		}
		s.run()
		return -s.cost(&levels)
	}
	if nats = run(); g.ManoeuvreProb > 0 { // which may be what noise of another kind looked like
		turning := slices.Clone(p.Sensors)
		levels.ManoeuvreProb = 0
		if smooth := run(); smooth > nats {
			nats = smooth
		} else {
			p.Sensors = turning
		}
	}
	return p, nats + plain.cost(g), s.hits
}
