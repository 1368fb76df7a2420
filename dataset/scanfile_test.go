package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mtt"
	"mtt/scenario"
)

// TestScanFile reads scan by scan what ReadScans reads at once.
func TestScanFile(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Targets: 5, Frames: 12, Miss: 0.4, Noise: 0.1, VelocityNoise: 0.1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	uneven := append([]mtt.Scan(nil), scene.Scans...)
	uneven[3].Time += 0.25
	none := append([]mtt.Scan(nil), scene.Scans...)
	for _, k := range []int{0, 5, 6, 11} {
		none[k] = mtt.Scan{Frame: none[k].Frame, Time: none[k].Time, Dim: 2}
	}
	for name, scans := range map[string][]mtt.Scan{"even": scene.Scans, "uneven": uneven, "empty": none} {
		var file bytes.Buffer
		if err := WriteScans(&file, scans); err != nil {
			t.Fatal(err)
		}
		g := &Grid{First: 0, Step: 1, Count: len(scans), Interval: 1, Empty: EmptyTimes(scans)}
		all, err := ReadScans(bytes.NewReader(file.Bytes()), "d.csv", g)
		if err != nil {
			t.Fatal(err)
		}
		f, err := NewScanFile(&file, "d.csv", g)
		if err != nil {
			t.Fatal(err)
		}
		for k := range all.Scans {
			s, err := f.Next()
			if err != nil {
				t.Fatalf("%s: scan %d: %v", name, k, err)
			}
			want := all.Scans[k]
			if want.Len() == 0 {
				s.Pos, s.Vel, want.Pos, want.Vel = nil, nil, nil, nil
			}
			if !reflect.DeepEqual(*s, want) {
				t.Errorf("%s: scan %d is %+v, want %+v", name, k, *s, want)
			}
		}
		if _, err := f.Next(); err != io.EOF {
			t.Errorf("%s: after the last scan: %v", name, err)
		}
	}
}

// TestScanFileErrors names what is wrong, and where.
func TestScanFileErrors(t *testing.T) {
	for text, want := range map[string]string{
		"frame,x,y\n0,1,1\n2,1,1\n1,1,1\n":          "d.csv:4:1: frame 1 is not one of those that follow frame 2",
		"frame,x,y\n0,1,1\n3,1,1\n":                 "d.csv:3:1: there are more frames than run.toml says",
		"frame,x,y\n0,1\n":                          "d.csv:2:",
		"frame,det,x,y\n0,1,1,1\n":                  "frame 0 has detection 1 but no detection 0",
		"frame,time,x,y\n0,1,1,1\n2,3,1,1\n":        "frame 1 has no detection, and nothing says when it was",
		"frame,x,y\n0,1,1\n1,2,2\n1,nan,0\n2,0,0\n": "d.csv:4:",
	} {
		f, err := NewScanFile(strings.NewReader(text), "d.csv", &Grid{Step: 1, Count: 3, Interval: 1})
		for err == nil {
			_, err = f.Next()
		}
		if errors.Is(err, io.EOF) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestHitWriter writes what WriteTracks writes.
func TestHitWriter(t *testing.T) {
	scans := []mtt.Scan{{Frame: 4, Dim: 2, Pos: []float64{0.5, 1, 2, 3}}, {Frame: 5, Dim: 2, Pos: []float64{7, -1e-7}}}
	tracks := []mtt.Track{{ID: 1, Dim: 2}, {ID: 2, Dim: 2}}
	tracks[0].Append(&scans[0], 1)
	tracks[0].Append(&scans[1], 0)
	tracks[1].Append(&scans[0], 0)
	var want, got bytes.Buffer
	if err := WriteTracks(&want, tracks); err != nil {
		t.Fatal(err)
	}
	w := NewHitWriter(&got, 2, true)
	for _, h := range []struct{ scan, track, det int }{{0, 1, 1}, {0, 2, 0}, {1, 1, 0}} {
		if err := w.Write(&scans[h.scan], h.track, h.det); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil || got.String() != want.String() {
		t.Errorf("%v: %q, want %q", err, &got, &want)
	}
}

// TestHitFile reads frame by frame what ReadTracks reads at once, and says where frames are out of order.
func TestHitFile(t *testing.T) {
	scene, err := scenario.Simulate(t.Context(), &scenario.Config{Targets: 5, Frames: 12, Miss: 0.4, Births: 1, Noise: 0.1, VelocityNoise: 0.1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := WriteTruth(&file, scene.Truth); err != nil {
		t.Fatal(err)
	}
	all, err := ReadTracks(bytes.NewReader(file.Bytes()), "truth.csv")
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewHitFile(&file, "truth.csv")
	if err != nil {
		t.Fatal(err)
	}
	got, last := make(map[int]*mtt.Track), -1
	for {
		frame, err := f.Frame()
		if err == io.EOF {
			break
		}
		tracks, again := f.Next()
		if err != nil || again != nil || frame <= last {
			t.Fatal(frame, err, again)
		}
		last = frame
		for _, one := range tracks {
			if len(one.Hits) != 1 || one.Hits[0].Frame != frame {
				t.Fatalf("frame %d: %+v", frame, one)
			}
			if sum := got[one.ID]; sum == nil {
				got[one.ID] = &one
			} else {
				sum.Hits, sum.Pos, sum.Vel = append(sum.Hits, one.Hits...), append(sum.Pos, one.Pos...), append(sum.Vel, one.Vel...)
			}
		}
	}
	if len(got) != len(all.Tracks) || last != 11 {
		t.Errorf("%d tracks to frame %d, want %d", len(got), last, len(all.Tracks))
	}
	for _, want := range all.Tracks {
		if !reflect.DeepEqual(*got[want.ID], want) {
			t.Errorf("%+v, want %+v", *got[want.ID], want)
		}
	}
	if f, err = NewHitFile(strings.NewReader("frame,id,x,y\n3,1,0,0\n2,1,0,0\n"), "truth.csv"); err == nil {
		_, err = f.Next()
	}
	var fault *SyntaxError
	if !errors.As(err, &fault) || fault.Line != 3 {
		t.Errorf("frames out of order: %v", err)
	}
}

// TestScanFileAllocs: a frame costs next to nothing: what reads it is made once, and the values of
// few rows lie side by side. Scans that were handed on keep theirs.
func TestScanFileAllocs(t *testing.T) {
	const frames = 3000
	text := []byte("frame,x,y,vx,vy\n")
	for k := range frames {
		text = fmt.Appendf(text, "%d,%d,1,2,%d\n", k, k, -k)
	}
	f, err := NewScanFile(bytes.NewReader(text), "scans", &Grid{Step: 1, Count: frames, Interval: 1})
	if err != nil {
		t.Fatal(err)
	}
	scans := make([]mtt.Scan, 0, frames)
	next := func() {
		s, err := f.Next()
		if err != nil {
			t.Fatal(err)
		}
		scans = append(scans, *s)
	}
	next()
	if n := testing.AllocsPerRun(frames-2, next); n >= 1 {
		t.Errorf("%v allocations a frame, want fewer than 1", n)
	}
	for k, s := range scans {
		if s.Frame != k || !slices.Equal(s.Pos, []float64{float64(k), 1}) || !slices.Equal(s.Vel, []float64{2, float64(-k)}) {
			t.Fatalf("frame %d: %+v", k, s)
		}
	}
}
