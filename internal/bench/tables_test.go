package bench

// This file runs the commands of docs/benchmarks again, and compares what does not
// depend on the machine. It takes an hour, so MTT_NIGHTLY=1 has to ask for it; MTT_TABLES
// names some of the tables, separated by blanks.

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mtt/internal/cli"
	"mtt/internal/measure"
)

// between is what separates the columns of a table.
var between = regexp.MustCompile(` {2,}`)

// columns are the cells of a table as text, by the names of the columns; those of
// varying are left out.
func columns(t *testing.T, text string, varying []string) map[string][]string {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	names := between.Split(strings.TrimSpace(lines[0]), -1)
	cells := make(map[string][]string)
	for _, line := range lines[1:] {
		row := between.Split(strings.TrimSpace(line), -1)
		if len(row) != len(names) {
			t.Fatalf("%d cells under %d names: %s", len(row), len(names), line)
		}
		for k, name := range names {
			if !slices.Contains(varying, strings.ReplaceAll(name, " ", "_")) {
				cells[name] = append(cells[name], row[k])
			}
		}
	}
	return cells
}

// TestColumns reads a table as it is printed.
func TestColumns(t *testing.T) {
	got := columns(t, "scene   mmep  solve time\nburst     12      0.5 s\na, b    0.25          -\n", []string{"solve_time"})
	if len(got) != 2 || !slices.Equal(got["scene"], []string{"burst", "a, b"}) || !slices.Equal(got["mmep"], []string{"12", "0.25"}) {
		t.Errorf("%v", got)
	}
}

// kept is a file of docs/benchmarks: the words of its command, and its table.
func kept(t *testing.T, path string) (command []string, table string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, table, _ := strings.Cut(string(text), "\n\n")
	said := make(map[string]string)
	for line := range strings.Lines(head + "\n") {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		said[key] = value
	}
	for _, key := range []string{"command", "machine", "revision", "date"} {
		if said[key] == "" {
			t.Errorf("%s does not say its %s", path, key)
		}
	}
	return strings.Fields(said["command"]), table
}

// labels are the columns whose cells name a row, and do not depend on the size of scenes.
var labels = words("scene kind cost method engine solver class problem set recording pricing design velocities")

// checkKept wants the table of docs/benchmarks to have the columns of rows, which b made on
// scenes of any size, and where whole the same rows by name.
func checkKept(t *testing.T, b *Benchmark, rows []cli.Record, whole bool) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", "benchmarks", b.Name+".txt")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return // not every benchmark has a table
	}
	var text strings.Builder
	if err := (&cli.Printer{W: &text, Format: "text"}).PrintRows(rows); err != nil {
		t.Fatal(err)
	}
	_, table := kept(t, path)
	head := func(text string) []string {
		line, _, _ := strings.Cut(text, "\n")
		return between.Split(strings.TrimSpace(line), -1)
	}
	renew := "tools/benchmarks " + b.Name + " makes it anew"
	names := head(table)
	if now := head(text.String()); !slices.Equal(now, names) {
		t.Errorf("%s: the table that is kept has the columns\n%q\nthe benchmark has\n%q\n%s", b.Name, names, now, renew)
		return
	}
	if !whole {
		return
	}
	had, has := columns(t, table, b.Varies), columns(t, text.String(), b.Varies)
	for _, name := range labels {
		if !slices.Equal(had[name], has[name]) {
			t.Errorf("%s: in column %q the table that is kept names the rows\n%q\nthe benchmark\n%q\n%s", b.Name, name, had[name], has[name], renew)
		}
	}
}

// TestTables compares the tables that are kept with those of today.
func TestTables(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "benchmarks", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d tables, %v", len(files), err)
	}
	wanted := strings.Fields(os.Getenv("MTT_TABLES"))
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		command, table := kept(t, path)
		i := slices.IndexFunc(All, func(b Benchmark) bool { return b.Name == name })
		if i < 0 || len(command) < 3 || command[2] != name {
			t.Errorf("%s holds no benchmark: %v", path, command)
			continue
		}
		want := columns(t, table, All[i].Varies)
		if os.Getenv("MTT_NIGHTLY") == "" || len(wanted) > 0 && !slices.Contains(wanted, name) {
			continue
		}
		t.Run(name, func(t *testing.T) { compareTable(t, &All[i], command[3:], want) })
	}
}

// compareTable runs a benchmark with the options of a command line.
func compareTable(t *testing.T, b *Benchmark, args []string, want map[string][]string) {
	o := &measure.Options{}
	options := o.Bind()
	for len(args) > 0 {
		option, value := cli.Find(options, strings.TrimLeft(args[0], "-")), "true"
		if args = args[1:]; !option.IsBool {
			value, args = args[0], args[1:]
		}
		if err := option.Set(value); err != nil {
			t.Fatal(err)
		}
	}
	if o.Quick {
		o.Seeds = 1
	}
	if slices.Contains(words("real kinds lap-batch"), b.Name) {
		o.Data = benchData(t)
	}
	rows, err := b.Run(t.Context(), &measure.Run{
		Options: *o, First: 1, Workers: runtime.GOMAXPROCS(0), Note: t.Logf, Step: func(string) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := (&cli.Printer{W: &text, Format: "text"}).PrintRows(rows); err != nil {
		t.Fatal(err)
	}
	got := columns(t, text.String(), b.Varies)
	for name, cells := range want {
		if !slices.Equal(got[name], cells) {
			t.Errorf("column %q is\n%q\nthe table that is kept has\n%q", name, got[name], cells)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d columns, the table that is kept has %d", len(got), len(want))
	}
}
