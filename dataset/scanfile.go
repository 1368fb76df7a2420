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
	lr    *text.Lines
	l     *layout
	grid  Grid
	count int    // of the scans that were handed on
	line  []byte // of the next scan; nil: not read yet
	ended bool
	rows  int // of the scan before
}

// NewScanFile reads the header of detections.csv. The grid must be that of the file, with First,
// Step, Count and Interval, as run.toml has it. Rows must be in order of frames, as commands write them; in
// a frame they may come in any order.
func NewScanFile(r io.Reader, file string, g *Grid) (*ScanFile, error) {
	if g.Step < 1 || g.Count < 1 || !(g.Interval > 0) {
		panic(badGrid)
	}
	f := &ScanFile{lr: text.NewLines(r, file), grid: *g}
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

// Next is the next scan, which belongs to the caller; io.EOF after as many as the grid says.
// Errors of content are *SyntaxError.
func (f *ScanFile) Next() (*mtt.Scan, error) {
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
	p := newRowReader(f.lr, f.l, f.rows)
	p.only = &want
	for {
		if p.plain && f.line == nil {
			p.ahead()
		}
		line, err := f.peek()
		if err != nil {
			return nil, err
		}
		if f.ended {
			break
		}
		if frame, ok := f.frame(line); ok && frame > want && (frame-want)%f.grid.Step == 0 {
			f.line = append(f.line[:0], line...)
			break
		} else if ok && frame != want {
			return nil, f.bad(line, "frame %d is not one of those that follow frame %d", frame, want)
		}
		f.line = nil
		if err := p.add(line); err != nil {
			return nil, err
		}
	}
	f.rows = p.n
	return f.scan(p.rows, want)
}

// peek is the next line, which is read again until it is taken.
func (f *ScanFile) peek() ([]byte, error) {
	if f.line != nil || f.ended {
		return f.line, nil
	}
	line, err := f.lr.Next()
	if err == io.EOF {
		f.ended = true
		return nil, nil
	}
	return line, err
}

// frame is the frame of a line.
func (f *ScanFile) frame(line []byte) (int, bool) {
	at, c := 0, f.l.column(frame)
	for k := 0; ; k++ {
		lo, hi, next := field(line, at, f.l.sep)
		if lo < 0 {
			return 0, false
		}
		if k == c {
			return parseInt(line[lo:hi])
		}
		at = next
	}
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
	one := f.grid
	one.First, one.Count = frame, 1
	scans, _, err := cut(t, &one, f.lr.Name)
	if err != nil {
		return nil, err
	}
	s := &scans[0]
	switch {
	case t.n == 0 && timed:
		s.Time = at
	case t.time == nil:
		s.Time = f.grid.Interval * float64(f.count)
	}
	f.count++
	return s, nil
}

// bad is the error for a line.
func (f *ScanFile) bad(line []byte, format string, args ...any) error {
	return &SyntaxError{File: f.lr.Name, Line: f.lr.Line, Col: max(1, f.l.start(line, frame)), Msg: fmt.Sprintf(format, args...),
		Hint: "rows are in order of frames, as run.toml counts them; mtt import sorts those of a file"}
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
