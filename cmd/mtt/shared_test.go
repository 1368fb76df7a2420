package main

// This file runs the command for other tests, and on the development data, where that is present.

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtt/internal/cli"
)

// sharedData is the folder of development data beside the checkout.
func sharedData(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MTT_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	dir, err := filepath.Abs(filepath.Join(dir, "data"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the development data is not here: ", err)
	}
	return dir
}

// results runs a command line and returns its JSON object.
func results(t *testing.T, args ...string) map[string]any {
	t.Helper()
	var stdout, stderr strings.Builder
	args = append([]string{"mtt"}, append(args, "--format", "json")...)
	if status := run(t.Context(), args, nil, &stdout, &stderr); status != cli.ExitDone {
		t.Fatalf("%v: exit status %d: %s", args, status, &stderr)
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(stdout.String()), &object); err != nil {
		t.Fatalf("%v: %v in %q", args, err, &stdout)
	}
	return object
}

// commands runs command lines one after the other.
func commands(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		var stderr strings.Builder
		if status := run(t.Context(), strings.Fields(line), nil, io.Discard, &stderr); status != cli.ExitDone {
			t.Fatalf("%s: exit status %d: %s", line, status, &stderr)
		}
	}
}

// TestPublishedScores scores a tracker's result on TUD-Campus against the values
// that the MOTChallenge development kit publishes for it.
func TestPublishedScores(t *testing.T) {
	dir := filepath.Join(sharedData(t), "mot15", "TUD-Campus")
	got := results(t, "score", "--truth", filepath.Join(dir, "gt", "gt.txt"), "--tracks", filepath.Join(dir, "res", "res.txt"))
	want := map[string]float64{"mota": 52.6, "idf1": 55.8, "fp": 13, "fn": 150, "idsw": 7, "frag": 7}
	for key, w := range want {
		if g, ok := got[key].(float64); !ok || math.Abs(g-w) > 0.05 {
			t.Errorf("%s = %v, want %v", key, got[key], w)
		}
	}
}

// TestMOT16Scores scores a result on MOT16-11, whose ground truth has distractors,
// against what TrackEval computes.
func TestMOT16Scores(t *testing.T) {
	dir := filepath.Join(sharedData(t), "mot15", "MOT16-11")
	got := results(t, "score", "--truth", filepath.Join(dir, "gt", "gt.txt"), "--tracks", filepath.Join(dir, "res", "res.txt"))
	want := map[string]float64{
		"mota": 53.82603008502289, "idf1": 54.62247024810058, "hota": 45.375067241955,
		"fp": 363, "fn": 3838, "idsw": 35, "frag": 38,
	}
	for key, w := range want {
		if g, ok := got[key].(float64); !ok || math.Abs(g-w) > 1e-9 {
			t.Errorf("%s = %v, want %v", key, got[key], w)
		}
	}
}

// TestImportShared imports real files of every format and checks the counts that
// their README states.
func TestImportShared(t *testing.T) {
	dir := sharedData(t)
	t.Chdir(t.TempDir())
	tests := []struct {
		files   []string
		format  string
		targets float64 // 0: no truth
	}{
		{[]string{"mot15/TUD-Campus/det/det.txt"}, "mot", 0},
		{[]string{"mot15/PETS09-S2L1/gt/PETS2009-S2L1.xml"}, "pets", 19},
		{[]string{"pedestrians/seq_eth/obsmat.txt"}, "obsmat", 360},
		{[]string{"hermes/uo-050-180-180.txt"}, "hermes", 61},
	}
	for _, tt := range tests {
		args := []string{"import"}
		for _, f := range tt.files {
			args = append(args, filepath.Join(dir, filepath.FromSlash(f)))
		}
		got := results(t, args...)
		targets, _ := got["targets"].(float64)
		if got["read_as"] != tt.format || targets != tt.targets {
			t.Errorf("%v: read as %v with %v targets, want %s with %v", tt.files, got["read_as"], got["targets"], tt.format, tt.targets)
		}
	}
}
