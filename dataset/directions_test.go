package dataset

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtt"
)

// TestDirections: angles without a range become places in a plane, as far apart as they are in the
// sky, whatever the columns are called and whatever says so.
func TestDirections(t *testing.T) {
	for _, tt := range []struct {
		name, table string
		o           Options
		steps       []float64 // degrees, from frame to frame
		wrong       float64   // of them, at most
		doubt       bool
	}{
		{"across 0", "frame,azimuth,elevation\n0,359,10\n1,1,10\n2,1,12\n", Options{}, []float64{2 * math.Cos(math.Pi/18), 2}, 1e-3, false},
		{"in the plane by options", "frame,az_deg,el_deg\n0,359,10\n1,1,10\n2,1,12\n", Options{Columns: map[string]string{"x": "az_deg", "y": "el_deg"}}, []float64{2 * math.Cos(math.Pi/18), 2}, 1e-3, false},
		{"exchanged", "frame,alt,az\n0,10,359\n1,10,1\n", Options{Units: "deg", Columns: map[string]string{"x": "alt", "y": "az"}}, []float64{2 * math.Cos(math.Pi/18)}, 1e-3, false},
		{"across the zenith", "frame,az,alt\n0,90,89\n1,270,89\n", Options{}, []float64{2}, 1e-3, false},
		{"a small field", "frame,ra,dec\n0,359.999,0\n1,0.001,0\n", Options{}, []float64{0.002}, 1e-9, false},
		{"hours", "frame,ra_hours,dec\n0,23.9,0\n1,0.1,0\n", Options{}, []float64{3}, 1e-3, false},
		{"radians", "frame,azimuth,elevation\n0,6.27,0\n1,0.01,0\n", Options{}, []float64{(2*math.Pi - 6.26) * 180 / math.Pi}, 1e-6, false},
		{"one angle", "frame,look\n0,350\n1,10\n2,15\n", Options{Columns: map[string]string{"bearing": "look"}}, []float64{20, 5}, 1e-6, false},
		{"all round at the horizon", "frame,azimuth,elevation\n0,1,0\n1,359,0\n2,120,0\n3,240,0\n", Options{}, []float64{2, 0, 0}, 0.6 * 2, false},
		{"all over the sky", "frame,azimuth,elevation\n0,0,0\n1,180,0\n2,90,0\n3,270,0\n4,0,90\n5,0,-90\n6,45,45\n7,225,45\n8,135,45\n9,315,45\n10,45,-45\n11,225,-45\n12,135,-45\n13,315,-45\n", Options{}, nil, 0, true},
	} {
		s, err := parse("sky", bytes.NewReader([]byte(tt.table)), 0, &tt.o)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		d, err := s.alone(&tt.o)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if d.Unit != "deg" || d.Scans[0].Dim != 2 {
			t.Errorf("%s: unit %q, %d coordinates; want deg in a plane", tt.name, d.Unit, d.Scans[0].Dim)
		}
		for k, want := range tt.steps {
			a, b := d.Scans[k].At(0), d.Scans[k+1].At(0)
			if got := math.Hypot(b[0]-a[0], b[1]-a[1]); want > 0 && math.Abs(got-want) > max(tt.wrong, 1e-9) {
				t.Errorf("%s: a step of %v degrees after frame %d, want %v", tt.name, got, k, want)
			}
		}
		if doubt := len(d.Doubts) > 0; doubt != tt.doubt {
			t.Errorf("%s: doubts %q", tt.name, d.Doubts)
		}
	}
	o := &Options{}
	if _, err := parse("sky", strings.NewReader("frame,ra,dec\n0,10,100\n"), 0, o); err == nil || !strings.Contains(err.Error(), "dec is 100") {
		t.Errorf("a declination of 100: %v", err)
	}
}

// TestTurn: what is placed about one direction is placed about another as it would have been at once.
func TestTurn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		a, b := place{360 * r.Float64(), 180*r.Float64() - 90}, place{360 * r.Float64(), 180*r.Float64() - 90}
		look := place{360 * r.Float64(), 180*r.Float64() - 90}
		var p, q [2]float64
		a.flatten(look, p[:])
		b.flatten(look, q[:])
		rows := rows{n: 1, dim: 2, pos: p[:]}
		rows.turn(a, b)
		if math.Hypot(p[0]-q[0], p[1]-q[1]) > 1e-6 {
			t.Fatalf("%v from %v to %v: %v, want %v", look, a, b, p, q)
		}
	}
}

// TestMeets: a coordinate that begins anew after a turn is told, others are not: those of a picture
// 360 wide, whether targets leave it, bounce or come from anywhere.
func TestMeets(t *testing.T) {
	scene := func(seed uint64, step func(p, v *[2]float64, r *rand.Rand)) []mtt.Scan {
		r := rand.New(rand.NewPCG(seed, 7))
		var p, v [20][2]float64
		for k := range p {
			p[k], v[k] = [2]float64{360 * r.Float64(), 100 * r.Float64()}, [2]float64{6 * (r.Float64() - 0.5), r.Float64() - 0.5}
		}
		var scans []mtt.Scan
		for f := range 60 {
			scan := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for k := range p {
				if r.Float64() < 0.95 {
					scan.Pos = append(scan.Pos, p[k][0], p[k][1])
				}
				p[k][0], p[k][1] = p[k][0]+v[k][0], p[k][1]+v[k][1]
				step(&p[k], &v[k], r)
			}
			scans = append(scans, scan)
		}
		return scans
	}
	for _, tt := range []struct {
		name string
		told bool
		step func(p, v *[2]float64, r *rand.Rand)
	}{
		{"an angle", true, func(p, v *[2]float64, r *rand.Rand) { p[0] -= 360 * math.Floor(p[0]/360) }},
		{"walls", false, func(p, v *[2]float64, r *rand.Rand) {
			if p[0] < 0 || p[0] > 360 {
				v[0], p[0] = -v[0], min(360, max(0, p[0]))
			}
		}},
		{"replaced at either end", false, func(p, v *[2]float64, r *rand.Rand) {
			if p[0] < 0 || p[0] > 360 {
				p[0], p[1] = 360*float64(r.IntN(2)), 100*r.Float64()
				v[0] = math.Copysign(v[0], 180-p[0])
			}
		}},
		{"anywhere", false, func(p, v *[2]float64, r *rand.Rand) { p[0], p[1] = 360*r.Float64(), 100*r.Float64() }},
	} {
		right := 0
		for seed := range uint64(20) {
			if said := meets(scene(seed, tt.step)); (said != "") == tt.told {
				right++
			}
		}
		if want := map[bool]int{true: 16, false: 19}[tt.told]; right < want { // some see one or two cross
			t.Errorf("%s: %d of 20 scenes are told from others", tt.name, right)
		}
	}
	o := &Options{}
	var table strings.Builder
	table.WriteString("frame,x,y\n")
	for _, s := range scene(1, func(p, v *[2]float64, r *rand.Rand) { p[0] -= 360 * math.Floor(p[0]/360) }) {
		for i := range s.Len() {
			fmt.Fprintf(&table, "%d,%v,%v\n", s.Frame, s.At(i)[0], s.At(i)[1])
		}
	}
	o.Stdin = strings.NewReader(table.String())
	if d, err := Read([]string{"-"}, o); err != nil || len(d.Doubts) != 1 || !strings.Contains(d.Doubts[0], "x seems to be an angle in degrees") {
		t.Errorf("a table: %v, %v", d.Doubts, err)
	}
}

// TestAlign: positions of two files are those of one plane, though the middle of each is another.
func TestAlign(t *testing.T) {
	const shared = "1,1,%[1]s\n2,1,%[1]s\n"
	for _, tt := range []struct{ head, place, other string }{{"azimuth,elevation", "359,40", "90,20"}, {"longitude,latitude", "8.1,50.3", "8.4,50.0"}} {
		read := func(rows string) *Tracks {
			name := filepath.Join(t.TempDir(), "a.csv")
			if err := os.WriteFile(name, []byte("frame,id,"+tt.head+"\n"+rows), 0o666); err != nil {
				t.Fatal(err)
			}
			tracks, err := ReadTargets(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			return tracks
		}
		few := read(fmt.Sprintf(shared, tt.place))
		many := read(fmt.Sprintf(shared, tt.place) + fmt.Sprintf(strings.ReplaceAll(shared, ",1,", ",2,"), tt.other) + fmt.Sprintf(strings.ReplaceAll(shared, ",1,", ",3,"), tt.other))
		few.Align(many)
		a, b := few.Tracks[0].At(1), many.Tracks[0].At(1)
		if off := math.Hypot(a[0]-b[0], a[1]-b[1]); off > 1e-6 || math.Hypot(b[0], b[1]) < 1 {
			t.Errorf("%s: the same place is at %v and %v", tt.head, a, b)
		}
	}
}
