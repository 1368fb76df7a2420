package dualascent_test

// This file checks what theory says of any instance: bounds rise, certificates
// hold, and changes that cannot matter do not.

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"mtt/dualascent"
)

// drawDense draws a random instance: tiny, or with up to six frames of up to six
// nodes when large.
func drawDense(t *rapid.T, label string, large bool, kinds []kind) *dense {
	k := rapid.SampledFrom(kinds).Draw(t, label+" kind")
	most := 3
	if large {
		most = 6
	}
	frames := rapid.IntRange(1, most).Draw(t, label+" frames")
	nodes := make([]int, frames)
	for f := range nodes {
		nodes[f] = rapid.IntRange(0, most).Draw(t, label+" nodes")
		if k.end == 1 {
			nodes[f] = nodes[0]
		}
	}
	seed := rapid.Uint64().Draw(t, label+" seed")
	return random(rand.New(rand.NewPCG(seed, 0)), k, nodes...)
}

// answerable are the kinds of instance that always have an answer.
var answerable = []kind{kinds[0], kinds[1]}

func solve(t interface{ Fatal(args ...any) }, inst *dualascent.Instance, opts *dualascent.Options) *dualascent.Result {
	if err := inst.Validate(); err != nil {
		t.Fatal(err)
	}
	res, err := dualascent.Solve(context.Background(), inst, opts)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// near reports whether x and y agree to rounding.
func near(x, y float64) bool { return math.Abs(x-y) <= 1e-9*(1+math.Abs(x)) }

// check verifies what a result says of itself. The parallel scheme's last push
// can prove more than it says.
func check(t interface {
	Helper()
	Errorf(string, ...any)
}, inst *dualascent.Instance, scheme dualascent.Scheme, res *dualascent.Result) {
	t.Helper()
	b := dualascent.Bound(inst, res.Prices)
	if scheme == dualascent.Sequential && !near(b, res.Certified) || b < res.Certified && !near(b, res.Certified) {
		t.Errorf("prices prove %v, the result says %v", b, res.Certified)
	}
	if res.Certified > res.LowerBound {
		t.Errorf("prices prove %v, more than %v", res.Certified, res.LowerBound)
	}
	if c := inst.Cost(res.Next); !near(c, res.UpperBound) {
		t.Errorf("answer costs %v, the result says %v", c, res.UpperBound)
	}
	if res.LowerBound > res.UpperBound && !near(res.LowerBound, res.UpperBound) {
		t.Errorf("bound %v above cost %v", res.LowerBound, res.UpperBound)
	}
	lower, upper := math.Inf(-1), inf
	for k, s := range res.Trace {
		if s.Pass != k+1 {
			t.Errorf("step %d is of pass %d", k, s.Pass)
		}
		if s.Lower < lower || s.Upper > upper {
			t.Errorf("pass %d: bounds %v and %v, worse than %v and %v", s.Pass, s.Lower, s.Upper, lower, upper)
		}
		lower, upper = s.Lower, s.Upper
	}
	if len(res.Trace) > 0 && (lower != res.LowerBound || upper != res.UpperBound) {
		t.Errorf("trace ends with %v and %v, the result says %v and %v", lower, upper, res.LowerBound, res.UpperBound)
	}
}

func TestResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inst := drawDense(t, "instance", true, answerable).instance()
		opts := &dualascent.Options{
			Scheme:    rapid.SampledFrom([]dualascent.Scheme{dualascent.Sequential, dualascent.Parallel}).Draw(t, "scheme"),
			MaxRounds: rapid.IntRange(0, 5).Draw(t, "rounds"),
			Balance:   rapid.IntRange(-1, 3).Draw(t, "balance"),
			Search:    rapid.IntRange(-1, 3).Draw(t, "search"),
			Gap:       rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "gap"),
			Effort:    rapid.SampledFrom([]float64{-1, 0}).Draw(t, "effort"),
		}
		defer dualascent.SmallChunks(rapid.IntRange(1, 3).Draw(t, "gaps of a chunk"))()
		check(t, inst, opts.Scheme, solve(t, inst, opts))
	})
}

// TestBoundRises stops the ascent after more and more rounds. What the prices then
// prove, computed afresh, is never less than what any pass had.
func TestBoundRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inst := drawDense(t, "instance", true, answerable).instance()
		scheme := rapid.SampledFrom([]dualascent.Scheme{dualascent.Sequential, dualascent.Parallel}).Draw(t, "scheme")
		defer dualascent.SmallChunks(rapid.IntRange(1, 3).Draw(t, "gaps of a chunk"))()
		most := math.Inf(-1)
		for rounds := 1; rounds <= 6; rounds++ {
			res := solve(t, inst, &dualascent.Options{Scheme: scheme, MaxRounds: rounds, Effort: -1})
			b := dualascent.Bound(inst, res.Prices)
			for _, s := range res.Trace[:max(0, len(res.Trace)-1)] { // the last step says what b is
				most = max(most, s.Lower)
			}
			if b < most && !near(b, most) {
				t.Fatalf("round %d: prices prove %v, a pass had %v", rounds, b, most)
			}
		}
	})
}

// TestConstants adds to all arcs of a gap in which all nodes must be linked.
func TestConstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3).Draw(t, "nodes")
		seed := rapid.Uint64().Draw(t, "seed")
		d := random(rand.New(rand.NewPCG(seed, 0)), kind{end: 1}, n, n, n)
		inst := d.instance()
		before := solve(t, inst, nil)
		shift := float64(rapid.IntRange(-8, 8).Draw(t, "shift"))
		for e := range inst.Pairs[0].Cost {
			inst.Pairs[0].Cost[e] += shift
		}
		after := solve(t, inst, nil)
		shift *= float64(n)
		if c := inst.Cost(before.Next); !near(c, before.UpperBound+shift) {
			t.Errorf("cost %v becomes %v, want %v more", before.UpperBound, c, shift)
		}
		if b := dualascent.Bound(inst, before.Prices); !near(b, before.Certified+shift) {
			t.Errorf("bound %v becomes %v, want %v more", before.Certified, b, shift)
		}
		if before.Status == dualascent.Optimal && after.Status == dualascent.Optimal && !near(after.UpperBound, before.UpperBound+shift) {
			t.Errorf("optimum %v becomes %v, want %v more", before.UpperBound, after.UpperBound, shift)
		}
	})
}

// TestScaling doubles all costs: floating-point numbers do not notice.
func TestScaling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inst := drawDense(t, "instance", true, answerable).instance()
		before := solve(t, inst, nil)
		double := func(costs []float64) {
			for i := range costs {
				costs[i] *= 2
			}
		}
		for p := range inst.Pairs {
			double(inst.Pairs[p].Cost)
			double(inst.Pairs[p].RowMiss)
			double(inst.Pairs[p].ColMiss)
		}
		for p := range inst.Blocks {
			double(inst.Blocks[p].D)
		}
		after := solve(t, inst, nil)
		if !near(2*before.LowerBound, after.LowerBound) || !near(2*before.UpperBound, after.UpperBound) {
			t.Errorf("bounds %v and %v become %v and %v, want the double",
				before.LowerBound, before.UpperBound, after.LowerBound, after.UpperBound)
		}
	})
}

// permuted is d with the nodes of each frame renamed: node i becomes node
// names[f][i].
func (d *dense) permuted(names [][]int) *dense {
	end := func(f, i int) int { // born and dies keep their places
		if i < d.nodes[f] {
			return names[f][i]
		}
		return i
	}
	e := &dense{nodes: d.nodes}
	for p := range len(d.nodes) - 1 {
		n, m := d.nodes[p], d.nodes[p+1]
		arc := make([][]float64, n)
		death, birth := make([]float64, n), make([]float64, m)
		for i := range n {
			row := make([]float64, m)
			for j := range m {
				row[names[p+1][j]] = d.arc[p][i][j]
			}
			arc[names[p][i]] = row
			death[names[p][i]] = d.death[p][i]
		}
		for j := range m {
			birth[names[p+1][j]] = d.birth[p][j]
		}
		var block [][][]float64
		if p > 0 {
			block = make([][][]float64, n)
			for j := range n {
				rows := make([][]float64, d.nodes[p-1]+1)
				for i := range rows {
					row := make([]float64, m+1)
					for k := range row {
						row[end(p+1, k)] = d.block[p][j][i][k]
					}
					rows[end(p-1, i)] = row
				}
				block[names[p][j]] = rows
			}
		}
		e.arc, e.death, e.birth, e.block = append(e.arc, arc), append(e.death, death), append(e.birth, birth), append(e.block, block)
	}
	return e
}

// TestPermutation renames nodes. The order of work changes, and with it the
// course of the ascent, but never what is true.
func TestPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDense(t, "instance", true, answerable)
		names := make([][]int, len(d.nodes))
		for f, n := range d.nodes {
			identity := make([]int, n)
			for i := range identity {
				identity[i] = i
			}
			names[f] = rapid.Permutation(identity).Draw(t, "names")
		}
		e := d.permuted(names)
		before, after := d.instance(), e.instance()
		one, two := solve(t, before, nil), solve(t, after, nil)
		to := heads(before, one.Next)
		renamed := make([][]int, len(to))
		for p := range to {
			renamed[p] = make([]int, len(to[p]))
			for i, j := range to[p] {
				if j >= 0 {
					j = names[p+1][j]
				}
				renamed[p][names[p][i]] = j
			}
		}
		if c := e.cost(renamed); !near(c, one.UpperBound) {
			t.Errorf("cost %v becomes %v", one.UpperBound, c)
		}
		compare(t, one.LowerBound, one.UpperBound, one.Status == dualascent.Optimal, two)
	})
}

// compare checks bounds of the same optimum.
func compare(t *rapid.T, lower, upper float64, optimal bool, res *dualascent.Result) {
	if lower > res.UpperBound && !near(lower, res.UpperBound) || res.LowerBound > upper && !near(res.LowerBound, upper) {
		t.Errorf("bounds %v and %v contradict %v and %v", lower, upper, res.LowerBound, res.UpperBound)
	}
	if optimal && res.Status == dualascent.Optimal && !(near(lower, res.LowerBound) && near(upper, res.UpperBound)) {
		t.Errorf("optimum %v becomes %v", upper, res.UpperBound)
	}
}

// beside puts two instances of as many frames next to each other, with no arc
// between them.
func beside(a, b *dualascent.Instance) *dualascent.Instance {
	ptr := func(p, q []int) []int {
		r := slices.Clone(p)
		for _, x := range q[1:] {
			r = append(r, p[len(p)-1]+x)
		}
		return r
	}
	u := &dualascent.Instance{}
	for p := range a.Pairs {
		g, h := &a.Pairs[p], &b.Pairs[p]
		col := slices.Clone(g.Col)
		for _, j := range h.Col {
			col = append(col, int32(g.Cols)+j)
		}
		u.Pairs = append(u.Pairs, dualascent.FramePair{
			Rows: g.Rows + h.Rows, Cols: g.Cols + h.Cols, Ptr: ptr(g.Ptr, h.Ptr), Col: col,
			Cost:    slices.Concat(g.Cost, h.Cost),
			RowMiss: slices.Concat(g.RowMiss, h.RowMiss), ColMiss: slices.Concat(g.ColMiss, h.ColMiss),
		})
	}
	for p := range a.Blocks {
		c, d := &a.Blocks[p], &b.Blocks[p]
		u.Blocks = append(u.Blocks, dualascent.Block{Ptr: ptr(c.Ptr, d.Ptr), D: slices.Concat(c.D, d.D)})
	}
	return u
}

// TestComponents solves two instances apart and side by side.
func TestComponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		frames := rapid.IntRange(1, 5).Draw(t, "frames")
		draw := func() *dualascent.Instance {
			nodes := rapid.SliceOfN(rapid.IntRange(0, 5), frames, frames).Draw(t, "nodes")
			seed := rapid.Uint64().Draw(t, "seed")
			return random(rand.New(rand.NewPCG(seed, 0)), rapid.SampledFrom(answerable).Draw(t, "kind"), nodes...).instance()
		}
		a, b := draw(), draw()
		u := beside(a, b)
		one, two, both := solve(t, a, nil), solve(t, b, nil), solve(t, u, nil)
		check(t, u, dualascent.Sequential, both)
		optimal := one.Status == dualascent.Optimal && two.Status == dualascent.Optimal
		compare(t, one.LowerBound+two.LowerBound, one.UpperBound+two.UpperBound, optimal, both)
	})
}
