package association

// This file tests that links of chance are counted.

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/scenario"
)

// TestByChance: among false alarms of which there are nine for each target, levels that are right
// find hardly a link where nothing is followed, and levels with which targets go anywhere, and most
// false alarms are some, find a large part of what they find. With few false alarms nobody asks.
func TestByChance(t *testing.T) {
	t.Parallel()
	const side, targets, frames = 40.0, 6, 12
	for _, c := range []struct {
		clutter     int
		accel       float64
		rate        float64 // of false alarms, as levels have it; the others are targets
		least, most float64 // of the links, by chance
	}{
		{54, 0.1, 54, 0, 0.1},
		{54, 1, 12, 0.4, 1},
		{0, 1, 0.01, 0, 0},
	} {
		for seed := range uint64(3) {
			rng := rand.New(rand.NewPCG(15, seed))
			var x, v [targets][2]float64
			for i := range x {
				for d := range x[i] {
					x[i][d], v[i][d] = side*(0.2+0.6*rng.Float64()), rng.NormFloat64()
				}
			}
			scans := make([]mtt.Scan, frames)
			for k := range scans {
				scans[k] = mtt.Scan{Frame: k, Time: float64(k), Dim: 2}
				for i := range x {
					for d := range x[i] {
						scans[k].Pos = append(scans[k].Pos, x[i][d]+0.1*rng.NormFloat64())
						x[i][d], v[i][d] = x[i][d]+v[i][d], v[i][d]+0.1*rng.NormFloat64()
					}
				}
				for range 2 * c.clutter {
					scans[k].Pos = append(scans[k].Pos, side*rng.Float64())
				}
			}
			o := &Options{Levels: &costgen.Levels{
				Sigma: 0.1, Accel: c.accel, SpeedStd: 1, Interval: 1, Dim: 2, PositionsOnly: true,
				Rates: costgen.Rates{Detect: 0.99, Survive: 0.98, Births: 0.5, Targets: targets + float64(c.clutter) - c.rate, Clutter: c.rate, Volume: side * side},
			}}
			res, err := Track(t.Context(), scans, o)
			if err != nil {
				t.Fatal(err)
			}
			before := slices.Clone(scans[3].Pos)
			chance, deviation, links := res.byChance(t.Context(), scans, o)
			if share := chance / float64(links); !(share >= c.least && share <= c.most) {
				t.Errorf("clutter %d, acceleration %v, seed %d: %.0f ± %.0f of %d links by chance", c.clutter, c.accel, seed, chance, deviation, links)
			}
			if !slices.Equal(scans[3].Pos, before) {
				t.Fatal("scans were moved")
			}
		}
	}
}

// TestByChanceInTime: where false alarms lie closely at first and widely later, and levels know it,
// chance links no more of them where scans are moved apart than in the scans themselves.
func TestByChanceInTime(t *testing.T) {
	t.Parallel()
	s, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Drift, Targets: 4, Frames: 40, Noise: 0.1, NoVelocity: true, Miss: 0.1, Clutter: 15, Seed: 32})
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{Sigma: 0.1, Rates: &costgen.Rates{Detect: 0.9, Clutter: 15}}
	res, err := Track(t.Context(), s.Scans, o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Levels.Places == nil || res.Levels.Places.Clutter == nil {
		t.Fatal("levels have no density of false alarms")
	}
	if chance, deviation, links := res.byChance(t.Context(), s.Scans, o); links < 100 || chance > 0.1*float64(links) {
		t.Errorf("%.0f ± %.0f of %d links by chance", chance, deviation, links)
	}
}

// TestSureTracks: targets that tracks follow through all scans are no false alarms, though chance
// would make tracks of as many detections anywhere.
func TestSureTracks(t *testing.T) {
	const side, targets, frames = 40.0, 12, 50
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(16, seed))
		scans := make([]mtt.Scan, frames)
		for k := range scans {
			scans[k] = mtt.Scan{Frame: k, Time: float64(k), Dim: 2}
		}
		for range targets {
			x, v := [2]float64{side * rng.Float64(), side * rng.Float64()}, [2]float64{}
			for k := range scans {
				for d := range x {
					scans[k].Pos = append(scans[k].Pos, x[d]+0.1*rng.NormFloat64())
					if v[d] += 0.5 * rng.NormFloat64(); x[d]+v[d] < 0 || x[d]+v[d] > side {
						v[d] = -v[d]
					}
					x[d] += v[d]
				}
			}
		}
		for k := range scans {
			scans[k].Pos = append(scans[k].Pos, side*rng.Float64(), side*rng.Float64())
		}
		o := &Options{Levels: &costgen.Levels{
			Sigma: 0.1, Accel: 1, SpeedStd: 2, Interval: 1, Dim: 2, PositionsOnly: true,
			Rates: costgen.Rates{Detect: 0.99, Survive: 0.98, Births: 0.5, Targets: targets, Clutter: 1, Volume: side * side},
		}}
		res, err := Track(t.Context(), scans, o)
		if err != nil {
			t.Fatal(err)
		}
		all, _, _ := res.apart(t.Context(), scans, o)
		chance, _, links := res.byChance(t.Context(), scans, o)
		if least := alarms * float64(links); all < least || chance > least/2 {
			t.Errorf("seed %d: %.0f of %d links by chance, %.0f with all that is sure", seed, chance, links, all)
		}
	}
}
