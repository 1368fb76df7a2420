package main

// This file tests that the commands fit together.

import (
	"io"
	"strings"
	"testing"

	"mtt/internal/cli"
)

// TestOptionsAgree checks what split relies on: options of the same name take a
// value in every command or in none.
func TestOptionsAgree(t *testing.T) {
	app := program()
	commands := app.List(cli.NewSession(app, []string{"mtt"}, nil, io.Discard, io.Discard))
	for _, c := range commands {
		for i := range c.Options {
			o := &c.Options[i]
			if first := cli.FindOption(commands, o.Name); first.IsBool != o.IsBool {
				t.Errorf("mtt %s: --%s is a switch: %t, elsewhere %t", c.Name, o.Name, o.IsBool, first.IsBool)
			}
			if cli.Find(c.Options, o.Name) != o {
				t.Errorf("mtt %s has --%s twice", c.Name, o.Name)
			}
			if o.Usage == "" || strings.HasSuffix(o.Usage, ".") {
				t.Errorf("mtt %s: --%s: usage %q", c.Name, o.Name, o.Usage)
			}
		}
	}
}
