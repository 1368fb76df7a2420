package fpga

import (
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/solvertest"
)

func newSolver() mapsolver.Solver { return new(Solver) }

func TestSolver(t *testing.T) { solvertest.Run(t, newSolver) }

func FuzzSolver(f *testing.F) { solvertest.Fuzz(f, newSolver) }
