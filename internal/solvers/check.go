package solvers

// This file compares answers with what is known of them.

import (
	"math"

	"mtt/mapsolver"
)

// Agrees says whether the cost of an answer to p is the one that is stated, within 1e-9 of what
// it adds up.
func Agrees(p *mapsolver.Problem, s *mapsolver.Solution, stated float64) bool {
	return math.Abs(s.Cost-stated) <= max(mapsolver.Tolerance(p, s), 1e-9*math.Abs(stated))
}
