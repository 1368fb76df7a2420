package bench

// This file measures the Hungarian method in the forms of the papers.

import (
	"context"
	"fmt"

	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/mapsolver/cuda"
)

// hungarianSizes are those of the papers up to what a matrix of float64 takes in memory.
var hungarianSizes = []int{256, 512, 1024, 2048, 4096, 8192}

// hungarianHost is the largest size at which the processor's O(n⁴) method is measured: beyond,
// costs that seldom tie take minutes.
const hungarianHost = 1024

// benchHungarian measures every form on a card when there is one, and Munkres' own method by
// the processor.
func benchHungarian(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	forms := measure.CardForms()
	if err := cuda.Available(); err != nil {
		b.Note("%v: only the processor is measured", err)
		forms = nil
	}
	forms = append(forms, "hungarian-classic")
	var rows []cli.Record
	for _, n := range hungarianSizes {
		if !b.HasSize(n) {
			continue
		}
		for _, costs := range measure.HungarianCosts {
			for _, form := range forms {
				if form == "hungarian-classic" && n > hungarianHost {
					continue
				}
				b.Step(fmt.Sprintf("n = %d, costs %s, %s", n, costs, form))
				h, err := measure.Hungarian(ctx, b, b.RowsOf(n), costs, form)
				if err != nil {
					return rows, err
				}
				rows = append(rows, h.Record())
			}
		}
	}
	return rows, nil
}
