package costgen

import (
	"math"

	"mtt"
	"mtt/motion"
)

// This file learns how often a measured position is far off, and how far.
//
// Problem. Some positions are off by several times what others are: a reflection, a box around two
// people. Of one Gaussian such a detection costs more than to be missed, or than to end a track and
// begin another; where it is linked all the same the filter follows it, and looks for what comes
// next in the wrong place; and the levels that suit all are too wide for most.
//
// Idea. Noise is a mixture of two Gaussians with the same mean [1]. One innovation does not tell an
// outlier from a manoeuvre, but its target comes back: so both are in the likelihood of a whole
// track, each with a probability and a size of its own, and the tracks say how much there is of
// either.
//
// Invariant. Outliers are believed where tracks are likelier with them than without, all levels
// fitted to both, by more than Schwarz's criterion asks of two more numbers [2].
//
// Cost. A few dozen likelihoods as [Fit] has them where nothing speaks for outliers, else some hundreds.
//
// [1] Sorenson, Alspach. Recursive Bayesian estimation using Gaussian sums. Automatica 7(4), 1971.
// [2] Schwarz. Estimating the dimension of a model. Annals of Statistics 6(2), 1978.

// FitOutliers estimates OutlierProb and OutlierTimes from tracks, and with them, from where they
// are, the levels of m that depend on them: Sigma, where noise says so and tracks do not tell
// covariances, and, where moves says so, Accel and what there is of manoeuvres. It returns m with
// these, nil where outliers are not believed, and leaves m alone. time is as [Fit] has it.
func FitOutliers(m *Levels, tracks []mtt.Track, time func(frame int) float64, noise, moves bool) *Levels {
	plain := *m
	plain.OutlierProb, plain.OutlierTimes = 0, 0
	return fitRare(m, &plain, tracks, time, noise, moves, m.OutlierProb > 0, func(l Levels, s *search) (list []Levels) {
		sigma := l.Sigma
		for _, p := range suspicions {
			l.OutlierProb, l.OutlierTimes = p.prob, p.times
			if noise && !s.general {
				l.Sigma = sigma * p.sigma
			}
			list = append(list, l)
		}
		return list
	})
}

// fitRare estimates from tracks levels that have something rare, with two numbers of its own,
// beside all that plain has, m without it, and returns m with these; nil where it is not believed.
// known says that m has it. begin lists where the search may begin from levels without it. noise,
// moves and time are as [FitOutliers] has them.
func fitRare(m, plain *Levels, tracks []mtt.Track, time func(frame int) float64, noise, moves, known bool, begin func(l Levels, s *search) []Levels) *Levels {
	if _, curved := m.motion().(motion.Curved); curved {
		return nil // its smoother takes all detections for alike
	}
	hits := enough
	if len(tracks) > 0 && tracks[0].Cov != nil {
		hits /= 4
	}
	levels := *m
	s := newSearch(&levels, tracks, time, hits)
	if s == nil {
		return nil
	}
	noise = noise && !s.general
	asked := math.Log(float64(s.hits))
	least := s.cost(plain)
	best := least
	from := []Levels{*plain}
	if moves && plain.ManoeuvreProb > 0 { // its manoeuvres may be what is rare
		smooth := *plain
		smooth.Accel = math.Sqrt((1-smooth.ManoeuvreProb)*smooth.Accel*smooth.Accel + smooth.ManoeuvreProb*smooth.ManoeuvreAccel*smooth.ManoeuvreAccel)
		smooth.ManoeuvreProb, smooth.ManoeuvreAccel, smooth.TailDOF = 0, 0, 0
		from = append(from, s.settle(smooth, noise, moves))
	}
	start := *plain
	try := func(l Levels) {
		if c := s.cost(&l); c < best {
			best, start = c, l
		}
	}
	if known {
		try(*m)
	}
	for _, l := range from {
		for _, l := range begin(l, s) {
			try(l)
		}
	}
	if best >= least-asked {
		return nil
	}
	with := s.settle(start, noise, moves)
	without, bare := s.settle(*plain, noise, moves), with
	bare.OutlierProb, bare.OutlierTimes, bare.JumpProb, bare.JumpStd = plain.OutlierProb, plain.OutlierTimes, plain.JumpProb, plain.JumpStd
	// What is likelier by its other levels alone, as where positions are exact and less and less
	// noise suits them, does not speak for what is rare.
	if s.cost(&with) >= min(s.cost(&without), s.cost(&bare))-asked {
		return nil
	}
	return &with
}

// suspicions are where a search for outliers may begin, and what is left of the noise that was
// learnt without them.
var suspicions = []struct{ prob, times, sigma float64 }{
	{0.03, 4, 1}, {0.03, 4, 0.8}, {0.03, 8, 0.8}, {0.1, 3, 0.8}, {0.2, 3, 0.6},
}

// settle searches from levels for likelier ones.
func (s *search) settle(from Levels, noise, moves bool) Levels {
	m := s.levels
	*m = from
	s.level, s.least, s.more = s.level[:0], s.least[:0], s.more[:0]
	if noise {
		s.free(&m.Sigma, m.Sigma)
		s.rounded(func(p *path) []float64 { return p.pos })
	}
	if moves {
		s.free(&m.Accel, m.Accel)
	}
	if s.turns = moves && m.ManoeuvreProb > 0; s.turns {
		s.free(&m.ManoeuvreAccel, m.ManoeuvreAccel)
		s.free(&m.ManoeuvreProb, m.ManoeuvreProb)
	}
	if m.OutlierProb > 0 {
		s.free(&m.OutlierProb, m.OutlierProb)
		s.free(&m.OutlierTimes, m.OutlierTimes)
	}
	if m.JumpProb > 0 {
		s.free(&m.JumpProb, m.JumpProb)
		s.free(&m.JumpStd, m.JumpStd)
	}
	if len(s.level) > 0 {
		s.run()
	}
	return *m
}
