package association_test

import (
	"math"
	"slices"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/association/merged"
	"mtt/association/online"
	"mtt/scenario"
)

// This file tests that the general filter is the fast one where both can be used.

// TestGeneralFilter tells every detection the covariance that all have: the tracks of all
// engines, of the tracker and the merged detections stay what they were.
func TestGeneralFilter(t *testing.T) {
	t.Parallel()
	for _, vel := range []bool{true, false} {
		const sigma = 0.1
		scene, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Steer, Targets: 25, Frames: 24, Spread: 1.6, Noise: sigma, VelocityNoise: sigma, NoVelocity: !vel,
			Miss: 0.05, MergeWithin: 0.5, Clutter: 2, ClutterRadius: 4, Seed: 3,
		})
		if err != nil {
			t.Fatal(err)
		}
		o := association.Options{Sigma: sigma}
		if vel {
			o.SigmaV = sigma
		}
		known, err := association.Learn(t.Context(), scene.Scans, &o)
		if err != nil {
			t.Fatal(err)
		}
		told := slices.Clone(scene.Scans)
		for k := range told {
			s := &told[k]
			for range s.Len() {
				s.Cov = append(s.Cov, sigma*sigma, 0, sigma*sigma)
				if vel {
					s.VelCov = append(s.VelCov, sigma*sigma, 0, sigma*sigma)
				}
			}
		}
		same := func(what string, a, b []mtt.Track) {
			t.Helper()
			if !slices.EqualFunc(a, b, func(x, y mtt.Track) bool { return slices.Equal(x.Hits, y.Hits) }) {
				t.Errorf("velocities %v, %s: %d tracks, and %d by the general filter, not the same", vel, what, len(a), len(b))
			}
		}
		near := func(what string, a, b []merged.Pair) {
			t.Helper()
			if len(a) == 0 || !slices.EqualFunc(a, b, func(x, y merged.Pair) bool {
				return x.Frame == y.Frame && x.Det == y.Det && x.Tracks == y.Tracks && math.Abs(x.LogOdds-y.LogOdds) < 1e-6*(1+math.Abs(x.LogOdds))
			}) {
				t.Errorf("velocities %v, %s: merged %v, and %v by the general filter", vel, what, a, b)
			}
		}
		for _, engine := range []association.Engine{association.Dual, association.Greedy, association.GNN} {
			opts := &association.Options{Engine: engine, Levels: known.Levels, Resolution: 0.5}
			one, err := association.Track(t.Context(), scene.Scans, opts)
			if err != nil {
				t.Fatal(err)
			}
			two, err := association.Track(t.Context(), told, opts)
			if err != nil {
				t.Fatal(err)
			}
			same(string(engine), one.Tracks, two.Tracks)
			near(string(engine), one.Merged, two.Merged)
		}
		opts := &online.Options{Levels: known.Levels}
		one, err := online.Track(t.Context(), scene.Scans, opts)
		if err != nil {
			t.Fatal(err)
		}
		two, err := online.Track(t.Context(), told, opts)
		if err != nil {
			t.Fatal(err)
		}
		same("online", one.Tracks, two.Tracks)
	}
}
