package main

// This file counts what the accelerator of --lap fpga does.

import (
	"sync"

	"mtt/mapsolver"
	"mtt/mapsolver/fpga"
)

func newFPGASolver() mapsolver.Solver { return new(fpga.Solver) }

// An fpgaMeter collects the reports of all solvers of one command.
type fpgaMeter struct {
	mu   sync.Mutex
	made []*fpga.Solver
}

// watch counts the solvers that newSolver makes, if they drive an accelerator; a
// nil meter is one that has nothing to count.
func watch(newSolver func() mapsolver.Solver) (func() mapsolver.Solver, *fpgaMeter) {
	if _, ok := newSolver().(*fpga.Solver); !ok {
		return newSolver, nil
	}
	m := new(fpgaMeter)
	return func() mapsolver.Solver {
		s := newSolver()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.made = append(m.made, s.(*fpga.Solver))
		return s
	}, m
}

// add appends what the accelerator did in so many passes.
func (m *fpgaMeter) add(r *record, passes int) {
	if m == nil {
		return
	}
	var sum fpga.Report
	for _, s := range m.made {
		sum.Add(s.Report())
	}
	fields := fpgaFields(sum)
	if passes > 0 {
		fields.add("cycles_per_pass", sum.Total/passes)
	}
	r.add("accelerator", fields)
}

// fpgaFields are the fields of a report.
func fpgaFields(sum fpga.Report) record {
	return record{
		{key: "cycles", value: sum.Total}, {key: "core_cycles", value: sum.Core.Cycles},
		{key: "iterations", value: sum.Core.Iterations}, {key: "misses", value: sum.Core.Misses},
		{key: "problems", value: sum.Problems}, {key: "starts", value: sum.Starts},
		{key: "unchanged", value: sum.Skipped}, {key: "optimal", value: sum.Optimal},
	}
}
