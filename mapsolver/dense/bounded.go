package dense

import (
	"math"
	"slices"

	"mtt/internal/slab"
	"mtt/mapsolver"
)

// This file solves again without the costs that no optimum can use.
//
// Costs very much larger than those of the answer take the last digits of the prices of all
// others. Any assignment costs at least the least costs of all rows together. So one with a cost x
// in row r costs at least as much as these and x-least[r] besides, and where that is more than
// some assignment costs no optimum has it. Without these costs prices are of the size of
// the answer. It reads all costs once more, keeps none, and solves from prices 0.

// bounded are costs without those that lie further above the least of their row than slack.
type bounded struct {
	of    Costs
	least []float64 // of each row
	slack float64
	row   []float64
}

func (b *bounded) Dims() (rows, cols int) { return b.of.Dims() }

func (b *bounded) Row(dst []float64, r int) []float64 {
	b.row = slab.Grow(b.row, len(dst))
	most := b.least[r] + b.slack
	for c, x := range b.of.Row(dst, r) {
		if x > most {
			x = math.Inf(1)
		}
		b.row[c] = x
	}
	return b.row
}

// again solves again without the costs that the answer in dst rules out. Work says
// Unproved where that does not bring the scale back.
func (s *Solver) again(dst *mapsolver.Solution, tall bool) error {
	b := &bounded{of: s.costs, least: make([]float64, len(s.colOf))}
	low, size := 0.0, math.Abs(dst.Cost)
	for r := range b.least {
		if s.ended {
			return s.stopError()
		}
		b.least[r] = slices.Min(s.row(r))
		low += b.least[r]
		size += math.Abs(b.least[r])
	}
	b.slack = dst.Cost - low + 1e-9*size // for the rounding of both
	started, searched, rounds, paths := s.started, s.searched, s.rounds, s.paths
	partwise := s.partwise
	s.begin(b, len(s.colOf), len(s.rowOf))
	s.partwise = nil // it knows the costs that were
	err := s.solve(nil, nil)
	s.partwise = partwise
	if err == nil {
		s.started, s.searched, s.rounds, s.paths = s.started+started, s.searched+searched, s.rounds+rounds, s.paths+paths
		s.answer(dst, tall, true)
		rows, cols := len(s.colOf), len(s.rowOf)
		s.unproved = !mapsolver.Sound(rows+cols, s.largest, s.size)
	}
	return err
}
