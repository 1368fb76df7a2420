package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/association"
	problem "mtt/association/instance"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/scenario"
)

// needCard skips a test without a card.
func needCard(t testing.TB) {
	t.Helper()
	if err := Available(); errors.Is(err, ErrUnavailable) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}

// emulated says whether the card is the emulator of internal/cuda/emulator, which is
// slow.
func emulated() bool { c, err := defaultCard(); return err == nil && c.device.Name == "emulated card" }

// simulate draws a scene.
func simulate(t testing.TB, c *scenario.Config) []mtt.Scan {
	t.Helper()
	sim, err := scenario.Simulate(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return sim.Scans
}

// gaussian is the default cost, with rates for targets that come, go and hide.
func gaussian(noise float64) *costgen.Gaussian {
	return &costgen.Gaussian{Levels: costgen.Levels{
		Sigma: noise, SigmaV: noise, Accel: 0.1, SpeedStd: 1,
		Rates: costgen.Rates{Detect: 0.95, Survive: 0.99, Births: 1, Targets: 20, Clutter: 1, Volume: 400},
	}}
}

// metric are ends for costs in metres.
func metric(price float64) costgen.Ends {
	return costgen.Ends{Birth: price, Death: price, Clutter: 2 * price, Miss: price}
}

// instance gates and prices scans.
func instance(t testing.TB, scans []mtt.Scan, gate gating.Gate, model costgen.Model) *dualascent.Instance {
	t.Helper()
	gates, err := gating.Chain(context.Background(), scans, gate, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &problem.New(scans, gates, model).Dual
}

// missing is the instance of a scene with misses, which has coast nodes.
func missing(t testing.TB, c *scenario.Config) *dualascent.Instance {
	t.Helper()
	res, err := association.Build(context.Background(), simulate(t, c), &association.Options{Sigma: c.Noise, SigmaV: c.VelocityNoise})
	if err != nil {
		t.Fatal(err)
	}
	if res.Instance.Misses() == 0 {
		t.Fatal("no link passes over a miss")
	}
	return &res.Instance.Dual
}

// A trial is an instance to ascend.
type trial struct {
	name string
	inst *dualascent.Instance
}

// trials are small instances of all kinds.
func trials(t testing.TB) []trial {
	mahalanobis := gating.Mahalanobis{G: 25, Sigma: 0.1, SigmaV: 0.1, Noise: 0.1}
	disc := gating.Disc{Epsilon: 2, Margin: 0.4}
	dense := gating.Disc{Epsilon: 5, Margin: 0.4}
	list := []trial{
		{"nll", instance(t, simulate(t, &scenario.Config{Targets: 12, Frames: 9, Noise: 0.1, VelocityNoise: 0.1}), mahalanobis, gaussian(0.1))},
		{"coasts", missing(t, &scenario.Config{
			Scene: scenario.Steer, Targets: 12, Frames: 10, Noise: 0.1, VelocityNoise: 0.1, Miss: 0.1, Clutter: 1, ClutterRadius: 4, Births: 0.5,
		})},
		{"paper", instance(t, simulate(t, &scenario.Config{Targets: 14, Frames: 8, Noise: 0.1, VelocityNoise: 0.1}), disc, &costgen.Paper{Prices: metric(1e3)})},
		{"dense", instance(t, simulate(t, &scenario.Config{Targets: 40, Frames: 4, Noise: 0.1, VelocityNoise: 0.1}), dense, &costgen.Paper{Prices: metric(5)})},
		{"trapezoid", instance(t, simulate(t, &scenario.Config{Targets: 10, Frames: 7, Noise: 0.2, VelocityNoise: 0.2, Clutter: 2}), disc, &costgen.Trapezoid{Prices: metric(2)})},
		{"one gap", instance(t, simulate(t, &scenario.Config{Targets: 9, Frames: 2, Noise: 0.1, VelocityNoise: 0.1}), disc, &costgen.Paper{Prices: metric(2)})},
	}
	for seed := range uint64(12) {
		list = append(list, trial{fmt.Sprintf("random %d", seed), random(seed)})
	}
	return list
}

// random draws an instance with stored blocks and such of features, forbidden triplets,
// frames without nodes and nodes without arcs.
func random(seed uint64) *dualascent.Instance {
	rng := rand.New(rand.NewPCG(seed, 7))
	draw := func(forbid float64) float64 {
		if rng.Float64() < forbid {
			return math.Inf(1)
		}
		return 20*rng.Float64() - 5
	}
	nodes := make([]int, 3+rng.IntN(4))
	for i := range nodes {
		nodes[i] = rng.IntN(7)
	}
	inst := &dualascent.Instance{}
	for p := range len(nodes) - 1 {
		g := dualascent.FramePair{Rows: nodes[p], Cols: nodes[p+1], Ptr: []int{0}}
		for range g.Rows {
			for j := range g.Cols {
				if rng.Float64() < 0.6 {
					g.Col, g.Cost = append(g.Col, int32(j)), append(g.Cost, draw(0))
				}
			}
			g.Ptr = append(g.Ptr, len(g.Col))
			g.RowMiss = append(g.RowMiss, 10+draw(0))
		}
		for range g.Cols {
			g.ColMiss = append(g.ColMiss, 10+draw(0))
		}
		inst.Pairs = append(inst.Pairs, g)
	}
	for p := range len(inst.Pairs) - 1 {
		g, h := &inst.Pairs[p], &inst.Pairs[p+1]
		in := make([]int, g.Cols)
		for _, j := range g.Col {
			in[j]++
		}
		if rng.IntN(2) == 0 {
			inst.Blocks = append(inst.Blocks, dualascent.Block{Differences: features(g, h, draw)})
			continue
		}
		b := dualascent.Block{Ptr: []int{0}}
		for j := range g.Cols {
			for range in[j] {
				for range h.Ptr[j+1] - h.Ptr[j] {
					b.D = append(b.D, draw(0.2))
				}
				b.D = append(b.D, draw(0))
			}
			for range h.Ptr[j+1] - h.Ptr[j] + 1 {
				b.D = append(b.D, draw(0))
			}
			b.Ptr = append(b.Ptr, len(b.D))
		}
		inst.Blocks = append(inst.Blocks, b)
	}
	return inst
}

// features draws a block between two gaps: every arc has another feature on this side
// than on the other.
func features(left, right *dualascent.FramePair, draw func(forbid float64) float64) *dualascent.Differences {
	list := func(n int, forbid float64) []float64 {
		l := make([]float64, n)
		for k := range l {
			l[k] = draw(forbid)
			if forbid == 0 {
				l[k] = math.Round(l[k]) // some are equal
			}
		}
		return l
	}
	return &dualascent.Differences{
		In: list(len(left.Col), 0), Out: list(len(right.Col), 0),
		Birth: list(len(right.Col), 0.2), Death: list(len(left.Col), 0.2), Alone: list(right.Rows, 0),
	}
}

// TestAscent wants bounds that rise, that the prices prove, and that come close to
// those of the engine on the host.
func TestAscent(t *testing.T) {
	needCard(t)
	ctx := context.Background()
	for _, tt := range trials(t) {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.inst.Validate(); err != nil {
				t.Fatal(err)
			}
			want, err := dualascent.Solve(ctx, tt.inst, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := New(tt.inst)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Free()
			scale := 1 + math.Abs(want.UpperBound)
			share := func(pass int) float64 { // of momentum
				if pass < 5 || pass > 20 {
					return 0
				}
				return momentum
			}
			last := math.Inf(-1)
			for pass := range 25 {
				bound, err := a.Pass(ctx, share(pass))
				if err != nil {
					t.Fatal(err)
				}
				if share(pass) == 0 && bound < last-1e-9*scale {
					t.Errorf("pass %d: bound %v after %v", pass, bound, last)
				}
				last = bound
			}
			prices, err := a.Prices(tt.inst)
			if err != nil {
				t.Fatal(err)
			}
			certified := dualascent.Bound(tt.inst, prices)
			proved, err := a.Prove()
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(certified-proved) > 1e-9*scale || certified < last-1e-9*scale {
				t.Errorf("prices prove %v, the card says %v, the last pass %v", certified, proved, last)
			}
			if certified > want.UpperBound+1e-9*scale {
				t.Errorf("bound %v above the cost %v of an answer", certified, want.UpperBound)
			}
			ascent, err := dualascent.Solve(ctx, tt.inst, &dualascent.Options{Effort: -1})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("card %v, host %v, best answer %v", certified, ascent.LowerBound, want.UpperBound)
			if certified < ascent.LowerBound-5e-3*scale {
				t.Errorf("bound %v, that of the host is %v", certified, ascent.LowerBound)
			}

			cost, err := a.Answer(ctx, 50)
			if err != nil {
				t.Fatal(err)
			}
			next, err := a.Next()
			if err != nil {
				t.Fatal(err)
			}
			if c := tt.inst.Cost(next); math.Abs(c-cost) > 1e-9*scale && !math.IsInf(c, 1) {
				t.Errorf("the answer costs %v, the card says %v", c, cost)
			}
			if cost < want.LowerBound-1e-9*scale {
				t.Errorf("the answer costs %v, less than the bound %v", cost, want.LowerBound)
			}
			t.Logf("answer %v", cost)
			if bound, err := a.Pass(ctx, 0); err != nil || bound < last-1e-9*scale {
				t.Errorf("after the answer, bound %v: %v", bound, err)
			}
		})
	}
}

// TestMomentum wants what the comment at momentum says.
func TestMomentum(t *testing.T) {
	needCard(t)
	ctx := context.Background()
	inst := trials(t)[3].inst
	want, err := dualascent.Solve(ctx, inst, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(inst)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Free()
	var plain float64
	for range 30 {
		if plain, err = a.Pass(ctx, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.clear(); err != nil {
		t.Fatal(err)
	}
	a.warm = false
	bound, err := a.Raise(ctx, 30)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("without %v, with %v, best %v", plain, bound, want.UpperBound)
	if plain > 0.995*want.UpperBound || bound < 0.9999*want.UpperBound {
		t.Errorf("bound %v without momentum, %v with it, the best is %v", plain, bound, want.UpperBound)
	}
}

// TestGenerate wants the problems that the card makes of scans to be those which
// package association makes.
func TestGenerate(t *testing.T) {
	needCard(t)
	ctx := context.Background()
	gate := gating.Disc{Epsilon: 3, Margin: 0.4}
	burst := simulate(t, &scenario.Config{Targets: 40, Frames: 5, Noise: 0.1, VelocityNoise: 0.1})
	clutter := simulate(t, &scenario.Config{
		Scene: scenario.Steer, Targets: 20, Frames: 8, Noise: 0.1, VelocityNoise: 0.1, Miss: 0.1, Clutter: 3,
	})
	space := simulate(t, &scenario.Config{Dim: 3, Scene: scenario.Drift, Targets: 20, Frames: 6, Noise: 0.1, VelocityNoise: 0.5})
	two := simulate(t, &scenario.Config{Targets: 5, Frames: 2, Noise: 0.1, VelocityNoise: 0.1})
	uneven := slices.Clone(clutter)
	for i := range uneven {
		uneven[i].Time += 0.3 * float64(i%2)
	}
	for _, tt := range []struct {
		name  string
		scans []mtt.Scan
		model costgen.Model
	}{
		{"burst", burst, &costgen.Paper{Prices: metric(1e3)}},
		{"clutter", clutter, &costgen.Paper{Prices: costgen.Ends{Birth: 3, Death: 2, Clutter: 4, First: 1}}},
		{"space", space, &costgen.Paper{Prices: metric(20)}},
		{"two", two, &costgen.Paper{Prices: metric(2)}},
		{"burst, nll", burst, gaussian(0.1)},
		{"clutter, nll", clutter, gaussian(0.1)},
		{"uneven, nll", uneven, gaussian(0.1)},
		{"space, nll", space, gaussian(0.2)},
		{"two, nll", two, gaussian(0.1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inst := instance(t, tt.scans, gate, tt.model)
			var a *Ascent
			var err error
			if model, ok := tt.model.(*costgen.Paper); ok {
				a, err = NewPaper(tt.scans, gate, model)
			} else {
				a, err = NewGaussian(tt.scans, gate, tt.model.(*costgen.Gaussian))
			}
			if err != nil {
				t.Fatal(err)
			}
			defer a.Free()
			if a.Arcs() != inst.Arcs() {
				t.Fatalf("%d pairs, want %d", a.Arcs(), inst.Arcs())
			}
			want, err := dualascent.Solve(ctx, inst, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := a.Solve(ctx, nil)
			if err != nil {
				t.Fatal(err)
			}
			scale := 1 + math.Abs(want.UpperBound)
			t.Logf("card %v to %v in %d passes, host %v to %v", r.LowerBound, r.UpperBound, r.Passes, want.LowerBound, want.UpperBound)
			if r.LowerBound > want.UpperBound+1e-9*scale || r.LowerBound < want.LowerBound-5e-3*scale {
				t.Errorf("bound %v, that of the host is %v, of cost %v", r.LowerBound, want.LowerBound, want.UpperBound)
			}
			if c := inst.Cost(r.Next); math.Abs(c-r.UpperBound) > 1e-9*scale {
				t.Errorf("the answer costs %v, the card says %v", c, r.UpperBound)
			}
			if r.UpperBound > want.UpperBound+0.01*scale {
				t.Errorf("cost %v, that of the host is %v", r.UpperBound, want.UpperBound)
			}
			prices, err := a.Prices(inst)
			if err != nil {
				t.Fatal(err)
			}
			if b := dualascent.Bound(inst, prices); math.Abs(b-r.LowerBound) > 1e-9*scale {
				t.Errorf("the prices prove %v, the card says %v", b, r.LowerBound)
			}
		})
	}
}
