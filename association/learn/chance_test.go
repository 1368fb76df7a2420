package learn_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association/learn"
	"mtt/gating"
	"mtt/internal/nightly"
	"mtt/scenario"
)

// This file tests that crowds in which nothing follows from scan to scan are told from those in
// which something does.

var errPilot = errors.New("a pilot was asked")

// noPilot says that it was asked.
type noPilot struct{}

func (noPilot) Track(context.Context, []mtt.Scan, *learn.Model) ([]mtt.Track, float64, error) {
	return nil, 0, errPilot
}

func (noPilot) Sum(context.Context, []mtt.Scan, *learn.Model) ([]mtt.Track, float64, error) {
	return nil, 0, errPilot
}

func (noPilot) Fits(context.Context, []mtt.Scan, gating.Gate, int) (bool, error) {
	return false, errPilot
}

// chance reports whether scans are refused before a pilot is asked.
func chance(t *testing.T, scans []mtt.Scan, opts *learn.Options) bool {
	t.Helper()
	_, err := learn.Learn(t.Context(), scans, opts, noPilot{})
	if err != nil && !errors.Is(err, learn.ErrChance) && !errors.Is(err, errPilot) {
		t.Fatal(err)
	}
	return errors.Is(err, learn.ErrChance)
}

// noise are scans of about so many false alarms each, at places that place draws.
func noise(scans, dim int, number func() int, place func(dst []float64)) []mtt.Scan {
	list := make([]mtt.Scan, scans)
	for t := range list {
		list[t] = mtt.Scan{Frame: t, Time: float64(t), Dim: dim, Pos: make([]float64, dim*number())}
		for i := range list[t].Len() {
			place(list[t].Pos[dim*i : dim*(i+1)])
		}
	}
	return list
}

// TestChance: crowds of false alarms are refused whatever their density over the place, unless a
// speed is given.
func TestChance(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("scenes of a hundred thousand detections")
	}
	r := rand.New(rand.NewPCG(15, 127))
	equal := func() int { return 9000 }
	varied := func() int { return 9000 + r.IntN(400) }
	even := func(dst []float64) {
		for k := range dst {
			dst[k] = 1000 * r.Float64()
		}
	}
	heap := func(dst []float64) { // ever denser towards the middle
		for k := range dst {
			dst[k] = 100 * r.NormFloat64()
		}
	}
	pixels := func(dst []float64) {
		for k := range dst {
			dst[k] = float64(r.IntN(500))
		}
	}
	for _, tt := range []struct {
		name   string
		dim    int
		number func() int
		place  func(dst []float64)
	}{
		{"even", 2, equal, even}, {"a heap in space, numbers that vary", 3, varied, heap}, {"even, in space", 3, varied, even}, {"numbers that vary", 2, varied, even},
		{"a heap", 2, equal, heap}, {"pixels", 2, varied, pixels},
	}[:nightly.Or(2, 6)] {
		for range nightly.Or(1, 20) {
			scans := noise(14, tt.dim, tt.number, tt.place)
			if !chance(t, scans, &learn.Options{}) {
				t.Errorf("%s: something is taken to follow", tt.name)
			}
			if chance(t, scans, &learn.Options{MaxSpeed: 1}) {
				t.Errorf("%s: refused though a speed is given", tt.name)
			}
			if tt.dim == 2 && chance(t, noise(2, 2, func() int { return 60_000 }, tt.place), &learn.Options{}) {
				t.Errorf("%s: two scans are refused, from which nothing is learnt", tt.name)
			}
		}
	}
}

// TestChanceStopped: the look at a crowd ends with its context.
func TestChanceStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	r := rand.New(rand.NewPCG(15, 128))
	scans := noise(12, 2, func() int { return 9000 }, func(dst []float64) { dst[0], dst[1] = r.Float64(), r.Float64() })
	if _, err := learn.Learn(ctx, scans, &learn.Options{}, noPilot{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestOnePlace: crowds at one place are no chance, and are tracked as they come.
func TestOnePlace(t *testing.T) {
	scans := noise(12, 2, func() int { return 9000 }, func(dst []float64) { dst[0], dst[1] = 1, 2 })
	if chance(t, scans, &learn.Options{}) {
		t.Error("detections at one place are refused")
	}
}

// TestNoChance: crowds are learnt from where targets follow, however long their steps and few they
// are, as far as can be seen at all. Not seen are a tenth of the detections that follow at twice
// the distance of neighbours, and nine thousand targets that burst from one place, of which links
// are chance.
func TestNoChance(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("scenes of a hundred thousand detections")
	}
	for _, c := range []scenario.Config{
		{Scene: scenario.Flow, Step: 0.9}, {Scene: scenario.Walk, Step: 3}, {Scene: scenario.Cross, Miss: 0.2, Clutter: 3000},
		{Scene: scenario.Drift, Targets: 700, Clutter: 9000, SpeedMin: 0.1, SpeedMax: 0.2, Accel: 0.02}, // for the day

		{Scene: scenario.Flow, Step: 1.2}, {Scene: scenario.Flow, Step: 2}, {Scene: scenario.Walk, Step: 0.5}, {Scene: scenario.Walk, Step: 1.5},
		{Scene: scenario.Arena}, {Scene: scenario.Arena, Miss: 0.2, Clutter: 3000}, {Scene: scenario.Steer}, {Scene: scenario.Steer, Miss: 0.2, Clutter: 3000},
		{Scene: scenario.Drift, Miss: 0.2, Clutter: 3000}, {Scene: scenario.Steer, Dim: 3, Miss: 0.2, Clutter: 3000}, {Scene: scenario.Bounce, Fast: 0.5},
		{Scene: scenario.Turn}, {Scene: scenario.Reverting}, {Scene: scenario.Cells}, {Scene: scenario.Drift, Shake: 4}, {Scene: scenario.Drift, Shake: 20},
		{Scene: scenario.Drift, Targets: 1000, Clutter: 9000, SpeedMin: 0.3, SpeedMax: 0.6},
	}[:nightly.Or(4, 21)] {
		for seed := range uint64(nightly.Or(1, 10)) {
			if c.Targets == 0 {
				c.Targets = 9000
			}
			c.Frames, c.Noise, c.Seed = 14, 0.1, 1500+seed
			for _, c.NoVelocity = range []bool{true, false}[:nightly.Or(1, 2)] {
				if !c.NoVelocity && (c.Shake > 0 || c.Step > 0 || c.Scene == scenario.Cells) {
					continue // not measured
				}
				s, err := scenario.Simulate(t.Context(), &c)
				if err != nil {
					t.Fatal(err)
				}
				if chance(t, s.Scans, &learn.Options{}) {
					t.Errorf("%+v: taken for chance", c)
				}
			}
		}
	}
}
