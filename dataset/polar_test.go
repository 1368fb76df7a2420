package dataset

import (
	"bytes"
	"math"
	"strings"
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

// TestSensors: of two radars each measures from its place with its noise, at one time in scans of their own; what is
// lacking is said.
func TestSensors(t *testing.T) {
	const table = "time,radar,range,bearing,doppler\n0,east,100,3.14159265,3\n0,west,100,0,-3\n2,west,60,0,4\n4,east,100,3.14159265,-4\n"
	read := func(table string, o *Options) (*Data, error) {
		s, err := parse("radars", bytes.NewReader([]byte(table)), 0, o)
		if err != nil {
			return nil, err
		}
		return s.alone(o)
	}
	places := map[string][]float64{"west": {0, 0}, "east": {200, 0}}
	d, err := read(table, &Options{Sensors: places, SensorNoise: map[string]float64{"range": 1, "bearing": 1e-4, "east.range": 5}})
	if err != nil {
		t.Fatal(err)
	}
	var x, dev []float64
	for k := range d.Scans {
		s := &d.Scans[k]
		if s.Len() > 1 {
			t.Fatalf("scan %d has %d detections, of two sensors", k, s.Len())
		}
		if s.Len() == 1 {
			x, dev = append(x, math.Round(s.Pos[0])), append(dev, math.Round(100*math.Sqrt(s.Cov[0]))/100)
		}
		if k == 1 && !(s.Time > 0 && s.Time < 0.01) {
			t.Errorf("the second scan is at %v s, want just after the first", s.Time)
		}
	}
	if want := []float64{100, 100, 60, 100}; !equal(x, want) {
		t.Errorf("x %v, want %v", x, want)
	}
	if want := []float64{5, 1, 1, 5}; !equal(dev, want) {
		t.Errorf("deviations %v, want %v", dev, want)
	}
	// The speed that range rates say: the root of (9+9+16+16)/4.
	d, err = read(table, &Options{Sensors: places, SensorNoise: map[string]float64{"range": 1, "bearing": 1e-4, "range_rate": 1}})
	if err != nil {
		t.Fatal(err)
	}
	if d.Scans[0].VelCov == nil || !strings.Contains(strings.Join(d.Notes, " "), "taken for 3.54 m/s") {
		t.Errorf("range rates are not read, or their speed is not said: %q", d.Notes)
	}
	for _, c := range []struct {
		table string
		o     Options
		wrong string
	}{
		{table, Options{}, "column radar names the sensors east, west, and where east stands is not known"},
		{table, Options{Sensors: map[string][]float64{"east": {0, 0}}}, "where west stands is not known"},
		{"time,range,bearing\n0,1,1\n", Options{Sensors: places}, "no column says which one measured"},
		{"frame,radar,range,bearing\n0,east,1,1\n0,west,1,1\n", Options{Sensors: places}, "several sensors, and no times"},
		{"time,radar,range,bearing\n0,east,1,1\n.1,west,1,1\n.21,east,1,1\n.303,west,1,1\n.9,east,1,1\n.907,west,1,1\n1.81,west,1,1\n", Options{Sensors: places}, "times of their own"},
	} {
		if _, err := read(c.table, &c.o); err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%q: error %v, want %q", c.table, err, c.wrong)
		}
	}
}

func equal(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
