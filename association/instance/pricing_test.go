package instance

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"mtt"
	"mtt/association/chain/chaintest"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/sensor"
)

// This file tests the generation of links over misses: against instances that have
// them all.

// TestLeapsOptimum: on small scenes the generated instance has the optimum of the
// one with every link over misses, and prices prove it with chain.None of the others.
func TestLeapsOptimum(t *testing.T) {
	ctx := context.Background()
	few, all, solved := 0, 0, 0
	for n := range 80 {
		vel := n%2 == 0
		m := testModels(vel)["gaussian"].(*costgen.Gaussian)
		scans := chaintest.Crowd(t, uint64(n), 3+n%4, 7, vel).Scans
		levels := m.Levels
		levels.Sigma, levels.SigmaV, levels.Rates.Hidden = 0.15, 0.15, 0.4
		levels.Rates.Survive, levels.Rates.Births = 0.98, 0.1
		model := &costgen.Gaussian{Levels: levels}
		gates := chaintest.Gate(t, scans, chaintest.Everything)
		k := &Generator{Gate: chaintest.Everything, Misses: 3, Workers: 1 + n%3}
		inst, err := k.Build(ctx, scans, gates, model)
		if err != nil {
			t.Fatal(err)
		}
		var got *dualascent.Result
		for {
			if got, err = dualascent.Solve(ctx, &inst.Dual, &dualascent.Options{MaxRounds: 50}); err != nil {
				t.Fatal(err)
			}
			list, left, err := k.more(ctx, inst, got, len(scans), new(bool))
			if err != nil {
				t.Fatal(err)
			}
			few := true
			if some, n, err := k.more(ctx, inst, got, len(scans), &few); err != nil || few && (n == 0 || n > left) || !few && (n != left || !slices.Equal(some, list)) {
				t.Fatalf("%d links enter, of few that are wanted %d; few %v, %v", left, n, few, err)
			}
			if left == 0 {
				break
			}
			if inst, err = k.with(ctx, inst, list); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(built(t, scans, gates, inst.skips, model, 1).Dual, inst.Dual) {
			t.Fatalf("scene %d: an instance made of one with fewer links is another", n)
		}
		complete := built(t, scans, gates, allSkips(scans, k.Misses), model, 2)
		want, err := dualascent.Solve(ctx, &complete.Dual, &dualascent.Options{MaxRounds: 50, Effort: math.Inf(1)})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(inst.skips, compareSkips) {
			t.Fatal("links are out of order")
		}
		if got.Certified > want.UpperBound+1e-7 {
			t.Errorf("scene %d: prices claim %v, but an answer costs %v", n, got.Certified, want.UpperBound)
		}
		if got.UpperBound < want.UpperBound-1e-7 {
			t.Errorf("scene %d: found %v, below the optimum of the complete instance, %v", n, got.UpperBound, want.UpperBound)
		}
		if got.UpperBound <= want.UpperBound+1e-7 {
			solved++
		}
		few, all = few+len(inst.skips), all+len(complete.skips)
	}
	t.Logf("%d of %d links, %d of 80 solved", few, all, solved)
}

// TestLeapsOutOfView: a link over scans that do not see its target misses nothing there. The generated
// instance has such links over as many scans as it may, others over as many misses as it may,
// and the optimum of the one with all of these.
func TestLeapsOutOfView(t *testing.T) {
	ctx := context.Background()
	const misses, most = 1, 3
	unseen, solved, scenes := 0, 0, 40
	for n := range scenes {
		m := testModels(false)["gaussian"].(*costgen.Gaussian)
		scans := chaintest.Crowd(t, uint64(n), 3+n%3, 8, false).Scans
		lo, hi := math.Inf(1), math.Inf(-1)
		for s := range scans {
			if s%3 > 0 { // two of three scans are of a sensor that sees half of the scene
				scans[s].Sensor = 1
			}
			for i := range scans[s].Len() {
				x := scans[s].At(i)[0]
				lo, hi = min(lo, x), max(hi, x)
			}
		}
		half := sensor.Sensor{View: &sensor.View{Min: []float64{lo, -1e3}, Max: []float64{(lo + hi) / 2, 1e3}}}
		levels := m.Levels
		levels.Sigma, levels.Rates.Detect, levels.Rates.Hidden = 0.15, 0.7, 0
		levels.Rates.Survive, levels.Rates.Births = 0.98, 0.1
		levels.Sensing = &costgen.Sensing{Sensors: []sensor.Sensor{{}, half}, Detect: []float64{0.7, 0.7}, Clutter: []float64{1, 1}, Volume: []float64{100, 50}}
		model := &costgen.Gaussian{Levels: levels}
		gates := chaintest.Gate(t, scans, chaintest.Everything)
		k := &Generator{Gate: chaintest.Everything, Misses: misses, Scans: most, Workers: 1 + n%3}
		inst, err := k.Build(ctx, scans, gates, model)
		if err != nil {
			t.Fatal(err)
		}
		inst, got, left, err := k.Solve(ctx, inst, &dualascent.Options{Effort: math.Inf(1)})
		if err != nil || left > 0 {
			t.Fatalf("%d links left, %v", left, err)
		}
		// The scans that a link passes over and that see its target, counted by hand.
		var allowed []skip
		for _, l := range allSkips(scans, most) {
			from, to := &scans[l.from.T], &scans[l.to.T]
			seen := 0
			for s := l.from.T + 1; s < l.to.T; s++ {
				x := costgen.Between(from.At(int(l.from.Det)), to.At(int(l.to.Det)), from.Time, to.Time, scans[s].Time)
				if scans[s].Sensor == 0 || half.Sees(x[:2]) {
					seen++
				}
			}
			if seen <= misses {
				allowed = append(allowed, l)
			}
			if have := slices.Contains(inst.skips, l); have && seen > misses {
				t.Errorf("scene %d: a link passes over %d misses", n, seen)
			} else if have && l.passed() > misses {
				unseen++
			}
		}
		if inst.Misses() > misses {
			t.Errorf("scene %d: %d misses passed", n, inst.Misses())
		}
		complete := built(t, scans, gates, allowed, model, 2)
		want, err := dualascent.Solve(ctx, &complete.Dual, &dualascent.Options{Effort: math.Inf(1)})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.UpperBound-want.UpperBound) <= 1e-6 {
			solved++
		} else {
			t.Errorf("scene %d: found %v, the optimum with all links is %v", n, got.UpperBound, want.UpperBound)
		}
	}
	if t.Logf("%d links over more scans than misses, %d of %d scenes solved", unseen, solved, scenes); unseen < scenes {
		t.Errorf("only %d links pass over scans that do not see", unseen)
	}
}

// A counted model counts triplets that it prices; without floor it does not know what they cost at least.
type counted struct {
	*costgen.Gaussian
	floors bool
	priced *atomic.Int64
}

func (m counted) Triplets(dst []float64, stride int, a *mtt.Scan, in []int32, b *mtt.Scan, j int, c *mtt.Scan, out []int32) {
	m.priced.Add(int64(len(in) * len(out)))
	m.Gaussian.Triplets(dst, stride, a, in, b, j, c, out)
}

func (m counted) Floor(a, b, c *mtt.Scan) float64 {
	if !m.floors {
		return math.Inf(-1)
	}
	return m.Gaussian.Floor(a, b, c)
}

// TestFloors: what a floor keeps from being priced would not have entered the problem. Of rough
// problems, of which no pairs are looked at, it keeps a quarter of the triplets, and more.
func TestFloors(t *testing.T) {
	for _, rough := range []bool{false, true} {
		testFloors(t, rough)
	}
}

func testFloors(t *testing.T, rough bool) {
	ctx := context.Background()
	var with, without atomic.Int64
	found := 0
	for n := range 60 {
		vel := n%2 == 0
		scans := chaintest.Crowd(t, uint64(n), 3+n%4, 8, vel).Scans
		levels := testModels(vel)["gaussian"].(*costgen.Gaussian).Levels
		levels.Sigma, levels.SigmaV, levels.Rates.Hidden = 0.05*float64(1+n%6), 0.15, 0.4
		levels.Rates.Survive, levels.Rates.Births = 0.98, 0.1
		if n%3 == 0 {
			levels.ManoeuvreProb, levels.ManoeuvreAccel = 0.05, 3
		}
		gates := chaintest.Gate(t, scans, chaintest.Everything)
		var lists [2][]offer
		for k, m := range []counted{{&costgen.Gaussian{Levels: levels}, true, &with}, {&costgen.Gaussian{Levels: levels}, false, &without}} {
			g := &Generator{Gate: chaintest.Everything, Misses: 4, Rough: rough, Workers: 1 + n%3}
			inst, err := g.Build(ctx, scans, gates, m)
			if err != nil {
				t.Fatal(err)
			}
			d, err := dualascent.Solve(ctx, &inst.Dual, &dualascent.Options{MaxRounds: 5})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(9, uint64(n)))
			for p := range d.Prices { // worse ones, so that more links pay
				for _, prices := range [][]float64{d.Prices[p].U, d.Prices[p].V} {
					for e := range prices {
						prices[e] += 4 * rng.NormFloat64()
					}
				}
			}
			if rough { // Build has left those that are dear by the prices before out of account
				g.near = nil
			}
			if lists[k], err = g.find(ctx, inst, d.Prices, len(scans), new(bool)); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(lists[0], lists[1]) {
			t.Errorf("scene %d: %d links enter, %d if all are priced", n, len(lists[0]), len(lists[1]))
		}
		found += len(lists[1])
	}
	t.Logf("%d links; %d triplets priced, of %d", found, with.Load(), without.Load())
	if most := without.Load(); found == 0 || with.Load() >= most || rough && 4*with.Load() > 3*most {
		t.Errorf("%d links found, %d triplets priced of %d", found, with.Load(), without.Load())
	}
}

// TestLooksAtFew: pairs over misses of scans of a detection each, of which hardly any are inside the
// gate, take no memory one by one.
func TestLooksAtFew(t *testing.T) {
	const n, misses = 2000, 5
	scans := make([]mtt.Scan, n)
	for s := range scans {
		scans[s] = mtt.Scan{Frame: s, Time: float64(s), Dim: 2, Pos: []float64{float64(100 * (s % 50)), 0}}
	}
	scans[6].Pos = scans[4].Pos // over one miss
	inst := &Instance{Scans: scans}
	k := &Generator{Gate: gating.Ball{Radius: 1}, Misses: misses, Workers: 1}
	allocs := testing.AllocsPerRun(1, func() {
		k.near = nil
		if err := k.look(t.Context(), inst); err != nil {
			t.Fatal(err)
		}
	})
	found := 0
	for s := range scans {
		if want := min(misses, max(0, n-2-s)); len(k.near[s]) != want {
			t.Fatalf("scan %d has pairs over %d misses, want %d", s, len(k.near[s]), want)
		}
		for m := range k.near[s] {
			pairs := &k.near[s][m]
			want := 0
			if scans[s].Pos[0] == scans[s+m+2].Pos[0] {
				want = 1
			}
			if pairs.NNZ() != want || want == 1 && !slices.Equal(pairs.Row(0), []int32{0}) {
				t.Errorf("scans %d and %d have the pairs %v, want %d", s, s+m+2, pairs.Col, want)
			}
			found += want
		}
	}
	if most := n / 10.0; allocs > most {
		t.Errorf("%v allocations for %d scans with %d pairs, at most %v are wanted", allocs, n, found, most)
	}
}
