package bench

// This file runs the benchmarks of sparse and small assignment problems.

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"mtt/internal/nightly"
	"mtt/mapsolver/lapfile"
)

// TestBenchLapSparse solves small problems of every kind.
func TestBenchLapSparse(t *testing.T) {
	b := tinyBench(1)
	b.Targets, b.Seeds, b.Save = 24, 1, t.TempDir()
	rows, err := benchLapSparse(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(sparseCases()) {
		t.Fatalf("%d rows, want %d", len(rows), len(sparseCases()))
	}
	checkKept(t, named("lap-sparse"), rows, true)
	for _, r := range rows {
		if gap := value(t, r, "duality_gap"); !(math.Abs(gap) < 1e-9) {
			t.Errorf("gap %v in %v", gap, r)
		}
		if x := value(t, r, "cpu_ms"); !(x > 0) || x > 1000 {
			t.Errorf("%v ms in %v", x, r)
		}
	}
	kept, err := lapfile.List(b.Save)
	if err != nil || len(kept) != len(sparseCases()) {
		t.Fatalf("%d of %d problems kept, %v", len(kept), len(sparseCases()), err)
	}
	for i := range kept {
		if p, err := kept[i].Read(&lapfile.Options{}); err != nil || p.Rows != 24 {
			t.Errorf("%s: %v", kept[i].Name, err)
		}
	}
}

// benchData is the folder of development data beside the checkout.
func benchData(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MTT_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "data")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the development data is not here: ", err)
	}
	return dir
}

// TestBenchLapBatch solves a few tiny problems, and the archives where they are:
// the sums are those of SciPy 1.10, which their README gives.
func TestBenchLapBatch(t *testing.T) {
	b := tinyBench(2)
	b.Seeds = 1
	b.Data = t.TempDir()
	rows, err := benchLapBatch(t.Context(), b)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d rows, want 1; %v", len(rows), err)
	}
	checkKept(t, named("lap-batch"), rows, false)
	if x := value(t, rows[0], "per_cpu_s"); !(x > 0) {
		t.Errorf("%v problems a second", x)
	}

	if !nightly.Is() {
		return // mtt lap solves the archives by day
	}
	b.Data = benchData(t)
	if rows, err = benchLapBatch(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		infeasible int
		sum        float64
	}{{716, -22_606_082}, {0, -2_408_865}, {0, -4_682_803}, {0, -457_017}}
	for i, r := range rows[1:] {
		infeasible := 0
		for _, f := range r {
			if f.Key == "infeasible" {
				infeasible = f.Value.(int)
			}
		}
		if sum := value(t, r, "objective"); sum != want[i].sum || infeasible != want[i].infeasible {
			t.Errorf("%s: sum %v and %d infeasible, want %v and %d", batchArchives[i], sum, infeasible, want[i].sum, want[i].infeasible)
		}
	}
}
