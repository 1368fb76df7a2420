package dataset

// This file reads detections.csv scan by scan, for scenes larger than memory.

import (
	"fmt"
	"io"

	"mtt"
	"mtt/internal/text"
)

// A ScanFile reads detections.csv as [ReadScans] does, one scan at a time and in the memory of
// one. It is made by [NewScanFile].
type ScanFile struct {
	frameLines
	grid  Grid
	count int      // of the frames that were handed on or passed over
	at    mtt.Scan // that was handed on last
}

// NewScanFile reads the header of detections.csv. The grid must be that of the file, with First,
// Step, Count and Interval, as run.toml has it. Rows must be in order of frames, as commands write them; in
// a frame they may come in any order.
func NewScanFile(r io.Reader, file string, g *Grid) (*ScanFile, error) {
	if g.Step < 1 || g.Count < 1 || !(g.Interval > 0) {
		panic(badGrid)
	}
	f := &ScanFile{frameLines: frameLines{lr: text.NewLines(r, file)}, grid: *g}
	var err error
	if f.l, _, err = runHeader(f.lr, "frame", "x", "y"); err != nil {
		return nil, err
	}
	for i, r := range f.l.roles {
		if r == ident || r == mother { // detections have no identity
			f.l.roles[i] = skip
		}
	}
	return f, nil
}

// Next is the next scan, good until the next call, though its lists belong to the caller; io.EOF
// after as many as the grid says.
// Errors of content are *SyntaxError.
func (f *ScanFile) Next() (*mtt.Scan, error) {
	for f.count < f.grid.Count && f.grid.unseen(f.grid.First+f.count*f.grid.Step) {
		f.count++
	}
	if f.count == f.grid.Count {
		if line, err := f.peek(); err != nil || !f.ended {
			if err == nil {
				err = f.bad(line, "there are more frames than run.toml says")
			}
			return nil, err
		}
		return nil, io.EOF
	}
	want := f.grid.First + f.count*f.grid.Step
	t, err := f.rowsOf(want, func(next int) bool { return (next-want)%f.grid.Step == 0 })
	if err != nil {
		return nil, err
	}
	return f.scan(t, want)
}

// scan makes a scan of the rows of one frame.
func (f *ScanFile) scan(t *rows, frame int) (*mtt.Scan, error) {
	t.sortBy(t.det)
	if err := checkDets(t, f.lr.Name); err != nil {
		return nil, err
	}
	at, timed := f.grid.Empty[frame]
	if t.n == 0 && f.l.has(stamp) && !timed {
		return nil, &SyntaxError{File: f.lr.Name, Line: f.lr.Line, Col: 1, Msg: fmt.Sprintf("frame %d has no detection, and nothing says when it was", frame), Hint: "run.toml has the times of such frames"}
	}
	s := &f.at
	*s = mtt.Scan{Frame: frame, Time: f.grid.Interval * float64(f.count)}
	if err := t.scan(s, 0, t.n, &f.grid, f.lr.Name); err != nil {
		return nil, err
	}
	switch {
	case t.n == 0 && timed:
		s.Time = at
	case t.n > 0 && t.time != nil:
		var err error
		if s.Time, err = t.moment(s.Frame, 0, t.n, f.lr.Name); err != nil {
			return nil, err
		}
	}
	f.count++
	return s, nil
}

// A HitWriter writes tracks.csv row by row, without further columns.
type HitWriter struct {
	w   io.Writer
	buf []byte
	dim int
}

// NewHitWriter begins a file of tracks in dim dimensions: with its header when it is new, else
// where rows were written before. It buffers; call Flush in the end.
func NewHitWriter(w io.Writer, dim int, fresh bool) *HitWriter {
	if dim != 2 && dim != 3 {
		panic(badDim)
	}
	h := &HitWriter{w: w, dim: dim, buf: make([]byte, 0, flushAt+1<<10)}
	if fresh {
		h.buf = append(append(h.buf, hitHeader("track", dim, false, false, false)...), '\n')
	}
	return h
}

// Write writes that detection det of a scan is in a track. The rows of a file are in order of frames
// and, in a frame, of tracks.
func (h *HitWriter) Write(s *mtt.Scan, track, det int) error {
	b, ok := appendHit(h.buf, mtt.Hit{Frame: s.Frame, Det: det}, track, false, hitValues{pos: s.At(det)})
	if !ok {
		return fmt.Errorf("dataset: frame %d, detection %d: %w", s.Frame, det, ErrNotFinite)
	}
	h.buf = append(b, '\n')
	if len(h.buf) < flushAt {
		return nil
	}
	return h.Flush()
}

// Flush hands everything written so far to the writer below.
func (h *HitWriter) Flush() error {
	_, err := h.w.Write(h.buf)
	h.buf = h.buf[:0]
	return err
}
