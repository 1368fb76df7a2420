package learn_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/costgen"
	"mtt/metrics"
	"mtt/scenario"
)

// This file tests what is learnt where a detector says how sure it is.

// junk adds n detections to each scan, anywhere in the box of all, and gives all of them confidences:
// those of targets from right, the others from wrong.
func junk(scene *scenario.Scene, n int, right, wrong func(rng *rand.Rand) float64) (scans []mtt.Scan) {
	rng := rand.New(rand.NewPCG(1, 1))
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, s := range scene.Scans {
		for i, x := range s.Pos {
			lo[i%2], hi[i%2] = min(lo[i%2], x), max(hi[i%2], x)
		}
	}
	for _, s := range scene.Scans {
		c := mtt.Scan{Frame: s.Frame, Time: s.Time, Dim: 2, Pos: slices.Clone(s.Pos), Conf: make([]float64, s.Len())}
		for i := range c.Conf {
			c.Conf[i] = wrong(rng)
		}
		for range n {
			c.Pos = append(c.Pos, lo[0]+(hi[0]-lo[0])*rng.Float64(), lo[1]+(hi[1]-lo[1])*rng.Float64())
			c.Conf = append(c.Conf, wrong(rng))
		}
		scans = append(scans, c)
	}
	for _, tr := range scene.Truth {
		for _, h := range tr.Hits {
			if h.Det >= 0 {
				scans[h.Frame-scans[0].Frame].Conf[h.Det] = right(rng)
			}
		}
	}
	return scans
}

// between draws from an interval.
func between(lo, hi float64) func(rng *rand.Rand) float64 {
	return func(rng *rand.Rand) float64 { return lo + (hi-lo)*rng.Float64() }
}

// TestConfident tracks a scene with twice as many false alarms as targets, of which the detector is not
// sure: noise, motion and the greatest speed are learnt, and tracks are found, as without them. Otherwise
// the greatest speed is learnt as ten times what it is.
func TestConfident(t *testing.T) {
	t.Parallel()
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{
		Scene: scenario.Drift, Targets: 8, Frames: 40, Spread: 12, Noise: 0.3, NoVelocity: true, Miss: 0.08, MissRun: 3, Births: 0.1, Clutter: 0.3, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	track := func(scans []mtt.Scan) (*costgen.Levels, *metrics.Report) {
		t.Helper()
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		report, err := metrics.Score(scene.Truth, res.Tracks, nil)
		if err != nil {
			t.Fatal(err)
		}
		return res.Levels, report
	}
	const more = 20
	plain, without := track(junk(scene, 0, between(0.3, 1), between(0, 0.3)))
	levels, with := track(junk(scene, more, between(0.3, 1), between(0, 0.3)))
	near := func(name string, got, want, tol float64) {
		if math.Abs(got-want) > tol*want {
			t.Errorf("%s is learnt as %.4g, without false alarms as %.4g", name, got, want)
		}
	}
	near("noise", levels.Sigma, plain.Sigma, 0.03)
	near("process noise", levels.Accel, plain.Accel, 0.05)
	near("speed", levels.MaxSpeed, plain.MaxSpeed, 0.3)
	near("detection", levels.Rates.Detect, plain.Rates.Detect, 0.01)
	near("clutter", levels.Rates.Clutter, plain.Rates.Clutter+more, 0.01)
	if levels.Motion != plain.Motion {
		t.Errorf("motion %v, want %v", levels.Motion, plain.Motion)
	}
	if with.MMEP > without.MMEP+0.5 || with.FalseLinks > without.FalseLinks+1 || with.IDF1 < without.IDF1-0.5 {
		t.Errorf("MMEP %.2f, %d false links, IDF1 %.2f; without false alarms %.2f, %d, %.2f",
			with.MMEP, with.FalseLinks, with.IDF1, without.MMEP, without.FalseLinks, without.IDF1)
	}
}

// TestConfidentField adds false alarms of which the detector is not sure over a picture nine times
// as large as the field of the targets. Births are priced as without them, and false alarms of
// which it is sure nearly so: a tenth of all of them may have any confidence.
func TestConfidentField(t *testing.T) {
	t.Parallel()
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{
		Scene: scenario.Drift, Targets: 8, Frames: 40, Spread: 12, Noise: 0.3, NoVelocity: true, Miss: 0.08, MissRun: 3, Births: 0.1, Clutter: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	plain := junk(scene, 0, between(0.7, 1), between(0.3, 1))
	rng := rand.New(rand.NewPCG(3, 3))
	littered := slices.Clone(plain)
	for i := range littered {
		s := &littered[i]
		s.Pos, s.Conf = slices.Clone(s.Pos), slices.Clone(s.Conf)
		for range 20 {
			s.Pos, s.Conf = append(s.Pos, 120*(rng.Float64()-0.5), 120*(rng.Float64()-0.5)), append(s.Conf, 0.2*rng.Float64())
		}
	}
	prices := func(scans []mtt.Scan) (births, alarms float64) {
		t.Helper()
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		g := res.Levels
		return math.Log(g.Rates.Births / g.Rates.Volume), math.Log(g.Rates.Clutter/g.Rates.Volume) + g.Confidence.At([]float64{0.9})
	}
	births, alarms := prices(plain)
	withBirths, withAlarms := prices(littered)
	if math.Abs(withBirths-births) > 0.3 || math.Abs(withAlarms-alarms) > 1 {
		t.Errorf("log densities of births and of false alarms of confidence .9: %.3g and %.3g, without the others %.3g and %.3g",
			withBirths, withAlarms, births, alarms)
	}
}
