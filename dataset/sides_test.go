package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSides: four numbers of a box without names are left, top, right, bottom where they behave so,
// else left, top, width, height.
func TestSides(t *testing.T) {
	draw := rand.New(rand.NewPCG(9, 9))
	var corners, sizes, large strings.Builder
	var want []float64
	for k := range 60 {
		x, y, w, h := 400*draw.Float64(), 300*draw.Float64(), 15+5*draw.Float64(), 15+5*draw.Float64()
		fmt.Fprintf(&corners, "{\"frame\": %d, \"bbox\": [%v, %v, %v, %v]}\n", k, x, y, x+w, y+h)
		fmt.Fprintf(&sizes, "{\"frame\": %d, \"bbox\": [%v, %v, %v, %v]}\n", k, x, y, w, h)
		fmt.Fprintf(&large, "{\"frame\": %d, \"bbox\": [%v, %v, %v, %v]}\n", k, x/50, y/50, w, h) // could be either
		want = append(want, x+w/2, y+h/2, w, h)
	}
	check := func(name string, d *Data, scale float64) {
		t.Helper()
		for k := range d.Scans {
			got := append(append([]float64{}, d.Scans[k].Pos...), d.Scans[k].Size...)
			at := append([]float64{}, want[4*k:4*k+4]...)
			for c := range 2 {
				at[c] = (at[c]-at[2+c]/2)*scale + at[2+c]/2
			}
			for c := range got {
				if diff := got[c] - at[c]; diff > 1e-9 || diff < -1e-9 {
					t.Fatalf("%s: scan %d is %v, want %v", name, k, got, at)
				}
			}
		}
	}
	d := read(t, "corners.jsonl", corners.String(), nil)
	check("corners", d, 1)
	noted(t, d, "bbox.2 (as right), bbox.3 (as bottom)", "boxes are read as left, top, right, bottom", "--columns left=bbox.0,top=bbox.1,w=bbox.2,h=bbox.3")
	d = read(t, "sizes.jsonl", sizes.String(), nil)
	check("sizes", d, 1)
	if notes := strings.Join(d.Notes, "; "); !strings.Contains(notes, "bbox.2 (as w)") || strings.Contains(notes, "boxes are read as") {
		t.Errorf("sizes: %s", notes)
	}
	d = read(t, "large.jsonl", large.String(), nil)
	check("large", d, 1./50)
	noted(t, d, "could be left, top, right, bottom: if they are, say --columns left=bbox.0,top=bbox.1,right=bbox.2,bottom=bbox.3")
}

// TestSidesBesideSizes: beside four sides width and height are not read, as they may be those of the
// picture, unless the options say what they are.
func TestSidesBesideSizes(t *testing.T) {
	const table = "filename,width,height,class,xmin,ymin,xmax,ymax,frame\na.jpg,640,480,car,10,20,14,28,0\nb.jpg,640,480,car,12,20,16,28,1\n"
	d := read(t, "pictures.csv", table, nil)
	if s := d.Scans[0]; !slices.Equal(s.Pos, []float64{12, 24}) || !slices.Equal(s.Size, []float64{4, 8}) {
		t.Errorf("%v, %v", s.Pos, s.Size)
	}
	d = read(t, "given.csv", table, &Options{Columns: map[string]string{"w": "width", "h": "height"}})
	if s := d.Scans[0]; !slices.Equal(s.Size, []float64{640, 480}) {
		t.Errorf("given: %v", s.Size)
	}
}

// TestSidesInStream: a stream says what it takes four numbers without names for.
func TestSidesInStream(t *testing.T) {
	for text, want := range map[string]bool{
		`{"frame": 0, "bbox": [1, 2, 3, 4]}`:     true,
		`{"frame": 0, "boxes": [[1, 2, 3, 4]]}`:  true,
		`{"frame": 0, "ltwh": [[1, 2, 3, 4]]}`:   false,
		`{"frame": 0, "xyxy": [[1, 2, 13, 14]]}`: false,
	} {
		sr := NewScanReader(strings.NewReader(text), "boxes.jsonl", "jsonl", nil)
		if scan, err := sr.Next(); err != nil || scan.Len() != 1 {
			t.Errorf("%s: %v, %v", text, scan, err)
		}
		if notes := strings.Join(sr.Notes(), "; "); strings.Contains(notes, "could be left, top, right, bottom: if they are, say --columns left=bbox.0,top=bbox.1,right=bbox.2,bottom=bbox.3") != want {
			t.Errorf("%s: %s", text, notes)
		}
	}
}
