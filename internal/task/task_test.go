package task

// This file goes through the steps without a command: simulate, track, score, draw.

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
)

// newSession is a run of no command.
func newSession(t *testing.T) *cli.Session {
	t.Helper()
	app := &cli.App{Name: "test", Write: runfolder.WriteFile}
	return cli.NewSession(app, []string{"test"}, nil, io.Discard, os.Stderr)
}

// simulated is what mtt run begins with: a scene that is simulated by some settings, and the
// options of the steps that follow.
func simulated(t *testing.T, s *cli.Session, settings map[string]string) (c *cli.Command, folder *runfolder.Folder, sc *Scene, track *TrackOptions, score *ScoreOptions) {
	t.Helper()
	options, simulate, track, score := BindRun()
	for name, text := range settings {
		if err := cli.Find(options, name).Set(text); err != nil {
			t.Fatal(err)
		}
	}
	c = &cli.Command{Name: "run", Options: options}
	folder, sc, err := Simulate(t.Context(), s, c, simulate)
	if err != nil {
		t.Fatal(err)
	}
	return c, folder, sc, track, score
}

// value is that of a field of r, nil when there is none.
func value(r cli.Record, key string) any {
	for _, f := range r {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

func TestSteps(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newSession(t)
	s.Common.Quiet = true
	c, folder, sc, track, score := simulated(t, s, map[string]string{"targets": "8", "frames": "10", "miss": "0.05", "scene": "arena"})
	var counts cli.Record
	sc.Counts(&counts)
	if value(counts, "targets") != 8 || value(counts, "frames") != 10 || value(counts, "clutter") != 0 {
		t.Errorf("counts %v", counts)
	}
	solved, err := Track(t.Context(), s, c, track, folder, sc, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := value(solved.Record, "tracks"); got != len(solved.Tracks) || got == 0 {
		t.Errorf("%v tracks, the result has %d", got, len(solved.Tracks))
	}
	tracks, err := LoadTracks(folder.Path(runfolder.TracksFile))
	if err != nil || len(tracks) != len(solved.Tracks) {
		t.Fatalf("%d tracks read, %v", len(tracks), err)
	}
	scores, _, err := ScoreScene(t.Context(), s, c, score, track, folder, sc, tracks, solved.Result)
	if err != nil {
		t.Fatal(err)
	}
	if mmep, ok := value(scores, "mmep").(float64); !ok || mmep < 0 || mmep > 100 {
		t.Errorf("mmep %v", value(scores, "mmep"))
	}
	for _, name := range []string{runfolder.SolveFile, runfolder.CertificateFile, runfolder.ScoreFile, runfolder.PlotsDir} {
		if !folder.Has(name) {
			t.Errorf("%s is not there", name)
		}
	}
	var file struct {
		Version, Command string
		Options          map[string]any
	}
	text, err := os.ReadFile(folder.Path(runfolder.SolveFile))
	if err != nil || json.Unmarshal(text, &file) != nil || file.Command != "run" || file.Options["targets"] != 8.0 {
		t.Errorf("%v in %s", err, text)
	}

	if err := Finish(folder, nil); err != nil {
		t.Fatal(err)
	}

	// The same folder read again is the same scene, and remembers how it was tracked.
	again, err := OpenRun(folder.Dir)
	if err != nil {
		t.Fatal(err)
	}
	read, err := LoadScene(t.Context(), again)
	if err != nil || len(read.Scans) != len(sc.Scans) || len(read.Truth) != len(sc.Truth) {
		t.Fatalf("%v", err)
	}
	with, err := TrackedWith(again)
	if err != nil || with.engine != track.engine || with.memoryLimit != track.memoryLimit {
		t.Errorf("tracked with %+v, %v", with, err)
	}
}

// TestFileSum sums no file once the context has ended.
func TestFileSum(t *testing.T) {
	name := filepath.Join(t.TempDir(), "abc")
	if err := os.WriteFile(name, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	if sum, err := FileSum(t.Context(), name); err != nil || sum[0] != 0xba || sum[31] != 0xad { // FIPS 180-4
		t.Errorf("%x, %v", sum, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FileSum(ended, name); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after the end of the context", err)
	}
}

// TestFaults names what is wrong with the files that were named.
func TestFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("bad.csv", []byte("frame,track\nx\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, noRun := OpenRun("nowhere")
	_, noFile := LoadTracks("nothing.csv")
	_, bad := LoadTracks("bad.csv")
	for want, err := range map[string]error{
		"run folder nowhere does not exist": noRun, "nothing.csv does not exist": noFile, "bad.csv:": bad,
	} {
		if err == nil || cli.ExitStatus(err) != cli.ExitUsage || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if hint := cli.HintOf(noRun); !strings.Contains(hint, "mtt simulate") {
		t.Errorf("hint %q", hint)
	}
}

func TestGateOption(t *testing.T) {
	o := NewTrackOptions()
	gate := cli.Find(o.Bind(), "gate")
	for _, text := range []string{"auto", "mahalanobis:25", "disc:3", "ball:1.5"} {
		if err := gate.Set(text); err != nil || gate.Value() != text {
			t.Errorf("--gate %s: value %s, %v", text, gate.Value(), err)
		}
	}
	for _, text := range []string{"", "disc", "disc:0", "disc:x", "dics:3"} {
		if err := gate.Set(text); err == nil {
			t.Errorf("--gate %q is taken", text)
		}
	}
}

// TestLatencyFields finds the values below which half, 99 in 100 and all steps are.
func TestLatencyFields(t *testing.T) {
	var seconds []float64
	for i := range 200 {
		seconds = append(seconds, float64(200-i)/1000)
	}
	r := LatencyFields(seconds)
	if value(r, "median") != 100.0 || value(r, "p99") != 198.0 || value(r, "max") != 200.0 {
		t.Errorf("%v", r)
	}
	if none, ok := value(LatencyFields(nil), "p99").(float64); !ok || !math.IsNaN(none) {
		t.Errorf("%v of no step", none)
	}
}
