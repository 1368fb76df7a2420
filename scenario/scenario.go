package scenario

// This file holds the two functions of the package, Simulate and Stream, and
// what they return.

import (
	"context"
	"fmt"
	"iter"

	"mtt"
)

// A Frame is one scan with the truth behind it.
type Frame struct {
	Scan mtt.Scan

	// The living targets, in ascending order of ID.
	ID  []int     // from 1, in order of appearance
	Pos []float64 // m, row-major len(ID)×Dim, without noise
	Vel []float64 // m/s, row-major len(ID)×Dim, without noise; nil in Walk and Cells
	Det []int     // the detection each target caused, -1 when it was missed, out of view or merged with that of an older one

	Parent []int // ID of the cell that divided into this one and another, 0 for none; nil but in Cells
}

// A Scene is a simulation from the first frame to the last.
type Scene struct {
	Config Config      // as used, with the defaults filled in
	Scans  []mtt.Scan  // one per frame
	Truth  []mtt.Track // Truth[i] has ID i+1 and a hit for each frame of its life
}

// Simulate draws truth and scans. A nil c means DefaultConfig().
//
// The error is that of Validate or wraps ctx.Err(); in the latter case the
// scene holds the frames finished until then. Time is O(Frames·Targets), and so
// is memory; see [Stream] for less.
func Simulate(ctx context.Context, c *Config) (*Scene, error) {
	cfg, err := c.resolve()
	if err != nil {
		return nil, err
	}
	scene := &Scene{Config: cfg, Scans: make([]mtt.Scan, 0, cfg.Frames)}
	for f, err := range Stream(ctx, &cfg) {
		if err != nil {
			return scene, err
		}
		scene.Scans = append(scene.Scans, f.Scan)
		scene.add(f)
	}
	return scene, nil
}

// add appends the truth of f to the tracks.
func (s *Scene) add(f *Frame) {
	dim := s.Config.Dim
	for i, id := range f.ID {
		if id > len(s.Truth) { // a newcomer; IDs come without holes
			t := mtt.Track{ID: id, Dim: dim}
			if f.Parent != nil {
				t.Parent = f.Parent[i]
			}
			if s.Config.Births == 0 && s.Config.Scene != Flow && s.Config.Scene != Cells {
				t.Hits = make([]mtt.Hit, 0, s.Config.Frames)
				t.Pos = make([]float64, 0, s.Config.Frames*dim)
				if f.Vel != nil {
					t.Vel = make([]float64, 0, s.Config.Frames*dim)
				}
			}
			s.Truth = append(s.Truth, t)
		}
		t := &s.Truth[id-1]
		t.Hits = append(t.Hits, mtt.Hit{Frame: f.Scan.Frame, Det: f.Det[i]})
		t.Pos = append(t.Pos, f.Pos[i*dim:(i+1)*dim]...)
		if f.Vel != nil {
			t.Vel = append(t.Vel, f.Vel[i*dim:(i+1)*dim]...)
		}
	}
}

// Stream yields the frames of Simulate one at a time, in memory O(Targets +
// Clutter) however many frames there are. A nil c means DefaultConfig().
//
// Each frame belongs to the receiver. An error, of the same kinds as that of
// Simulate, comes with a nil frame and ends the sequence. The sequence can be
// ranged over again, and starts again from the first frame.
func Stream(ctx context.Context, c *Config) iter.Seq2[*Frame, error] {
	cfg, err := c.resolve()
	return func(yield func(*Frame, error) bool) {
		if err != nil {
			yield(nil, err)
			return
		}
		w := newWorld(&cfg)
		times := newSchedule(&cfg)
		sensor := carrier{cfg: &cfg}
		for frame := range cfg.Frames {
			if err := ctx.Err(); err != nil {
				yield(nil, fmt.Errorf("scenario: frame %d: %w", frame, err))
				return
			}
			time, dt, which := times.next(frame)
			if frame > 0 {
				w.advance(frame, dt)
			}
			f := w.observe(frame, time, which)
			f.merge(cfg.MergeWithin)
			sensor.show(f, frame)
			if !yield(f, nil) {
				return
			}
		}
	}
}

// Schedule is the scans of Simulate without what they see: frames, times and sensors.
func Schedule(c *Config) ([]mtt.Scan, error) {
	cfg, err := c.resolve()
	if err != nil {
		return nil, err
	}
	times := newSchedule(&cfg)
	scans := make([]mtt.Scan, cfg.Frames)
	for frame := range scans {
		time, _, sensor := times.next(frame)
		scans[frame] = mtt.Scan{Frame: frame, Time: time, Sensor: sensor, Dim: cfg.Dim}
	}
	return scans, nil
}

// resolve is c with its defaults filled in, if it is valid.
func (c *Config) resolve() (Config, error) {
	if c == nil {
		c = DefaultConfig()
	}
	if err := c.Validate(); err != nil {
		return Config{}, err
	}
	return c.withDefaults(), nil
}
