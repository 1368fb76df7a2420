package mtt_test

// This file keeps "What a stranger touches" of CONTRIBUTING.md true: for an example of each row
// it looks where the code names it, which is its own file and one line of a list.

import (
	"bufio"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"mtt/association"
	"mtt/costgen"
	"mtt/motion"
	"mtt/scenario"
)

// strangers are an example of each row: the file where it lives, what the code calls it elsewhere,
// the file of the list, and those that are about this very one.
var strangers = map[string]struct {
	own, called, list string
	about             string
}{
	"solver":       {"mapsolver/auction/auction.go", `mapsolver/auction"`, "internal/solvers/solvers.go", "internal/measure/hungarian.go"},
	"cost":         {"costgen/trapezoid.go", `costgen\.Trapezoid\{`, "association/options.go", "association/learn/learn.go"}, // the first pilot has it
	"scene":        {"scenario/drift.go", `\bstartDrift\b`, "scenario/kind.go", ""},
	"sensor":       {"sensor/boxes.go", `\bnewBoxes\b`, "sensor/kinds.go", ""},
	"gate":         {"gating/gate.go", `gating\.Disc\{Epsilon: v`, "internal/task/gate.go", ""},
	"metric":       {"metrics/clear.go", `"motp"`, "metrics/rows.go", ""},
	"importer":     {"dataset/kitti.go", `\breadKITTI\b`, "dataset/read.go", ""},
	"benchmark":    {"internal/bench/lag.go", `\bbenchLag\b`, "internal/bench/bench.go", ""},
	"reproduction": {"internal/reproduce/sas.go", `\breproduceFig11\b`, "internal/reproduce/reproduce.go", ""},
	"subcommand":   {"cmd/mtt/score.go", `\bnewScoreCommand\b`, "cmd/mtt/commands.go", ""},
}

func TestStrangers(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## What a stranger touches\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := regexp.MustCompile(`(?m)^\| (\w+) +\| 1 \+ 1 line \|`).FindAllStringSubmatch(section, -1)
	if len(rows) != len(strangers)+1 { // motion, which TestOwnMotion tests
		t.Errorf("%d rows, %d examples", len(rows), len(strangers))
	}
	lines := goLines(t)
	for _, row := range rows {
		s, ok := strangers[row[1]]
		if !ok {
			if row[1] != "motion" {
				t.Errorf("no example of a %s", row[1])
			}
			continue
		}
		if lines[s.own] == nil {
			t.Errorf("%s: there is no %s", row[1], s.own)
		}
		called, listed := regexp.MustCompile(s.called), 0
		for file, list := range lines {
			for _, line := range list {
				switch {
				case !called.MatchString(line) || file == s.own || file == s.about:
				case file == s.list:
					listed++
				default:
					t.Errorf("%s: %s names it, too: %s", row[1], file, line)
				}
			}
		}
		if listed != 1 {
			t.Errorf("%s: %d lines of %s name it, want 1", row[1], listed, s.list)
		}
	}
}

// goLines are the lines of code, without comments, of all files of Go but tests.
func goLines(t *testing.T) map[string][]string {
	lines := make(map[string][]string)
	err := filepath.WalkDir(".", func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			code, _, _ := strings.Cut(s.Text(), "// ")
			lines[filepath.ToSlash(path)] = append(lines[filepath.ToSlash(path)], code)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// ownMotion and ownCost are a stranger's: the built-in ones by another name.
type (
	ownMotion struct{ motion.Velocity }
	ownCost   struct{ *costgen.Trapezoid }
)

func (ownMotion) Name() string { return "own" }

// TestOwnMotion: a motion and a cost of somebody's own work like built-in ones, with nothing
// changed in this module.
func TestOwnMotion(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Targets: 10, Frames: 12, Noise: 0.05, VelocityNoise: 0.05, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	prices := costgen.Ends{Birth: 10, Death: 10, Clutter: 20, Miss: 5}
	for name, pair := range map[string][2]association.Options{
		"motion": {{Sigma: 0.05, SigmaV: 0.05, Motion: motion.Velocity{}}, {Sigma: 0.05, SigmaV: 0.05, Motion: ownMotion{}}},
		"cost":   {{Model: &costgen.Trapezoid{Prices: prices}}, {Model: ownCost{&costgen.Trapezoid{Prices: prices}}}},
	} {
		built, err := association.Track(t.Context(), scene.Scans, &pair[0])
		if err != nil {
			t.Fatal(err)
		}
		own, err := association.Track(t.Context(), scene.Scans, &pair[1])
		if err != nil {
			t.Fatal(err)
		}
		if len(own.Tracks) < 10 || !reflect.DeepEqual(own.Tracks, built.Tracks) {
			t.Errorf("%s: %d tracks of one's own, %d of the one that is built in, not the same", name, len(own.Tracks), len(built.Tracks))
		}
	}
}
