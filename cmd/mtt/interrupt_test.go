package main

// This file tests what an interrupt does.

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestInterrupted runs a command whose context has ended.
func TestInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	args := []string{"/usr/bin/mtt", "simulate", "-o", "my run"}
	if status := run(ctx, args, nil, &stdout, &stderr); status != exitInterrupted {
		t.Errorf("exit status %d, want %d", status, exitInterrupted)
	}
	want := "mtt: interrupted; what was finished is kept\nmtt: hint: resume with: mtt simulate -o 'my run'\n"
	if stderr.String() != want {
		t.Errorf("standard error %q, want %q", &stderr, want)
	}
	if _, err := os.Stat("my run"); err == nil {
		t.Error("an interrupted simulation left a folder")
	}
}

// TestSignal interrupts a process that has years of work before it.
func TestSignal(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process")
	}
	dir := t.TempDir()
	profile := filepath.Join(dir, "cpu.prof")
	cmd := exec.Command(os.Args[0], "simulate", "--targets", "1000", "--frames", "100000000", "--cpuprofile", profile)
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
	if status := cmd.ProcessState.ExitCode(); status != exitInterrupted {
		t.Errorf("exit status %d (%v), want %d; standard error:\n%s", status, err, exitInterrupted, &stderr)
	}
	if !strings.Contains(stderr.String(), "resume with: ") {
		t.Errorf("standard error %q does not say how to resume", &stderr)
	}
}
