// Package solvertest is the suite that every [mapsolver.Solver] passes, and the
// instances that are known to be hard for one solver or another.
//
//	func TestSolver(t *testing.T) {
//		solvertest.Run(t, func() mapsolver.Solver { return new(ssp.Solver) })
//	}
//
// No answer is trusted: small ones are compared with a dynamic programme and
// with the simplex method, and all of them are certified by their prices.
package solvertest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/mapsolver"
)

// This file holds Run and the checks behind it.

// Run tests the solvers that newSolver makes. It takes a few seconds, and
// minutes where the environment variable MTT_NIGHTLY is set.
func Run(t *testing.T, newSolver func() mapsolver.Solver) {
	tests := []struct {
		name string
		run  func(*testing.T, func() mapsolver.Solver)
	}{
		{"Tables", testTables},
		{"Small", testSmall},
		{"Simplex", testSimplex},
		{"Hard", testHard},
		{"Infeasible", testInfeasible},
		{"Warm", testWarm},
		{"StaleHints", testStaleHints},
		{"Reuse", testReuse},
		{"Cancelled", testCancelled},
		{"NotFinite", testNotFinite},
		{"Shapes", testShapes},
		{"Columns", testColumns},
		{"Properties", testProperties},
		{"Nightly", testNightly},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, newSolver) })
	}
}

// testTables solves problems whose answer is known.
func testTables(t *testing.T, newSolver func() mapsolver.Solver) {
	tests := []struct {
		name       string
		rows, cols int
		cost       []float64 // row-major, +Inf: absent
		rowMiss    []float64
		colMiss    []float64
		want       float64
		colOf      []int32 // nil: several optima
	}{
		{name: "nothing", want: 0, colOf: []int32{}},
		{name: "no rows", cols: 3, want: 0, colOf: []int32{}},
		{name: "no columns", rows: 3, want: 0, colOf: []int32{-1, -1, -1}},
		{name: "no rows, misses", cols: 2, colMiss: []float64{3, 4}, want: 7, colOf: []int32{}},
		{name: "no columns, misses", rows: 2, rowMiss: []float64{3, 4}, want: 7, colOf: []int32{-1, -1}},
		{name: "no entries, misses", rows: 1, cols: 1, cost: []float64{inf}, rowMiss: []float64{3}, colMiss: []float64{4}, want: 7, colOf: []int32{-1}},
		{name: "one", rows: 1, cols: 1, cost: []float64{-3}, want: -3, colOf: []int32{0}},
		{name: "one, dear", rows: 1, cols: 1, cost: []float64{10}, rowMiss: []float64{3}, colMiss: []float64{4}, want: 7, colOf: []int32{-1}},
		{name: "one, cheap", rows: 1, cols: 1, cost: []float64{6}, rowMiss: []float64{3}, colMiss: []float64{4}, want: 6, colOf: []int32{0}},
		{name: "one, must", rows: 1, cols: 1, cost: []float64{10}, rowMiss: []float64{inf}, colMiss: []float64{4}, want: 10, colOf: []int32{0}},
		{name: "square", rows: 4, cols: 4, cost: []float64{
			9, 2, 7, 8,
			6, 4, 3, 7,
			5, 8, 1, 8,
			7, 6, 9, 4,
		}, want: 13, colOf: []int32{1, 0, 2, 3}},
		{name: "wide", rows: 2, cols: 3, cost: []float64{1, 2, 5, 1, 9, 3}, want: 3, colOf: []int32{1, 0}},
		{name: "tall", rows: 3, cols: 2, cost: []float64{1, 1, 2, 9, 5, 3}, want: 3, colOf: []int32{1, 0, -1}},
		{name: "wide, negative", rows: 1, cols: 3, cost: []float64{-1, -2, -5}, want: -5, colOf: []int32{2}},
		{name: "tall, negative", rows: 3, cols: 1, cost: []float64{-1, -2, -5}, want: -5, colOf: []int32{-1, -1, 0}},
		// The cheaper pairs, 2+1, would leave the first column free for 9 more.
		{name: "rows must, columns pay", rows: 2, cols: 3, cost: []float64{inf, 2, 4, 9, inf, 1}, colMiss: []float64{9, 9, 0}, want: 11, colOf: []int32{1, 0}},
		{name: "rows pay, columns free", rows: 2, cols: 1, cost: []float64{4, 3}, rowMiss: []float64{5, 5}, want: 8, colOf: []int32{-1, 0}},
		{name: "columns are rewarded for staying free", rows: 2, cols: 2, cost: []float64{1, 2, 3, 1}, rowMiss: []float64{5, 5}, colMiss: []float64{-8, -8}, want: -6, colOf: []int32{-1, -1}},
		{name: "a column that must be served", rows: 2, cols: 2, cost: []float64{0, 7, inf, 8}, rowMiss: []float64{1, 1}, colMiss: []float64{1, inf}, want: 8, colOf: []int32{0, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := mapsolver.Dense(tt.rows, tt.cols, tt.cost)
			if err != nil {
				t.Fatal(err)
			}
			p.RowMiss, p.ColMiss = tt.rowMiss, tt.colMiss
			var s mapsolver.Solution
			solve(t, newSolver(), &s, p, nil)
			if s.Cost != tt.want || tt.colOf != nil && !slices.Equal(s.ColOf, tt.colOf) {
				t.Errorf("Solve: cost %v, assignment %v, want %v, %v", s.Cost, s.ColOf, tt.want, tt.colOf)
			}
		})
	}
}

// testSmall compares with the dynamic programme for every kind of miss costs
// and several kinds of costs, cold and warm from the previous problem.
func testSmall(t *testing.T, newSolver func() mapsolver.Solver) {
	kinds := []Miss{MissNil, MissFinite, MissMixed, MissMust}
	for _, cost := range Costs() {
		t.Run(cost.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 1))
			solver, s := newSolver(), new(mapsolver.Solution)
			for _, rowKind := range kinds {
				for _, colKind := range kinds {
					for range 60 {
						rows, cols := rng.IntN(8), rng.IntN(8)
						p := Random(rng, rows, cols, rng.Float64(), cost.Draw, rowKind, colKind)
						var warm *mapsolver.Duals
						if rng.IntN(2) == 0 {
							warm = &mapsolver.Duals{V: prices(rng, cols, s.V)}
						}
						checkSmall(t, solver, s, p, warm)
					}
				}
			}
		})
	}
}

// testSimplex compares with gonum's simplex method on the linear programme.
func testSimplex(t *testing.T, newSolver func() mapsolver.Solver) {
	rng := rand.New(rand.NewPCG(2, 1))
	solver := newSolver()
	for range 60 {
		rows, cols := 1+rng.IntN(10), 1+rng.IntN(10)
		p := Random(rng, rows, cols, 0.5, rng.NormFloat64, MissFinite, MissFinite)
		want, err := simplex(p)
		if err != nil {
			t.Fatalf("simplex: %v\n%+v", err, p)
		}
		var s mapsolver.Solution
		solve(t, solver, &s, p, nil)
		if !(math.Abs(s.Cost-want) <= 1e-9) {
			t.Errorf("cost %v, the simplex method says %v\n%+v", s.Cost, want, p)
		}
	}
}

// testHard certifies the hard instances.
func testHard(t *testing.T, newSolver func() mapsolver.Solver) {
	for _, tt := range Hard() {
		t.Run(tt.Name, func(t *testing.T) {
			if err := tt.Problem.Validate(); err != nil {
				t.Fatal(err)
			}
			var s mapsolver.Solution
			solve(t, newSolver(), &s, tt.Problem, nil)
			if tt.Optimum != nil && s.Cost != *tt.Optimum {
				t.Errorf("cost %v, want %v", s.Cost, *tt.Optimum)
			}
		})
	}
}

// testInfeasible wants an error with a proof.
func testInfeasible(t *testing.T, newSolver func() mapsolver.Solver) {
	for _, tt := range Infeasible() {
		t.Run(tt.Name, func(t *testing.T) {
			var s mapsolver.Solution
			err := newSolver().Solve(context.Background(), &s, tt.Problem, nil)
			checkInfeasible(t, tt.Problem, err)
		})
	}
}

// testWarm solves chains of similar problems, each from the prices and pairs
// of the last, and a problem from prices that make no sense.
func testWarm(t *testing.T, newSolver func() mapsolver.Solver) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, kind := range []Miss{MissNil, MissFinite} {
		p := Tracking(300, 6, 0.3, 1)
		if kind == MissFinite {
			p.RowMiss, p.ColMiss = constant(p.Rows, 2), constant(p.Cols, 3)
		}
		warm, cold := newSolver(), newSolver()
		var a, b mapsolver.Solution
		solve(t, warm, &a, p, nil)
		for step := range 30 {
			amount := math.Ldexp(1, -step)
			for e := range p.Cost {
				p.Cost[e] += amount * rng.NormFloat64()
			}
			solve(t, warm, &a, p, &a.Duals) // aliased, with hints
			solve(t, cold, &b, p, nil)
			if !near(a.Cost, b.Cost, p) {
				t.Fatalf("step %d: cost %v warm, %v cold", step, a.Cost, b.Cost)
			}
		}

		// The same costs again: nothing is left to do.
		solve(t, warm, &a, p, &a.Duals)
		if a.Stats.Augmented > 0 {
			t.Errorf("solving again from the answer took %d paths, want 0", a.Stats.Augmented)
		}

		for _, v := range []float64{0, -5, 1e3, 1e15, -1e15, 1e200, inf, -inf, math.NaN()} {
			a.Duals = mapsolver.Duals{}
			solve(t, warm, &a, p, &mapsolver.Duals{V: constant(p.Cols, v)})
			if !near(a.Cost, b.Cost, p) {
				t.Errorf("all prices %v: cost %v warm, %v cold", v, a.Cost, b.Cost)
			}
		}
		for range 10 {
			v := prices(rng, p.Cols, nil)
			for r := range a.ColOf { // hints that are wrong, twice given or out of range
				a.ColOf[r] = int32(rng.IntN(p.Cols+2) - 1)
				a.EntryOf[r] = rng.IntN(len(p.Col)+2) - 1
			}
			if rng.IntN(2) == 0 {
				a.EntryOf = nil
			}
			solve(t, warm, &a, p, &mapsolver.Duals{V: v})
			if !near(a.Cost, b.Cost, p) {
				t.Errorf("wild prices: cost %v warm, %v cold", a.Cost, b.Cost)
			}
		}
	}
}

// testStaleHints solves a problem of equal costs, where every pair is tight, with
// hints that contradict one another.
func testStaleHints(t *testing.T, newSolver func() mapsolver.Solver) {
	const n = 6
	p := dense(n, n, func(int, int) float64 { return 1 })
	for _, hint := range [][]int32{{0, 0, 0, 0, 0, 0}, {1, 1, 2, 2, -1, -1}, {5, 4, 3, 2, 1, 0}, {9, -7, 6, 0, 0, 1}} {
		s := mapsolver.Solution{ColOf: slices.Clone(hint)}
		solve(t, newSolver(), &s, p, &mapsolver.Duals{V: make([]float64, n)})
		if s.Cost != n {
			t.Errorf("hints %v: cost %v, want %v", hint, s.Cost, n)
		}
	}
}

// testReuse wants answers that depend on the problem alone: a solver that has
// solved others, larger and smaller, and a solution that has held others, give
// the same bytes as new ones.
func testReuse(t *testing.T, newSolver func() mapsolver.Solver) {
	rng := rand.New(rand.NewPCG(4, 1))
	old, s := newSolver(), new(mapsolver.Solution)
	for range 200 {
		rows, cols := rng.IntN(40), rng.IntN(40)
		p := Random(rng, rows, cols, 0.2, rng.NormFloat64, MissFinite, MissMixed)
		fresh := new(mapsolver.Solution)
		err1 := old.Solve(context.Background(), s, p, nil)
		err2 := newSolver().Solve(context.Background(), fresh, p, nil)
		if (err1 == nil) != (err2 == nil) {
			t.Fatalf("used solver: %v, new solver: %v", err1, err2)
		}
		if !slices.Equal(s.ColOf, fresh.ColOf) || !slices.Equal(s.RowOf, fresh.RowOf) ||
			!slices.Equal(s.EntryOf, fresh.EntryOf) || s.Cost != fresh.Cost || s.Stats != fresh.Stats ||
			!slices.Equal(s.U, fresh.U) || !slices.Equal(s.V, fresh.V) {
			t.Fatalf("used solver: %+v\nnew solver:  %+v", s, fresh)
		}
	}
}

// testCancelled wants a consistent answer and the reason when the context is
// over, or the optimum.
func testCancelled(t *testing.T, newSolver func() mapsolver.Solver) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := Tracking(1000, 6, 0.3, 2)
	p.RowMiss, p.ColMiss = constant(p.Rows, 2), constant(p.Cols, 2)
	var s mapsolver.Solution
	err := newSolver().Solve(ctx, &s, p, nil)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one that wraps context.Canceled", err)
	}
	gap, cerr := mapsolver.Certify(p, &s)
	if cerr != nil {
		t.Errorf("the answer so far: %v", cerr)
	}
	if err == nil && gap > tolerance(p) {
		t.Errorf("no error, but a gap of %v", gap)
	}
}

// testNotFinite wants an end, whatever the answer, on numbers that Validate
// refuses.
func testNotFinite(t *testing.T, newSolver func() mapsolver.Solver) {
	rng := rand.New(rand.NewPCG(5, 1))
	bad := []float64{math.NaN(), inf, -inf, math.MaxFloat64, -math.MaxFloat64}
	solver, s := newSolver(), new(mapsolver.Solution)
	for range 300 {
		rows, cols := 1+rng.IntN(12), 1+rng.IntN(12)
		p := Random(rng, rows, cols, 0.5, rng.NormFloat64, Miss(rng.IntN(3)), Miss(rng.IntN(3)))
		for _, list := range [][]float64{p.Cost, p.RowMiss, p.ColMiss} {
			for i := range list {
				if rng.IntN(4) == 0 {
					list[i] = bad[rng.IntN(len(bad))]
				}
			}
		}
		_ = solver.Solve(context.Background(), s, p, nil)
		warm := &mapsolver.Duals{V: prices(rng, cols, nil)}
		_ = solver.Solve(context.Background(), s, p, warm)
	}
}

// solve solves p, which has an assignment, and certifies the answer.
func solve(t failer, solver mapsolver.Solver, s *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) {
	t.Helper()
	if err := solver.Solve(context.Background(), s, p, warm); err != nil {
		t.Fatalf("Solve: %v", err)
	}
	gap, err := mapsolver.Certify(p, s)
	if err != nil {
		t.Fatalf("Certify: %v", err)
	}
	if tol := tolerance(p); !(math.Abs(gap) <= tol) {
		t.Fatalf("gap %v, want at most %v", gap, tol)
	}
	if tol := mapsolver.Tolerance(p, s); !(gap <= tol) {
		t.Fatalf("gap %v, of what the answer uses at most %v", gap, tol)
	}
}

// checkSmall solves p and compares with the dynamic programme.
func checkSmall(t failer, solver mapsolver.Solver, s *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) {
	t.Helper()
	checkAnswer(t, p, s, solver.Solve(context.Background(), s, p, warm))
}

// checkAnswer compares an answer to p with the dynamic programme.
func checkAnswer(t failer, p *mapsolver.Problem, s *mapsolver.Solution, err error) {
	t.Helper()
	want := optimum(p)
	if math.IsInf(want, 1) {
		checkInfeasible(t, p, err)
		return
	}
	if err != nil {
		t.Fatalf("Solve: %v, want cost %v\n%+v", err, want, p)
	}
	gap, err := mapsolver.Certify(p, s)
	if err != nil {
		t.Fatalf("Certify: %v\n%+v\n%+v", err, p, s)
	}
	if tol := tolerance(p); !(math.Abs(gap) <= tol) {
		t.Fatalf("gap %v, want at most %v\n%+v\n%+v", gap, tol, p, s)
	}
	if tol := mapsolver.Tolerance(p, s); !(gap <= tol) {
		t.Fatalf("gap %v, of what the answer uses at most %v\n%+v\n%+v", gap, tol, p, s)
	}
	if integral(p) && s.Cost != want || !near(s.Cost, want, p) {
		t.Fatalf("cost %v, want %v\n%+v\n%+v", s.Cost, want, p, s)
	}
}

// checkInfeasible wants err to prove that p has no assignment.
func checkInfeasible(t failer, p *mapsolver.Problem, err error) {
	t.Helper()
	bad, ok := errors.AsType[*mapsolver.InfeasibleError](err)
	if !ok {
		t.Fatalf("error %v, want an InfeasibleError\n%+v", err, p)
	}
	if err := bad.Check(p); err != nil {
		t.Fatalf("the proof fails: %v\n%+v\n%+v", err, bad, p)
	}
}

// tolerance is the gap that rounding may leave: for each of Rows+Cols terms a
// few units in the last place of numbers as large as the sum of the prices
// along a path may be.
func tolerance(p *mapsolver.Problem) float64 {
	n := float64(p.Rows + p.Cols)
	return 0x1p-50 * n * largest(p) * max(1, n/16)
}

// near says whether a and b are the same cost up to rounding.
func near(a, b float64, p *mapsolver.Problem) bool { return math.Abs(a-b) <= tolerance(p) }

// largest is the largest magnitude of a finite number of p.
func largest(p *mapsolver.Problem) float64 {
	most := 0.0
	for _, list := range [][]float64{p.Cost, p.RowMiss, p.ColMiss} {
		for _, x := range list {
			if x = math.Abs(x); x > most && x <= math.MaxFloat64 {
				most = x
			}
		}
	}
	return most
}

// integral says whether all numbers of p are integers small enough for their
// sums to be exact.
func integral(p *mapsolver.Problem) bool {
	for _, list := range [][]float64{p.Cost, p.RowMiss, p.ColMiss} {
		for _, x := range list {
			if x != math.Trunc(x) || math.Abs(x) > 1<<40 && !math.IsInf(x, 1) {
				return false
			}
		}
	}
	return true
}

// failer is the part of testing.TB that rapid has too.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}
