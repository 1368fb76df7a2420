//go:build linux

package main

// This file signals commands at random moments: they end at once, and nothing is half written.

import (
	"bytes"
	"cmp"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mtt/internal/cli"
	"mtt/internal/nightly"
)

// spared are commands that kills do no harm, as they write nothing, or what another of killed writes.
var spared = []killable{
	{"margins", "simulate --targets 6 --frames 8 --miss 0.1 -o out", "track out --margins exact"},
	{"verify", "run --targets 6 --frames 8 --miss 0.1 -o out", "verify out --recompute"},
	{"explain", "run --targets 6 --frames 8 --miss 0.1 -o out", "explain out 3 2"},
	{"answer", "track --arcs graph.csv -o out", "verify out"},
	{"bench", "", "bench fpga --quick"},
}

// larger says how much larger scenes are at night, where not ten times: those of fast commands.
var larger = map[string]int{
	"import": 200, "lap": 100, "merge": 200, "sweep": 20, "report": 50, "export": 100, "geff": 100, "verify": 100, "explain": 20,
	"costs": 50, "simulate": 50, "score": 40, "pmbm": 30, "programme": 30, "track": 30,
}

var targets = regexp.MustCompile(`--targets (\d+)`)

// of is c on scenes of times as many targets.
func (c killable) of(times int) killable {
	for _, line := range []*string{&c.prepare, &c.command} {
		*line = targets.ReplaceAllStringFunc(*line, func(option string) string {
			n, _ := strconv.Atoi(targets.FindStringSubmatch(option)[1])
			return "--targets " + strconv.Itoa(n*times)
		})
	}
	return c
}

// used is the time that a process has had of the processor, 0 where it has ended.
func used(pid int) time.Duration {
	var at unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|2), &at) != nil { // as clock_getcpuclockid(3) numbers them
		return 0
	}
	return time.Duration(at.Nano())
}

// unfinished are the files below the folder here that were on their way to their places.
func unfinished(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if strings.HasPrefix(e.Name(), ".mtt-") {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestSignals sends SIGINT or SIGTERM to each command at random moments of its run, a third of them
// while it writes: 100 ms of the processor later it has ended with the exit status of an interrupt,
// without a Go trace; what it had before is whole, or what it makes, or a result that verifies; and
// the same command again makes what one without a signal makes. MTT_TRIALS is how often, MTT_TIME
// for how long, MTT_SEED says when.
func TestSignals(t *testing.T) {
	if testing.Short() && !nightly.Is() {
		t.Skip("starts processes")
	}
	t.Chdir(t.TempDir())
	all, clock, sent := slices.Concat(killed, []killable{once}, spared), nightly.Start(), 0
	for k, c := range all {
		times := nightly.Or(1, cmp.Or(larger[c.name], 10))
		t.Run(c.name, func(t *testing.T) {
			writeInputs(t, times)
			sent += signalled(t, c.of(times), k, func(signals int) iter.Seq[int] { return clock.Rounds(signals, k, len(all)) })
		})
	}
	t.Logf("%d signals that came while a command ran", sent)
}

// signalled sends signals to a command; its number says which of all that is, rounds count as many
// as that or as there is time for. It returns how many came while it ran.
func signalled(t *testing.T, c killable, number int, rounds func(signals int) iter.Seq[int]) (sent int) {
	const most = 100 * time.Millisecond
	signals := nightly.Trials(nightly.Or(1, 40))
	seed := nightly.Seed(15)
	rng := rand.New(rand.NewPCG(uint64(seed), uint64(number)))
	clear := func(dir string) {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	clear("out")
	clear("kept")
	commanded(t, c.prepare)
	if c.prepare != "" {
		if err := os.CopyFS("kept", os.DirFS("out")); err != nil {
			t.Fatal(err)
		}
	}
	before := outcome(t, "out", true)
	cmd := c.process()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", c.command, err, out)
	}
	takes := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	after := outcome(t, "out", true)
	tries, done, killed, parts := 0, 0, 0, 0
	var worst time.Duration
	for k := range rounds(signals) {
		tries++
		clear("out")
		if c.prepare != "" {
			if err := os.CopyFS("out", os.DirFS("kept")); err != nil {
				t.Fatal(err)
			}
		}
		cmd := c.process()
		cmd.Env = append(cmd.Env, "GOMAXPROCS=2") // on sixteen, what collects garbage takes as much of the processor in a sixteenth of the time
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan bool)
		go func() {
			cmd.Wait()
			close(ended)
		}()
		moment := time.Duration(rng.Float64() * float64(takes))
		signal := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[rng.IntN(2)]
		var at time.Duration
		for running := true; running; {
			at = used(cmd.Process.Pid)
			if at > moment || k%3 == 0 && writing("out") {
				cmd.Process.Signal(signal)
				break
			}
			select {
			case <-ended:
				running = false
			case <-time.After(200 * time.Microsecond):
			}
		}
		<-ended
		late := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() - at
		fail := func(format string, args ...any) {
			t.Helper()
			t.Errorf("seed %d: %s, %v after %v of %v: "+format, slices.Concat([]any{seed, c.command, signal, at, takes}, args)...)
		}
		found := outcome(t, "out", true)
		whole := differs(found, before) == "" || differs(found, after) == ""
		switch status := cmd.ProcessState.Sys().(syscall.WaitStatus); {
		case status.ExitStatus() == cli.ExitDone:
			if done++; differs(found, after) != "" {
				fail("said to be done, and %s differs", differs(found, after))
			}
		case status.Signaled() && status.Signal() == signal && whole: // the command had not begun, or was done
			killed++
		case status.ExitStatus() != cli.ExitInterrupted || !strings.Contains(stderr.String(), "interrupted"):
			fail("%v", cmd.ProcessState)
		default:
			if worst = max(worst, late); late > most {
				fail("took %v more", late)
			}
		}
		if strings.Contains(stderr.String(), "goroutine") {
			fail("%s", &stderr)
		}
		if names := unfinished(t); len(names) > 0 {
			fail("leaves %v", names)
		}
		if !whole {
			parts++
			_, tracked := found["out/solve.json"]
			switch makes, _, _ := strings.Cut(c.command, " "); {
			case c.grows():
			case makes == "stream": // what was tracked till then
				if lines := found["out/lines.jsonl"]; lines != "" && !strings.HasSuffix(lines, "}\n") {
					fail("the last line is cut short: %q", lines[max(0, len(lines)-100):])
				}
			case tracked && (makes == "run" || makes == "track"):
				commanded(t, "verify out")
			case makes == "run" || makes == "simulate": // the scene is whole
				for name, text := range found {
					if text != after[name] && name != "out/run.toml" {
						fail("%s is not what it becomes", name)
					}
				}
			default:
				fail("%s is neither what it was nor what it becomes", differs(found, after))
			}
		}
		if c.name == once.name && differs(found, before) != "" {
			continue
		}
		commanded(t, c.command)
		if name := differs(outcome(t, "out", true), after); name != "" {
			fail("done again, %s differs from that of a command without a signal", name)
		}
	}
	t.Logf("seed %d: %s takes %v of the processor; %d signals, %d more processes were done before and %d not yet begun; %d results are parts; ends after %v at most", seed, c.name, takes, tries-done-killed, done, killed, parts, worst)
	return tries - done - killed
}
