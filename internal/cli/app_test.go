package cli

// This file runs a small program with every part of the frame.

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// greeter is a program of one command, which counts.
func greeter() *App {
	return &App{
		Name:    "greet",
		Summary: "says hello",
		Commands: func() []*Command {
			times, who, of := 1, "you", ""
			c := &Command{
				Name: "hello", Summary: "greets", Args: "[NAME…]", MaxArgs: -1, Examples: "greet hello\n",
				Options: []Option{
					Number(&times, "times", 1, 9, "`N` greetings"),
					Text(&of, "of", "`A,…` of some"),
					Choice(&who, "who", []string{"you", "me"}, "`WHO` is meant"),
				},
			}
			c.Run = func(ctx context.Context, s *Session, args []string) error {
				s.Note("%d names", len(args))
				if len(args) == 0 {
					return s.Out.Print(Record{{Key: "times", Value: times}, {Key: "who", Value: who}, {Key: "seed", Value: s.Common.Seed}})
				}
				return EachInput(ctx, s, args, func(_ context.Context, name string) error {
					if name == "nobody" {
						return BadInput(errors.New("nobody is here"))
					}
					return s.Out.Print(Record{{Key: "hello", Value: name}})
				})
			}
			return []*Command{c, CompletionCommand("greet")}
		},
		Keys:      []string{"version"},
		Variables: []string{"GREET_OTHER"},
		Write: func(path string, write func(io.Writer) error) error {
			f, err := os.Create(path)
			if err != nil {
				return err
			}
			return errors.Join(write(f), f.Close())
		},
	}
}

// TestApp runs command lines. Values come from the command line, then the
// environment, then the file, then the default.
func TestApp(t *testing.T) {
	t.Chdir(t.TempDir())
	file := "version = \"1\"\nseed = 5\n[hello]\ntimes = 3\nwho = \"me\"\n"
	if err := os.WriteFile("greet.toml", []byte(file), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("wrong.toml", []byte("[hello]\ntiems = 3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		line, env      string
		status         int
		stdout, stderr string // what is found there
	}{
		{line: "hello --format csv", stdout: "times,who,seed\n1,you,1\n", stderr: "greet: 0 names\n"},
		{line: "hello --config greet.toml --format csv", stdout: "3,me,5\n"},
		{line: "hello --config greet.toml --format csv", env: "4", stdout: "4,me,5\n"},
		{line: "hello --times 6 --config greet.toml --seed 8 --format csv", env: "4", stdout: "6,me,8\n"},
		{line: "--quiet hello A B --format json", stdout: "{\"hello\":\"A\"}\n{\"hello\":\"B\"}\n"},
		{line: "hello A nobody B --format json", status: ExitUsage, stdout: "\"B\"", stderr: "greet: nobody is here\n"},
		{line: "hello --config wrong.toml", status: ExitUsage, stderr: "greet: wrong.toml: unknown key \"hello.tiems\"\ngreet: hint: did you mean times?\n"},
		{line: "hello --times 10", status: ExitUsage, stderr: "greet: option --times: 10 lies outside 1…9\n"},
		{line: "hello --who mee", status: ExitUsage, stderr: "greet: hint: did you mean me?\n"},
		{line: "helo", status: ExitUsage, stderr: "greet: hint: did you mean greet hello?\n"},
		{line: "hello --help", stdout: "greet hello [options] [NAME…]"},
		{line: "hello --help", stdout: "--times N  N greetings (default: 1)\n"},
		{line: "hello --help", stdout: "--times N  N greetings (default: 1)\n   --of A,…   A,… of some\n"},
		{line: "--help", stdout: "hello       greets\n"},
		{line: "hello --log json", stderr: "{\"level\":\"INFO\",\"msg\":\"0 names\"}\n", stdout: "times  1\n"},
		{line: "completion bash", stdout: "complete -o bashdefault -o default -F _greet greet\n"},
	}
	for _, tt := range tests {
		t.Setenv("GREET_TIMES", tt.env)
		var stdout, stderr strings.Builder
		status := greeter().Run(t.Context(), append([]string{"greet"}, strings.Fields(tt.line)...), nil, &stdout, &stderr)
		if status != tt.status || !strings.Contains(stdout.String(), tt.stdout) || !strings.Contains(stderr.String(), tt.stderr) {
			t.Errorf("%s (%s): exit status %d\n%s%s", tt.line, tt.env, status, &stdout, &stderr)
		}
	}
}

// TestAppOut writes results to the file of --out, and nothing to standard output.
func TestAppOut(t *testing.T) {
	t.Chdir(t.TempDir())
	var stdout strings.Builder
	if status := greeter().Run(t.Context(), []string{"greet", "hello", "-o", "out.txt"}, nil, &stdout, io.Discard); status != ExitDone {
		t.Fatalf("exit status %d", status)
	}
	text, err := os.ReadFile("out.txt")
	if err != nil || stdout.Len() > 0 || !strings.HasPrefix(string(text), "times  1\n") {
		t.Errorf("%q in the file, %q on standard output; %v", text, &stdout, err)
	}
}

// TestAppResume prints how to go on after an interrupt.
func TestAppResume(t *testing.T) {
	app := greeter()
	var stderr strings.Builder
	s := NewSession(app, []string{"/bin/greet", "hello", "--from=x", "--from", "y", "you"}, nil, io.Discard, &stderr)
	s.Resume = [2]string{"from", "z"}
	if status := s.guard(func() error { return context.Canceled }); status != ExitInterrupted {
		t.Errorf("exit status %d", status)
	}
	if want := "greet: hint: resume with: greet hello you --from z\n"; !strings.HasSuffix(stderr.String(), want) {
		t.Errorf("standard error %q, want it to end with %q", &stderr, want)
	}
}
