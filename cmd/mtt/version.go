package main

// This file is "mtt version".

import (
	"context"
	"runtime"
	"runtime/debug"
)

// version is the version of the program; between releases it names the next one.
const version = "0.1.0-dev"

func newVersionCommand() *command {
	return &command{
		name:     "version",
		summary:  "prints the version, and what the program was built with",
		examples: "mtt version\nmtt version --format json\n",
		run: func(_ context.Context, s *session, _ []string) error {
			return runVersion(s)
		},
	}
}

func runVersion(s *session) error {
	var r record
	r.add("version", version)
	r.add("revision", revision())
	r.add("go", runtime.Version())
	r.add("platform", runtime.GOOS+"/"+runtime.GOARCH)
	return s.out.print(r)
}

// revision is the commit that the program was built from, "-dirty" appended when
// it had changes, or "unknown".
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	commit, dirty := "unknown", ""
	for _, setting := range info.Settings {
		switch {
		case setting.Key == "vcs.revision":
			commit = setting.Value
		case setting.Key == "vcs.modified" && setting.Value == "true":
			dirty = "-dirty"
		}
	}
	return commit + dirty
}
