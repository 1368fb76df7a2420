package dualascent_test

// This file compares blocks with values with the same blocks, every cost stored.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"mtt/dualascent"
)

// differing turns the blocks of an instance into random values, some of whose ends
// are forbidden where it has them forbidden. Differences of few different values make
// ties.
func differing(rng *rand.Rand, inst *dualascent.Instance, values int) {
	value := func(n int) []float64 {
		list := make([]float64, n)
		for k := range list {
			list[k] = 10 + float64(rng.IntN(values))/float64(values)
		}
		return list
	}
	for p := range inst.Blocks {
		left, right, b := &inst.Pairs[p], &inst.Pairs[p+1], &inst.Blocks[p]
		f := &dualascent.Differences{
			In: value(len(left.Col)), Out: value(len(right.Col)),
			Birth: value(len(right.Col)), Death: value(len(left.Col)), Alone: value(right.Rows),
		}
		at := make([]int, right.Rows) // rows seen
		for a, j := range left.Col {
			width := right.Ptr[j+1] - right.Ptr[j] + 1
			if b.D[b.Ptr[j]+at[j]*width+width-1] == inf {
				f.Death[a] = inf
			}
			at[j]++
		}
		for j := range right.Rows {
			born := b.D[b.Ptr[j]+at[j]*(right.Ptr[j+1]-right.Ptr[j]+1) : b.Ptr[j+1]]
			for s, d := range born[:len(born)-1] {
				if d == inf {
					f.Birth[right.Ptr[j]+s] = inf
				}
			}
			if born[len(born)-1] == inf {
				f.Alone[j] = inf
			}
		}
		*b = dualascent.Block{Differences: f}
	}
}

// stored is the same instance with every cost stored.
func stored(inst *dualascent.Instance) *dualascent.Instance {
	d := &dualascent.Instance{Pairs: inst.Pairs}
	for p := range inst.Blocks {
		b := inst.Blocks[p]
		if b.Differences != nil {
			b = b.Differences.Dense(&inst.Pairs[p], &inst.Pairs[p+1])
		}
		d.Blocks = append(d.Blocks, b)
	}
	return d
}

// TestDifferences solves random instances in both forms. Prices prove the same, answers
// cost the same, and what is proved optimal is the same.
func TestDifferences(t *testing.T) {
	defer dualascent.NoFewPairs()()
	rapid.Check(t, func(t *rapid.T) {
		inst := drawDense(t, "instance", true, answerable).instance()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed of values"), 0))
		differing(rng, inst, rapid.SampledFrom([]int{3, 1 << 20}).Draw(t, "values"))
		full := stored(inst)
		defer dualascent.SmallChunks(rapid.IntRange(1, 3).Draw(t, "gaps of a chunk"))()
		opts := &dualascent.Options{
			Scheme:    rapid.SampledFrom([]dualascent.Scheme{dualascent.Sequential, dualascent.Parallel}).Draw(t, "scheme"),
			MaxRounds: rapid.IntRange(1, 4).Draw(t, "rounds"),
			Effort:    rapid.SampledFrom([]float64{-1, inf}).Draw(t, "effort"),
		}
		one, two := solve(t, inst, opts), solve(t, full, opts)
		check(t, inst, opts.Scheme, one)
		if c := full.Cost(one.Next); !near(c, one.UpperBound) {
			t.Errorf("answer costs %v with values, %v when all costs are stored", one.UpperBound, c)
		}
		for p := range one.Prices {
			m := &one.Prices[p]
			for _, list := range [][]float64{m.U, m.V, m.Birth, m.Death} {
				for k := range list {
					list[k] += 0.1 * rng.Float64() // no block is drained now
				}
			}
		}
		if x, y := dualascent.Bound(inst, one.Prices), dualascent.Bound(full, one.Prices); !near(x, y) {
			t.Errorf("prices prove %v with values, %v when all costs are stored", x, y)
		}
		if one.Status == dualascent.Optimal && two.Status == dualascent.Optimal && !near(one.UpperBound, two.UpperBound) {
			t.Errorf("optimum %v with values, %v when all costs are stored", one.UpperBound, two.UpperBound)
		}
		if opts.Effort == inf && opts.Scheme == dualascent.Sequential && one.Status != dualascent.Optimal {
			t.Errorf("status %v with unlimited effort", one.Status)
		}
	})
}

// TestDifferencesOfScenes solves scenes with the published cost in both forms: round for
// round they have the same bound.
func TestDifferencesOfScenes(t *testing.T) {
	defer dualascent.NoFewPairs()()
	for seed := range uint64(4) {
		s := scene{kind: "burst", targets: 25, frames: 12, noise: 0.1, cost: "paper", seed: seed}
		if seed%2 == 1 {
			s.miss, s.clutter, s.births = 0.1, 2, 1
		}
		inst := s.instance(t)
		for p := range inst.Blocks {
			if inst.Blocks[p].Differences == nil {
				t.Fatalf("%v: block %d stores its costs", &s, p)
			}
		}
		full := stored(inst)
		for _, rounds := range []int{1, 3, 10} {
			opts := &dualascent.Options{MaxRounds: rounds, Effort: -1}
			one, err := dualascent.Solve(t.Context(), inst, opts)
			if err != nil {
				t.Fatal(err)
			}
			two, err := dualascent.Solve(t.Context(), full, opts)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(one.Certified-two.Certified) > 1e-9*two.Certified {
				t.Errorf("%v, %d rounds: bound %v with values, %v when all costs are stored", &s, rounds, one.Certified, two.Certified)
			}
		}
	}
}

// TestDifferencesChosen wants costs stored where there are few pairs for each arc, and
// values kept where there are many.
func TestDifferencesChosen(t *testing.T) {
	for degree, keep := range map[int]bool{2: false, 64: true} {
		inst, _ := ladder(degree)
		b := inst.Blocks[0].Differences.Block(&inst.Pairs[0], &inst.Pairs[1])
		if (b.Differences != nil) != keep || (b.D == nil) != keep {
			t.Errorf("degree %d: values %v and %d costs", degree, b.Differences != nil, len(b.D))
		}
	}
}

func TestDifferencesInvalid(t *testing.T) {
	make := func() (*dualascent.Instance, *dualascent.Differences) {
		inst, _ := ladder(2)
		return inst, inst.Blocks[0].Differences
	}
	for name, breaks := range map[string]func(*dualascent.Differences){
		"short":    func(f *dualascent.Differences) { f.In = f.In[1:] },
		"nodes":    func(f *dualascent.Differences) { f.Alone = append(f.Alone, 0) },
		"infinite": func(f *dualascent.Differences) { f.Out[0] = inf },
		"nan":      func(f *dualascent.Differences) { f.Birth[0] = math.NaN() },
		"-inf":     func(f *dualascent.Differences) { f.Death[0] = -inf },
	} {
		inst, f := make()
		if err := inst.Validate(); err != nil {
			t.Fatal(err)
		}
		if breaks(f); inst.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// ladder is an instance of two frame pairs whose nodes have degree neighbours, and its
// values, at random.
func ladder(degree int) (inst *dualascent.Instance, arcs int) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 4096 / degree
	values := func(n int) []float64 {
		list := make([]float64, n)
		for k := range list {
			list[k] = rng.Float64()
		}
		return list
	}
	gap := func() dualascent.FramePair {
		g := dualascent.FramePair{Rows: n, Cols: n, Ptr: []int{0}, RowMiss: values(n), ColMiss: values(n)}
		for i := range n {
			first := min(max(0, i-degree/2), n-degree)
			for k := range degree {
				g.Col = append(g.Col, int32(first+k))
			}
			g.Ptr = append(g.Ptr, len(g.Col))
		}
		g.Cost = values(len(g.Col))
		return g
	}
	inst = &dualascent.Instance{Pairs: []dualascent.FramePair{gap(), gap()}}
	arcs = n * degree
	inst.Blocks = []dualascent.Block{{Differences: &dualascent.Differences{
		In: values(arcs), Out: values(arcs), Birth: values(arcs), Death: values(arcs), Alone: values(n),
	}}}
	return inst, 2 * arcs
}

// BenchmarkPull times the minima of a block in both directions, in both forms: where
// they cross, fewPairs should be.
func BenchmarkPull(b *testing.B) {
	for _, degree := range []int{2, 4, 8, 12, 16, 32, 64} {
		inst, arcs := ladder(degree)
		for name, inst := range map[string]*dualascent.Instance{"values": inst, "stored": stored(inst)} {
			b.Run(fmt.Sprintf("degree=%d/%s", degree, name), func(b *testing.B) {
				if _, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{MaxRounds: 1, Effort: -1}); err != nil {
					b.Fatal(err)
				}
				pull := dualascent.Pull(inst)
				for b.Loop() {
					pull()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(arcs), "ns/arc")
			})
		}
	}
}
