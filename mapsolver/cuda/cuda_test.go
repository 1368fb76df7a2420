package cuda

import (
	"errors"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/solvertest"
)

// needCard skips a test without a card.
func needCard(t testing.TB) {
	t.Helper()
	if err := Available(); errors.Is(err, ErrUnavailable) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
}

func TestSolver(t *testing.T) {
	needCard(t)
	solvertest.Run(t, func() mapsolver.Solver { return new(Solver) })
}
