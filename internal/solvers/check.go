package solvers

// This file compares answers with what is known of them.

import (
	"math"

	"mtt/mapsolver"
)

// Agrees says whether a cost is the one that the file states, within rounding of
// costs of the given size.
func Agrees(stated, found, size float64) bool {
	return math.Abs(found-stated) <= 1e-9*max(size, math.Abs(stated))
}

// Largest is the largest magnitude of a cost of p.
func Largest(p *mapsolver.Problem) float64 {
	most := 0.0
	for _, x := range p.Cost {
		most = max(most, math.Abs(x))
	}
	return most
}
