package mtt_test

// This file runs the documentation: the commands and the Go code of README.md
// and docs, and the links and figures in them.
//
// Commands stand in blocks fenced as console. A line "$ COMMAND" is run by a
// shell, in a folder of its own for each document; the lines up to the next "$ "
// are what it prints, standard output and standard error together. Of the
// commands that begin with "go" only "go run ./cmd/mtt" is run. In the output a
// line "…" stands for any number of lines and "…" within a line for any text;
// runs of blanks count as one. Comments before a block say more:
//
//	<!-- test: file NAME -->      the block is a file that later commands read
//	<!-- test: within 0.01 -->    numbers may differ by this share
//	<!-- test: exit 2 -->         the last command of the block fails with this status
//	<!-- test: data -->           the block needs the folder ../shared
//	<!-- test: night -->          the block takes seconds: it is run at night and with -update
//	<!-- test: skip -->           the block is not run
//
// A block that names ../shared needs it without saying so; it is skipped where
// that folder is missing. Figures that the commands of
// docs/img/README.md make are compared with those in that folder, but for the
// options that they name. With -update the output in the documents, and the
// figures, become those of today; lines "…" stay.
//
// Every block of Go is part of example_test.go, where it is compiled and run, but for those below
// <!-- test: program -->, which are whole: such a block is main.go of a folder beside the checkout,
// where the commands of the next block are run.

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mtt/internal/golden"
	"mtt/internal/nightly"
)

// documents lists the files that are tested.
func documents(t *testing.T) []string {
	docs, err := filepath.Glob(filepath.Join("docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{"README.md", figures, filepath.Join("docs", "benchmarks", "README.md")}, docs...)
}

// figures says how the figures in its folder are made.
var figures = filepath.Join("docs", "img", "README.md")

// A block is a fenced block of a document.
type block struct {
	lang  string
	notes map[string]string // of the comment before it: first word → rest
	first int               // index of its first line in the document
	lines []string
}

var testComment = regexp.MustCompile(`^<!-- test: (\S+) ?(.*) -->$`)

// blocks reads the fenced blocks of a document.
func blocks(t *testing.T, name string, lines []string) []block {
	t.Helper()
	var list []block
	notes := map[string]string{}
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch lang, fenced := strings.CutPrefix(line, "```"); {
		case fenced:
			end := i + 1
			for end < len(lines) && lines[end] != "```" {
				end++
			}
			if end == len(lines) {
				t.Fatalf("%s:%d: the block does not end", name, i+1)
			}
			list = append(list, block{lang, notes, i + 1, lines[i+1 : end]})
			i, notes = end, map[string]string{}
		default:
			if m := testComment.FindStringSubmatch(line); m != nil {
				notes[m[1]] = m[2]
			}
		}
	}
	return list
}

// A session is a command of a block with its output, and the lines of the
// document that show it.
type session struct {
	command    string
	want       []string
	first, end int // lines[first:end] is want
}

// sessions splits a block at its prompts.
func (b *block) sessions() []session {
	var list []session
	for i, line := range b.lines {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			list = append(list, session{command: command, first: b.first + i + 1, end: b.first + i + 1})
		} else if n := len(list); n > 0 {
			list[n-1].want = append(list[n-1].want, line)
			list[n-1].end++
		}
	}
	return list
}

func TestCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("running the documentation takes some seconds")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell: ", err)
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "mtt"), "./cmd/mtt").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, name := range documents(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testDocument(t, name, bin)
		})
	}
}

// testDocument runs the blocks of a document in order.
func testDocument(t *testing.T, name, bin string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	dir, shared := workplace(t)
	type edit struct {
		first, end int
		lines      []string
	}
	var edits []edit
	for _, b := range blocks(t, name, lines) {
		if file, ok := b.notes["file"]; ok {
			text := strings.Join(b.lines, "\n") + "\n"
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, skip := b.notes["skip"]
		_, night := b.notes["night"]
		if b.lang != "console" || skip || night && !nightly.Is() && !golden.Update() {
			continue
		}
		_, data := b.notes["data"]
		if data = data || strings.Contains(strings.Join(b.lines, "\n"), "../shared/"); data && !shared {
			t.Logf("%s:%d: skipped: the development data is not here", name, b.first)
			continue
		}
		within, err := strconv.ParseFloat("0"+b.notes["within"], 64)
		if err != nil {
			t.Fatalf("%s:%d: %v", name, b.first, err)
		}
		list := b.sessions()
		for i, s := range list {
			command := strings.Replace(s.command, "go run ./cmd/mtt", "mtt", 1)
			if strings.HasPrefix(command, "go ") {
				continue
			}
			got, status := shell(t, dir, bin, command)
			want := 0
			if i == len(list)-1 && b.notes["exit"] != "" {
				want, _ = strconv.Atoi(b.notes["exit"])
			}
			if status != want {
				t.Errorf("%s:%d: %s: exit status %d, want %d\n%s", name, s.first, s.command, status, want, strings.Join(got, "\n"))
				continue
			}
			if len(s.want) == 0 || matches(s.want, got, within) {
				continue
			}
			if golden.Update() {
				edits = append(edits, edit{s.first, s.end, renew(s.want, got, within)})
				continue
			}
			t.Errorf("%s:%d: %s prints\n%s\nnot\n%s", name, s.first, s.command, strings.Join(got, "\n"), strings.Join(s.want, "\n"))
		}
	}
	if name == figures {
		compareFigures(t, dir)
	}
	if len(edits) == 0 {
		return
	}
	slices.Reverse(edits)
	for _, e := range edits {
		lines = slices.Replace(lines, e.first, e.end, e.lines...)
	}
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
}

// compareFigures compares the figures made in dir with those of the checkout.
func compareFigures(t *testing.T, dir string) {
	made, err := filepath.Glob(filepath.Join(dir, "*.svg"))
	if err != nil || len(made) == 0 {
		t.Fatalf("%s makes no figures (%v)", figures, err)
	}
	const most = 200_000 // bytes
	for _, path := range made {
		kept := filepath.Join(filepath.Dir(figures), filepath.Base(path))
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) > most {
			t.Errorf("%s has %d bytes, more than %d", kept, len(got), most)
		}
		want, err := os.ReadFile(kept)
		switch {
		case err == nil && bytes.Equal(drawing(got), drawing(want)):
		case golden.Update():
			if err := os.WriteFile(kept, got, 0o666); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is not what the command draws today (run the test with -update to accept it)", kept)
		}
	}
}

var description = regexp.MustCompile(`(?s)<desc>.*?</desc>`)

// drawing is a figure without the version and the options that made it.
func drawing(svg []byte) []byte { return description.ReplaceAll(svg, nil) }

// workplace makes a folder for the commands of one document: testdata, and the
// development data beside it when there is any.
func workplace(t *testing.T) (dir string, shared bool) {
	root := t.TempDir()
	dir = filepath.Join(root, "mtt")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	data := os.Getenv("MTT_SHARED")
	if data == "" {
		data = filepath.Join("..", "shared")
	}
	data, err := filepath.Abs(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(data, "data")); err != nil {
		return dir, false
	}
	return dir, os.Symlink(data, filepath.Join(root, "shared")) == nil
}

// shell runs a command line in dir, with the programs of bin first in the path,
// and returns the lines that it prints and its exit status.
func shell(t *testing.T, dir, bin, command string) (lines []string, status int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", "-c", command)
	c.Dir = dir
	c.Env = []string{"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8"}
	out, err := c.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"), status
}

// matches reports whether got is what want shows.
func matches(want, got []string, within float64) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == "…":
		return matches(want[1:], got, within) || len(got) > 0 && matches(want, got[1:], within)
	}
	return len(got) > 0 && matchLine(want[0], got[0], within) && matches(want[1:], got[1:], within)
}

var (
	blanks = regexp.MustCompile(`\s+`)
	pieces = regexp.MustCompile(`…|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?`) // what is not literal in a line
)

// matchLine reports whether the line got is what want shows.
func matchLine(want, got string, within float64) bool {
	want, got = blanks.ReplaceAllString(want, " "), blanks.ReplaceAllString(got, " ")
	var pattern strings.Builder
	var numbers []string
	at := 0
	for _, m := range pieces.FindAllStringIndex(want, -1) {
		pattern.WriteString(regexp.QuoteMeta(want[at:m[0]]))
		if piece := want[m[0]:m[1]]; piece == "…" {
			pattern.WriteString(".*")
		} else {
			pattern.WriteString(`(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)`)
			numbers = append(numbers, piece)
		}
		at = m[1]
	}
	pattern.WriteString(regexp.QuoteMeta(want[at:]))
	m := regexp.MustCompile("^" + pattern.String() + "$").FindStringSubmatch(got)
	if m == nil {
		return false
	}
	for i, w := range numbers {
		if !near(w, m[i+1], within) {
			return false
		}
	}
	return true
}

// near reports whether two numbers are the same text or differ by at most the
// share within.
func near(a, b string, within float64) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return a == b || errX == nil && errY == nil && math.Abs(x-y) <= within*max(math.Abs(x), math.Abs(y))
}

// renew is the output got, shortened as want shortens it. Lines of want that still
// hold stay; where lines are left out, another becomes the next one of got that
// begins with the same word.
func renew(want, got []string, within float64) []string {
	if !slices.Contains(want, "…") {
		lines := slices.Clone(got)
		for i, g := range got {
			if k := slices.IndexFunc(want, func(w string) bool { return matchLine(w, g, within) }); k >= 0 {
				lines[i] = want[k]
			}
		}
		return lines
	}
	label := func(line string) string {
		return strings.Join(strings.Fields(pieces.ReplaceAllString(line, " # "))[:1], " ")
	}
	var lines []string
	for _, w := range want {
		if w == "…" {
			lines = append(lines, w)
			continue
		}
		i := slices.IndexFunc(got, func(g string) bool { return matchLine(w, g, within) })
		if i >= 0 {
			lines, got = append(lines, w), got[i+1:]
		} else if i = slices.IndexFunc(got, func(g string) bool { return g != "" && w != "" && label(g) == label(w) }); i >= 0 {
			lines, got = append(lines, got[i]), got[i+1:]
		}
	}
	return lines
}

// TestRenew checks the rules that the documents rely on.
func TestRenew(t *testing.T) {
	got := []string{"run      runs/latest", "status   optimal", "gap      0.5", "seconds  1.25, 2"}
	tests := []struct {
		want    string
		within  float64
		matches bool
		renewed string
	}{
		{"run runs/latest|status optimal|gap 0.5|seconds …", 0, true, ""},
		{"run …|…", 0, true, ""},
		{"…|gap 0.5|…", 0, true, ""},
		{"…|gap 0.51|…", 0.02, true, ""},
		{"…|gap 0.51|…", 0.01, false, "…|gap      0.5|…"},
		{"…|status optimal", 0, false, "…|status optimal"},
		{"run runs/latest", 0, false, "run runs/latest|" + strings.Join(got[1:], "|")},
		{"seconds …|gap 0.6|run …", 0, false, "run …|status   optimal|gap      0.5|seconds …"},
	}
	for _, tt := range tests {
		want := strings.Split(tt.want, "|")
		if m := matches(want, got, tt.within); m != tt.matches {
			t.Errorf("matches(%q) = %t, want %t", tt.want, m, tt.matches)
		}
		if tt.renewed == "" {
			continue
		}
		if r := strings.Join(renew(want, got, tt.within), "|"); r != tt.renewed {
			t.Errorf("renew(%q) = %q, want %q", tt.want, r, tt.renewed)
		}
	}
}

// TestPrograms does with whole programs what the documents say.
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("a program is compiled")
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list := blocks(t, name, strings.Split(string(text), "\n"))
		for k, b := range list {
			if _, program := b.notes["program"]; !program {
				continue
			}
			found = true
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(strings.Join(b.lines, "\n")+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, s := range list[k+1].sessions() {
				words := strings.Fields(strings.ReplaceAll(s.command, "../mtt", here)) // where it is compiled already
				c := exec.CommandContext(t.Context(), words[0], words[1:]...)
				c.Dir, c.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
				out, err := c.CombinedOutput()
				if err != nil {
					t.Fatalf("%s:%d: %s: %v\n%s", name, s.first, s.command, err, out)
				}
				if got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"); len(s.want) > 0 && !matches(s.want, got, 0) {
					t.Errorf("%s:%d: %s prints\n%s", name, s.first, s.command, out)
				}
			}
		}
	}
	if !found {
		t.Error("no document has a whole program")
	}
}

// TestGoBlocks finds every block of Go in the examples.
func TestGoBlocks(t *testing.T) {
	text, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	examples := "\n" + unindented(strings.Split(string(text), "\n"))
	for _, name := range documents(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks(t, name, strings.Split(string(text), "\n")) {
			if _, program := b.notes["program"]; b.lang == "go" && !program && !strings.Contains(examples, "\n"+unindented(b.lines)) {
				t.Errorf("%s:%d: this block is not in example_test.go, line for line", name, b.first)
			}
		}
	}
}

// unindented is the lines without blanks at their beginnings.
func unindented(lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimLeft(line, "\t ") + "\n")
	}
	return b.String()
}

var link = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)

// TestLinks follows the links from one file of the checkout to another.
func TestLinks(t *testing.T) {
	for _, name := range append(documents(t), "CONTRIBUTING.md", "CHANGELOG.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			path := filepath.Join(filepath.Dir(name), filepath.FromSlash(m[1]))
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: link to %s: %v", name, m[1], err)
			}
		}
	}
}

var shownAgain = regexp.MustCompile("go test (?:.* )?-run (\\S+) .*?\\./([\\w/]+)`")

// TestShownAgain looks for the tests that docs/reliability.md says to run: go test is content with a name that none has.
func TestShownAgain(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("docs", "reliability.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := shownAgain.FindAllStringSubmatch(string(text), -1)
	if len(commands) < 10 {
		t.Errorf("%d commands found, want 10 or more", len(commands))
	}
	for _, m := range commands {
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(m[2]), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var tests []byte
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			tests = append(tests, b...)
		}
		for name := range strings.SplitSeq(m[1], `\|`) {
			if !strings.Contains(string(tests), "\nfunc "+strings.Trim(name, `"$`)+"(") {
				t.Errorf("%s: package %s has no %s", m[0], m[2], name)
			}
		}
	}
}
