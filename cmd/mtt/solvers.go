package main

// This file is "mtt solvers": every assignment solver, and whether this build
// has it.

import "context"

// A solverInfo describes one linear assignment solver for --lap and --solver.
type solverInfo struct {
	name   string
	detail string // what it is, or why it is not available
	ready  bool
}

// solvers lists the assignment solvers in the order in which they are shown.
var solvers = []solverInfo{
	{"ssp", "shortest augmenting paths over sparse rows, warm started; exact, with dual prices", true},
	{"hungarian", "not in this build: planned", false},
	{"auction", "not in this build: planned", false},
	{"cuda", "not in this build: planned, for NVIDIA GPUs behind the build tag cuda", false},
	{"fpga", "not in this build: planned, as a model of the hardware", false},
}

func newSolversCommand() *command {
	return &command{
		name:     "solvers",
		summary:  "lists the assignment solvers, and why one is not available",
		examples: "mtt solvers\nmtt solvers --format csv\n",
		run: func(_ context.Context, s *session, _ []string) error {
			return runSolvers(s)
		},
	}
}

func runSolvers(s *session) error {
	rows := make([]record, len(solvers))
	for i, info := range solvers {
		rows[i].add("name", info.name)
		rows[i].add("available", info.ready)
		rows[i].add("detail", info.detail)
	}
	return s.out.printRows(rows)
}
