package murty

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"mtt/internal/nightly"
	"mtt/mapsolver"
	"mtt/mapsolver/auction"
	"mtt/mapsolver/hungarian"
	"mtt/mapsolver/ssp"
)

// brute lists the cost of every assignment of p, in ascending order.
func brute(p *mapsolver.Problem) []float64 {
	var costs []float64
	taken := make([]bool, p.Cols)
	var walk func(r int, sum float64)
	walk = func(r int, sum float64) {
		if r == p.Rows {
			for c, t := range taken {
				if !t {
					sum += p.ColBound(c)
				}
			}
			if !math.IsInf(sum, 1) {
				costs = append(costs, sum)
			}
			return
		}
		if b := p.RowBound(r); !math.IsInf(b, 1) {
			walk(r+1, sum+b)
		}
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			if c := p.Col[e]; !taken[c] {
				taken[c] = true
				walk(r+1, sum+p.Cost[e])
				taken[c] = false
			}
		}
	}
	walk(0, 0)
	slices.Sort(costs)
	return costs
}

// random draws a small problem: any shape, density, kind of miss costs, and
// costs with many ties or none.
func random(r *rand.Rand, most int) *mapsolver.Problem {
	p := &mapsolver.Problem{Rows: r.IntN(most + 1), Cols: r.IntN(most + 1), Ptr: []int{0}}
	cost := func() float64 { return float64(r.IntN(7) - 3) }
	if r.IntN(2) == 0 {
		cost = func() float64 { return 20*r.Float64() - 10 }
	}
	density := 0.1 + 0.9*r.Float64()
	for range p.Rows {
		for c := range p.Cols {
			if r.Float64() < density {
				p.Col, p.Cost = append(p.Col, int32(c)), append(p.Cost, cost())
			}
		}
		p.Ptr = append(p.Ptr, len(p.Col))
	}
	misses := func(n int) []float64 {
		kind := r.IntN(4)
		if kind == 0 {
			return nil
		}
		miss := make([]float64, n)
		for i := range miss {
			switch {
			case kind == 1:
			case kind == 2 && r.IntN(2) == 0:
				miss[i] = math.Inf(1)
			default:
				miss[i] = cost()
			}
		}
		return miss
	}
	p.RowMiss, p.ColMiss = misses(p.Rows), misses(p.Cols)
	return p
}

// tolerance is what rounding may do to costs of the size of 10.
const tolerance = 1e-12

// check compares the ranking of p with brute force: every assignment once, in
// ascending order, with its cost and a certificate. Stop ends the ranking early.
func check(k *Ranker, p *mapsolver.Problem, want []float64, stop int) error {
	err := k.Start(context.Background(), p)
	if len(want) == 0 {
		if !errors.Is(err, mapsolver.ErrInfeasible) {
			return fmt.Errorf("error %v for an infeasible problem", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	var s mapsolver.Solution
	seen := make(map[string]bool)
	for i := 0; i < stop; i++ {
		if !k.Next(&s) {
			if i != len(want) {
				return fmt.Errorf("%d assignments, want %d", i, len(want))
			}
			return nil
		}
		if i >= len(want) {
			return fmt.Errorf("more than the %d assignments there are", len(want))
		}
		if d := s.Cost - want[i]; !(math.Abs(d) <= tolerance) {
			return fmt.Errorf("assignment %d costs %v, want %v", i, s.Cost, want[i])
		}
		key := fmt.Sprint(s.ColOf)
		if seen[key] {
			return fmt.Errorf("assignment %d, %s, came before", i, key)
		}
		seen[key] = true
		gap, err := mapsolver.Certify(p, &s)
		if err != nil {
			return fmt.Errorf("assignment %d: %w", i, err)
		}
		if d := gap - (want[i] - want[0]); !(math.Abs(d) <= 10*tolerance) {
			return fmt.Errorf("assignment %d: gap %v, want %v", i, gap, want[i]-want[0])
		}
	}
	return nil
}

// cases is how many random problems a test draws: a million in the nightly
// suite.
func cases(few int) int { return nightly.Or(few, 1_000_000) }

func TestBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	rankers := []*Ranker{
		{}, {Whole: true}, {Eager: true}, {Whole: true, Eager: true},
		{Solver: &hungarian.Solver{}}, {Solver: &auction.Solver{}},
	}
	for n := range cases(6000) {
		p := random(r, 1+n%5)
		k := rankers[n%len(rankers)]
		if err := check(k, p, brute(p), 400); err != nil {
			t.Fatalf("case %d, whole %v, eager %v, solver %T: %v\n%+v", n, k.Whole, k.Eager, k.Solver, err, p)
		}
	}
}

// TestObserve checks that each cell that is solved is what it says: an
// independent solver finds the same cost for the problem with the same choices
// fixed and forbidden.
func TestObserve(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	solver := &ssp.Solver{}
	for n := range 2000 {
		p := random(r, 6)
		var sol, check mapsolver.Solution
		cells := 0
		k := &Ranker{Whole: n%2 == 0, Eager: n%3 == 0}
		k.Observe = func(s *Subproblem) {
			cells++
			err := solver.Solve(context.Background(), &check, s.Problem(p), nil)
			if (err == nil) != s.Feasible {
				t.Fatalf("case %d: %+v of %+v: error %v", n, s, p, err)
			}
			if s.Feasible && !(math.Abs(check.Cost-s.Cost) <= 1e-12) {
				t.Fatalf("case %d: %+v of %+v costs %v", n, s, p, check.Cost)
			}
		}
		if k.Start(context.Background(), p) != nil {
			continue
		}
		for range 10 {
			if !k.Next(&sol) {
				break
			}
		}
		if cells != k.Stats.Solved {
			t.Fatalf("case %d: %d cells observed, %d solved", n, cells, k.Stats.Solved)
		}
	}
}

// sparse is a problem as a tracking filter poses them: 100 rows that must be
// served, 90 columns shared by near rows, and a private miss for each row, which
// makes 100×190 in the layout with one column for each miss.
func sparse(seed uint64) *mapsolver.Problem {
	const rows, shared, perRow = 100, 90, 3
	r := rand.New(rand.NewPCG(seed, 7))
	p := &mapsolver.Problem{Rows: rows, Cols: shared + rows, Ptr: []int{0}, ColMiss: make([]float64, shared+rows)}
	for i := range rows {
		var cols []int32
		for len(cols) < perRow {
			c := int32(min(max(i*shared/rows+r.IntN(7)-3, 0), shared-1))
			if !slices.Contains(cols, c) {
				cols = append(cols, c)
			}
		}
		slices.Sort(cols)
		for _, c := range append(cols, int32(shared+i)) {
			p.Col = append(p.Col, c)
			p.Cost = append(p.Cost, -10*r.Float64())
		}
		p.Ptr = append(p.Ptr, len(p.Col))
	}
	return p
}

// scratch ranks p as Murty did: every cell of every partition becomes a problem
// of its own that is solved from nothing. Solving is the time in the solver alone.
func scratch(p *mapsolver.Problem, n int) (costs []float64, solved int, solving time.Duration) {
	type entry struct {
		s   *mapsolver.Solution
		sub Subproblem
	}
	solver := &ssp.Solver{}
	solve := func(sub Subproblem) *entry {
		solved++
		e := &entry{new(mapsolver.Solution), sub}
		q := sub.Problem(p)
		began := time.Now()
		err := solver.Solve(context.Background(), e.s, q, nil)
		solving += time.Since(began)
		if err != nil {
			return nil
		}
		for r, c := range e.s.ColOf { // entries of p, not of the smaller problem
			if c >= 0 {
				e.s.EntryOf[r] = p.Ptr[r] + slices.Index(p.Col[p.Ptr[r]:p.Ptr[r+1]], c)
			}
		}
		return e
	}
	queue := []*entry{solve(Subproblem{})}
	for len(costs) < n && len(queue) > 0 {
		best := 0
		for i, e := range queue {
			if e.s.Cost < queue[best].s.Cost {
				best = i
			}
		}
		e := queue[best]
		queue = slices.Delete(queue, best, best+1)
		costs = append(costs, e.s.Cost)
		sub := Subproblem{Fixed: slices.Clone(e.sub.Fixed), Choice: slices.Clone(e.sub.Choice)}
		for r := range p.Rows {
			if slices.Contains(e.sub.Fixed, int32(r)) {
				continue
			}
			cell := Subproblem{Fixed: slices.Clone(sub.Fixed), Choice: slices.Clone(sub.Choice)}
			cell.Forbidden = append(slices.Clone(e.sub.Forbidden), int32(e.s.EntryOf[r]))
			if next := solve(cell); next != nil {
				queue = append(queue, next)
			}
			sub.Fixed = append(sub.Fixed, int32(r))
			sub.Choice = append(sub.Choice, int32(e.s.EntryOf[r]))
		}
	}
	return costs, solved, solving
}

// TestScratch compares the first answers of large problems with those of the
// plain algorithm, and the number of cells that are solved.
func TestScratch(t *testing.T) {
	const n = 40
	for seed := range uint64(3) {
		p := sparse(seed)
		want, solved, _ := scratch(p, n)
		for _, k := range []*Ranker{{}, {Whole: true}, {Whole: true, Eager: true}} {
			if err := k.Start(context.Background(), p); err != nil {
				t.Fatal(err)
			}
			var s mapsolver.Solution
			for i := range n {
				if !k.Next(&s) || !(math.Abs(s.Cost-want[i]) <= 1e-9) {
					t.Fatalf("seed %d, whole %v: answer %d costs %v, want %v", seed, k.Whole, i, s.Cost, want[i])
				}
			}
			if !k.Eager && k.Stats.Solved*4 > solved {
				t.Errorf("seed %d, whole %v: %d cells solved, %d by the plain algorithm", seed, k.Whole, k.Stats.Solved, solved)
			}
		}
	}
}

// TestNoAllocations: a second ranking of the same size takes no memory.
func TestNoAllocations(t *testing.T) {
	p := sparse(1)
	k := &Ranker{}
	var s mapsolver.Solution
	n := testing.AllocsPerRun(5, func() {
		if err := k.Start(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		for range 50 {
			k.Next(&s)
		}
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestKBestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	for _, err := range KBest(ctx, nil, sparse(1)) {
		if n++; n == 3 {
			cancel()
		}
		if n > 3 && !errors.Is(err, context.Canceled) {
			t.Errorf("answer %d after the end: error %v", n, err)
		}
	}
	if n != 4 {
		t.Errorf("%d answers and errors, want 4", n)
	}
	for s, err := range KBest(context.Background(), nil, &mapsolver.Problem{Rows: 1, Ptr: []int{0, 0}, ColMiss: []float64{}}) {
		if s != nil || !errors.Is(err, mapsolver.ErrInfeasible) {
			t.Errorf("solution %v, error %v for an infeasible problem", s, err)
		}
	}
}

func BenchmarkKBest(b *testing.B) {
	const n = 200
	p := sparse(1)
	for _, c := range []struct {
		name string
		k    *Ranker
	}{{"parts", &Ranker{}}, {"whole", &Ranker{Whole: true}}, {"eager", &Ranker{Whole: true, Eager: true}}} {
		b.Run(c.name, func(b *testing.B) {
			var s mapsolver.Solution
			for b.Loop() {
				if err := c.k.Start(context.Background(), p); err != nil {
					b.Fatal(err)
				}
				for range n {
					c.k.Next(&s)
				}
			}
			b.ReportMetric(float64(c.k.Stats.Solved)/float64(c.k.Stats.Roots), "cells/op")
		})
	}
	b.Run("scratch", func(b *testing.B) {
		solved, solving := 0, time.Duration(0)
		for b.Loop() {
			_, cells, took := scratch(p, n)
			solved, solving = cells, solving+took
		}
		b.ReportMetric(float64(solved), "cells/op")
		b.ReportMetric(float64(solving.Nanoseconds())/float64(b.N), "solver-ns/op")
	})
}
