package dense

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/internal/nightly"
	"mtt/internal/slab"
	"mtt/mapsolver"
	"mtt/mapsolver/lapgen"
	"mtt/mapsolver/solvertest"
)

// coreCases are matrices of every class, and of integers with few and many ties.
func coreCases(n int) map[string]*Matrix {
	list := make(map[string]*Matrix)
	for _, class := range lapgen.Classes() {
		list[class.Name] = NewMatrix(n, n, class.Cost(n, 1))
	}
	for _, most := range []int{0, 1, n / 10, n, 1000 * n} {
		list[fmt.Sprintf("integers to %d", most)] = NewMatrix(n, n, lapgen.Integers(n, most, 1))
	}
	return list
}

// newCore makes a Solver that takes a core and remembers so few entries of a row.
func newCore(few int) *Solver {
	s := &Solver{Start: Core}
	s.core.few = few
	return s
}

// TestCore certifies a core that remembers few entries, and so reads rows again
// and again, and compares the cost with that of whole rows. One solver solves all.
func TestCore(t *testing.T) {
	const n = 200
	taken := 0
	for _, few := range []int{2, 5, remembered} {
		solver := newCore(few)
		for name, m := range coreCases(n) {
			t.Run(fmt.Sprintf("%s/%d", name, few), func(t *testing.T) {
				var got, want mapsolver.Solution
				checkSolve(t, solver, &got, m)
				checkSolve(t, &Solver{Start: Priced}, &want, m)
				if math.Abs(got.Cost-want.Cost) > rounding(m) {
					t.Errorf("cost %v, whole rows %v", got.Cost, want.Cost)
				}
				if solver.Work().Start == Core {
					taken++
				}
			})
		}
	}
	if taken < 20 {
		t.Errorf("%d problems were solved by a core", taken)
	}
}

// TestCoreSame wants the same bytes of any number of workers and of any kind of
// costs.
func TestCoreSame(t *testing.T) {
	const n = 300
	for _, class := range []int{1, 2, 5} {
		class := lapgen.Classes()[class]
		m := NewMatrix(n, n, class.Cost(n, 3))
		single := &Matrix32{Rows: n, Cols: n, Stride: n, Cost: make([]float32, n*n)}
		for i, x := range m.Cost {
			single.Cost[i] = float32(x)
			m.Cost[i] = float64(single.Cost[i])
		}
		computed := &Func{Rows: n, Cols: n, Fill: func(dst []float64, r, c int) { copy(dst, m.Row(nil, r)[c:]) }}
		var want mapsolver.Solution
		one := newCore(8)
		checkSolve(t, one, &want, m)
		if one.Work().Start != Core {
			t.Fatalf("%s: solved by %v", class.Name, one.Work().Start)
		}
		for _, costs := range []Costs{m, single, computed, NewCache(computed, 8*n*n/3)} {
			for _, workers := range []int{1, 2, 5} {
				solver := newCore(8)
				solver.Workers = workers
				var got mapsolver.Solution
				if err := solver.Solve(context.Background(), &got, costs, nil); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.ColOf, want.ColOf) || !slices.Equal(got.U, want.U) || !slices.Equal(got.V, want.V) || got.Cost != want.Cost || solver.Work() != one.Work() {
					t.Errorf("%s, %T: %d workers give another answer than one", class.Name, costs, workers)
				}
			}
		}
	}
}

// TestCoreGivenUp gives a core up after every number of rounds.
func TestCoreGivenUp(t *testing.T) {
	const n = 120
	for name, m := range coreCases(n) {
		for quit := 1; ; quit++ {
			solver := newCore(3)
			solver.core.quit = quit
			var s mapsolver.Solution
			checkSolve(t, solver, &s, m)
			if solver.Work().Start != Core && quit > 40 || solver.Work().Start == Core || name == "rank 1" && quit > 3 {
				break
			}
		}
	}
}

// TestCoreForbidden solves matrices some of whose pairs are forbidden, a few of
// them without any assignment.
func TestCoreForbidden(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	infeasible := 0
	for k := range 60 {
		n := 2 + rng.IntN(80)
		m := NewMatrix(n, n, nil)
		for i := range m.Cost {
			m.Cost[i] = rng.Float64()
			if rng.IntN(10) < 6 || k%10 == 9 && i/n == 1 {
				m.Cost[i] = math.Inf(1)
			}
		}
		var got, want mapsolver.Solution
		err := newCore(4).Solve(context.Background(), &got, m, nil)
		wantErr := (&Solver{Start: Plain}).Solve(context.Background(), &want, m, nil)
		if wantErr != nil {
			infeasible++
			if !errors.Is(err, mapsolver.ErrInfeasible) {
				t.Fatalf("error %v, want %v", err, wantErr)
			}
			continue
		}
		if gap, bad := Certify(m, &got); err != nil || bad != nil || math.Abs(gap) > 1e-9 || math.Abs(got.Cost-want.Cost) > 1e-9 {
			t.Fatalf("n=%d: cost %v, want %v; %v, gap %v, %v", n, got.Cost, want.Cost, err, gap, bad)
		}
	}
	if infeasible == 0 || infeasible == 60 {
		t.Errorf("%d of 60 problems are infeasible", infeasible)
	}
}

// TestCoreBadCosts wants the place of a bad cost, which a core meets in the first
// sweep or in its sample.
func TestCoreBadCosts(t *testing.T) {
	const n = 200
	for _, x := range []float64{math.NaN(), math.Inf(-1), 1e300} {
		for place := 0; place < n*n; place += 331 {
			m := NewMatrix(n, n, lapgen.Integers(n, 1000, 1))
			m.Cost[place] = x
			err := newCore(4).Solve(context.Background(), new(mapsolver.Solution), m, nil)
			want := fmt.Sprintf("dense: row %d, column %d: cost is %v", place/n, place%n, x)
			if err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
				t.Fatalf("error %v, want %q", err, want)
			}
		}
	}
}

// TestKeepLeast compares selection with sorting.
func TestKeepLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for range 2000 {
		list := make([]near, 1+rng.IntN(40))
		for i := range list {
			list[i].reduced = float64(rng.IntN(1 + rng.IntN(30)))
		}
		sorted := slices.Clone(list)
		slices.SortFunc(sorted, func(a, b near) int { return int(a.reduced - b.reduced) })
		k := 1 + rng.IntN(len(list))
		if got := keepLeast(list, k); got != sorted[k-1].reduced {
			t.Fatalf("keepLeast(%d) = %v, want %v", k, got, sorted[k-1].reduced)
		}
		slices.SortFunc(list[:k], func(a, b near) int { return int(a.reduced - b.reduced) })
		for i := range k {
			if list[i].reduced != sorted[i].reduced {
				t.Fatalf("element %d of %d is %v, want %v", i, k, list[i].reduced, sorted[i].reduced)
			}
		}
	}
}

func FuzzCore(f *testing.F) {
	solvertest.Fuzz(f, func() mapsolver.Solver { return &Sparse{Solver: *newCore(2)} })
}

// TestCoreTies solves small problems, whose rows are as in those that were once solved wrongly: a
// few integers, equal ones in a row often, by cores that remember 2 to 32 entries of each row, and
// compares the cost with that of whole rows. Each answer is certified. Where MTT_NIGHTLY is set it
// takes ten million; MTT_TRIALS is another number, MTT_TIME a time, MTT_SEED the first seed.
func TestCoreTies(t *testing.T) {
	problems := 30_000
	if testing.Short() {
		problems = 3000
	}
	problems, first := nightly.Trials(nightly.Or(problems, 10_000_000)), nightly.Seed(0)
	var got, want mapsolver.Solution
	whole := &Solver{Start: Plain}
	solvers := map[int]*Solver{}
	taken, solved := 0, 0
	for k := range nightly.Start().Rounds(problems, 0, 1) {
		solved++
		seed := first + k
		rng := rand.New(rand.NewPCG(uint64(seed), 12))
		few := 2 + rng.IntN(4)
		if rng.IntN(8) == 0 {
			few = 2 + rng.IntN(remembered-1)
		}
		n := few + 2 + rng.IntN(3*few)
		m := NewMatrix(n, n, nil)
		drawTies(rng, m)
		solver := solvers[few]
		if solver == nil {
			solver = newCore(few)
			solvers[few] = solver
		}
		if err := solver.Solve(context.Background(), &got, m, nil); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := whole.Solve(context.Background(), &want, m, nil); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if _, err := Certify(m, &got); err != nil || got.Cost != want.Cost {
			t.Errorf("seed %d, %d remembered: cost %v, want %v; %v\n%v", seed, few, got.Cost, want.Cost, err, m)
		}
		if solver.Work().Start == Core {
			taken++
		}
	}
	if taken < solved/2 {
		t.Errorf("%d of %d problems were solved by a core", taken, solved)
	}
	t.Logf("seeds from %d on: %d problems, %d solved by a core", first, solved, taken)
}

// drawTies draws the costs of m, integers: each row has one value, or a value with a few others,
// or few values.
func drawTies(rng *rand.Rand, m *Matrix) {
	most := 1 + rng.IntN(100)
	for r := range m.Rows {
		row := m.Row(nil, r)
		base := float64(rng.IntN(most))
		slab.Fill(row, base)
		switch rng.IntN(3) {
		case 1:
			for range 1 + rng.IntN(4) {
				row[rng.IntN(len(row))] = float64(rng.IntN(most))
			}
		case 2:
			other := float64(rng.IntN(most))
			for c := range row {
				if rng.IntN(2) == 0 {
					row[c] = other
				}
			}
		}
	}
}
