package dualascent_test

// This file tests odd shapes, misuse, and calls that end early.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mtt/dualascent"
	"mtt/mapsolver"
	"mtt/mapsolver/ssp"
)

func TestShapes(t *testing.T) {
	flat := func(n int, c float64) []float64 { return slices.Repeat([]float64{c}, n) }
	// unlinked is a gap without arcs; ends cost 1 each.
	unlinked := func(n, m int) dualascent.FramePair {
		return dualascent.FramePair{Rows: n, Cols: m, Ptr: make([]int, n+1), RowMiss: flat(n, 1), ColMiss: flat(m, 1)}
	}
	tests := []struct {
		name string
		inst *dualascent.Instance
		want float64
	}{
		{"nothing", &dualascent.Instance{}, 0},
		{"one gap without nodes", &dualascent.Instance{Pairs: []dualascent.FramePair{unlinked(0, 0)}}, 0},
		{"one gap without arcs", &dualascent.Instance{Pairs: []dualascent.FramePair{unlinked(2, 3)}}, 5},
		{"one gap", &dualascent.Instance{Pairs: []dualascent.FramePair{{
			Rows: 2, Cols: 2, Ptr: []int{0, 2, 4}, Col: []int32{0, 1, 0, 1}, Cost: []float64{1, 2, 3, 5},
			RowMiss: flat(2, 9), ColMiss: flat(2, 9),
		}}}, 5},
		{"gaps without arcs", &dualascent.Instance{
			Pairs:  []dualascent.FramePair{unlinked(1, 2), unlinked(2, 1)},
			Blocks: []dualascent.Block{{Ptr: []int{0, 1, 2}, D: []float64{0.5, 0.25}}},
		}, 6.75},
		{"an empty frame", &dualascent.Instance{
			Pairs:  []dualascent.FramePair{unlinked(2, 0), unlinked(0, 2)},
			Blocks: []dualascent.Block{{Ptr: []int{0}}},
		}, 4},
		{"an optimum of nothing", &dualascent.Instance{Pairs: []dualascent.FramePair{{
			Rows: 1, Cols: 1, Ptr: []int{0, 1}, Col: []int32{0}, Cost: []float64{0},
			RowMiss: flat(1, 9), ColMiss: flat(1, 9),
		}}}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.inst.Validate(); err != nil {
				t.Fatal(err)
			}
			for _, scheme := range []dualascent.Scheme{dualascent.Sequential, dualascent.Parallel} {
				res, err := dualascent.Solve(context.Background(), tt.inst, &dualascent.Options{Scheme: scheme})
				if err != nil {
					t.Fatal(err)
				}
				check(t, tt.inst, scheme, res)
				if res.Status != dualascent.Optimal || res.UpperBound != tt.want || res.Gap() != 0 || len(res.Next) != len(tt.inst.Pairs) {
					t.Errorf("scheme %d: status %v, cost %v, gap %v, %d gaps; want optimal, %v, 0, %d",
						scheme, res.Status, res.UpperBound, res.Gap(), len(res.Next), tt.want, len(tt.inst.Pairs))
				}
			}
			if _, cost, err := dualascent.Greedy(context.Background(), tt.inst); err != nil || cost != tt.want {
				t.Errorf("Greedy = %v, %v; want %v", cost, err, tt.want)
			}
		})
	}
}

// TestNearZero solves a scene without noise, whose optimum is zero but for
// rounding: the gap must close all the same.
func TestNearZero(t *testing.T) {
	s := scene{kind: "burst", targets: 30, frames: 10, noise: 0, cost: "paper", seed: 1}
	inst := s.instance(t)
	res, err := dualascent.Solve(context.Background(), inst, nil)
	if err != nil {
		t.Fatal(err)
	}
	check(t, inst, dualascent.Sequential, res)
	if res.Status != dualascent.Optimal || res.Gap() != 0 || res.UpperBound > 1e-6*float64(inst.Arcs()) {
		t.Errorf("status %v, cost %v, gap %v; want optimal, about 0, 0", res.Status, res.UpperBound, res.Gap())
	}
}

func TestInfeasible(t *testing.T) {
	one := func(c float64) []float64 { return []float64{c} }
	link := dualascent.FramePair{Rows: 1, Cols: 1, Ptr: []int{0, 1}, Col: []int32{0}, Cost: one(1), RowMiss: one(inf), ColMiss: one(inf)}
	tests := []struct {
		name string
		inst *dualascent.Instance
	}{
		{"one gap", &dualascent.Instance{Pairs: []dualascent.FramePair{{Rows: 1, Cols: 0, Ptr: []int{0, 0}, RowMiss: one(inf)}}}},
		{"a block", &dualascent.Instance{
			Pairs:  []dualascent.FramePair{link, link},
			Blocks: []dualascent.Block{{Ptr: []int{0, 4}, D: []float64{inf, 0, 0, 0}}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.inst.Validate(); err != nil {
				t.Fatal(err)
			}
			if res, err := dualascent.Solve(context.Background(), tt.inst, nil); !errors.Is(err, dualascent.ErrInfeasible) {
				t.Errorf("Solve = %v, %v; want ErrInfeasible", res, err)
			}
			if _, _, err := dualascent.Greedy(context.Background(), tt.inst); !errors.Is(err, dualascent.ErrInfeasible) {
				t.Errorf("Greedy: %v; want ErrInfeasible", err)
			}
		})
	}
}

// A stopper is a solver that ends a context before the n-th call.
type stopper struct {
	ssp.Solver
	left int
	stop func()
}

func (s *stopper) Solve(ctx context.Context, dst *mapsolver.Solution, p *mapsolver.Problem, warm *mapsolver.Duals) error {
	if s.left--; s.left == 0 {
		s.stop()
	}
	return s.Solver.Solve(ctx, dst, p, warm)
}

// TestInterrupted ends the context at every stage of a solve.
func TestInterrupted(t *testing.T) {
	s := scene{kind: "burst", targets: 12, frames: 8, noise: 0.3, spread: 1, cost: "paper", seed: 3}
	inst := s.instance(t)
	for _, scheme := range []dualascent.Scheme{dualascent.Sequential, dualascent.Parallel} {
		for calls := 1; calls <= 100; calls++ {
			ctx, cancel := context.WithCancel(context.Background())
			res, err := dualascent.Solve(ctx, inst, &dualascent.Options{
				Scheme:    scheme,
				NewSolver: func() mapsolver.Solver { return &stopper{left: calls, stop: cancel} },
			})
			cancel()
			if err == nil { // done before
				break
			}
			if !errors.Is(err, context.Canceled) || res == nil || res.Status != dualascent.Interrupted {
				t.Fatalf("scheme %d, %d calls: %v, %v; want a result and context.Canceled", scheme, calls, res, err)
			}
			if b := dualascent.Bound(inst, res.Prices); !near(b, res.Certified) {
				t.Errorf("scheme %d, %d calls: prices prove %v, the result says %v", scheme, calls, b, res.LowerBound)
			}
			if c := inst.Cost(res.Next); !near(c, res.UpperBound) {
				t.Errorf("scheme %d, %d calls: answer costs %v, the result says %v", scheme, calls, c, res.UpperBound)
			}
			for _, s := range res.Trace {
				if res.LowerBound < s.Lower {
					t.Errorf("scheme %d, %d calls: bound %v, after %v", scheme, calls, res.LowerBound, s.Lower)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := dualascent.Greedy(ctx, inst); !errors.Is(err, context.Canceled) {
		t.Errorf("Greedy: %v, want context.Canceled", err)
	}
}

// TestInterruptedWhole has no result of what ended.
func TestInterruptedWhole(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if res, err := dualascent.Solve(ended, crossing(), &dualascent.Options{Whole: true}); res != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v; want no result and context.Canceled", res, err)
	}
}

// TestSolverError passes on what an unusual solver says.
func TestSolverError(t *testing.T) {
	broken := errors.New("no device")
	inst := crossing()
	_, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{
		NewSolver: func() mapsolver.Solver { return failing{broken} },
	})
	if !errors.Is(err, broken) {
		t.Errorf("Solve: %v, want %v", err, broken)
	}
}

type failing struct{ err error }

func (f failing) Solve(context.Context, *mapsolver.Solution, *mapsolver.Problem, *mapsolver.Duals) error {
	return f.err
}

func TestProgress(t *testing.T) {
	s := scene{kind: "burst", targets: 12, frames: 8, noise: 0.3, spread: 1, cost: "paper", seed: 3}
	var steps []dualascent.Step
	res, err := dualascent.Solve(context.Background(), s.instance(t), &dualascent.Options{
		Progress: func(s dualascent.Step) { steps = append(steps, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) == 0 || len(steps) != len(res.Trace) {
		t.Fatalf("%d steps of progress, %d of the trace", len(steps), len(res.Trace))
	}
	if last := len(steps) - 1; !slices.Equal(steps[:last], res.Trace[:last]) {
		t.Errorf("progress %v, trace %v", steps, res.Trace)
	}
}

// TestManyRounds allows as many rounds as there are numbers: the bounds meet all the same, with what is
// ascended among few arcs too.
func TestManyRounds(t *testing.T) {
	defer dualascent.ThinTo(2)()
	s := scene{kind: "burst", targets: 12, frames: 8, noise: 0.3, spread: 1, cost: "paper", seed: 3}
	inst := s.instance(t)
	for _, scheme := range []dualascent.Scheme{dualascent.Sequential, dualascent.Parallel} {
		res, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{MaxRounds: math.MaxInt, Scheme: scheme})
		if err != nil {
			t.Fatal(err)
		}
		check(t, inst, scheme, res)
	}
}

// TestDeterministic solves twice: equal to the last bit.
func TestDeterministic(t *testing.T) {
	s := scene{kind: "burst", targets: 20, frames: 12, noise: 0.2, cost: "nll", miss: 0.1, clutter: 2, births: 1, seed: 1}
	inst := s.instance(t)
	one, err := dualascent.Solve(context.Background(), inst, nil)
	if err != nil {
		t.Fatal(err)
	}
	two, err := dualascent.Solve(context.Background(), inst, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprint(*one), fmt.Sprint(*two); a != b {
		t.Errorf("two runs differ:\n%s\n%s", a, b)
	}
}

// TestWorkers solves scenes that are cut into many chunks with one worker and with
// several: equal to the last bit, and as good as in one piece.
func TestWorkers(t *testing.T) {
	scenes := []scene{
		{kind: "burst", targets: 20, frames: 20, noise: 0.2, cost: "nll", miss: 0.1, clutter: 2, births: 1, seed: 1},
		{kind: "steer", targets: 30, frames: 40, noise: 0.2, spread: 0.7, cost: "nll", seed: 2},
		{kind: "cross", targets: 15, frames: 17, noise: 0.2, spread: 1, cost: "paper", seed: 3},
	}
	for _, s := range scenes {
		inst := s.instance(t)
		whole, err := dualascent.Solve(context.Background(), inst, nil)
		if err != nil {
			t.Fatal(err)
		}
		restore := dualascent.SmallChunks(3)
		var want string
		for _, workers := range []int{1, 2, 5} {
			res, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			check(t, inst, dualascent.Sequential, res)
			if res.Status != whole.Status || !near(res.UpperBound, whole.UpperBound) {
				t.Errorf("%v, %d workers: %v, %v; in one piece %v, %v", &s, workers, res.Status, res.UpperBound, whole.Status, whole.UpperBound)
			}
			switch got := fmt.Sprint(*res); {
			case want == "":
				want = got
			case got != want:
				t.Errorf("%v: %d workers and one differ", &s, workers)
			}
		}
		restore()
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		change func(inst *dualascent.Instance)
		want   string
	}{
		{"nothing wrong", func(*dualascent.Instance) {}, ""},
		{"a block too few", func(inst *dualascent.Instance) { inst.Blocks = nil }, "2 gaps need 1 blocks, got 0"},
		{"short Ptr", func(inst *dualascent.Instance) { inst.Pairs[1].Ptr = []int{0, 2} }, "gap 1: slices differ in length"},
		{"short RowMiss", func(inst *dualascent.Instance) { inst.Pairs[0].RowMiss = nil }, "gap 0: slices differ in length"},
		{"Ptr falls", func(inst *dualascent.Instance) { inst.Pairs[0].Ptr[1] = 5 }, "gap 0: row 0: pointers decrease"},
		{"columns out of order", func(inst *dualascent.Instance) { inst.Pairs[0].Col[3] = 0 }, "gap 0: row 1: column 0 is out of order"},
		{"column out of range", func(inst *dualascent.Instance) { inst.Pairs[0].Col[3] = 2 }, "gap 0: row 1: column 2 is out of order or out of range"},
		{"arc +Inf", func(inst *dualascent.Instance) { inst.Pairs[0].Cost[1] = inf }, "gap 0: row 0, column 1: cost is +Inf"},
		{"death NaN", func(inst *dualascent.Instance) { inst.Pairs[0].RowMiss[1] = math.NaN() }, "gap 0: row 1: miss cost is NaN"},
		{"birth -Inf", func(inst *dualascent.Instance) { inst.Pairs[0].ColMiss[1] = -inf }, "gap 0: column 1: miss cost is -Inf"},
		{"birth +Inf", func(inst *dualascent.Instance) { inst.Pairs[0].ColMiss[1] = inf }, ""},
		{"frames differ", func(inst *dualascent.Instance) {
			inst.Pairs[1].Rows, inst.Pairs[1].Ptr, inst.Pairs[1].RowMiss = 1, []int{0, 4}, []float64{1}
			inst.Pairs[1].Cols, inst.Pairs[1].Col, inst.Pairs[1].ColMiss = 4, []int32{0, 1, 2, 3}, make([]float64, 4)
		}, "block 0: 2 columns on its left, 1 rows on its right"},
		{"short D", func(inst *dualascent.Instance) { inst.Blocks[0].D = inst.Blocks[0].D[1:] }, "block 0: slices differ in length"},
		{"matrix of the wrong size", func(inst *dualascent.Instance) { inst.Blocks[0].Ptr[1] = 8 }, "block 0: node 0: 8 costs, want 9"},
		{"triplet NaN", func(inst *dualascent.Instance) { inst.Blocks[0].D[3] = math.NaN() }, "block 0: entry 3: cost is NaN"},
		{"triplet +Inf", func(inst *dualascent.Instance) { inst.Blocks[0].D[3] = inf }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inst := crossing()
			tt.change(inst)
			err := inst.Validate()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), "dualascent: "+tt.want)) {
				t.Errorf("Validate() = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestPanics(t *testing.T) {
	res, err := dualascent.Solve(context.Background(), crossing(), nil)
	if err != nil {
		t.Fatal(err)
	}
	prices := func(change func(m *dualascent.Prices)) []dualascent.Prices {
		list := slices.Clone(res.Prices)
		change(&list[1])
		return list
	}
	const badShape = "dualascent: slices differ in length"
	tests := []struct {
		name, want string
		call       func(inst *dualascent.Instance)
	}{
		{"prices of too few gaps", badShape, func(inst *dualascent.Instance) { dualascent.Bound(inst, res.Prices[:1]) }},
		{"short U", badShape, func(inst *dualascent.Instance) {
			dualascent.Bound(inst, prices(func(m *dualascent.Prices) { m.U = nil }))
		}},
		{"short Col", badShape, func(inst *dualascent.Instance) {
			dualascent.Bound(inst, prices(func(m *dualascent.Prices) { m.Col = nil }))
		}},
		{"answer of too few gaps", badShape, func(inst *dualascent.Instance) { inst.Cost(res.Next[:1]) }},
		{"answer of too few nodes", badShape, func(inst *dualascent.Instance) { inst.Cost([][]int32{{0}, {0, 3}}) }},
		{"two in-arcs", "dualascent: a node has two in-arcs", func(inst *dualascent.Instance) { inst.Cost([][]int32{{0, 2}, {0, 3}}) }},
		{"arc of another node", "dualascent: an arc does not leave its node", func(inst *dualascent.Instance) { inst.Cost([][]int32{{3, 0}, {0, 3}}) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if got := recover(); got != tt.want {
					t.Errorf("panic %v, want %v", got, tt.want)
				}
			}()
			tt.call(crossing())
		})
	}
}

// TestBoundOfNonsense gives prices that are not finite: they prove nothing.
func TestBoundOfNonsense(t *testing.T) {
	for _, x := range []float64{math.NaN(), inf, -inf} {
		inst := crossing()
		res, err := dualascent.Solve(context.Background(), inst, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range [][]float64{res.Prices[0].U, res.Prices[1].V, res.Prices[0].Birth, res.Prices[1].Death, res.Prices[1].Col} {
			y := s[0]
			s[0] = x
			if b := dualascent.Bound(inst, res.Prices); !math.IsInf(b, -1) {
				t.Errorf("a price of %v: bound %v, want -Inf", x, b)
			}
			s[0] = y
		}
	}
}

func TestStatusString(t *testing.T) {
	want := []string{"optimal", "within-gap", "stalled", "iteration-limit", "interrupted", "Status(5)"}
	for s, w := range want {
		if got := dualascent.Status(s).String(); got != w {
			t.Errorf("Status(%d).String() = %q, want %q", s, got, w)
		}
	}
}

// TestSearchProgress wants to be told of the search, with bounds that close in on
// those of the result.
func TestSearchProgress(t *testing.T) {
	s := scene{kind: "burst", targets: 30, frames: 15, noise: 0.1, cost: "paper", seed: 2}
	inst := s.instance(t)
	var last dualascent.Step
	lower, upper := math.Inf(-1), inf
	res, err := dualascent.Solve(t.Context(), inst, &dualascent.Options{
		MaxRounds: 2, Effort: inf,
		Progress: func(s dualascent.Step) {
			if s.Lower < lower || s.Upper > upper || s.Parts < last.Parts {
				t.Errorf("after %d parts: %v and %v, before %v and %v", s.Parts, s.Lower, s.Upper, lower, upper)
			}
			last, lower, upper = s, s.Lower, s.Upper
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if last.Parts == 0 || res.Status != dualascent.Optimal {
		t.Errorf("%d parts, status %v", last.Parts, res.Status)
	}
	if last.Lower > res.LowerBound || last.Upper < res.UpperBound {
		t.Errorf("told %v and %v, the result says %v and %v", last.Lower, last.Upper, res.LowerBound, res.UpperBound)
	}
}

// TestNoAnswer finds the bound that comes with an answer, round by round, without one.
func TestNoAnswer(t *testing.T) {
	inst := random(rand.New(rand.NewPCG(7, 7)), kinds[1], 6, 7, 6, 7, 6).instance()
	for rounds := 1; rounds <= 3; rounds++ {
		o := dualascent.Options{MaxRounds: rounds, Effort: -1, Gap: 1e-300}
		with, err := dualascent.Solve(t.Context(), inst, &o)
		if err != nil {
			t.Fatal(err)
		}
		o.NoAnswer = true
		without, err := dualascent.Solve(t.Context(), inst, &o)
		if err != nil {
			t.Fatal(err)
		}
		if without.Next != nil || !math.IsInf(without.UpperBound, 1) || with.Rounds == without.Rounds && with.LowerBound != without.LowerBound {
			t.Errorf("%d rounds: bound %v, upper bound %v, Next %v; with an answer %v", rounds, without.LowerBound, without.UpperBound, without.Next, with.LowerBound)
		}
		if b := dualascent.Bound(inst, without.Prices); math.Abs(b-without.LowerBound) > 1e-9*(1+math.Abs(b)) {
			t.Errorf("%d rounds: bound %v, its prices prove %v", rounds, without.LowerBound, b)
		}
	}
}
