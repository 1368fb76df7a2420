package main

// This file runs the benchmarks on tiny scenes.

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tinyBench is a run of few targets in few frames.
func tinyBench(workers int) *bench {
	return &bench{
		benchOptions: benchOptions{Seeds: 2}, first: 1, workers: workers, targets: 8, frames: 8, rows: 20,
		note: func(string, ...any) {}, step: func(string) {},
	}
}

// value is the number of a field of r.
func value(t *testing.T, r record, key string) float64 {
	t.Helper()
	for _, f := range r {
		if f.key == key {
			return f.value.(float64)
		}
	}
	t.Fatalf("no field %q in %v", key, r)
	return 0
}

// untimed is the rows without times.
func untimed(rows []record) []record {
	list := make([]record, len(rows))
	for i, r := range rows {
		for _, f := range r {
			if f.key != "seconds" && f.key != "cpu_seconds" && f.key != "microseconds" {
				list[i] = append(list[i], f)
			}
		}
	}
	return list
}

// TestBenchmarks runs every benchmark that needs no files and takes no time twice, with
// one worker and with two: the same rows but for times, with the same keys and scores
// between 0 and 100.
func TestBenchmarks(t *testing.T) {
	for _, b := range benchmarks {
		if b.name == "real" || b.name == "speed" || b.name == "scale" || b.name == "distribution" || b.name == "xlap" || strings.HasPrefix(b.name, "lap") && b.name != "lap-corpus" {
			continue
		}
		rows, err := b.run(t.Context(), tinyBench(1))
		if err != nil {
			t.Fatalf("%s: %v", b.name, err)
		}
		again, err := b.run(t.Context(), tinyBench(2))
		if err != nil {
			t.Fatalf("%s: %v", b.name, err)
		}
		var first, second strings.Builder
		for out, rows := range map[*strings.Builder][]record{&first: rows, &second: again} {
			if err := (&printer{w: out, format: "csv"}).printRows(untimed(rows)); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(first.String(), second.String()); diff != "" {
			t.Errorf("%s: one worker and two disagree:\n%s", b.name, diff)
		}
		if lines := strings.Count(first.String(), "\n"); lines != len(rows)+1 {
			t.Errorf("%s: %d lines for %d rows: the keys differ", b.name, lines, len(rows))
		}
		for _, r := range rows {
			for _, key := range []string{"mmep", "mmep_min", "mmep_max", "itcp", "gap", "gap_max"} {
				for _, f := range r {
					if v, ok := f.value.(float64); f.key == key && (!ok || v < 0 || v > 100) {
						t.Errorf("%s: %s is %v", b.name, key, f.value)
					}
				}
			}
		}
	}
}

// TestBenchScale solves tiny arenas: proved optimal, with the numbers of the scene.
func TestBenchScale(t *testing.T) {
	rows, err := benchScale(t.Context(), tinyBench(2))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(scaleCases) {
		t.Errorf("%d rows for %d cases", len(rows), len(scaleCases))
	}
	for _, r := range rows {
		if gap := value(t, r, "gap"); gap != 0 {
			t.Errorf("gap %v in %v", gap, r)
		}
		if us := value(t, r, "arc_us"); !(us > 0) {
			t.Errorf("%v us for an arc", us)
		}
	}
	var figure strings.Builder
	if err := scaleFigure(rows).Encode(&figure, "svg"); err != nil || !strings.Contains(figure.String(), "for each arc") {
		t.Errorf("figure of %d bytes: %v", figure.Len(), err)
	}
}

// TestBenchGap finds our scheme at least as close as the published one.
func TestBenchGap(t *testing.T) {
	rows, err := benchGap(t.Context(), tinyBench(2))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(rows); i += 2 {
		if ours, theirs := value(t, rows[i], "gap"), value(t, rows[i+1], "gap"); ours > theirs+1e-9 {
			t.Errorf("row %d: gap %v %%, published scheme %v %%", i, ours, theirs)
		}
	}
}

func TestBenchSpeed(t *testing.T) {
	rows, err := benchSpeed(t.Context(), tinyBench(1))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(speedCases) {
		t.Fatalf("%d rows, want %d", len(rows), len(speedCases))
	}
	for _, key := range []string{"simulate", "estimate", "gate", "cost", "solve", "track", "score", "draw", "peak_rss_mb"} {
		if v := value(t, rows[0], key); !(v > 0) || v > 1e5 {
			t.Errorf("%s is %v", key, v)
		}
	}
}

// TestBenchDistribution times tiny scenes in all forms, which agree.
func TestBenchDistribution(t *testing.T) {
	rows, err := benchDistribution(t.Context(), tinyBench(1))
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(distributionCases) {
		t.Errorf("%d rows for %d cases", len(rows), len(distributionCases))
	}
	for _, r := range rows {
		for _, key := range []string{"cube", "csr_coo", "stored", "ours", "dense_laps", "distribution_x", "ours_x"} {
			if v := value(t, r, key); !(v > 0) {
				t.Errorf("%s is %v", key, v)
			}
		}
	}
}

// TestBenchXLAP wants every solver to find every optimum, and prices of the pass
// before to save augmentations.
func TestBenchXLAP(t *testing.T) {
	b := tinyBench(1)
	b.targets, b.frames = 30, 10
	rows, err := benchXLAP(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	cold, warm := 0.0, 0.0
	for _, r := range rows {
		if r[6].key != "wrong" || r[6].value != 0 || r[5].value == 0 {
			t.Errorf("%v problems, %v wrong in %v", r[5].value, r[6].value, r)
		}
		switch r[4].value {
		case "nothing":
			cold += value(t, r, "augmented")
		case "pass before":
			warm += value(t, r, "augmented")
		}
	}
	if !(warm < cold) {
		t.Errorf("%v augmentations from the pass before, %v from nothing", warm, cold)
	}
}

// TestBenchLap solves small matrices of every kind, keeps them, and solves those
// it kept with mtt lap.
func TestBenchLap(t *testing.T) {
	b := tinyBench(1)
	b.Save = filepath.Join(t.TempDir(), "kept")
	rows, err := benchLap(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(lapCases()) {
		t.Fatalf("%d rows, want %d", len(rows), len(lapCases()))
	}
	for _, r := range rows {
		if gap := value(t, r, "duality_gap"); !(math.Abs(gap) < 1e-9) {
			t.Errorf("gap %v in %v", gap, r)
		}
		if peer := value(t, r, "peer_cpu"); !(peer > 0) {
			t.Errorf("no peer in %v", r)
		}
	}
	var stdout, stderr strings.Builder
	if status := run(t.Context(), []string{"mtt", "lap", b.Save, "--format", "csv"}, nil, &stdout, &stderr); status != exitDone {
		t.Fatalf("exit status %d: %s", status, stderr.String())
	}
	if got, want := strings.Count(stdout.String(), ",optimal,"), b.Seeds*len(lapCases()); got != want {
		t.Errorf("%d of %d matrices solved", got, want)
	}
	b.Sizes = []float64{1024}
	if rows, err = benchLap(t.Context(), b); err != nil || len(rows) != 4 {
		t.Errorf("%d rows of size 1024, want 4; %v", len(rows), err)
	}
}

// TestReproduceTable1 wants a row for every count of the paper that is repeated,
// and a line through them.
func TestReproduceTable1(t *testing.T) {
	rows, figure, err := reproduceTable1(t.Context(), tinyBench(2))
	if err != nil {
		t.Fatal(err)
	}
	if want := reproductions[0].cases; len(rows) != want {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	if len(figure.Panels) != 2 || len(figure.Legend) != len(table1.classes) {
		t.Errorf("%d panels and %d names, want 2 and %d", len(figure.Panels), len(figure.Legend), len(table1.classes))
	}
	if err := figure.Encode(io.Discard, "svg"); err != nil {
		t.Error(err)
	}
	cube := []scanCount{{n: 10, published: 40}, {n: 20, published: 320}, {n: 40, published: 2560}}
	if power := growthPower(cube, func(c *scanCount) float64 { return c.published }); !(math.Abs(power-3) <= 1e-12) {
		t.Errorf("the power of 40, 320, 2560 at 10, 20, 40 is %v, want 3", power)
	}
}

// TestTable1 compares the published counts with the exponents of the fits that
// stand below them in the paper, up to n = 32000 and with more weight on large n.
func TestTable1(t *testing.T) {
	for name, part := range map[string]struct {
		rows  [][]float64
		power []float64
	}{
		"epsilon": {table1.priced, []float64{1, 1.300, 1.283, 1.360, 1.028, 1.343, 1.246, 1.223}},
		"none":    {table1.plain, []float64{2, 1.515, 1.494, 2.003, 2, 2.001, 1.978, 1.840}},
	} {
		if len(part.rows) != len(table1.sizes) {
			t.Fatalf("%s: %d sizes", name, len(part.rows))
		}
		for k, class := range table1.classes {
			var counts []scanCount
			for i, n := range table1.sizes {
				counts = append(counts, scanCount{n: n, published: part.rows[i][k]})
			}
			if got := growthPower(counts, func(c *scanCount) float64 { return c.published }); math.Abs(got-part.power[k]) > 0.1 {
				t.Errorf("%s, %s: power %.3f, the paper fits %v", name, class, got, part.power[k])
			}
		}
	}
}

// TestBenchReal makes one recording of the list, and wants to be told of the
// others.
func TestBenchReal(t *testing.T) {
	b := tinyBench(1)
	b.Data = t.TempDir()
	dir := filepath.Join(b.Data, "mot15", "TUD-Campus")
	for file, sample := range map[string]string{"det/det.txt": "det.txt", "gt/gt.txt": "gt.txt"} {
		data, err := os.ReadFile(filepath.Join("testdata", "samples", sample))
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	missing := 0
	b.note = func(string, ...any) { missing++ }
	rows, err := benchReal(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 4 || missing != len(realCases)-1 {
		t.Fatalf("%d rows and %d missing recordings, want 4 and %d", len(rows), missing, len(realCases)-1)
	}
	if mota, limit := value(t, rows[0], "mota"), value(t, rows[0], "mota_bar"); math.IsNaN(mota) || limit != value(t, rows[3], "mota") {
		t.Errorf("mota %v with the bar %v; gnn has %v", mota, limit, value(t, rows[3], "mota"))
	}
	if v := value(t, rows[1], "idf1_bar"); !math.IsNaN(v) {
		t.Errorf("the second row has the bar %v", v)
	}
}

// TestBenchInterrupted ends early and says so.
func TestBenchInterrupted(t *testing.T) {
	s := newSession([]string{"mtt"}, nil, io.Discard, io.Discard)
	s.configure()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	err := runBench(ended, s, &benchOptions{Seeds: 1}, []string{"gap"})
	if exitStatus(err) != exitInterrupted {
		t.Errorf("error %v, want an interrupt", err)
	}
}
