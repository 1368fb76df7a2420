package main

// This file is "mtt solvers": every assignment solver, and whether this build
// has it.

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"mtt/mapsolver"
	"mtt/mapsolver/auction"
	"mtt/mapsolver/auto"
	"mtt/mapsolver/cuda"
	"mtt/mapsolver/hungarian"
	"mtt/mapsolver/ssp"
)

// A solverInfo describes one linear assignment solver for --lap.
type solverInfo struct {
	name   string
	detail string                  // what it is, or why it is not available
	make   func() mapsolver.Solver // nil: not available
}

// solvers lists the assignment solvers in the order in which they are shown.
var solvers = []solverInfo{
	{"auto", "dense for large problems that allow every pair and have no miss costs, else ssp; mtt track: ssp",
		func() mapsolver.Solver { return &auto.Solver{} }},
	{"ssp", "shortest augmenting paths over sparse rows, warm started; exact, with dual prices",
		func() mapsolver.Solver { return &ssp.Solver{} }},
	{"dense", "Algorithm 1015: full rows, falling epsilon or column reduction; miss costs are left to ssp; exact, with dual prices",
		func() mapsolver.Solver { return &auto.Solver{Method: auto.Dense} }},
	{"hungarian", "Munkres' method on sparse rows, zeros kept in a compressed list; exact, with dual prices",
		func() mapsolver.Solver { return &hungarian.Solver{} }},
	{"hungarian-tree", "the Hungarian method with one alternating tree at a time, O(n^3); exact, with dual prices",
		func() mapsolver.Solver { return &hungarian.Solver{Method: hungarian.Tree} }},
	{"auction", "forward auction, one bidder at a time, falling epsilon; ssp makes its answer exact",
		func() mapsolver.Solver { return &auction.Solver{} }},
	{"auction-jacobi", "forward auction, all free rows bid at once; ssp makes its answer exact",
		func() mapsolver.Solver { return &auction.Solver{Jacobi: true} }},
	{"cuda", "one block of an NVIDIA card for each problem, certified on the host; exact, with dual prices",
		func() mapsolver.Solver { return &cuda.Solver{Warn: warnCUDA} }},
	{"fpga", "auction on a model of an FPGA accelerator, exact to the cycle; ssp makes its answer exact",
		newFPGASolver},
}

// missing says why a solver that is in this build cannot be used on this machine.
var missing = map[string]func() error{"cuda": cuda.Available}

// unavailable says why a solver cannot be used, or is empty.
func (s *solverInfo) unavailable() string {
	if s.make == nil {
		return s.detail
	}
	if check := missing[s.name]; check != nil {
		if err := check(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// warnCUDA tells that the card has failed.
func warnCUDA(err error) { fmt.Fprintln(os.Stderr, "mtt:", err) }

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
		why := info.unavailable()
		rows[i].add("available", why == "")
		rows[i].add("detail", cmp.Or(why, info.detail))
	}
	return s.out.printRows(rows)
}

// solverNames lists the names of all solvers, available or not.
func solverNames() []string {
	list := make([]string, len(solvers))
	for i, info := range solvers {
		list[i] = info.name
	}
	return list
}

// solverName is the name of a solver of the kind that --lap or --solver names:
// of one that chooses, the one it took last.
func solverName(lap string, solver mapsolver.Solver) string {
	if s, ok := solver.(*auto.Solver); ok {
		return s.Used().String()
	}
	return lap
}

// solverOf makes solvers of the kind that --lap names.
func solverOf(lap string) (func() mapsolver.Solver, error) {
	for _, info := range solvers {
		if info.name != lap {
			continue
		}
		if why := info.unavailable(); why != "" {
			return nil, usagef("solver %s: %s", lap, why).hinted("'mtt solvers' lists those that are available")
		}
		return info.make, nil
	}
	return nil, usagef("unknown solver %q", lap).hinted("%s", didYouMean(lap, "", solverNames()))
}
