package sensing_test

// This file tracks slow targets whose positions are whole numbers.

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
)

// TestRounded: walkers of a quarter of a pixel a frame are often seen at the same pixel twice, and
// their next step is a whole one. That is no noise of nearly nothing and a random walk of few
// steps.
func TestRounded(t *testing.T) {
	t.Parallel()
	const targets, frames = 25, 60
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 60))
		scans, where := make([]mtt.Scan, frames), make(map[mtt.Hit]int)
		var x, v [targets][2]float64
		for i := range x {
			for d := range x[i] {
				x[i][d], v[i][d] = 200*rng.Float64(), 0.2*rng.NormFloat64()
			}
		}
		for f := range scans {
			s := &scans[f]
			*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for i := range x {
				for d := range x[i] {
					v[i][d] += 0.02 * rng.NormFloat64()
					x[i][d] += v[i][d]
				}
				if rng.Float64() < 0.9 {
					where[mtt.Hit{Frame: f, Det: s.Len()}] = i + 1
					s.Pos = append(s.Pos, math.Round(x[i][0]+0.15*rng.NormFloat64()), math.Round(x[i][1]+0.15*rng.NormFloat64()))
				}
			}
			s.Pos = append(s.Pos, math.Round(200*rng.Float64()), math.Round(200*rng.Float64()))
		}
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		wrong := wrongLinks(res.Tracks, where)
		if len(res.Tracks) > targets+2 || 100*wrong > targets*frames {
			t.Errorf("seed %d: %d targets are %d tracks with %d wrong links, by noise of %.3g pixels", seed, targets, len(res.Tracks), wrong, res.Levels.Sigma)
		}
	}
}

// wrongLinks are the links between different targets, or false alarms.
func wrongLinks(tracks []mtt.Track, where map[mtt.Hit]int) (wrong int) {
	for _, tr := range tracks {
		for k := range len(tr.Hits) - 1 {
			if where[tr.Hits[k]] != where[tr.Hits[k+1]] {
				wrong++
			}
		}
	}
	return wrong
}

// TestSlices: particles wander through a stack of images. Their depth is the number of a slice, by
// far the largest of the errors, and the same most of the time.
func TestSlices(t *testing.T) {
	t.Parallel()
	const targets, frames = 20, 60
	rng := rand.New(rand.NewPCG(3, 60))
	scans, where := make([]mtt.Scan, frames), make(map[mtt.Hit]int)
	var x [targets][3]float64
	for i := range x {
		x[i] = [3]float64{15 * rng.Float64(), 15 * rng.Float64(), 8 * rng.Float64()}
	}
	for f := range scans {
		s := &scans[f]
		*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 3}
		for i := range x {
			for d := range x[i] {
				x[i][d] += 0.15 * rng.NormFloat64()
			}
			if rng.Float64() < 0.9 {
				where[mtt.Hit{Frame: f, Det: s.Len()}] = i + 1
				s.Pos = append(s.Pos, x[i][0]+0.04*rng.NormFloat64(), x[i][1]+0.04*rng.NormFloat64(), math.Round(x[i][2]))
			}
		}
	}
	res, err := association.Track(t.Context(), scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	wrong, cov := wrongLinks(res.Tracks, where), res.Levels.Cov
	if len(res.Tracks) > targets+3 || 100*wrong > targets*frames {
		t.Errorf("%d targets are %d tracks with %d wrong links", targets, len(res.Tracks), wrong)
	}
	if plane, depth := math.Sqrt((cov[0]+cov[2])/2), math.Sqrt(cov[5]); !(plane > 0.01 && plane < 0.08) || !(depth >= 1/math.Sqrt(12)-1e-9) {
		t.Errorf("noise is %.3g in the plane and %.3g in depth, want .04 and at least %.3g", plane, depth, 1/math.Sqrt(12))
	}
}

// TestCoarse tells slow targets in a stack of thick slices, whose other coordinates are hardly
// rounded, and of one coarse coordinate in a plane.
func TestCoarse(t *testing.T) {
	t.Parallel()
	const targets, frames = 25, 60
	for name, quanta := range map[string][]float64{"slices": {0, 0, 5}, "pixels and slices": {1, 1, 5}, "lines": {0, 10}} {
		rng := rand.New(rand.NewPCG(1, 61))
		scans, where := make([]mtt.Scan, frames), make(map[mtt.Hit]int)
		dim := len(quanta)
		x, v := make([]float64, targets*dim), make([]float64, targets*dim)
		for k := range x {
			x[k], v[k] = 80*rng.Float64(), 0.3*rng.NormFloat64()
		}
		for f := range scans {
			s := &scans[f]
			*s = mtt.Scan{Frame: f, Time: float64(f), Dim: dim}
			for _, i := range rng.Perm(targets) {
				for k := i * dim; k < (i+1)*dim; k++ {
					v[k] += 0.02 * rng.NormFloat64()
					x[k] += v[k]
					at := x[k] + 0.15*rng.NormFloat64()
					if q := quanta[k%dim]; q > 0 {
						at = q * math.Round(at/q)
					}
					s.Pos = append(s.Pos, at)
				}
				where[mtt.Hit{Frame: f, Det: s.Len() - 1}] = i + 1
			}
		}
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := wrongLinks(res.Tracks, where); len(res.Tracks) > targets+1 || 200*wrong > targets*frames {
			t.Errorf("%s: %d targets are %d tracks with %d wrong links", name, targets, len(res.Tracks), wrong)
		}
	}
}
