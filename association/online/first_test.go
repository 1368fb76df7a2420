package online

import (
	"math"
	"testing"

	"mtt"
	"mtt/costgen"
)

// This file tests what is told after one scan.

// TestFirst: one scan tells neither errors nor false alarms; who says them is believed, and the
// second scan tells.
func TestFirst(t *testing.T) {
	scans, _ := walkers(10, 3, 0)
	empty := mtt.Scan{Dim: 2, Frame: scans[0].Frame - 1, Time: scans[0].Time - 1}
	for _, c := range []struct {
		name          string
		opts          Options
		scans         []mtt.Scan
		noise, alarms bool // are known
	}{
		{"nothing said", Options{}, scans[:1], false, false},
		{"after an empty scan", Options{}, []mtt.Scan{empty, scans[0]}, false, false},
		{"noise", Options{Sigma: 0.1}, scans[:1], true, false},
		{"false alarms", Options{Rates: &costgen.Rates{Clutter: 2}}, scans[:1], false, true},
		{"two scans", Options{}, scans[:2], true, true},
	} {
		k, err := NewTracker(&c.opts)
		if err != nil {
			t.Fatal(err)
		}
		for s := range c.scans {
			if err := k.Step(t.Context(), &c.scans[s]); err != nil {
				t.Fatal(err)
			}
		}
		targets := k.Targets(nil)
		if len(targets) < 10 {
			t.Errorf("%s: %d targets of 10", c.name, len(targets))
		}
		for _, g := range targets {
			if math.IsNaN(g.Std) == c.noise || math.IsNaN(g.Cov[0]) == c.noise || c.noise && g.Std < 1e-6 || (g.Existence == 0.5) == c.alarms {
				t.Errorf("%s: standard deviation %g, variance %g, existence %g", c.name, g.Std, g.Cov[0], g.Existence)
			}
		}
	}
}
