package online

// This file counts how the scans of several sensors follow each other.

import "mtt/association/learn"

// turns are how often sensors report.
type turns struct {
	between int // scans of others between two of the sensor that reports least often: the mean, rounded up, at its highest
	scans   int
	of      map[int]reports
}

// reports are the scans of one sensor.
type reports struct{ first, count int }

// count counts a scan of a sensor, and reports whether more lie between two of one than thought so far.
func (k *turns) count(sensor int) (more bool) {
	if k.of == nil {
		k.of = make(map[int]reports)
	}
	r, ok := k.of[sensor]
	if !ok {
		r.first = k.scans
	}
	r.count++
	k.of[sensor] = r
	if steps := r.count - 1; steps > 0 {
		mean := (k.scans - r.first + steps - 1) / steps // rounded up
		between := min(mean-1, learn.MostBetween)
		more = between > k.between
		k.between = max(k.between, between)
	}
	k.scans++
	return more
}
