package dataset

// This file reads the files of a run folder frame by frame, for scenes larger than memory.

import (
	"fmt"
	"io"

	"mtt"
	"mtt/internal/text"
)

// frameLines are the lines of a file whose rows are in order of frames.
type frameLines struct {
	lr    *text.Lines
	l     *layout
	line  []byte // of the next frame; nil: not read yet
	spare []byte // memory for it
	ended bool
	want  int        // the frame at hand
	read  *rowReader // of its rows; nil before the first
}

// rowsOf reads the rows of a frame, which are good until the next call; what [rows.scan] made of
// them is so for good. After the frame comes one of those later ones that follow it.
func (f *frameLines) rowsOf(want int, follows func(later int) bool) (*rows, error) {
	if f.read == nil {
		f.read = newRowReader(f.lr, f.l, 0)
	}
	p := f.read
	p.renew()
	f.want, p.only = want, &f.want
	for {
		if p.plain && f.line == nil && p.ahead() && p.whl[frame] > want && follows(p.whl[frame]) {
			break
		}
		line, err := f.peek()
		if err != nil {
			return nil, err
		}
		if f.ended {
			break
		}
		if frame, ok := f.frame(line); ok && frame > want && follows(frame) {
			f.line = append(f.spare[:0], line...)
			f.spare = f.line
			break
		} else if ok && frame != want {
			return nil, f.bad(line, "frame %d is not one of those that follow frame %d", frame, want)
		}
		f.line = nil
		if err := p.add(line); err != nil {
			return nil, err
		}
	}
	return p.rows, nil
}

// peek is the next line, which is read again until it is taken.
func (f *frameLines) peek() ([]byte, error) {
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
func (f *frameLines) frame(line []byte) (int, bool) {
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

// bad is the error for a line.
func (f *frameLines) bad(line []byte, format string, args ...any) error {
	return &SyntaxError{File: f.lr.Name, Line: f.lr.Line, Col: max(1, f.l.start(line, frame)), Msg: fmt.Sprintf(format, args...),
		Hint: "rows are in order of frames, as run.toml counts them; mtt import sorts those of a file"}
}

// A HitFile reads truth.csv or tracks.csv as [ReadTracks] does, one frame at a time and in the
// memory of one. It is made by [NewHitFile].
type HitFile struct{ frameLines }

// NewHitFile reads the header of a file. Rows must be in order of frames, as commands write them.
func NewHitFile(r io.Reader, file string) (*HitFile, error) {
	f := &HitFile{frameLines{lr: text.NewLines(r, file)}}
	var err error
	f.l, _, err = runHeader(f.lr, "frame", "id", "x", "y")
	return f, err
}

// Frame is the number of the frame that comes next; io.EOF after the last.
func (f *HitFile) Frame() (int, error) {
	line, err := f.peek()
	if err != nil {
		return 0, err
	}
	if f.ended {
		return 0, io.EOF
	}
	next, ok := f.frame(line)
	if !ok {
		return 0, f.bad(line, "there is no number of a frame")
	}
	f.line = append(f.line[:0:0], line...)
	return next, nil
}

// Next are the tracks of the frame that comes next, each with the hit that it has in it, ascending
// by ID. Errors of content are *SyntaxError.
func (f *HitFile) Next() ([]mtt.Track, error) {
	frame, err := f.Frame()
	if err != nil {
		return nil, err
	}
	t, err := f.rowsOf(frame, func(int) bool { return true })
	if err != nil {
		return nil, err
	}
	return group(t, f.lr.Name, nil)
}
