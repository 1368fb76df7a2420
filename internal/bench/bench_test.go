package bench

// This file runs the benchmarks on tiny scenes.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/nightly"
	"mtt/mapsolver"
	"mtt/mapsolver/lapfile"
	"mtt/mapsolver/ssp"
)

// tinyBench is a run of few targets in few frames.
func tinyBench(workers int) *measure.Run {
	return &measure.Run{
		Options: measure.Options{Seeds: 2}, First: 1, Workers: workers, Targets: 8, Frames: 8, Rows: 20,
		Note: func(string, ...any) {}, Step: func(string) {},
	}
}

// value is the number of a field of r.
func value(t *testing.T, r cli.Record, key string) float64 {
	t.Helper()
	for _, f := range r {
		if f.Key == key {
			return f.Value.(float64)
		}
	}
	t.Fatalf("no field %q in %v", key, r)
	return 0
}

// named is the benchmark of that name.
func named(name string) *Benchmark {
	return &All[slices.IndexFunc(All, func(b Benchmark) bool { return b.Name == name })]
}

// untimed is the rows of b without what varies.
func untimed(b *Benchmark, rows []cli.Record) []cli.Record {
	list := make([]cli.Record, len(rows))
	for i, r := range rows {
		for _, f := range r {
			if !slices.Contains(b.Varies, f.Key) {
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
	for _, b := range All {
		if slices.Contains(words("real kinds speed scale distribution xlap"), b.Name) || strings.HasPrefix(b.Name, "lap") && b.Name != "lap-corpus" {
			continue
		}
		if testing.Short() && b.Name != "accuracy" && b.Name != "filters" {
			continue // enough for the race detector
		}
		one, two := tinyBench(1), tinyBench(2)
		switch b.Name {
		case "lap-corpus": // every solver solves all problems of a scan
			one.Frames, two.Frames = 3, 3
		case "lag", "filters", "pmbm", "sensors", "drawn", "probabilities": // each scene is tracked many times
			one.Targets, one.Frames, two.Targets, two.Frames = 4, 5, 4, 5
		}
		rows, err := b.Run(t.Context(), one)
		if err != nil {
			t.Fatalf("%s: %v", b.Name, err)
		}
		again := rows
		if b.Name != "drawn" || nightly.Is() { // eighty trackings, most of which learn levels
			again, err = b.Run(t.Context(), two)
		}
		if err != nil {
			t.Fatalf("%s: %v", b.Name, err)
		}
		var first, second strings.Builder
		for out, rows := range map[*strings.Builder][]cli.Record{&first: rows, &second: again} {
			if err := (&cli.Printer{W: out, Format: "csv"}).PrintRows(untimed(&b, rows)); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(first.String(), second.String()); diff != "" {
			t.Errorf("%s: one worker and two disagree:\n%s", b.Name, diff)
		}
		if lines := strings.Count(first.String(), "\n"); lines != len(rows)+1 {
			t.Errorf("%s: %d lines for %d rows: the keys differ", b.Name, lines, len(rows))
		}
		checkKept(t, &b, rows, true)
		for _, r := range rows {
			for _, key := range []string{"mmep", "mmep_min", "mmep_max", "itcp", "gap", "gap_max"} {
				for _, f := range r {
					if v, ok := f.Value.(float64); f.Key == key && (!ok || v < 0 || v > 100) {
						t.Errorf("%s: %s is %v", b.Name, key, f.Value)
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
	checkKept(t, named("scale"), rows, true)
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
	if err := ScaleFigure(rows).Encode(&figure, "svg"); err != nil || !strings.Contains(figure.String(), "for each arc") {
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
	checkKept(t, named("speed"), rows, true)
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
	checkKept(t, named("distribution"), rows, true)
	if len(rows) != len(measure.IterationSizes) {
		t.Errorf("%d rows for %d cases", len(rows), len(measure.IterationSizes))
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
	b.Targets, b.Frames = 30, 10
	rows, err := benchXLAP(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	checkKept(t, named("xlap"), rows, true)
	cold, warm := 0.0, 0.0
	for _, r := range rows {
		if r[6].Key != "wrong" || r[6].Value != 0 || r[5].Value == 0 {
			t.Errorf("%v problems, %v wrong in %v", r[5].Value, r[6].Value, r)
		}
		switch r[4].Value {
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
// that it kept by another solver.
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
	checkKept(t, named("lap"), rows, true)
	for _, r := range rows {
		if gap := value(t, r, "duality_gap"); !(math.Abs(gap) < 1e-9) {
			t.Errorf("gap %v in %v", gap, r)
		}
		if peer := value(t, r, "elsewhere_cpu"); !(peer > 0) {
			t.Errorf("no peer in %v", r)
		}
	}
	kept, err := lapfile.List(b.Save)
	if err != nil {
		t.Fatal(err)
	}
	if want := b.Seeds * len(lapCases()); len(kept) != want {
		t.Errorf("%d of %d matrices kept", len(kept), want)
	}
	for i := range kept {
		p, err := kept[i].Read(&lapfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var s mapsolver.Solution
		if err := new(ssp.Solver).Solve(t.Context(), &s, p, nil); err != nil || p.Rows != 20 {
			t.Errorf("%s: %d rows, %v", kept[i].Name, p.Rows, err)
		}
	}
	b.Sizes = []float64{1024}
	if rows, err = benchLap(t.Context(), b); err != nil || len(rows) != 4 {
		t.Errorf("%d rows of size 1024, want 4; %v", len(rows), err)
	}
}

// TestBenchReal makes one recording of the list, and wants to be told of the
// others.
func TestBenchReal(t *testing.T) {
	b := tinyBench(1)
	b.Data = t.TempDir()
	dir := filepath.Join(b.Data, "mot15", "TUD-Campus")
	for file, sample := range map[string]string{"det/det.txt": "det.txt", "gt/gt.txt": "gt.txt"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "testdata", sample))
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
	b.Note = func(string, ...any) { missing++ }
	rows, err := benchReal(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 4 || missing != len(realCases)-1 {
		t.Fatalf("%d rows and %d missing recordings, want 4 and %d", len(rows), missing, len(realCases)-1)
	}
	checkKept(t, named("real"), rows, false)
	if mota, limit := value(t, rows[0], "mota"), value(t, rows[0], "mota_bar"); math.IsNaN(mota) || limit != value(t, rows[3], "mota") {
		t.Errorf("mota %v with the bar %v; gnn has %v", mota, limit, value(t, rows[3], "mota"))
	}
	if v := value(t, rows[1], "idf1_bar"); !math.IsNaN(v) {
		t.Errorf("the second row has the bar %v", v)
	}
}

// TestBenchProbabilitiesRecorded makes recordings of people who walk side by side, and wants them
// to be the last row: that of all links in every twelfth frame.
func TestBenchProbabilitiesRecorded(t *testing.T) {
	const people, frames = 4, 73
	b := tinyBench(1)
	b.Data, b.Targets, b.Frames = t.TempDir(), 3, 4
	var text strings.Builder
	for i := 1; i <= people; i++ {
		for f := range frames { // id, frame, x, y and z, cm
			fmt.Fprintf(&text, "%d %d %d %d 170\n", i, f+1, 100*i, 5*f)
		}
	}
	for k, file := range recordedDoubts.files {
		rows, err := benchProbabilities(t.Context(), b)
		if err != nil || len(rows) != len(probabilityCases) {
			t.Fatalf("%d rows with %d of the recordings: %v", len(rows), k, err)
		}
		name := filepath.Join(b.Data, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := benchProbabilities(t.Context(), b)
	if err != nil || len(rows) != len(probabilityCases)+1 {
		t.Fatalf("%d rows with the recordings: %v", len(rows), err)
	}
	checkKept(t, named("probabilities"), rows, false)
	last := rows[len(rows)-1]
	links := 0
	for _, f := range last {
		if f.Key == "links" {
			links = f.Value.(int)
		}
	}
	if want := b.Seeds * len(recordedDoubts.files) * people * (frames - 1) / recordedDoubts.read.Every; links != want {
		t.Errorf("%d links, want %d", links, want)
	}
	if wrong := value(t, last, "wrong"); wrong != 0 {
		t.Errorf("%v links of a recording are wrong where nobody meets", wrong)
	}
}

// TestBenchInterrupted ends early and says so.
func TestBenchInterrupted(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := benchGap(ended, tinyBench(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want an interrupt", err)
	}
}

// TestResiduals: the standard error of a bin is that of a ratio of sums over scenes, in which links
// are wrong together.
func TestResiduals(t *testing.T) {
	r := &residuals{of: []float64{1, -1, 2, -2}, n: []float64{4, 4, 8, 8}}
	mean, se, n := r.mean()
	if want := math.Sqrt(10.0*4/3) / 24; mean != 0 || n != 24 || math.Abs(se-want) > 1e-12 {
		t.Errorf("mean %v, standard error %v, n %v; want 0, %v, 24", mean, se, n, want)
	}
	shifted := &residuals{of: []float64{2, 2, 4, 4}, n: []float64{4, 4, 8, 8}}
	if mean, se, _ := shifted.mean(); mean != 0.5 || se != 0 {
		t.Errorf("mean %v, standard error %v where all scenes say the same", mean, se)
	}
	if _, se, _ := (&residuals{of: []float64{1}, n: []float64{4}}).mean(); !math.IsNaN(se) {
		t.Errorf("standard error %v of one scene", se)
	}
}
