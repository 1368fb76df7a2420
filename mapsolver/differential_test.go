package mapsolver_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"mtt/internal/nightly"
	"mtt/mapsolver"
	"mtt/mapsolver/auction"
	"mtt/mapsolver/auto"
	"mtt/mapsolver/dense"
	"mtt/mapsolver/fpga"
	"mtt/mapsolver/hungarian"
	"mtt/mapsolver/ssp"
)

// This file compares all solvers with one another and with a dynamic programme, on costs of
// every kind that has ever been trouble.

// forms are the ways to solve a problem that are compared.
var forms = []struct {
	name string
	make func() mapsolver.Solver
}{
	{"auto", func() mapsolver.Solver { return new(auto.Solver) }},
	{"ssp", func() mapsolver.Solver { return new(ssp.Solver) }},
	{"dense", func() mapsolver.Solver { return new(dense.Sparse) }},
	{"dense-core", func() mapsolver.Solver { return &dense.Sparse{Solver: dense.Solver{Start: dense.Core}} }},
	{"hungarian", func() mapsolver.Solver { return new(hungarian.Solver) }},
	{"hungarian-tree", func() mapsolver.Solver { return &hungarian.Solver{Method: hungarian.Tree} }},
	{"auction", func() mapsolver.Solver { return new(auction.Solver) }},
	{"auction-jacobi", func() mapsolver.Solver { return &auction.Solver{Jacobi: true} }},
	{"fpga", func() mapsolver.Solver { return new(fpga.Solver) }},
}

// A class draws the cost of a pair.
type class struct {
	name string
	cost func(rng *rand.Rand, r, c int) float64
}

// pick is one of list.
func pick(rng *rand.Rand, list ...float64) float64 { return list[rng.IntN(len(list))] }

// classes are kinds of costs.
var classes = []class{
	{"uniform", func(rng *rand.Rand, _, _ int) float64 { return rng.Float64() }},
	{"normal", func(rng *rand.Rand, _, _ int) float64 { return rng.NormFloat64() }},
	{"negative", func(rng *rand.Rand, _, _ int) float64 { return -rng.Float64() }},
	{"ties", func(rng *rand.Rand, _, _ int) float64 { return float64(rng.IntN(3)) }},
	{"equal", func(*rand.Rand, int, int) float64 { return 0.1 }},
	{"zero", func(*rand.Rand, int, int) float64 { return 0 }},
	{"signed zeros", func(rng *rand.Rand, _, _ int) float64 { return pick(rng, 0, math.Copysign(0, -1), 1, -1) }},
	{"integers", func(rng *rand.Rand, _, _ int) float64 { return float64(rng.IntN(2001) - 1000) }},
	{"product", func(_ *rand.Rand, r, c int) float64 { return float64((r + 1) * (c + 1)) }},
	{"rank 1", func(_ *rand.Rand, r, c int) float64 { return math.Sqrt(float64(r+2)) * math.Cbrt(float64(c+3)) }},
	{"grid", func(_ *rand.Rand, r, c int) float64 { return math.Abs(float64(r%3-c%3)) + math.Abs(float64(r/3-c/3)) }},
	{"one ulp apart", func(rng *rand.Rand, _, _ int) float64 {
		return pick(rng, 1, math.Nextafter(1, 2), math.Nextafter(1, 0))
	}},
	{"offset", func(rng *rand.Rand, _, _ int) float64 { return 1e9 + rng.Float64() }},
	{"tiny", func(rng *rand.Rand, _, _ int) float64 { return 1e-12 * rng.NormFloat64() }},
	{"denormal", func(rng *rand.Rand, _, _ int) float64 { return 5e-324 * float64(rng.IntN(1000)) }},
	{"1e12 in half", func(rng *rand.Rand, _, _ int) float64 { return pick(rng, 1e12, rng.Float64()) }},
	{"1e15 in half", func(rng *rand.Rand, _, _ int) float64 { return pick(rng, 1e15, rng.Float64()) }},
	{"1e15 in three of four", func(rng *rand.Rand, _, _ int) float64 { return pick(rng, 1e15, 1e15, 1e15, rng.Float64()) }},
	{"1e290 in half", func(rng *rand.Rand, _, _ int) float64 { return pick(rng, 1e290, rng.Float64()) }},
	{"largest", func(rng *rand.Rand, _, _ int) float64 { return pick(rng, -1e290, 1e290, 0) }},
	{"many scales", func(rng *rand.Rand, _, _ int) float64 { return math.Exp(20 * rng.NormFloat64()) }},
	{"all scales", func(rng *rand.Rand, _, _ int) float64 {
		return (1 + rng.Float64()) * math.Pow(10, 578*rng.Float64()-289)
	}},
}

// drawProblem draws a problem of up to most rows and columns.
func drawProblem(rng *rand.Rand, most int, k *class) *mapsolver.Problem {
	rows, cols := rng.IntN(most+1), rng.IntN(most+1)
	if rng.IntN(3) == 0 {
		cols = rows
	}
	density := pick(rng, 1, 1, rng.Float64(), rng.Float64())
	cost := make([]float64, rows*cols)
	for i := range cost {
		cost[i] = math.Inf(1)
		if rng.Float64() < density {
			cost[i] = k.cost(rng, i/cols, i%cols)
		}
	}
	p, err := mapsolver.Dense(rows, cols, cost)
	if err != nil {
		panic(err)
	}
	miss := func(n int) []float64 {
		kind := rng.IntN(5)
		if kind < 2 {
			return nil
		}
		list := make([]float64, n)
		for i := range list {
			list[i] = k.cost(rng, i, n-i)
			if kind == 3 && rng.IntN(3) == 0 || kind == 4 {
				list[i] = math.Inf(1)
			}
		}
		return list
	}
	p.RowMiss, p.ColMiss = miss(rows), miss(cols)
	return p
}

// leastCost is the optimum of p by dynamic programming over sets of columns, +Inf when there
// is no assignment.
func leastCost(p *mapsolver.Problem) float64 {
	inf := math.Inf(1)
	best, next := make([]float64, 1<<p.Cols), make([]float64, 1<<p.Cols)
	for set := range best {
		best[set] = inf
	}
	best[0] = 0
	for r := range p.Rows {
		for set := range next {
			next[set] = best[set] + p.RowBound(r)
		}
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			bit := 1 << p.Col[e]
			for set := range next {
				if set&bit != 0 {
					next[set] = min(next[set], best[set&^bit]+p.Cost[e])
				}
			}
		}
		best, next = next, best
	}
	least := inf
	for set, x := range best {
		for c := range p.Cols {
			if set>>c&1 == 0 {
				x += p.ColBound(c)
			}
		}
		least = min(least, x)
	}
	return least
}

// A verdict counts what a form did in a class.
type verdict struct{ solved, infeasible, unproved, wrong int }

// judge compares an answer with the optimum. It says what is wrong with it, and whether
// its prices prove it.
func judge(p *mapsolver.Problem, s *mapsolver.Solution, err error, want float64) (proved bool, bad error) {
	if hall, ok := errors.AsType[*mapsolver.InfeasibleError](err); ok {
		if !math.IsInf(want, 1) {
			return false, fmt.Errorf("infeasible, but the optimum is %v", want)
		}
		return true, hall.Check(p)
	}
	if err != nil {
		return false, err
	}
	if math.IsInf(want, 1) {
		return false, fmt.Errorf("cost %v, but there is no assignment", s.Cost)
	}
	gap, err := mapsolver.Certify(p, s)
	if err != nil {
		return false, err
	}
	tol := mapsolver.Tolerance(p, s)
	if !(math.Abs(s.Cost-want) <= tol) {
		return false, fmt.Errorf("cost %v, want %v; gap %v, tolerance %v", s.Cost, want, gap, tol)
	}
	return gap <= tol, nil
}

// TestDifferential solves problems of every class with every form, cold and from the prices
// and pairs of another problem, and compares with the dynamic programme. A seed makes one
// problem; MTT_TRIALS is the number of problems, MTT_TIME for how long, MTT_SEED the first seed.
func TestDifferential(t *testing.T) {
	problems := 4000
	if testing.Short() {
		problems = 1000
	}
	problems, first, clock := nightly.Trials(nightly.Or(problems, 1_000_000)), nightly.Seed(0), nightly.Start()
	workers := runtime.GOMAXPROCS(0)
	tables := make([][]verdict, workers)
	var all sync.WaitGroup
	for w := range workers {
		tables[w] = make([]verdict, len(forms)*len(classes))
		all.Go(func() {
			solvers := make([]mapsolver.Solver, len(forms))
			answers := make([]mapsolver.Solution, len(forms))
			for i := range forms {
				solvers[i] = forms[i].make()
			}
			for k := range clock.Rounds((problems-w+workers-1)/workers, 0, 1) {
				differ(t, uint64(first+w+k*workers), solvers, answers, tables[w])
			}
		})
	}
	all.Wait()
	var text strings.Builder
	answered, wrong := 0, 0
	for f := range forms {
		for k := range classes {
			var sum verdict
			for _, table := range tables {
				x := table[f*len(classes)+k]
				sum.solved += x.solved
				sum.infeasible += x.infeasible
				sum.unproved += x.unproved
				sum.wrong += x.wrong
			}
			answered += sum.solved + sum.infeasible + sum.unproved + sum.wrong
			wrong += sum.wrong
			if sum.wrong > 0 || sum.unproved > 0 {
				fmt.Fprintf(&text, "\n%s, %s: %+v", forms[f].name, classes[k].name, sum)
			}
		}
	}
	t.Logf("seeds from %d on: %d problems, %d forms, %d classes: %d answers, %d wrong%s", first, answered/len(forms), len(forms), len(classes), answered, wrong, &text)
}

// differ solves the problem of a seed with all solvers.
func differ(t *testing.T, seed uint64, solvers []mapsolver.Solver, answers []mapsolver.Solution, table []verdict) {
	rng := rand.New(rand.NewPCG(seed, 22))
	k := rng.IntN(len(classes))
	p := drawProblem(rng, 7, &classes[k])
	want := leastCost(p)
	for f, solver := range solvers {
		s := &answers[f]
		var warm *mapsolver.Duals
		if rng.IntN(3) == 0 { // of another problem, or of none
			v := slices.Clone(s.V)
			for len(v) < p.Cols {
				v = append(v, pick(rng, 0, rng.NormFloat64(), 1e15, -1e200, math.NaN(), math.Inf(1)))
			}
			warm = &mapsolver.Duals{V: v[:p.Cols]}
		}
		err := solver.Solve(context.Background(), s, p, warm)
		x := &table[f*len(classes)+k]
		proved, bad := judge(p, s, err, want)
		switch {
		case bad != nil:
			x.wrong++
			t.Errorf("seed %d, %s, %s, from %v: %v", seed, forms[f].name, classes[k].name, warm, bad)
		case !proved:
			x.unproved++
		case err != nil:
			x.infeasible++
		default:
			x.solved++
		}
	}
}

// TestDifferentialMedium solves problems of up to 60 rows and columns, for which there is no dynamic
// programme, with all forms: each has to prove its answer, or that there is none,
// which leaves nothing to compare. Where MTT_NIGHTLY is set it takes a hundred thousand; MTT_TRIALS is
// another number, MTT_TIME a time, MTT_SEED the first seed.
func TestDifferentialMedium(t *testing.T) {
	problems, most := 300, 60
	if testing.Short() {
		problems = 80
	}
	problems, first := nightly.Trials(nightly.Or(problems, 100_000)), nightly.Seed(0)
	solvers, answers := make([]mapsolver.Solver, len(forms)), make([]mapsolver.Solution, len(forms))
	for f := range forms {
		solvers[f] = forms[f].make()
	}
	infeasible, solved := 0, 0
	known := []int{1795949544009091, 1795949544021502, 1795949544034803} // where a core took what ε did to its prices for harmless
	for k := range nightly.Start().Rounds(len(known)+problems, 0, 1) {
		solved++
		seed := first + k - len(known)
		if k < len(known) {
			seed = known[k]
		}
		rng := rand.New(rand.NewPCG(uint64(seed), 60))
		class := &classes[rng.IntN(len(classes))]
		p := drawProblem(rng, most, class)
		for f, solver := range solvers {
			s := &answers[f]
			err := solver.Solve(context.Background(), s, p, nil)
			if hall, ok := errors.AsType[*mapsolver.InfeasibleError](err); ok {
				if bad := hall.Check(p); bad != nil {
					t.Errorf("seed %d, %s, %s: %v", seed, forms[f].name, class.name, bad)
				}
				infeasible++
				continue
			}
			if err != nil || !mapsolver.Proved(p, s) {
				gap, bad := mapsolver.Certify(p, s)
				t.Errorf("seed %d, %s, %s, %d×%d: %v; cost %v, gap %v, %v", seed, forms[f].name, class.name, p.Rows, p.Cols, err, s.Cost, gap, bad)
			}
		}
	}
	if infeasible == 0 || infeasible == solved*len(forms) {
		t.Errorf("%d of %d answers say that there is none", infeasible, solved*len(forms))
	}
	t.Logf("seeds from %d on: %d problems, %d forms, %d classes", first, solved, len(forms), len(classes))
}
