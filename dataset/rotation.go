package dataset

// This file finds the turns of an antenna in rows that have a time each: a sensor that rotates
// meets targets in the order of their bearings, which grow with time as steadily as it turns.
//
// The pace ω of the turns is where the bearings θ agree best with a beam: |Σ exp(i(θ - ωt))| is as
// large as the number of rows when all are where the beam is, and of about its root when time says
// nothing about bearings. It is looked for in the first rows, in every fourth of four times as
// many, and so on, since a turn may have two rows or thousands. From there on a loop of second
// order (Gardner, Phaselock Techniques, 3rd ed., 2005, chapter 2) follows the beam, as no antenna
// turns at one pace for hours. A scan is a turn, which begins in the direction that has the fewest
// rows, so that few targets are near.

import (
	"fmt"
	"math"
	"slices"
)

const (
	turnRows  = 20  // fewest rows that tell a pace: the chance of one that agrees is exp(-0.8·20) for each pace tried
	paceRows  = 256 // most rows on which paces are tried: enough for three turns of up to 85
	least     = 3   // turns
	perTurn   = 1.5 // fewest rows on average
	beamed    = 0.9 // share of the rows' sum that has to remain: a beam some 25 degrees wide, with late times
	sectors   = 36  // of the directions where a turn may begin; many or few only say how well it is chosen
	notSmooth = 0.1 // of the way: an ellipse half as long again as wide, seen fifteen times a turn, has a twentieth
)

// A beam is where a rotating sensor looks at each row.
type beam struct {
	phase []float64 // rad, unwrapped: grows with time
	sign  float64   // -1: it turns clockwise, bearings fall while the phase grows
	pace  float64   // rad/s, on average
}

// turning is the beam of a rotating sensor that explains bearings, in rad, at ascending times, in
// s; nil where there is none.
func turning(times, bearings []float64) *beam {
	n := len(times)
	if n < turnRows {
		return nil
	}
	for stride := 1; n/stride >= turnRows; stride *= 4 {
		m := min(n/stride, paceRows)
		t, b := make([]float64, m), make([]float64, m)
		for k := range m {
			t[k], b[k] = times[k*stride]-times[0], bearings[k*stride]
		}
		if pace, at, ok := steady(t, b); ok {
			if found := follow(times, bearings, pace, at); found != nil {
				return found
			}
		}
	}
	return nil
}

// steady is the pace, rad/s, of bearings at times from 0 on, negative for clockwise, and the
// bearing of the beam at 0.
func steady(t, b []float64) (pace, at float64, ok bool) {
	span := t[len(t)-1]
	if !(span > 0) {
		return 0, 0, false
	}
	step := 2 * math.Pi / (4 * span) // the nearest one loses 3 %
	agree := func(pace float64) (size, at float64) {
		sin, cos := 0.0, 0.0
		for k, t := range t {
			s, c := math.Sincos(b[k] - pace*t)
			sin, cos = sin+s, cos+c
		}
		return math.Hypot(sin, cos) / float64(len(t)), math.Atan2(sin, cos)
	}
	best := 0.0
	for k := 4 * least; float64(k)*step*span <= 2*math.Pi*float64(len(t))/perTurn; k++ {
		for _, w := range [2]float64{float64(k) * step, -float64(k) * step} {
			if size, _ := agree(w); size > best {
				best, pace = size, w
			}
		}
	}
	if best < beamed-0.05 {
		return 0, 0, false
	}
	for range 3 { // least squares on what is left of the bearings
		_, at = agree(pace)
		mean, n := 0.0, float64(len(t))
		for _, t := range t {
			mean += t / n
		}
		sxy, sxx := 0.0, 0.0
		for k, t := range t {
			sxy += (t - mean) * about(b[k]-at-pace*t)
			sxx += (t - mean) * (t - mean)
		}
		pace += sxy / sxx
	}
	best, at = agree(pace)
	return pace, at, best >= beamed
}

// follow follows a beam that is at a bearing at the first of the times, at that pace.
func follow(times, bearings []float64, pace, at float64) *beam {
	b := &beam{phase: make([]float64, len(times)), sign: 1}
	if pace < 0 {
		b.sign = -1
	}
	pace, at = math.Abs(pace), b.sign*at
	mean := (times[len(times)-1] - times[0]) / float64(len(times)-1)
	// It settles within a turn or two.
	gain := min(0.5, 2*pace*mean/(2*math.Pi))
	now, agrees := at, 0.0
	for k, t := range times {
		if k > 0 {
			now += pace * (t - times[k-1])
		}
		off := about(float64(b.sign*bearings[k]) - now)
		agrees += math.Cos(off)
		now += gain * off
		pace += gain * gain / 4 * off / mean
		b.phase[k] = now
		if math.Abs(off) < math.Pi/4 { // where it is, as its time may be rounded
			b.phase[k] += (1 - gain) * off
		}
	}
	turned := b.phase[len(times)-1] - b.phase[0]
	b.pace = turned / (times[len(times)-1] - times[0])
	if agrees < beamed*float64(len(times)) || turned < least*2*math.Pi || float64(len(times)) < perTurn*turned/(2*math.Pi) {
		return nil
	}
	return b
}

// about is the angle from -π up to π.
func about(x float64) float64 { return x - 2*math.Pi*math.Floor((x+math.Pi)/(2*math.Pi)) }

// several says whether rows in order of the beam are of several targets, and not of one that
// circles about the sensor: ranges stray from what those before and after them say by more than a
// bend of a path, a part of the way.
func (b *beam) several(ranges []float64) bool {
	var strays, ways []float64
	for k := 1; k+1 < len(ranges); k++ {
		before, after := math.Abs(b.phase[k]-b.phase[k-1]), math.Abs(b.phase[k+1]-b.phase[k])
		if before+after > 0 {
			strays = append(strays, math.Abs(ranges[k]-(ranges[k-1]*after+ranges[k+1]*before)/(before+after)))
			ways = append(ways, ranges[k]*(before+after)/2)
		}
	}
	slices.Sort(strays)
	slices.Sort(ways)
	return len(strays) > 0 && strays[len(strays)/2] > notSmooth*ways[len(ways)/2]
}

// begin is the bearing, with the sign of b, at which turns begin: the middle of the widest range of
// directions with the fewest rows.
func (b *beam) begin(bearings []float64) float64 {
	var count [sectors]int
	for _, x := range bearings {
		count[min(int((about(b.sign*x)+math.Pi)/(2*math.Pi)*sectors), sectors-1)]++
	}
	fewest := slices.Min(count[:])
	best, wide := 0, 0
	for k := range sectors {
		n := 0
		for n < sectors && count[(k+n)%sectors] == fewest {
			n++
		}
		if n > wide {
			best, wide = k, n
		}
	}
	return (float64(best)+float64(wide)/2)/sectors*2*math.Pi - math.Pi
}

// byTurns makes scans of the turns of a rotating sensor, where one saw the rows of s; it says whether it did.
func (d *draft) byTurns(o *Options, beats []beat, s *source) bool {
	if s.origin != nil { // longitudes and latitudes, from the middle of all
		return false
	}
	t := s.rows
	place := [2]float64{}
	copy(place[:], o.Sensor)
	times, bearings, ranges := make([]float64, t.n), make([]float64, t.n), make([]float64, t.n)
	for k, b := range beats {
		p := t.pos[int(b.row)*t.dim:]
		if s.moving {
			copy(place[:], t.self(int(b.row)))
		}
		times[k] = b.time
		bearings[k], ranges[k] = math.Atan2(p[1]-place[1], p[0]-place[0]), math.Hypot(p[0]-place[0], p[1]-place[1])
	}
	beam := turning(times, bearings)
	if beam == nil || !beam.several(ranges) {
		return false
	}
	begin := beam.begin(bearings)
	turn := make([]int, t.n)
	for k := range turn {
		turn[k] = int(math.Floor((beam.phase[k] - begin) / (2 * math.Pi)))
		if k > 0 {
			turn[k] = max(turn[k], turn[k-1])
		}
	}
	first, last := turn[0], turn[t.n-1]
	scans := 1
	for k := 1; k < t.n; k++ {
		if turn[k] > turn[k-1] {
			scans++
		}
	}
	gaps := !tooSparse(last-first+1, scans)
	// A scan is when the beam is half round, by all of its rows.
	number, before := -1, math.Inf(-1)
	for lo := 0; lo < t.n; {
		hi, sum := lo, 0.0
		for ; hi < t.n && turn[hi] == turn[lo]; hi++ {
			sum += times[hi] - times[lo] - (beam.phase[hi]-begin-2*math.Pi*(float64(turn[lo])+0.5))/beam.pace
		}
		at := times[lo] + sum/float64(hi-lo)
		if gaps {
			number = turn[lo] - first
		} else {
			number++
		}
		if lo == 0 {
			d.Start = at
		}
		at -= d.Start
		if !(at > before) { // a beam that was lost in a pause
			at = math.Nextafter(before, math.Inf(1))
		}
		for _, b := range beats[lo:hi] {
			t.frame[b.row], t.time[b.row] = number, at
		}
		before, lo = at, hi
	}
	way := "counterclockwise"
	if beam.sign < 0 {
		way = "clockwise"
	}
	from := fmt.Sprint(place)
	if s.moving {
		from = "it"
	}
	d.note("rows have times of their own, and bearings from %s turn %s with them, once in %.4g s: a scan is one turn of a rotating sensor (--dt SECONDS makes other scans)",
		from, way, 2*math.Pi/beam.pace)
	return true
}
