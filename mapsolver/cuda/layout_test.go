package cuda

import (
	"path/filepath"
	"testing"

	"mtt/internal/cuda/layout"
	"mtt/internal/golden"
	"mtt/mapsolver/dense"
)

// TestLayout compares kernels/layout.h with layout.go; -update writes it.
func TestLayout(t *testing.T) {
	header, err := layout.Header("mapsolver/cuda", "layout.go", []layout.Constant{
		{Name: "WARM", Value: flagWarm, About: "flag: v holds prices, colOf the columns that rows had"},
		{Name: "OPEN", Value: flagOpen, About: "flag: columns may stay free at no cost: prices are at most 0"},
		{Name: "NONE", Value: none, About: "in colOf: no column yet"},
		{Name: "MISS", Value: miss, About: "in colOf: the row stays free at its miss cost"},
		{Name: "UNSERVED", Value: unserved, About: "status: some row found no column"},
		{Name: "MEETING", Value: meeting, About: "bytes of shared memory in which warps meet: 64 offers"},
		{Name: "TIGHT", Value: tightColumns, About: "columns in the list of a row: two for each lane"},
		{Name: "ZEROS", Value: zerosFlag, About: "flag of a matrix: how many zeros are listed"},
		{Name: "AGAIN", Value: againFlag, About: "a sweep has primed a zero"},
		{Name: "FOUND", Value: foundFlag, About: "a path has been found"},
		{Name: "STARS", Value: starsFlag, About: "how many columns have a star"},
		{Name: "ARRIVED", Value: arrivedFlag, About: "blocks at the barrier of a grid"},
		{Name: "FLAGS", Value: flagsLen},
		{Name: "LOPES", Value: int(Lopes), About: "forms of the Hungarian method, each with what those before it have"},
		{Name: "REDUCED", Value: int(Reduced)},
		{Name: "FUSED", Value: int(Fused)},
		{Name: "COOPERATIVE", Value: int(Cooperative)},
		{Name: "REGISTER", Value: int(Register)},
		{Name: "BARRIER", Value: int(Barrier)},
		{Name: "AGGREGATED", Value: int(Aggregated)},
		{Name: "EUCLIDEAN", Value: int(dense.Euclidean), About: "metrics of points"},
		{Name: "SQUARED", Value: int(dense.Squared)},
	}, problem{}, tuning{}, task{}, proofTask{}, matrix{}, near{}, scan{}, settling{}, survey{})
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, filepath.Join("..", "kernels", "layout.h"), header)
}
