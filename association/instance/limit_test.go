package instance

import (
	"errors"
	"math/rand/v2"
	"testing"

	"mtt/association/chain/chaintest"
	"mtt/gating"
)

// TestLimit counts what a problem has before it is built, and then; and builds what fits, and nothing else.
func TestLimit(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	m := testModels(true)["gaussian"]
	for n := range 40 {
		scans := chaintest.Scans(rng, 2+rng.IntN(6), 4, 2, true)
		gates, skips := chaintest.Gate(t, scans, chaintest.Everything), allSkips(scans, n%4)
		inst := built(t, scans, gates, skips, m, 1)
		arcs, entries := 0, 0
		for p := range inst.Dual.Pairs {
			arcs += len(inst.Dual.Pairs[p].Col)
		}
		for b := range inst.Dual.Blocks {
			entries += len(inst.Dual.Blocks[b].D)
		}
		for i := range scans[0].Len() {
			entries += inst.Dual.Pairs[0].Ptr[i+1] - inst.Dual.Pairs[0].Ptr[i] + 1
		}
		if a, e := size(gates, skips); a != arcs || e != entries {
			t.Errorf("%d arcs and %d entries, built %d and %d", a, e, arcs, entries)
		}
		k := &Generator{Gate: chaintest.Everything, Limit: gating.Budget{PerArc: 3, PerTriplet: 2}}
		need := k.Limit.Need(size(gates, nil))
		if k.Limit.Bytes = need; need == 0 {
			continue
		}
		if _, err := k.Build(t.Context(), scans, gates, m); err != nil {
			t.Errorf("what fits: %v", err)
		}
		if k.Limit.Bytes = need - 1; need > 1 {
			if inst, err := k.Build(t.Context(), scans, gates, m); inst != nil || !errors.Is(err, ErrLarge) {
				t.Errorf("what does not: %v", err)
			}
		}
		k.Limit.Bytes, k.Misses = need, 3
		switch inst, err := k.Build(t.Context(), scans, gates, m); {
		case errors.Is(err, ErrLarge):
			if len(inst.skips) > 0 {
				t.Error("links over misses fit where nothing more does")
			}
		case err != nil || len(inst.skips) > 0:
			t.Errorf("with %d links over misses: %v", len(inst.skips), err)
		}
	}
}
