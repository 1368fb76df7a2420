package solvers

// This file has every solver of the list solve one problem.

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"

	"mtt/internal/cli"
	"mtt/mapsolver"
	"mtt/mapsolver/lapgen"
)

func TestNamed(t *testing.T) {
	p := lapgen.Tiny(8, 12, 4, 3)
	var want mapsolver.Solution
	for i := range All {
		info := &All[i]
		newSolver, err := Named(info.Name)
		if why := info.Unavailable(); why != "" {
			if cli.ExitStatus(err) != cli.ExitUsage || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: error %v, want %s", info.Name, err, why)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		newSolver, meter := Watch(newSolver)
		solver := newSolver()
		var s mapsolver.Solution
		if err := solver.Solve(t.Context(), &s, p, nil); err != nil {
			t.Fatalf("%s: %v", info.Name, err)
		}
		if gap, err := mapsolver.Certify(p, &s); err != nil || gap > mapsolver.Tolerance(p, &s) {
			t.Errorf("%s: gap %v, %v", info.Name, gap, err)
		}
		if i == 0 {
			want = s
		} else if !Agrees(p, &s, want.Cost) {
			t.Errorf("%s: cost %v, %s found %v", info.Name, s.Cost, All[0].Name, want.Cost)
		}
		if name := cmp.Or(s.Stats.Solver, info.Name); name != info.Name && name != "ssp" {
			t.Errorf("%s calls itself %s", info.Name, name)
		}
		of, figures := meter.Sum()
		if (of == "accelerator") != (info.Name == "fpga") || of != "" && !slices.Contains(figures, mapsolver.Figure{Name: "problems", Count: 1}) {
			t.Errorf("%s: figures of %q: %v", info.Name, of, figures)
		}
	}
	if _, err := Named("dens"); cli.ExitStatus(err) != cli.ExitUsage || cli.HintOf(err) != "did you mean dense?" {
		t.Errorf("error %v, hint %q", err, cli.HintOf(err))
	}
}

func TestAgrees(t *testing.T) {
	p, err := mapsolver.Dense(2, 2, []float64{1, 1e15, 1e15, 2})
	if err != nil {
		t.Fatal(err)
	}
	var s mapsolver.Solution
	if err := All[0].New().Solve(t.Context(), &s, p, nil); err != nil {
		t.Fatal(err)
	}
	for stated, want := range map[float64]bool{3: true, 3 + 1e-12: true, 3.001: false, 1e15: false} {
		if got := Agrees(p, &s, stated); got != want {
			t.Errorf("Agrees(%v), cost %v: %t", stated, s.Cost, got)
		}
	}
}

// TestWarnings keeps warnings in their order, once.
func TestWarnings(t *testing.T) {
	one, two := errors.New("one"), errors.New("two")
	Warn(one)
	Warn(two)
	if got := Warnings(); !slices.Equal(got, []error{one, two}) {
		t.Errorf("warnings %v", got)
	}
	if got := Warnings(); len(got) > 0 {
		t.Errorf("again %v", got)
	}
}
