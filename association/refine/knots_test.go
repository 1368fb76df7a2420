package refine

import (
	"math/rand/v2"
	"testing"

	"mtt/association/chain/chaintest"
	"mtt/costgen"
)

// This file tests moves that undo each other.

// TestKnots: where moves undo each other, sweep by sweep, all but the last round of them is left
// out, and links are those of all sweeps.
func TestKnots(t *testing.T) {
	const sweeps = 8
	for _, misses := range []int{0, 2} {
		fewer := 0
		for seed := range uint64(200) {
			rng := rand.New(rand.NewPCG(seed, 5))
			levels := refineLevels(false, 2)
			levels.ManoeuvreProb, levels.ManoeuvreAccel = 0.3, 3
			model := &costgen.Gaussian{Levels: levels}
			scans := chaintest.Scans(rng, 7, 7, 2, false)
			gates := chaintest.Gate(t, scans, chaintest.Everything)
			c := chaintest.Links(rng, scans, min(misses, 1))
			all := clone(c)
			looks := 0
			if _, err := Links(t.Context(), c, scans, gates, model, &Options{
				Misses: misses, Speed: 100, Sweeps: sweeps, Workers: 1, Weighed: func(int) { looks++ },
			}); err != nil {
				t.Fatal(err)
			}
			r := testRefiner(all, scans, gates, model, misses, 100)
			if misses == 0 { // there is a survey first
				r.loose = true
				looks--
			}
			n, done := 0, 0
			for ; done < sweeps && (n > 0 || done < 2); done++ {
				var err error
				if n, err = r.sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				if !r.loose {
					r.loose = true
					r.retry()
				}
			}
			if !equalLinks(c, all) {
				t.Errorf("%d misses, seed %d: other links than those of all sweeps", misses, seed)
			}
			if n > 0 && looks < done {
				fewer++
			}
		}
		if fewer == 0 {
			t.Errorf("%d misses: no moves that undo each other are left out", misses)
		}
	}
}
