package solvers

// This file adds up what solvers count besides, such as the cycles of accelerators.

import (
	"sync"

	"mtt/mapsolver"
)

// A Meter collects the solvers of one command.
type Meter struct {
	mu   sync.Mutex
	made []mapsolver.Solver
}

// Watch collects the solvers that newSolver makes.
func Watch(newSolver func() mapsolver.Solver) (func() mapsolver.Solver, *Meter) {
	m := new(Meter)
	return func() mapsolver.Solver {
		s := newSolver()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.made = append(m.made, s)
		return s
	}, m
}

// Sum adds up what those of them have counted that count, and says what it is of: nothing
// where none does.
func (m *Meter) Sum() (of string, sum []mapsolver.Figure) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.made {
		r, ok := s.(mapsolver.Reporter)
		if !ok {
			continue
		}
		name, list := r.Figures()
		if sum == nil {
			of, sum = name, make([]mapsolver.Figure, len(list))
		}
		for i, f := range list {
			sum[i].Name = f.Name
			sum[i].Count += f.Count
		}
	}
	return of, sum
}
