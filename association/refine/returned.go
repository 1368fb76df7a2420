package refine

import (
	"math"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
)

// This file says how much likelier tracks are where what jumps comes back.

// Returned is by how many nats tracks of scans are likelier where a position that has jumped may
// come back in each step, with one probability, to where it would be without: as after a reflection
// that lasts. Moves price a jump back as any other, as a state knows nothing of where it came from.
// It is 0 where nothing comes back, and takes the time of a filter along each track.
func Returned(tracks []mtt.Track, scans []mtt.Scan, model costgen.Leveled) float64 {
	levels := model.Noise().OfTracks()
	params := levels.Params(max(levels.Dim, 2))
	if levels.AnyGeneral(scans) {
		return returned(motion.NewRunner(motion.NewFull(params), params), params, tracks, scans)
	}
	return returned(motion.NewRunner(motion.NewAxes(params), params), params, tracks, scans)
}

func returned[S, E any](r motion.Runner[S, E], params *motion.Params, tracks []mtt.Track, scans []mtt.Scan) float64 {
	if !r.Jumps() {
		return 0
	}
	var gain, backs, away float64 // nat, but for probabilities; jumps back; steps that might have been such
	index := mtt.ByFrame(scans)
	for i := range tracks {
		hits := tracks[i].Hits
		var state, home S
		var since float64
		r.Start(&state, &scans[index[hits[0].Frame]], hits[0].Det)
		for h, out := 1, false; h < len(hits); h++ {
			a, b, det := &scans[index[hits[h-1].Frame]], &scans[index[hits[h].Frame]], hits[h].Det
			before := state
			kind := r.Advance(&state, b.Time-a.Time, b, det)
			if out {
				away++
			}
			switch {
			case kind != motion.Jump:
			case out:
				at := home
				r.Predict(&at, b.Time-since, motion.Smooth)
				back, off := r.Innovation(&at, b, det), r.Innovation(&state, b, det)
				if d := (off.D2 + off.Base - back.D2 - back.Base) / 2; d > 0 {
					gain, backs, out = gain+d, backs+1, false
				}
			default:
				home, since, out = before, a.Time, true
			}
			r.Take(&state, b, det, kind)
		}
	}
	share := (backs + 0.5) / (away + 1)
	return max(0, gain+backs*math.Log(share/params.JumpProb)+(away-backs)*math.Log1p(-share))
}
