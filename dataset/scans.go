package dataset

// This file reads and writes detections.csv, the scans of a run folder.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"mtt"
	"mtt/internal/text"
	"mtt/internal/workers"
)

// Columns says what a detections file holds beside frame, det, x and y.
type Columns struct {
	Dim      int  // 2 or 3
	Time     bool // time: of the scan
	Sensor   bool // sensor
	Vel      bool // vx, vy[, vz]
	Cov      bool // sxx, sxy, syy[, sxz, syz, szz]
	VelCov   bool // svxx, svxy, svyy[, …]
	Size     bool // w, h
	Conf     bool // conf
	Class    bool // class
	Features int  // f1, f2, …
	Row      bool // row: of the file that was imported
}

// ColumnsOf lists what the scans hold: what the first scan with detections has, the
// times where they are not multiples of one interval, from 0, and the sensor where
// there are several.
func ColumnsOf(scans []mtt.Scan) Columns {
	c := Columns{Dim: 2}
	for i := range scans {
		if s := &scans[i]; s.Len() > 0 {
			c = Columns{Dim: s.Dim, Vel: s.Vel != nil, Cov: s.Cov != nil, VelCov: s.VelCov != nil, Size: s.Size != nil,
				Conf: s.Conf != nil, Class: s.Class != nil, Features: s.Features()}
			break
		}
	}
	for i := range scans {
		c.Sensor = c.Sensor || scans[i].Sensor != 0
	}
	c.Time = !evenlySpaced(scans)
	return c
}

// evenlySpaced says whether scan k is at k times one interval, to the last bit.
func evenlySpaced(scans []mtt.Scan) bool {
	for k := range scans {
		if scans[k].Time != float64(k)*scans[min(1, len(scans)-1)].Time {
			return false
		}
	}
	return true
}

// ErrNotFinite is returned for scans and tracks with a number that is NaN or
// infinite: no file may hold one.
var ErrNotFinite = errors.New("a number is not finite")

const (
	badDim     = "dataset: dimension is neither 2 nor 3"
	badColumns = "dataset: scan lacks a column of the file"
	badShape   = "dataset: slices of a scan or track differ in length"
	badGrid    = "dataset: grid is negative or not finite"
	badOrder   = "dataset: hits of a track are not in ascending order of frames"
)

// flushAt is the size at which a buffer of finished rows is handed on, in bytes.
const flushAt = 1 << 16

// A ScanWriter writes detections.csv one scan at a time, in constant memory.
type ScanWriter struct {
	w   io.Writer
	c   Columns
	buf []byte
	err error
}

// NewScanWriter prepares to write scans with the given columns to w. It buffers;
// call Flush in the end.
func NewScanWriter(w io.Writer, c Columns) *ScanWriter {
	if c.Dim != 2 && c.Dim != 3 {
		panic(badDim)
	}
	return &ScanWriter{w: w, c: c, buf: append(make([]byte, 0, flushAt+1<<10), c.header()...)}
}

// header is the first line.
func (c *Columns) header() string { return "frame,det," + strings.Join(c.names(), ",") + "\n" }

// names are the columns after frame and det.
func (c *Columns) names() []string {
	var names []string
	add := func(ok bool, list ...string) {
		if ok {
			names = append(names, list...)
		}
	}
	packed := func(prefix string) []string {
		var list []string
		for _, of := range []string{"xx", "xy", "yy", "xz", "yz", "zz"}[:mtt.Packed(c.Dim)] {
			list = append(list, prefix+of)
		}
		return list
	}
	add(c.Time, "time")
	add(c.Sensor, "sensor")
	add(true, []string{"x", "y", "z"}[:c.Dim]...)
	add(c.Vel, []string{"vx", "vy", "vz"}[:c.Dim]...)
	add(c.Cov, packed("s")...)
	add(c.VelCov, packed("sv")...)
	add(c.Size, "w", "h")
	add(c.Conf, "conf")
	add(c.Class, "class")
	for k := range c.Features {
		names = append(names, "f"+strconv.Itoa(k+1))
	}
	add(c.Row, "row")
	return names
}

// fits says whether s has the columns; its slices have the right lengths.
func (c *Columns) fits(s *mtt.Scan, row []int32) bool {
	return s.Dim == c.Dim && (!c.Vel || s.Vel != nil) && (!c.Cov || s.Cov != nil) && (!c.VelCov || s.VelCov != nil) &&
		(!c.Size || s.Size != nil) && (!c.Conf || s.Conf != nil) && (!c.Class || s.Class != nil) && s.Features() >= c.Features &&
		(!c.Row || len(row) == s.Len())
}

// shaped says whether the columns of s that are written have the right lengths.
func (c *Columns) shaped(s *mtt.Scan) bool {
	n, p := s.Len(), mtt.Packed(c.Dim)
	return len(s.Pos) == n*c.Dim && (!c.Vel || len(s.Vel) == n*c.Dim) && (!c.Cov || len(s.Cov) == n*p) && (!c.VelCov || len(s.VelCov) == n*p) &&
		(!c.Size || len(s.Size) == 2*n) && (!c.Conf || len(s.Conf) == n) && (!c.Class || len(s.Class) == n) && len(s.Feat) == n*s.Features()
}

// Write writes the detections of s, numbered in their order. What s has beyond
// the columns of the file is left out; a scan that lacks one of them panics,
// unless it is empty. An error of the writer below, or a number that is not
// finite, ends the file: every later call returns the same error.
func (sw *ScanWriter) Write(s *mtt.Scan) error { return sw.WriteRows(s, nil) }

// WriteRows is Write for a file with the column row: row[i] is the row of the
// imported file that detection i came from.
func (sw *ScanWriter) WriteRows(s *mtt.Scan, row []int32) error {
	if sw.err != nil || s.Len() == 0 {
		return sw.err
	}
	sw.c.check(s, row)
	for from := 0; from < s.Len() && sw.err == nil; {
		to := min(from+blockRows, s.Len())
		sw.buf, sw.err = sw.c.appendRows(sw.buf, s, row, from, to)
		from = to
		if len(sw.buf) >= flushAt || sw.err != nil {
			sw.hand()
		}
	}
	return sw.err
}

// hand hands the rows that are finished to the writer below.
func (sw *ScanWriter) hand() {
	_, err := sw.w.Write(sw.buf)
	sw.buf, sw.err = sw.buf[:0], cmp.Or(sw.err, err)
}

// blockRows is how many rows are made at a time.
const blockRows = 256

// check panics for a scan that does not have the columns, or whose slices differ in length.
func (c *Columns) check(s *mtt.Scan, row []int32) {
	if !c.fits(s, row) {
		panic(badColumns)
	}
	if !c.shaped(s) {
		panic(badShape)
	}
}

// appendRows appends the rows of the detections from ≤ i < to of s. It ends before one with a
// number that is not finite.
func (c *Columns) appendRows(b []byte, s *mtt.Scan, row []int32, from, to int) ([]byte, error) {
	var word [24]byte
	frame := append(appendInt(word[:0], s.Frame), ',')
	for i := from; i < to; i++ {
		start := len(b)
		b = append(b, frame...)
		b = appendInt(b, i)
		ok := true
		if c.Time {
			b = appendFloat(b, s.Time, &ok)
		}
		if c.Sensor {
			b = append(b, ',')
			b = strconv.AppendInt(b, int64(s.Sensor), 10)
		}
		b = appendFloats(b, s.Pos[i*c.Dim:(i+1)*c.Dim], &ok)
		if c.Vel {
			b = appendFloats(b, s.Vel[i*c.Dim:(i+1)*c.Dim], &ok)
		}
		if c.Cov {
			b = appendFloats(b, s.CovAt(i), &ok)
		}
		if c.VelCov {
			b = appendFloats(b, s.VelCovAt(i), &ok)
		}
		if c.Size {
			b = appendFloats(b, s.Size[2*i:2*i+2], &ok)
		}
		if c.Conf {
			b = appendFloat(b, s.Conf[i], &ok)
		}
		if c.Class {
			b = append(b, ',')
			b = strconv.AppendInt(b, int64(s.Class[i]), 10)
		}
		if c.Features > 0 {
			b = appendFloats(b, s.FeatAt(i)[:c.Features], &ok)
		}
		if c.Row {
			b = append(b, ',')
			b = appendInt(b, int(row[i]))
		}
		if !ok {
			return b[:start], fmt.Errorf("dataset: frame %d, detection %d: %w", s.Frame, i, ErrNotFinite)
		}
		b = append(b, '\n')
	}
	return b, nil
}

// Flush hands everything written so far to the writer below.
func (sw *ScanWriter) Flush() error {
	if sw.err == nil {
		_, sw.err = sw.w.Write(sw.buf)
		sw.buf = sw.buf[:0]
	}
	return sw.err
}

// WriteScans writes detections.csv. All scans with detections hold the same
// columns. Rows are made on all cores.
func WriteScans(w io.Writer, scans []mtt.Scan) error { return WriteScanRows(w, scans, nil) }

// WriteScanRows is WriteScans with the column row, unless rows is nil: for each scan,
// the rows of the imported file that its detections came from.
func WriteScanRows(w io.Writer, scans []mtt.Scan, rows [][]int32) error {
	c := ColumnsOf(scans)
	c.Row = rows != nil
	of := func(k int) []int32 {
		if rows == nil {
			return nil
		}
		return rows[k]
	}
	for k := range scans {
		if scans[k].Len() > 0 {
			c.check(&scans[k], of(k))
		}
	}
	type piece struct{ scan, from, to int } // detections of a scan
	type block struct {
		pieces []piece
		buf    []byte
		err    error
	}
	if _, err := io.WriteString(w, c.header()); err != nil {
		return err
	}
	scan, from := 0, 0
	return workers.Ordered(runtime.GOMAXPROCS(0), func() *block { return new(block) },
		func(b *block) (bool, error) {
			b.pieces = b.pieces[:0]
			for room := 4 * blockRows; room > 0; {
				for scan < len(scans) && from == scans[scan].Len() {
					scan, from = scan+1, 0
				}
				if scan == len(scans) {
					break
				}
				to := min(from+room, scans[scan].Len())
				b.pieces = append(b.pieces, piece{scan, from, to})
				room, from = room-(to-from), to
			}
			return len(b.pieces) > 0, nil
		},
		func(b *block) {
			b.buf, b.err = b.buf[:0], nil
			for _, p := range b.pieces {
				if b.buf, b.err = c.appendRows(b.buf, &scans[p.scan], of(p.scan), p.from, p.to); b.err != nil {
					return
				}
			}
		},
		func(b *block) error {
			_, err := w.Write(b.buf)
			return cmp.Or(b.err, err)
		})
}

// axes is "x,y" or "x,y,z".
func axes(letters string, dim int) string { return strings.Join(strings.Split(letters[:dim], ""), ",") }

// velAxes is "vx,vy" or "vx,vy,vz".
func velAxes(dim int) string { return "v" + strings.ReplaceAll(axes("xyz", dim), ",", ",v") }

// A Grid says which frames a sensor reported, including those without a
// detection, of which a detections file knows nothing.
type Grid struct {
	First    int             // first frame
	Step     int             // frames from one scan to the next; 0: 1
	Count    int             // number of scans; 0: First, Step and Count are what fits the file
	Interval float64         // s from one scan to the next, on average; 0: 1, or what the file's time column says
	Empty    map[int]float64 // times of frames without a detection; those that it lacks are timed by their neighbours
	Unseen   []int           // ascending frames that nobody looked at, which make no scans; they count among Count
	By       map[int]int     // sensors of frames without a detection; those that it lacks are of sensor 0
}

// EmptyTimes are the times of the scans without detections, for Grid.Empty, where
// times are not evenly spaced; else nil.
func EmptyTimes(scans []mtt.Scan) map[int]float64 {
	if evenlySpaced(scans) {
		return nil
	}
	empty := make(map[int]float64)
	for i := range scans {
		if scans[i].Len() == 0 {
			empty[scans[i].Frame] = scans[i].Time
		}
	}
	return empty
}

// EmptySensors are the sensors of the scans without detections, for Grid.By, but for those
// of sensor 0.
func EmptySensors(scans []mtt.Scan) map[int]int {
	by := make(map[int]int)
	for i := range scans {
		if scans[i].Len() == 0 && scans[i].Sensor != 0 {
			by[scans[i].Frame] = scans[i].Sensor
		}
	}
	return by
}

// Scans is what a detections file holds.
type Scans struct {
	Scans    []mtt.Scan // ascending frames First, First+Step, …; none is left out
	Rows     [][]int32  // for each scan, the rows of the imported file that detections came from; nil: not known
	Grid     Grid       // with every field set
	Notes    []string   // what was understood, worth showing
	Explicit bool       // whether the file numbers the detections itself
}

// ReadScans reads detections.csv. The columns frame, x and y are needed; det,
// time and the other columns of [Columns] are read when the header names them, in any
// order, and others are ignored with a note. Rows may come in any order;
// without a det column, detections are numbered as they come. Frames between the
// first and the last in which nothing was detected become empty scans. A nil
// grid is Grid{}.
//
// The slices of the scans share memory. File names the source in errors, which
// are *SyntaxError unless r fails.
func ReadScans(r io.Reader, file string, g *Grid) (*Scans, error) {
	lr := text.NewLines(r, file)
	l, notes, err := runHeader(lr, "frame", "x", "y")
	if err != nil {
		return nil, err
	}
	for i, r := range l.roles {
		if r == ident || r == mother {
			l.roles[i] = skip
			notes = append(notes, fmt.Sprintf("column %s ignored: detections have no identity", l.names[i]))
		}
	}
	t, err := readRows(lr, l, expected(r, lr))
	if err != nil {
		return nil, err
	}
	if !l.has(origin) {
		t.row = nil
	}
	out := &Scans{Notes: notes, Explicit: t.det != nil}
	if t.sortBy(t.det) {
		out.Notes = append(out.Notes, "rows sorted by frame and detection")
	}
	if err := checkDets(t, file); err != nil {
		return nil, err
	}
	if g == nil {
		g = &Grid{}
	}
	if out.Grid, err = fitGrid(*g, t, file); err != nil {
		return nil, err
	}
	out.Scans, out.Rows, err = cut(t, &out.Grid, file)
	if err != nil {
		return nil, err
	}
	if t.n == 0 {
		out.Notes = append(out.Notes, "no detections")
	}
	return out, nil
}

// checkDets refuses detections that are not numbered 0, 1, … in each frame.
func checkDets(t *rows, file string) error {
	want := 0
	for i := range t.det {
		if i > 0 && t.frame[i] != t.frame[i-1] {
			want = 0
		}
		if t.det[i] != want {
			e := &SyntaxError{File: file, Line: int(t.line[i]), Col: 1,
				Msg:  fmt.Sprintf("frame %d has detection %d but no detection %d", t.frame[i], t.det[i], want),
				Hint: "det counts from 0 in its frame, without holes; without a det column, rows are numbered as they come"}
			if want > 0 && t.det[i] == want-1 {
				e.Msg = fmt.Sprintf("frame %d has detection %d twice, first in line %d", t.frame[i], t.det[i], t.line[i-1])
				e.Hint = "det counts from 0 in its frame"
			}
			return e
		}
		want++
	}
	return nil
}

// fitGrid completes g so that every row of t, sorted by frame, is on it.
func fitGrid(g Grid, t *rows, file string) (Grid, error) {
	if g.Step < 0 || g.Count < 0 || !(g.Interval >= 0) || math.IsInf(g.Interval, 1) {
		panic(badGrid)
	}
	if g.Count > 0 {
		g.Step = max(g.Step, 1)
		if distinct := t.frames(); tooSparse(g.Count, distinct) {
			return g, &SyntaxError{File: file, Line: 1, Col: 1,
				Msg:  fmt.Sprintf("there are to be %d frames, and only %d have a detection", g.Count, distinct),
				Hint: "is the number of frames in run.toml right?"}
		}
		for i, f := range t.frame {
			if off := f - g.First; off < 0 || off%g.Step != 0 || off/g.Step >= g.Count {
				return g, &SyntaxError{File: file, Line: int(t.line[i]), Col: 1,
					Msg:  fmt.Sprintf("frame %d is not one of the frames %d, %d, …, %d", f, g.First, g.First+g.Step, g.First+(g.Count-1)*g.Step),
					Hint: "the file belongs to another run"}
			}
		}
	} else if t.n > 0 {
		g.First, g.Step = t.frame[0], 0
		distinct, jump := 1, 0
		for i := 1; i < t.n; i++ {
			d := t.frame[i] - t.frame[i-1]
			if d == 0 {
				continue
			}
			distinct++
			g.Step = gcd(g.Step, d)
			if jump == 0 || d > t.frame[jump]-t.frame[jump-1] {
				jump = i
			}
		}
		g.Step = max(g.Step, 1)
		g.Count = (t.frame[t.n-1]-g.First)/g.Step + 1
		if tooSparse(g.Count, distinct) {
			return g, &SyntaxError{File: file, Line: int(t.line[jump]), Col: 1,
				Msg:  fmt.Sprintf("frame %d follows frame %d, with %d frames between them", t.frame[jump], t.frame[jump-1], (t.frame[jump]-t.frame[jump-1])/g.Step-1),
				Hint: "does the frame column hold times? Frames are whole numbers that count scans"}
		}
	}
	if g.Interval == 0 {
		g.Interval = 1
		if t.time != nil && t.n > 0 && t.frame[t.n-1] > t.frame[0] {
			g.Interval = (t.time[t.n-1] - t.time[0]) / float64((t.frame[t.n-1]-t.frame[0])/g.Step)
		}
	}
	return g, nil
}

// frames is the number of different frames of t, sorted by frame.
func (t *rows) frames() int {
	distinct := 0
	for i, f := range t.frame {
		if i == 0 || f != t.frame[i-1] {
			distinct++
		}
	}
	return distinct
}

// tooSparse says whether a grid has so large a number of frames for the distinct ones with a detection
// that the frames must be something else.
func tooSparse(frames, distinct int) bool { return frames > 1000*distinct+1<<16 }

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// cut makes one scan for each frame of g that was looked at; the rows are sorted by frame. Frames
// without rows are timed by g.Empty or else by their neighbours.
func cut(t *rows, g *Grid, file string) (scans []mtt.Scan, numbers [][]int32, err error) {
	const each = 1 << 12 // scans that are made by one goroutine
	scans = make([]mtt.Scan, g.Count)
	if t.row != nil {
		numbers = make([][]int32, g.Count)
	}
	pieces := (len(scans) + each - 1) / each
	made, faults := make([]int, pieces), make([]error, pieces)
	workers.Each(runtime.GOMAXPROCS(0), pieces, func(_, piece int) {
		from := piece * each
		made[piece], faults[piece] = t.cut(scans[from:min(from+each, len(scans))], numbers, from, g, file)
	})
	sound := scans // those before the first fault
	for piece, fault := range faults {
		if fault != nil {
			sound, err = scans[:made[piece]], fault
			break
		}
	}
	if t.time != nil || len(g.Empty) > 0 {
		if late := t.clock(sound, g, file); late != nil {
			err = late
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return withoutUnseen(scans, scans, g), withoutUnseen(numbers, scans, g), nil
}

// cut is the function cut for the scans from one on, at times by their numbers, with the number of those that
// were made before what is wrong.
func (t *rows) cut(scans []mtt.Scan, numbers [][]int32, from int, g *Grid, file string) (made int, err error) {
	lo, _ := slices.BinarySearch(t.frame[:t.n], g.First+from*g.Step)
	for k := range scans {
		s := &scans[k]
		s.Frame = g.First + (from+k)*g.Step
		s.Time = g.Interval * float64(from+k)
		hi := lo
		for hi < t.n && t.frame[hi] == s.Frame {
			hi++
		}
		if err := t.scan(s, lo, hi, g, file); err != nil {
			return from + k, err
		}
		if numbers != nil {
			numbers[from+k] = window(t.row, lo, hi, 1)
		}
		lo = hi
	}
	return from + len(scans), nil
}

// clock times the scans by their rows.
func (t *rows) clock(scans []mtt.Scan, g *Grid, file string) (err error) {
	lo, timed := 0, -1 // timed: the last scan with a known time
	for k := range scans {
		s := &scans[k]
		hi := lo + s.Len()
		known, line := false, 0
		if t.time != nil && hi > lo {
			known, line = true, int(t.line[lo])
			if s.Time, err = t.moment(s.Frame, lo, hi, file); err != nil {
				return err
			}
		} else if at, ok := g.Empty[s.Frame]; ok && hi == lo {
			known, s.Time = true, at
		}
		if known {
			if timed >= 0 && !(s.Time > scans[timed].Time) {
				return &SyntaxError{File: file, Line: line, Col: min(1, line),
					Msg: fmt.Sprintf("frame %d is at %v s, frame %d at %v s", scans[timed].Frame, scans[timed].Time, s.Frame, s.Time), Hint: "time grows with the frame"}
			}
			interpolate(scans, timed, k, g.Interval)
			timed = k
		}
		lo = hi
	}
	if timed >= 0 {
		for k := timed + 1; k < len(scans); k++ {
			scans[k].Time = scans[timed].Time + g.Interval*float64(k-timed)
		}
	}
	return nil
}

// scan gives s, of a frame of g, the detections of rows lo to hi, whose memory it shares, and their sensor.
func (t *rows) scan(s *mtt.Scan, lo, hi int, g *Grid, file string) error {
	p := mtt.Packed(t.dim)
	s.Dim = t.dim
	s.Pos = window(t.pos, lo, hi, t.dim)
	s.Vel = window(t.vel, lo, hi, t.dim)
	s.Cov = window(t.cov, lo, hi, p)
	s.VelCov = window(t.velCov, lo, hi, p)
	s.Size = window(t.size, lo, hi, 2)
	s.Conf = window(t.conf, lo, hi, 1)
	s.Class = window(t.class, lo, hi, 1)
	s.Feat = window(t.feat, lo, hi, t.features)
	if hi == lo {
		s.Sensor = g.By[s.Frame]
		return nil
	}
	if g.unseen(s.Frame) {
		return &SyntaxError{File: file, Line: int(t.line[lo]), Col: 1, Msg: fmt.Sprintf("frame %d has detections, and is to be one that nobody looked at", s.Frame), Hint: "the file belongs to another run"}
	}
	if t.sensor == nil {
		return nil
	}
	s.Sensor = int(t.sensor[lo])
	if i := slices.IndexFunc(t.sensor[lo:hi], func(v int32) bool { return int(v) != s.Sensor }); i >= 0 {
		return &SyntaxError{File: file, Line: int(t.line[lo+i]), Col: 1,
			Msg: fmt.Sprintf("frame %d is of sensor %d and of sensor %d", s.Frame, s.Sensor, t.sensor[lo+i]), Hint: "a frame is what one sensor reports"}
	}
	return nil
}

// moment is the time that rows lo to hi of a frame share.
func (t *rows) moment(frame, lo, hi int, file string) (float64, error) {
	for i := lo + 1; i < hi; i++ {
		if t.time[i] != t.time[lo] {
			return 0, &SyntaxError{File: file, Line: int(t.line[i]), Col: 1,
				Msg: fmt.Sprintf("frame %d is at %v s and at %v s", frame, t.time[lo], t.time[i]), Hint: "all rows of a frame share one time"}
		}
	}
	return t.time[lo], nil
}

// interpolate times the scans between a and b, whose times are known; a = -1
// means from the first, back from b at the given interval.
func interpolate(scans []mtt.Scan, a, b int, interval float64) {
	if a >= 0 {
		interval = (scans[b].Time - scans[a].Time) / float64(b-a)
	}
	for k := a + 1; k < b; k++ {
		scans[k].Time = scans[b].Time - interval*float64(b-k)
	}
}

// window is rows lo to hi of a row-major matrix with k columns; nil of nil.
func window[E any](a []E, lo, hi, k int) []E {
	if a == nil {
		return nil
	}
	return slices.Clip(a[lo*k : hi*k])
}

// runNames are the column names of the run folder's files; features are f1, f2, ….
var runNames = map[string]role{
	"frame": frame, "det": det, "id": ident, "track": ident, "time": stamp, "sensor": device, "row": origin, "class": class, "parent": mother,
	"x": posX, "y": posY, "z": posZ, "vx": velX, "vy": velY, "vz": velZ,
	"sxx": covXX, "sxy": covXY, "syy": covYY, "sxz": covXZ, "syz": covYZ, "szz": covZZ,
	"svxx": velXX, "svxy": velXY, "svyy": velYY, "svxz": velXZ, "svyz": velYZ, "svzz": velZZ,
	"w": width, "h": height, "conf": conf,
}

// runRole is the role of the column name of a run folder's file; next is the number of the
// next feature.
func runRole(name string, next int) role {
	if name == "f"+strconv.Itoa(next) {
		return feature
	}
	return runNames[strings.ToLower(name)]
}

// runHeader reads the header line of a file of the run folder, which must name
// the columns in need.
func runHeader(lr *text.Lines, need ...string) (*layout, []string, error) {
	line, err := lr.Next()
	if err == io.EOF {
		return nil, nil, &SyntaxError{File: lr.Name, Msg: "the file is empty", Hint: "it should begin with a line such as frame,det,x,y"}
	}
	if err != nil {
		return nil, nil, err
	}
	l := &layout{sep: ',', strict: true, names: split(line, ',')}
	var extra []string
	features := 0
	for _, name := range l.names {
		r := runRole(name, features+1)
		if r == feature {
			features++
		} else if r != skip && l.column(r) >= 0 {
			return nil, nil, &SyntaxError{File: lr.Name, Line: lr.Line, Col: 1 + strings.LastIndex(string(line), name),
				Msg: fmt.Sprintf("a second column %s", name), Hint: "each column is named once"}
		}
		if r == skip {
			extra = append(extra, name)
		}
		l.roles = append(l.roles, r)
	}
	for _, name := range need {
		if l.column(runNames[name]) < 0 {
			e := &SyntaxError{File: lr.Name, Line: lr.Line, Col: 1, Msg: fmt.Sprintf("there is no column %s", name),
				Hint: fmt.Sprintf("the first line names the columns: %s, …", strings.Join(need, ","))}
			if _, ok := parseFloat([]byte(l.names[0])); ok {
				e.Hint = "the header line is missing; files of other formats go through mtt import"
			} else if strings.ContainsAny(string(line), ";\t") {
				e.Hint = "separate the columns by commas, or take the file through mtt import"
			}
			return nil, nil, e
		}
	}
	for _, group := range [][]role{{velX, velY}, {width, height}, {covXX, covXY, covYY}, {velXX, velXY, velYY}, {posZ, covXZ, covYZ, covZZ}, {posZ, velXZ, velYZ, velZZ}} {
		var have, lack []string
		for _, r := range group {
			if l.has(r) {
				have = append(have, nameOf(r))
			} else {
				lack = append(lack, nameOf(r))
			}
		}
		flat := group[0] == posZ && len(have) == 1 && !l.has(group[1]-1) // positions in space without these covariances
		if len(have) > 0 && len(lack) > 0 && !flat {
			return nil, nil, &SyntaxError{File: lr.Name, Line: lr.Line, Col: 1,
				Msg: fmt.Sprintf("there is a column %s and no column %s", have[0], lack[0]), Hint: "they go together: " + strings.Join(append(have, lack...), ", ")}
		}
	}
	if l.column(velX) >= 0 && (l.column(velZ) >= 0) != (l.column(posZ) >= 0) || l.column(velX) < 0 && l.column(velZ) >= 0 {
		return nil, nil, &SyntaxError{File: lr.Name, Line: lr.Line, Col: 1, Msg: "positions and velocities differ in dimension", Hint: "z and vz go together"}
	}
	var notes []string
	if len(extra) > 0 {
		notes = append(notes, "columns ignored: "+strings.Join(extra, ", "))
	}
	return l, notes, nil
}

// nameOf is the name of the column with role r in the files of a run folder.
func nameOf(r role) string {
	for name, of := range runNames {
		if of == r && name != "track" {
			return name
		}
	}
	return ""
}
