package main

// This file tests the parts of the command that scripts do not reach.

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testCommands are commands whose run is not called.
func testCommands() []*command {
	var noise float64
	var gates []float64
	var name string
	var fast bool
	out := text(&name, "out", "")
	out.alias = "o"
	return []*command{
		{name: "run", options: []option{
			number(&noise, "noise", math.Inf(-1), math.Inf(1), ""),
			numbers(&gates, "gates", 0, ""), boolean(&fast, "fast", ""), out,
		}},
		{name: "walk", options: []option{out}},
	}
}

func TestArrange(t *testing.T) {
	tests := []struct {
		line string
		want string // words joined by blanks; "error: …" for an error
	}{
		{"run", "run --"},
		{"run A B", "run -- A B"},
		{"run A --noise 2 B", "run --noise=2 -- A B"},
		{"run A --noise=2 B", "run --noise=2 -- A B"},
		{"run -noise 2", "run --noise=2 --"},
		{"run --noise -1.5", "run --noise=-1.5 --"},
		{"run --noise -.5 -7", "run --noise=-.5 -- -7"},
		{"run -- --noise 2", "run -- --noise 2"},
		{"run A -- -B", "run -- A -B"},
		{"run - A", "run -- - A"},
		{"run -o F A", "run --out=F -- A"},
		{"-o F run A", "run --out=F -- A"},
		{"--noise 3 run A", "run --noise=3 -- A"},
		{"run --fast A", "run --fast=true -- A"},
		{"run --fast=false A", "run --fast=false -- A"},
		{"run --out --weird A", "run --out=--weird -- A"},
		{"run --gates 1,2 --gates 3", "run --gates=1,2 --gates=3 --"},
		{"run --noise=", "run --noise= --"},
		{"run A --help --noise", "run --help"},
		{"help run", "run --help"},
		{"help", "--help"},
		{"--help", "--help"},
		{"--version", "version"},
		{"run --nose 2", "error: unknown option --nose of 'mtt run'; did you mean --noise?"},
		{"--nose 2 run", "error: unknown option --nose; did you mean --noise?"},
		{"walk --noise 2", "error: 'mtt walk' has no option --noise; --noise is an option of mtt run"},
		{"run --out --fast", "error: option --out needs a value; "},
		{"run --out", "error: option --out needs a value; "},
		{"run --fast=perhaps", "error: option --fast=perhaps: the value is neither true nor false; "},
		{"rnu", "error: unknown command \"rnu\"; did you mean mtt run?"},
		{"", "error: no command given; 'mtt --help' lists the commands"},
	}
	for _, tt := range tests {
		words, err := arrange(strings.Fields(tt.line), testCommands())
		got := strings.Join(words, " ")
		if err != nil {
			got = "error: " + err.Error() + "; " + hintOf(err)
			if exitStatus(err) != exitUsage {
				t.Errorf("arrange(%q): exit status %d, want %d", tt.line, exitStatus(err), exitUsage)
			}
		}
		if got != tt.want {
			t.Errorf("arrange(%q) = %s, want %s", tt.line, got, tt.want)
		}
	}
}

// TestOptionsAgree checks what split relies on: options of the same name take a
// value in every command or in none.
func TestOptionsAgree(t *testing.T) {
	commands := newCommands(newSession([]string{"mtt"}, nil, io.Discard, io.Discard))
	for _, c := range commands {
		for i := range c.options {
			o := &c.options[i]
			if first := findOption(commands, o.name); first.isBool != o.isBool {
				t.Errorf("mtt %s: --%s is a switch: %t, elsewhere %t", c.name, o.name, o.isBool, first.isBool)
			}
			if find(c.options, o.name) != o {
				t.Errorf("mtt %s has --%s twice", c.name, o.name)
			}
			if o.usage == "" || strings.HasSuffix(o.usage, ".") {
				t.Errorf("mtt %s: --%s: usage %q", c.name, o.name, o.usage)
			}
		}
	}
}

func TestNumber(t *testing.T) {
	x, n, seed := 0.0, 0, uint64(0)
	options := []option{
		number(&x, "x", 0, 1, ""),
		number(&n, "n", 1, math.Inf(1), ""),
		number(&seed, "seed", 0, math.Inf(1), ""),
	}
	tests := []struct {
		option int
		text   string
		ok     bool
	}{
		{0, "0.5", true}, {0, "1e-3", true}, {0, "1.5", false}, {0, "-0.1", false},
		{0, "NaN", false}, {0, "Inf", false}, {0, "1e999", false}, {0, "", false},
		{1, "3", true}, {1, "0", false}, {1, "2.5", false},
		{2, "18446744073709551615", true}, {2, "-1", false},
	}
	for _, tt := range tests {
		o := options[tt.option]
		before := o.value()
		err := o.set(tt.text)
		if (err == nil) != tt.ok {
			t.Errorf("%s.set(%q): error %v, want success: %t", o.name, tt.text, err, tt.ok)
		}
		if err != nil && o.value() != before {
			t.Errorf("%s.set(%q) failed and changed the value to %s", o.name, tt.text, o.value())
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"simulate", "import", "score", "solvers", "version"}
	tests := []struct{ word, want string }{
		{"simulat", "simulate"}, {"sim", "simulate"}, {"smiulate", "simulate"},
		{"SCORE", "score"}, {"scroe", "score"}, {"solver", "solvers"}, {"elephant", ""}, {"x", ""},
	}
	for _, tt := range tests {
		if got := nearest(tt.word, names); got != tt.want {
			t.Errorf("nearest(%q) = %q, want %q", tt.word, got, tt.want)
		}
	}
}

// TestFormats prints one record in the three forms.
func TestFormats(t *testing.T) {
	var seconds record
	seconds.add("read", 0.25)
	seconds.add("solve", 1e-7)
	var gate record
	gate.add("gate", 1.5)
	gate.add("itcp", math.NaN())
	var r record
	r.add("run", `a "b", c`)
	r.add("tracks", 12)
	r = append(r, field{key: "gap_percent", value: 0.30000000000000004, unit: "%", note: "of the bounds"})
	r.add("upper_bound", math.Inf(1))
	r.add("seconds", seconds)
	r.add("gates", []record{gate, gate})
	r.add("notes", []string{"x", "y"})

	tests := []struct{ format, want string }{
		{"json", `{"run":"a \"b\", c","tracks":12,"gap_percent":0.30000000000000004,"upper_bound":null,` +
			`"seconds":{"read":0.25,"solve":1e-7},"gates":[{"gate":1.5,"itcp":null},{"gate":1.5,"itcp":null}],"notes":["x","y"]}` + "\n"},
		{"csv", "run,tracks,gap_percent,upper_bound,seconds.read,seconds.solve,gates.0.gate,gates.0.itcp,gates.1.gate,gates.1.itcp,notes\n" +
			`"a ""b"", c",12,0.30000000000000004,,0.25,1e-7,1.5,,1.5,,x;y` + "\n"},
		{"text", `run          a "b", c
tracks       12
gap percent  0.3 %                   of the bounds
upper bound  -
seconds      read 0.25, solve 1e-07
notes        x
             y

gates
gate  itcp
 1.5     -
 1.5     -
`},
	}
	for _, tt := range tests {
		var b strings.Builder
		p := &printer{w: &b, format: tt.format}
		if err := p.print(r); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.format, diff)
		}
	}
}

// TestCSVHeader prints one header for equal records.
func TestCSVHeader(t *testing.T) {
	var b strings.Builder
	p := &printer{w: &b, format: "csv"}
	for _, r := range []record{{{key: "a", value: 1}}, {{key: "a", value: 2}}, {{key: "b", value: 3}}} {
		if err := p.print(r); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.String(), "a\n1\n2\nb\n3\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestEachInput goes on after a failure and returns the worst status.
func TestEachInput(t *testing.T) {
	var b strings.Builder
	s := newSession([]string{"mtt"}, nil, io.Discard, &b)
	var seen []string
	err := eachInput(t.Context(), s, []string{"good", "bad", "worse", "good"}, func(_ context.Context, input string) error {
		seen = append(seen, input)
		switch input {
		case "bad":
			return badInput(errors.New("bad: line 3"))
		case "worse":
			return &fault{status: exitInfeasible, err: errors.New("no answer")}
		}
		return nil
	})
	if got := exitStatus(err); got != exitInfeasible {
		t.Errorf("exit status %d, want %d", got, exitInfeasible)
	}
	if !slices.Equal(seen, []string{"good", "bad", "worse", "good"}) {
		t.Errorf("inputs seen: %v", seen)
	}
	if want := "mtt: bad: line 3\nmtt: no answer\n"; b.String() != want {
		t.Errorf("messages %q, want %q", b.String(), want)
	}
}

// TestPanic turns a bug into a message and status 1.
func TestPanic(t *testing.T) {
	var b strings.Builder
	s := newSession([]string{"mtt"}, nil, io.Discard, &b)
	if status := s.guard(func() error { panic("costgen: slices differ") }); status != exitFailed {
		t.Errorf("exit status %d, want %d", status, exitFailed)
	}
	want := "mtt: internal error: costgen: slices differ\nmtt: hint: this is a bug of mtt; "
	if !strings.HasPrefix(b.String(), want) || !strings.Contains(b.String(), "TestPanic") {
		t.Errorf("standard error %q, want it to begin with %q and to show the stack", b.String(), want)
	}
}

func TestShellQuote(t *testing.T) {
	got := shellQuote([]string{"mtt", "track", "my run", "it's", "", "--gate=disc:5"})
	if want := `mtt track 'my run' 'it'\''s' '' --gate=disc:5`; got != want {
		t.Errorf("shellQuote = %s, want %s", got, want)
	}
}
