package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mtt/internal/text"
)

// FuzzReadScans: whatever is read is finite, and is read again when written.
func FuzzReadScans(f *testing.F) {
	f.Add([]byte("frame,det,x,y\n1,0,1,2\n"))
	f.Add([]byte("frame,det,x,y,z,vx,vy,vz,w,h,conf\n0,0,1,2,3,4,5,6,7,8,9\n9,1,1e-300,2,3,4,5,6,7,8,.5\n9,0,-1,2,3,4,5,6,7,8,9\n"))
	f.Add([]byte("\xef\xbb\xbftime,y,x,frame\r\n0.5,1,2,-3\r\n\r\n1,1,2,3"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := ReadScans(bytes.NewReader(b), "f", nil)
		if err != nil {
			if _, ok := errors.AsType[*SyntaxError](err); !ok {
				t.Fatalf("error %v is no *SyntaxError", err)
			}
			return
		}
		var out bytes.Buffer
		if err := WriteScans(&out, got.Scans); err != nil {
			t.Fatal(err)
		}
		again, err := ReadScans(&out, "f", &got.Grid)
		if err != nil {
			t.Fatal(err)
		}
		if ColumnsOf(got.Scans) != ColumnsOf(again.Scans) {
			t.Fatal("columns differ")
		}
		for k := range got.Scans { // times are not written
			got.Scans[k].Time, again.Scans[k].Time = 0, 0
			if got.Scans[k].Len() == 0 {
				got.Scans[k].Dim, again.Scans[k].Dim = 0, 0
			}
		}
		if d := cmp.Diff(got.Scans, again.Scans, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}

// FuzzReadTracks: whatever is read is read again when written.
func FuzzReadTracks(f *testing.F) {
	f.Add([]byte("frame,track,det,x,y\n1,1,0,1,2\n2,1,-1,1,2\n1,2,1,0,0\n"))
	f.Add([]byte("frame,id,x,y,z,vx,vy,vz,w,h,det\n0,0,1,2,3,4,5,6,7,8,-1\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := ReadTracks(bytes.NewReader(b), "f")
		if err != nil {
			if _, ok := errors.AsType[*SyntaxError](err); !ok {
				t.Fatalf("error %v is no *SyntaxError", err)
			}
			return
		}
		var out bytes.Buffer
		if err := WriteTruth(&out, got.Tracks); err != nil {
			t.Fatal(err)
		}
		again, err := ReadTracks(&out, "f")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(got.Tracks, again.Tracks, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}

// FuzzRead: every reader of a format returns data that hold together, or an
// error that names the file.
func FuzzRead(f *testing.F) {
	for _, s := range []string{motDet, motTruth, mot16, petsXML, obsmat, hermes, aisReport,
		"t;x;y;label\n0.5;1;2;a\n1;1;2;b\n", "# frame id x y\n1 2 3 4\n", `[{"points": [[1, 2], [3, 4]], "t": 1}]`, `{"1": [[1, 2]], "2": [[3, 4]]}`, `{"x":[1,2],"y":{"0":3,"1":4},"frame":[0,1]}`, "frame,xmin,ymin,xmax,ymax,score\n1,2,3,4,5,.5\n"} {
		for format := range uint8(len(formats) + 1) {
			f.Add([]byte(s), format, uint8(0))
		}
		f.Add([]byte(s), uint8(0), uint8(2))
	}
	for _, row := range samples(f) {
		if row.format == "yolo" {
			continue // a folder
		}
		data, err := os.ReadFile(row.path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint8(0), uint8(0))
		f.Add(data, uint8(1+slices.IndexFunc(formats, func(f Format) bool { return f.Name == row.format })), uint8(3))
	}
	var pause strings.Builder // nobody looked at frames 2 to 7
	pause.WriteString("frame,x,y\n")
	for _, frame := range []int{0, 1, 8, 9, 10, 11, 12} {
		for i := range 30 {
			fmt.Fprintf(&pause, "%d,%d,%d\n", frame, 10*i+frame, 7*i)
		}
	}
	f.Add([]byte(pause.String()), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, b []byte, format, every uint8) {
		o := &Options{Every: int(every), Noise: 0.5}
		if format > 0 && int(format) <= len(formats) {
			o.Format = formats[format-1].Name
		}
		s, err := parse("f", bytes.NewReader(b), 0, o)
		var d *Data
		if err == nil {
			d, err = s.alone(o)
		}
		if err != nil {
			if _, ok := errors.AsType[*SyntaxError](err); ok {
				return
			}
			if _, ok := errors.AsType[*FormatError](err); ok {
				return
			}
			t.Fatalf("error %v (%T)", err, err)
		}
		checkData(t, d)
	})
}

// checkData fails unless d holds together: scans on a grid, with frames that nobody looked at,
// finite numbers, and truth that refers to detections.
func checkData(t *testing.T, d *Data) {
	t.Helper()
	if !(d.Interval > 0) || math.IsInf(d.Interval, 0) {
		t.Fatalf("interval %v", d.Interval)
	}
	grid := slices.Clone(d.Unseen)
	for k := range d.Scans {
		grid = append(grid, d.Scans[k].Frame)
	}
	slices.Sort(grid)
	for k := range grid {
		if k > 0 && (grid[k] <= grid[k-1] || grid[k]-grid[k-1] != grid[1]-grid[0]) {
			t.Fatalf("frame %d after %d, steps of %d", grid[k], grid[k-1], grid[1]-grid[0])
		}
	}
	for k := range d.Scans {
		s := &d.Scans[k]
		n := s.Len()
		if len(s.Pos) != n*s.Dim || s.Vel != nil && len(s.Vel) != n*s.Dim || s.Size != nil && len(s.Size) != 2*n || s.Conf != nil && len(s.Conf) != n {
			t.Fatalf("shape of scan %d", k)
		}
		if k > 0 && s.Time <= d.Scans[k-1].Time {
			t.Fatalf("scan %d: frame %d at %v s after frame %d at %v s", k, s.Frame, s.Time, d.Scans[k-1].Frame, d.Scans[k-1].Time)
		}
		for _, a := range [][]float64{s.Pos, s.Vel, s.Size, s.Conf, {s.Time}} {
			for _, v := range a {
				if v-v != 0 {
					t.Fatalf("scan %d holds %v", k, v)
				}
			}
		}
	}
	for i := range d.Truth {
		tr := &d.Truth[i]
		if i > 0 && tr.ID <= d.Truth[i-1].ID {
			t.Fatalf("truth %d after %d", tr.ID, d.Truth[i-1].ID)
		}
		if len(tr.Pos) != len(tr.Hits)*tr.Dim {
			t.Fatalf("shape of truth %d", i)
		}
		for h := range tr.Hits {
			if h > 0 && tr.Hits[h].Frame <= tr.Hits[h-1].Frame {
				t.Fatalf("frames of truth %d", tr.ID)
			}
		}
	}
}

// FuzzQuick: the quick way of reading lines gives the rows, or the error, that the thorough
// one gives.
func FuzzQuick(f *testing.F) {
	for _, rows := range []string{"1,2,3\n", "1,-2.5,3.25\n2,0.1234567890123456,1e-3\n", "-1,.5,5.\n", "1, 2,3\n", "1,2\n", "1,2,3,4\n", "1,2,nan\n", "\"1\",2,3\n", "-0,-0,00\n", "1,2,3,\n", ",,\n",
		"999999999999999,1234567890123456,1.\n", "1.5,1,1\n", "1,+2,3\n", "-,2,3\n", "1,2,-\n"} {
		for _, header := range []string{"frame,x,y", "frame,x,y,", "id,frame,x,y", "frame,id,x,y,conf", "a,frame,x,y", "frame;x;y", "time,x,y", "frame,x,y,w,h"} {
			f.Add(header, []byte(rows), false)
		}
		f.Add("frame,det,x,y", []byte(rows), true)
		f.Add("frame,x,y,row,z", []byte(rows), true)
	}
	f.Fuzz(func(t *testing.T, header string, b []byte, strict bool) {
		read := func(plain bool) (*rows, error) {
			lr := text.NewLines(bytes.NewReader(append([]byte(header+"\n"), b...)), "f")
			var l *layout
			var err error
			if strict {
				l, _, err = runHeader(lr)
			} else {
				l = &layout{sep: separator([]byte(header))}
				for _, name := range split([]byte(header), l.sep) {
					r, ok := map[string]role{"frame": frame, "id": ident, "time": stamp, "x": posX, "y": posY, "w": width, "h": height, "conf": conf}[name]
					if !ok {
						r = skip
					}
					l.roles, l.names = append(l.roles, r), append(l.names, name)
				}
				_, err = lr.Next()
			}
			if err != nil {
				return nil, err
			}
			p := newRowReader(lr, l, 0)
			p.plain = p.plain && plain
			return p.rows, p.read()
		}
		want, fault := read(false)
		got, err := read(true)
		if (fault == nil) != (err == nil) || err != nil && fault.Error() != err.Error() {
			t.Fatalf("quickly read: %v; thoroughly: %v", err, fault)
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(rows{}, void{}, dated{}), cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}

// FuzzReadColumns: there is a number for each row, or an error that names the file.
func FuzzReadColumns(f *testing.F) {
	f.Add([]byte("frame,track,det,x,y,margin\n1,1,0,1,2,\n2,1,-1,1,2,3.5\n"))
	f.Add([]byte("margin,frame\n1,2\nx,3\n"))
	f.Add([]byte("margin,frame,frame\n1,2,3\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		columns, err := ReadColumns(bytes.NewReader(b), "f", "frame", "margin")
		if err != nil {
			if _, ok := errors.AsType[*SyntaxError](err); !ok {
				t.Fatalf("error %v is no *SyntaxError", err)
			}
			return
		}
		if columns != nil && len(columns[0]) != len(columns[1]) {
			t.Fatalf("%d and %d rows", len(columns[0]), len(columns[1]))
		}
	})
}
