package mtt_test

// This file keeps the map of CONTRIBUTING.md true: every room on it is a package of
// this module, a room stands in a walk once, and who stands above another imports it.

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A stop is a line of a walk: a package, and the one above it that hands over to it.
type stop struct{ path, from string }

// walks reads the walks of a section: indented blocks whose lines begin with a
// package, those that it hands over to below it, two columns further in.
func walks(t *testing.T, text string) (list [][]stop) {
	t.Helper()
	const margin = 4
	var above []string // by depth
	for line := range strings.Lines(text) {
		place := strings.TrimLeft(line, " ")
		indent := len(line) - len(place) - margin
		word, _, _ := strings.Cut(strings.TrimSpace(place), " ")
		switch {
		case indent < 0 || word == "":
			above = nil
			continue
		case indent == 0:
			list = append(list, nil)
		case indent%2 != 0 || indent/2 > len(above):
			t.Fatalf("no room stands above %q", line)
		}
		above = append(above[:indent/2], "mtt/"+word)
		from := ""
		if indent > 0 {
			from = above[indent/2-1]
		}
		list[len(list)-1] = append(list[len(list)-1], stop{"mtt/" + word, from})
	}
	return list
}

func TestMap(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Two walks\n")
	if section, _, _ = strings.Cut(section, "\n## "); !found {
		t.Fatal("CONTRIBUTING.md has no section with walks")
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Skip("go list does not run here: ", err)
	}
	imports := make(map[string][]string)
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		imports[words[0]] = words[1:]
	}
	list := walks(t, section)
	if len(list) != 2 {
		t.Errorf("%d walks, want 2", len(list))
	}
	for _, walk := range list {
		seen := make(map[string]bool)
		for _, s := range walk {
			switch of, ok := imports[s.path]; {
			case !ok:
				t.Errorf("there is no package %s", s.path)
			case seen[s.path]:
				t.Errorf("the walk passes %s twice", s.path)
			case s.from != "" && !slices.Contains(imports[s.from], s.path):
				t.Errorf("%s does not import %s", s.from, s.path)
			case len(of) == 0 && s.from == "":
				t.Errorf("%s imports nothing", s.path)
			}
			seen[s.path] = true
		}
		if len(walk) < 8 {
			t.Errorf("a walk of %d rooms", len(walk))
		}
	}
}
