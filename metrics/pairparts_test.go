package metrics

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/dualascent"
)

// The simplex method agrees with the engine on the parts that both can solve: where
// the engine's bounds meet, at their value, else between them.
func TestRelaxedParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	ctx := context.Background()
	parts := 0
	for range 100 {
		draw := func() []mtt.Track {
			set := make([]mtt.Track, 4)
			for i := range set {
				set[i] = mtt.Track{ID: i + 1, Dim: 2}
				for f := range 5 {
					if rng.IntN(4) > 0 {
						set[i].Hits = append(set[i].Hits, mtt.Hit{Frame: f, Det: -1})
						set[i].Pos = append(set[i].Pos, 3*rng.Float64(), 3*rng.Float64())
					}
				}
			}
			return set
		}
		s, err := newScene(draw(), draw(), true)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Only: Trajectories, Cutoff: 2, Switch: []float64{0.2, 1, 3}[rng.IntN(3)]}
		if err := o.complete(false); err != nil {
			t.Fatal(err)
		}
		near, err := s.nearPairs(ctx, o.Cutoff)
		if err != nil {
			t.Fatal(err)
		}
		p := newPairing(s, near, newOverlaps(s, near), &o)
		if err := p.decide(ctx); err != nil {
			t.Fatal(err)
		}
		p.collect()
		p.prune()
		for _, part := range p.parts() {
			if len(part) > 20 { // the simplex method is slow
				continue
			}
			q := p.newPart(part)
			res, err := dualascent.Solve(ctx, q.instance(), &dualascent.Options{Effort: math.Inf(1)})
			if err != nil {
				t.Fatal(err)
			}
			least, ok := q.relaxed()
			if !ok {
				continue
			}
			parts++
			if tol := 1e-7 * (1 + math.Abs(least)); least > res.UpperBound+tol || least < res.Certified-tol {
				t.Errorf("a part of %d options: the simplex method finds %v, the engine %v to %v", len(part), least, res.Certified, res.UpperBound)
			}
		}
	}
	if parts < 20 {
		t.Errorf("%d parts: this tests nothing", parts)
	}
}
