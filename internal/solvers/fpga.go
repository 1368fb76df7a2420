package solvers

// This file counts what accelerators do.

import (
	"sync"

	"mtt/mapsolver"
	"mtt/mapsolver/fpga"
)

func newFPGASolver() mapsolver.Solver { return new(fpga.Solver) }

// A Meter collects the reports of all solvers of one command.
type Meter struct {
	mu   sync.Mutex
	made []*fpga.Solver
}

// Watch counts the solvers that newSolver makes, if they drive an accelerator; a
// nil meter is one that has nothing to count.
func Watch(newSolver func() mapsolver.Solver) (func() mapsolver.Solver, *Meter) {
	if _, ok := newSolver().(*fpga.Solver); !ok {
		return newSolver, nil
	}
	m := new(Meter)
	return func() mapsolver.Solver {
		s := newSolver()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.made = append(m.made, s.(*fpga.Solver))
		return s
	}, m
}

// Sum is what all of them did together.
func (m *Meter) Sum() (sum fpga.Report) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.made {
		sum.Add(s.Report())
	}
	return sum
}
