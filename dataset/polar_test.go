package dataset

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"mtt/sensor"
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

// TestLacksNoise: noise that is not all there is said with what to write.
func TestLacksNoise(t *testing.T) {
	const plane, space = "frame,range,bearing,range_rate\n0,100,0.1,3\n", "frame,range,bearing,elevation\n0,100,0.1,0.2\n"
	for _, tt := range []struct {
		table string
		noise map[string]float64
		want  string
	}{
		{plane, map[string]float64{"range": 5, "bearing": 0.02, "range_rate": 1}, "radar: the noise of the sensor lacks speed; " +
			"write for example --sensor-noise range=5,bearing=0.02,range_rate=1,speed=20: speed is how fast targets typically are, in m/s, which range rates need since they see motion along the line of sight only"},
		{plane, map[string]float64{"range": 5}, "radar: the noise of the sensor lacks bearing; write for example --sensor-noise range=5,bearing=0.01"},
		{space, map[string]float64{"range": 5, "bearing": 0.02}, "radar: the noise of the sensor lacks elevation; write for example --sensor-noise range=5,bearing=0.02,elevation=0.01"},
		{plane, map[string]float64{"range": 5, "bearing": 1}, "radar: the noise of the bearing is 1 rad, more than 0.5; if that is in degrees, write bearing=0.0175"},
		{plane, map[string]float64{"range": 5, "bearing": 0.02, "range_rate": 1, "speed": 3}, ""},
	} {
		_, err := parse("radar", bytes.NewReader([]byte(tt.table)), 0, &Options{SensorNoise: tt.noise})
		if got := ""; err != nil || tt.want != "" {
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("%v: %q, want %q", tt.noise, got, tt.want)
			}
		}
	}
}

// TestUntold: data and streams say where a sensor stands whose noise nobody says, where it stands
// still at one place and nobody describes it.
func TestUntold(t *testing.T) {
	const polar, plain, moving = "frame,range_m,bearing_deg\n0,100,0\n1,100,90\n", "frame,x_m,y_m\n0,100,0\n1,100,90\n", "frame,range_m,bearing_deg,own_x_m,own_y_m\n0,100,0,1,2\n1,100,90,2,3\n"
	noise := map[string]float64{"range": 1, "bearing": 0.01}
	for _, tt := range []struct {
		table string
		o     Options
		want  []float64 // its place; nil: nothing is said
	}{
		{polar, Options{}, []float64{0, 0}},
		{polar, Options{Sensor: []float64{3, 4}}, []float64{3, 4}},
		{polar, Options{SensorNoise: noise}, nil},
		{polar, Options{Described: []sensor.Sensor{{Kind: "polar"}}}, nil},
		{plain, Options{}, nil},
		{plain, Options{Sensor: []float64{3, 4}}, []float64{3, 4}},
		{"frame,x,y\n0,100,0\n1,100,90\n", Options{Sensor: []float64{3, 4}}, []float64{3, 4}},
		{plain, Options{Sensor: []float64{3, 4}, SensorNoise: noise}, nil},
		{"frame,x_m,y_m,sxx,sxy,syy\n0,100,0,1,0,1\n1,100,90,1,0,1\n", Options{Sensor: []float64{3, 4}}, nil},
		{moving, Options{}, nil},
	} {
		s, err := parse("radar", bytes.NewReader([]byte(tt.table)), 0, &tt.o)
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.alone(&tt.o)
		if err != nil {
			t.Fatal(err)
		}
		sr := NewScanReader(bytes.NewReader([]byte(tt.table)), "radar", "csv", &tt.o)
		if _, err := sr.Next(); err != nil {
			t.Fatal(err)
		}
		for k, got := range []*sensor.Sensor{d.Sensor, sr.Sensor()} {
			if (got == nil) != (tt.want == nil) || got != nil && (got.Kind != "polar" || !slices.Equal(got.Place, tt.want)) {
				t.Errorf("%q with %+v, reader %d: %+v, want a sensor at %v", tt.table, tt.o, k, got, tt.want)
			}
		}
	}
}

// TestPolarNames: columns of polar coordinates go by letters, too, where a table has no positions
// and one of each.
func TestPolarNames(t *testing.T) {
	for _, names := range []string{"scan,rho,theta", "t,r,az", "t,range,theta_rad", "frame,dist,angle", "t,range_m,brg"} {
		d := read(t, "polar.csv", names+"\n0,10,0\n1,20,1.5707963267948966\n", nil)
		if a, b := d.Scans[0].Pos, d.Scans[1].Pos; math.Hypot(a[0]-10, a[1]) > 1e-9 || math.Hypot(b[0], b[1]-20) > 1e-9 {
			t.Errorf("%s: %v, %v", names, a, b)
		}
	}
	d := read(t, "both.csv", "t,x,y,r,theta\n0,1,2,10,0\n", nil)
	noted(t, d, "columns ignored: r, theta")
}
