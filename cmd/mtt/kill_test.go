package main

// This file kills commands at random moments: what they had before is whole or what they
// make is, and the same command again makes what one without a kill makes.

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mtt/internal/cli"
	"mtt/internal/nightly"
)

// A killable is a command with what prepares it.
type killable struct{ name, prepare, command string }

// grows says whether the folder is written task by task, or window by window.
func (c *killable) grows() bool {
	return c.name == "sweep" || c.name == "merge" || c.name == "windows"
}

// killed are the commands, each with what prepares it; results are all files below the
// folder out.
var killed = []killable{
	{"run", "", "run --targets 6 --frames 8 --spread 0.5 --noise 0.3 -o out"},
	{"run again", "run --targets 5 --frames 7 --seed 2 -o out", "run --targets 6 --frames 8 --spread 0.5 --noise 0.3 -o out"},
	{"track", "simulate --targets 6 --frames 8 --miss 0.1 -o out", "track out"},
	{"windows", "simulate --targets 6 --frames 16 --miss 0.1 -o out", "track out --window 3"},
	{"score", "run --targets 5 --frames 7 -o out", "score out --gates 1.5,3"},
	{"import", "", "import points.csv -o out"},
	{"sweep", "", "sweep sweep.toml -o out --workers 2"},
	{"merge", "sweep sweep.toml -o out", "merge out"},
	{"simulate", "run --targets 5 --frames 7 -o out", "simulate --targets 6 --frames 8 --seed 3 --costs --pmbm -o out"},
	{"costs", "run --targets 6 --frames 8 -o out", "costs out"},
	{"best", "run --targets 6 --frames 8 --spread 0.5 -o out", "track out --best 3 --margins exact"},
	{"pmbm", "run --targets 4 --frames 6 -o out", "pmbm out"},
	{"report", "run --targets 5 --frames 7 -o out", "report out"},
	{"lap", "run --targets 3 --frames 3 -o out", "lap matrix.csv -o out/answers.json"},
	{"stream", "run --targets 3 --frames 3 -o out", "stream stream.csv -o out/lines.jsonl"},
	{"arcs", "", "track --arcs graph.csv -o out --margins exact"},
	{"programme", "run --targets 3 --frames 3 -o out", "track --arcs graph.csv -o other --programme out/graph.lp"},
	{"divisions", "simulate --scene cells --targets 6 --frames 8 --noise 0.02 --step 0.1 -o out", "track out --divisions"},
	{"export", "run --targets 5 --frames 7 -o out", "export out --to csv -o out/tracks-of-mine.csv"},
}

// process is the command, to be started.
func (c *killable) process() *exec.Cmd {
	cmd := exec.Command(os.Args[0], strings.Fields(c.command)...)
	cmd.Env = append(os.Environ(), "MTT_TEST_MAIN=1", "MTT_NIGHTLY=")
	return cmd
}

// once is a command that is refused where its output is there.
var once = killable{"geff", "run --targets 5 --frames 7 -o out", "export out --to geff -o out/mine.geff"}

// outcome is every file below dir without what says how long things took; unwhole files of
// processes that were killed are left out where remains is false.
func outcome(t *testing.T, dir string, remains bool) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasPrefix(e.Name(), ".mtt-") && !remains {
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		if slices.Contains([]string{"solve.json", "pmbm.json", "report.html"}, e.Name()) { // they have times; verify checks the first
			text = nil
		}
		files[path] = string(text)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return files
}

// differs names a file that two outcomes have not in common, "" when they are equal.
func differs(a, b map[string]string) string {
	for _, pair := range [][2]map[string]string{{a, b}, {b, a}} {
		for name, text := range pair[0] {
			if other, ok := pair[1][name]; !ok || other != text {
				return name
			}
		}
	}
	return ""
}

// writing says whether something is on its way to its place in dir.
func writing(dir string) bool {
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		name, ours := strings.CutPrefix(e.Name(), ".mtt-")
		return ours && name != "draft" && name != "lock"
	})
}

// TestFullDisk runs each command with limits of the size of files, so that each file that it writes
// in turn cannot be written: the folder stays as it was, but for sweeps and scenes in windows,
// whose folders grow, and the same command does it all when there is room again.
func TestFullDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	if exec.Command("bash", "-c", "ulimit -f 1").Run() != nil {
		t.Skip("no limits here")
	}
	t.Chdir(t.TempDir())
	writeInputs(t, 1)
	total := 0
	for _, c := range append(slices.Clone(killed), once) {
		if err := os.RemoveAll("out"); err != nil {
			t.Fatal(err)
		}
		commanded(t, c.prepare)
		before := outcome(t, "out", true)
		failed := 0
		for limit := 0; ; limit += 1 + limit*nightly.Or(128, 1)/8 { // kB
			cmd := exec.Command("bash", append([]string{"-c", `ulimit -f "$0" && exec "$@"`, strconv.Itoa(limit), os.Args[0]}, strings.Fields(c.command)...)...)
			cmd.Env = append(os.Environ(), "MTT_TEST_MAIN=1", "MTT_NIGHTLY=")
			out, err := cmd.CombinedOutput()
			if err == nil {
				break
			}
			if failed++; limit > 1<<20 {
				t.Fatalf("%s fails with %d kB: %s", c.command, limit, out)
			}
			if text := string(out); cmd.ProcessState.ExitCode() != cli.ExitFailed || strings.Contains(text, "goroutine") || !strings.Contains(text, "file too large") {
				t.Errorf("%s, %d kB: %v: %s", c.command, limit, err, text)
			}
			if name := differs(outcome(t, "out", true), before); name != "" && !c.grows() {
				t.Errorf("%s, %d kB: %s is not what it was", c.command, limit, name)
			}
		}
		found := outcome(t, "out", true)
		if err := os.RemoveAll("out"); err != nil {
			t.Fatal(err)
		}
		commanded(t, c.prepare)
		commanded(t, c.command)
		if name := differs(found, outcome(t, "out", true)); name != "" {
			t.Errorf("%s: %s is not what it is where there always was room", c.command, name)
		}
		if failed == 0 {
			t.Errorf("%s: no limit was too small", c.command)
		}
		total += failed
	}
	t.Logf("%d commands, which failed at %d limits", len(killed)+1, total)
}

// writeInputs writes the files that the commands of killed read, times as long as they may be.
func writeInputs(t *testing.T, times int) {
	t.Helper()
	for name, text := range map[string]string{
		"points.csv": "frame,x,y\n" + strings.Repeat("1,2,3\n2,3,4\n3,4,5\n", 2000*times),
		"stream.csv": streamed(40 * times),
		"graph.csv":  graphed(5 * times),
		"matrix.csv": strings.Repeat(strings.Repeat("3,1,4,1,5,9,2,6,", times)+"7\n", 8*times),
		"sweep.toml": fmt.Sprintf("targets = [3, 4]\nframes = 4\nseeds = %d\n", 2*times),
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// graphed is a graph of given costs: chains of detections in scans of 200, each with one beside it.
func graphed(scans int) string {
	var b strings.Builder
	for k := range 200 * scans {
		fmt.Fprintf(&b, "detection,d%d,%d,-5,4,4\n", k, k/200)
	}
	for k := range 200 * (scans - 1) {
		fmt.Fprintf(&b, "arc,d%d,d%d,0.5\narc,d%d,d%d,0.75\n", k, k+200, k, 200*(k/200+1)+(k+1)%200)
	}
	return b.String()
}

// commanded runs a command line without its first word, if there is one.
func commanded(t *testing.T, line string) {
	t.Helper()
	if line != "" {
		commands(t, "mtt "+line)
	}
}

// streamed are the rows of a stream of scans of ten.
func streamed(scans int) string {
	var b strings.Builder
	b.WriteString("frame,x,y\n")
	for t := range scans {
		for i := range 10 {
			fmt.Fprintf(&b, "%d,%d.%d,%d\n", t, 10*i+t, (t*i)%10, 7*i)
		}
	}
	return b.String()
}

// TestKills kills each command at random moments, half of them while it writes. MTT_TRIALS is how
// often, MTT_TIME for how long, MTT_SEED says when.
func TestKills(t *testing.T) {
	kills := nightly.Trials(nightly.Or(1, 100)) // of each command
	if testing.Short() && !nightly.Is() {
		t.Skip("starts and kills processes")
	}
	seed := nightly.Seed(15)
	rng := rand.New(rand.NewPCG(uint64(seed), 0))
	t.Chdir(t.TempDir())
	writeInputs(t, 1)
	mtt := func(line string) { t.Helper(); commanded(t, line) }
	clear := func() {
		if err := os.RemoveAll("out"); err != nil {
			t.Fatal(err)
		}
	}
	tries, early, late, torn := 0, 0, 0, 0
	clock := nightly.Start()
	for part, c := range killed {
		clear()
		mtt(c.prepare)
		before := outcome(t, "out", true)
		began := time.Now()
		if out, err := c.process().CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", c.command, err, out)
		}
		takes := time.Since(began)
		after := outcome(t, "out", true)
		for range clock.Rounds(kills, part, len(killed)) {
			clear()
			mtt(c.prepare)
			cmd := c.process()
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			moment := time.Duration(rng.Float64() * 1.1 * float64(takes))
			done := make(chan error, 1)
			began := time.Now()
			go func() { done <- cmd.Wait() }()
			if tries%2 == 0 { // when it writes, if it can be caught at that
				for end := began.Add(takes); time.Now().Before(end) && !writing("out"); {
					time.Sleep(100 * time.Microsecond)
				}
				moment = time.Duration(rng.IntN(3)) * time.Millisecond
			}
			select {
			case err := <-done:
				if err != nil {
					t.Fatalf("%s: %v: %s", c.command, err, &out)
				}
				takes = (takes + time.Since(began)) / 2
				late++
			case <-time.After(moment):
				cmd.Process.Kill()
				if <-done == nil {
					late++
				}
			}
			tries++
			found := outcome(t, "out", false)
			switch {
			case differs(found, before) == "":
				early++
			case differs(found, after) == "":
			case c.grows():
				torn++
			default:
				torn++
				if _, err := os.Stat(filepath.Join("out", ".mtt-commit")); err != nil { // else the next command completes it
					t.Fatalf("seed %d: %s, killed after %v: %s is neither what it was nor what it becomes", seed, c.command, moment, differs(found, after))
				}
			}
			mtt(c.command)
			if name := differs(outcome(t, "out", true), after); name != "" {
				t.Fatalf("seed %d: %s, killed after %v and done again: %s differs from that of a command without a kill", seed, c.command, moment, name)
			}
			if c.name == "run" || c.name == "run again" || c.name == "track" || c.name == "score" {
				if tries%5 == 0 {
					mtt("verify out")
				}
			}
		}
	}
	t.Logf("seed %d: %d kills, after %d of them nothing had changed, after %d some things; %d more processes were done before", seed, tries-late, early, torn, late)
}
