package main

// This file runs the examples that the help texts show.

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtt/internal/cli"
)

// TestExamples runs the examples of every command in one folder, in the order of
// the list of commands, so that "mtt score" finds what "mtt simulate" made.
func TestExamples(t *testing.T) {
	samples, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(samples)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, c := range newCommands() {
		examples := helpExamples(t, c.Name)
		if len(examples) == 0 {
			t.Errorf("the help of mtt %s has no examples", c.Name)
		}
		if c.Name == "page" {
			continue // compiles the engine: TestPage does
		}
		for _, line := range examples {
			var stdout, stderr strings.Builder
			status := run(t.Context(), strings.Fields(line), strings.NewReader(""), &stdout, &stderr)
			if status != cli.ExitDone || stdout.Len() == 0 {
				t.Errorf("%s: exit status %d, %d bytes on standard output; standard error:\n%s", line, status, stdout.Len(), &stderr)
			}
		}
	}
}

// helpExamples are the command lines at the end of the help of a command.
func helpExamples(t *testing.T, name string) []string {
	var stdout, stderr strings.Builder
	if status := run(t.Context(), []string{"mtt", name, "--help"}, nil, &stdout, &stderr); status != cli.ExitDone {
		t.Fatalf("mtt %s --help: exit status %d: %s", name, status, &stderr)
	}
	_, text, _ := strings.Cut(stdout.String(), "\nEXAMPLES:\n")
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}
