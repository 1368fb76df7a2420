package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtt/sensor"
)

// This file tests what is said of a column that may say whose a row is.

// TestWhose: where ranges and bearings are of several sensors and the column that says whose is not
// read, that is a doubt; one sensor, or positions, leave none.
func TestWhose(t *testing.T) {
	two := []sensor.Sensor{{Place: []float64{0, 0}}, {Place: []float64{100, 0}}}
	for _, c := range []struct {
		name, text string
		o          *Options
		doubts     int
	}{
		{"two", "time,sensor,range,bearing\n0,0,10,0.1\n1,1,20,0.2\n2,0,11,0.1\n", nil, 1},
		{"two at the end", "time,range,bearing,radar\n0,10,0.1,A\n1,20,0.2,B\n", nil, 1},
		{"one", "time,sensor,range,bearing\n0,3,10,0.1\n1,3,20,0.2\n", nil, 0},
		{"one, not always", "time,range,bearing,sensor\n0,10,0.1,A\n1,20,0.2,\n", nil, 0},
		{"positions", "time,sensor,x,y\n0,0,10,0.1\n1,1,20,0.2\n", nil, 0},
		{"described", "time,sensor,range,bearing\n0,0,10,0.1\n1,1,20,0.2\n", &Options{Sensors: true, Described: two}, 0},
	} {
		path := filepath.Join(t.TempDir(), "radar.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := Read([]string{path}, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if len(d.Doubts) != c.doubts || c.doubts > 0 && !strings.Contains(d.Doubts[0], "one sensor at [0 0]. If they are of several, --sensors FILE") {
			t.Errorf("%s: %q", c.name, d.Doubts)
		}
	}
}
