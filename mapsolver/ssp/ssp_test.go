package ssp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mtt/mapsolver"
	"mtt/mapsolver/solvertest"
)

func newSolver() mapsolver.Solver { return new(Solver) }

func TestSolver(t *testing.T) { solvertest.Run(t, newSolver) }

// TestGeneral and TestAuction take small problems the way of larger ones, and of
// those that an auction helps.
func TestGeneral(t *testing.T) { solvertest.Run(t, newGeneral) }
func TestAuction(t *testing.T) { solvertest.Run(t, newBidding) }

func newGeneral() mapsolver.Solver { return &Solver{neverTiny: true} }
func newBidding() mapsolver.Solver { return &Solver{neverTiny: true, alwaysBid: true} }

// listed is a Solver that is given the entries by column.
type listed struct {
	Solver
	columns mapsolver.Columns
}

func (s *listed) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	p.Check(nil)
	s.UseColumns(mapsolver.ByColumn(&s.columns, p))
	return s.Solver.Solve(ctx, dst, p, warm)
}

func TestColumns(t *testing.T) {
	solvertest.Run(t, func() mapsolver.Solver { return new(listed) })
}

func FuzzSolver(f *testing.F)  { solvertest.Fuzz(f, newSolver) }
func FuzzGeneral(f *testing.F) { solvertest.Fuzz(f, newGeneral) }
func FuzzAuction(f *testing.F) { solvertest.Fuzz(f, newBidding) }

func TestNoAllocation(t *testing.T) {
	for _, make := range []func() mapsolver.Solver{newSolver, newGeneral, newBidding} {
		solvertest.NoAllocation(t, make)
	}
}

// TestLongChain solves a problem over and over from the last prices. Where
// everyone must be served nothing but the limit of usePrices keeps the prices
// from drifting away.
func TestLongChain(t *testing.T) {
	const n = 20
	for _, miss := range []float64{math.Inf(1), 0.5} {
		p := solvertest.Tracking(n, 6, 0.7, 1)
		p.RowMiss = slices.Repeat([]float64{miss}, n)
		p.ColMiss = slices.Repeat([]float64{miss}, n)
		base := slices.Clone(p.Cost)
		rng := rand.New(rand.NewPCG(1, 1))
		var solver Solver
		var s mapsolver.Solution
		warm := (*mapsolver.Duals)(nil)
		for step := range 20_000 {
			for e := range base {
				p.Cost[e] = base[e] + 0.3*rng.NormFloat64()
			}
			if err := solver.Solve(context.Background(), &s, p, warm); err != nil {
				t.Fatal(err)
			}
			warm = &s.Duals
			if gap, err := mapsolver.Certify(p, &s); err != nil || math.Abs(gap) > 1e-12 {
				t.Fatalf("miss cost %v, step %d: gap %v, %v", miss, step, gap, err)
			}
		}
	}
}

// TestLongSearches solves problems in which searches give way to an auction, and
// wants the same optimum without one.
func TestLongSearches(t *testing.T) {
	wide := solvertest.Sparse(3000, 8, 0, 2)
	wide.Rows = 2990
	wide.Ptr = wide.Ptr[:wide.Rows+1]
	wide.Col, wide.Cost = wide.Col[:wide.Ptr[wide.Rows]], wide.Cost[:wide.Ptr[wide.Rows]]
	for name, p := range map[string]*mapsolver.Problem{
		"random":   solvertest.Sparse(2000, 8, 0, 1),
		"integers": solvertest.Sparse(2000, 8, 1000, 1),
		"ties":     solvertest.Sparse(2000, 8, 3, 1),
		"long":     solvertest.Sparse(1500, 60, 0, 1),
		"crowded":  solvertest.Tracking(2000, 6, 0.7, 1),
		"wide":     wide,
	} {
		var solver Solver
		var s mapsolver.Solution
		for _, warm := range []*mapsolver.Duals{nil, {V: make([]float64, p.Cols)}} {
			if err := solver.Solve(context.Background(), &s, p, warm); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if s.Stats.Bids == 0 {
				t.Errorf("%s: no bids", name)
			}
			gap, err := mapsolver.Certify(p, &s)
			if err != nil || math.Abs(gap) > 1e-9 {
				t.Errorf("%s: gap %v, %v", name, gap, err)
			}
		}
	}
}

// TestInfeasibleLeavesPrices wants feasible prices and a consistent assignment
// beside the error.
func TestInfeasibleLeavesPrices(t *testing.T) {
	for _, tt := range solvertest.Infeasible() {
		p := *tt.Problem
		var s mapsolver.Solution
		if err := newGeneral().Solve(context.Background(), &s, &p, nil); err == nil {
			t.Fatalf("%s: no error", tt.Name)
		}
		// Let everyone stay free at a cost that no price reaches.
		p.RowMiss = slices.Repeat([]float64{1e6}, p.Rows)
		p.ColMiss = slices.Repeat([]float64{1e6}, p.Cols)
		s.Cost = 0
		for _, e := range s.EntryOf {
			if e >= 0 {
				s.Cost += p.Cost[e]
			} else {
				s.Cost += 1e6
			}
		}
		for _, r := range s.RowOf {
			if r < 0 {
				s.Cost += 1e6
			}
		}
		if _, err := mapsolver.Certify(&p, &s); err != nil {
			t.Errorf("%s: %v", tt.Name, err)
		}
	}
}

func TestPanics(t *testing.T) {
	defer func() {
		if got := recover(); got != badColumns {
			t.Errorf("panic %v, want %v", got, badColumns)
		}
	}()
	var s Solver
	s.UseColumns(mapsolver.ByColumn(nil, solvertest.Sparse(11, 3, 0, 1)))
	_ = s.Solve(context.Background(), new(mapsolver.Solution), solvertest.Sparse(10, 3, 0, 1), nil)
}

// BenchmarkSolve solves once from nothing ("cold"), and again and again with
// costs that change by one in a hundred of their spread ("warm").
func BenchmarkSolve(b *testing.B) {
	type instance struct {
		name string
		p    *mapsolver.Problem
	}
	var list []instance
	add := func(kind string, p *mapsolver.Problem) {
		deg := math.Round(float64(len(p.Col)) / float64(p.Rows))
		list = append(list, instance{fmt.Sprintf("%s/n=%d/deg=%v", kind, p.Rows, deg), p})
	}
	for _, n := range []int{100, 1000, 10_000, 100_000} {
		add("tracking", solvertest.Tracking(n, 6, 0.3, 1))
	}
	for _, n := range []int{1000, 10_000} {
		add("crowded", solvertest.Tracking(n, 6, 0.7, 1))
	}
	for _, n := range []int{100, 1000, 10_000} {
		p := solvertest.Tracking(n, 6, 0.3, 1)
		p.RowMiss = slices.Repeat([]float64{1}, n)
		p.ColMiss = slices.Repeat([]float64{1}, n)
		add("births", p)
	}
	for _, n := range []int{1000, 10_000} {
		add("sparse", solvertest.Sparse(n, 8, 0, 1))
	}
	for _, k := range []int{6, 12, 60, 120, 180} {
		add("sparse", solvertest.Sparse(600, k, 0, 1))
	}
	for _, k := range []int{6, 60} {
		add("integer", solvertest.Sparse(600, k, 1000, 1))
	}
	for _, tt := range list {
		b.Run(tt.name+"/cold", func(b *testing.B) { benchmarkCold(b, tt.p) })
		b.Run(tt.name+"/warm", func(b *testing.B) { benchmarkWarm(b, tt.p) })
	}
}

// BenchmarkTiny solves many different problems of 16 rows with 2 … 8 entries.
func BenchmarkTiny(b *testing.B) {
	const n = 1000
	list := make([]*mapsolver.Problem, n)
	for i := range list {
		list[i] = solvertest.Tiny(16, 40, 7, uint64(i))
	}
	var solver Solver
	var s mapsolver.Solution
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range list {
			if err := solver.Solve(ctx, &s, p, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "problems/s")
}

func benchmarkCold(b *testing.B, p *mapsolver.Problem) {
	var solver Solver
	var s mapsolver.Solution
	ctx := context.Background()
	if err := solver.Solve(ctx, &s, p, nil); err != nil { // makes the workspace
		b.Fatal(err)
	}
	paths := 0
	b.ReportAllocs()
	for b.Loop() {
		if err := solver.Solve(ctx, &s, p, nil); err != nil {
			b.Fatal(err)
		}
		paths += s.Stats.Augmented
	}
	b.ReportMetric(float64(paths)/float64(b.N), "paths/op")
}

func benchmarkWarm(b *testing.B, p *mapsolver.Problem) {
	const steps = 16
	rng := rand.New(rand.NewPCG(1, 1))
	costs := make([][]float64, steps)
	for i := range costs {
		costs[i] = slices.Clone(p.Cost)
		for e := range p.Cost {
			costs[i][e] += 0.01 * rng.NormFloat64()
		}
	}
	q := *p
	var solver Solver
	solver.UseColumns(mapsolver.ByColumn(nil, p))
	var s mapsolver.Solution
	ctx := context.Background()
	if err := solver.Solve(ctx, &s, p, nil); err != nil {
		b.Fatal(err)
	}
	paths, i := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		q.Cost = costs[i%steps]
		i++
		if err := solver.Solve(ctx, &s, &q, &s.Duals); err != nil {
			b.Fatal(err)
		}
		paths += s.Stats.Augmented
	}
	b.ReportMetric(float64(paths)/float64(b.N), "paths/op")
}

// TestStops ends the context in the middle of long searches and bids.
func TestStops(t *testing.T) {
	if testing.Short() {
		t.Skip("large problems")
	}
	const n = 1500
	p := &mapsolver.Problem{Rows: n, Cols: n, Ptr: []int{0}}
	for i := range n {
		for j := range n {
			p.Col = append(p.Col, int32(j))
			p.Cost = append(p.Cost, float64((i+1)*(j+1)))
		}
		p.Ptr = append(p.Ptr, len(p.Col))
	}
	for _, after := range []time.Duration{1, 5, 50, 100} {
		ctx, cancel := context.WithTimeout(t.Context(), after*time.Millisecond)
		var s Solver
		var sol mapsolver.Solution
		began := time.Now()
		err := s.Solve(ctx, &sol, p, nil)
		took := time.Since(began)
		cancel()
		if err == nil {
			continue // done before
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if late := took - after*time.Millisecond; late > 2*time.Second { // some ms where nothing else runs
			t.Errorf("after %v ms: %v late", int(after), late)
		} else {
			t.Logf("after %d ms: %v late", after, late)
		}
	}
}
