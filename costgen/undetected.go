package costgen

import (
	"math"

	"mtt"
)

// This file prices births by the targets that were there before, undetected.

// A TrajectoryPMB prices sets of tracks by the density that the trajectory Poisson multi-Bernoulli
// filter [1] has of their association, as Gaussian does but for births: a target whose first
// detection is in scan t was born there, or before and missed since. The intensity of targets to be
// detected first, that of the Poisson part, is
//
//	u₀ = Targets·Detect     uₜ = Births·Detect + hₜ·(1 − Hidden)
//	h₁ = Survive·Targets·(1 − Detect)     hₜ₊₁ = Survive·(Births·(1 − Detect) + hₜ·Hidden)
//
// over Volume, and log uₜ takes the place of log(Births·Detect). With several sensors, whose views
// tell which targets were missed, births are those of Gaussian.
//
// [1] A. F. García-Fernández, L. Svensson, J. L. Williams, Y. Xia, K. Granström. Trajectory Poisson
// multi-Bernoulli filters. IEEE Trans. Signal Process. 68 (2020).
type TrajectoryPMB struct {
	*Gaussian
	less map[int]float64 // by frame: what a birth there costs less
}

// NewTrajectoryPMB is that of scans; g is kept.
func NewTrajectoryPMB(g *Gaussian, scans []mtt.Scan) *TrajectoryPMB {
	m := &TrajectoryPMB{Gaussian: g, less: make(map[int]float64, len(scans))}
	r := &g.Rates
	if g.Sensing != nil || !(r.Births > 0 && r.Detect > 0) {
		return m
	}
	hidden := r.Targets * (1 - r.Detect) // that were there in the scan before, missed
	for t := range scans[min(1, len(scans)):] {
		hidden *= r.Survive
		m.less[scans[t+1].Frame] = math.Log1p(hidden * (1 - r.Again()) / (r.Births * r.Detect))
		hidden = hidden*r.Again() + r.Births*(1-r.Detect)
	}
	return m
}

// EndsAt implements [Local].
func (m *TrajectoryPMB) EndsAt(dst []Ends, s *mtt.Scan) bool {
	less := m.less[s.Frame]
	if local := m.Gaussian.EndsAt(dst, s); !local {
		if less == 0 {
			return false
		}
		ends := m.Ends()
		for i := range s.Len() {
			dst[i] = ends
		}
	}
	for i := range s.Len() {
		dst[i].Birth -= less
	}
	return true
}
