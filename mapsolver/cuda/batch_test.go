package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/solvertest"
	"mtt/mapsolver/ssp"
)

var infinite = float32(math.Inf(1))

// costKinds are the costs of the published comparisons: integers below a tenth of
// n, n, 10n and 1000n, and reals.
var costKinds = []struct {
	name string
	most func(n int) int // 0: reals below 1000 on a grid of 24 bits
}{
	{"0.1n", func(n int) int { return n / 10 }},
	{"n", func(n int) int { return n }},
	{"10n", func(n int) int { return 10 * n }},
	{"1000n", func(n int) int { return 1000 * n }},
	{"real", func(int) int { return 0 }},
}

// fillBatch draws the costs of all problems.
func fillBatch[Real real](b *BatchOf[Real], most int, seed uint64) {
	for i := range b.Count {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		for r := range b.Rows {
			row := b.Row(i, r)
			for c := range row {
				row[c] = Real(drawCost(rng, most))
			}
		}
	}
}

// drawCost draws a cost of a kind.
func drawCost(rng *rand.Rand, most int) float32 {
	if most > 0 {
		return float32(rng.IntN(most))
	}
	return 1000 * float32(rng.IntN(1<<24)) / (1 << 24)
}

// cpuCost is the optimum of problem i by ssp.
func cpuCost[Real real](t testing.TB, b *BatchOf[Real], i int) float64 {
	t.Helper()
	var cost []float64
	for r := range b.Rows {
		for _, x := range b.Row(i, r) {
			cost = append(cost, float64(x))
		}
	}
	p, err := mapsolver.Dense(b.Rows, b.Cols, cost)
	if err != nil {
		t.Fatal(err)
	}
	var solver ssp.Solver
	var s mapsolver.Solution
	if err := solver.Solve(context.Background(), &s, p, nil); err != nil {
		t.Fatal(err)
	}
	return s.Cost
}

// solveBatch solves b and checks the proofs; it compares the problems below check
// with the CPU.
func solveBatch[Real real](t testing.TB, b *BatchOf[Real], warm bool, check int) {
	t.Helper()
	if err := b.Solve(context.Background(), warm); err != nil {
		t.Fatal(err)
	}
	proofs, err := b.Prove()
	if err != nil {
		t.Fatal(err)
	}
	rounding := 0x1p-20 // of float32, generously: of the largest price for each row
	if b.size() == 8 {
		rounding = 0x1p-48
	}
	for i, p := range proofs {
		if gap := p.Cost - p.Bound; !(gap >= -1e-9*math.Abs(p.Cost) && gap <= rounding*largestPrice(b, i)*float64(b.Rows)) {
			t.Fatalf("problem %d: cost %v, bound %v", i, p.Cost, p.Bound)
		}
		if i < check {
			if want := cpuCost(t, b, i); math.Abs(p.Cost-want) > 1e-6*math.Abs(want) {
				t.Fatalf("problem %d: cost %v, the CPU says %v", i, p.Cost, want)
			}
		}
	}
}

func largestPrice[Real real](b *BatchOf[Real], i int) float64 {
	u, v := b.Prices(i)
	var most Real
	for _, list := range [][]Real{u, v} {
		for _, x := range list {
			most = max(most, x, -x)
		}
	}
	return float64(most)
}

func TestBatch(t *testing.T)   { testBatch(t, NewBatch) }
func TestBatch64(t *testing.T) { testBatch(t, NewBatch64) }

func testBatch[Real real](t *testing.T, make func(count, rows, cols int) (*BatchOf[Real], error)) {
	needCard(t)
	for _, size := range []struct{ count, rows, cols int }{
		{3, 1, 1}, {3, 5, 5}, {4, 33, 33}, {3, 20, 70}, {2, 129, 129}, {2, 150, 300},
	} {
		for _, kind := range costKinds {
			t.Run(fmt.Sprintf("%dx%dx%d/%s", size.count, size.rows, size.cols, kind.name), func(t *testing.T) {
				b, err := make(size.count, size.rows, size.cols)
				if err != nil {
					t.Fatal(err)
				}
				defer b.Free()
				fillBatch(b, max(kind.most(size.cols), 0), 1)
				if err := b.Upload(); err != nil {
					t.Fatal(err)
				}
				solveBatch(t, b, false, size.count)
				if size.rows < size.cols {
					return // warm prices of free columns have no use
				}
				changeSome(b)
				if err := b.Upload(); err != nil {
					t.Fatal(err)
				}
				solveBatch(t, b, true, size.count)
			})
		}
	}
}

// changeSome makes one cost in 128 dearer by a tenth.
func changeSome[Real real](b *BatchOf[Real]) {
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range b.Count {
		for range b.Rows * b.Cols / 128 {
			b.Row(i, rng.IntN(b.Rows))[rng.IntN(b.Cols)] *= 1.1
		}
	}
}

// TestLarge solves one problem by a cluster, and by a block with its state in
// global memory.
func TestLarge(t *testing.T) {
	needCard(t)
	c, err := defaultCard()
	if err != nil {
		t.Fatal(err)
	}
	n := 1200
	if emulated() {
		n = 90
	}
	for _, f := range []form{
		{kernel: "wide16_w32", threads: 512},
		{kernel: "cluster1_c32", threads: 512, cluster: 16},
		{kernel: "cluster2_c32", threads: 64, cluster: 16},
		{kernel: "cluster4_c32", threads: 64, cluster: 8},
	} {
		if f.cluster > 0 && c.device.Major < 9 {
			continue
		}
		if emulated() {
			f.threads = 64
			f.cluster = min(f.cluster, 2)
		}
		f.shared, f.tuning = meeting, tuningLarge
		f.memory = stateBytes(n, n, f.threads/32*max(f.cluster, 1), 4, false) + tightBytes(n)
		for _, kind := range costKinds {
			t.Run(f.kernel+"/"+kind.name, func(t *testing.T) {
				costs, err := NewCosts(1, n, n)
				if err != nil {
					t.Fatal(err)
				}
				defer costs.Free()
				b, err := costs.newBatch(f)
				if err != nil {
					t.Fatal(err)
				}
				defer b.Free()
				fillBatch(b, kind.most(n), 1)
				if err := b.Upload(); err != nil {
					t.Fatal(err)
				}
				solveBatch(t, b, false, 1)
				changeSome(b)
				if err := b.Upload(); err != nil {
					t.Fatal(err)
				}
				solveBatch(t, b, true, 1)
			})
		}
	}
}

// TestManyProblems solves a mixed batch in one call, cold and warm, and compares
// with ssp.
func TestManyProblems(t *testing.T) {
	needCard(t)
	var list []mapsolver.Problem
	for _, in := range solvertest.Hard() {
		list = append(list, *in.Problem)
	}
	bad := len(list)
	list = append(list, *solvertest.Infeasible()[4].Problem)
	var s Solver
	dst, warm := make([]mapsolver.Solution, len(list)), make([]mapsolver.Duals, len(list))
	for round := range 2 {
		prices := warm
		if round == 0 {
			prices = nil
		}
		err := s.SolveBatch(context.Background(), dst, list, prices)
		e, ok := errors.AsType[*mapsolver.BatchError](err)
		if !ok || len(e.Unwrap()) != 1 || !errors.Is(e.Errs[bad], mapsolver.ErrInfeasible) {
			t.Fatalf("error %v, want one about problem %d", err, bad)
		}
		for i := range list[:bad] {
			gap, err := mapsolver.Certify(&list[i], &dst[i])
			if err != nil || gap > 1e-6 {
				t.Errorf("problem %d: gap %v, %v", i, gap, err)
			}
			warm[i].V = dst[i].V
		}
		warm[bad].V = make([]float64, list[bad].Cols)
		list[0].Cost[5] -= 0.25
	}
	if err := s.Free(); err != nil {
		t.Error(err)
	}
}

// TestSharedCosts solves the same costs by two batches, one of which starts from the
// other's costs before a change.
func TestSharedCosts(t *testing.T) {
	needCard(t)
	costs, err := NewCosts(2, 40, 50)
	if err != nil {
		t.Fatal(err)
	}
	defer costs.Free()
	var list []*Batch
	for range 2 {
		b, err := costs.NewBatch()
		if err != nil {
			t.Fatal(err)
		}
		defer b.Free()
		list = append(list, b)
	}
	fillBatch(list[0], 0, 3)
	for round := range 2 {
		if err := costs.Upload(); err != nil {
			t.Fatal(err)
		}
		for _, b := range list[round:] {
			solveBatch(t, b, true, 2)
		}
		changeSome(list[0])
	}
}

// TestCards solves problems on all cards, with the answers of one.
func TestCards(t *testing.T) {
	needCard(t)
	var list []mapsolver.Problem
	for i := range 2 * perCard {
		list = append(list, *solvertest.Tracking(12, 4, 0.3, uint64(i)))
	}
	var many, one Solver
	dst := make([]mapsolver.Solution, len(list))
	if err := many.SolveBatch(context.Background(), dst, list, nil); err != nil {
		t.Fatal(err)
	}
	cards, err := allCards()
	if err != nil {
		t.Fatal(err)
	}
	if len(many.runners) != len(cards) || emulated() && len(cards) != 2 {
		t.Errorf("%d runners for %d cards", len(many.runners), len(cards))
	}
	for i := range list {
		var want mapsolver.Solution
		if err := one.Solve(context.Background(), &want, &list[i], nil); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(want.ColOf, dst[i].ColOf) || !slices.Equal(want.V, dst[i].V) {
			t.Errorf("problem %d: the answer depends on the card", i)
		}
	}
	if err := many.Free(); err != nil {
		t.Error(err)
	}
}

// TestCostsOn solves the same problems on each card, at the same time.
func TestCostsOn(t *testing.T) {
	needCard(t)
	if _, err := NewCostsOn(Cards(), 1, 1, 1); !errors.Is(err, ErrUnavailable) {
		t.Errorf("error %v past the last card", err)
	}
	var list []*Batch
	for k := range Cards() {
		costs, err := NewCostsOn(k, 3, 40, 40)
		if err != nil {
			t.Fatal(err)
		}
		defer costs.Free()
		b, err := costs.NewBatch()
		if err != nil {
			t.Fatal(err)
		}
		defer b.Free()
		fillBatch(b, 0, 5)
		if err := b.Upload(); err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	var wg sync.WaitGroup
	for _, b := range list {
		wg.Go(func() {
			if err := b.Solve(context.Background(), false); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, b := range list {
		for i := range b.Count {
			if !slices.Equal(b.ColOf(i), list[0].ColOf(i)) {
				t.Errorf("problem %d: the answer depends on the card", i)
			}
		}
	}
}
