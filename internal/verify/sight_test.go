package verify

import (
	"math"
	"testing"

	"mtt"
	"mtt/costgen"
)

// TestSighted has scans of one of two sensors tell what it errs by: what package costgen makes of
// it, in a plane and in space, for those that may be and no others.
func TestSighted(t *testing.T) {
	for dim := 2; dim <= 3; dim++ {
		place := [3]float64{10, -20, 30}
		sight := Sight{Sensor: 1, Place: place[:dim], Range: 2, Bearing: 0.01, Elevation: 0.03 * float64(dim-2)}
		pos := append([]float64{300, 200, -100}[:dim:dim], place[:dim]...)
		scans := []mtt.Scan{{Dim: dim, Pos: pos}, {Sensor: 1, Dim: dim, Pos: pos}, {Sensor: 1}}
		got := sighted(scans, []Sight{sight})
		if got == nil || got[0].Cov != nil || got[2].Cov != nil || scans[1].Cov != nil {
			t.Fatal(got)
		}
		levels := costgen.Levels{Polar: &costgen.Polar{Sensors: []costgen.Sight{{}, {Place: place, Range: sight.Range, Bearing: sight.Bearing, Elevation: sight.Elevation}}}}
		if dim == 2 {
			levels.Polar.Sensors[1].Place[2] = 0
		}
		for k, want := range levels.Told(scans)[1].Cov {
			if math.Abs(got[1].Cov[k]-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%d axes: %v, want %v", dim, got[1].Cov, levels.Told(scans)[1].Cov)
				break
			}
		}
		for _, wrong := range []Sight{{Sensor: 1, Place: place[:dim-1], Range: 1, Bearing: 1, Elevation: 1}, {Sensor: 1, Place: place[:dim]}, {Sensor: 1, Place: place[:dim], Range: math.NaN(), Bearing: 1, Elevation: 1}} {
			if sighted(scans, []Sight{wrong}) != nil {
				t.Errorf("%+v is none of theirs", wrong)
			}
		}
		if sighted(got, []Sight{sight}) != nil {
			t.Error("these tell their own")
		}
	}
}
