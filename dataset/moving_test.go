package dataset

// This file tests what a sensor that moves has measured.

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"mtt"
	"mtt/sensor"
)

// A target passes a sensor that moves and turns: the target is at 20 + 3t, 5 - t, 2 + t/2, the
// sensor at 1 + 2t, t², 0.5 and heads along 0.2 + 0.3t, and both are seen at t of 0, 1, 2 and 3.
var passing = []float64{0, 1, 2, 3}

func targetAt(t float64) [3]float64 { return [3]float64{20 + 3*t, 5 - t, 2 + 0.5*t} }
func sensorAt(t float64) [3]float64 { return [3]float64{1 + 2*t, t * t, 0.5} }

// table is a table of such rows: a time and the numbers of the columns.
func movingTable(columns string, row func(t float64) []float64) string {
	var b strings.Builder
	fmt.Fprintln(&b, "time,"+columns)
	for _, t := range passing {
		fmt.Fprint(&b, t)
		for _, x := range row(t) {
			fmt.Fprintf(&b, ",%.17g", x)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// seen is what the sensor sees of the target: range, bearing from the x axis, elevation, and x and
// y in the world.
func seen(t float64) (distance, bearing, elevation, dx, dy, dz float64) {
	p, s := targetAt(t), sensorAt(t)
	dx, dy, dz = p[0]-s[0], p[1]-s[1], p[2]-s[2]
	return math.Sqrt(dx*dx + dy*dy + dz*dz), math.Atan2(dy, dx), math.Atan2(dz, math.Hypot(dx, dy)), dx, dy, dz
}

// TestMoving: ranges with bearings and positions that count from the sensor are placed where the
// target was, in a file and in a stream.
func TestMoving(t *testing.T) {
	heads := func(t float64) float64 { return 0.2 + 0.3*t }
	const degrees = 180 / math.Pi
	for name, tt := range map[string]struct {
		table string
		o     Options
		dim   int
	}{
		"ranges in the plane": {movingTable("range,bearing,own_x,own_y", func(t float64) []float64 {
			_, b, _, dx, dy, _ := seen(t)
			s := sensorAt(t)
			return []float64{math.Hypot(dx, dy), b, s[0], s[1]}
		}), Options{}, 2},
		"ranges in space, in other units": {movingTable("range_km,bearing_deg,elevation_deg,own_x_cm,own_y_m,own_z_m", func(t float64) []float64 {
			r, b, e, _, _, _ := seen(t)
			s := sensorAt(t)
			return []float64{r / 1000, b * degrees, e * degrees, 100 * s[0], s[1], s[2]}
		}), Options{}, 3},
		"bearings from the bow": {movingTable("range,bearing_deg,ego_x,ego_y,ego_heading_deg", func(t float64) []float64 {
			_, b, _, dx, dy, _ := seen(t)
			s := sensorAt(t)
			return []float64{math.Hypot(dx, dy), (b - heads(t)) * degrees, s[0], s[1], heads(t) * degrees}
		}), Options{}, 2},
		"of a compass": {movingTable("range,bearing_deg,ship_x,ship_y,heading_deg", func(t float64) []float64 {
			_, b, _, dx, dy, _ := seen(t)
			s := sensorAt(t)
			return []float64{math.Hypot(dx, dy), (heads(t) - b) * degrees, s[0], s[1], 90 - heads(t)*degrees}
		}), Options{Compass: true, Columns: map[string]string{"own_x": "ship_x", "own_y": "ship_y"}}, 2},
		"true bearings": {movingTable("range,bearing_deg,own_x,own_y,heading_deg", func(t float64) []float64 {
			_, b, _, dx, dy, _ := seen(t)
			s := sensorAt(t)
			return []float64{math.Hypot(dx, dy), b * degrees, s[0], s[1], 77}
		}), Options{Columns: map[string]string{"heading": ""}}, 2},
		"relative": {movingTable("rel_x_cm,rel_y_cm,own_x_m,own_y_m", func(t float64) []float64 {
			_, _, _, dx, dy, _ := seen(t)
			s := sensorAt(t)
			return []float64{100 * dx, 100 * dy, s[0], s[1]}
		}), Options{}, 2},
		"ahead and to the left": {movingTable("x,y,z,robot_x,robot_y,robot_z,yaw", func(t float64) []float64 {
			_, _, _, dx, dy, dz := seen(t)
			s := sensorAt(t)
			sin, cos := math.Sincos(heads(t))
			return []float64{cos*dx + sin*dy, cos*dy - sin*dx, dz, s[0], s[1], s[2], heads(t)}
		}), Options{Columns: map[string]string{"own_x": "robot_x", "own_y": "robot_y"}}, 3},
		"in the world": {movingTable("x,y,ego_x,ego_y,heading", func(t float64) []float64 {
			p, s := targetAt(t), sensorAt(t)
			return []float64{p[0], p[1], s[0], s[1], 1}
		}), Options{}, 2},
	} {
		file, err := parse("radar", bytes.NewReader([]byte(tt.table)), 0, &tt.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d, err := file.alone(&tt.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		stream, err := readAll(tt.table, "csv", &tt.o)
		if err != io.EOF {
			t.Errorf("%s, as a stream: %v", name, err)
		}
		for _, scans := range [][]mtt.Scan{d.Scans, stream} {
			if len(scans) != len(passing) {
				t.Errorf("%s: %d scans", name, len(scans))
				continue
			}
			for k := range scans {
				want := targetAt(passing[k])
				for c, x := range scans[k].Pos {
					if len(scans[k].Pos) != tt.dim || math.Abs(x-want[c]) > 1e-9 {
						t.Errorf("%s, at %v: %v, want %v", name, passing[k], scans[k].Pos, want[:tt.dim])
						break
					}
				}
			}
		}
	}
}

// TestMovingNoise: covariances are those of a radar that stood where the sensor was, and range
// rates those of the targets, as columns say how fast the sensor is.
func TestMovingNoise(t *testing.T) {
	const at = 2
	r, b, e, _, _, _ := seen(at)
	s := sensorAt(at)
	u := [3]float64{math.Cos(b) * math.Cos(e), math.Sin(b) * math.Cos(e), math.Sin(e)}
	rate := 3*u[0] - u[1] + 0.5*u[2]               // of the target
	relative := rate - (2*u[0] + 2*at*u[1] + u[2]) // the sensor rises by 1 m/s
	noise := map[string]float64{"range": 0.1, "bearing": 0.01, "elevation": 0.02, "range_rate": 0.3, "speed": 5}
	still := sensor.Polar{Place: s[:], RangeNoise: 0.1, BearingNoise: 0.01, ElevationNoise: 0.02, RateNoise: 0.3, Speed: 5}
	var want mtt.Scan
	if err := still.Append(&want, []float64{r, b, e, rate}); err != nil {
		t.Fatal(err)
	}
	o := &Options{SensorNoise: noise}
	table := fmt.Sprintf("time,range,bearing,elevation,range_rate,own_x,own_y,own_z,own_vx,own_vy,own_vz\n0,%v,%v,%v,%v,%v,%v,%v,2,%v,1\n", r, b, e, relative, s[0], s[1], s[2], 2*at)
	scans, err := readAll(table, "csv", o)
	if err != io.EOF || len(scans) != 1 {
		t.Fatalf("%d scans, %v", len(scans), err)
	}
	for _, pair := range [][2][]float64{{scans[0].Pos, want.Pos}, {scans[0].Cov, want.Cov}, {scans[0].Vel, want.Vel}, {scans[0].VelCov, want.VelCov}} {
		if fmt.Sprintf("%.9f", pair[0]) != fmt.Sprintf("%.9f", pair[1]) {
			t.Errorf("%v, want %v", pair[0], pair[1])
		}
	}
	// Who does not say how fast the sensor is has no use for them.
	sr := NewScanReader(strings.NewReader(strings.ReplaceAll(table, "own_v", "wind_v")), "in", "csv", o)
	scan, err := sr.Next()
	if notes := strings.Join(sr.Notes(), "; "); err != nil || scan.Vel != nil || !strings.Contains(notes, "range_rate is relative to the sensor, and no columns own_vx, own_vy say how fast that is") {
		t.Errorf("velocities %v, %v: %s", scan.Vel, err, notes)
	}
}

// TestMovingSays: what is read of the sensor is told, and what may be meant.
func TestMovingSays(t *testing.T) {
	for _, tt := range []struct {
		table, want string
		o           Options
	}{
		{"time,x,y,own_x,own_y\n0,1,2,3,4\n", "columns own_x, own_y are not read, as positions may well be those in the world; if they count from there, say so: --columns own_x=own_x,own_y=own_y", Options{}},
		{"time,range,bearing,own_x,own_y,own_heading\n0,1,2,3,4,1\n", "the sensor is where own_x, own_y say, and directions count from where it heads, own_heading (--columns heading= if they do not): what it measured is placed in the world", Options{}},
		{"time,range,bearing,heading_deg\n0,1,2,90\n", "columns ignored: heading_deg", Options{}},
		{"time,range,bearing,ego_heading_deg\n0,1,2,90\n", "directions count from where it heads, ego_heading_deg", Options{}},
		{"time,range,bearing,own_x,own_y,own_heading\n0,1,2,3,4,90\n", "angles up to 90 in own_heading are taken for degrees", Options{}},
		{"time,range,bearing,own_x,own_y\n0,1,2,3,4\n", "column own_x says where the sensor is, and so does --sensor; say one of them: --columns own_x= has no column say it", Options{Sensor: []float64{1, 2}}},
		{"time,range,bearing,own_x,own_y\n0,1,2,,4\n1,1,2,3,4\n", "rows without a position (empty or NaN): 1, left out", Options{}},
		{"time,rel_x_um,rel_y_um,own_x_m,own_y_m\n0,1,2,3,4\n", "own_x_m is in m, positions are in um; give all coordinates in one unit", Options{}},
	} {
		o := tt.o
		s, err := parse("radar", bytes.NewReader([]byte(tt.table)), 0, &o)
		said := fmt.Sprint(err)
		if err == nil {
			said = strings.Join(s.notes, "\n")
		}
		if !strings.Contains(said, tt.want) {
			t.Errorf("%s: %s\nwant %s", tt.table, said, tt.want)
		}
	}
	if _, err := readAll("time,range,bearing,own_x,own_y,heading\n0,1,2,3,4,90\n", "csv", nil); err == nil || !strings.Contains(err.Error(), "heading is 90, more than a turn") {
		t.Errorf("a heading in degrees in a stream: %v", err)
	}
}

// TestMovingTurns: a rotating antenna on a ship under way is found by bearings from where the ship is.
func TestMovingTurns(t *testing.T) {
	var b strings.Builder
	fmt.Fprintln(&b, "time,range,bearing_deg,own_x,own_y")
	for k := range 200 { // twenty rows a turn of 2 s
		at := 0.1 * float64(k)
		fmt.Fprintf(&b, "%v,%v,%v,%v,0\n", at, 800+150*math.Sin(float64(k*k)), math.Mod(180*at, 360), 900*at)
	}
	o := &Options{}
	s, err := parse("radar", strings.NewReader(b.String()), 0, o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.alone(o)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Scans) > 12 || !strings.Contains(strings.Join(d.Notes, "\n"), "bearings from it turn counterclockwise with them, once in 2 s") {
		t.Errorf("%d scans: %s", len(d.Scans), strings.Join(d.Notes, "\n"))
	}
}
