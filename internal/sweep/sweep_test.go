package sweep

// This file sweeps without a command: whole, in shards, and with wrong plans.

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"mtt/internal/cli"
)

const sample = "targets = 4\nframes = 6\nseeds = 2\nscene = [\"burst\", \"arena\"]\nnoise = [0.05, 0.1, 0.2]\n"

// planOf is the plan that text describes.
func planOf(t *testing.T, text string) (*Plan, error) {
	t.Helper()
	if err := os.WriteFile("sweep.toml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return Read("sweep.toml", 7)
}

// sweepInto runs a shard into a folder.
func sweepInto(t *testing.T, p *Plan, part Shard, dir string, workers int) {
	t.Helper()
	j, err := OpenJournal(dir, p, part)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.RunTasks(t.Context(), part, j, workers, func(int, string) {}); err != nil {
		t.Fatal(err)
	}
	if got, want := j.Finished(), p.TasksOf(part); got != want {
		t.Errorf("%d tasks of shard %v are done, want %d", got, part, want)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// gathered is sweep.csv and the table of the folders.
func gathered(t *testing.T, dirs ...string) string {
	t.Helper()
	all, err := Gather(dirs)
	if err != nil {
		t.Fatal(err)
	}
	if n, first := all.Failed(); n > 0 {
		t.Errorf("%d tasks failed: %s", n, first)
	}
	var b strings.Builder
	if err := all.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	return b.String() + fmt.Sprint(all.Table())
}

func TestShards(t *testing.T) {
	t.Chdir(t.TempDir())
	p, err := planOf(t, sample)
	if err != nil {
		t.Fatal(err)
	}
	sweepInto(t, p, Shard{1, 1}, "whole", 2)
	want := gathered(t, "whole")
	if lines := strings.Count(want, "\n"); lines != 1+2*3*2 {
		t.Errorf("%d lines", lines)
	}
	for i := range 5 {
		sweepInto(t, p, Shard{i + 1, 5}, fmt.Sprint("part", i%2), 1)
	}
	if got := gathered(t, "part0", "part1"); got != want {
		t.Errorf("shards make\n%s\nwant\n%s", got, want)
	}
	if _, err := Gather([]string{"part0"}); err == nil || !strings.Contains(err.Error(), "tasks are missing") {
		t.Errorf("error %v for half of the shards", err)
	}
	other, err := planOf(t, sample+"miss = 0.1\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJournal("whole", other, Shard{1, 1}); cli.ExitStatus(err) != cli.ExitUsage {
		t.Errorf("error %v for the journal of another sweep", err)
	}
}

// TestPlan orders tasks: the last axis varies fastest, all cases see the same seeds.
func TestPlan(t *testing.T) {
	t.Chdir(t.TempDir())
	p, err := planOf(t, sample)
	if err != nil {
		t.Fatal(err)
	}
	if p.cases() != 6 || p.tasks() != 12 {
		t.Fatalf("%d cases, %d tasks", p.cases(), p.tasks())
	}
	for c, want := range []string{"burst 0.05", "burst 0.1", "burst 0.2", "arena 0.05", "arena 0.1", "arena 0.2"} {
		if got := strings.Join(p.values(c), " "); got != want {
			t.Errorf("case %d is %s, want %s", c, got, want)
		}
	}
	if p.seed(0) != 7 || p.seed(1) != 8 || p.seed(2) != 7 {
		t.Errorf("seeds %d, %d, %d", p.seed(0), p.seed(1), p.seed(2))
	}
	if sizes := p.TasksOf(Shard{1, 5}) + p.TasksOf(Shard{2, 5}) + p.TasksOf(Shard{3, 5}) + p.TasksOf(Shard{4, 5}) + p.TasksOf(Shard{5, 5}); sizes != 12 {
		t.Errorf("five shards have %d tasks", sizes)
	}
}

func TestBadPlans(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, want := range map[string]string{
		"tragets = 3\n":         "unknown key \"tragets\"",
		"targets = []\n":        "targets has no value",
		"targets = \"many\"\n":  "\"many\" is not a whole number",
		"seeds = 0\n":           "seeds is no whole number",
		"[run]\ntargets = 3\n":  "run is a table",
		"targets = \n":          "line 1",
		"png = true\n":          "unknown key \"png\"",
		"gate = [\"dics:3\"]\n": "unknown kind",
	} {
		if _, err := planOf(t, text); err == nil || cli.ExitStatus(err) != cli.ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}
