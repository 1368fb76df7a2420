package cuda

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/solvertest"
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
func emulated() bool { return strings.HasPrefix(Card(), "emulated") }

func newSolver() mapsolver.Solver { return new(Solver) }

func TestSolver(t *testing.T) {
	needCard(t)
	solvertest.Run(t, newSolver)
}

func FuzzSolver(f *testing.F) {
	needCard(f)
	solvertest.Fuzz(f, newSolver)
}

// TestUnavailable wants a reason, from everything that needs a card.
func TestUnavailable(t *testing.T) {
	want := Available()
	if want == nil {
		t.Skip("there is a card")
	}
	p, err := mapsolver.Dense(1, 1, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	var s mapsolver.Solution
	_, batch := NewBatch(1, 1, 1)
	for what, err := range map[string]error{
		"Available": want,
		"Solve":     new(Solver).Solve(context.Background(), &s, p, nil),
		"NewBatch":  batch,
	} {
		if !errors.Is(err, ErrUnavailable) || err.Error() == ErrUnavailable.Error() {
			t.Errorf("%s: error %v, want one that says why", what, err)
		}
	}
	if n := Cards(); n != 0 {
		t.Errorf("%d cards without a card", n)
	}
	if c := Card(); c != "" {
		t.Errorf("Card() = %q without a card", c)
	}
}

// TestFault loses the card in the middle, in a program of its own: the host goes
// on, says so once, and the answers are right.
func TestFault(t *testing.T) {
	needCard(t)
	if !emulated() {
		t.Skip("a real card would be lost")
	}
	if os.Getenv("MTT_EMULATE_FAULT") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFault$", "-test.v")
		cmd.Env = append(os.Environ(), "MTT_EMULATE_FAULT=2")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestFault") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	var warnings []error
	p := solvertest.Tracking(100, 6, 0.3, 1)
	for range 4 {
		solver := Solver{Warn: func(err error) { warnings = append(warnings, err) }}
		var s mapsolver.Solution
		if err := solver.Solve(context.Background(), &s, p, nil); err != nil {
			t.Fatal(err)
		}
		if gap, err := mapsolver.Certify(p, &s); err != nil || gap > 1e-9 {
			t.Errorf("gap %v, %v", gap, err)
		}
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "CUDA_ERROR_ILLEGAL_ADDRESS") {
		t.Errorf("warnings %v, want one of an illegal address", warnings)
	}
}

// TestCertified wants answers of the card to need no help of the host: what it
// does goes unseen otherwise, since ssp would repair any answer.
func TestCertified(t *testing.T) {
	needCard(t)
	var s Solver
	for _, in := range solvertest.Hard() {
		if err := s.open(1); err != nil {
			t.Fatal(err)
		}
		var dst mapsolver.Solution
		a := newPlan(&dst, in.Problem, nil)
		var ok bool
		if a.form, ok = formOf(s.runners[0].card.device, a.p.Rows, a.p.Cols, 8, a.sparse); !ok {
			t.Fatalf("%s: no form", in.Name)
		}
		if err := s.runners[0].launch([]*plan{a}); err != nil {
			t.Fatal(err)
		}
		if !a.read(&s.runners[0].buffer) {
			t.Errorf("%s: not all are served", in.Name)
			continue
		}
		gap, err := mapsolver.Certify(in.Problem, &dst)
		if err != nil || gap > a.rounding() {
			t.Errorf("%s: gap %v, %v", in.Name, gap, err)
		}
	}
}

// TestNaN wants Prove to name a cost that is none.
func TestNaN(t *testing.T) {
	needCard(t)
	b, err := NewBatch(2, 3, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	fillBatch(b, 9, 1)
	nan := float32(0)
	b.Row(1, 2)[4] = nan / nan
	if err := b.Upload(); err != nil {
		t.Fatal(err)
	}
	_ = b.Solve(context.Background(), false)
	if _, err := b.Prove(); err == nil || !strings.Contains(err.Error(), "problem 1: row 2") {
		t.Errorf("error %v, want one about row 2 of problem 1", err)
	}
}

// TestInfeasibleBatch wants an error, and the other problems solved.
func TestInfeasibleBatch(t *testing.T) {
	needCard(t)
	b, err := NewBatch(3, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Free()
	fillBatch(b, 9, 1)
	for r := range 2 {
		copy(b.Row(1, r), []float32{1, infinite, infinite, infinite})
	}
	if err := b.Upload(); err != nil {
		t.Fatal(err)
	}
	if err := b.Solve(context.Background(), false); !errors.Is(err, mapsolver.ErrInfeasible) || !strings.Contains(err.Error(), "problem 1") {
		t.Errorf("error %v, want one about problem 1", err)
	}
	for _, i := range []int{0, 2} {
		if slices.Contains(b.ColOf(i), none) {
			t.Errorf("problem %d: columns %v", i, b.ColOf(i))
		}
	}
}

// TestSameBytes solves a batch of copies of one problem, which must all get the
// same answer.
func TestSameBytes(t *testing.T) {
	needCard(t)
	const n = 64
	for _, draw := range []func(*rand.Rand) float32{
		func(r *rand.Rand) float32 { return float32(r.IntN(4)) },
		func(r *rand.Rand) float32 { return r.Float32() },
	} {
		b, err := NewBatch(8, n, n)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Count {
			rng := rand.New(rand.NewPCG(1, 1))
			for r := range n {
				for c := range n {
					b.Row(i, r)[c] = draw(rng)
				}
			}
		}
		if err := b.Upload(); err != nil {
			t.Fatal(err)
		}
		if err := b.Solve(context.Background(), false); err != nil {
			t.Fatal(err)
		}
		_, v := b.Prices(0)
		for i := range b.Count {
			_, w := b.Prices(i)
			if !slices.Equal(b.ColOf(0), b.ColOf(i)) || !slices.Equal(v, w) || !slices.Equal(b.counts(0), b.counts(i)) {
				t.Errorf("problem %d differs from problem 0", i)
			}
		}
		b.Free()
	}
}
