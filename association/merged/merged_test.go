package merged_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/association/online"
	"mtt/internal/nightly"
	"mtt/scenario"
)

// This file tests merged detections.

// blended simulates a scene and says which of its detections stand for several
// targets: true for those that merged with a target seen before and after, as nobody
// can miss a target that is not there.
func blended(t *testing.T, c scenario.Config) (s *scenario.Scene, of map[mtt.Hit]bool) {
	t.Helper()
	s, err := scenario.Simulate(t.Context(), &c)
	if err != nil {
		t.Fatal(err)
	}
	plain := c
	plain.MergeWithin = 0
	p, err := scenario.Simulate(t.Context(), &plain) // the same but for what is merged
	if err != nil {
		t.Fatal(err)
	}
	of = make(map[mtt.Hit]bool)
	for i := range s.Truth {
		seen := func(h mtt.Hit) bool { return h.Det >= 0 }
		hits := s.Truth[i].Hits
		first := slices.IndexFunc(hits, seen)
		last := len(hits) - 1
		for last > first && !seen(hits[last]) {
			last--
		}
		for f := range hits {
			if seen(hits[f]) || !seen(p.Truth[i].Hits[f]) {
				continue
			}
			// The nearest target with a detection holds it; nearly all groups are pairs.
			det, least := -1, math.Inf(1)
			for j := range s.Truth {
				var d2 float64
				for k, x := range s.Truth[i].At(f) {
					d2 += (x - s.Truth[j].At(f)[k]) * (x - s.Truth[j].At(f)[k])
				}
				if h := s.Truth[j].Hits[f]; seen(h) && d2 < least {
					det, least = h.Det, d2
				}
			}
			h := mtt.Hit{Frame: f, Det: det}
			of[h] = of[h] || first >= 0 && f > first && f < last
		}
	}
	return s, of
}

// TestMerged simulates sensors of limited resolution, with and without misses
// and false alarms, and asks how many of the reported merges are true (precision) and
// how many of the true ones are reported (recall).
func TestMerged(t *testing.T) {
	if testing.Short() {
		t.Skip("many scenes take seconds")
	}
	base := scenario.Config{Scene: scenario.Steer, Targets: 50, Frames: 50, Noise: 0.1, VelocityNoise: 0.1, MergeWithin: 0.6}
	for _, c := range []struct {
		name              string
		edit              func(*scenario.Config)
		precision, recall float64
	}{
		{"clean", func(*scenario.Config) {}, 0.8, 0.8},
		{"space", func(c *scenario.Config) { c.Dim, c.Spread, c.Targets = 3, 1.5, 150 }, 0.8, 0.8},
		{"positions", func(c *scenario.Config) { c.NoVelocity, c.Noise = true, 0.05 }, 0.8, 0.8},
		{"misses", func(c *scenario.Config) { c.Miss = 0.05 }, 0.8, 0.8},
		{"misses and clutter", func(c *scenario.Config) { c.Miss, c.Clutter, c.ClutterRadius = 0.05, 3, 4 }, 0.8, 0.8},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !nightly.Is() && c.name != "misses" { // TestMergedGiven has a clean scene
				t.Skip("MTT_NIGHTLY is not set")
			}
			var right, reported, found, all int
			var resolutions []string
			for seed := range nightly.Or[uint64](1, 2) {
				cfg := base
				c.edit(&cfg)
				cfg.Seed = seed + 1
				s, of := blended(t, cfg)
				for _, between := range of {
					if between {
						all++
					}
				}
				res, err := association.Track(t.Context(), s.Scans, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range res.Merged {
					h := mtt.Hit{Frame: m.Frame, Det: m.Det}
					if between, ok := of[h]; ok {
						right++
						if between {
							found++
							of[h] = false // of three targets in one detection, two pairs may be reported
						}
					}
				}
				reported += len(res.Merged)
				resolutions = append(resolutions, fmt.Sprintf("%.2f", res.Resolution))
			}
			precision, recall := float64(right)/float64(reported), float64(found)/float64(all)
			t.Logf("%d of %d reported are right, %d of %d found: precision %.3f, recall %.3f; resolution %v",
				right, reported, found, all, precision, recall, resolutions)
			if !(precision >= c.precision && recall >= c.recall) {
				t.Errorf("want at least %v and %v", c.precision, c.recall)
			}
		})
	}
}

// TestNotMerged tracks scenes of a sensor that misses targets and resolves all.
func TestNotMerged(t *testing.T) {
	if testing.Short() {
		t.Skip("many scenes take seconds")
	}
	var misses, reported int
	for seed := range nightly.Or[uint64](2, 4) {
		c := scenario.Config{Scene: scenario.Steer, Targets: 60, Frames: nightly.Or(30, 60), Noise: 0.1, VelocityNoise: 0.1, Miss: 0.1, Seed: seed + 1, NoVelocity: seed%2 == 1}
		s, err := scenario.Simulate(t.Context(), &c)
		if err != nil {
			t.Fatal(err)
		}
		res, err := association.Track(t.Context(), s.Scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range s.Truth {
			for _, h := range k.Hits {
				if h.Det < 0 {
					misses++
				}
			}
		}
		reported += len(res.Merged)
	}
	if t.Logf("%d of %d misses taken for merges", reported, misses); reported > misses/500 {
		t.Errorf("%d of %d misses taken for merges", reported, misses)
	}
}

// TestFewMerged: two to four merges in a whole scene are enough for the resolution to be found.
func TestFewMerged(t *testing.T) {
	for _, seed := range []uint64{2, 4} {
		s, of := blended(t, scenario.Config{Scene: scenario.Steer, Targets: 12, Frames: 20, Noise: 0.1, VelocityNoise: 0.1, MergeWithin: 0.6, Seed: seed})
		res, err := association.Track(t.Context(), s.Scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range res.Merged {
			if _, ok := of[mtt.Hit{Frame: m.Frame, Det: m.Det}]; !ok {
				t.Errorf("seed %d: %+v is no merge", seed, m)
			}
		}
		if len(res.Merged) < 2 || math.Abs(math.Log(res.Resolution/0.6)) > 0.4 {
			t.Errorf("seed %d: %d of %d merges are found, resolution %v", seed, len(res.Merged), len(of), res.Resolution)
		}
	}
}

// TestMergedGiven is told a resolution, changes nothing else by it, and finds the same
// with the lag of a sensor; what is further away than it is no merge.
func TestMergedGiven(t *testing.T) {
	if testing.Short() {
		t.Skip("many scenes take seconds")
	}
	s, of := blended(t, scenario.Config{Scene: scenario.Steer, Targets: nightly.Or(35, 50), Frames: nightly.Or(25, 50), Noise: 0.1, VelocityNoise: 0.1, MergeWithin: 0.6, Seed: 1})
	free, err := association.Track(t.Context(), s.Scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		resolution float64
		least      int
		most       int
	}{{0.6, len(free.Merged) * 9 / 10, len(free.Merged) * 11 / 10}, {0.01, 0, len(free.Merged) / 3}} {
		res, err := association.Track(t.Context(), s.Scans, &association.Options{Resolution: c.resolution})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(res.Tracks, free.Tracks) {
			t.Errorf("resolution %v changes tracks", c.resolution)
		}
		if n := len(res.Merged); n < c.least || n > c.most || res.Resolution != c.resolution {
			t.Errorf("resolution %v: %d merged with %v, want %d to %d", c.resolution, n, res.Resolution, c.least, c.most)
		}
	}
	online, err := online.Track(t.Context(), s.Scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for _, m := range online.Merged {
		if _, ok := of[mtt.Hit{Frame: m.Frame, Det: m.Det}]; ok {
			right++
		}
	}
	if n := len(online.Merged); n < len(free.Merged)*8/10 || right < n*9/10 {
		t.Errorf("with a lag: %d merged, %d of them right; without: %d", n, right, len(free.Merged))
	}
	if _, err := association.Track(t.Context(), s.Scans, &association.Options{Resolution: math.NaN()}); !errors.Is(err, association.ErrOptions) {
		t.Errorf("resolution NaN: %v", err)
	}
}
