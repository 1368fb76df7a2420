package refine

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"mtt/association/chain"
	"mtt/association/chain/chaintest"
	"mtt/costgen"
	"mtt/gating"
	"mtt/motion"
)

// This file tests the moves on whole tracks by the price of all detections.

// filled is a window of all scans.
func filled(t *testing.T, vel bool, seed uint64) (*window[motion.PlaneState, motion.PlaneInformation], *costgen.Levels) {
	t.Helper()
	levels := refineLevels(vel, 2)
	levels.Sigma = 0.15
	levels.Rates.Targets, levels.Rates.Volume = 10, 150
	scans := chaintest.Crowd(t, seed, 10, Begins, vel).Scans
	w := NewWindow(&costgen.Gaussian{Levels: levels}, &scans[0], gating.Ball{Radius: 1.5}, Begins+3, &Options{Misses: 2, Speed: 3}).(*window[motion.PlaneState, motion.PlaneInformation])
	for s := range scans {
		if err := w.Add(&scans[s]); err != nil {
			t.Fatal(err)
		}
	}
	return w, &levels
}

// TestBegin: from nothing, tracks begin, each of which is worth its price; what begin leaves
// over would not be worth it, and what uproot leaves would not be better apart.
func TestBegin(t *testing.T) {
	for _, vel := range []bool{false, true} {
		for seed := range uint64(5) {
			w, levels := filled(t, vel, seed+1)
			before := whole(w.refiner.Links, w.scans, levels)
			w.begin()
			after := whole(w.refiner.Links, w.scans, levels)
			consistent(t, w.refiner.Links)
			if !(after < before-20) {
				t.Errorf("velocities %v, seed %d: tracks that begin take the price from %v to %v", vel, seed, before, after)
			}
			// Most of what there is to be gained is, without any other move.
			best := clone(w.refiner.Links)
			if _, err := refine(context.Background(), best, w.scans, w.gates, w.model.(*costgen.Gaussian), 2, 3, 10, 1); err != nil {
				t.Fatal(err)
			}
			if most := before - whole(best, w.scans, levels); before-after < 0.7*most {
				t.Errorf("velocities %v, seed %d: tracks that begin save %v of %v", vel, seed, before-after, most)
			}
			linked := clone(w.refiner.Links)
			w.uproot()
			if !reflect.DeepEqual(linked.Next, w.refiner.Next) {
				t.Errorf("velocities %v, seed %d: what began is taken apart at once", vel, seed)
			}
		}
	}
}

// TestGoesOn: where a track has lost its last detections, and these each other, begin has it go on with
// them, or with others that are as good.
func TestGoesOn(t *testing.T) {
	cut := 0
	for seed := range uint64(5) {
		w, levels := filled(t, seed%2 == 0, seed+1)
		w.begin()
		good := clone(w.refiner.Links)
		price := whole(good, w.scans, levels)
		for i, second := range good.Next[0] {
			if second == chain.None || good.Next[second.T][second.Det] == chain.None {
				continue
			}
			w.refiner.Links = clone(good)
			for h := second; h != chain.None; h = good.Next[h.T][h.Det] {
				w.unlink(h)
			}
			w.clock++
			w.refilter()
			lost := whole(w.refiner.Links, w.scans, levels)
			w.clock++
			w.begin()
			consistent(t, w.refiner.Links)
			if after := whole(w.refiner.Links, w.scans, levels); after > price+1e-3 {
				t.Errorf("seed %d: track %d goes on at %v, %v before it was cut and %v then", seed, i, after, price, lost)
			}
			cut++
		}
	}
	if cut < 20 {
		t.Errorf("%d tracks were cut", cut)
	}
}

// TestUproot: random links become cheaper, and their price is that of whole tracks.
func TestUproot(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	apart := 0
	for seed := range uint64(10) {
		w, levels := filled(t, seed%2 == 0, seed+1)
		c := chaintest.Links(rng, w.scans, 1)
		w.refiner.Next, w.refiner.Prev = c.Next, c.Prev
		before := whole(c, w.scans, levels)
		links := count(c)
		w.uproot()
		after := whole(c, w.scans, levels)
		consistent(t, c)
		for t0 := range c.Next { // no further first detections are better out
			for i := range c.Next[t0] {
				if c.Prev[t0][i] != chain.None {
					continue
				}
				without, length := clone(c), 0
				for h := chain.At(t0, i); h != chain.None; h = c.Next[h.T][h.Det] {
					length++
				}
				for h := chain.At(t0, i); length <= young && h != chain.None; h = c.Next[h.T][h.Det] {
					without.Unlink(h)
					if price := whole(without, w.scans, levels); price < after-1e-3 {
						t.Errorf("seed %d: %v without the first detections of a track, %v with them", seed, price, after)
					}
				}
			}
		}
		if n := links - count(c); n > 0 {
			apart += n
			if !(after < before) {
				t.Errorf("seed %d: %d links less take the price from %v to %v", seed, n, before, after)
			}
		}
	}
	if apart < 100 {
		t.Errorf("only %d random links were taken apart", apart)
	}
}

// TestUprootFirst: where tracks begin with the first detection of another, it leaves them again,
// and the rest stays.
func TestUprootFirst(t *testing.T) {
	put := 0
	for seed := range uint64(5) {
		w, levels := filled(t, false, seed+1)
		w.begin()
		good := clone(w.refiner.Links)
		for i, a := range good.Next[0] {
			for j, b := range good.Next[0] {
				if i == j || a == chain.None || b == chain.None || good.Next[b.T][b.Det] == chain.None {
					continue
				}
				w.refiner.Links = clone(good)
				w.unlink(chain.At(0, i))
				w.unlink(chain.At(0, j))
				without := whole(w.refiner.Links, w.scans, levels)
				w.link(chain.At(0, i), b)
				if with := whole(w.refiner.Links, w.scans, levels); with > without+0.1 && with < without+1000 {
					put++
				}
				w.uproot()
				if now := whole(w.refiner.Links, w.scans, levels); now > without+1e-6 {
					t.Errorf("seed %d: price %v where detection %d was put before a track, %v before", seed, now, i, without)
				}
			}
		}
	}
	if put < 50 {
		t.Errorf("only %d detections were put before tracks", put)
	}
}

// TestImprove: a window that was not linked begins its tracks as it is improved, and takes
// those apart that are none.
func TestImprove(t *testing.T) {
	ctx := context.Background()
	for _, vel := range []bool{false, true} {
		w, levels := filled(t, vel, 3)
		before := whole(w.refiner.Links, w.scans, levels)
		if err := w.Improve(ctx, 1); err != nil {
			t.Fatal(err)
		}
		if after := whole(w.refiner.Links, w.scans, levels); !(after < before-20) {
			t.Errorf("velocities %v: from %v to %v", vel, before, after)
		}
		early := 0
		for _, next := range w.Next[:Begins-3] {
			for _, to := range next {
				if to != chain.None {
					early++
				}
			}
		}
		if early == 0 {
			t.Errorf("velocities %v: nothing begins before the scans whose links are improved", vel)
		}
		// a track of nonsense, long before those scans
		for t0 := range w.Next {
			for i := range w.Next[t0] {
				w.unlink(chain.At(t0, i))
			}
		}
		far := func(t int) chain.Node { return chain.At(t, (3*t)%w.scans[t].Len()) }
		for t0 := range 3 {
			w.link(far(t0), far(t0+1))
		}
		if err := w.Improve(ctx, 1); err != nil {
			t.Fatal(err)
		}
		kept := 0
		for t0 := range 3 {
			if w.Next[t0][far(t0).Det] == far(t0+1) {
				kept++
			}
		}
		if kept == 3 {
			t.Errorf("velocities %v: nonsense is kept", vel)
		}
	}
}

// TestRestore: a window of the last scans of another has its links; tracks from before it
// stay such.
func TestRestore(t *testing.T) {
	old, levels := filled(t, false, 2)
	old.begin()
	const from = 2
	w := NewWindow(&costgen.Gaussian{Levels: *levels}, &old.scans[0], gating.Ball{Radius: 1.5}, Begins+3, &Options{Misses: 2, Speed: 3}).(*window[motion.PlaneState, motion.PlaneInformation])
	for s := from; s < old.Len(); s++ {
		if err := w.Add(old.Scan(s)); err != nil {
			t.Fatal(err)
		}
	}
	w.Restore(old, from)
	past := 0
	for u := range w.Prev {
		for i, p := range w.Prev[u] {
			was := old.Prev[from+u][i]
			switch {
			case was != chain.None && was.T < from:
				past++
				if p != chain.Past {
					t.Errorf("a track from before the window comes from %v", p)
				}
			case was != chain.None && p != chain.At(was.T-from, was.Det), was == chain.None && p != chain.None:
				t.Errorf("%v became %v", was, p)
			}
		}
	}
	if past == 0 || w.origin != -1 {
		t.Errorf("%d tracks from before, origin %d", past, w.origin)
	}
}

// count counts links.
func count(c *chain.Links) (n int) {
	for t := range c.Next {
		for _, to := range c.Next[t] {
			if to != chain.None {
				n++
			}
		}
	}
	return n
}

// TestOffer: of random links those are taken that make the whole cheaper, set by set; the
// best links are taken wherever they differ, and nothing is taken twice.
func TestOffer(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(32, 1))
	taken := 0
	for seed := range uint64(10) {
		w, levels := filled(t, seed%2 == 0, seed+1)
		good := clone(w.refiner.Links)
		if _, err := refine(ctx, good, w.scans, w.gates, w.model.(*costgen.Gaussian), 2, 3, 10, 1); err != nil {
			t.Fatal(err)
		}
		best := whole(good, w.scans, levels)
		for range 4 {
			before := whole(w.refiner.Links, w.scans, levels)
			n := w.Offer(0, chaintest.Links(rng, w.scans, 1).Next)
			after := whole(w.refiner.Links, w.scans, levels)
			consistent(t, w.refiner.Links)
			if taken += n; n > 0 && !(after < before) || after > before+1e-9 {
				t.Errorf("seed %d: %d links offered take the price from %v to %v", seed, n, before, after)
			}
		}
		w.Offer(0, good.Next)
		if now := whole(w.refiner.Links, w.scans, levels); now > best+1e-6 {
			t.Errorf("seed %d: %v after an offer of %v", seed, now, best)
		}
		if n := w.Offer(0, good.Next); n > 0 {
			t.Errorf("seed %d: %d links are taken again", seed, n)
		}
	}
	if taken == 0 {
		t.Error("no random link was ever taken")
	}
}

// TestOfferRests: of tracks that come from before the scans of an offer the rest takes part, at
// what it is worth after all that lies before.
func TestOfferRests(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	const from = 3
	taken, some := 0, 0
	for seed := range uint64(10) {
		w, levels := filled(t, seed%2 == 0, seed+1)
		good := clone(w.refiner.Links)
		if _, err := refine(t.Context(), good, w.scans, w.gates, w.model.(*costgen.Gaussian), 2, 3, 10, 1); err != nil {
			t.Fatal(err)
		}
		w.Offer(0, good.Next)
		good = clone(w.refiner.Links)
		now := func() float64 {
			w.clock++
			for u := range w.scans {
				w.forward(u)
			}
			consistent(t, w.refiner.Links)
			return whole(w.refiner.Links, w.scans, levels)
		}
		best := now()
		for u := from; u < len(w.scans); u++ {
			for i := range w.Next[u] {
				if rng.IntN(3) == 0 {
					w.unlink(chain.At(u, i))
				}
			}
		}
		before := now()
		for _, offer := range []*chain.Links{chaintest.Links(rng, w.scans, 1), clone(good)} {
			for u := range offer.Next {
				for i := range offer.Next[u] {
					if rng.IntN(3) == 0 {
						offer.Next[u][i] = chain.None
					}
				}
			}
			n := w.Offer(from, offer.Next[from:])
			after := now()
			if some += n; n > 0 && !(after < before) || after > before+1e-9 {
				t.Errorf("seed %d: %d links offered take the price from %v to %v", seed, n, before, after)
			}
			before = after
		}
		taken += w.Offer(from, good.Next[from:])
		if after := now(); after > best+1e-6 {
			t.Errorf("seed %d: %v after an offer of %v", seed, after, best)
		}
		if n := w.Offer(from, good.Next[from:]); n > 0 {
			t.Errorf("seed %d: %d links are taken again", seed, n)
		}
	}
	if taken == 0 || some == 0 {
		t.Errorf("%d links were taken, and %d of offers without some", taken, some)
	}
}
