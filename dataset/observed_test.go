package dataset

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"mtt"
)

// observedFrames are three frames of two targets, of which the first sees nothing and the last no target.
func observedFrames(dim int, vel bool) []Observed {
	at := func(x ...float64) []float64 {
		if dim == 3 {
			return x
		}
		var flat []float64
		for i := 0; i < len(x); i += 3 {
			flat = append(flat, x[i], x[i+1])
		}
		return flat
	}
	moving := func(x ...float64) []float64 {
		if !vel {
			return nil
		}
		return at(x...)
	}
	return []Observed{
		{Scan: mtt.Scan{Frame: 0, Dim: dim}, ID: []int{1, 2}, Pos: at(1, 2, 3, 4.25, 5, 6), Vel: moving(0.1, 0.2, 0.3, -1, 0, 1e-7), Det: []int{-1, -1}},
		{Scan: mtt.Scan{Frame: 1, Time: 0.5, Dim: dim, Pos: at(1.5, 2.5, 3.5, 1./3, 2, 3, 7, 8, 9), Vel: moving(1, 2, 3, 4, 5, 6, 7, 8, 9)},
			ID: []int{1, 2}, Pos: at(1, 2, 3, 1, 2, 3), Vel: moving(1, 1, 1, 2, 2, 2), Det: []int{2, 0}},
		{Scan: mtt.Scan{Frame: 2, Time: 1.25, Sensor: 1, Dim: dim, Pos: at(1, 1, 1), Vel: moving(0, 0, 0)}},
	}
}

// TestWriteObserved compares with the writers that have everything at once.
func TestWriteObserved(t *testing.T) {
	for _, tt := range []struct {
		dim, frames int
		vel         bool
	}{{2, 3, true}, {3, 3, true}, {2, 3, false}, {3, 1, true}, {2, 0, false}} {
		frames := observedFrames(tt.dim, tt.vel)[:tt.frames]
		var scans, when []mtt.Scan
		var truth []mtt.Track
		for i := range frames {
			f := &frames[i]
			scans = append(scans, f.Scan)
			when = append(when, mtt.Scan{Frame: f.Scan.Frame, Time: f.Scan.Time, Sensor: f.Scan.Sensor, Dim: f.Scan.Dim})
			for k, id := range f.ID {
				if id > len(truth) {
					truth = append(truth, mtt.Track{ID: id, Dim: tt.dim})
				}
				tr := &truth[id-1]
				tr.Hits = append(tr.Hits, mtt.Hit{Frame: f.Scan.Frame, Det: f.Det[k]})
				tr.Pos = append(tr.Pos, f.Pos[k*tt.dim:(k+1)*tt.dim]...)
				if tt.vel {
					tr.Vel = append(tr.Vel, f.Vel[k*tt.dim:(k+1)*tt.dim]...)
				}
			}
		}
		var want, got [2]bytes.Buffer
		if err := errors.Join(WriteScans(&want[0], scans), WriteTruth(&want[1], truth)); err != nil {
			t.Fatal(err)
		}
		at := 0
		err := WriteObserved(&got[0], &got[1], when, func() (*Observed, error) {
			if at == len(frames) {
				return nil, nil
			}
			at++
			return &frames[at-1], nil
		})
		if err != nil || got[0].String() != want[0].String() || got[1].String() != want[1].String() {
			t.Errorf("%+v: error %v, files\n%s\n%s\nwant\n%s\n%s", tt, err, &got[0], &got[1], &want[0], &want[1])
		}
	}
}

// TestWriteObservedFails: faults of the frames, the numbers and the writers come out.
func TestWriteObservedFails(t *testing.T) {
	fault := errors.New("fault")
	run := func(w *failing, frames []Observed, last error) error {
		at := 0
		return WriteObserved(w, w, nil, func() (*Observed, error) {
			if at == len(frames) {
				return nil, last
			}
			at++
			return &frames[at-1], nil
		})
	}
	if err := run(&failing{1 << 20}, observedFrames(2, true), fault); !errors.Is(err, fault) {
		t.Errorf("fault of the frames: %v", err)
	}
	if err := run(&failing{3}, observedFrames(2, true), nil); !errors.Is(err, errFull) {
		t.Errorf("fault of the writer: %v", err)
	}
	for _, of := range []func(f *Observed) *float64{func(f *Observed) *float64 { return &f.Pos[1] }, func(f *Observed) *float64 { return &f.Scan.Vel[0] }} {
		frames := observedFrames(2, true)
		*of(&frames[1]) = math.Inf(1)
		if err := run(&failing{1 << 20}, frames, nil); !errors.Is(err, ErrNotFinite) {
			t.Errorf("infinity: %v", err)
		}
	}
}
