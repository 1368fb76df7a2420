package dataset

// This file reads scans as they come: one table of detections, in order of time, whose
// end is not known.

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"mtt"
	"mtt/internal/text"
	"mtt/sensor"
)

// A ScanReader reads detections line by line and hands on a scan as soon as the next one
// begins. It is made by [NewScanReader], and keeps one scan and one line in memory.
type ScanReader struct {
	lr     *text.Lines
	o      Options
	json   *jsonTable
	plain  *plainObjects // reads the lines that it understands
	auto   bool          // the first line says whether it is JSON
	sep    byte          // that a first line says; 0: none
	table  *titled
	line   *rowReader
	notes  []string
	source source // of the line at hand
	polar  bool   // it has ranges and bearings
	factor float64

	lists bool     // each line is a whole scan, whose detections stand in a list
	scans int      // lines with a list so far
	queue [][]byte // of a line with a list, or of several before there was a detection: objects that have not been read
	text  []byte   // in which those of the last line stand

	now     mtt.Scan // that is being read
	begun   bool     // whether there is one
	handed  bool     // whether it has been handed on
	count   int      // of scans that have been handed on or begun
	end     error    // of the input; nil: it goes on
	before  mtt.Scan // the scan before now: its frame and time
	step    int      // frames from scan to scan, so far; 0: not known
	pending int      // frames without detections that come before now
	counts  roll     // of the last scans
	days    float64  // s: whole days that times of day have passed
	latest  float64  // s: the time of the last row,
	first   float64  // of the first one of the scan that is being read,
	since   float64  // and the sum of those that follow in it, from then on,
	sofar   int      // of so many rows in all
	own     []beat   // the first rows, as long as times may be of rows and not of scans

	unplaced int // rows without a position in the scan at hand,
	nowhere  int // and the line of the first
	lost     int // such rows of scans that have others
}

// firstRows is how many rows tell whether each has a time of its own.
const firstRows = 60

// maxEmpty is the most scans without detections that stand for frames that were passed
// over; after 1000 no track is left to wait.
const maxEmpty = 1000

// NewScanReader reads the format points (a table of any separator whose first line names its
// columns), jsonl (an object on each line) or, where the format is auto, jsonl if the first line
// begins with a brace, else points. Columns have the names, and units, that [Read] understands,
// frames named by pictures and ranges with bearings among them; o says what it says there of
// Columns, Units, DT, Gap, NoVelocity and polar sensors. Angles are in radians unless the name of
// their column says degrees. A nil o is Options{}. File names the source in errors.
//
// Objects may have a list of detections each, as
// {"time":0.5,"detections":[{"x":1,"y":2},{"x":3,"y":4}]}: such a line is a whole scan, which Next
// returns without waiting for the next line; an empty list says that nothing was detected.
//
// Otherwise rows of one frame or, without frames, of one time are a scan; detections count from 0
// in their order there. Frames that are passed over become scans without detections (the step is
// the greatest that all frames fit), but no more than a thousand at a time, and none where the
// scans before have so many detections that nobody can have looked: as [Read] has it. A row with a
// time and no position says that nothing was detected.
func NewScanReader(r io.Reader, file, format string, o *Options) *ScanReader {
	sr := &ScanReader{lr: text.NewLines(text.LineEnds(r), file), auto: format == "auto"}
	sr.lr.Comment = true
	if o != nil {
		sr.o = *o
	}
	if format == "jsonl" {
		sr.json = newJSONTable(file, nil)
	}
	return sr
}

// Next is the next scan, which belongs to the caller; io.EOF after the last. Errors of
// content are *SyntaxError; after any error, but for the end, the scan that was begun is lost.
func (sr *ScanReader) Next() (*mtt.Scan, error) {
	for {
		if sr.pending > 0 {
			sr.pending--
			return sr.empty((sr.pending + 1) * sr.step), nil
		}
		if sr.end != nil {
			if sr.begun && !sr.handed && sr.end == io.EOF {
				sr.begun = false
				scan := sr.now
				return &scan, nil
			}
			return nil, sr.end
		}
		if sr.lists && len(sr.queue) == 0 && sr.begun && !sr.handed {
			sr.handed = true
			scan := sr.now
			return &scan, nil
		}
		line, err := sr.next()
		if err == nil && line == nil {
			continue
		}
		if err == nil && sr.line == nil {
			line, err = sr.open(line)
			if err == nil && line == nil {
				continue
			}
		}
		var done *mtt.Scan
		if err == nil {
			done, err = sr.read(line)
		} else if err == io.EOF && sr.line == nil && sr.scans == 0 { // scans without detections are some
			err = &SyntaxError{File: sr.lr.Name, Msg: "there is no line", Hint: "the first line names the columns, such as time,x,y; in JSON lines each is an object"}
		}
		if sr.end = err; err == io.EOF {
			sr.unsaid()
			if sr.lost > 1 {
				sr.notes = append(sr.notes, fmt.Sprintf("rows without a position (empty or NaN): %d, left out", sr.lost))
			}
		}
		if done != nil {
			return done, nil
		}
	}
}

// Notes are what was understood, in words worth showing; all are there when the first scan is.
func (sr *ScanReader) Notes() []string { return sr.notes }

// Served is Data.Served of the scans so far.
func (sr *ScanReader) Served() Served { return sr.source.served }

// Sensor is that of Data, as the rows read so far have it.
func (sr *ScanReader) Sensor() *sensor.Sensor { return sr.source.untold }

// next is the next line, or the next object of one with a list; nil: there was none in the line.
func (sr *ScanReader) next() ([]byte, error) {
	if sr.line != nil && len(sr.queue) > 0 {
		line := sr.queue[0]
		sr.queue = sr.queue[1:]
		return line, nil
	}
	line, err := sr.lr.Next()
	if err != nil {
		return nil, err
	}
	if sr.json != nil || sr.line == nil && sr.auto && line[0] == '{' {
		line = withWords(line)
	}
	if sr.line == nil && (sr.auto || sr.json != nil) && line[0] == '{' {
		sr.lists = sr.lists || isScan(line)
	}
	if !sr.lists {
		return line, nil
	}
	rows, some, err := sr.rows(line)
	if err != nil {
		return nil, err
	}
	sr.queue = append(sr.queue, rows...)
	if sr.line == nil && some {
		return rows[0], nil // names the columns; it stays in the queue
	}
	return nil, nil
}

// isScan says whether the object on a line has a list of detections.
func isScan(line []byte) bool {
	members, err := membersOf(line)
	return err == nil && !isPlaced(members) && (elementwise(members) != nil || slices.ContainsFunc(members, func(m jsonMember) bool { return isNested(m.value) }))
}

// rows are the detections in the line as objects, if there are some; of a scan without any, what
// else the line says.
func (sr *ScanReader) rows(line []byte) (rows [][]byte, some bool, err error) {
	n := newNestedObjects(sr.lr.Name, bytes.NewReader(line), false)
	n.t.number = sr.scans
	sr.scans++
	if len(sr.queue) == 0 {
		n.buf = sr.text[:0]
	}
	end := plainValue(line, 0, 0, nil)
	if end >= 0 && space(line, end) == len(line) {
		err = n.add(line[:end])
	} else if err = n.next(); err == nil && n.d.More() {
		err = n.t.bad("more than one object")
	}
	if e, ok := errors.AsType[*SyntaxError](err); ok {
		e.Line, e.Col, e.Hint = sr.lr.Line, max(end, int(n.d.InputOffset()))+1, listHint
	}
	if err != nil {
		return nil, false, err
	}
	if sr.text = n.buf; !n.some {
		sr.text = n.empty
	}
	return bytes.Split(bytes.TrimSuffix(sr.text, []byte("\n")), []byte("\n")), n.some, nil
}

const listHint = `each line is one scan, such as {"time":0.5,"detections":[{"x":1,"y":2}]}`

// empty is the scan without detections that lies back frames before the one at hand.
func (sr *ScanReader) empty(back int) *mtt.Scan {
	s := &mtt.Scan{Frame: sr.now.Frame - back, Dim: sr.now.Dim}
	if sr.table.has(stamp) {
		s.Time = sr.now.Time - (sr.now.Time-sr.before.Time)*float64(back)/float64(sr.now.Frame-sr.before.Frame)
	} else {
		s.Time = float64(s.Frame) * sr.interval()
	}
	return s
}

// interval is the time from a frame number to the next where rows have no times, s.
func (sr *ScanReader) interval() float64 {
	if sr.o.DT > 0 {
		return sr.o.DT
	}
	return 1
}

// open finds the columns in the first line. The line comes back where it has data.
func (sr *ScanReader) open(line []byte) ([]byte, error) {
	if err := sr.o.check(); err != nil {
		return nil, err
	}
	h := &head{name: sr.lr.Name, skip: sr.lr.Line, sep: ','}
	if sr.auto && line[0] == '{' {
		sr.json = newJSONTable(h.name, nil)
	}
	if sr.json != nil {
		if _, err := sr.object(line); err != nil {
			return nil, err
		}
		if len(sr.json.keys) == 0 {
			return nil, &SyntaxError{File: h.name, Line: sr.lr.Line, Col: 1, Msg: "an object without members", Hint: objectHint}
		}
		h.title, sr.json.fixed = sr.json.keys, true
	} else {
		if saysSeparator(line) {
			sr.sep = line[4]
			return nil, nil
		}
		if h.sep = sr.sep; h.sep == 0 {
			h.sep = separator(line)
		}
		h.title, h.titleAt = split(line, h.sep), sr.lr.Line
		inLatin(h.title)
		if len(h.title) == 0 || isNumber(h.title[0]) {
			return nil, &SyntaxError{File: h.name, Line: sr.lr.Line, Col: 1, Msg: "there are no column names", Hint: titleHint}
		}
	}
	if sr.o = *layered(h, &sr.o); h.lacks("centroid-0", "centroid-1") == nil {
		sr.o = *regions(h, &sr.o)
	}
	if e := fitsPoints(h, &sr.o); e != nil {
		return nil, e
	}
	t, e := h.titles(&sr.o)
	if e != nil {
		return nil, e
	}
	t.comma = h.sep == ';' && sr.json == nil // who separates by semicolons writes decimal commas
	t.drop(ident, det, origin, mother)
	if t.has(class) {
		t.kinds = newLabels() // words or numbers, in order of appearance
	}
	t.sensors(&sr.o)
	if len(sr.o.Described) > 1 && !t.has(device) {
		return nil, h.whose(&sr.o)
	}
	t.settle(&sr.o)
	if e := t.once(h); e != nil {
		return nil, e
	}
	box := t.has(left) && t.has(top) && (t.has(width) || t.has(right) && t.has(bottom))
	polar := !t.has(posX) && !box // ranges and bearings: one of these it has
	if t.isGeographic(&sr.o) || t.looks() {
		return nil, &SyntaxError{File: h.name, Line: sr.lr.Line, Col: 1, Msg: "positions are longitudes, or directions without a range",
			Hint: "a stream has positions in a plane or in space, x,y or x,y,z, or ranges and bearings; mtt import converts others"}
	}
	if t.has(frame) && sr.o.DT > 0 {
		t.drop(stamp)
	}
	if unknown := t.unknown(); sr.lists && !t.has(stamp) && sr.o.DT == 0 && len(unknown) > 0 {
		sr.notes = append(sr.notes, fmt.Sprintf("none of what is told is known for a time: frames are taken to be 1 s apart; not read: %s (--columns time=NAME says which it is, --dt T how long a frame takes)", strings.Join(unknown, ", ")))
	}
	sr.table, sr.line = t, newRowReader(sr.lr, &t.layout, 0)
	sr.source, sr.polar = source{name: h.name, rows: sr.line.rows}, polar
	if sr.factor = 1; !polar {
		unit, scale, err := t.length(h, sr.line.rows, &sr.o)
		if err != nil {
			return nil, err
		}
		sr.source.unit, sr.factor = unit, cmp.Or(scale, 1)
	}
	if how := t.nameless(); how != nil { // what boxes will come is not known
		t.asides = append(t.asides, how.Replace(doubtfulSides))
	}
	if sr.notes = append(sr.notes, t.asides...); t.moves() {
		sr.notes = append(sr.notes, t.placed())
	}
	if sr.json == nil || sr.lists {
		return nil, nil
	}
	return line, nil
}

const objectHint = `each line is one JSON object, such as {"time":0.5,"x":1,"y":2}`

// object turns a line with an object into a line of a table.
func (sr *ScanReader) object(line []byte) ([]byte, error) {
	t := sr.json
	if line[0] != '{' {
		return nil, &SyntaxError{File: t.name, Line: sr.lr.Line, Col: 1, Msg: "no JSON object", Hint: objectHint}
	}
	if t.fixed {
		if sr.plain == nil {
			sr.plain = &plainObjects{t: t, cells: make([][]byte, len(t.keys))}
		}
		if sr.plain.line(line) {
			return bytes.TrimSuffix(t.rest, []byte("\n")), nil
		}
	}
	t.reset(bytes.NewReader(line), sr.lr.Line-1)
	row, err := t.next()
	if err == nil && t.d.More() {
		err = t.bad("more than one object")
	}
	if e, ok := errors.AsType[*SyntaxError](err); ok {
		e.Line, e.Col, e.Hint = sr.lr.Line, int(t.d.InputOffset())+1, objectHint
	}
	if err != nil {
		return nil, err
	}
	return t.row(row), nil
}

// read adds a line to the scan at hand or, where it begins another, returns that.
func (sr *ScanReader) read(line []byte) (done *mtt.Scan, err error) {
	p, whole := sr.line, line
	if sr.json != nil {
		if line, err = sr.object(line); err != nil {
			return nil, err
		}
	}
	if c := p.l.column(frame); c >= 0 && !sr.begun && p.l.named == nil {
		lo, hi, at := 0, 0, 0
		for range c + 1 {
			lo, hi, at = field(line, at, p.l.sep)
		}
		if lo >= 0 {
			p.l.named = namedAs(string(line[lo:hi]))
		}
	}
	if !sr.begun {
		sr.table.clocks([]peek{{field: split(line, p.l.sep)}})
	}
	p.reset()
	if err := p.add(line); err != nil {
		if e, ok := errors.AsType[*SyntaxError](err); ok && sr.json != nil {
			e.Col = sr.place(whole, line, e.Col)
			e.Hint = strings.ReplaceAll(e.Hint, "columns", "keys")
		}
		return nil, err
	}
	bad := func(col int, msg, hint string, args ...any) error {
		if sr.json != nil {
			col = sr.place(whole, line, col)
		}
		return &SyntaxError{File: sr.lr.Name, Line: sr.lr.Line, Col: col, Msg: fmt.Sprintf(msg, args...), Hint: hint}
	}
	for c, r := range p.l.roles { // of a line without a position none
		if p.missing[r] > 0 {
			return nil, bad(fieldStart(line, p.l.sep, c), "%s is missing", "every detection of a stream has all that the first line names", p.l.names[c])
		}
	}
	timed := p.l.has(stamp)
	if p.dated.line[monthFirst] > 0 {
		return nil, bad(p.l.start(line, stamp), "the month comes first in a date", "a stream cannot wait for a date that shows it: write 2006-01-02 15:04:05.000")
	}
	if p.n == 0 && len(p.voids) == 0 { // neither a position nor a time
		sr.lose(1, sr.lr.Line)
		return nil, nil
	}
	if p.n == 0 { // no position: the time counts
		p.time = append(p.time, p.num[stamp])
	}
	if timed {
		if at := p.time[0] + sr.days; sr.begun && isNextDay(sr.now.Time, at) {
			sr.days += day
		}
		p.time[0] += sr.days
		sr.source.seconds(sr.table)
		sr.source.notes = sr.source.notes[:0]
	}
	for _, r := range []role{bearing, elevation, heading} { // of a table the widest one says what all are
		if c := p.l.column(r); c >= 0 && p.n > 0 && sr.table.unit[r] == "" && math.Abs(p.num[r]) > 2*math.Pi {
			return nil, bad(p.l.start(line, r), "%s is %v, more than a turn", "angles of a stream are in radians, unless the name of the column ends in _deg", p.l.names[c], p.num[r])
		}
	}
	if sr.polar && p.n > 0 {
		if err := sr.source.fromPolar(&head{name: sr.lr.Name, skip: sr.lr.Line}, sr.table, &sr.o); err != nil {
			return nil, err
		}
	}
	p.rows.scale(sr.factor)
	if !sr.polar && p.n > 0 {
		if err := sr.source.fromSensors(&head{name: sr.lr.Name, skip: sr.lr.Line}, sr.table, &sr.o, sr.factor); err != nil {
			return nil, err
		}
	}
	sr.source.notes = sr.source.notes[:0]
	scan := mtt.Scan{Frame: p.whl[frame], Dim: p.dim}
	if timed {
		scan.Time = p.time[0]
	} else {
		scan.Time = float64(scan.Frame) * sr.interval()
	}
	if p.l.has(device) {
		scan.Sensor = int(p.whl[device])
	}
	next := !sr.begun
	switch now := &sr.now; {
	case !sr.begun:
	case p.l.has(frame):
		if next = scan.Frame != now.Frame; next && scan.Frame < now.Frame {
			return nil, bad(p.l.start(line, frame), "frame %d comes after frame %d", "the rows of a stream come in order of time; mtt import sorts those of a file", scan.Frame, now.Frame)
		}
		if next && timed && scan.Time <= now.Time {
			return nil, bad(p.l.start(line, stamp), "frame %d is at %v s, as or before the frame before", "times grow from frame to frame", scan.Frame, scan.Time)
		}
	default:
		if next = scan.Time-sr.latest >= sr.o.Gap && scan.Time != sr.latest; scan.Time < sr.latest {
			return nil, bad(p.l.start(line, stamp), "%v s comes after %v s", "the rows of a stream come in order of time; mtt import sorts those of a file", scan.Time, sr.latest)
		}
	}
	if !next && sr.handed {
		return nil, bad(1, "the scan of the line before goes on", listHint)
	}
	if !next && scan.Sensor != sr.now.Sensor {
		return nil, bad(p.l.start(line, device), "a scan of sensor %d has a row of sensor %d", "a scan is what one sensor reports: another has a frame and a time of its own", sr.now.Sensor, scan.Sensor)
	}
	sr.ownTimes(scan.Time, p.l.has(frame))
	if next {
		done = sr.begin(&scan, p.l.has(frame))
		sr.first, sr.since, sr.sofar = scan.Time, 0, 0
	}
	if sr.sofar++; sr.o.Gap > 0 && !p.l.has(frame) {
		sr.since += scan.Time - sr.first
		sr.now.Time = sr.first + sr.since/float64(sr.sofar)
	}
	sr.latest = scan.Time
	if p.n == 0 {
		if sr.unplaced++; sr.unplaced == 1 {
			sr.nowhere = sr.lr.Line
		}
		return done, nil
	}
	now := &sr.now
	now.Pos, now.Vel = append(now.Pos, p.pos...), append(now.Vel, p.vel...)
	now.Cov, now.VelCov = append(now.Cov, p.cov...), append(now.VelCov, p.velCov...)
	now.Size, now.Conf, now.Feat = append(now.Size, p.size...), append(now.Conf, p.conf...), append(now.Feat, p.feat...)
	now.Class = append(now.Class, p.class...)
	return done, nil
}

// ownTimes notes where the first rows, the last of which has this time, are stamped one by one,
// though they come scan by scan.
func (sr *ScanReader) ownTimes(at float64, framed bool) {
	if framed || sr.o.Gap > 0 || sr.o.Sensors || sr.lists || len(sr.own) == firstRows {
		return
	}
	sr.own = append(sr.own, beat{time: at})
	if len(sr.own) < firstRows || !ownTimes(firstRows, len(distinct(sr.own))) {
		return
	}
	if gap := pause(sr.own); gap > 0 {
		sr.notes = append(sr.notes, fmt.Sprintf("nearly every row has a time of its own, and is a scan of its own; they come together, %.3g s and more from others: --gap %.3g makes scans of them", gap, gap/2))
	}
}

// begin makes scan the one that is being read, and returns the one before, if any.
func (sr *ScanReader) begin(scan *mtt.Scan, framed bool) (done *mtt.Scan) {
	again := sr.begun
	if again {
		before := sr.now
		if sr.before = before; !sr.handed {
			done = &before
		}
		if n := before.Len(); n > 0 {
			sr.counts.add(n)
		}
	}
	sr.unsaid()
	if !framed {
		scan.Frame = sr.count
	}
	sr.count++
	sr.now, sr.begun, sr.handed = *scan, true, false
	if framed && again && !sr.o.Sensors { // whose the scans between would be nobody knows
		sr.step = gcd(sr.step, scan.Frame-sr.before.Frame)
		if sr.pending = min((scan.Frame-sr.before.Frame)/sr.step-1, maxEmpty); sr.counts.unseen(sr.pending) {
			sr.pending = 0
		}
	}
	return done
}

// unsaid counts the rows without a position of the scan at hand, but for one that says that nothing
// was detected.
func (sr *ScanReader) unsaid() {
	if sr.now.Len() == 0 {
		sr.unplaced--
	}
	sr.lose(max(sr.unplaced, 0), sr.nowhere)
	sr.unplaced = 0
}

// lose counts n rows without a position, and tells of the first at once: a stream may never end.
func (sr *ScanReader) lose(n, line int) {
	if n > 0 && sr.lost == 0 {
		sr.notes = append(sr.notes, fmt.Sprintf("line %d: a row without a position (empty or NaN) is left out", line))
	}
	sr.lost += n
}

// place is the column, in a line with an object, of the key to which column col of the line
// of a table belongs that was made of it; 1 where the key is not there.
func (sr *ScanReader) place(object, line []byte, col int) int {
	if sr.lists { // the object stands somewhere in the line
		return 1
	}
	c := 0
	for at := 0; c < len(sr.json.keys)-1; c++ {
		_, _, next := field(line, at, ',')
		if next >= col {
			break
		}
		at = next
	}
	key := sr.json.keys[c]
	return 1 + max(0, bytes.Index(object, []byte(`"`+key[strings.LastIndexByte(key, '.')+1:]+`"`)))
}

// reset empties rows, and keeps their memory.
func (t *rows) reset() {
	t.n, t.blank, t.missing, t.voids = 0, 0, [roles]int{}, t.voids[:0]
	t.line, t.row, t.frame, t.id, t.det, t.mother = t.line[:0], t.row[:0], t.frame[:0], t.id[:0], t.det[:0], t.mother[:0]
	t.class, t.sensor, t.time = t.class[:0], t.sensor[:0], t.time[:0]
	for _, a := range []*[]float64{&t.pos, &t.vel, &t.cov, &t.velCov, &t.size, &t.conf, &t.feat, &t.motion, &t.polar, &t.own} {
		*a = (*a)[:0]
	}
}
