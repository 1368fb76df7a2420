package main

// This file tests the command against mtt, with worker processes that are real: the test binary
// started again.

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"mtt"
	"mtt/internal/cli"
	"mtt/internal/lap"
	"mtt/internal/runfolder"
	"mtt/internal/sweep"
	"mtt/internal/task"
	"mtt/internal/verify"
)

func TestMain(m *testing.M) {
	if isWorker(os.Args) {
		flag.Parse()
		beam.Init()
	}
	os.Exit(m.Run())
}

// command runs a command line of mtt-beam.
func command(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err strings.Builder
	status = run(t.Context(), append([]string{"mtt-beam"}, args...), nil, &out, &err)
	return status, out.String(), err.String()
}

// file reads a file.
func file(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sweepFile writes a plan of 12 small scenes and returns its name.
func sweepFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sweep.toml")
	if err := os.WriteFile(path, []byte("targets = 8\nframes = 10\nseeds = 3\nengine = [\"dual\", \"gnn\"]\nnoise = [0.1, 0.3]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// sweepHere is what mtt sweep makes of the plan: its files by name.
func sweepHere(t *testing.T, path string) map[string]string {
	t.Helper()
	plan, err := sweep.Read(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	whole := sweep.Shard{Index: 1, Of: 1}
	journal, err := sweep.OpenJournal(dir, plan, whole)
	if err == nil {
		err = plan.RunTasks(t.Context(), whole, journal, 2, func(int, string) {})
	}
	if err = errors.Join(err, journal.Close()); err != nil {
		t.Fatal(err)
	}
	s := cli.NewSession(&cli.App{Name: "mtt"}, []string{"mtt"}, nil, &strings.Builder{}, &strings.Builder{})
	if err := sweep.Merge(t.Context(), s, dir, []string{dir}); err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, name := range []string{sweep.File, "shard-1-of-1.jsonl"} {
		files[name] = file(t, filepath.Join(dir, name))
	}
	return files
}

// sameSweep compares a folder with what mtt sweep makes.
func sameSweep(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(want) {
		t.Errorf("the folder holds %d files, want %d", len(entries), len(want))
	}
	for name, text := range want {
		if file(t, filepath.Join(dir, name)) != text {
			t.Errorf("%s differs from that of mtt sweep", name)
		}
	}
}

// TestSweep: the files are those of mtt sweep, to the byte, with any number of processes,
// and when processes are killed while they work.
func TestSweep(t *testing.T) {
	path := sweepFile(t)
	want := sweepHere(t, path)
	for _, options := range []string{"--workers 1", "--workers 4 --kill 5"} {
		dir := t.TempDir()
		status, _, stderr := command(t, append([]string{"sweep", path, "-o", dir}, strings.Fields(options)...)...)
		if status != cli.ExitDone {
			t.Fatalf("%s: exit status %d: %s", options, status, stderr)
		}
		sameSweep(t, dir, want)
	}
}

// TestLap: rows and answers are those of mtt lap, but for times, also of problems that are infeasible or
// cannot be read, and when processes are killed.
func TestLap(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	for k := range 60 {
		var text strings.Builder
		n := 2 + r.IntN(30)
		for i := range n * n {
			cell := strconv.Itoa(r.IntN(100))
			if k%10 == 3 && i < n { // a row without a column
				cell = "inf"
			}
			text.WriteString(cell)
			if i%n == n-1 {
				text.WriteByte('\n')
			} else {
				text.WriteByte(',')
			}
		}
		if k == 17 {
			text.WriteString("what is this")
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%d.csv", k)), []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, keep := range []bool{false, true} {
		want, wantFile := lapHere(t, dir, keep)
		answers := filepath.Join(t.TempDir(), "answers.jsonl")
		args := []string{"lap", dir, "--maximize", "--format", "json", "--workers", "3", "--kill", "3"}
		if keep {
			args = append(args, "-o", answers)
		}
		status, stdout, stderr := command(t, args...)
		if status != cli.ExitInfeasible || !strings.Contains(stderr, "--partial") || !strings.Contains(stderr, "what is this") {
			t.Errorf("exit status %d: %s", status, stderr)
		}
		if got := withoutTimes(stdout); got != want {
			t.Errorf("rows are\n%swant\n%s", got, want)
		}
		if keep && file(t, answers) != wantFile {
			t.Error("answers differ from those of mtt lap")
		}
	}
}

// lapHere is what mtt lap --maximize prints, without times, and writes.
func lapHere(t *testing.T, dir string, keep bool) (rows, answers string) {
	t.Helper()
	o := new(lap.Options)
	o.Bind()
	o.Maximize = true
	inputs := lap.List([]string{dir}, nil)
	group, err := lap.NewGroup(o, inputs)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s := cli.NewSession(&cli.App{Name: "mtt"}, []string{"mtt"}, nil, &out, &strings.Builder{})
	s.Out = &cli.Printer{W: &out, Format: "json"}
	s.Common.Format = "json"
	if keep {
		s.Common.Out = filepath.Join(t.TempDir(), "answers")
	}
	report := lap.NewReport(s, len(inputs))
	for range inputs {
		if err := report.Tell(group.Next(t.Context())); cli.ExitStatus(err) == cli.ExitFailed {
			t.Fatal(err)
		}
	}
	if err := report.Finish(); err != nil {
		t.Fatal(err)
	}
	if keep {
		answers = file(t, s.Common.Out)
	}
	return withoutTimes(out.String()), answers
}

// withoutTimes drops what follows "seconds" in each line.
func withoutTimes(rows string) string {
	return regexp.MustCompile(`(?m),"seconds".*$`).ReplaceAllString(rows, "")
}

// TestTrack: rows and files of recordings are those of mtt track and mtt score, but for times.
func TestTrack(t *testing.T) {
	data := t.TempDir()
	for k := range 3 {
		var text strings.Builder
		text.WriteString("frame,id,x,y\n")
		for frame := range 20 {
			for id := range 4 + k {
				fmt.Fprintf(&text, "%d,%d,%g,%g\n", frame, id, float64(10*id)+float64(frame)*.7, float64(frame*(id-2))+.1*float64((frame*7+id*3)%5))
			}
		}
		if err := os.WriteFile(filepath.Join(data, fmt.Sprintf("scene%d.csv", k)), []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(t.TempDir())
	sequences, err := task.Sequences(data)
	if err != nil {
		t.Fatal(err)
	}
	var rows [2]strings.Builder // of mtt track, of mtt score
	s := cli.NewSession(&cli.App{Name: "mtt"}, []string{"mtt"}, nil, nil, &strings.Builder{})
	for _, seq := range sequences {
		o := new(trackOptions)
		for _, option := range o.bind() {
			if option.Name == "match-distance" {
				if err := option.Set("0.2"); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.Common.Out = filepath.Join("runs", seq.Name)
		s.Out = &cli.Printer{W: &rows[0], Format: "json"}
		if err := task.TrackOne(t.Context(), s, o.tracking, o.track, &o.from, seq.Files, time.Now()); err != nil {
			t.Fatal(err)
		}
		s.Out = &cli.Printer{W: &rows[1], Format: "json"}
		if err := o.scoreRun(t.Context(), s, &recording{Out: s.Common.Out}); err != nil {
			t.Fatal(err)
		}
	}
	for k, options := range []string{"--kill 2", "--score"} {
		out := "beam" + strconv.Itoa(k)
		status, stdout, stderr := command(t, append([]string{"track", data, "--match-distance", "0.2", "--format", "json", "--workers", "2", "-o", out}, strings.Fields(options)...)...)
		if status != cli.ExitDone {
			t.Fatalf("%s: exit status %d: %s", options, status, stderr)
		}
		got := strings.ReplaceAll(withoutTimes(stdout), out, "runs")
		if want := withoutTimes(rows[k].String()); got != want {
			t.Errorf("%s: rows are\n%swant\n%s", options, got, want)
		}
		for _, seq := range sequences {
			for _, name := range []string{"tracks.csv", "certificate.bin", "states.csv", "detections.csv", "truth.csv"} {
				if file(t, filepath.Join(out, seq.Name, name)) != file(t, filepath.Join("runs", seq.Name, name)) {
					t.Errorf("%s: %s of %s differs from that of mtt track", options, name, seq.Name)
				}
			}
		}
	}
	if status, _, stderr := command(t, "track", filepath.Join(data, "scene0.csv"), "missing.csv", "--quiet"); status != cli.ExitUsage ||
		!strings.Contains(stderr, "missing.csv does not exist") || file(t, "runs/scene0/tracks.csv") == "" {
		t.Errorf("exit status %d: %s", status, stderr)
	}
}

// TestParts: a run in parts has the bound and the tracks of the whole, also when processes are killed, and
// each part a certificate that proves its share.
func TestParts(t *testing.T) {
	t.Chdir(t.TempDir())
	r := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	text.WriteString("frame,x,y\n")
	for frame := range 40 {
		for id := range 24 { // in groups of three that stay together, far from others
			if r.Float64() < 0.02 { // so few that no bound on the number of links over misses is reached
				continue
			}
			x, y := float64(200*(id/3)+3*(id%3)), float64(frame)*(1+.1*float64(id%3))
			fmt.Fprintf(&text, "%d,%.3f,%.3f\n", frame, x+.4*r.NormFloat64(), y+.4*r.NormFloat64())
		}
		fmt.Fprintf(&text, "%d,%.3f,%.3f\n", frame, 1600*r.Float64(), 40*r.Float64())
	}
	if err := os.WriteFile("points.csv", []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	var row strings.Builder
	s := cli.NewSession(&cli.App{Name: "mtt"}, []string{"mtt"}, nil, &row, &strings.Builder{})
	s.Out.Format = "json"
	o := new(trackOptions)
	o.bind()
	s.Common.Out = "whole" // imports, and tracks at once
	if err := task.TrackOne(t.Context(), s, o.tracking, o.track, &o.from, []string{"points.csv"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS("cut", os.DirFS("whole")); err != nil {
		t.Fatal(err)
	}
	window := cli.Find(o.tracking.Options, "window")
	if err := window.Set("10"); err != nil {
		t.Fatal(err)
	}
	row.Reset()
	s.Common.Out = "" // the run itself, in windows
	if err := task.TrackOne(t.Context(), s, o.tracking, o.track, &o.from, []string{"whole"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	want, err := cli.ParseRecord([]byte(row.String()))
	if err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := command(t, "track", "cut", "--parts", "4", "--window", "10", "--workers", "3", "--kill", "4", "--format", "json")
	if status != cli.ExitDone {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	got, err := cli.ParseRecord([]byte(stdout))
	if err != nil {
		t.Fatal(err)
	}
	if number(got, "parts") != 4 || number(got, "components") < 8 {
		t.Errorf("cut into %s", stdout)
	}
	for _, key := range []string{"lower_bound", "upper_bound", "arcs", "tracks"} {
		if a, b := number(got, key), number(want, key); math.Abs(a-b) > 1e-9*math.Abs(b) || b == 0 {
			t.Errorf("%s is %v, of the whole %v", key, a, b)
		}
	}
	var tracks [2][]mtt.Track
	for k, name := range []string{"cut/tracks.csv", "whole/tracks.csv"} {
		if tracks[k], err = task.LoadTracks(name); err != nil {
			t.Fatal(err)
		}
	}
	if len(tracks[0]) == 0 || !reflect.DeepEqual(tracks[0], tracks[1]) {
		t.Error("the tracks are not those of the whole run")
	}
	sum := 0.0
	for k := range 4 {
		sum += provedBy(t, fmt.Sprintf("cut-parts/%04d", k+1))
	}
	if lower := number(got, "lower_bound"); math.Abs(sum-lower) > 1e-9*math.Abs(lower) {
		t.Errorf("the certificates of the parts prove %v, of %v", sum, lower)
	}
}

// provedBy is the bound that the certificate of a run proves.
func provedBy(t *testing.T, dir string) float64 {
	t.Helper()
	folder, err := task.OpenRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := task.LoadScans(folder)
	if err != nil {
		t.Fatal(err)
	}
	in := &verify.Input{Scans: sc.Scans}
	if in.Tracks, err = task.LoadTracks(folder.Path(runfolder.TracksFile)); err != nil {
		t.Fatal(err)
	}
	for name, sum := range map[string]*[sha256.Size]byte{runfolder.DetectionsFile: &in.DetectionsSum, runfolder.TracksFile: &in.TracksSum} {
		if *sum, err = task.FileSum(t.Context(), folder.Path(name)); err != nil {
			t.Fatal(err)
		}
	}
	in.Certificate = strings.NewReader(file(t, folder.Path(runfolder.CertificateFile)))
	found, err := verify.Check(t.Context(), in)
	if err != nil || len(found.Problems) > 0 || !found.Certified {
		t.Fatalf("%s: %+v, %v", dir, found, err)
	}
	return found.LowerBound
}

// TestGoesOn: what is there from before is not done again, and is not lost when the job fails.
func TestGoesOn(t *testing.T) {
	dir := t.TempDir()
	mark := filepath.Join(dir, "mark")
	j, err := newJob("test", "items", testSpec{FailAt: 7, Mark: mark})
	if err != nil {
		t.Fatal(err)
	}
	j.pure = true
	for i := range 20 {
		j.items = append(j.items, i)
	}
	e := &engine{}
	e.bind()
	s := cli.NewSession(&cli.App{Name: "mtt-beam"}, []string{"mtt-beam"}, nil, &strings.Builder{}, &strings.Builder{})
	s.Common.Workers = 1
	if _, _, err := e.lines(t.Context(), s, j, dir); err == nil || !strings.Contains(err.Error(), "item 7 fails") {
		t.Fatalf("the error is %v, want that of item 7", err)
	}
	if err := os.WriteFile(mark, nil, 0o666); err != nil { // now it succeeds, and the others would say so
		t.Fatal(err)
	}
	lines, forget, err := e.lines(t.Context(), s, j, dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		want := fmt.Sprintf(`{"item":%d,"marked":%t}`, i, i >= 6) // 6 and 7 were one chunk
		if string(lines[i]) != want {
			t.Errorf("item %d has the line %s, want %s", i, lines[i], want)
		}
	}
	if err := forget(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "parts-*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// TestPoison: an item that kills each process which touches it ends the job with an error.
func TestPoison(t *testing.T) {
	j, err := newJob("test", "items", testSpec{DieAt: 3, Mark: filepath.Join(t.TempDir(), "mark")})
	if err != nil {
		t.Fatal(err)
	}
	j.items = []int{1, 2, 3, 4}
	e := &engine{}
	e.bind()
	var stderr strings.Builder
	s := cli.NewSession(&cli.App{Name: "mtt-beam"}, []string{"mtt-beam"}, nil, &strings.Builder{}, &stderr)
	s.Common.Workers = 1
	_, _, err = e.lines(t.Context(), s, j, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "8 processes died of the same 1 elements") {
		t.Fatalf("the error is %v", err)
	}
	if !strings.Contains(stderr.String(), "a worker process ended") {
		t.Errorf("nobody was warned: %s", &stderr)
	}
}

// A testSpec says what a job of these tests does.
type testSpec struct {
	FailAt, DieAt int
	Mark          string // file; when it is there nothing fails
}

func init() {
	kinds["test"] = func(text []byte) (worker, error) {
		o, err := read[testSpec](text)
		if err != nil {
			return nil, err
		}
		return func(_ context.Context, item int) ([]byte, error) {
			_, err := os.Stat(o.Mark)
			switch marked := err == nil; {
			case marked:
			case item == o.FailAt && item > 0:
				return nil, fmt.Errorf("item %d fails", item)
			case item == o.DieAt && item > 0:
				os.Exit(3)
			}
			return fmt.Appendf(nil, `{"item":%d,"marked":%t}`, item, err == nil), nil
		}, nil
	}
}

// TestOptions: what cannot be is said before anything starts.
func TestOptions(t *testing.T) {
	path := sweepFile(t)
	for options, want := range map[string]string{
		"--runner flink":               "--endpoint HOST:PORT",
		"--endpoint localhost:1":       "prism runs in this program",
		"--runner nobody":              "nobody",
		"--runner spark --environment": "--environment",
	} {
		status, _, stderr := command(t, append([]string{"sweep", path, "-o", t.TempDir()}, strings.Fields(options)...)...)
		if status != cli.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit status %d: %s; want %d and %q", options, status, stderr, cli.ExitUsage, want)
		}
	}
	if status, _, stderr := command(t, "lap", "-"); status != cli.ExitUsage || !strings.Contains(stderr, "pipe it into mtt lap -") {
		t.Errorf("standard input: exit status %d: %s", status, stderr)
	}
}
