package learn_test

import (
	"testing"

	"mtt/scenario"
)

// This file tests that more false alarms are learnt where counts say so.

// TestMore learns from targets among twice as many false alarms around them, a fifth of them
// missed. Half of the false alarms passed for targets that turn in every other step.
func TestMore(t *testing.T) {
	t.Parallel()
	g, alarms := learntFrom(t, &scenario.Config{
		Scene: scenario.Arena, Targets: 40, Frames: 24, Noise: 0.1, NoVelocity: true, Miss: 0.2, Clutter: 80, ClutterRadius: 4, Seed: 5,
	})
	if g.ManoeuvreProb > 0 || alarms < 60 || alarms > 100 {
		t.Errorf("turns in %v of the steps and %v false alarms are learnt, 0 and 80 are true", g.ManoeuvreProb, alarms)
	}
}
