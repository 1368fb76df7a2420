package main

// This file compares scores of exported tracks with those of TrackEval.

import (
	"encoding/json"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"mtt/internal/cli"
)

// TestTrackEval tracks the sample data set and exports results of MOTChallenge. TrackEval (12c8791)
// computed these values from the files that this writes, laid out as its own benchmark. Of the run
// folders, of the files and of both sequences together the scores are the same.
func TestTrackEval(t *testing.T) {
	samples, err := filepath.Abs(filepath.Join("..", "..", "testdata", "MOT"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	commands(t, "mtt import "+samples+" -o set", "mtt track set --quiet", "mtt export set --to mot -o results")
	want := map[string]map[string]float64{
		"set/square": {
			"mota": 88.88888888888889, "motp": 0.04540405056161223, "idf1": 94.11764705882352, "hota": 88.06212090423529,
			"deta": 87.46867167919801, "assa": 88.67842683632159, "loca": 95.49736258694278, "fn": 2, "frag": 2},
		"set/street": {
			"mota": 87.5, "motp": 0.045711729577446736, "idf1": 93.33333333333333, "hota": 85.99763751752715,
			"deta": 85.79854809437387, "assa": 86.21037679425837, "loca": 95.48186992472166, "fn": 3, "frag": 3},
		"COMBINED": {
			"mota": 88.09523809523809, "motp": 0.04557867919222103, "idf1": 93.67088607594937, "hota": 86.8893289467082,
			"deta": 86.51127819548871, "assa": 87.2854741275794, "loca": 95.48835309841834, "fn": 5, "frag": 5},
	}
	compare := func(name string, got map[string]any) {
		for key, w := range want[name] {
			if g, ok := got[key].(float64); !ok || math.Abs(g-w) > 1e-9 {
				t.Errorf("%s: %s = %v, want %v", name, key, got[key], w)
			}
		}
	}
	var stdout strings.Builder
	if status := run(t.Context(), []string{"mtt", "score", "set", "--quiet", "--format", "json"}, nil, &stdout, io.Discard); status != cli.ExitDone {
		t.Fatalf("mtt score set: exit status %d", status)
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	if len(lines) != len(want) {
		t.Fatalf("mtt score set prints %d lines, want %d", len(lines), len(want))
	}
	for _, line := range lines {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		compare(got["run"].(string), got)
	}
	for _, name := range []string{"square", "street"} {
		compare("set/"+name, results(t, "score", "--truth", filepath.Join(samples, name, "gt", "gt.txt"),
			"--tracks", filepath.Join("results", name+".txt")))
	}
}
