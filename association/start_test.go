package association_test

import (
	"math"
	"slices"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/dualascent"
	"mtt/internal/nightly"
	"mtt/scenario"
)

// This file tests runs that start from earlier ones.

// without is the scans less one detection.
func without(scans []mtt.Scan, t, i int) []mtt.Scan {
	list := slices.Clone(scans)
	s := &list[t]
	n := s.Len()
	cut := func(flat []float64, of int) []float64 {
		return slices.Concat(flat[:i*of], flat[(i+1)*of:])
	}
	s.Pos = cut(s.Pos, len(s.Pos)/n)
	if s.Vel != nil {
		s.Vel = cut(s.Vel, len(s.Vel)/n)
	}
	return list
}

// TestStart edits a scene: a detection goes, another frame comes, the first ones
// go. The ascent that starts from the run before needs a fraction of the passes until
// its bound is as close as that of an ascent from nothing.
func TestStart(t *testing.T) {
	if testing.Short() {
		t.Skip("many scenes take seconds")
	}
	cold, warm := 0, 0
	targets, frames := nightly.Or(45, 60), nightly.Or(24, 30)
	for seed := range nightly.Or[uint64](1, 8) {
		sc, err := scenario.Simulate(t.Context(), &scenario.Config{
			Scene: scenario.Steer, Targets: targets, Frames: frames + 1, Spread: 1, Noise: 0.2, VelocityNoise: 0.2, Miss: 0.05, Clutter: 3, Seed: seed,
		})
		if err != nil {
			t.Fatal(err)
		}
		opts := &association.Options{Sigma: 0.2, SigmaV: 0.2, NoRefine: true, Workers: 1, Dual: dualascent.Options{Effort: -1}}
		first, err := association.Track(t.Context(), sc.Scans[:frames], opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.Levels, opts.Gate, opts.Sigma, opts.SigmaV = first.Levels, first.Gate, 0, 0 // else the edit would change all prices
		for name, scans := range map[string][]mtt.Scan{
			"less": without(sc.Scans[:frames], frames/2, 3), "longer": sc.Scans, "later": sc.Scans[4:frames], "same": sc.Scans[:frames],
		} {
			again := *opts
			one, err := association.Track(t.Context(), scans, &again)
			if err != nil {
				t.Fatal(err)
			}
			again.Start = first.Start()
			two, err := association.Track(t.Context(), scans, &again)
			if err != nil {
				t.Fatal(err)
			}
			// Where the bounds of the ascent from nothing were in the end, less 0.001 %.
			aim := one.Dual.Certified - 1e-5*math.Abs(one.Dual.Certified)
			passes := func(r *association.Result) int {
				for k, s := range r.Dual.Trace {
					if s.Lower >= aim {
						return k + 1
					}
				}
				if len(r.Dual.Trace) > 0 {
					t.Errorf("%s, seed %d: bound %v, not %v", name, seed, r.Dual.LowerBound, aim)
				}
				return len(r.Dual.Trace)
			}
			cold += passes(one)
			warm += passes(two)
			if d := two.Dual.UpperBound - one.Dual.UpperBound; d > 1e-3*math.Abs(one.Dual.UpperBound) {
				t.Errorf("%s, seed %d: cost %v, from nothing %v", name, seed, two.Dual.UpperBound, one.Dual.UpperBound)
			}
			if name == "same" && two.Dual.LowerBound < first.Dual.Certified-1e-9*math.Abs(first.Dual.Certified) {
				t.Errorf("seed %d: bound %v after %v", seed, two.Dual.LowerBound, first.Dual.Certified)
			}
		}
	}
	t.Logf("%d passes from nothing, %d from the run before", cold, warm)
	if warm*2 > cold {
		t.Errorf("%d passes from nothing, %d from the run before", cold, warm)
	}
}
