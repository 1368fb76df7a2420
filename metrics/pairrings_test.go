package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// relaxed is the relaxation of the largest part of a crowd, solved, beside the answer that pairs nobody.
func relaxed(t *testing.T, rng *rand.Rand, n, frames int) *relaxation {
	t.Helper()
	s, err := newScene(swarm(rng, n, frames), swarm(rng, n, frames), true)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Only: Trajectories, Cutoff: 3, Order: 1, Switch: 0.6}
	if err := o.complete(false); err != nil {
		t.Fatal(err)
	}
	near, err := s.nearPairs(t.Context(), o.Cutoff)
	if err != nil {
		t.Fatal(err)
	}
	p := newPairing(s, near, newOverlaps(s, near), &o)
	if err := p.decide(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.collect()
	p.prune()
	p.spots = make([]spot, len(p.options))
	parts := p.parts()
	part := slices.MaxFunc(parts, func(a, b []int32) int { return len(a) - len(b) })
	r := p.newPricing(part).relaxation(make([]bool, len(p.options)))
	if _, _, err := r.solve(t.Context(), 0, 1e-7); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLonger: where little is open after the looks that the relaxed form has, it may take more, but
// not many times as many.
func TestLonger(t *testing.T) {
	var r *relaxation
	defer func(was float64) { relaxLooks = was }(relaxLooks)
	closed, left := 0, 0
	for seed := range uint64(6) {
		solve := func(looks float64) float64 {
			relaxLooks = looks
			r = relaxed(t, rand.New(rand.NewPCG(seed, 8)), 34, 6)
			return -r.gain() - r.survey()
		}
		solve(math.Inf(1))
		all := float64(r.looks)
		if open := solve(all / 2); float64(r.looks) > all/2 && open <= 1e-6 {
			closed++
		}
		if open := solve(all / 64); open > 1e-6 {
			left++
		}
	}
	if closed < 4 || left < 4 {
		t.Errorf("%d of 6 found in twice the looks, %d left open for want of many more", closed, left)
	}
}

// drawn are whole weights that fit, by lot, many as in those before.
func (r *relaxation) drawn(rng *rand.Rand, before []bool) []bool {
	order := rng.Perm(len(r.option))
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case before[a] == before[b] || rng.IntN(4) == 0:
			return 0
		case before[a]:
			return -1
		}
		return 1
	})
	taken, one := make([]bool, len(r.price)), make([]bool, len(r.option))
	for _, k := range order {
		if s := [2]int32{r.slot[0][k], r.slot[1][k]}; !taken[s[0]] && !taken[s[1]] && rng.IntN(8) > 0 {
			taken[s[0]], taken[s[1]], one[k] = true, true, true
		}
	}
	return one
}

// over is by how much weights break a ring.
func (g *ring) over(weight func(k int32) float64) float64 {
	sum := -g.most
	for _, f := range g.of {
		sum += f.times * weight(f.option)
	}
	for _, k := range g.ties {
		sum -= math.Abs(weight(k) - weight(k+1))
	}
	return sum
}

// Rings are broken by the weights of the relaxed form, and never by whole ones; and what is left of
// one where some options are as in an answer says the same of the others.
func TestRings(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	rings, lifted := 0, 0
	for range 8 {
		r := relaxed(t, rng, 28+rng.IntN(12), 3+rng.IntN(4))
		whole := func(one []bool) func(k int32) float64 {
			return func(k int32) float64 {
				if one[k] {
					return 1
				}
				return 0
			}
		}
		fresh := r.broken()
		rings += len(fresh)
		for i := range fresh {
			g := &fresh[i]
			weight := func(k int32) float64 {
				if r.place[k] == none {
					return whole(r.one)(k)
				}
				return r.ahead.weight[r.place[k]]
			}
			plain := ring{ties: g.ties, most: g.most}
			for _, f := range g.of {
				if f.times == 1 {
					plain.of = append(plain.of, f)
				}
			}
			if over := plain.over(weight); over < 0.1-1e-9 || g.over(weight) < over || len(plain.of)%4 != 2 {
				t.Errorf("a ring of %d exclusions and %d ties is broken by %v, with all that it has by %v", len(plain.of)/2, len(g.ties), over, g.over(weight))
			}
			if len(plain.of) < len(g.of) {
				lifted++
			}
			one := r.one
			for range 50 {
				last := one
				if one = r.drawn(rng, last); g.over(whole(one)) > 0 {
					t.Fatalf("whole weights break a ring: %+v", g)
				}
				// Some have a place, the others are as in last.
				place, at := slices.Repeat([]int32{none}, len(r.option)), []int32(nil)
				mixed := slices.Clone(last)
				for k := range place {
					if rng.IntN(2) == 0 {
						place[k], mixed[k] = int32(len(at)), one[k]
						at = append(at, int32(k))
					}
				}
				// Places of a tie must follow each other, as in the lists of a relaxation: here by
				// construction, since options between have none.
				part := g.among(place, last)
				if a, b := part.over(func(x int32) float64 { return whole(mixed)(at[x]) }), g.over(whole(mixed)); math.Abs(a-b) > 1e-9 {
					t.Fatalf("of a ring that is broken by %v, what is left by %v: %+v", b, a, g)
				}
			}
		}
	}
	if rings < 20 || lifted < 5 {
		t.Errorf("%d rings, %d with more than goes round: this tests nothing", rings, lifted)
	}
}

// With rings much more is proved, and no more than is so.
func TestTighten(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 77))
	r := relaxed(t, rng, 30, 5)
	chosen := make([]bool, slices.Max(r.option)+1)
	before := r.survey()
	least, better, err := r.whole(t.Context(), chosen, 0, 1e-6)
	if err != nil {
		t.Fatal(err)
	}
	if least < -better-1e-5 {
		t.Fatalf("%v is proved of %v: this tests nothing", least, -better)
	}
	b := &branching{r: r, best: r.one, rounding: 1e-6, most: mostLooks}
	bound, err := b.tighten(t.Context(), before)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the relaxed form is %v, with %d rings %v, the exact form %v", before, len(r.rings), bound, -better)
	if now := r.survey(); bound > least+1e-6 || math.Abs(now-bound) > 1e-9*math.Abs(bound) {
		t.Errorf("with rings %v is proved, or %v, where the best answer costs %v", bound, now, least)
	}
	if bound < before+(least-before)/2 {
		t.Errorf("rings bring the bound from %v to %v of %v: less than half of the way", before, bound, least)
	}
}

// TestWholeOnItsWay: where weights are as those of the answer, since they have just begun, the
// exact form is searched for all the same.
func TestWholeOnItsWay(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 77))
	r := relaxed(t, rng, 30, 5)
	chosen := make([]bool, slices.Max(r.option)+1)
	for _, s := range []*state{&r.now, &r.began, &r.ahead} {
		copy(s.weight, r.right)
	}
	least, better, err := r.whole(t.Context(), chosen, 0, 1e-6)
	if err != nil || least < -better-1e-5 {
		t.Errorf("%v is proved of %v; %v", least, -better, err)
	}
}

// TestRound: what is found about a place is as long as the shortest way from it to its twin, or
// shorter, where some ways have no length; it closes, has an odd number of exclusions and passes
// nothing twice.
func TestRound(t *testing.T) {
	const most = 0.9
	rng := rand.New(rand.NewPCG(1, 19))
	rings, cut := 0, 0
	for range 400 {
		n := 3 + rng.IntN(12)
		ways := make([][]way, n)
		long := make(map[[3]int32]float64) // of each step of a ring
		far := make([][]float64, 2*n)      // of each two places
		for k := range far {
			far[k] = slices.Repeat([]float64{math.Inf(1)}, 2*n)
			far[k][k] = 0
		}
		for slot := range int32(2 * n) {
			a, b, d := int32(rng.IntN(n)), int32(rng.IntN(n)), max(0, rng.Float64()-0.3)
			if a == b {
				continue
			}
			s := slot
			if rng.IntN(2) == 0 {
				s = none
			}
			ways[a], ways[b] = append(ways[a], way{b, s, d}), append(ways[b], way{a, s, d})
			for _, step := range [2][2]int32{{a, b}, {b, a}} {
				key := [3]int32{step[0], step[1], s}
				if was, ok := long[key]; !ok || d < was {
					long[key] = d
				}
				for v := range int32(2) {
					x, y := 2*step[0]+v, 2*step[1]+v
					if s != none {
						y ^= 1
					}
					far[x][y] = min(far[x][y], d)
				}
			}
		}
		for k := range far {
			for i := range far {
				for j := range far {
					far[i][j] = min(far[i][j], far[i][k]+far[k][j])
				}
			}
		}
		w := newWalk(ways)
		for a := range int32(n) {
			ring, d := w.round(a, most)
			want := far[2*a][2*a+1]
			if (ring != nil) != (want <= most) || ring != nil && math.Abs(d-want) > 1e-12 {
				t.Fatalf("a ring of %d steps and length %v, the shortest is %v", len(ring), d, want)
			}
			if ring == nil {
				continue
			}
			rings++
			sum, exclusions := 0.0, 0
			passed := make(map[int32]bool)
			for k, s := range ring {
				next := ring[(k+1)%len(ring)]
				if passed[s.from] || s.from != next.to {
					t.Fatalf("ring %v passes something twice, or does not close", ring)
				}
				passed[s.from] = true
				sum += long[[3]int32{s.from, s.to, s.slot}]
				if s.slot != none {
					exclusions++
				}
			}
			if sum > want+1e-12 || exclusions%2 == 0 {
				t.Fatalf("ring %v has %d exclusions and length %v; the shortest way %v", ring, exclusions, sum, want)
			}
			if !passed[a] {
				cut++
			}
		}
	}
	if rings < 1000 || cut < 10 {
		t.Errorf("%d rings, %d of them not through where they were looked for: this tests nothing", rings, cut)
	}
}
