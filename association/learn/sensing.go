package learn

import (
	"math"

	"mtt"
	"mtt/costgen"
)

// This file learns how well each of several sensors sees.

// sense sets the levels of the sensors: their probabilities of detection and numbers of
// false alarms, as counted in tracks, or, where there are none yet, guessed. A sensor misses
// a target when it has it in view, on the straight line between the detections before
// and after, and does not report it; half an event is added to each count. The rates of
// misses of all sensors together follow.
func (l *learner) sense(tracks []mtt.Track) {
	n := len(l.Sensors)
	if n == 0 {
		return
	}
	p := &costgen.Sensing{
		Sensors: l.Sensors, Detect: make([]float64, n), Clutter: make([]float64, n), Volume: make([]float64, n),
	}
	r := &l.levels.Rates
	found, missed := make([]float64, n), make([]float64, n)
	used := make([]float64, n)
	index := make(map[int]int, len(l.part))
	for t := range l.part {
		index[l.part[t].Frame] = t
	}
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
	var seen, lost float64
	for k := range l.Sensors {
		own := ofSensor(l.part, k)
		all := 0.0
		for t := range own {
			all += float64(own[t].Len())
		}
		p.Volume[k] = volume(own, 6*l.levels.Sigma)
		p.Detect[k], p.Clutter[k] = r.Detect, max(r.Clutter*all/math.Max(1, float64(len(own))*r.Targets), 1e-3)
		if tracks != nil {
			p.Detect[k] = (found[k] + 0.5) / (found[k] + missed[k] + 1)
			p.Clutter[k] = (all - used[k] + 0.5) / float64(len(own)+1)
		}
		if d := l.Sensors[k].Detect; d > 0 {
			p.Detect[k] = min(d, 1-1e-9)
		}
		if c := l.Sensors[k].Clutter; c > 0 {
			p.Clutter[k] = c
		}
		seen, lost = seen+found[k], lost+missed[k]
	}
	if tracks != nil {
		r.Detect, r.Hidden = (seen+0.5)/(seen+lost+1), 0
	}
	l.levels.Sensing = p
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

// Between is the greatest number of scans of other sensors between two of the same, at
// most 30: as many may a target that only one sees be passed over by.
func Between(scans []mtt.Scan) int {
	last := make(map[int]int)
	most := 0
	for t := range scans {
		if s, ok := last[scans[t].Sensor]; ok {
			most = max(most, t-s-1)
		}
		last[scans[t].Sensor] = t
	}
	return min(most, 30)
}
