package refine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/association/chain"
	"mtt/association/chain/chaintest"
	"mtt/costgen"
)

// TestDoze: with rows that sleep until somebody wants their columns, links are those that come of
// all rows, however wrong they were.
func TestDoze(t *testing.T) {
	const sweeps = 6
	rng := rand.New(rand.NewPCG(77, 4))
	slept, woken := 0, 0
	for n := range 80 {
		vel, dim := n%2 == 0, 2+n/2%2
		levels := refineLevels(vel, dim)
		levels.Rates.Volume = []float64{3, 30, 1e3, 1e6}[n%4] // to begin pays often, seldom, or never
		scans := chaintest.Scans(rng, 10, 12, dim, vel)
		gates := chaintest.Gate(t, scans, chaintest.Everything)
		begin := chaintest.Links(rng, scans, 0)
		refined := func(doze bool) *chain.Links {
			c := clone(begin)
			r := testRefiner(c, scans, gates, &costgen.Gaussian{Levels: levels}, 0, 100)
			r.movers, r.loose = r.movers[:1], true
			if doze {
				r.remember()
			}
			m := r.movers[0]
			m.places.prices, m.parts.prices = m.pricesOfPlaces(), m.pricesOfParts()
			m.places.prices.wake = func(col int32) { woken++; m.wake(&m.places.neighbourhood, &m.places.prices, col) }
			m.parts.prices.wake = func(col int32) { woken++; m.wake(&m.parts.neighbourhood, &m.parts.prices, col) }
			if err := r.survey(t.Context()); err != nil {
				t.Fatal(err)
			}
			for range sweeps {
				if _, err := r.sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				slept += m.places.asleep + m.parts.asleep // of the last moves
			}
			return c
		}
		all, awake := refined(false), refined(true)
		for f := range scans {
			if !slices.Equal(all.Next[f], awake.Next[f]) {
				t.Fatalf("scene %d: scan %d is linked by %v, by all rows %v", n, f, awake.Next[f], all.Next[f])
			}
		}
	}
	if slept < 100 || woken < 100 {
		t.Errorf("%d rows and pairs slept in the last moves, %d rows were woken", slept, woken)
	}
}
