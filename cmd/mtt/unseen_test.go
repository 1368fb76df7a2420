package main

// This file tracks scenes with frames that nobody looked at.

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"mtt/internal/cli"
)

// TestUnseenFrames: targets that were looked at in every first to fourth frame are followed as if all frames
// had been, and every later command knows of the same scans.
func TestUnseenFrames(t *testing.T) {
	t.Chdir(t.TempDir())
	const targets = 15
	rng := rand.New(rand.NewPCG(3, 1))
	var x, v [targets][2]float64
	for i := range x {
		x[i], v[i] = [2]float64{100 * rng.Float64(), 100 * rng.Float64()}, [2]float64{rng.NormFloat64(), rng.NormFloat64()}
	}
	var b strings.Builder
	b.WriteString("frame,id,x,y\n")
	seen := 0
	for frame, next := 0, 0; seen < 20; frame++ {
		for i := range x {
			x[i][0], x[i][1] = x[i][0]+v[i][0], x[i][1]+v[i][1]
		}
		if frame < next {
			continue
		}
		next = frame + 1 + rng.IntN(4)
		seen++
		for _, i := range rng.Perm(targets) {
			if rng.IntN(20) > 0 {
				fmt.Fprintf(&b, "%d,%d,%.3f,%.3f\n", frame, i, x[i][0]+.2*rng.NormFloat64(), x[i][1]+.2*rng.NormFloat64())
			}
		}
	}
	if err := os.WriteFile("seen.csv", []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	commands(t, "mtt track seen.csv -o run --no-report", "mtt score run", "mtt report run", "mtt import run/detections.csv -o again",
		"mtt track seen.csv -o windows --window 6 --no-report")
	var score struct{ MMEP float64 }
	if text, err := os.ReadFile("run/score.json"); err != nil || json.Unmarshal(text, &score) != nil {
		t.Fatalf("score.json: %v, %s", err, text)
	}
	if score.MMEP > 1 {
		t.Errorf("MMEP %.1f %%", score.MMEP)
	}
	for _, run := range []string{"run", "windows", "again"} {
		if run != "again" { // which has no tracks
			if v, status := verified(t, run, "--recompute"); status != cli.ExitDone || !v.Valid {
				t.Errorf("%s: exit status %d: %+v", run, status, v)
			}
		}
		meta, err := os.ReadFile(run + "/run.toml")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(meta), "\nunseen_frames = [") {
			t.Errorf("%s: run.toml knows no frames that nobody looked at", run)
		}
	}
}
