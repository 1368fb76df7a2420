package main

// This file is "mtt solvers": every assignment solver, and whether this build
// has it.

import (
	"cmp"
	"context"

	"mtt/internal/cli"
	"mtt/internal/solvers"
)

func newSolversCommand() *cli.Command {
	return &cli.Command{
		Name:     "solvers",
		Summary:  "lists the assignment solvers, and why one is not available",
		Examples: "mtt solvers\nmtt solvers --format csv\n",
		Run: func(_ context.Context, s *cli.Session, _ []string) error {
			return runSolvers(s)
		},
	}
}

func runSolvers(s *cli.Session) error {
	rows := make([]cli.Record, len(solvers.All))
	for i, info := range solvers.All {
		rows[i].Add("name", info.Name)
		why := info.Unavailable()
		rows[i].Add("available", why == "")
		rows[i].Add("detail", cmp.Or(why, info.Detail))
	}
	return s.Out.PrintRows(rows)
}
