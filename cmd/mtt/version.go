package main

// This file is "mtt version".

import (
	"context"
	"runtime"

	"mtt/internal/cli"
	"mtt/internal/version"
)

func newVersionCommand() *cli.Command {
	return &cli.Command{
		Name:     "version",
		Summary:  "prints the version, and what the program was built with",
		Examples: "mtt version\nmtt version --format json\n",
		Run: func(_ context.Context, s *cli.Session, _ []string) error {
			return runVersion(s)
		},
	}
}

func runVersion(s *cli.Session) error {
	var r cli.Record
	r.Add("version", version.Version)
	r.Add("revision", version.Revision())
	r.Add("go", runtime.Version())
	r.Add("platform", runtime.GOOS+"/"+runtime.GOARCH)
	return s.Out.Print(r)
}
