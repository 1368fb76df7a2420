package instance

import (
	"reflect"
	"slices"
	"testing"

	"mtt/association/chain/chaintest"
	"mtt/costgen"
	"mtt/dualascent"
)

// This file tests what a run begins with.

// TestCarrySame: what was found of an instance is handed on as it is, and is what finding its
// scans, detections and links again makes of it.
func TestCarrySame(t *testing.T) {
	for n := range 20 {
		m := testModels(false)["gaussian"].(*costgen.Gaussian)
		scans := chaintest.Crowd(t, uint64(n), 3+n%4, 7, false).Scans
		levels := m.Levels
		levels.Sigma, levels.Rates.Hidden = 0.15, 0.4
		gates := chaintest.Gate(t, scans, chaintest.Everything)
		k := &Generator{Gate: chaintest.Everything, Misses: 3, Workers: 1}
		inst, err := k.Build(t.Context(), scans, gates, &costgen.Gaussian{Levels: levels})
		if err != nil {
			t.Fatal(err)
		}
		d, err := dualascent.Solve(t.Context(), &inst.Dual, &dualascent.Options{MaxRounds: 2})
		if err != nil {
			t.Fatal(err)
		}
		s := &Start{Scans: inst.Scans, Coast: inst.Coast, Pairs: inst.Dual.Pairs, Prices: d.Prices, Next: d.Next}
		prices, next := s.carry(inst, 1)
		if &prices[0] != &d.Prices[0] || &next[0] != &d.Next[0] {
			t.Errorf("scene %d: what was found is made anew", n)
		}
		s.Pairs = slices.Clone(s.Pairs) // not known for the same
		again, chosen := s.carry(inst, 1)
		if !reflect.DeepEqual(prices, again) || !reflect.DeepEqual(next, chosen) {
			t.Errorf("scene %d: with links over %d misses, found again it is another", n, len(inst.skips))
		}
	}
}
