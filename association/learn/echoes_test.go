package learn

// This file tests which of echoes and companions tracks show.

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/costgen"
)

// TestOverCompanions: pairs of targets at one offset for two fifths of the time, as in a formation
// that turns, are no echoes: the other is there when a target is missed, too.
func TestOverCompanions(t *testing.T) {
	const frames, pairs, noise, side = 50, 20, 0.1, 100.
	for _, echoes := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(5, 5))
		var from [pairs][2]float64
		for i := range from {
			from[i] = [2]float64{side * rng.Float64(), side * rng.Float64()}
		}
		scans, tracks := make([]mtt.Scan, frames), make([]mtt.Track, 2*pairs)
		for f := range scans {
			s := &scans[f]
			*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			see := func(x, y float64) {
				s.Pos = append(s.Pos, x+noise*rng.NormFloat64(), y+noise*rng.NormFloat64())
			}
			by := [2]float64{0, 2}
			if f < frames*2/5 {
				by = [2]float64{2, 0}
			}
			for i, p := range from {
				seen := rng.Float64() < 0.9
				if seen {
					see(p[0], p[1])
					tracks[i].Dim = 2
					tracks[i].Append(s, s.Len()-1)
				}
				switch tr := &tracks[pairs+i]; {
				case !echoes && rng.Float64() < 0.9:
					see(p[0]+by[0], p[1]+by[1])
					tr.Dim = 2
					tr.Append(s, s.Len()-1)
				case echoes && seen && rng.Float64() < 0.4:
					see(p[0]+2, p[1])
				}
			}
		}
		if echoes {
			tracks = tracks[:pairs]
		}
		l := &learner{part: scans, tracks: tracks, levels: &costgen.Levels{Sigma: noise, Dim: 2}}
		l.levels.Rates.Volume = side * side
		nats := l.overCompanions(&costgen.Echoes{Offset: [3]float64{2}, Sigma: 0.14, Share: 0.3})
		if echoes != (nats > 5) {
			t.Errorf("echoes %v: likelier by %.3g nat", echoes, nats)
		}
	}
}
