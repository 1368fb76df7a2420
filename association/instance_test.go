package association

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
)

// This file tests instances: an assignment must cost what its tracks cost, said
// in the words of costgen.Model's documentation and of nothing else.

// everything gates every pair.
var everything = gating.Ball{Radius: 1e6}

// patterns gates consecutive scans, and scans two apart, completely.
func patterns(t *testing.T, scans []mtt.Scan, g gating.Gate) (gates, skips []gating.CSR) {
	t.Helper()
	gates, err := gating.Chain(context.Background(), scans, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	skips, err = gateSkips(scans, g, 0)
	if err != nil {
		t.Fatal(err)
	}
	return gates, skips
}

// randomScans are scans of up to most detections, some of them empty.
func randomScans(rng *rand.Rand, frames, most, dim int, vel bool) []mtt.Scan {
	scans := make([]mtt.Scan, frames)
	now := 0.0
	for t := range scans {
		now += 0.5 + rng.Float64()
		scans[t] = mtt.Scan{Frame: 3 * t, Time: now, Dim: dim}
		n := rng.IntN(most + 1)
		for range n * dim {
			scans[t].Pos = append(scans[t].Pos, rng.NormFloat64())
			if vel {
				scans[t].Vel = append(scans[t].Vel, 0.3*rng.NormFloat64())
			}
		}
	}
	return scans
}

// randomChains links detections at random, over at most one missed scan.
func randomChains(rng *rand.Rand, scans []mtt.Scan) *chains {
	c := newChains(scans)
	for t := range scans {
		for i := range scans[t].Len() {
			to := t + 1
			if rng.IntN(3) == 0 {
				to++
			}
			if to >= len(scans) || scans[to].Len() == 0 || rng.IntN(4) == 0 {
				continue
			}
			if j := rng.IntN(scans[to].Len()); c.prev[to][j] == none {
				c.link(hit{int32(t), int32(i)}, hit{int32(to), int32(j)})
			}
		}
	}
	return c
}

// assign expresses the chains as arcs of the instance. Links over a miss that
// no coast node can express are cut from c.
func (inst *Instance) assign(c *chains) [][]int32 {
	next := make([][]int32, len(inst.Dual.Gaps))
	for t := range next {
		next[t] = slices.Repeat([]int32{-1}, inst.Dual.Gaps[t].Rows)
	}
	arc := func(t, i, j int) int32 {
		g := &inst.Dual.Gaps[t]
		for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
			if int(g.Col[e]) == j {
				return int32(e)
			}
		}
		return -1
	}
	for t := range inst.Scans {
		for i, to := range c.next[t] {
			at := hit{int32(t), int32(i)}
			switch {
			case to == none:
			case int(to.t) == t+1:
				e := arc(t, i, int(to.det))
				if e < 0 {
					c.cut(at)
				}
				next[t][i] = e
			default:
				found := false
				for k, coast := range inst.Coast[t+1] {
					if int(coast.From) != i || coast.To != to.det {
						continue
					}
					node := inst.Scans[t+1].Len() + k
					next[t][i], next[t+1][node] = arc(t, i, node), arc(t+1, node, int(to.det))
					found = next[t][i] >= 0 && next[t+1][node] >= 0
				}
				if !found {
					c.cut(at)
				}
			}
		}
	}
	return next
}

// price is what the chains cost: model prices along every chain, and its ends.
// Chains of one detection are false alarms where that is cheaper.
func price(c *chains, scans []mtt.Scan, m costgen.Model) (sum float64) {
	ends := m.Ends()
	last := len(scans) - 1
	var one [1]float64
	for t := range scans {
		for i := range c.prev[t] {
			if c.prev[t][i] != none {
				continue
			}
			var track []hit
			for h := (hit{int32(t), int32(i)}); h != none; h = c.next[h.t][h.det] {
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
				m.Pairs(one[:], &scans[g.t], int(g.det), &scans[h.t], []int32{h.det})
				cost += one[0]
				if k == 1 {
					m.Starts(one[:], &scans[g.t], int(g.det), &scans[h.t], []int32{h.det})
				} else {
					f := track[k-2]
					m.Triplets(one[:], 1, &scans[f.t], []int32{f.det}, &scans[g.t], int(g.det), &scans[h.t], []int32{h.det})
				}
				cost += one[0] + ends.Miss*float64(h.t-g.t-1)
			}
			if int(track[len(track)-1].t) != last {
				cost += ends.Death
			}
			if len(track) == 1 {
				cost = min(cost, ends.Alarm)
			}
			sum += cost
		}
	}
	return sum
}

func testModels(vel bool) map[string]costgen.Model {
	ends := costgen.Ends{Birth: 3.1, First: 2.3, Death: 1.7, Miss: 0.9, Alarm: 4.9}
	cheap := costgen.Ends{Birth: 3.1, First: 2.3, Death: 1.7, Miss: 0.9, Alarm: 1.1}
	mix := func(x ...float64) float64 { // any function of where and when
		s := 0.3
		for k, v := range x {
			s = math.Sin(7*s+float64(k+1)*v) + 0.1*s
		}
		return s
	}
	models := map[string]costgen.Model{
		"gaussian": &costgen.Gaussian{Levels: costgen.Levels{
			Sigma: 0.3, SigmaV: 0.2, Accel: 0.2, SpeedStd: 0.5, Turns: 0.05, TurnAccel: 1, PositionsOnly: !vel, Interval: 0.8,
			Rates: costgen.Rates{Detect: 0.8, Survive: 0.9, Births: 0.7, Targets: 3, Alarms: 0.5, Volume: 20},
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
	coasts := 0
	for _, vel := range []bool{true, false} {
		models := testModels(vel)
		for _, name := range slices.Sorted(maps.Keys(models)) {
			m := models[name]
			for n := range 60 {
				scans := randomScans(rng, 2+rng.IntN(5), 4, 2+rng.IntN(2), vel)
				if g, ok := m.(*costgen.Gaussian); ok {
					levels := g.Levels
					levels.Dim = dimension(scans)
					m = &costgen.Gaussian{Levels: levels}
				}
				gates, skips := patterns(t, scans, everything)
				if n%4 == 0 {
					skips = nil
				}
				inst := NewInstance(scans, gates, skips, m)
				if err := inst.Dual.Validate(); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				c := randomChains(rng, scans)
				next := inst.assign(c)
				got := inst.Dual.Cost(next) + float64(scans[0].Len())*m.Ends().First
				if want := price(c, scans, m); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
					t.Errorf("%s, velocities %v, scene %d: instance costs %v, tracks cost %v", name, vel, n, got, want)
				}
				back := inst.chainsOf(next)
				for f := range scans {
					for i := range c.next[f] {
						if back.next[f][i] != c.next[f][i] || back.prev[f][i] != c.prev[f][i] {
							t.Fatalf("%s: link after detection %d of scan %d: %v went in, %v came back", name, i, f, c.next[f][i], back.next[f][i])
						}
						if to := c.next[f][i]; to != none && int(to.t) == f+2 {
							coasts++
						}
					}
				}
			}
		}
	}
	if coasts < 100 {
		t.Errorf("only %d links over a miss were tried", coasts)
	}
}

// TestCoasts: a coast node for each link over a miss that can be cheaper than an
// end and a beginning, and for no other.
func TestCoasts(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	for _, vel := range []bool{true, false} {
		m := testModels(vel)["gaussian"]
		ends := m.Ends()
		limit := ends.Death + ends.Birth - ends.Miss
		some, most := 0, 0
		for range 40 {
			scans := randomScans(rng, 6, 4, 2, vel)
			gates, skips := patterns(t, scans, everything)
			inst := NewInstance(scans, gates, skips, m)
			var one [1]float64
			for f := 1; f+1 < len(scans); f++ {
				a, b := &scans[f-1], &scans[f+1]
				var want []Coast
				for i := range a.Len() {
					for j := range b.Len() {
						to := []int32{int32(j)}
						least := math.Inf(1)
						if vel || f == 1 {
							m.Starts(one[:], a, i, b, to)
							least = one[0]
						}
						for before := max(0, f-3); before < f-1; before++ {
							for h := range scans[before].Len() {
								if before == f-3 && !slices.Contains(inst.Coast[f-2], Coast{int32(h), int32(i)}) {
									continue
								}
								m.Triplets(one[:], 1, &scans[before], []int32{int32(h)}, a, i, b, to)
								least = min(least, one[0])
							}
						}
						if least <= limit {
							want = append(want, Coast{int32(i), int32(j)})
						}
						most++
					}
				}
				if !slices.Equal(inst.Coast[f], want) {
					t.Fatalf("velocities %v, frame %d: coast nodes %v, want %v", vel, f, inst.Coast[f], want)
				}
				some += len(want)
			}
		}
		if some < most/20 || some > most*19/20 {
			t.Errorf("velocities %v: %d of %d pairs have a coast node: that tests little", vel, some, most)
		}
	}
}

// TestInstanceOptimum: on tiny scenes the engine's answer is the cheapest set of
// tracks, found by trying all of them.
func TestInstanceOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for _, vel := range []bool{true, false} {
		m := testModels(vel)["gaussian"]
		for n := range 40 {
			scans := randomScans(rng, 3, 2, 2, vel)
			gates, skips := patterns(t, scans, everything)
			inst := NewInstance(scans, gates, skips, m)
			least := math.Inf(1)
			each(newChains(scans), scans, 0, 0, func(c *chains) {
				least = min(least, inst.Dual.Cost(inst.assign(c)))
			})
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

// each calls f with every way to link the detections from detection i of scan t
// on, over at most one missed scan.
func each(c *chains, scans []mtt.Scan, t, i int, f func(*chains)) {
	if t == len(scans) {
		// assign may cut links that the instance cannot express.
		copied := newChains(scans)
		for t := range c.next {
			copy(copied.next[t], c.next[t])
			copy(copied.prev[t], c.prev[t])
		}
		f(copied)
		return
	}
	if i == scans[t].Len() {
		each(c, scans, t+1, 0, f)
		return
	}
	each(c, scans, t, i+1, f)
	at := hit{int32(t), int32(i)}
	for u := t + 1; u <= t+2 && u < len(scans); u++ {
		for j := range scans[u].Len() {
			if c.prev[u][j] == none {
				c.link(at, hit{int32(u), int32(j)})
				each(c, scans, t, i+1, f)
				c.cut(at)
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
	gates, skips := patterns(t, scans, gating.Ball{Radius: 3})
	inst := NewInstance(scans, gates, skips, testModels(false)["gaussian"])
	if inst.Arcs() != 3 || inst.Triplets() != 1 {
		t.Errorf("%d arcs, %d triplets; want 3 and 1", inst.Arcs(), inst.Triplets())
	}
}

// TestFeatured builds instances of the published cost from features and from
// triplets: the same costs, to the last bit, coast nodes included.
func TestFeatured(t *testing.T) {
	model := &costgen.Paper{Prices: costgen.Ends{Birth: 3, First: 1, Death: 2, Alarm: 4, Miss: 2}}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 0))
		scans := randomScans(rng, 5, 3+2*int(seed), 2+int(seed%2), true)
		gates, skips := patterns(t, scans, everything)
		one := NewInstance(scans, gates, skips, model)
		two := NewInstance(scans, gates, skips, struct{ costgen.Model }{model})
		kept, coasts := 0, 0
		for p := range one.Dual.Blocks {
			b, want := one.Dual.Blocks[p], two.Dual.Blocks[p]
			if b.Features != nil {
				b = b.Features.Dense(&one.Dual.Gaps[p], &one.Dual.Gaps[p+1])
				kept++
			}
			coasts += len(one.Coast[p+1])
			if !slices.Equal(b.Ptr, want.Ptr) || !slices.Equal(b.D, want.D) {
				t.Fatalf("seed %d: block %d has the costs %v, want %v", seed, p, b.D, want.D)
			}
		}
		if seed == 19 && (kept == 0 || coasts == 0) {
			t.Errorf("%d blocks with features, %d coast nodes", kept, coasts)
		}
	}
}
