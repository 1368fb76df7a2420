package task

// This file tracks a stream: detections come in, and what is settled goes out, scan by scan.

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"mtt"
	"mtt/association/online"
	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/tomlfile"
	"mtt/sensor"
)

// StreamOptions say how to track a stream.
type StreamOptions struct {
	track       *TrackOptions
	from        dataset.Options
	in, to      string
	sensors     string // a file that describes them; "": there is one, which sees everything
	lag, warmUp int    // warmUp 0: automatic
	settledOnly bool
}

// NewStreamOptions are the defaults.
func NewStreamOptions() *StreamOptions {
	return &StreamOptions{track: NewTrackOptions(), in: "auto", to: "jsonl", lag: 3}
}

// Bind makes the options that set o: among them those of mtt track for levels and gate.
func (o *StreamOptions) Bind() []cli.Option {
	options := []cli.Option{
		cli.Number(&o.lag, "lag", 0, mostLag, "`N` scans after which a link is settled for good"),
		cli.Choice(&o.in, "in", []string{"auto", "csv", "jsonl"}, "`FORM` of the detections: csv, whose first line names the columns, jsonl, an object on each line, or auto: what the first line is"),
		cli.Choice(&o.to, "to", []string{"jsonl", "csv"}, "`FORM` of the lines that are written: jsonl or csv"),
		cli.Boolean(&o.settledOnly, "settled", "write settled lines only, not what is believed of each target now"),
		cli.NumberOr(&o.warmUp, "warm-up", "auto", 0, 1, math.Inf(1), "`N` scans from which levels are learnt before the first line is settled, or auto: 20, up to 160 of targets that report one by one"),
		columnsOption(&o.from.Columns),
		cli.Text(&o.sensors, "sensors", "`FILE` with a table [[sensors]] for each of several, such as the run.toml of a run: what each sees, how often it detects and errs"),
		cli.Text(&o.from.Units, "units", "`UNIT` of the positions: mm, cm, m, km, ft, mi or nmi become metres, others stay"),
		placeOption(&o.from.Sensor),
		sensorNoiseOption(&o.from.SensorNoise),
		cli.Boolean(&o.from.Compass, "compass", "bearings of a polar sensor count clockwise from north, the y axis; else from the x axis to the y axis"),
		cli.NumberOr(&o.from.Gap, "gap", "none", 0, cli.AboveZero, math.Inf(1), "`T` in s: rows with times of their own are one scan where they come closer to each other; none: rows of one time are a scan"),
		cli.NumberOr(&o.from.DT, "dt", "auto", 0, cli.AboveZero, math.Inf(1), "`T` in s from one frame number to the next, or auto: what the time column says, or 1"),
	}
	for _, option := range o.track.Bind() {
		switch option.Name {
		case "gate", "noise", "velocity-noise", "accel", "max-speed", "max-misses", "memory-limit", "no-velocity", "fixed-sensor",
			"motion", "detect", "clutter", "births", "survive":
			options = append(options, option)
		}
	}
	return options
}

// prompt is for how long lines of a stream are held back while further scans are waiting to be
// tracked, or until the next of these is where that takes longer: a call of the system for each
// would take as long as a scan of few detections.
const prompt = time.Millisecond

// ahead is how many scans are read before they are tracked.
const ahead = 16

// Stream tracks the detections that come from r, named so in errors, and writes lines to w, at once
// after each scan unless others are waiting ([prompt]). When ctx ends or a line is wrong, what was
// tracked till then is settled and written. One scan, a window of scans and what is waiting between
// reader and tracker are all that is kept.
func Stream(ctx context.Context, s *cli.Session, o *StreamOptions, r io.Reader, name string, w io.Writer) error {
	meta := &runfolder.Meta{}
	if o.sensors != "" {
		if err := readSensors(&meta.Sensors, o.sensors); err != nil {
			return cli.BadInput(err)
		}
		o.from.Sensors, o.from.Described = true, meta.Sensors
	}
	opts, err := o.track.Association(meta, s.Common.Workers)
	if err != nil {
		return err
	}
	follow := online.Of(opts, unlessWord(o.lag))
	follow.WarmUp = o.warmUp
	k, err := online.NewTracker(follow)
	if err != nil {
		return TrackFault(err)
	}
	out := &streamWriter{w: bufio.NewWriterSize(w, 1<<16), json: o.to == "jsonl", settledOnly: o.settledOnly}
	scans := readScans(ctx, dataset.NewScanReader(r, name, o.in, &o.from))
	told, noted := 0, 0 // warnings and notes
	first, empty := true, true
	var flushed time.Time
	for err == nil {
		next := scans.take(ctx)
		for ; noted < len(next.notes); noted++ {
			s.Note("%s", next.notes[noted])
		}
		if first && next.sensor != nil { // what columns say
			follow.Sensors = []sensor.Sensor{*next.sensor}
			if k, err = online.NewTracker(follow); err != nil {
				return TrackFault(err)
			}
		}
		first = false
		if empty && next.err == nil && next.scan.Len() > 0 {
			empty = false
			for _, w := range unread(&o.from, next.served) {
				s.Log.Warn(w)
			}
		}
		if err = cli.BadInput(next.err); err == nil {
			err = TrackFault(k.Step(ctx, next.scan))
			out.write(k, next.scan)
			if now := time.Now(); scans.empty() || now.Sub(flushed) > prompt {
				err, flushed = cmp.Or(err, out.w.Flush()), now
			}
		}
		for ; told < len(k.Warnings()); told++ {
			s.Log.Warn(k.Warnings()[told])
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	err = cmp.Or(err, TrackFault(k.Flush(ctx)))
	out.write(k, nil)
	return cmp.Or(err, out.w.Flush())
}

// readSensors sets dst to the sensors that a TOML file describes.
func readSensors(dst *[]sensor.Sensor, name string) error {
	var file struct {
		Sensors []sensor.Sensor `toml:"sensors"`
	}
	meta, err := tomlfile.DecodeFile(name, &file)
	if err != nil {
		return err
	}
	if len(file.Sensors) == 0 {
		return fmt.Errorf("%s has no table [[sensors]]", name)
	}
	for _, key := range meta.Undecoded() { // others may be of the run whose file it is
		if key[0] == "sensors" {
			return unknownKey(name, key)
		}
	}
	for k := range file.Sensors {
		if err := file.Sensors[k].Validate(); err != nil {
			return fmt.Errorf("%s: sensor %d: %w", name, k, err)
		}
	}
	*dst = file.Sensors
	return nil
}

// unknownKey is the error of a key of a table [[sensors]] that means nothing, where it first stands.
func unknownKey(name string, key []string) error {
	of, known := "a sensor", []string{"name", "kind", "place", "noise", "view", "detect", "clutter"}
	if len(key) > 2 && key[1] == "view" {
		of, known = "the view of a sensor", []string{"range", "bearing", "min", "max", "polygon"}
		key = key[1:]
	}
	e := &dataset.SyntaxError{File: name, Col: 1, Msg: fmt.Sprintf("%q is no key of %s", key[1], of), Hint: cli.DidYouMean(key[1], "", known)}
	text, _ := os.ReadFile(name)
	for i, line := range strings.Split(string(text), "\n") {
		if word, _, ok := strings.Cut(line, "="); ok && strings.Trim(word, " \t\"'") == key[1] || strings.HasSuffix(strings.TrimRight(line, " ]\t\r"), "."+key[1]) {
			e.Line = i + 1
			break
		}
	}
	return e
}

// A scanned is a scan, or the error that stands where the next would.
type scanned struct {
	scan   *mtt.Scan
	notes  []string       // so far
	sensor *sensor.Sensor // likewise
	served dataset.Served // likewise
	err    error
}

// A scanQueue holds what a reader beside the tracker has read: a reader that waits for a pipe hears
// of no signal. Who is ahead sleeps until the other has done all that there was, so that scans of
// few detections are not handed over one by one.
type scanQueue struct {
	mu   sync.Mutex
	read []scanned // and not taken
	more chan struct{}
	room chan struct{}

	taken []scanned // of which those from next on are yet to be tracked
	next  int
}

// readScans reads scans until an error or until ctx ends.
func readScans(ctx context.Context, sr *dataset.ScanReader) *scanQueue {
	q := &scanQueue{more: make(chan struct{}, 1), room: make(chan struct{}, 1)}
	go func() {
		for {
			scan, err := sr.Next()
			if !q.put(ctx, scanned{scan, sr.Notes(), sr.Sensor(), sr.Served(), err}) || err != nil {
				return
			}
		}
	}()
	return q
}

// put adds a scan, and waits where there are enough of them. It is false when ctx has ended. The
// tracker goes on as soon as it has a scan: who waits in a call of the system keeps the processor
// for up to 10 ms from those whom it has woken, where levels are learnt on the others.
func (q *scanQueue) put(ctx context.Context, s scanned) bool {
	q.mu.Lock()
	q.read = append(q.read, s)
	n := len(q.read)
	q.mu.Unlock()
	if n == 1 {
		wake(q.more)
		runtime.Gosched()
	}
	if n < ahead {
		return ctx.Err() == nil
	}
	select {
	case <-q.room:
		return true
	case <-ctx.Done():
		return false
	}
}

// take is the next scan, or the error of ctx when that has ended.
func (q *scanQueue) take(ctx context.Context) scanned {
	for q.next == len(q.taken) {
		q.mu.Lock()
		clear(q.taken)
		q.taken, q.read, q.next = q.read, q.taken[:0], 0
		q.mu.Unlock()
		if len(q.taken) >= ahead {
			wake(q.room)
		}
		if len(q.taken) > 0 {
			break
		}
		select {
		case <-q.more:
		case <-ctx.Done():
			return scanned{err: ctx.Err()}
		}
	}
	if err := ctx.Err(); err != nil {
		return scanned{err: err}
	}
	q.next++
	return q.taken[q.next-1]
}

// empty reports whether take would wait.
func (q *scanQueue) empty() bool {
	if q.next < len(q.taken) {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.read) == 0
}

// wake wakes who waits for c, or will.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// A streamWriter writes the lines of a stream.
type streamWriter struct {
	w           *bufio.Writer
	json        bool
	settledOnly bool
	dim         int      // 0: no line has been written
	names       []string // of the columns
	lines       []streamLine
	targets     []online.Target
	buf         []byte
}

// A streamLine is a detection that was settled, or a target as it is believed to be. What is
// NaN is not known.
type streamLine struct {
	frame           int
	time            float64
	track, det, dim int
	x, v            [3]float64
	std, existence  float64
	settled         bool
}

// write writes what the tracker has settled since it was asked last, then the targets at
// the time of the scan (nil: none). Errors show when it is flushed.
func (sw *streamWriter) write(k *online.Tracker, scan *mtt.Scan) {
	sw.lines = sw.lines[:0]
	nan := math.NaN()
	for part, times := range k.Take() {
		for h, hit := range part.Hits {
			l := streamLine{frame: hit.Frame, time: times[h], track: part.ID, det: hit.Det, dim: part.Dim,
				v: [3]float64{nan, nan, nan}, std: nan, existence: 1, settled: true}
			copy(l.x[:], part.At(h))
			if part.Vel != nil {
				copy(l.v[:], part.Vel[h*part.Dim:(h+1)*part.Dim])
			}
			sw.lines = append(sw.lines, l)
		}
	}
	slices.SortFunc(sw.lines, func(a, b streamLine) int { return cmp.Or(a.frame-b.frame, a.track-b.track) })
	if scan != nil && !sw.settledOnly {
		sw.targets = k.Targets(sw.targets[:0])
		for _, g := range sw.targets {
			sw.lines = append(sw.lines, streamLine{frame: scan.Frame, time: scan.Time, track: g.ID, det: g.Det, dim: k.Model().Levels.Dim,
				x: g.Pos, v: g.Vel, std: g.Std, existence: g.Existence})
		}
	}
	for i := range sw.lines {
		sw.line(&sw.lines[i])
	}
}

// line writes one line, and before the first the names of the columns.
func (sw *streamWriter) line(l *streamLine) {
	if sw.dim == 0 {
		sw.dim = max(l.dim, 2)
		sw.names = slices.Concat([]string{"frame", "time", "track", "det"}, []string{"x", "y", "z"}[:sw.dim], []string{"vx", "vy", "vz"}[:sw.dim],
			[]string{"std", "existence", "settled"})
		if !sw.json {
			sw.w.WriteString(strings.Join(sw.names, ",") + "\n")
		}
	}
	b, c := sw.buf[:0], 0
	next := func(known bool) bool {
		name := sw.names[c]
		switch {
		case !sw.json && c > 0:
			b = append(b, ',')
		case sw.json && known:
			b = append(b, `{,`[min(c, 1)])
			b = append(append(append(b, '"'), name...), `":`...)
		}
		c++
		return known
	}
	whole := func(v int) {
		next(true)
		b = strconv.AppendInt(b, int64(v), 10)
	}
	number := func(v float64) {
		form := byte('g')
		if size := math.Abs(v); size >= 1e6 && size < 1e21 { // seconds since 1970, northings
			form = 'f'
		}
		if next(v-v == 0) {
			b = strconv.AppendFloat(b, v, form, -1, 64)
		}
	}
	whole(l.frame)
	number(l.time)
	whole(l.track)
	whole(l.det)
	for _, list := range [][3]float64{l.x, l.v} {
		for _, v := range list[:sw.dim] {
			number(v)
		}
	}
	number(l.std)
	number(l.existence)
	next(true)
	b = strconv.AppendBool(b, l.settled)
	if sw.json {
		b = append(b, '}')
	}
	sw.w.Write(append(b, '\n'))
	sw.buf = b
}
