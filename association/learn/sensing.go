package learn

import (
	"cmp"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/sensor"
)

// This file learns how well each of several sensors sees.

// An own is what the scans of one sensor, of several, say by themselves: between those of two sensors
// a target that both see has hardly moved, and of others there is no successor.
type own struct {
	sensor int
	part   []mtt.Scan
	length float64 // m: how far most successors are, or are from where they are expected
	wide   float64 // m: how far the farthest are
	dt     float64 // s: from scan to scan
	alarms float64 // detections of a scan that were in no track of them; 0: not known
}

// ofSensors looks at the scans of each sensor that has three or more, those of the one with most
// detections first; dt is the time from scan to scan of all.
func (l *learner) ofSensors(dt float64) (list []own) {
	for k := range l.Sensors {
		if part := ofSensor(l.part, k); len(l.Sensors) > 1 && len(part) > 2 {
			list = append(list, own{sensor: k, part: part, dt: interval(part)})
		}
	}
	slices.SortStableFunc(list, func(a, b own) int { return cmp.Compare(count(b.part), count(a.part)) })
	if len(list) == 0 {
		list = []own{{part: l.part, dt: dt}}
	}
	for k := range list {
		list[k].look(l.steady)
	}
	return list
}

// look sets how far successors are, as it shows without association; where steady, all have one.
func (o *own) look(steady bool) {
	self := newSelfPart(o.part, 1)
	half := max(self.half(), tiny)
	o.length, o.wide = 2*half, max(self.most(), 2*half)
	if steady {
		o.wide = max(o.wide, self.radius(0.97))
	}
}

// length is how far most successors are, or are from where they are expected, from one scan to the
// next of whatever sensor.
func (l *learner) length() float64 {
	if len(l.own) == 1 {
		return l.own[0].length
	}
	fastest := 0.0
	for _, o := range l.own {
		fastest = max(fastest, o.length/o.dt)
	}
	return fastest * interval(l.part)
}

// sense sets the levels of the sensors: their probabilities of detection and numbers of false
// alarms, as counted in tracks, or, where there are none yet, guessed. A sensor misses a target
// when it has it in view, on the straight line between the detections before and after, and does
// not report it; half an event is added to each count. A pilot links too few of those detections
// that one sensor alone sees, and the more false alarms are learnt from it the fewer does the next;
// tracks of the sensor's scans by themselves link too many. Where these leave fewer, the number is
// taken halfway between, in proportion. The rates of misses and false alarms of all sensors
// together follow.
func (l *learner) sense(tracks []mtt.Track) {
	n := len(l.Sensors)
	if n == 0 {
		return
	}
	p := &costgen.Sensing{
		Sensors: l.Sensors, Detect: make([]float64, n), Clutter: make([]float64, n), Volume: make([]float64, n),
	}
	if known := l.levels.Sensing; known != nil {
		p.Sigma, p.SigmaV = known.Sigma, known.SigmaV
	}
	r := &l.levels.Rates
	found, missed := make([]float64, n), make([]float64, n)
	used := make([]float64, n)
	index := mtt.ByFrame(l.part)
	for i := range tracks {
		hits := tracks[i].Hits
		if len(hits) < 2 {
			continue
		}
		for h := range hits {
			t := index[hits[h].Frame]
			k := l.part[t].Sensor
			if k < n {
				used[k]++
			}
			if h == 0 {
				continue
			}
			if k < n {
				found[k]++
			}
			s := index[hits[h-1].Frame]
			a, b := tracks[i].At(h-1), tracks[i].At(h)
			for u := s + 1; u < t; u++ {
				x := costgen.Between(a, b, l.part[s].Time, l.part[t].Time, l.part[u].Time)
				if k := l.part[u].Sensor; k < n && p.Sees(&l.part[u], x[:len(a)]) {
					missed[k]++
				}
			}
		}
	}
	var seen, lost, alarms float64
	for k := range l.Sensors {
		own := ofSensor(l.part, k)
		all := 0.0
		for t := range own {
			all += float64(own[t].Len())
		}
		p.Volume[k] = Volume(own, 6*l.levels.Sigma) * inView(own, &l.Sensors[k])
		p.Detect[k], p.Clutter[k] = r.Detect, max(r.Clutter*all/math.Max(1, float64(len(own))*r.Targets), 1e-3)
		if tracks != nil {
			p.Detect[k] = (found[k] + 0.5) / (found[k] + missed[k] + 1)
			p.Clutter[k] = (all - used[k] + 0.5) / float64(len(own)+1)
		}
		for _, o := range l.own {
			if tracks != nil && o.sensor == k && o.alarms > 0 && o.alarms < p.Clutter[k] {
				p.Clutter[k] = math.Sqrt(p.Clutter[k] * o.alarms)
			}
		}
		if d := l.Sensors[k].Detect; d > 0 {
			p.Detect[k] = min(d, 1-1e-9)
		}
		if c := l.Sensors[k].Clutter; c > 0 {
			p.Clutter[k] = c
		}
		seen, lost, alarms = seen+found[k], lost+missed[k], alarms+p.Clutter[k]*float64(len(own))
	}
	if tracks != nil {
		r.Clutter = alarms / float64(len(l.part))
		r.Detect, r.Hidden = (seen+0.5)/(seen+lost+1), 0
	}
	l.levels.Sensing = p
}

// learnsNoise reports whether there are several sensors whose noise is to be learnt, of each by itself.
func (l *learner) learnsNoise(scans []mtt.Scan) bool {
	if s := l.Levels; s != nil {
		return s.Sensing != nil && s.Sensing.Sigma != nil
	}
	return len(l.Sensors) > 1 && l.Sigma == 0 && slices.ContainsFunc(scans, func(s mtt.Scan) bool { return s.Len() > 0 && s.Cov == nil })
}

// noises gives each sensor whose detections tell no covariances the noise that its description
// tells, or that all are taken to have.
func (l *learner) noises(scans []mtt.Scan) {
	if !l.learnsNoise(scans) {
		return
	}
	p := *l.levels.Sensing
	p.Sigma, p.SigmaV = make([]float64, len(l.Sensors)), make([]float64, len(l.Sensors))
	for t := range scans {
		if s := &scans[t]; s.Sensor < len(p.Sigma) && s.Len() > 0 && s.Cov == nil {
			told := l.Sensors[s.Sensor].Noise
			p.Sigma[s.Sensor], p.SigmaV[s.Sensor] = cmp.Or(told["position"], l.levels.Sigma), cmp.Or(told["velocity"], l.levels.SigmaV)
		}
	}
	l.levels.Sensing = &p
}

// noisy reports whether the noise of some sensor is learnt.
func (l *learner) noisy() bool { return l.levels.Sensing != nil && l.levels.Sensing.Sigma != nil }

// fitNoise learns the noise of each sensor whose detections do not tell it from tracks of scans,
// which then tell it, under levels.
func fitNoise(g *costgen.Levels, scans []mtt.Scan, tracks []mtt.Track) *costgen.Sensing {
	of := make(map[int]int, len(scans))
	for t := range scans {
		of[scans[t].Frame] = scans[t].Sensor
	}
	costgen.FitNoise(g, tracks, Times(scans), func(frame int) int { return of[frame] })
	return g.Sensing
}

// inView is the share of the box in which the detections of scans lie that a sensor sees, of the
// middles of some thousands of equal parts; 1 where it sees none.
func inView(scans []mtt.Scan, s *sensor.Sensor) float64 {
	if s.View == nil {
		return 1
	}
	dim := dimension(scans)
	lo, hi := [3]float64{}, [3]float64{}
	for d := range dim {
		lo[d], hi[d] = math.Inf(1), math.Inf(-1)
	}
	for t := range scans {
		for i, x := range scans[t].Pos {
			lo[i%dim], hi[i%dim] = min(lo[i%dim], x), max(hi[i%dim], x)
		}
	}
	side := 64
	if dim == 3 {
		side = 16
	}
	seen, all := 0.0, int(math.Pow(float64(side), float64(dim)))
	var x [3]float64
	for part := range all {
		for d, rest := 0, part; d < dim; d, rest = d+1, rest/side {
			x[d] = lo[d] + (hi[d]-lo[d])*(float64(rest%side)+0.5)/float64(side)
		}
		if s.Sees(x[:dim]) {
			seen++
		}
	}
	if seen == 0 {
		return 1
	}
	return seen / float64(all)
}

// ofSensor are the scans of one sensor.
func ofSensor(scans []mtt.Scan, sensor int) []mtt.Scan {
	var own []mtt.Scan
	for t := range scans {
		if scans[t].Sensor == sensor {
			own = append(own, scans[t])
		}
	}
	return own
}

// Deepest is the number of misses in a row that links of the assignment problem
// pass over at most, where nobody says. The refinement closes longer gaps.
const Deepest = 5

// Deep is Deepest, or more where most detections that follow others come later than that, as of
// targets that report by themselves, and scans hold so few that a link looks past few others.
func Deep(scans []mtt.Scan, r *costgen.Rates) int {
	const others, halvings, most = 400, 7, 100 // detections of all places that a link may pass over; one gap in 2⁷ is longer; scans
	few := int(others * float64(len(scans)) / max(count(scans), 1))
	return max(Deepest, min(few, halvings*Usual(r), most))
}

// Seldom reports whether most detections that follow others come later than links of the assignment
// problem pass over, as of targets that report by themselves.
func Seldom(r *costgen.Rates) bool { return Usual(r) > Deepest }

// Usual is the number of misses in a row by which half of the detections that follow others have
// come; 0 where that is at once.
func Usual(r *costgen.Rates) int {
	if r.Detect >= 0.5 || r.Hidden <= 0 || r.Hidden >= 1 {
		return 0
	}
	if r.Uneven > 0 { // where StillMissed is as much
		return int(math.Ceil(min((math.Pow(0.5/(1-r.Detect), -r.Uneven)-1)/(math.Pow(r.Hidden, -r.Uneven)-1), math.MaxInt32/8)))
	}
	return int(math.Ceil(min(math.Log(0.5/(1-r.Detect))/math.Log(r.Hidden), math.MaxInt32/8)))
}

// Over is the number of scans that a link may pass over where so many lie between two of one
// sensor, and it may miss so many detections in a row.
func Over(misses, between int) int { return 2 * (misses + between) }

// MostBetween is the most scans of other sensors between two of one that are taken into account.
const MostBetween = 30

// Between is the greatest number of scans of other sensors between two of the same, at
// most MostBetween: as many may a target that only one sees be passed over by.
func Between(scans []mtt.Scan) int {
	last := make(map[int]int)
	most := 0
	for t := range scans {
		if s, ok := last[scans[t].Sensor]; ok {
			most = max(most, t-s-1)
		}
		last[scans[t].Sensor] = t
	}
	return min(most, MostBetween)
}
