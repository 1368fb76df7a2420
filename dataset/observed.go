package dataset

// This file writes detections.csv and truth.csv together, frame by frame, as a simulation
// makes them.

import (
	"cmp"
	"fmt"
	"io"
	"runtime"

	"mtt"
	"mtt/internal/workers"
)

// An Observed is a frame with its truth.
type Observed struct {
	Scan mtt.Scan

	// The targets that are there, in ascending order of ID.
	ID  []int
	Pos []float64 // row-major len(ID)×Scan.Dim
	Vel []float64 // likewise; nil: not known, of no target in any frame
	Det []int     // the detection each caused, -1 when it was missed

	Parent []int // ID of the target that divided into this one and another, 0: none; nil: of no target in any frame, and there is no column
}

// WriteObserved writes detections.csv and truth.csv, to the byte what [WriteScans] and [WriteTruth]
// make of all frames together (but that a column parent of zeros stays), in memory for a few
// frames. next yields the frames, nil after the last, which belong to WriteObserved. when are the
// same scans, and need not have their detections, only frames, times and sensors.
func WriteObserved(detections, truth io.Writer, when []mtt.Scan, next func() (*Observed, error)) error {
	columns := ColumnsOf(when)
	dim, vel, parents := 2, false, false // of targets
	type block struct {
		*Observed
		rows, targets []byte
		err           error
	}
	seen, known := false, false // a detection, a target
	headed := [2]bool{}
	write := func(side int, w io.Writer, head func() string, rows []byte) error {
		if !headed[side] {
			headed[side] = true
			if _, err := io.WriteString(w, head()); err != nil {
				return err
			}
		}
		_, err := w.Write(rows)
		return err
	}
	scanHead := func() string { return columns.header() }
	targetHead := func() string {
		head := hitHeader("id", dim, true, vel, false)
		if parents {
			head += parentHead
		}
		return head + "\n"
	}
	const most = 4 // more would wait for the simulation, each with a frame
	err := workers.Ordered(min(most, runtime.GOMAXPROCS(0)), func() *block { return new(block) },
		func(b *block) (more bool, err error) {
			if b.Observed, err = next(); b.Observed == nil || err != nil {
				return false, err
			}
			if s := &b.Scan; !seen && s.Len() > 0 {
				seen = true
				time, sensor := columns.Time, columns.Sensor
				columns = ColumnsOf([]mtt.Scan{*s})
				columns.Time, columns.Sensor = time, sensor
			}
			if !known && len(b.ID) > 0 {
				known, dim, vel, parents = true, b.Scan.Dim, b.Vel != nil, b.Parent != nil
			}
			return true, nil
		},
		func(b *block) {
			b.rows, b.targets, b.err = b.rows[:0], b.targets[:0], nil
			if b.Scan.Len() > 0 {
				b.rows, b.err = columns.appendRows(b.rows, &b.Scan, nil, 0, b.Scan.Len())
			}
			for i, id := range b.ID {
				at := hitValues{pos: b.Pos[i*dim : (i+1)*dim]}
				if vel {
					at.vel = b.Vel[i*dim : (i+1)*dim]
				}
				row, ok := appendHit(b.targets, mtt.Hit{Frame: b.Scan.Frame, Det: b.Det[i]}, id, true, at)
				if parents {
					row = appendInt(append(row, ','), b.Parent[i])
				}
				b.targets = append(row, '\n')
				if !ok {
					b.err = cmp.Or(b.err, fmt.Errorf("dataset: id %d, frame %d: %w", id, b.Scan.Frame, ErrNotFinite))
				}
			}
		},
		func(b *block) error {
			if b.Scan.Len() > 0 {
				if err := write(0, detections, scanHead, b.rows); err != nil {
					return err
				}
			}
			if len(b.ID) > 0 {
				if err := write(1, truth, targetHead, b.targets); err != nil {
					return err
				}
			}
			return b.err
		})
	if err != nil {
		return err
	}
	if err := write(0, detections, scanHead, nil); err != nil {
		return err
	}
	return write(1, truth, targetHead, nil)
}
