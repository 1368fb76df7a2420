package learn_test

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association/learn"
	"mtt/internal/nightly"
	"mtt/scenario"
)

// This file tests what is told from chance in scenes that are learnt from whole.

// TestChanceFewer: crowds of some thousand false alarms in each scan are refused, and none where a
// speed is given.
func TestChanceFewer(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(15, 128))
	even := func(dst []float64) {
		for k := range dst {
			dst[k] = 1000 * r.Float64()
		}
	}
	for _, tt := range []struct {
		name        string
		scans, each int
		dim, vary   int
		place       func(dst []float64)
	}{
		{"even", 15, 1000, 2, 0, even}, // for the day
		{"in space", 12, 3000, 3, 100, even}, {"even, more", 15, 5000, 2, 0, even}, {"few scans", 6, 3000, 2, 0, even}, {"many scans", 60, 400, 2, 0, even},
	}[:nightly.Or(1, 5)] {
		for range nightly.Or(1, 20) {
			scans := noise(tt.scans, tt.dim, func() int { return tt.each + r.IntN(tt.vary+1) }, tt.place)
			if !chance(t, scans, &learn.Options{}) {
				t.Errorf("%s: something is taken to follow", tt.name)
			}
			if chance(t, scans, &learn.Options{MaxSpeed: 1}) {
				t.Errorf("%s: refused though a speed is given", tt.name)
			}
		}
	}
}

// TestNoChanceFewer: no scenes with targets are refused of which half of the detections and more
// are theirs, nor those of which a few hundred detections are all there is.
func TestNoChanceFewer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("scenes by the dozen")
	}
	kinds := []scenario.Kind{scenario.Drift, scenario.Flow, scenario.Walk, scenario.Cross, scenario.Arena, scenario.Steer, scenario.Turn, scenario.Reverting, scenario.Cells, scenario.Bounce}
	for seed := range uint64(nightly.Or(2, 30)) {
		r := rand.New(rand.NewPCG(15, 129+seed))
		for _, kind := range kinds {
			n := 20 << r.IntN(7)
			c := scenario.Config{Scene: kind, Targets: n, Frames: 12 + r.IntN(40), Noise: 0.1, Miss: 0.3 * r.Float64(), Seed: 2000 + seed, NoVelocity: r.IntN(2) == 0}
			if kind != scenario.Cells {
				c.Clutter = float64(n) * r.Float64()
			}
			if kind == scenario.Walk || kind == scenario.Flow {
				c.Step = 0.3 + r.Float64()
			}
			if c.NoVelocity && kind == scenario.Drift {
				c.Shake = 10 * r.Float64()
			}
			s, err := scenario.Simulate(t.Context(), &c)
			if err != nil {
				t.Log(err)
				continue
			}
			if chance(t, s.Scans, &learn.Options{}) {
				t.Errorf("%+v: taken for chance", c)
			}
		}
	}
}

// TestShiftedAlike: a scan that is the one before moved by far more than its detections are apart
// is no chance.
func TestShiftedAlike(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 130))
	first := noise(1, 2, func() int { return 1500 }, func(dst []float64) { dst[0], dst[1] = 1000*r.Float64(), 1000*r.Float64() })[0]
	var scans []mtt.Scan
	for k := range 12 {
		s := mtt.Scan{Frame: k, Time: float64(k), Dim: 2}
		for i, x := range first.Pos {
			s.Pos = append(s.Pos, x+float64(k*(170-40*(i%2)))+r.NormFloat64())
		}
		scans = append(scans, s)
	}
	if chance(t, scans, &learn.Options{}) {
		t.Error("a sensor that pans is taken for chance")
	}
}
