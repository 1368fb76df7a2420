package association

// This file tests when an answer is doubted, and when not.

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/motion"
	"mtt/scenario"
)

func TestDoubts(t *testing.T) {
	var scans []mtt.Scan
	whole := mtt.Track{ID: 1, Dim: 2}
	for k := range 30 {
		x := float64(k)
		scans = append(scans, mtt.Scan{Frame: k, Time: x, Dim: 2, Pos: []float64{x, 0.1 * x * x, x, 50}})
		whole.Append(&scans[k], 0)
	}
	var turns []mtt.Scan // of four targets that are seen in turn
	one := mtt.Track{ID: 1, Dim: 2}
	for k := range 40 {
		turns = append(turns, mtt.Scan{Frame: k, Time: float64(k), Dim: 2, Pos: []float64{float64(k), 100 * float64(k%4)}})
		one.Append(&turns[k], 0)
	}
	met := slices.Clone(turns) // two of which are seen at once a single time
	met[7].Pos = append(slices.Clone(met[7].Pos), 7, 0)
	part := mtt.Track{ID: 1, Dim: 2}
	for k := range 10 {
		part.Append(&met[4*k], 0)
	}
	// A target that is tracked, among four that are not, and among as many false alarms.
	rng := rand.New(rand.NewPCG(1, 2))
	fast, alarms := make([]mtt.Scan, 40), make([]mtt.Scan, 40)
	slow := mtt.Track{ID: 1, Dim: 2}
	for k := range fast {
		fast[k] = mtt.Scan{Frame: k, Time: float64(k), Dim: 2, Pos: []float64{0, 0}}
		alarms[k] = fast[k]
		for i := range 4 {
			fast[k].Pos = append(fast[k].Pos, 5*float64(k)+rng.NormFloat64(), 50*float64(i)+rng.NormFloat64())
			alarms[k].Pos = append(alarms[k].Pos, 200*rng.Float64(), 200*rng.Float64())
		}
		slow.Append(&fast[k], 0)
	}
	among := func(g *costgen.Levels, _ *Options) { g.Rates.Clutter = 4 }
	flat := []mtt.Scan{{Dim: 2, Pos: []float64{1, 7}}, {Frame: 1, Time: 1, Dim: 2, Pos: []float64{2, 7}}}
	level := mtt.Track{ID: 1, Dim: 2}
	level.Append(&flat[0], 0)
	level.Append(&flat[1], 0)
	good := func() *costgen.Levels {
		return &costgen.Levels{
			Sigma: 0.1, Accel: 0.2, SpeedStd: 1, Interval: 1, Dim: 2, PositionsOnly: true,
			Rates: costgen.Rates{Clutter: 1, Detect: 0.9, Survive: 0.9, Births: 1, Targets: 1, Volume: 200 * 200},
		}
	}
	for _, c := range []struct {
		name   string
		scans  []mtt.Scan
		tracks []mtt.Track
		change func(g *costgen.Levels, o *Options)
		left   int
		want   string // begins the one warning; empty: none
	}{
		{"nothing to doubt", scans, []mtt.Track{whole}, nil, 30, ""},
		{"no tracks", scans, nil, nil, 60, "0 tracks from 60 detections: each is likelier a false alarm"},
		{"no detections", []mtt.Scan{{Dim: 2}}, nil, nil, 0, ""},
		{"left over", scans, []mtt.Track{whole}, func(g *costgen.Levels, _ *Options) { g.Rates.Clutter = 0.1 }, 30, "30 of 60 detections are in no track, where the rate of false alarms explains 3"},
		{"left over, and followed", fast, []mtt.Track{slow}, among, 160, "some 1"},
		{"left over, false alarms", alarms, []mtt.Track{slow}, among, 160, ""},
		{"noise at its floor", scans, []mtt.Track{whole}, func(g *costgen.Levels, _ *Options) { g.Sigma = 0.003 }, 30, "the estimate of the noise is at its floor"},
		{"given noise is no estimate", scans, []mtt.Track{whole}, func(g *costgen.Levels, o *Options) { g.Sigma, o.Sigma = 0.003, 0.003 }, 30, ""},
		{"given levels are no estimates", scans, []mtt.Track{whole}, func(g *costgen.Levels, o *Options) { g.Sigma, o.Levels = 0.003, g }, 30, ""},
		{"targets that never turn", scans, []mtt.Track{whole}, func(g *costgen.Levels, _ *Options) { g.Accel = 0.003 }, 30, ""},
		{"noise of a walk at its floor", scans, []mtt.Track{whole}, func(g *costgen.Levels, _ *Options) {
			g.Motion, g.SpeedStd, g.Sigma = motion.Walk{}, 0, 0.002
		}, 30, ""},
		{"velocity noise at its floor", scans, []mtt.Track{whole}, func(g *costgen.Levels, _ *Options) { g.PositionsOnly, g.SigmaV = false, 0.003 }, 30, "the estimate of the velocity noise is at its floor"},
		{"only manoeuvres", scans, []mtt.Track{whole}, func(g *costgen.Levels, _ *Options) { g.ManoeuvreProb, g.ManoeuvreAccel = 0.9, 5 }, 30, "the motion fits badly"},
		{"tails in all steps", scans, []mtt.Track{whole}, func(g *costgen.Levels, _ *Options) { g.ManoeuvreProb, g.ManoeuvreAccel = 0.9, g.Accel }, 30, ""},
		{"several seen in turn", turns, []mtt.Track{one}, func(g *costgen.Levels, _ *Options) { g.Sigma = 70 }, 0, "no scan has two detections, and all in tracks are taken for one target, with noise of 70 in a scene of 300"},
		{"several seen in turn but once", met, []mtt.Track{one}, func(g *costgen.Levels, _ *Options) { g.Sigma = 70 }, 1, "97.5 % of the scans have only one detection, and all in tracks are taken for one target, with noise of 70 in a scene of 300"},
		{"one of several seen in turn", met, []mtt.Track{part}, nil, 31, "97.5 % of the scans have only one detection, and tracks explain 10 of 41: if these are several targets"},
		{"one target alone", turns, []mtt.Track{one}, nil, 0, ""},
		{"flat", flat, []mtt.Track{level}, nil, 0, "y does not vary: it is 7 in all 2 detections"},
	} {
		r, o := &Result{Tracks: c.tracks, Levels: good()}, &Options{}
		if c.change != nil {
			c.change(r.Levels, o)
		}
		list, left := r.doubts(t.Context(), c.scans, nil, o)
		switch {
		case left != c.left:
			t.Errorf("%s: %d left over, want %d", c.name, left, c.left)
		case c.want == "" && len(list) > 0, c.want != "" && (len(list) != 1 || !strings.HasPrefix(list[0], c.want)):
			t.Errorf("%s: warnings %q, want %q", c.name, list, c.want)
		}
	}
}

// TestConfused: Brownian particles that get twice as far as to their neighbours are said not to be
// told apart; those that get a third as far are not.
func TestConfused(t *testing.T) {
	t.Parallel()
	for step, want := range map[float64]bool{2: true, 0.3: false} {
		s, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Walk, Targets: 20, Frames: 15, Step: step, Seed: 5, Noise: 0.1, NoVelocity: true})
		if err != nil {
			t.Fatal(err)
		}
		res, err := Track(t.Context(), s.Scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(res.Warnings, "\n"), "too irregularly"); got != want {
			t.Errorf("step %v: warned is %v, want %v: %q", step, got, want, res.Warnings)
		}
	}
}

// TestDoubtPart: a run of which a part is looked at is doubted by how much there is in all of it,
// and what the part says is said of its frames; of a run without a part only that of the whole is
// said.
func TestDoubtPart(t *testing.T) {
	flat := []mtt.Scan{{Frame: 4, Dim: 2, Pos: []float64{1, 7}}, {Frame: 5, Time: 1, Dim: 2, Pos: []float64{2, 7}}}
	levels := &costgen.Levels{Sigma: 0.1, Accel: 0.2, SpeedStd: 1, Interval: 1, Dim: 2, PositionsOnly: true, Rates: costgen.Rates{Clutter: 1, Detect: 0.9, Survive: 0.9, Births: 1, Targets: 1, Volume: 1}}
	const none, many = "0 tracks from 500 detections: ", "400 of 500 detections are in no track, where the rate of false alarms explains 100: "
	const level = "in frames 4 to 5, which were looked at: y does not vary: it is 7 in all 2 detections"
	for _, c := range []struct {
		part  []mtt.Scan
		whole Whole
		want  []string
	}{
		{flat, Whole{Scans: 100, Detections: 500, Left: 500}, []string{level, none}},
		{flat, Whole{Scans: 100, Detections: 500, Left: 400, Tracks: 20}, []string{level, many}},
		{flat, Whole{Scans: 100, Detections: 500, Left: 120, Tracks: 20}, []string{level}},
		{nil, Whole{Scans: 100, Detections: 500, Left: 400, Tracks: 20}, []string{many}},
		{nil, Whole{Scans: 100, Detections: 500, Left: 120, Tracks: 20}, nil},
	} {
		r := &Result{Levels: levels, Model: &costgen.Gaussian{Levels: *levels}}
		r.Doubt(t.Context(), c.part, c.whole, &Options{})
		if r.LeftOut != c.whole.Left || !slices.EqualFunc(r.Warnings, c.want, strings.HasPrefix) {
			t.Errorf("%+v: %d left over, warnings %q, want %q", c.whole, r.LeftOut, r.Warnings, c.want)
		}
	}
}

// TestDrift: what wanders goes nowhere on average; on a stage that drifts by two thirds of a step
// all go there.
func TestDrift(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3, 4, 5} {
		s, err := scenario.Simulate(t.Context(), &scenario.Config{Scene: scenario.Walk, Targets: 20, Frames: 40, Step: 0.3, Seed: seed, Noise: 0.05, NoVelocity: true})
		if err != nil {
			t.Fatal(err)
		}
		if v := drift(s.Scans, s.Truth); v != nil {
			t.Errorf("seed %d: a stage that stands still drifts by %v", seed, v)
		}
		for i := range s.Truth {
			tr := &s.Truth[i]
			for h, hit := range tr.Hits {
				tr.Pos[2*h] += 0.2 * float64(hit.Frame)
			}
		}
		if v := drift(s.Scans, s.Truth); v == nil {
			t.Errorf("seed %d: a drift is not seen", seed)
		}
	}
}
