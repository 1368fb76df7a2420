package main

// This file tests what an interrupt does.

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mtt/internal/cli"
)

// TestInterrupted runs a command whose context has ended.
func TestInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	args := []string{"/usr/bin/mtt", "simulate", "-o", "my run"}
	if status := run(ctx, args, nil, &stdout, &stderr); status != cli.ExitInterrupted {
		t.Errorf("exit status %d, want %d", status, cli.ExitInterrupted)
	}
	want := "mtt: interrupted; what was finished is kept\nmtt: hint: resume with: mtt simulate -o 'my run'\n"
	if stderr.String() != want {
		t.Errorf("standard error %q, want %q", &stderr, want)
	}
	if _, err := os.Stat("my run"); err == nil {
		t.Error("an interrupted simulation left a folder")
	}
}

// A countdown is a context that ends when it has been asked left times whether
// it has.
type countdown struct {
	context.Context
	end  context.CancelFunc
	left atomic.Int64
}

func (c *countdown) look() {
	if c.left.Add(-1) < 0 {
		c.end()
	}
}

func (c *countdown) Err() error {
	c.look()
	return c.Context.Err()
}

func (c *countdown) Done() <-chan struct{} {
	c.look()
	return c.Context.Done()
}

// TestInterruptedTracking interrupts mtt track ever later. The result is whole or
// not there; some interrupts leave one, which verifies.
func TestInterruptedTracking(t *testing.T) {
	t.Chdir(t.TempDir())
	var stdout, stderr strings.Builder
	results(t, "simulate", "--targets", "40", "--frames", "12", "--spread", "0.5", "--noise", "0.3", "--velocity-noise", "0.5", "-o", "run")
	kept := 0
	for n, status := int64(1), -1; status != cli.ExitDone; n += 1 + n/4 {
		for _, name := range []string{"tracks.csv", "solve.json", "certificate.bin"} {
			os.Remove(filepath.Join("run", name))
		}
		inner, cancel := context.WithCancel(t.Context())
		ctx := &countdown{Context: inner, end: cancel}
		ctx.left.Store(n)
		stdout.Reset()
		stderr.Reset()
		status = run(ctx, []string{"mtt", "track", "run", "--format", "json"}, nil, &stdout, &stderr)
		cancel()
		if status == cli.ExitDone {
			break
		}
		want := "mtt: hint: resume with: mtt track run --format json\n"
		if stdout.Len() > 0 {
			want = "mtt: hint: resume with: mtt track run --format json --resume run\n"
		}
		if status != cli.ExitInterrupted || !strings.HasSuffix(stderr.String(), want) {
			t.Fatalf("after %d looks at the context: exit status %d, standard error %q", n, status, &stderr)
		}
		_, err := os.Stat(filepath.Join("run", "tracks.csv"))
		if (err == nil) != (stdout.Len() > 0) {
			t.Fatalf("after %d looks at the context: tracks.csv: %v; standard output %q", n, err, &stdout)
		}
		if err == nil {
			kept++
			if got := results(t, "verify", "run"); got["valid"] != true {
				t.Errorf("after %d looks at the context: %v", n, got)
			}
			if kept%4 == 1 { // go on as the hint says
				before := readBounds(t, stdout.String())
				after := results(t, "track", "run", "--resume", "run")
				if lower := after["lower_bound"].(float64); lower < before.Lower-1e-9*math.Abs(before.Lower) {
					t.Errorf("after %d looks at the context: bound %v, resumed it is %v", n, before.Lower, lower)
				}
				if upper := after["upper_bound"].(float64); upper > before.Upper+1e-9*math.Abs(before.Upper) {
					t.Errorf("after %d looks at the context: cost %v, resumed it is %v", n, before.Upper, upper)
				}
			}
		}
	}
	if kept == 0 {
		t.Error("no interrupt left a result")
	}
}

// TestInterruptedBest interrupts mtt track --best ever later: when the first answers are there they
// are kept, with the tracks, which verify.
func TestInterruptedBest(t *testing.T) {
	t.Chdir(t.TempDir())
	results(t, "simulate", "--targets", "12", "--frames", "8", "--spread", "0.5", "--noise", "0.3", "--velocity-noise", "0.5", "-o", "run")
	some := 0
	for n, status := int64(1), -1; status != cli.ExitDone; n += 1 + n/4 {
		for _, name := range []string{"tracks.csv", "solve.json", "certificate.bin", "best.csv"} {
			os.Remove(filepath.Join("run", name))
		}
		inner, cancel := context.WithCancel(t.Context())
		ctx := &countdown{Context: inner, end: cancel}
		ctx.left.Store(n)
		var stdout, stderr strings.Builder
		status = run(ctx, []string{"mtt", "track", "run", "--best", "6", "--format", "json", "--no-report"}, nil, &stdout, &stderr)
		cancel()
		if status == cli.ExitDone {
			break
		}
		if status != cli.ExitInterrupted {
			t.Fatalf("after %d looks at the context: exit status %d, standard error %q", n, status, &stderr)
		}
		if stdout.Len() == 0 {
			continue
		}
		if got := results(t, "verify", "run"); got["valid"] != true {
			t.Errorf("after %d looks at the context: %v", n, got)
		}
		var found struct{ Best []struct{ Rank int } }
		if err := json.Unmarshal([]byte(stdout.String()), &found); err != nil {
			t.Fatal(err)
		}
		if len(found.Best) > 1 && len(found.Best) < 6 {
			some++
		}
	}
	if some == 0 {
		t.Error("no interrupt left some of the answers")
	}
}

// TestInterruptedScore interrupts mtt score of a run that has no tracks, ever earlier: the run has
// none then, or those of a search that was not interrupted.
func TestInterruptedScore(t *testing.T) {
	t.Chdir(t.TempDir())
	results(t, "simulate", "--targets", "40", "--frames", "12", "--spread", "0.5", "--noise", "0.3", "--velocity-noise", "0.5", "-o", "kept")
	score := func(looks int64) (ctx *countdown, status int, stderr string) {
		if err := os.RemoveAll("run"); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS("run", os.DirFS("kept")); err != nil {
			t.Fatal(err)
		}
		inner, cancel := context.WithCancel(t.Context())
		defer cancel()
		ctx = &countdown{Context: inner, end: cancel}
		ctx.left.Store(looks)
		var out, err strings.Builder
		status = run(ctx, []string{"mtt", "score", "run"}, nil, &out, &err)
		return ctx, status, err.String()
	}
	const many = 1 << 40
	ctx, _, _ := score(many)
	all := many - ctx.left.Load()
	without, with := 0, 0
	for before := int64(1); before < all; before += 1 + before/2 {
		_, status, stderr := score(all - before)
		if status == cli.ExitDone { // it was no more looked for
			continue
		}
		if status != cli.ExitInterrupted {
			t.Fatalf("%d looks at the context before the end: exit status %d, standard error %q", before, status, stderr)
		}
		text, err := os.ReadFile(filepath.Join("run", "solve.json"))
		if err != nil {
			if names, err := filepath.Glob("run/*"); len(names) != 3 || err != nil {
				t.Errorf("%d looks at the context before the end: a run without tracks has %v, %v", before, names, err)
			}
			without++
			continue
		}
		with++
		if got := results(t, "verify", "run"); got["valid"] != true || strings.Contains(string(text), `"status":"interrupted"`) {
			t.Errorf("%d looks at the context before the end: %v, %.300s", before, got, text)
		}
	}
	if without == 0 || with == 0 {
		t.Errorf("%d interrupts left no tracks, %d left some", without, with)
	}
}

// TestInterruptedDivisions interrupts mtt track --divisions ever earlier: when a look at the
// context is left, three, nine and so on. What is left verifies, and no hint names --resume, which
// it refuses.
func TestInterruptedDivisions(t *testing.T) {
	t.Chdir(t.TempDir())
	results(t, "simulate", "--scene", "cells", "--targets", "15", "--frames", "20", "--noise", "0.02", "--step", "0.1", "-o", "run")
	plain, graphs := 0, 0 // results without divisions and with
	for _, margins := range []string{"none", "exact"} {
		track := func(looks int64) (ctx *countdown, status int, stdout, stderr string) {
			for _, name := range []string{"tracks.csv", "solve.json", "certificate.bin", "graph.npz"} {
				os.Remove(filepath.Join("run", name))
			}
			inner, cancel := context.WithCancel(t.Context())
			defer cancel()
			ctx = &countdown{Context: inner, end: cancel}
			ctx.left.Store(looks)
			var out, err strings.Builder
			status = run(ctx, []string{"mtt", "track", "run", "--divisions", "--margins", margins, "--format", "json", "--no-report"}, nil, &out, &err)
			return ctx, status, out.String(), err.String()
		}
		const many = 1 << 40
		ctx, _, _, _ := track(many)
		all := many - ctx.left.Load()
		for less := int64(1); less < all; less *= 3 {
			n := all - less
			_, status, stdout, stderr := track(n)
			if status == cli.ExitDone { // as looks are not always as many
				continue
			}
			if status != cli.ExitInterrupted || !strings.HasSuffix(stderr, "mtt: hint: resume with: mtt track run --divisions --margins "+margins+" --format json --no-report\n") {
				t.Fatalf("after %d looks at the context: exit status %d, standard error %q", n, status, stderr)
			}
			if stdout == "" {
				continue
			}
			if found := readBounds(t, stdout); found.Lower > found.Upper {
				t.Errorf("after %d looks at the context: %+v", n, found)
			}
			if got := results(t, "verify", "run"); got["valid"] != true {
				t.Errorf("after %d looks at the context: %v", n, got)
			}
			if _, err := os.Stat(filepath.Join("run", "graph.npz")); err == nil {
				graphs++
			} else {
				plain++
			}
		}
	}
	if plain == 0 || graphs == 0 {
		t.Errorf("interrupts left %d results without divisions, and %d with", plain, graphs)
	}
}

// bounds are those that mtt track prints.
type bounds struct {
	Lower float64 `json:"lower_bound"`
	Upper float64 `json:"upper_bound"`
}

func readBounds(t *testing.T, line string) (b bounds) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &b); err != nil {
		t.Fatalf("%v in %q", err, line)
	}
	return b
}

// TestSignalReading interrupts a process that waits for input which never comes.
func TestSignalReading(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var all sync.WaitGroup
	for _, args := range [][]string{{"lap", "pipe"}, {"import", "pipe"}, {"score", "--truth", "pipe", "--tracks", "pipe"}, {"track", "--config", "pipe"}} {
		dir := t.TempDir()
		pipe := filepath.Join(dir, "pipe")
		if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
			t.Skipf("no pipes here: %v: %s", err, out)
		}
		cmd := exec.Command(os.Args[0], args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "MTT_TEST_MAIN=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			open, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until the command reads
			if err != nil {
				t.Error(err)
				return
			}
			defer open.Close()
			began := time.Now()
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
			kill := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
			cmd.Wait()
			kill.Stop()
			if status := cmd.ProcessState.ExitCode(); status != cli.ExitInterrupted {
				t.Errorf("%v: exit status %d after %v, want %d", args, status, time.Since(began), cli.ExitInterrupted)
			}
		})
	}
	all.Wait()
}

// TestSignal interrupts a process that has minutes of work before it.
func TestSignal(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process")
	}
	dir := t.TempDir()
	profile := filepath.Join(dir, "cpu.prof")
	cmd := exec.Command(os.Args[0], "simulate", "--targets", "5000", "--frames", "9000", "--cpuprofile", profile)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "MTT_TEST_MAIN=1", "GOMEMLIMIT=1GiB")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	for range 500 { // until the command has begun its work
		if _, err := os.Stat(profile); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != cli.ExitInterrupted {
		t.Errorf("exit status %d (%v), want %d; standard error:\n%s", status, err, cli.ExitInterrupted, &stderr)
	}
	if !strings.Contains(stderr.String(), "resume with: ") {
		t.Errorf("standard error %q does not say how to resume", &stderr)
	}
}
