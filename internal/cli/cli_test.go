package cli

// This file tests the frame of a program without one.

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
func testCommands() []*Command {
	var noise float64
	var gates []float64
	var name string
	var fast bool
	out := Text(&name, "out", "")
	out.alias = "o"
	return []*Command{
		{Name: "run", Options: []Option{
			Number(&noise, "noise", math.Inf(-1), math.Inf(1), ""),
			Numbers(&gates, "gates", 0, ""), Boolean(&fast, "fast", ""), out,
		}},
		{Name: "walk", Options: []Option{out}},
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
		words, err := arrange("mtt", strings.Fields(tt.line), testCommands())
		got := strings.Join(words, " ")
		if err != nil {
			got = "error: " + err.Error() + "; " + HintOf(err)
			if ExitStatus(err) != ExitUsage {
				t.Errorf("arrange(%q): exit status %d, want %d", tt.line, ExitStatus(err), ExitUsage)
			}
		}
		if got != tt.want {
			t.Errorf("arrange(%q) = %s, want %s", tt.line, got, tt.want)
		}
	}
}

func TestNumber(t *testing.T) {
	x, n, seed := 0.0, 0, uint64(0)
	options := []Option{
		Number(&x, "x", 0, 1, ""),
		Number(&n, "n", 1, math.Inf(1), ""),
		Number(&seed, "seed", 0, math.Inf(1), ""),
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
		before := o.Value()
		err := o.Set(tt.text)
		if (err == nil) != tt.ok {
			t.Errorf("%s.set(%q): error %v, want success: %t", o.Name, tt.text, err, tt.ok)
		}
		if err != nil && o.Value() != before {
			t.Errorf("%s.set(%q) failed and changed the value to %s", o.Name, tt.text, o.Value())
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
	var seconds Record
	seconds.Add("read", 0.25)
	seconds.Add("solve", 1e-7)
	var gate Record
	gate.Add("gate", 1.5)
	gate.Add("itcp", math.NaN())
	var r Record
	r.Add("run", `a "b", c`)
	r.Add("tracks", 12)
	r = append(r, Field{Key: "gap_percent", Value: 0.30000000000000004, Unit: "%", Note: "of the bounds"})
	r.Add("upper_bound", math.Inf(1))
	r.Add("seconds", seconds)
	r.Add("gates", []Record{gate, gate})
	r.Add("notes", []string{"x", "y"})

	tests := []struct{ format, want string }{
		{"json", `{"run":"a \"b\", c","tracks":12,"gap_percent":0.30000000000000004,"upper_bound":null,` +
			`"seconds":{"read":0.25,"solve":1e-7},"gates":[{"gate":1.5,"itcp":null},{"gate":1.5,"itcp":null}],"notes":["x","y"]}` + "\n"},
		{"csv", "run,tracks,gap_percent,upper_bound,seconds.read,seconds.solve,gates.0.gate,gates.0.itcp,gates.1.gate,gates.1.itcp,notes\n" +
			`"a ""b"", c",12,0.30000000000000004,,0.25,1e-7,1.5,,1.5,,x;y` + "\n"},
		{"text", `run          a "b", c
tracks       12
gap percent  0.3 %  of the bounds
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
		p := &Printer{W: &b, Format: tt.format}
		if err := p.Print(r); err != nil {
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
	p := &Printer{W: &b, Format: "csv"}
	for _, r := range []Record{{{Key: "a", Value: 1}}, {{Key: "a", Value: 2}}, {{Key: "b", Value: 3}}} {
		if err := p.Print(r); err != nil {
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
	s := NewSession(&App{Name: "mtt"}, []string{"mtt"}, nil, io.Discard, &b)
	var seen []string
	err := EachInput(t.Context(), s, []string{"good", "bad", "worse", "good"}, func(_ context.Context, input string) error {
		seen = append(seen, input)
		switch input {
		case "bad":
			return BadInput(errors.New("bad: line 3"))
		case "worse":
			return &Fault{Status: ExitInfeasible, Err: errors.New("no answer")}
		}
		return nil
	})
	if got := ExitStatus(err); got != ExitInfeasible {
		t.Errorf("exit status %d, want %d", got, ExitInfeasible)
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
	s := NewSession(&App{Name: "mtt"}, []string{"mtt"}, nil, io.Discard, &b)
	if status := s.guard(func() error { panic("costgen: slices differ") }); status != ExitFailed {
		t.Errorf("exit status %d, want %d", status, ExitFailed)
	}
	want := "mtt: internal error: costgen: slices differ\nmtt: hint: this is a bug of mtt; "
	if !strings.HasPrefix(b.String(), want) || !strings.Contains(b.String(), "TestPanic") {
		t.Errorf("standard error %q, want it to begin with %q and to show the stack", b.String(), want)
	}
}
