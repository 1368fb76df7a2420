package costgen

import "mtt"

// This file learns how often positions jump, and how far.
//
// Problem. Some positions are off by much more than noise for several detections in a row, as by a
// reflection that lasts, or a target changes its place at once and goes on as before. For a filter
// that is a turn, to a velocity that nobody has, and a second one in the next step; tracks end
// there, and others begin.
//
// Idea. A step may be a jump: the position moves by a Gaussian of its own, and the velocity goes
// on. Two jumps, there and back, are what an error that lasts costs, however long it does. The
// tracks say how many there are, and how far they go.
//
// Invariant. Jumps are believed where tracks are likelier with them than without, all levels fitted
// to both, by more than Schwarz's criterion asks of two more numbers, as outliers are. Among
// outliers a few of these may pass for jumps.
//
// Cost. That of [FitOutliers].

// FitJumps estimates JumpProb and JumpStd from tracks, and with them, from where they are, what
// [FitOutliers] does; how often positions are far off, too, where m has such. It returns m with
// these, nil where jumps are not believed, and leaves m alone.
func FitJumps(m *Levels, tracks []mtt.Track, time func(frame int) float64, noise, moves bool) *Levels {
	plain := *m
	plain.JumpProb, plain.JumpStd = 0, 0
	return fitRare(m, &plain, tracks, time, noise, moves, m.JumpProb > 0, func(l Levels, s *search) (list []Levels) {
		of := []Levels{l}
		if l.OutlierProb > 0 { // they may be what jumps there and back
			l.OutlierProb, l.OutlierTimes = 0, 0
			of = append(of, l)
		}
		for _, l := range of {
			for _, share := range []float64{0.5, 1, 2, 4, 8} {
				for _, prob := range []float64{0.005, 0.02, 0.08} {
					l.JumpProb, l.JumpStd = prob, share*s.length
					list = append(list, l)
				}
			}
		}
		return list
	})
}
