package metrics

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A survey that looks only at the chains of its watch proves the same as one of all, and finds the
// same options in doubt.
func TestWatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 21))
	r := relaxed(t, rng, 40, 6)
	r.watch.near = r.h / 4
	passed := 0
	for range 300 {
		for range 1 + rng.IntN(8) {
			s := rng.IntN(len(r.price))
			r.price[s] = max(0, r.price[s]+r.h/4*rng.NormFloat64())
		}
		if rng.IntN(30) == 0 { // all fall at once
			for s := range r.price {
				r.price[s] = max(0, r.price[s]-r.h/8)
			}
		}
		all := *r
		all.differ, all.pass, all.doubt = slices.Clone(r.differ), slices.Clone(r.pass), slices.Clone(r.doubt)
		all.unwatched()
		if now, want := r.survey(), all.survey(); now != want {
			t.Fatalf("%v is proved, not %v", now, want)
		}
		passed += len(all.live) - len(r.live)
		if rng.IntN(4) > 0 {
			continue
		}
		some, want := r.enter(r.h/4, r.h), all.enter(r.h/4, r.h)
		if some != want || !slices.Equal(r.doubt, all.doubt) {
			t.Fatal("other options are in doubt")
		}
		if some {
			r.list()
		}
	}
	if passed < 300*len(r.watch.span)/5 {
		t.Errorf("%d of %d looks are saved: this tests little", passed, 300*len(r.watch.span))
	}
}
