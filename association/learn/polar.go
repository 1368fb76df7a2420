package learn

import (
	"slices"

	"mtt"
	"mtt/costgen"
)

// This file learns the noise of sensors that measure range and direction and do not tell how well.
//
// Problem. A bearing that is wrong by a degree is wrong by 17 m at a kilometre and by 1.7 km at a
// hundred, while ranges are as good there as nearby. One number for the noise is too small for what
// is far and across, and too large for all else.
//
// Idea. Where the sensor stands is known: it is said, or positions were made of ranges and bearings
// from there. Then noise has two numbers, of range and bearing, or three in space, and those are
// learnt that are likeliest for the tracks.
//
// Invariant. The noise stays the same along all directions unless tracks are likelier by more with
// it otherwise, and, once all is learnt anew with detections that tell it, so is all that was
// detected.

// places are where sensors stand whose noise may be polar, by number, m, one coordinate for each
// number that is learnt; nil of others; nil where there is none: what noise is is said, or
// detections tell it.
func (o *Options) places(scans []mtt.Scan) (places [][]float64) {
	if o.Isotropic || o.Levels != nil || o.Cost != nil || o.Sigma > 0 || Velocities(scans) || vast(scans) || slices.ContainsFunc(scans, func(s mtt.Scan) bool { return s.Cov != nil }) {
		return nil
	}
	for k := range o.Sensors {
		if s := &o.Sensors[k]; s.Kind == "polar" && len(s.Noise) == 0 && len(s.Place) <= dimension(scans) {
			if places == nil {
				places = make([][]float64, len(o.Sensors))
			}
			places[k] = make([]float64, dimension(scans))
			copy(places[k], s.Place)
		}
	}
	return places
}

// polar finds the noise of sensors at such places.
func polar(places [][]float64) teller {
	return func(l *learner, tracks []mtt.Track, g, before *costgen.Levels) (told costgen.Levels, ok bool) {
		of := make(map[int]int, len(l.part))
		for t := range l.part {
			of[l.part[t].Frame] = l.part[t].Sensor
		}
		p, nats, hits := costgen.FitPolar(g, places, tracks, Times(l.part), func(frame int) int { return of[frame] })
		l.fitted(g, tracks)
		least := worth * float64(hits)
		if before != nil { // it is polar, and this is whether its numbers are those: by chance half a nat each
			least = 0
			for k := range places {
				least += float64(len(places[k]))
			}
		}
		return costgen.Levels{Polar: p}, p != nil && nats > least
	}
}

// alone are options without a description of one sensor that says no more than none does.
func (o *Options) alone() *Options {
	if len(o.Sensors) != 1 || !o.Sensors[0].Plain() {
		return o
	}
	c := *o
	c.Sensors = nil
	return &c
}
