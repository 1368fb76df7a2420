package online

import (
	"math"

	"mtt"
	"mtt/association/learn"
	"mtt/costgen"
)

// This file follows the field, where targets come and false alarms lie.
//
// Levels are learnt again at ever longer intervals, and from all scans since the last change. Where
// targets spread all the time, as those that set out from one place do, the field has become
// several times as large by then as it was in those scans, and false alarms and births, of which
// there are as many in a scan as before, look several times as dense as they are. So they are
// priced by the field of the last scans where that is the larger one. A smaller one only says that
// targets have gathered, not that others come nowhere else.

// A field is the volume of the last scans.
type field struct {
	scans int     // that say anything of it
	log   float64 // of its volume in m² or m³, the mean of the scans, the last ones counting most
}

// latest is what the last scan counts in the mean, and hardly a difference of logarithms of volumes
// that changes no price by more than a hundredth.
const latest, hardly = 0.2, 0.01

// see takes a scan into the field, of nothing shorter than least, in m.
func (f *field) see(s *mtt.Scan, least float64) {
	v := math.Log(learn.Volume([]mtt.Scan{*s}, least))
	if s.Len() < 2 || math.IsInf(v, 0) { // one detection lies anywhere
		return
	}
	f.scans++
	f.log += max(latest, 1/float64(f.scans)) * (v - f.log)
}

// cover prices births and false alarms by the field of the last scans where that has become larger
// than the levels say, those that were given too, unless the rates that were told say it, a model
// was, or where and when there are how many of them was learnt. It reports whether that makes a
// difference.
func (k *Tracker) cover() (differs bool) {
	g := k.model.Levels
	if k.opts.Model != nil || k.opts.Rates != nil && k.opts.Rates.Volume > 0 || g.Sensing != nil || g.Places != nil && g.Places.Clutter != nil || k.field.scans == 0 {
		return false
	}
	volume, now := &k.model.Model.(costgen.Leveled).Noise().Rates.Volume, max(g.Rates.Volume, math.Exp(k.field.log))
	if math.Abs(math.Log(now / *volume)) <= hardly {
		return false
	}
	*volume = now
	return true
}
