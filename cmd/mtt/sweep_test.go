package main

// This file tests that an interrupted sweep goes on where it stopped.

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mtt/internal/cli"
)

// sweepSample sweeps the sample into dir.
func sweepSample(t *testing.T, ctx context.Context, sample, dir string) int {
	t.Helper()
	var stdout, stderr strings.Builder
	status := run(ctx, []string{"mtt", "sweep", sample, "-o", dir, "--workers", "2"}, nil, &stdout, &stderr)
	if status != cli.ExitDone && status != cli.ExitInterrupted {
		t.Fatalf("exit status %d: %s", status, &stderr)
	}
	return status
}

// tasksKept counts the whole lines of a journal but the first.
func tasksKept(journal string) int {
	text, err := os.ReadFile(journal)
	if err != nil {
		return 0
	}
	return strings.Count(string(text), "\n") - 1
}

// TestSweepGoesOn interrupts a sweep after ever more scenes, and cuts its journal where a crash
// could: the end is always the same.
func TestSweepGoesOn(t *testing.T) {
	sample, err := filepath.Abs("../../testdata/sweep.toml")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	sweepSample(t, t.Context(), sample, "whole")
	want, err := os.ReadFile("whole/sweep.csv")
	if err != nil {
		t.Fatal(err)
	}
	journal, err := os.ReadFile("whole/shard-1-of-1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	check := func() {
		t.Helper()
		sweepSample(t, t.Context(), sample, "part")
		for name, want := range map[string][]byte{"part/sweep.csv": want, "part/shard-1-of-1.jsonl": journal} {
			if got, err := os.ReadFile(name); err != nil || string(got) != string(want) {
				t.Fatalf("%s differs from that of a sweep without a break: %v", name, err)
			}
		}
		if err := os.RemoveAll("part"); err != nil {
			t.Fatal(err)
		}
	}
	for want := 1; want < 6; want += 2 {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { // ends it when want tasks are done
			for ctx.Err() == nil {
				if tasksKept("part/shard-1-of-1.jsonl") >= want {
					cancel()
				}
			}
		}()
		sweepSample(t, ctx, sample, "part")
		cancel()
		if got := tasksKept("part/shard-1-of-1.jsonl"); got < want {
			t.Fatalf("%d finished tasks are kept, want %d", got, want)
		}
		check()
	}
	head := strings.IndexByte(string(journal), '\n') + 1
	for _, cut := range []int{head - 1, head, head + 1, len(journal) / 2, len(journal) - 2} {
		if err := os.MkdirAll("part", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("part/shard-1-of-1.jsonl", journal[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		check()
	}
}

// TestSweepAsRun sweeps scenes of which a tracker is to know more than detections, or find more than tracks: it says what mtt run
// says.
func TestSweepAsRun(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, options := range []string{
		"sensor=pair targets=8 frames=12", "sensor=polar targets=8 frames=12", "scene=cells divisions=true targets=8 frames=12 miss=0.05", "scene=burst targets=8 frames=2 jitter=0.4",
	} {
		args, file := []string{"mtt", "run", "--gates", "none", "--format", "json", "-o", "run"}, ""
		for word := range strings.FieldsSeq(options) {
			args = append(args, "--"+word)
			name, value, _ := strings.Cut(word, "=")
			file += name + " = " + strconv.Quote(value) + "\n"
		}
		var stdout, stderr strings.Builder
		if status := run(t.Context(), args, nil, &stdout, &stderr); status != cli.ExitDone {
			t.Fatalf("%s: exit status %d: %s", options, status, &stderr)
		}
		var one struct{ Track, Score map[string]any }
		if err := json.Unmarshal([]byte(stdout.String()), &one); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("sweep.toml", []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
		os.RemoveAll("swept")
		sweepSample(t, t.Context(), "sweep.toml", "swept")
		text, err := os.ReadFile("swept/sweep.csv")
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for c, key := range rows[0] {
			want, ok := one.Track[key].(float64)
			if !ok {
				want, ok = one.Score[key].(float64)
			}
			if got, err := strconv.ParseFloat(rows[1][c], 64); ok && (err != nil || got != want) {
				t.Errorf("%s: %s is %s, of mtt run %v", options, key, rows[1][c], want)
			}
		}
	}
}
