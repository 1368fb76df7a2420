package dataset

// This file reads measurement files of other programs: it finds out the format
// and hands the file to the reader of that format.

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mtt"
	"mtt/internal/npz"
	"mtt/internal/text"
	"mtt/sensor"
)

// Options says how to read measurement files. The zero value reads everything
// the file has, in the format that fits.
type Options struct {
	Format     string            // a name of Formats; "" or "auto": the one that fits the content
	Columns    map[string]string // of a table: for each of Roles, the name or the number (from 1) of its column; "" that none has it
	Where      map[string]string // of a table that names its columns: for the name or number of a column what it says in the rows to read; the others are left out
	Every      int               // keep every k-th frame, from the first; 0: all. For reports at irregular times: seconds per frame
	DT         float64           // s from one frame of the file to the next; 0: what the file or its format says, or 1
	Gap        float64           // s: of a stream without frames, rows that come closer to each other are one scan, at the mean of their times; 0: rows of one time are
	Units      string            // of the positions of a table: mm, cm, m, km, ft, mi, nmi (these become m), deg, or any word
	NoVelocity bool              // leave velocities out
	NoIDs      bool              // leave identities out
	// SensorNoise is the standard deviation of range (m), bearing, elevation (rad) and range_rate (m/s), and
	// with that the typical speed of targets (m/s); nil: not known, positions have no covariances.
	SensorNoise map[string]float64

	// Sensors has the column sensor of a table or stream say whose each scan is, as a number from 0.
	// Else it is not read, as several may report at one time.
	Sensors bool

	// Described are the sensors that the column counts, or names: where each of kind polar stands,
	// and how noisy it is; nil: not known.
	Described []sensor.Sensor

	Sensor  []float64 // where ranges and bearings of a table are measured from: len 2 or 3; nil: the origin
	Compass bool      // whether their bearings count clockwise from north, which is the y axis; else from the x axis to the y axis
	Image   [2]int    // width and height of the picture whose shares labels of YOLO are, pixels; 0: what seqinfo.ini says
	MinConf *float64  // leave out detections of a confidence below; nil: none
	Noise   float64   // standard deviation of Gaussian noise added to each coordinate of the detections, in the unit of the result
	Seed    uint64    // of the noise
	Overlap float64   // least overlap (intersection over union) of a detected box with its target; 0: 0.5
	Stdin   io.Reader // what the file "-" stands for; nil: standard input
	Reach   float64   // greatest distance of a detected point from its target, in the unit of the result; 0: points are not matched
}

// Data is what was read.
type Data struct {
	Scans    []mtt.Scan  // ascending, equally spaced frames; none is left out but those of Unseen
	Unseen   []int       // ascending frames that nobody looked at: nothing was detected where chance would have left many detections
	Rows     [][]int32   // for each scan, the rows, from 1, of the file of detections that they came from
	Truth    []mtt.Track // ascending ID; nil when the files say no identities
	Unit     string      // of positions: m, px, um, …; "" when not known
	Scale    float64     // Unit for each unit of the file; 0: 1
	Origin   *[2]float64 // longitude and latitude, degrees, of the origin of positions; nil: not known
	Image    [2]int      // width and height of the image, pixels; 0: not known
	Start    float64     // s, when the first scan was, by the clock of the file
	Interval float64     // s from one scan to the next, on average
	Uneven   bool        // whether scans come at odd times
	File     string      // the one that has the detections
	Table    []byte      // what File was made into, where that is a folder or holds no rows; nil: it is a table
	Format   string      // names of the formats, in the order of the files
	Notes    []string    // what was understood, in words worth showing
	Doubts   []string    // what is likely misunderstood, in words that ask for an option; nil: nothing

	// Sensor is the one, of kind polar, that stands still at a known place and errs by nobody knows
	// how much; nil: there is none, or Options describe it.
	Sensor *sensor.Sensor

	Served Served
}

// Served says which of the options about a polar sensor something was read by.
type Served struct{ Sensor, SensorNoise, Compass bool }

// A Format is a kind of file that Read understands.
type Format struct {
	Name  string // for Options.Format
	About string // what its files hold

	fits func(h *head, o *Options) *SyntaxError // why the first lines are not of this format; nil: they are
	read func(h *head, o *Options) (*source, error)
	form form
}

// A form is what a file looks like, whatever it holds.
type form int

const (
	noTable     form = iota
	withNames        // a table with column names
	bareTable        // a table without
	eitherTable      // with column names, or with --columns
)

// Formats lists the formats in the order in which they are tried.
func Formats() []Format { return slices.Clone(formats) }

var formats = []Format{
	{"trackmate", "TrackMate's spots (CSV with its four lines of names) or model (XML): in its unit of length", fitsTrackMate, readTrackMate, withNames},
	{"isbi", "XML with particle and detection elements (ISBI tracking challenge, TrackMate's simple export)", fitsISBI, readISBI, noTable},
	{"pets", "XML with frame, object and box elements (PETS 2009 ground truth): boxes in pixels", fitsPETS, readPETS, noTable},
	{"parquet", "tables of Apache Parquet with the columns that points has", fitsParquet, readJSON, noTable},
	{"numpy", "arrays of NumPy (.npy of records, .npz of columns) named as in points; those without names need --columns", fitsNumPy, readJSON, noTable},
	{"jsonl", "objects in JSON, one on a line or all in an array, with the keys that points has as columns; or lists of them within lists of frames", fitsJSON, readJSON, noTable},
	{"coco", "JSON of COCO with images and annotations (results alone are jsonl): boxes in pixels", fitsCOCO, readPoints, noTable},
	{"yolo", "FOLDER with a file for each frame: labels of YOLO (--image), or tables without a frame", fitsYOLO, readPoints, noTable},
	{"regionprops", "table of scikit-image with centroid-0, centroid-1 and a frame: pixels", fitsRegions, readRegions, withNames},
	{"btrack", "objects (t,x,y,z,label) or tracks (ID,t,x,y,z,parent,root,…) of btrack", fitsBtrack, readBtrack, withNames},
	{"ais", "table with a header that names latitude, longitude, time and ship: becomes metres", fitsAIS, readAIS, withNames},
	{"points", "table with a header that names x, y and frame or time; id, z, vx, vy, vz, w, h, conf as they come", fitsPoints, readPoints, eitherTable},
	{"obsmat", "8 columns, frame id x z y vx vz vy (ETH and UCY pedestrians): metres", fitsObsmat, readObsmat, bareTable},
	{"hermes", "5 columns, id frame x y z in centimetres, 16 frames per second: becomes metres", fitsHermes, readHermes, bareTable},
	{"kitti", "labels of KITTI's tracking benchmark (17 columns) or 3-D detections (15): metres", fitsKITTI, readKITTI, bareTable},
	{"mot", "7 or more columns, frame,id,left,top,width,height,conf (MOTChallenge): boxes in pixels", fitsMOT, readMOT, bareTable},
}

// A source is one file, read: rows with frame, perhaps with id.
type source struct {
	name   string
	format string
	rows   *rows
	unit   string

	ignored, others *rows          // as in Tracks, where a file has them
	kinds           []string       // classes that are words: kinds[k] has number k+1
	table           []byte         // what the file or folder was made into; nil: it is a table
	clock           float64        // s for each unit of time of the file; 0: not known
	scale           float64        // unit for each unit of the file; 0: 1
	origin          *place         // of positions; nil: not known
	sky             *place         // the same of directions in a plane, degrees
	image           [2]int         // width and height, pixels
	frames          int            // the sequence has frames 1 to frames; 0: not known
	looked          *Grid          // frames that were looked at, with detections or without; nil: not known
	step            float64        // s from one frame of the file to the next; 0: not known
	count           float64        // s from a frame number to the next number; 0: not known
	every           float64        // s of a frame of reports at any time; 0: scans are found in the times
	unnamed         string         // the column of identities that was left out; "": none
	paused          bool           // frames come at a regular step, with pauses that are no multiple of it
	once            bool           // an identity that is in a frame twice is an error
	nobodys         *SyntaxError   // the error that rows of several sensors do not say whose they are; nil: they do, or there is one
	moving          bool           // columns say where the sensor is
	untold          *sensor.Sensor // Data.Sensor
	served          Served
	notes           []string
	doubts          []string // what is likely wrong with them
}

// A FormatError says of each format why a file is not of that format.
type FormatError struct {
	File string
	Hint string     // which columns it has, and how to say what they are; "": it is no table
	Why  []Mismatch // of a table, of the formats that are tables, with column names or without as it is
}

// A Mismatch is the first place at which a file departs from a format.
type Mismatch struct {
	Format string
	Err    *SyntaxError
}

// Error is one line for the file and one for each format.
func (e *FormatError) Error() string {
	var b strings.Builder
	near := e.Nearest()
	fmt.Fprintf(&b, "%s: a format that is not known; ", e.File)
	if e.Hint != "" {
		b.WriteString(e.Hint + "; ")
	}
	fmt.Fprintf(&b, "nearest is %s; where the file departs from each:", near)
	for _, m := range e.Why {
		if m.Format == near {
			fmt.Fprintf(&b, "\n  %-11s %s", m.Format, strings.TrimPrefix(m.Err.Error(), e.File+":"))
		}
	}
	for _, m := range e.Why {
		if m.Format != near {
			fmt.Fprintf(&b, "\n  %-11s %s", m.Format, strings.TrimPrefix(m.Err.Error(), e.File+":"))
		}
	}
	return b.String()
}

// Nearest is the format from which the file departs last; of several, the one that is
// most usual for such files.
func (e *FormatError) Nearest() string {
	best := Mismatch{Err: &SyntaxError{}}
	for _, usual := range []string{"points", "mot"} {
		for _, m := range e.Why {
			if m.Format == usual && (best.Format == "" || m.Err.Line > best.Err.Line || m.Err.Line == best.Err.Line && m.Err.Col > best.Err.Col) {
				best = m
			}
		}
	}
	for _, m := range e.Why {
		if best.Format == "" || m.Err.Line > best.Err.Line || m.Err.Line == best.Err.Line && m.Err.Col > best.Err.Col {
			best = m
		}
	}
	return best.Format
}

// Read reads measurements from one or two files, each plain or compressed by gzip or zstd, or a folder with
// a file for each frame. Of one file with identities the positions become detections and the
// identities truth. Of two files one has detections and the other, told by its identities, the
// truth; then the truth names the detection that overlaps most with it, matched one to one in each
// frame.
//
// Detections of a frame are sorted by position, so that their order does not
// give the targets away. Noise is added to detections, never to truth, and
// before sorting. Tables are held in memory.
//
// Errors of content are *SyntaxError or, when no format fits, *FormatError. A
// nil o is Options{}.
func Read(files []string, o *Options) (*Data, error) {
	if o == nil {
		o = &Options{}
	}
	if len(files) == 0 || len(files) > 2 {
		return nil, fmt.Errorf("dataset: %d files given: one, or one of detections and one of truth", len(files))
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	var src []*source
	for _, name := range files {
		s, err := load(name, o)
		if err != nil {
			return nil, err
		}
		if s.nobodys != nil && (len(files) == 1 || s.rows.id == nil) { // of truth beside detections nobody asks
			return nil, s.nobodys
		}
		src = append(src, s)
	}
	var d *Data
	var err error
	if len(src) == 1 {
		d, err = src[0].alone(o)
	} else {
		d, err = pair(src[0], src[1], o)
	}
	if err == nil && d.Origin == nil && src[0].sky == nil && (d.Unit == "" || strings.HasPrefix(d.Unit, "deg") || strings.HasPrefix(d.Unit, "rad")) {
		if said := meets(d.Scans); said != "" {
			d.Doubts = append(d.Doubts, fmt.Sprintf("%s: %s; --columns bearing=NAME,elevation=NAME reads directions, bearing=NAME,range=NAME what a radar or sonar sees", d.File, said))
		}
	}
	if err == nil && len(d.Scans) == 1 {
		if n := d.Scans[0].Len(); n > 1 {
			d.Doubts = append(d.Doubts, fmt.Sprintf("%s: all %d detections are in one scan: nothing follows anything. If another column says when they are, --columns time=NAME (date=NAME, frame=NAME) reads it", d.File, n))
		}
	}
	return d, err
}

// ReadTargets reads the identified targets of one file of any format, be they
// true or estimated, such as two files to be scored against each other hold.
// Positions and frames are those that Read gives to Data.Truth. Det is -1 unless
// the file says it. An identity that is in a frame twice is an error: which of its
// rows is the target, and what the others are, would decide over its scores.
func ReadTargets(name string, o *Options) (*Tracks, error) {
	if o == nil {
		o = &Options{}
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	s, err := load(name, o)
	if err != nil {
		return nil, err
	}
	if s.rows.id == nil {
		return nil, &SyntaxError{File: name, Msg: "the file says no identities", Hint: "it holds detections, not tracks"}
	}
	numbered, timed, framed := s.rows.det != nil, s.rows.time != nil, s.rows.frame != nil
	s.once = true
	d, err := s.alone(&Options{Every: o.Every, DT: o.DT, NoVelocity: o.NoVelocity})
	if err != nil {
		return nil, err
	}
	if !numbered {
		for i := range d.Truth {
			for h := range d.Truth[i].Hits {
				d.Truth[i].Hits[h].Det = -1
			}
		}
	}
	found := &Tracks{Tracks: d.Truth, Notes: d.Notes, Unit: d.Unit, origin: s.origin, sky: s.sky, framed: framed}
	if timed {
		found.clock = clockOf(d.Scans, d.Start)
	}
	if found.Ignored, err = s.unscored(s.ignored); err != nil {
		return nil, err
	}
	found.Others, err = s.unscored(s.others)
	return found, err
}

// unscored are the targets of rows that are not scored, of the file of s.
func (s *source) unscored(rows *rows) ([]mtt.Track, error) {
	if rows == nil || rows.n == 0 {
		return nil, nil
	}
	d, err := (&source{name: s.name, format: s.format, rows: rows, unit: s.unit}).alone(&Options{})
	if err != nil {
		return nil, err
	}
	return d.Truth, nil
}

// check refuses options that mean nothing.
func (o *Options) check() error {
	switch {
	case o.Every < 0:
		return fmt.Errorf("dataset: Every is %d: 1 or more, or 0 for the default", o.Every)
	case !(o.DT >= 0) || o.DT > 1e9:
		return fmt.Errorf("dataset: DT is %v s: a positive number, or 0 for the default", o.DT)
	case !(o.Noise >= 0) || o.Noise > 1e300:
		return fmt.Errorf("dataset: Noise is %v: a positive number, or 0 for none", o.Noise)
	case !(o.Overlap >= 0 && o.Overlap <= 1):
		return fmt.Errorf("dataset: Overlap is %v: from 0 to 1", o.Overlap)
	case len(o.Described) > 0 && (o.Sensor != nil || o.SensorNoise != nil):
		return fmt.Errorf("dataset: sensors are described, and Sensor or SensorNoise (--sensor, --sensor-noise) are given as well: say places and noise of each in the description")
	case !(o.Reach >= 0) || o.Reach > 1e300:
		return fmt.Errorf("dataset: Reach is %v: a positive number, or 0 for none", o.Reach)
	case o.Format != "" && o.Format != "auto" && !slices.ContainsFunc(formats, func(f Format) bool { return f.Name == o.Format }):
		var names []string
		for _, f := range formats {
			names = append(names, f.Name)
		}
		return fmt.Errorf("dataset: there is no format %q: auto, %s", o.Format, strings.Join(names, ", "))
	}
	return nil
}

// load reads the file in the format that o names or that fits.
func load(name string, o *Options) (*source, error) {
	if name == "-" && o.Stdin != nil {
		r, err := text.Decompress("standard input", o.Stdin)
		if err != nil {
			return nil, err
		}
		return parse(name, r, 0, o)
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return loadFolder(name, o)
	}
	f, err := text.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parse(name, f, f.Size, o)
}

// parse reads r, of about size bytes (0: not known), in the format that o names or that fits.
func parse(name string, r io.Reader, size int64, o *Options) (*source, error) {
	h, err := newHead(name, r, size)
	if err != nil {
		return nil, err
	}
	return h.parse(o)
}

// ofForm are the mismatches of the formats that h, a table, could be of.
func (h *head) ofForm(why []Mismatch) (list []Mismatch) {
	if h.json || h.made != "" {
		return why
	}
	form := bareTable
	if h.title != nil {
		form = withNames
	}
	for _, m := range why {
		k := slices.IndexFunc(formats, func(f Format) bool { return f.Name == m.Format })
		if f := formats[k].form; f == form || f == eitherTable {
			list = append(list, m)
		}
	}
	return list
}

// parse reads the file of h.
func (h *head) parse(o *Options) (*source, error) {
	if e := h.pick(o.Where); e != nil {
		return nil, e
	}
	if len(o.Columns) == 0 && slices.Contains([]string{"", "auto", "points"}, o.Format) {
		if w := h.isWide(); w != nil {
			var err error
			if h, err = h.stacked(w); err != nil {
				return nil, err
			}
		}
	}
	if len(o.Columns) > 0 {
		if _, err := h.titles(o); err != nil {
			return nil, err
		}
	}
	format := o.Format
	if len(o.Columns) > 0 && (format == "" || format == "auto") {
		format = "points"
		if t, e := h.titles(o); e == nil && t.isGeographic(o) {
			format = "ais"
		}
	}
	var fit []Format
	var why []Mismatch
	for _, f := range formats {
		if format == f.Name {
			fit = []Format{f}
			break
		}
		if e := f.fits(h, o); e != nil {
			why = append(why, Mismatch{f.Name, e})
		} else {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 {
		hint := h.suggestion(o)
		if hint != "" {
			why = h.ofForm(why)
		}
		return nil, &FormatError{File: h.name, Hint: hint, Why: why}
	}
	best := fit[0]
	for _, f := range fit { // names of columns say more than that of the file
		if f.form == bareTable && strings.Contains(strings.ToLower(h.name), f.Name) {
			best = f
			break
		}
	}
	if e := best.fits(h, o); e != nil {
		return nil, e
	}
	s, err := best.read(h, o)
	if err != nil {
		return nil, err
	}
	s.name, s.format = h.name, best.Name
	if h.made != "" {
		s.image, s.table, s.unit = h.image, h.table, cmp.Or(h.unit, s.unit)
		s.notes = slices.Insert(s.notes, 0, h.about)
	}
	if h.nested != nil {
		s.notes = slices.Insert(s.notes, 0, h.nested.about())
	}
	if h.members != nil && len(h.members.late) > 0 {
		s.note("columns are those of the first %d objects; not read is what comes later: %s", len(h.lines), inShort(h.members.late))
	}
	if len(o.Described) > 1 && s.rows.sensor == nil && s.rows.n > 0 {
		s.nobodys = h.whose(o)
	}
	if err := s.sound(o); err != nil {
		return nil, err
	}
	return s, nil
}

// whose is the error of a table of several sensors that does not say whose a row is.
func (h *head) whose(o *Options) *SyntaxError {
	e := &SyntaxError{File: h.name, Line: max(h.titleAt, 1), Col: 1, Msg: fmt.Sprintf("%d sensors are described, and no column says whose a row is", len(o.Described)),
		Hint: "a column sensor counts them from 0, or has their names; say which it is: --columns sensor=NAME"}
	if h.title != nil {
		e.Hint += "; the columns are " + strings.Join(h.title, ", ")
	}
	return e
}

// sound leaves out what is empty or not wanted.
func (s *source) sound(o *Options) error {
	t := s.rows
	if t.n == 0 {
		e := &SyntaxError{File: s.name, Msg: "there are no rows", Hint: "the file ends after its header", Empty: true}
		if t.blank > 0 {
			e.Msg, e.Hint, e.Empty = "no row has a position", "", false
		}
		return e
	}
	if t.blank > 0 {
		s.note("rows without a position (empty or NaN): %d, left out", t.blank)
	}
	switch {
	case s.unnamed != "":
		s.note("identities left out: column %s is as if it were not there", s.unnamed)
	case o.NoIDs && t.id != nil: // of a format where they cannot be missing
		t.id, t.det = nil, nil
		s.note("identities left out")
	}
	if t.id != nil && !slices.ContainsFunc(t.id, func(id int) bool { return id != noID }) {
		t.id = nil
	}
	for _, c := range []struct {
		column *[]float64
		what   string
		of     []role
	}{
		{&t.vel, "velocities", []role{velX, velY, velZ}}, {&t.size, "sizes", []role{width, height}}, {&t.conf, "confidences", []role{conf}},
		{&t.cov, "noise", []role{devX, devY, devZ, devAll, covXX, covXY, covYY, covXZ, covYZ, covZZ}},
		{&t.feat, "features", []role{feature}},
	} {
		missing := 0
		for _, r := range c.of {
			missing = max(missing, t.missing[r])
		}
		if missing > 0 && *c.column != nil {
			*c.column = nil
			s.note("%s left out: they are missing in %s", c.what, text.Count(missing, "row"))
		}
	}
	return nil
}

// peekLines is how many lines of a file tell its format.
const peekLines = 50

// headSize is how much of a file is looked at to find out its format, in bytes.
const headSize = 4 * text.MaxLine

// A head is a file and what its first lines look like.
type head struct {
	name       string
	body       *bufio.Reader // all of the file
	size       int64         // of the file on disk, bytes; 0: not known
	first      []byte        // its first bytes, at most headSize
	made       string        // the format that was made into this table; empty: it is the file
	table      []byte        // all of it then,
	about      string        // what it was,
	unit       string        // of its positions,
	image      [2]int        // and the width and height of its pictures, pixels
	xml        bool
	parquet    bool
	numpy      bool
	json       bool
	nested     *nestedObjects // of which the objects were made; nil: they stand in the file
	members    *jsonTable     // of the objects; nil: there are none
	sep        byte
	comma      bool     // decimal commas
	title      []string // column names; nil when the first line holds numbers
	wordy      int      // column, from 1, whose numbers are words, too; 0: none
	units      []string // what stands below the column names, in TrackMate's tables; nil: nothing
	measures   []string // units that a line below the column names says; nil: there is none
	measuredAt int      // number of that line

	above   int         // lines with words above the column names, which are left out
	open    bool        // rows end in a separator, the names do not
	latin   bool        // the names are in Latin-1
	titleAt int         // number of the line with the column names; 0: none
	skip    int         // lines up to and with the title
	lines   []peek      // the first lines with data, at most peekLines
	where   []condition // of lines that are read
}

// A peek is a line with data.
type peek struct {
	number int // from 1
	raw    []byte
	tabs   int // behind raw
	field  []string
}

// bad is an error at field c of the line; c -1 means the whole line.
func (h *head) bad(p *peek, c int, msg, hint string) *SyntaxError {
	e := &SyntaxError{File: h.name, Line: p.number, Col: 1, Msg: msg, Hint: hint}
	if c >= 0 {
		e.Col = fieldStart(p.raw, h.sep, c)
	}
	return e
}

// newHead looks at the first lines of r.
func newHead(name string, r io.Reader, size int64) (*head, error) {
	h := &head{name: name, body: bufio.NewReaderSize(r, headSize), size: size}
	data, err := h.body.Peek(headSize)
	if err != nil && err != io.EOF {
		return nil, err
	}
	h.first = data
	if p, ok := r.(interface{ Parquet() bool }); ok {
		h.parquet = p.Parquet()
	}
	if npz.IsArray(data) || npz.IsArchive(data) {
		if err := h.arrays(); err != nil {
			return nil, err
		}
		if data, err = h.body.Peek(headSize); err != nil && err != io.EOF {
			return nil, err
		}
		h.first = data
	}
	begin := bytes.TrimLeft(text.WithoutMark(data), " \t\r\n")
	if bytes.HasPrefix(begin, []byte("<")) {
		h.xml = true
		h.body.Discard(len(data) - len(text.WithoutMark(data)))
		return h, nil
	}
	if bytes.HasPrefix(begin, []byte("{")) || bytes.HasPrefix(begin, []byte("[")) {
		if isCOCO(begin) {
			return newHeadCOCO(h)
		}
		return newHeadJSON(h, begin[0])
	}
	if err == nil { // more follows: the last line may be cut
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	if len(data) == 0 {
		data = h.first
	}
	return h, h.look(data)
}

// arrays makes text of arrays of NumPy; other archives stay what they are.
func (h *head) arrays() error {
	data, err := io.ReadAll(h.body)
	if err != nil {
		return err
	}
	table, err := npz.NewTable(data)
	switch {
	case err == npz.ErrNoArrays:
		h.body = bufio.NewReaderSize(bytes.NewReader(data), headSize)
	case err != nil:
		return h.array(err)
	default:
		h.numpy, h.body = true, bufio.NewReaderSize(arrayText{h, table}, headSize)
	}
	return nil
}

// array is err as what is wrong with the arrays of the file.
func (h *head) array(err error) error {
	return &SyntaxError{File: h.name, Msg: err.Error(),
		Hint: "write a table, in Python: numpy.savez(\"points.npz\", frame=…, x=…, y=…), each with one number for each detection"}
}

// An arrayText is the text of arrays, whose errors are of the file.
type arrayText struct {
	h     *head
	table *npz.Table
}

func (a arrayText) Read(p []byte) (int, error) {
	n, err := a.table.Read(p)
	if err != nil && err != io.EOF {
		err = a.h.array(err)
	}
	return n, err
}

// look finds names, separator and first lines in the first bytes.
func (h *head) look(data []byte) error {
	lr := text.NewLines(bytes.NewReader(data), h.name)
	var comment *peek // the last one before the first line with data
	for len(h.lines) <= peekLines {
		raw, err := lr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		p := peek{number: lr.Line, raw: bytes.Clone(raw), tabs: lr.Tabs}
		if text.IsComment(raw) {
			if len(h.lines) == 0 {
				p.raw = bytes.TrimLeft(p.raw, "#% ")
				comment = &p
			}
			continue
		}
		h.lines = append(h.lines, p)
	}
	if len(h.lines) > 0 {
		h.separate()
	}
	if len(h.lines) == 0 {
		return &SyntaxError{File: h.name, Msg: "the file is empty", Hint: "it should hold a table", Empty: true}
	}
	points, width := false, 0
	for i := range h.lines {
		h.lines[i].field = split(h.lines[i].raw, h.sep)
		width = max(width, len(h.lines[i].field))
	}
	for i := range h.lines {
		h.lines[i].field = filled(h.lines[i].field, width, h.sep, h.lines[i].tabs)
		for _, f := range h.lines[i].field {
			if _, ok := parseFloat([]byte(text.Point(f))); ok && strings.Contains(f, ",") {
				h.comma = true
			} else if ok && strings.Contains(f, ".") {
				points = true
			}
		}
	}
	h.comma = h.comma && !points
	h.headed()
	if first := &h.lines[0]; isTitle(first.field) {
		h.title, h.skip, h.titleAt = first.field, first.number, first.number
		h.lines = h.lines[1:]
		h.rowNames()
	} else if comment != nil {
		if f := split(comment.raw, h.sep); len(f) == len(first.field) && isTitle(f) {
			h.title, h.titleAt = f, comment.number
		}
	}
	h.latin = inLatin(h.title)
	h.described()
	h.measured()
	if h.comma {
		for i := range h.lines {
			for c, f := range h.lines[i].field {
				h.lines[i].field[c] = text.Point(f)
			}
		}
	}
	return nil
}

// separate finds what separates fields: what a first line such as sep=; says, as Excel has it, or what
// the last of the lines has, or one in their midst where that is no row.
func (h *head) separate() {
	if first := h.lines[0]; saysSeparator(first.raw) {
		h.skip, h.sep, h.lines = first.number, first.raw[4], h.lines[1:]
		return
	}
	h.sep = separator(h.lines[len(h.lines)-1].raw)
	if middle := h.lines[len(h.lines)/2].raw; len(split(h.lines[len(h.lines)-1].raw, h.sep)) < 2 {
		h.sep = separator(middle)
	}
}

// saysSeparator says whether a line is one such as sep=; .
func saysSeparator(line []byte) bool {
	return len(line) == 5 && bytes.EqualFold(line[:4], []byte("sep="))
}

// headed takes lines off that stand above the column names and are no row: words of one field each, where
// names and rows that follow have three fields or more.
func (h *head) headed() {
	at := slices.IndexFunc(h.lines, func(p peek) bool { return len(p.field) > 1 })
	if at < 1 || at+1 >= len(h.lines) {
		return
	}
	names, row := h.lines[at].field, h.lines[at+1].field
	if len(names) < 3 || !isTitle(names) || isTitle(row) || len(row) < len(names) || len(row) > len(names)+1 {
		return
	}
	h.above, h.lines = at, h.lines[at:]
}

// rowNames adds a column without a name where rows have one field more than there are names: names
// of the rows before them, as R's write.table has it, or nothing behind a separator at the end.
func (h *head) rowNames() {
	first, last := true, true
	for _, p := range h.lines {
		n := len(p.field)
		if n != len(h.title)+1 {
			return
		}
		last = last && p.field[n-1] == ""
		quoted := bytes.HasPrefix(p.raw, []byte{'"'})
		first = first && p.field[n-1] != "" && (quoted || p.field[0] == strconv.Itoa(p.number-h.titleAt))
	}
	switch {
	case len(h.lines) == 0:
	case last:
		h.title, h.open = append(h.title, ""), true
	case first:
		h.title = append([]string{""}, h.title...)
	}
}

// inLatin makes UTF-8 of names in Latin-1, as tables of older programs have them, and reports
// whether there are any.
func inLatin(names []string) (any bool) {
	for c, name := range names {
		if latin := readable(name); latin != name {
			names[c], any = latin, true
		}
	}
	return any
}

// readable is a word in UTF-8, taken for Latin-1 where it is none.
func readable(word string) string {
	if utf8.ValidString(word) {
		return word
	}
	runes := make([]rune, len(word))
	for i := range len(word) {
		runes[i] = rune(word[i])
	}
	return string(runes)
}

// described takes the lines off that describe columns below their names, as TrackMate
// writes them: what they are, shorter, and units.
func (h *head) described() {
	x := slices.IndexFunc(h.title, func(name string) bool { return strings.EqualFold(name, "POSITION_X") })
	for range 3 {
		if x < 0 || len(h.lines) == 0 || x >= len(h.lines[0].field) || isNumber(text.Point(h.lines[0].field[x])) || isMissing([]byte(h.lines[0].field[x])) {
			return
		}
		h.units = h.lines[0].field
		h.skip = h.lines[0].number
		h.lines = h.lines[1:]
	}
}

// measured takes the line off that says units below the column names: nothing but known units, and
// at least two.
func (h *head) measured() {
	if h.title == nil || h.units != nil || len(h.lines) < 2 || len(h.lines[0].field) != len(h.title) {
		return
	}
	units, known := make([]string, len(h.title)), 0
	for c, f := range h.lines[0].field {
		u := plainName(f)
		speed := strings.TrimSuffix(u, "_s")
		switch {
		case u == "" && !isNumber(f):
			continue
		case lengths[u] == 0 && durations[u] == 0 && !slices.Contains(others, u) && (speed == u || lengths[speed] == 0):
			return
		}
		units[c] = u
		known++
	}
	if known < 2 {
		return
	}
	h.measures, h.measuredAt, h.skip = units, h.lines[0].number, h.lines[0].number
	h.lines = h.lines[1:]
}

// separator is what separates the fields of a line with data.
func separator(line []byte) byte {
	if bytes.IndexByte(line, ';') >= 0 {
		return ';'
	}
	if bytes.IndexByte(line, '\t') >= 0 {
		tabbed := split(line, '\t')
		if len(tabbed) >= len(split(line, ',')) || !slices.ContainsFunc(tabbed, func(f string) bool {
			return strings.Contains(f, ",") && !isNumber(text.Point(f))
		}) {
			if bytes.IndexByte(line, ',') >= 0 || len(tabbed) >= len(split(line, ' ')) || len(tabbed) > 2 && !slices.ContainsFunc(tabbed, severalNumbers) {
				return '\t' // blanks are within names, words and dates
			}
		}
	}
	if bytes.Count(line, []byte{'|'}) > 1 && bytes.IndexByte(line, ',') < 0 {
		return '|'
	}
	if bytes.IndexByte(line, ',') >= 0 {
		blank := split(line, ' ')
		for _, f := range blank {
			if _, ok := parseFloat([]byte(text.Point(f))); !ok || strings.HasSuffix(f, ",") {
				return ','
			}
		}
		if len(blank) < 3 {
			return ','
		}
	}
	return ' '
}

// severalNumbers says whether the field is numbers that blanks separate.
func severalNumbers(f string) bool {
	parts := strings.Fields(f)
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool { return !isNumber(text.Point(p)) })
}

// isTitle says whether more than half of the fields are words.
func isTitle(fields []string) bool {
	words := 0
	for _, f := range fields {
		if _, ok := parseTime([]byte(f)); !ok && strings.ContainsFunc(f, func(c rune) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }) && !isNumber(f) {
			words++
		}
	}
	return 2*words > len(fields)
}

// isNumber says whether the field is a number, even one that no table may hold.
func isNumber(f string) bool {
	switch strings.ToLower(strings.TrimLeft(f, "+-")) {
	case "nan", "inf", "infinity":
		return true
	}
	_, ok := parseFloat([]byte(f))
	return ok
}

// rows reads the table as l says.
func (h *head) rows(l *layout) (*rows, error) {
	lr := text.NewLines(h.body, h.name)
	lr.Comment = true
	for lr.Line < h.skip {
		if _, err := lr.Next(); err != nil {
			return nil, err
		}
	}
	l.comma = h.comma
	t, err := readRows(lr, l, h.expect())
	if err != nil {
		return nil, err
	}
	return t, h.inRange(t)
}

// expect is about how many rows the file has, for making room at once; 0: not known.
func (h *head) expect() int {
	if len(h.lines) == 0 || h.size < headSize {
		return 0
	}
	width := 0
	for i := range h.lines {
		width += len(h.lines[i].raw) + 1
	}
	return int(1.02 * float64(h.size) * float64(len(h.lines)) / float64(width))
}

// largest is the largest magnitude of a measured number: squares must not
// overflow.
const largest = 1e150

// inRange refuses rows with numbers beyond largest.
func (h *head) inRange(t *rows) error {
	for _, column := range [][]float64{t.time, t.pos, t.vel, t.cov, t.size, t.conf, t.feat} {
		for i, v := range column {
			if v > largest || v < -largest {
				return &SyntaxError{File: h.name, Line: int(t.line[i*t.n/len(column)]), Col: 1,
					Msg: fmt.Sprintf("a number beyond %g", largest), Hint: "the columns may be in another order"}
			}
		}
	}
	return nil
}

// numbers is the error of the first line that is not made of at least min
// fields, all numbers and as many as in the first line.
func (h *head) numbers(min int, want string) *SyntaxError {
	if h.xml {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "XML, not a table"}
	}
	if h.title != nil {
		return &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 1, Msg: "a line of column names", Hint: "the format has none"}
	}
	for i := range h.lines {
		p := &h.lines[i]
		if n := len(p.field); n < min {
			return h.bad(p, -1, fmt.Sprintf("%s, at least %d wanted", text.Count(n, "column"), min), want)
		}
		for c, f := range p.field {
			if _, ok := parseFloat([]byte(f)); ok {
				continue
			}
			hint := want
			if _, ok := parseFloat([]byte(text.Point(f))); ok {
				hint = text.DecimalPoints
			}
			return h.bad(p, c, fmt.Sprintf("%q is not a finite number", f), hint)
		}
	}
	return nil
}

// whole is the error of the first of the columns that is not a whole number.
func (h *head) whole(columns []int, names ...string) *SyntaxError {
	for i := range h.lines {
		for k, c := range columns {
			if _, ok := parseInt([]byte(h.lines[i].field[c])); !ok {
				return h.bad(&h.lines[i], c, fmt.Sprintf("%s is %q, not a whole number", names[k], h.lines[i].field[c]), "")
			}
		}
	}
	return nil
}

// separated is the separator in words.
func (h *head) separated() string {
	switch {
	case h.numpy:
		return "arrays of NumPy"
	case h.parquet:
		return "Parquet"
	}
	switch h.sep {
	case ',':
		return "comma separated"
	case ';':
		return "semicolon separated"
	case '\t':
		return "tab separated"
	case '|':
		return "separated by bars"
	}
	return "separated by blanks"
}
