package online

import (
	"context"
	"math"
	"testing"

	"mtt"
	"mtt/association/learn"
	"mtt/costgen"
	"mtt/scenario"
)

// This file tests that prices follow the field.

// volumes are those of what the tracker prices by, of its levels, and of the last scan.
func volumes(t *testing.T, scans []mtt.Scan, opts *Options) (priced, learnt, last float64) {
	t.Helper()
	k, err := NewTracker(opts)
	if err != nil {
		t.Fatal(err)
	}
	for s := range scans {
		if err := k.Step(t.Context(), &scans[s]); err != nil {
			t.Fatal(err)
		}
	}
	g := k.model.Levels
	return k.model.Model.(costgen.Leveled).Noise().Rates.Volume, g.Rates.Volume, learn.Volume(scans[len(scans)-1:], 6*g.Sigma)
}

// TestField: where targets spread all the time, false alarms and births are priced by where the
// last scans lie, unless it was told; few links are lost thereby. Where targets gather prices stay
// what they were learnt to be. Of the scene the old code lost .43 % of the links.
func TestField(t *testing.T) {
	t.Parallel()
	c := scenario.Config{Scene: scenario.Turn, Targets: 60, Frames: 50, Noise: 0.1, NoVelocity: true, Miss: 0.05, Clutter: 3, Seed: 9401}
	scene, err := scenario.Simulate(context.Background(), &c)
	if err != nil {
		t.Fatal(err)
	}
	priced, learnt, last := volumes(t, scene.Scans, &Options{Sigma: 0.1})
	if learnt > last/3 {
		t.Fatalf("levels were learnt in %g m² and the last scan has %g: nothing is tested", learnt, last)
	}
	if priced < last/1.5 || priced > 1.5*last {
		t.Errorf("prices are those of %g m², the last scan has %g", priced, last)
	}
	if priced, _, _ := volumes(t, scene.Scans, &Options{Sigma: 0.1, Rates: &costgen.Rates{Volume: 100}}); math.Abs(priced-100) > 1e-9 {
		t.Errorf("100 m² were told, prices are those of %g", priced)
	}
	gathering := make([]mtt.Scan, len(scene.Scans))
	for s := range gathering {
		gathering[s] = scene.Scans[len(scene.Scans)-1-s]
		gathering[s].Frame, gathering[s].Time = scene.Scans[s].Frame, scene.Scans[s].Time
	}
	if priced, learnt, last := volumes(t, gathering, &Options{Sigma: 0.1}); learnt < 3*last || priced != learnt {
		t.Errorf("levels were learnt in %g m², the last scan has %g, prices are those of %g", learnt, last, priced)
	}
	if res, err := Track(t.Context(), scene.Scans, &Options{Sigma: 0.1}); err != nil {
		t.Error(err)
	} else if wrong := wrongLinks(t, scene.Truth, res.Tracks); wrong > 0.3 {
		t.Errorf("%.2f %% of the links are wrong", wrong)
	}
}
