package metrics

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/dualascent"
	"mtt/internal/nightly"
)

// swarm draws n tracks that stay near one place for some frames, and are missed at times.
func swarm(rng *rand.Rand, n, frames int) []mtt.Track {
	set := make([]mtt.Track, n)
	for i := range set {
		set[i] = mtt.Track{ID: i + 1, Dim: 2}
		x, y, dx, dy := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()/3, rng.NormFloat64()/3
		for f := range frames {
			if x, y = x+dx, y+dy; rng.IntN(8) > 0 {
				set[i].Hits = append(set[i].Hits, mtt.Hit{Frame: f, Det: -1})
				set[i].Pos = append(set[i].Pos, x+0.3*rng.NormFloat64(), y+0.3*rng.NormFloat64())
			}
		}
	}
	return set
}

// Parts solved by the pairs that matter have the answers of those solved at once, and bounds that
// hold. These meet, but where at once the simplex method has to say what the relaxed form is: it is not
// asked unless all pairs are let in.
func TestPricedParts(t *testing.T) {
	defer func(many, few int) { manyOptions, nearestFew = many, few }(manyOptions, nearestFew)
	rng := rand.New(rand.NewPCG(31, 1))
	scenes, open := nightly.Or(150, 30_000), 0
	for trial := range scenes {
		n, frames := 2+rng.IntN(14), 2+rng.IntN(6)
		s, err := newScene(swarm(rng, n, frames), swarm(rng, n, frames), true)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Only: Trajectories, Cutoff: []float64{1, 2, 4}[rng.IntN(3)], Order: []float64{1, 2}[rng.IntN(2)], Switch: []float64{0.05, 0.5, 2}[rng.IntN(3)]}
		if err := o.complete(false); err != nil {
			t.Fatal(err)
		}
		near, err := s.nearPairs(t.Context(), o.Cutoff)
		if err != nil {
			t.Fatal(err)
		}
		over := newOverlaps(s, near)
		nearestFew = 1 + rng.IntN(2)
		var at, by energies
		for e, many := range map[*energies]int{&at: math.MaxInt, &by: 0} {
			manyOptions = many
			if *e, err = trajectoryGOSPA(t.Context(), s, near, over, &o); err != nil {
				t.Fatal(err)
			}
		}
		tol := 1e-8 * (1 + at.exact)
		proved := at.relaxed-at.below <= tol
		if by.below > at.relaxed+tol || by.relaxed < at.below-tol || by.exactBelow > at.exact+tol || proved && math.Abs(at.exact-by.exact) > tol {
			t.Errorf("trial %d (%d tracks, %d frames, %+v): at once %v, by prices %v", trial, n, frames, o, at, by)
		}
		if proved && by.relaxed-by.below > tol {
			open++
		}
	}
	t.Logf("%d scenes, %d open", scenes, open)
	if open > 1+scenes/200 {
		t.Errorf("%d of %d scenes are open: the prices prove little", open, scenes)
	}
}

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
		p.spots = make([]spot, len(p.options))
		for _, part := range p.parts() {
			if len(part) > 20 { // the simplex method is slow
				continue
			}
			q := p.newPart(part)
			inst, err := q.instance(ctx)
			if err != nil {
				t.Fatal(err)
			}
			res, err := dualascent.Solve(ctx, inst, &dualascent.Options{Effort: math.Inf(1)})
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
