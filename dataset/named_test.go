package dataset

// This file tests frames that are named by files, times and axes in words of their own, and rows
// that are stamped one by one.

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestNamedFrames: a frame may be the name of a picture, where names differ in one number.
func TestNamedFrames(t *testing.T) {
	d := read(t, "named.csv", "image_id,x,y\ncam2/img_0007.jp2,1,2\ncam2/img_0010.jp2,2,3\n\"cam2/img_0008.jp2\",3,4\n", nil)
	if len(d.Scans) != 4 || d.Scans[0].Frame != 7 || d.Scans[3].Frame != 10 || d.Scans[1].Len() != 1 {
		t.Errorf("%+v", d.Scans)
	}
	noted(t, d, "frames are the numbers in names of files: cam2/img_….jp2")

	for _, bad := range []string{
		"image_id,x,y\nleft_1.png,1,2\nright_1.png,2,3\n", // two cameras
		"image_id,x,y\n1,1,2\nimg_2.png,2,3\n",
		"image_id,x,y\nmean.png,1,2\n",
	} {
		_, err := Read([]string{write(t, "bad.csv", bad)}, nil)
		if e, ok := errors.AsType[*SyntaxError](err); !ok || !strings.Contains(e.Msg, "not a number") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestPictures: where nothing else says the frame, names of pictures do; those of two recordings, of
// other files, or of one picture do not.
func TestPictures(t *testing.T) {
	d := read(t, "pictures.csv", "filename,x,y\na_1.JPG,1,2\na_2.JPG,2,3\n", nil)
	if len(d.Scans) != 2 || d.Scans[0].Frame != 1 || d.Scans[1].Frame != 2 {
		t.Errorf("%+v", d.Scans)
	}
	noted(t, d, "filename (as frame)", "names of files: a_….JPG")
	d = read(t, "both.csv", "filename,time,x,y\na_7.jpg,1,2,3\na_9.jpg,2,3,3\n", nil)
	noted(t, d, "columns ignored: filename")
	for _, other := range []string{"a_1.jpg,1,2\nb_2.jpg,2,3\n", "a_1.avi,1,2\na_2.avi,2,3\n", "a_1.jpg,1,2\na_1.jpg,2,3\n", "a.jpg,1,2\nb.jpg,2,3\n"} {
		_, err := Read([]string{write(t, "other.csv", "filename,x,y\n"+other)}, nil)
		if err == nil || !strings.Contains(err.Error(), "no column is named frame or time") {
			t.Errorf("%q: %v", other, err)
		}
	}
}

// TestGeographicNames: longitudes and latitudes by the words of their names, or where the options say
// degrees; whatever the file is called, and what else the options say of columns.
func TestGeographicNames(t *testing.T) {
	for _, tt := range []struct {
		names, want string
		o           *Options
	}{
		{"timestamp,location-long,location-lat,individual-local-identifier", "m", nil},
		{"time,gpsLongitude,gpsLatitude,n", "m", nil},
		{"when,lon,lat,n", "m", &Options{Columns: map[string]string{"time": "when"}}},
		{"time,Lon1,Lat1,n", "m", &Options{Columns: map[string]string{"x": "Lon1", "y": "Lat1"}}},
		{"when,u,v,n", "m", &Options{Columns: map[string]string{"time": "when", "x": "u", "y": "v"}, Units: "deg"}},
		{"time,longitudinal,lateral,n", "", &Options{Columns: map[string]string{"x": "longitudinal", "y": "lateral"}}},
		{"frame,Location_Center_X,Location_Center_Y,n", "", nil},
	} {
		for _, name := range []string{"where.csv", "waypoints.csv"} {
			if d := read(t, name, tt.names+"\n0,11.5,48.1,1\n1,11.6,48.1,1\n", tt.o); d.Unit != tt.want {
				t.Errorf("%s of %s: %q", tt.names, name, d.Unit)
			}
		}
	}
}

// TestGeographicColumns: what is not read beside longitude and latitude is said.
func TestGeographicColumns(t *testing.T) {
	noted(t, read(t, "drone.csv", "time,lat,lon,altitude,x\n0,48.1,11.5,300,1\n1,48.1,11.6,310,2\n", nil), "columns read: time, lat (as y), lon (as x)", "columns ignored: altitude, x")
}

// TestColumnNames: names of columns as programs write them.
func TestColumnNames(t *testing.T) {
	for names, want := range map[string]struct{ pos, size []float64 }{
		"t,xPos,yPos":                         {[]float64{1, 2}, nil},
		"frameNo,centerX,centerY":             {[]float64{1, 2}, nil},
		"sec,XPosition,YPosition":             {[]float64{1, 2}, nil},
		"elapsed_s,xcentroid,ycentroid":       {[]float64{1, 2}, nil},
		"t,x_ft,y_ft":                         {[]float64{0.3048, 0.6096}, nil},
		"t,X (feet),Y (feet)":                 {[]float64{0.3048, 0.6096}, nil},
		"t,xNmi,yNmi":                         {[]float64{1852, 3704}, nil},
		"frame,x0,y0,x1,y1":                   {[]float64{3, 5}, []float64{4, 6}},
		"frame,xtl,ytl,xbr,ybr":               {[]float64{3, 5}, []float64{4, 6}},
		"frame,minX,minY,maxX,maxY":           {[]float64{3, 5}, []float64{4, 6}},
		"frame,x_left,y_top,x_right,y_bottom": {[]float64{3, 5}, []float64{4, 6}},
		"frame,boxLeft,boxTop,boxW,boxH":      {[]float64{3.5, 6}, []float64{5, 8}},
		"frame,xMean,x,yMean,y":               {[]float64{2, 8}, nil},
	} {
		first, second := "0,1,2", "1,1,2"
		if n := strings.Count(names, ","); n == 4 {
			first, second = "0,1,2,5,8", "1,1,2,5,8"
		}
		d := read(t, "names.csv", names+"\n"+first+"\n"+second+"\n", nil)
		if s := d.Scans[0]; len(d.Scans) != 2 && want.size != nil || !slices.EqualFunc(s.Pos, want.pos, near) || !slices.Equal(s.Size, want.size) {
			t.Errorf("%s: %v, %v", names, s.Pos, s.Size)
		}
	}
	noted(t, read(t, "least.csv", "frame,tMin,x,y\n0,7,1,2\n1,7,2,3\n", nil), "columns ignored: tMin")
	d := read(t, "ids.csv", "particleId,t,Track No.,x,y\n7,0,1,1,2\n8,1,1,1,2\n", nil)
	if len(d.Truth) != 1 || len(d.Truth[0].Hits) != 2 {
		t.Errorf("%d targets", len(d.Truth))
	}
	d = read(t, "aircraft.csv", "time,icao24,lat,lon\n0,3c6444,48,11\n0,4b1815,48,12\n1,3c6444,48,11\n1,4b1815,48,12\n", nil)
	if len(d.Truth) != 2 {
		t.Errorf("%d aircraft", len(d.Truth))
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }

// TestTimeWords: columns of times by other words, and dates in a column of no known name before
// whole numbers that happen to rise.
func TestTimeWords(t *testing.T) {
	for _, name := range []string{"utc", "ts_ms", "Epoch", "Unix Time"} {
		d := read(t, "words.csv", name+",x,y\n1,1,2\n2,2,3\n3,1,2\n", nil)
		if len(d.Scans) != 3 {
			t.Errorf("%s: %d scans", name, len(d.Scans))
		}
	}
	_, err := Read([]string{write(t, "when.csv", "who,when,x,y\n1,2024-01-01 10:00:00,1,2\n2,2024-01-01 10:00:01,1,2\n")}, nil)
	if err == nil || !strings.Contains(err.Error(), "--columns time=when") {
		t.Error(err)
	}
}

// TestClusters: the rows of a scan are stamped by a clock of milliseconds as they are written, so
// that some have one time: they are a scan all the same. Pictures that are taken in bursts are
// scans each.
func TestClusters(t *testing.T) {
	var stamped, bursts strings.Builder
	stamped.WriteString("ts_ms,x,y\n")
	bursts.WriteString("ts_ms,x,y\n")
	for k := range 20 {
		for i := range 12 {
			fmt.Fprintf(&stamped, "%d,%d,%d\n", 1_700_000_000_000+1000*k+(i*i*i+k*i*i+i/2)%5, 10*i, k)
			fmt.Fprintf(&bursts, "%d,%d,%d\n", 1_700_000_000_000+1000*k+i%3, 10*(i/3), k)
		}
	}
	d := read(t, "stamped.csv", stamped.String(), nil)
	if len(d.Scans) != 20 || d.Scans[7].Len() != 12 || math.Abs(d.Scans[7].Time-d.Scans[6].Time-1) > 0.005 {
		t.Errorf("stamped: %d scans", len(d.Scans))
	}
	noted(t, d, "times up to 0.004 s apart: a scan has their mean time")
	if d = read(t, "bursts.csv", bursts.String(), nil); len(d.Scans) < 60 || d.Scans[0].Len() != 4 {
		t.Errorf("bursts: %d scans, %d detections in the first", len(d.Scans), d.Scans[0].Len())
	}
}

// TestLayers: a points layer of napari has time first, then space; so it is in a stream, which
// reads region properties and decimal commas, too.
func TestLayers(t *testing.T) {
	const plane, space = "index,axis-0,axis-1,axis-2\n0,0.0,7,5\n1,1.0,8,6\n", "index,axis-0,axis-1,axis-2,axis-3\n0,0.0,9,7,5\n1,1.0,9.5,8,6\n"
	for text, want := range map[string][]float64{
		plane:                            {5, 7},
		space:                            {5, 7, 9},
		"frame;x;y\n0;5,5;7\n1;6;8,25\n": {5.5, 7},
		"label,centroid-0,centroid-1,frame\n1,7,5,0\n1,8,6,1\n":            {5, 7},
		"label,centroid-0,centroid-1,centroid-2,t\n1,9,7,5,0\n1,1,8,6,1\n": {5, 7, 9},
	} {
		d := read(t, "layer.csv", text, nil)
		if !slices.Equal(d.Scans[0].Pos, want) || len(d.Scans) != 2 {
			t.Errorf("%q: %+v", text, d.Scans)
		}
		s, err := NewScanReader(strings.NewReader(text), "layer.csv", "csv", nil).Next()
		if err != nil || !slices.Equal(s.Pos, want) {
			t.Errorf("%q in a stream: %+v, %v", text, s, err)
		}
	}
	d := read(t, "layer.csv", plane, &Options{Columns: map[string]string{"x": "axis-1", "y": "axis-2"}})
	if d.Scans[0].Pos[0] != 7 {
		t.Errorf("x is axis-1: %+v", d.Scans[0])
	}
}

// TestPrograms: columns of programs of microscopy.
func TestPrograms(t *testing.T) {
	for _, text := range []string{
		"ImageNumber,ObjectNumber,AreaShape_Area,Location_Center_X,Location_Center_Y\n1,1,300,4.5,6.5\n1,2,300,14.5,16.5\n2,1,300,5.5,6.5\n",
		" ,Area,Mean,XM,YM,Slice\n1,32,4.5,4.5,6.5,1\n2,32,5.5,14.5,16.5,1\n3,32,4.5,5.5,6.5,2\n",
	} {
		d := read(t, "objects.csv", text, nil)
		if len(d.Scans) != 2 || !slices.Equal(d.Scans[0].Pos, []float64{4.5, 6.5, 14.5, 16.5}) || !slices.Equal(d.Scans[1].Pos, []float64{5.5, 6.5}) {
			t.Errorf("%q: %+v", text, d.Scans)
		}
	}
}
