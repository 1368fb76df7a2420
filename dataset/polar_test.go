package dataset

import (
	"bytes"
	"math"
	"testing"
)

// TestCompass: a bearing of a compass counts clockwise from the y axis; with noise, the
// covariance turns with it.
func TestCompass(t *testing.T) {
	const table = "frame,range_m,bearing_deg\n0,100,0\n1,100,90\n2,100,225\n"
	for _, tt := range []struct {
		compass bool
		x, y    [3]float64
	}{
		{false, [3]float64{100, 0, -math.Sqrt2 * 50}, [3]float64{0, 100, -math.Sqrt2 * 50}},
		{true, [3]float64{0, 100, -math.Sqrt2 * 50}, [3]float64{100, 0, -math.Sqrt2 * 50}},
	} {
		for _, noise := range []map[string]float64{nil, {"range": 1, "bearing": 1e-4}} {
			o := &Options{Compass: tt.compass, SensorNoise: noise}
			s, err := parse("radar", bytes.NewReader([]byte(table)), 0, o)
			if err != nil {
				t.Fatal(err)
			}
			d, err := s.alone(o)
			if err != nil {
				t.Fatal(err)
			}
			for k := range d.Scans {
				if p := d.Scans[k].Pos; math.Abs(p[0]-tt.x[k]) > 1e-5 || math.Abs(p[1]-tt.y[k]) > 1e-5 {
					t.Errorf("compass %t, noise %v, frame %d: position %v, want %v %v", tt.compass, noise, k, p, tt.x[k], tt.y[k])
				}
				if noise != nil {
					// Along the line of sight the variance is 1, across it 1e-4.
					c, x, y := d.Scans[k].Cov, tt.x[k]/100, tt.y[k]/100
					if along := x*x*c[0] + 2*x*y*c[1] + y*y*c[2]; math.Abs(along-1) > 1e-3 {
						t.Errorf("compass %t, frame %d: variance along the line of sight %v, want 1", tt.compass, k, along)
					}
				}
			}
		}
	}
}
