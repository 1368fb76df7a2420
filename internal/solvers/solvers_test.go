package solvers

// This file has every solver of the list solve one problem.

import (
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
		if gap, err := mapsolver.Certify(p, &s); err != nil || gap > 1e-9*Largest(p) {
			t.Errorf("%s: gap %v, %v", info.Name, gap, err)
		}
		if i == 0 {
			want = s
		} else if !Agrees(want.Cost, s.Cost, Largest(p)) {
			t.Errorf("%s: cost %v, %s found %v", info.Name, s.Cost, All[0].Name, want.Cost)
		}
		if name := NameOf(info.Name, solver); name != info.Name && name != "ssp" {
			t.Errorf("%s calls itself %s", info.Name, name)
		}
		if counted := meter != nil; counted != (info.Name == "fpga") || counted && meter.Sum().Problems != 1 {
			t.Errorf("%s: meter %v", info.Name, meter)
		}
	}
	if _, err := Named("dens"); cli.ExitStatus(err) != cli.ExitUsage || cli.HintOf(err) != "did you mean dense?" {
		t.Errorf("error %v, hint %q", err, cli.HintOf(err))
	}
}

func TestAgrees(t *testing.T) {
	for _, tt := range []struct {
		stated, found, size float64
		want                bool
	}{{1, 1, 1, true}, {1, 1 + 1e-12, 1, true}, {1, 1.001, 1, false}, {0, 1e-7, 1000, true}, {0, 1e-5, 1000, false}} {
		if got := Agrees(tt.stated, tt.found, tt.size); got != tt.want {
			t.Errorf("Agrees(%v, %v, %v) = %t", tt.stated, tt.found, tt.size, got)
		}
	}
}
