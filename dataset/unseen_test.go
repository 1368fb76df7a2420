package dataset

// This file tests which frames without detections nobody looked at.

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"mtt"
)

// table is a table of scans with so many detections in frames 0, 1, …; none where that is 0.
func table(counts ...int) string {
	var b strings.Builder
	b.WriteString("frame,x,y\n")
	for frame, n := range counts {
		for i := range n {
			fmt.Fprintf(&b, "%d,%d,%d\n", frame, 10*i+frame, i)
		}
	}
	return b.String()
}

// TestUnseen: frames without detections after scans with many were looked at by nobody, all at once
// or as they come; what is written and read again says the same.
func TestUnseen(t *testing.T) {
	for _, tt := range []struct {
		name   string
		counts []int
		want   []int
	}{
		{"pauses", []int{12, 12, 0, 12, 12, 0, 0, 11, 12, 0, 12, 0, 12}, []int{9, 11}},
		{"every frame has some", []int{12, 1, 12}, nil},
		{"few targets", []int{9, 9, 0, 9, 0, 9, 0, 9, 0, 9, 0, 9}, []int{8, 10}},
		{"few targets, of whom half are gone now and then", []int{9, 9, 0, 9, 4, 9, 9, 9, 0, 9, 0, 9, 9, 0, 0, 0, 9}, nil},
		{"two targets", []int{2, 2, 0, 2, 0, 2, 0, 2, 0, 0, 0, 2, 2, 0, 0, 2}, nil},
		{"targets leave one after the other", []int{40, 25, 12, 6, 0, 0, 12, 30}, nil},
		{"what comes after is not asked", []int{12, 12, 12, 0, 0, 0, 0, 3, 0, 3}, []int{3, 4, 5, 6}},
		{"a long pause", []int{12, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12}, nil},
		{"bursts", bursts(6, 3, 15, 12), between(6, 3, 15)},
		{"bursts of few", bursts(6, 3, 15, 2), nil},
		{"three long pauses", bursts(4, 3, 15, 12), nil},
		{"steps", []int{12, 0, 12, 0, 12}, nil}, // of two
	} {
		in := table(tt.counts...)
		d, err := Read([]string{write(t, "in.csv", in)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(d.Unseen, tt.want) {
			t.Errorf("%s: unseen %v, want %v", tt.name, d.Unseen, tt.want)
		}
		if d.Uneven != (tt.want != nil) || len(d.Rows) != len(d.Scans) {
			t.Errorf("%s: uneven %v, %d scans, rows of %d", tt.name, d.Uneven, len(d.Scans), len(d.Rows))
		}
		streamed, err := readAll(in, "csv", nil)
		if tt.name == "bursts" { // of which a stream does not know before they recur
			for _, s := range streamed[len(streamed)-9:] {
				if s.Len() == 0 {
					t.Errorf("%s: frame %d of the stream is empty", tt.name, s.Frame)
				}
			}
		} else if err != io.EOF || !slices.Equal(framesOf(streamed), framesOf(d.Scans)) {
			t.Errorf("%s: streamed %v (%v), read %v", tt.name, framesOf(streamed), err, framesOf(d.Scans))
		}

		var out bytes.Buffer
		if err := WriteScanRows(&out, d.Scans, d.Rows); err != nil {
			t.Fatal(err)
		}
		step := 1
		if tt.name == "steps" {
			step = 2
		}
		g := &Grid{Step: step, Count: (len(tt.counts)-1)/step + 1, Interval: d.Interval, Empty: EmptyTimes(d.Scans), Unseen: d.Unseen}
		again, err := ReadScans(bytes.NewReader(out.Bytes()), "detections.csv", g)
		if err != nil {
			t.Fatal(err)
		}
		sf, err := NewScanFile(bytes.NewReader(out.Bytes()), "detections.csv", g)
		if err != nil {
			t.Fatal(err)
		}
		for k := range d.Scans {
			s, err := sf.Next()
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []*mtt.Scan{s, &again.Scans[k]} {
				if w := &d.Scans[k]; s.Frame != w.Frame || s.Time != w.Time || !slices.Equal(s.Pos, w.Pos) {
					t.Errorf("%s: scan %d is of frame %d at %v s, was of frame %d at %v s", tt.name, k, s.Frame, s.Time, w.Frame, w.Time)
				}
			}
		}
		if _, err := sf.Next(); err != io.EOF || len(again.Scans) != len(d.Scans) {
			t.Errorf("%s: after the last scan %v; %d scans, were %d", tt.name, err, len(again.Scans), len(d.Scans))
		}
	}
}

// bursts are so many scans of n detections in a row, then as many frames without as said, so many times.
func bursts(times, row, pause, n int) (counts []int) {
	for k := range times {
		if k > 0 {
			counts = append(counts, make([]int, pause)...)
		}
		counts = append(counts, slices.Repeat([]int{n}, row)...)
	}
	return counts
}

// between are the frames without any.
func between(times, row, pause int) (frames []int) {
	for f, n := range bursts(times, row, pause, 1) {
		if n == 0 {
			frames = append(frames, f)
		}
	}
	return frames
}

// TestUnseenForged: frames with detections were looked at, whatever run.toml says.
func TestUnseenForged(t *testing.T) {
	g := &Grid{Step: 1, Count: 3, Interval: 1, Unseen: []int{1}}
	in := "frame,x,y\n0,1,2\n1,1,2\n2,1,2\n"
	if _, err := ReadScans(strings.NewReader(in), "f.csv", g); err == nil || !strings.Contains(err.Error(), "frame 1 has detections") {
		t.Error(err)
	}
	sf, err := NewScanFile(strings.NewReader(in), "f.csv", g)
	for err == nil {
		_, err = sf.Next()
	}
	if err == io.EOF {
		t.Error("a scan was left out without a word")
	}
}

// TestUnseenLast: that nobody looked at the last frames, as only a run.toml that was changed says,
// is no reason to go on for ever.
func TestUnseenLast(t *testing.T) {
	sf, err := NewScanFile(strings.NewReader("frame,x,y\n0,1,2\n"), "f.csv", &Grid{Step: 1, Count: 3, Interval: 1, Unseen: []int{1, 2}})
	for n := 0; err == nil; n++ {
		if _, err = sf.Next(); n == 3 {
			t.Fatal("more scans than frames")
		}
	}
	if err != io.EOF {
		t.Error(err)
	}
}

func framesOf(scans []mtt.Scan) []int {
	list := make([]int, len(scans))
	for k := range scans {
		list[k] = scans[k].Frame
	}
	return list
}
