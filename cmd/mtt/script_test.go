package main

// This file runs the scripts of testdata/script: one behaviour each, one bug
// ever fixed each.

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be the command: for scripts, which find it under
// the name mtt, and for tests that start it with MTT_TEST_MAIN set.
func TestMain(m *testing.M) {
	if os.Getenv("MTT_TEST_MAIN") != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"mtt": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			samples, err := filepath.Abs("../../testdata")
			env.Setenv("SAMPLES", samples)
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": exits,
			"json":  jsonValue,
			"lines": lines,
			"tear":  tear,
		},
	})
}

// exits N COMMAND… runs the command and wants exit status N.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// json FILE KEY wants the first line of FILE to be a JSON object with KEY, a path
// such as seconds.solve or gates.0.itcp; json FILE KEY REGEXP wants its value to
// match as well. FILE may be stdout.
func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 && len(args) != 3 {
		ts.Fatalf("usage: [!] json FILE KEY [REGEXP]")
	}
	line, _, _ := strings.Cut(ts.ReadFile(args[0]), "\n")
	value, ok := lookUp(ts, line, args[1])
	if ok && len(args) == 3 {
		ok = regexp.MustCompile("^(?:" + args[2] + ")$").MatchString(value)
	}
	if ok == neg {
		ts.Fatalf("%s: %s is %q in %s", args[0], args[1], value, line)
	}
}

// lookUp returns the value under the path key in a JSON object: text as it is,
// anything else as JSON.
func lookUp(ts *testscript.TestScript, object, key string) (string, bool) {
	raw := json.RawMessage(object)
	for part := range strings.SplitSeq(key, ".") {
		var fields map[string]json.RawMessage
		var list []json.RawMessage
		if json.Unmarshal(raw, &fields) == nil {
			raw = fields[part]
		} else if i, err := strconv.Atoi(part); err == nil && json.Unmarshal(raw, &list) == nil && i < len(list) {
			raw = list[i]
		} else {
			ts.Fatalf("no object or list at %s in %s", part, object)
		}
		if raw == nil {
			return "", false
		}
	}
	var text string
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text, true
	}
	return string(raw), true
}

// lines FILE N wants FILE to have N lines.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] lines FILE N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	if got := strings.Count(ts.ReadFile(args[0]), "\n"); (got == want) == neg {
		ts.Fatalf("%s has %d lines, want %d", args[0], got, want)
	}
}

// tear FILE N takes the last N bytes off FILE, as a process that is killed while it writes might.
func tear(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tear FILE BYTES")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text[:max(0, len(text)-n)]), 0o666))
}
