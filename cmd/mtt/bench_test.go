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
		benchOptions: benchOptions{Seeds: 2}, first: 1, workers: workers, targets: 8, frames: 8,
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

// TestBenchmarks runs every benchmark that needs no files twice, with one worker
// and with two: the same rows but for times, with the same keys and scores between
// 0 and 100.
func TestBenchmarks(t *testing.T) {
	for _, b := range benchmarks {
		if b.name == "real" || b.name == "speed" {
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
