package instance

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/association/chain"
	"mtt/association/chain/chaintest"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
)

// This file tests instances: an assignment must cost what its tracks cost, said
// in the words of costgen.Model's documentation and of nothing else.

// built is what build returns.
func built(t *testing.T, scans []mtt.Scan, gates []gating.CSR, skips []skip, model costgen.Model, goroutines int) *Instance {
	t.Helper()
	inst, err := build(t.Context(), scans, gates, skips, model, nil, nil, goroutines)
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// allSkips are all links over runs of one to misses missed scans.
func allSkips(scans []mtt.Scan, misses int) (all []skip) {
	for s := range scans {
		for i := range scans[s].Len() {
			for u := s + 2; u <= s+1+misses && u < len(scans); u++ {
				for k := range scans[u].Len() {
					all = append(all, skip{chain.At(s, i), chain.At(u, k)})
				}
			}
		}
	}
	return all
}

// assign expresses the chains as arcs of the instance, which has them all.
func (inst *Instance) assign(c *chain.Links) [][]int32 {
	next := make([][]int32, len(inst.Dual.Pairs))
	for t := range next {
		next[t] = slices.Repeat([]int32{-1}, inst.Dual.Pairs[t].Rows)
	}
	step := func(t, i, j int) {
		g := &inst.Dual.Pairs[t]
		next[t][i] = int32(g.Ptr[i] + slices.Index(g.Col[g.Ptr[i]:g.Ptr[i+1]], int32(j)))
	}
	for t := range inst.Scans {
		for i, to := range c.Next[t] {
			if to == chain.None {
				continue
			}
			at := i
			for u := t + 1; u < int(to.T); u++ {
				n := slices.IndexFunc(inst.Coast[u], func(k Coast) bool {
					return int(k.From) == i && int(k.Since) == u-t && k.To == to.Det && int(k.Until) == int(to.T)-u
				})
				step(u-1, at, inst.Scans[u].Len()+n)
				at = inst.Scans[u].Len() + n
			}
			step(int(to.T)-1, at, int(to.Det))
		}
	}
	return next
}

// price is what the chains cost: model prices along every chain, and its ends.
// Chains of one detection are false alarms where that is cheaper.
func price(c *chain.Links, scans []mtt.Scan, m costgen.Model) (sum float64) {
	ends := m.Ends()
	last := len(scans) - 1
	var one [1]float64
	for t := range scans {
		for i := range c.Prev[t] {
			if c.Prev[t][i] != chain.None {
				continue
			}
			var track []chain.Node
			for h := chain.At(t, i); h != chain.None; h = c.Next[h.T][h.Det] {
				track = append(track, h)
			}
			cost := ends.Birth
			if t == 0 {
				cost = ends.First
			}
			for k, h := range track {
				if k == 0 {
					continue
				}
				g := track[k-1]
				m.Pairs(one[:], &scans[g.T], int(g.Det), &scans[h.T], []int32{h.Det})
				cost += one[0]
				if k == 1 {
					m.Starts(one[:], &scans[g.T], int(g.Det), &scans[h.T], []int32{h.Det})
				} else {
					f := track[k-2]
					m.Triplets(one[:], 1, &scans[f.T], []int32{f.Det}, &scans[g.T], int(g.Det), &scans[h.T], []int32{h.Det})
				}
				cost += one[0]
				if misses := h.T - g.T - 1; misses > 0 {
					cost += ends.Miss
					if ends.Again > 0 {
						cost += ends.Again * float64(misses-1)
					} else {
						cost += ends.Miss * float64(misses-1)
					}
				}
			}
			if int(track[len(track)-1].T) != last {
				cost += ends.Death
			}
			if len(track) == 1 {
				cost = min(cost, ends.Clutter)
			}
			sum += cost
		}
	}
	return sum
}

func testModels(vel bool) map[string]costgen.Model {
	ends := costgen.Ends{Birth: 3.1, First: 2.3, Death: 1.7, Miss: 0.9, Clutter: 4.9}
	cheap := costgen.Ends{Birth: 3.1, First: 2.3, Death: 1.7, Miss: 0.9, Clutter: 1.1}
	mix := func(x ...float64) float64 { // any function of where and when
		s := 0.3
		for k, v := range x {
			s = math.Sin(7*s+float64(k+1)*v) + 0.1*s
		}
		return s
	}
	models := map[string]costgen.Model{
		"gaussian": &costgen.Gaussian{Levels: costgen.Levels{
			Sigma: 0.3, SigmaV: 0.2, Accel: 0.2, SpeedStd: 0.5, ManoeuvreProb: 0.05, ManoeuvreAccel: 1, PositionsOnly: !vel, Interval: 0.8,
			Rates: costgen.Rates{Detect: 0.8, Survive: 0.9, Births: 0.7, Targets: 3, Clutter: 0.5, Volume: 20},
		}},
		"trapezoid": &costgen.Trapezoid{Prices: ends},
		"cheap alarms": &costgen.Funcs{
			Pair: func(a *mtt.Scan, i int, b *mtt.Scan, j int) float64 {
				return mix(a.Time, a.At(i)[0], b.Time, b.At(j)[1])
			},
			Start: func(a *mtt.Scan, i int, b *mtt.Scan, j int) float64 {
				return mix(a.Time, a.At(i)[1], b.Time, b.At(j)[1])
			},
			Triplet: func(a *mtt.Scan, i int, b *mtt.Scan, j int, c *mtt.Scan, k int) float64 {
				return mix(a.Time, a.At(i)[0], b.Time, b.At(j)[0], c.Time, c.At(k)[1])
			},
			Prices: cheap,
		},
	}
	if vel {
		models["paper"] = &costgen.Paper{Prices: ends}
	}
	return models
}

// TestInstanceCost: what an assignment costs in the instance is what its tracks
// cost, but for the First that every detection of the first scan is priced
// against.
func TestInstanceCost(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	var over [4]int
	for _, vel := range []bool{true, false} {
		models := testModels(vel)
		for _, name := range slices.Sorted(maps.Keys(models)) {
			m := models[name]
			for n := range 100 {
				scans := chaintest.Scans(rng, 2+rng.IntN(7), 4, 2+rng.IntN(2), vel)
				if g, ok := m.(*costgen.Gaussian); ok {
					levels := g.Levels
					levels.Dim = scans[0].Dim
					m = &costgen.Gaussian{Levels: levels}
				}
				misses := 3 - n%4
				inst := built(t, scans, chaintest.Gate(t, scans, chaintest.Everything), allSkips(scans, misses), m, 2)
				if err := inst.Dual.Validate(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				c := chaintest.Links(rng, scans, misses)
				next := inst.assign(c)
				got := inst.Dual.Cost(next) + float64(scans[0].Len())*m.Ends().First
				if want := price(c, scans, m); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
					t.Errorf("%s, velocities %v, scene %d: instance costs %v, tracks cost %v", name, vel, n, got, want)
				}
				back := inst.Links(next)
				for f := range scans {
					for i := range c.Next[f] {
						if after := inst.After(next, f, i); after != back.Next[f][i] {
							t.Fatalf("%s: detection %d of scan %d is followed by %v, linked to %v", name, i, f, after, back.Next[f][i])
						}
						if back.Next[f][i] != c.Next[f][i] || back.Prev[f][i] != c.Prev[f][i] {
							t.Fatalf("%s: link after detection %d of scan %d: %v went in, %v came back", name, i, f, c.Next[f][i], back.Next[f][i])
						}
						if to := c.Next[f][i]; to != chain.None {
							over[int(to.T)-f-1]++
						}
					}
				}
			}
		}
	}
	if slices.Min(over[:]) < 30 {
		t.Errorf("only %v links over 0, 1, 2 and 3 misses were tried", over)
	}
}

// TestInstanceOptimum: on tiny scenes the engine's answer is the cheapest set of
// tracks, found by trying all of them.
func TestInstanceOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for _, vel := range []bool{true, false} {
		m := testModels(vel)["gaussian"]
		for n := range 60 {
			frames := 3 + n%3
			scans := chaintest.Scans(rng, frames, 2-n%3/2, 2, vel)
			inst := built(t, scans, chaintest.Gate(t, scans, chaintest.Everything), allSkips(scans, frames-2), m, 2)
			least := math.Inf(1)
			chaintest.Each(chain.New(scans), scans, frames-2, 0, 0, func(c *chain.Links) {
				least = min(least, price(c, scans, m))
			})
			least -= float64(scans[0].Len()) * m.Ends().First
			res, err := dualascent.Solve(context.Background(), &inst.Dual, &dualascent.Options{MaxRounds: 50})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(res.UpperBound-least) > 1e-9*(1+math.Abs(least)) {
				t.Errorf("velocities %v, scene %d: engine found %v, best of all is %v", vel, n, res.UpperBound, least)
			}
		}
	}
}

// TestInstanceCounts compares with a count by hand.
func TestInstanceCounts(t *testing.T) {
	scans := []mtt.Scan{
		{Frame: 0, Time: 0, Dim: 2, Pos: []float64{0, 0, 5, 0}},
		{Frame: 1, Time: 1, Dim: 2, Pos: []float64{0, 1, 5, 1, 9, 9}},
		{Frame: 2, Time: 2, Dim: 2, Pos: []float64{0, 2}},
	}
	inst := New(scans, chaintest.Gate(t, scans, gating.Ball{Radius: 3}), testModels(false)["gaussian"])
	if inst.Arcs() != 3 || inst.Triplets() != 1 {
		t.Errorf("%d arcs, %d triplets; want 3 and 1", inst.Arcs(), inst.Triplets())
	}
}

// TestLinkValuer builds instances of the published cost from values and from
// triplets: the same costs, to the last bit, coast nodes included.
func TestLinkValuer(t *testing.T) {
	model := &costgen.Paper{Prices: costgen.Ends{Birth: 3, First: 1, Death: 2, Clutter: 4, Miss: 2}}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0))
		scans := chaintest.Scans(rng, 5, 3+2*int(seed), 2+int(seed%2), true)
		gates, skips := chaintest.Gate(t, scans, chaintest.Everything), allSkips(scans, 2)
		one := built(t, scans, gates, skips, model, 2)
		two := built(t, scans, gates, skips, struct{ costgen.Model }{model}, 2)
		kept, coasts := 0, 0
		for p := range one.Dual.Blocks {
			b, want := one.Dual.Blocks[p], two.Dual.Blocks[p]
			if b.Differences != nil {
				b = b.Differences.Dense(&one.Dual.Pairs[p], &one.Dual.Pairs[p+1])
				kept++
			}
			coasts += len(one.Coast[p+1])
			if !slices.Equal(b.Ptr, want.Ptr) || !slices.Equal(b.D, want.D) {
				t.Fatalf("seed %d: block %d has the costs %v, want %v", seed, p, b.D, want.D)
			}
		}
		if seed == 19 && (kept == 0 || coasts == 0) {
			t.Errorf("%d blocks with values, %d coast nodes", kept, coasts)
		}
	}
}

// TestStretches: each row of each frame pair is in one stretch, in order, and a stretch has no more rows
// than it needs for its arcs.
func TestStretches(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for trial := range 200 {
		pairs := make([]dualascent.FramePair, rng.IntN(4))
		for p := range pairs {
			g := &pairs[p]
			g.Rows, g.Ptr = rng.IntN(9), []int{0}
			for range g.Rows {
				g.Ptr = append(g.Ptr, g.Ptr[len(g.Ptr)-1]+rng.IntN(5))
			}
		}
		arcs, at := 1+rng.IntN(12), stretch{}
		for _, s := range stretches(pairs, arcs) {
			for at.pair < len(pairs) && at.to == pairs[at.pair].Rows {
				at = stretch{pair: at.pair + 1}
			}
			if s.pair != at.pair || s.from != at.to || s.to <= s.from {
				t.Fatalf("trial %d: %v after %v", trial, s, at)
			}
			g := &pairs[s.pair]
			if n := g.Ptr[s.to] - g.Ptr[s.from]; n < arcs && s.to < g.Rows || g.Ptr[s.to-1]-g.Ptr[s.from] >= arcs {
				t.Errorf("trial %d: %v has %d arcs, %d are enough", trial, s, n, arcs)
			}
			at = s
		}
		for at.pair < len(pairs) && at.to == pairs[at.pair].Rows {
			at = stretch{pair: at.pair + 1}
		}
		if at.pair < len(pairs) {
			t.Errorf("trial %d: the last is %v", trial, at)
		}
	}
}
