// Package solvers lists the assignment solvers by the names that --lap and --solver
// take, and says whether each can be used here. A new one is a line in [All].
package solvers

import (
	"mtt/internal/cli"
	"mtt/mapsolver"
	"mtt/mapsolver/auction"
	"mtt/mapsolver/auto"
	"mtt/mapsolver/cuda"
	"mtt/mapsolver/dense"
	"mtt/mapsolver/fpga"
	"mtt/mapsolver/hungarian"
	"mtt/mapsolver/ssp"
)

// A Info describes one linear assignment solver for --lap.
type Info struct {
	Name   string
	Detail string                  // what it is, or why it is not available
	New    func() mapsolver.Solver // nil: not available
}

// All lists the assignment solvers in the order in which they are shown.
var All = []Info{
	{"auto", "dense for large problems that allow every pair and have no miss costs, else ssp; mtt track: ssp",
		func() mapsolver.Solver { return &auto.Solver{} }},
	{"ssp", "shortest augmenting paths over sparse rows, warm started; exact, with dual prices",
		func() mapsolver.Solver { return &ssp.Solver{} }},
	{"dense", "Algorithm 1015: full rows, falling epsilon or column reduction; miss costs are left to ssp; exact, with dual prices",
		func() mapsolver.Solver { return &dense.Sparse{} }},
	{"hungarian", "Munkres' method on sparse rows, zeros kept in a compressed list; exact, with dual prices",
		func() mapsolver.Solver { return &hungarian.Solver{} }},
	{"hungarian-tree", "the Hungarian method with one alternating tree at a time, O(n^3); exact, with dual prices",
		func() mapsolver.Solver { return &hungarian.Solver{Method: hungarian.Tree} }},
	{"hungarian-classic", "Munkres' method on a matrix of slacks that each change of prices rewrites, O(n^4); exact, with dual prices",
		func() mapsolver.Solver { return &hungarian.Solver{Method: hungarian.Classic} }},
	{"auction", "forward auction, one bidder at a time, falling epsilon; ssp makes its answer exact",
		func() mapsolver.Solver { return &auction.Solver{} }},
	{"auction-jacobi", "forward auction, all free rows bid at once; ssp makes its answer exact",
		func() mapsolver.Solver { return &auction.Solver{Jacobi: true} }},
	{"cuda", "one block of an NVIDIA card for each problem, certified on the host; exact, with dual prices",
		func() mapsolver.Solver { return &cuda.Solver{Warn: Warn} }},
	{"cuda-hungarian", "Munkres' six steps in one launch on an NVIDIA card, after Kawtikwar et al.; for comparison",
		func() mapsolver.Solver { return &cuda.Hungarian{Form: cuda.Barrier} }},
	{"cuda-lopes", "Munkres' six steps on an NVIDIA card, a launch for each, after Lopes et al.; for comparison",
		func() mapsolver.Solver { return &cuda.Hungarian{Form: cuda.Lopes} }},
	{"cuda-date-nagi", "alternating forests on an NVIDIA card, a launch for each level, after Date and Nagi; for comparison",
		func() mapsolver.Solver { return &cuda.Hungarian{Form: cuda.DateNagi} }},
	{"fpga", "auction on an FPGA accelerator: a model exact to the cycle, or the board that MTT_FPGA_BOARD names; ssp makes its answer exact",
		func() mapsolver.Solver {
			board, err := fpga.Attached()
			if err != nil {
				panic("solvers: an accelerator that is unavailable") // see Unavailable
			}
			return &fpga.Solver{Bus: board}
		}},
}

// missing says why a solver that is in this build cannot be used on this machine.
var missing = map[string]func() error{
	"cuda": cuda.Available, "cuda-hungarian": cuda.Available, "cuda-lopes": cuda.Available, "cuda-date-nagi": cuda.Available,
	"fpga": func() error { _, err := fpga.Attached(); return err },
}

// Unavailable says why a solver cannot be used, or is empty.
func (s *Info) Unavailable() string {
	if s.New == nil {
		return s.Detail
	}
	if check := missing[s.Name]; check != nil {
		if err := check(); err != nil {
			return err.Error()
		}
	}
	return ""
}

// Names lists the names of all solvers, available or not.
func Names() []string {
	list := make([]string, len(All))
	for i, info := range All {
		list[i] = info.Name
	}
	return list
}

// Named makes solvers of the kind that --lap names.
func Named(lap string) (func() mapsolver.Solver, error) {
	for _, info := range All {
		if info.Name != lap {
			continue
		}
		if why := info.Unavailable(); why != "" {
			return nil, cli.Usagef("solver %s: %s", lap, why).Hinted("'mtt solvers' lists those that are available")
		}
		return info.New, nil
	}
	return nil, cli.Usagef("unknown solver %q", lap).Hinted("%s", cli.DidYouMean(lap, "", Names()))
}
