package online

import (
	"context"
	"math"

	"mtt"
	"mtt/association/chain"
)

// This file waits while the sensor is silent.
//
// Scans without detections, where so many targets were there that not all can be missed by chance,
// say that the sensor is silent, and nothing of the targets. Links pass over few scans, and a
// silence may last; so the window keeps few of its scans, the first ones and the last, and nothing
// is learnt from them. Who was there before is found again by where it must have got to since.

// An empty scan is silence where chance would make one of e¹⁵, three million, empty; each target is
// taken to be gone or missed with a probability of rarely at least, as rates that are learnt from
// few scans are too sure. After endless scans of a silence who was there has left.
const unlikely, rarely, endless = 15, 0.02, 100

// dark reports whether the sensor is silent at a scan, so that not all that it does not see is missed.
func (k *Tracker) dark(s *mtt.Scan) bool {
	switch {
	case s.Len() > 0 || k.w == nil || !k.lesson.steady || k.several():
		k.silent = 0
		return false
	case k.silent > 0:
		return k.silent < endless
	}
	rates, last, there := &k.model.Levels.Rates, k.w.Len()-1, 0
	for _, p := range k.w.Links().Prev[last] {
		if p != chain.None {
			there++
		}
	}
	missed := max(2-rates.Detect-rates.Survive, rarely)
	return rates.Clutter-float64(there)*math.Log(missed) > unlikely
}

// wait tracks a scan of a silent sensor.
func (k *Tracker) wait(ctx context.Context, s *mtt.Scan) error {
	if k.silent >= max(1, min(k.improved()+1, k.misses/2)) {
		k.w.Retract()
		last := len(k.ids) - 1
		k.ids, k.orders = k.ids[:last], k.orders[:last]
	}
	k.silent++
	k.lapses.blank = k.from + len(k.ids)
	return k.step(ctx, s)
}
