package dataset

// This file parses tables of numbers: one line per row, fields in the order
// that a layout gives them. All text formats of the package but one are tables
// with some layout; readRows is the loop that must be fast.

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"mtt"
	"mtt/internal/text"
	"mtt/internal/workers"
)

// A role is what a column means.
type role uint8

const (
	skip   role = iota // not read
	frame              // integer
	ident              // integer: target or track; a word when the layout has labels; none where it is empty
	det                // integer: detection in its frame
	class              // integer: kind of target; a word when the layout has kinds
	device             // integer: which of several sensors
	origin             // integer: row of the file that was imported
	mother             // integer: the track that divided into this one and another; 0 for none
	stamp              // s, or a date and time
	posX
	posY
	posZ
	velX
	velY
	velZ
	width
	height
	conf
	left  // of a box; its width, or its right side, makes the centre
	top   // of a box
	right // of a box; excludes width
	bottom
	devX // standard deviation of the noise of a coordinate
	devY
	devZ
	devAll // the same for all coordinates
	covXX  // covariance of the noise of a position, packed
	covXY
	covYY
	covXZ
	covYZ
	covZZ
	velXX // the same of a velocity
	velXY
	velYY
	velXZ
	velYZ
	velZZ
	feature   // any number of columns
	distance  // from the sensor
	bearing   // of the line of sight
	elevation // of the line of sight
	rangeRate // along the line of sight
	ownX      // where the sensor is
	ownY
	ownZ
	ownVX // how fast the sensor moves
	ownVY
	ownVZ
	heading // direction in which the sensor looks
	course  // degrees clockwise from north; may be empty
	speed   // knots; may be empty
	nano    // nanoseconds to add to the time
	date    // to which the time is one of day
	year    // of the date; month and monthDay say the rest
	month
	monthDay
	hour // of the time of day; minute and second say the rest
	minute
	second
	roles // how many there are
)

// noID is the identity of rows without one: detections of nothing, beside others.
const noID = math.MinInt

// A layout is what the fields of a line mean.
type layout struct {
	sep   byte // ',' ';' '\t', or ' ' for any white space
	comma bool // numbers are written with decimal commas
	roles []role
	names []string // for messages, len(roles)
	open  bool     // lines may have more fields than roles
	whose int      // the column, from 1, that is not read and may say whose a row is; 0: there is none

	where      []condition    // of rows that are read
	files      int            // the column, from 1, that is not read and may say which of several recordings a row is of; 0: there is none
	recordings *labels        // what column files says; nil without it
	clock      clockForm      // how times are written
	strict     bool           // every number is needed: rows without a position are an error
	labels     *labels        // of identities that are words; nil: identities are integers
	kinds      *labels        // of classes that are words; nil: classes are integers
	devices    map[string]int // of sensors by their names; nil: they have none
	named      *named         // of frames that are names of files; nil: frames are integers
}

// A condition is what a column says in rows that are read.
type condition struct {
	column int
	word   string
}

// picks says whether a row with these fields, and so many tabs behind them, is read.
func (l *layout) picks(line []byte, tabs int) bool {
	for _, is := range l.where {
		lo, hi, at := 0, 0, 0
		for range is.column + 1 {
			if lo, hi, at = field(line, at, l.sep); lo < 0 && (l.sep != '\t' || tabs == 0) {
				return true // and has an error
			}
		}
		if string(line[max(0, lo):max(0, hi)]) != is.word {
			return false
		}
	}
	return true
}

// labels numbers words in order of their first appearance, from 1.
type labels struct {
	of   map[string]int
	text []string // text[k] has number k+1
}

func newLabels() *labels { return &labels{of: make(map[string]int)} }

// number is the number of the word.
func (ls *labels) number(word []byte) int {
	k, ok := ls.of[string(word)]
	if !ok {
		ls.text = append(ls.text, readable(string(word)))
		k = len(ls.text)
		ls.of[string(word)] = k
	}
	return k
}

// column is the index of the column with role r, -1 when there is none.
func (l *layout) column(r role) int { return slices.Index(l.roles, r) }

// has says whether there is a column with role r; a time may be in several columns of other roles.
func (l *layout) has(r role) bool { return l.column(r) >= 0 || r == stamp && l.clock == inParts }

// rows are the rows of a table, column by column. Columns that the layout does
// not have are nil.
type rows struct {
	n       int
	dim     int
	several bool    // whether the column [layout.whose] says different things
	line    []int32 // of the file, from 1
	row     []int32 // of the table, from 1; rows that are left out count
	from    []int32 // among rows of which these were taken; nil: not known
	frame   []int
	id      []int // noID: none
	det     []int
	mother  []int
	class   []int32
	sensor  []int32
	time    []float64
	pos     []float64 // row-major n×dim
	exact   []float64 // pos before noise was added; nil: none was
	vel     []float64 // row-major n×dim
	cov     []float64 // row-major n×mtt.Packed(dim)
	velCov  []float64 // row-major n×mtt.Packed(dim)
	size    []float64 // row-major n×2
	conf    []float64
	feat    []float64 // row-major n×features
	motion  []float64 // course and speed, row-major n×2; NaN where a field was empty
	polar   []float64 // range, bearing, elevation and range rate, row-major n×4; 0 where there is no such column
	own     []float64 // of the sensor: place, velocity, heading, row-major n×7; 0 where there is no such column

	features int
	blank    int        // rows left out because they have no position
	voids    []void     // those of them that say when they are
	void     []int32    // whether a row is one of them, for as long as they stand among the others; nil: none does
	files    []int32    // what says which recording a row is of, numbered from 1 in order of appearance; nil: nothing does
	missing  [roles]int // rows in which a number that is not needed is missing: it is NaN
	dated    dated      // how their dates are written
}

// maxInt bounds frames and identities: integers that a float64 holds exactly.
const maxInt = 1 << 53

// A rowReader adds lines of a table to rows.
type rowReader struct {
	*rows
	lr     *text.Lines // says where the lines are
	l      *layout
	cols   int // that matter
	has    [roles]bool
	num    [roles]float64 // of the line at hand
	whl    [roles]int
	number int32  // of the row
	plain  bool   // whether lines may be read by quick
	first  []byte // what column whose says first
	only   *int   // the frame up to whose end ahead reads; nil: all frames
}

// newRowReader prepares to read lines, each as l says, with room for about expect rows.
func newRowReader(lr *text.Lines, l *layout, expect int) *rowReader {
	p := &rowReader{rows: &rows{dim: 2}, lr: lr, l: l, cols: len(l.roles), plain: l.isPlain()}
	if l.has(posZ) || l.has(elevation) {
		p.dim = 3
	}
	for _, r := range l.roles {
		p.has[r] = true
		if r == feature {
			p.features++
		}
	}
	p.has[stamp] = l.has(stamp)
	p.reserve(expect, &p.has)
	for p.cols > 0 && l.open && l.roles[p.cols-1] == skip {
		p.cols--
	}
	return p
}

// readRows reads the lines that are left, each as l says. Rows without a position
// are counted and left out. It makes room for about expect rows; blocks of those beyond, as of a
// packed file, wait until their number is known, as lists that grow are copied again and again.
// Lines of plain numbers are read on all cores, block by block.
func readRows(lr *text.Lines, l *layout, expect int) (*rows, error) {
	p := newRowReader(lr, l, expect)
	if !p.plain || runtime.GOMAXPROCS(0) == 1 {
		return p.rows, p.read()
	}
	type block struct {
		text.Block
		*rowReader
		err error
	}
	var beyond []*rowReader
	err := workers.Ordered(runtime.GOMAXPROCS(0), func() *block { return &block{rowReader: newRowReader(nil, l, 0)} },
		func(b *block) (bool, error) { return lr.NextBlock(&b.Block) },
		func(b *block) {
			b.clear()
			b.number, b.lr = 0, b.Lines()
			b.err = b.read()
		},
		func(b *block) error {
			switch {
			case b.err != nil:
			case beyond == nil && p.n+b.n <= cap(p.line):
				p.join(b.rowReader)
			default:
				beyond = append(beyond, b.rowReader)
				b.rowReader = newRowReader(nil, l, b.n)
			}
			return b.err
		})
	if err != nil || beyond == nil {
		return p.rows, err
	}
	parts, n := append([]*rowReader{p}, beyond...), 0
	for _, q := range parts {
		n += q.n
	}
	p, beyond = newRowReader(lr, l, n), nil
	for k, q := range parts {
		p.join(q)
		parts[k] = nil // who reads large files has no memory for both
	}
	return p.rows, nil
}

// expected is about how many rows r has, by its size and by the first that lr, which reads it, has
// in memory; 0: not known.
func expected(r io.Reader, lr *text.Lines) int {
	f, ok := r.(*text.File)
	rows := lr.Ahead()
	n := bytes.Count(rows, []byte{'\n'})
	if !ok || n == 0 || f.Size < headSize {
		return 0
	}
	return int(1.02 * float64(f.Size) * float64(n) / float64(len(rows)))
}

// read reads the lines that are left.
func (p *rowReader) read() error {
	for {
		if p.plain && p.lr.Line > 0 {
			p.ahead()
		}
		line, err := p.lr.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := p.add(line); err != nil {
			return err
		}
	}
}

// ahead reads the lines that are in memory already, up to the first one that quick cannot read or
// that is of another frame than p.only, whose number then is known.
func (p *rowReader) ahead() (another bool) {
	data, at, lines := p.lr.Ahead(), 0, 0
	for at < len(data) {
		n := p.quick(data[at:])
		if another = n > 0 && p.only != nil && p.whl[frame] != *p.only; n == 0 || another {
			break
		}
		at += n
		lines++
		p.number++
		p.store(p.lr.Line + lines)
	}
	p.lr.Pass(lines, at)
	return another
}

// join appends the rows of q, the lines after those of p.
func (p *rowReader) join(q *rowReader) {
	t, from := p.rows, len(p.row)
	t.line = append(t.line, q.line...)
	t.row = append(t.row, q.row...)
	if !p.has[origin] {
		for i := range t.row[from:] {
			t.row[from+i] += p.number
		}
	}
	before := p.number
	p.number += q.number
	t.frame = append(t.frame, q.frame...)
	t.id = append(t.id, q.id...)
	t.det = append(t.det, q.det...)
	t.mother = append(t.mother, q.mother...)
	t.class = append(t.class, q.class...)
	t.sensor = append(t.sensor, q.sensor...)
	t.time = append(t.time, q.time...)
	t.pos = append(t.pos, q.pos...)
	t.vel = append(t.vel, q.vel...)
	t.size = append(t.size, q.size...)
	t.conf = append(t.conf, q.conf...)
	t.n += q.n
	t.blank += q.blank
	t.dated.join(&q.dated)
	for _, v := range q.voids {
		if v.row += before; p.has[origin] {
			v.row -= before
		}
		t.voids = append(t.voids, v)
	}
	for r, n := range q.missing {
		t.missing[r] += n
	}
}

// clear takes out all rows of plain numbers, and keeps the memory.
func (t *rows) clear() {
	t.line, t.row, t.frame, t.id, t.det, t.mother = t.line[:0], t.row[:0], t.frame[:0], t.id[:0], t.det[:0], t.mother[:0]
	t.class, t.sensor, t.time = t.class[:0], t.sensor[:0], t.time[:0]
	t.pos, t.vel, t.size, t.conf = t.pos[:0], t.vel[:0], t.size[:0], t.conf[:0]
	t.n, t.blank, t.missing, t.voids, t.dated = 0, 0, [roles]int{}, t.voids[:0], dated{}
}

// renew takes out all rows. Scans that were made of them keep their values: those of the next rows
// stand behind them, in one piece of memory where they are few.
func (t *rows) renew() {
	for _, a := range []*[]float64{&t.pos, &t.vel, &t.cov, &t.velCov, &t.size, &t.conf, &t.feat} {
		*a = behind(*a)
	}
	t.class = behind(t.class)
	t.reset()
}

// behind is an empty list behind a, with room for as much as a has, or more; nil for nil.
func behind[E any](a []E) []E {
	const piece = 1 << 10
	switch n := len(a); {
	case a == nil || cap(a)-n >= n && cap(a) > n:
		return a[n:]
	case n > piece/8:
		return make([]E, 0, n)
	}
	return make([]E, 0, piece)
}

// quick reads the first line of a text, one of plain numbers, as nearly all are, in one go. The text
// ends with a line feed. It returns the length of the line with its end, or 0 where add is to decide.
func (p *rowReader) quick(line []byte) int {
	num, whl, sep, at := &p.num, &p.whl, p.l.sep, 0
	roles := p.l.roles[:p.cols]
	if p.lr.Comment && (line[0] == '#' || line[0] == '%') {
		return 0
	}
	for c, r := range roles {
		if at > 0 {
			if line[at] != sep {
				return 0
			}
			at++
		}
		if r == skip {
			for line[at] != sep && line[at] != '"' && line[at] != '\n' {
				at++
			}
			if c == 0 && at == 0 || line[at] == '"' {
				return 0
			}
			continue
		}
		begin := at
		if line[at] == '-' {
			at++
		}
		// The loop over digits stands twice: as a function it is inlined, and reading takes 4 % longer.
		m, digits, decimals := uint64(0), at, 0
		for {
			d := line[at] - '0'
			if d > 9 {
				break
			}
			m = 10*m + uint64(d)
			at++
		}
		digits = at - digits
		if line[at] == '.' && r >= stamp {
			at++
			decimals = at
			for {
				d := line[at] - '0'
				if d > 9 {
					break
				}
				m = 10*m + uint64(d)
				at++
			}
			decimals = at - decimals
			digits += decimals
		}
		plain, long := digits > 0 && digits <= 19 && (line[at] == sep || line[at] == '\n' || line[at] == '\r'), digits > 15
		f, exact := float64(m), true
		switch {
		case long && plain:
			f, exact = decimal(m, decimals)
		case decimals > 0 && plain:
			f /= powers[decimals]
		}
		switch {
		case plain && r < stamp && !long:
			whl[r] = int(m)
			if line[begin] == '-' {
				whl[r] = -whl[r]
			}
		case r < stamp:
			return 0
		case plain && exact:
			if line[begin] == '-' {
				f = -f
			}
			num[r] = f
		default:
			for line[at] != sep && line[at] != '\n' && line[at] != '\r' {
				at++
			}
			f, ok := parseAnyFloat(line[begin:at])
			if !ok {
				return 0
			}
			num[r] = f
		}
	}
	switch {
	case line[at] == sep && (p.cols < len(p.l.roles) || p.l.open):
		at += bytes.IndexByte(line[at:], '\n')
		if line[at-1] == '\r' {
			at--
		}
	case line[at] == sep:
		return 0
	case line[at] == '\n' && line[at-1] == '\r':
		at--
	}
	if at == 0 || line[at-1] <= ' ' { // blanks at the end do not count
		return 0
	}
	if line[at] == '\r' {
		at++
	}
	if line[at] != '\n' {
		return 0
	}
	if p.has[ident] && !p.l.strict && whl[ident] == -1 || (p.has[width] || p.has[height]) && (num[width] < 0 || num[height] < 0) {
		return 0
	}
	return at + 1
}

// isPlain says whether quick may read lines of the layout: numbers between separators, each
// a column of the result.
func (l *layout) isPlain() bool {
	if l.sep == ' ' || l.comma || l.clock != asWritten || l.where != nil || l.files > 0 || l.labels != nil || l.kinds != nil || l.named != nil {
		return false
	}
	for name := range l.devices {
		if isNumber(name) { // which is not its place in the list
			return false
		}
	}
	for _, r := range l.roles {
		switch r {
		case skip, frame, ident, det, class, device, origin, mother, stamp, posX, posY, posZ, velX, velY, velZ, width, height, conf:
		default:
			return false
		}
	}
	return len(l.roles) > 0
}

// add reads the line.
func (p *rowReader) add(line []byte) error {
	t, lr, l, cols, has, num, whl := p.rows, p.lr, p.l, p.cols, &p.has, &p.num, &p.whl
	p.number++
	if !l.picks(line, lr.Tabs) {
		return nil
	}
	at := 0
	blank, timeless := false, false
	var fault error // of a number that matters only where there is a position
	var kind []byte // the word of a class
	var missed []role
	file, tabs := 0, lr.Tabs
	for c, r := range l.roles[:cols] {
		lo, hi, next := field(line, at, l.sep)
		if lo < 0 && l.sep == '\t' && tabs > 0 { // of empty fields at the end of a line the tabs are taken off
			lo, hi, tabs = len(line), len(line), tabs-1
		}
		if lo < 0 {
			return wrongWidth(lr, l, line)
		}
		at = next
		ok := true
		word := line[lo:hi]
		switch {
		case r == skip:
			if c+1 == l.whose && !t.several {
				if p.first == nil {
					p.first = append(p.first, word...)
				}
				t.several = len(word) > 0 && string(word) != string(p.first)
			}
			if c+1 == l.files {
				file = l.recordings.number(word)
			}
		case r < stamp:
			switch {
			case r == ident && l.labels != nil && !isNone(word):
				whl[r] = l.labels.number(word)
			case r == ident && !l.strict && isNone(word):
				whl[r] = noID
			case r == mother && !l.strict && isMissing(word):
				whl[r] = -1
			case r == device && l.devices != nil:
				if whl[r], ok = l.devices[string(word)]; !ok {
					whl[r], ok = parseInt(word)
				}
			case r == class && l.kinds != nil:
				kind = word
			case r == frame && l.named != nil:
				whl[r], ok = l.named.number(string(word))
			default:
				whl[r], ok = parseInt(word)
			}
		case r == stamp || r == date:
			if l.comma {
				pointed(word)
			}
			var by dayMonth
			num[r], by, ok = l.clock.parse(r, word)
			t.dated.see(by, int32(lr.Line))
		default:
			if l.comma {
				pointed(word)
			}
			if num[r], ok = parseFloat(word); !ok && !l.strict && r < year && isMissing(word) {
				ok = true
				num[r] = math.NaN()
				if r <= posZ || r >= distance && r <= heading || r >= left && r <= bottom || (r == width || r == height) && has[left] {
					blank = true
				} else {
					missed = append(missed, r)
				}
			}
			if r == feature {
				t.feat = append(t.feat, num[r])
			}
		}
		if !ok {
			bad := badNumber(lr, l, c, line, lo, hi)
			if l.strict || !isMissing(word) {
				return bad
			}
			fault = cmp.Or(fault, bad)
			timeless = timeless || r == frame || r == stamp || r >= date
		}
	}
	if cols == len(l.roles) && !l.open {
		if lo, _, _ := field(line, at, l.sep); lo >= 0 {
			return wrongWidth(lr, l, line)
		}
	}
	if ns := num[nano]; has[nano] && !math.IsNaN(ns) {
		num[stamp] += 1e-9 * ns
	}
	if l.clock == inParts && !timeless && !l.join(num, has) && fault == nil {
		return &SyntaxError{File: lr.Name, Line: lr.Line, Col: l.start(line, year, hour), Msg: "no such date and time"}
	}
	if blank {
		t.blank++
		t.feat = t.feat[:t.n*t.features]
		if !timeless && (has[frame] || has[stamp]) {
			v := void{line: int32(lr.Line), row: p.number, frame: whl[frame], id: whl[ident], time: num[stamp]}
			if has[origin] {
				v.row = int32(whl[origin])
			}
			t.voids = append(t.voids, v)
		}
		return nil
	}
	if fault != nil {
		return fault
	}
	for _, r := range missed {
		t.missing[r]++
	}
	if l.kinds != nil && has[class] {
		whl[class] = l.kinds.number(kind)
	}
	if has[right] {
		num[width], num[height] = num[right]-num[left], num[bottom]-num[top]
	}
	if has[left] {
		num[posX], num[posY] = num[left]+num[width]/2, num[top]+num[height]/2
	}
	if num[width] < 0 || num[height] < 0 {
		e := &SyntaxError{File: lr.Name, Line: lr.Line, Col: l.start(line, width, right),
			Msg: fmt.Sprintf("a box %v wide and %v high", num[width], num[height]), Hint: "the columns may be in another order"}
		return e
	}
	if l.files > 0 {
		t.files = append(t.files, int32(file))
	}
	p.store(lr.Line)
	return nil
}

// store appends the numbers of a line as a row.
func (p *rowReader) store(line int) {
	t, has, num, whl := p.rows, &p.has, &p.num, &p.whl
	t.n++
	t.line = append(t.line, int32(line))
	if has[origin] {
		t.row = append(t.row, int32(whl[origin]))
	} else {
		t.row = append(t.row, p.number)
	}
	if has[frame] {
		t.frame = append(t.frame, whl[frame])
	}
	if has[ident] {
		t.id = append(t.id, whl[ident])
	}
	if has[det] {
		t.det = append(t.det, whl[det])
	}
	if has[mother] {
		t.mother = append(t.mother, whl[mother])
	}
	if has[class] {
		t.class = append(t.class, int32(whl[class]))
	}
	if has[device] {
		t.sensor = append(t.sensor, int32(whl[device]))
	}
	if has[stamp] {
		t.time = append(t.time, num[stamp])
	}
	if t.dim == 2 {
		t.pos = append(t.pos, num[posX], num[posY])
	} else {
		t.pos = append(t.pos, num[posX:posX+role(t.dim)]...)
	}
	if has[velX] {
		t.vel = append(t.vel, num[velX:velX+role(t.dim)]...)
	}
	if has[width] || has[right] {
		t.size = append(t.size, num[width], num[height])
	}
	if has[conf] {
		t.conf = append(t.conf, num[conf])
	}
	if has[covXX] {
		t.cov = append(t.cov, num[covXX:covXX+role(mtt.Packed(t.dim))]...)
	} else if has[devX] || has[devAll] {
		t.cov = appendDeviations(t.cov, t.dim, num, has)
	}
	if has[velXX] {
		t.velCov = append(t.velCov, num[velXX:velXX+role(mtt.Packed(t.dim))]...)
	}
	if has[bearing] {
		t.polar = append(t.polar, num[distance:rangeRate+1]...)
	}
	if has[ownX] || has[heading] {
		t.own = append(t.own, num[ownX:heading+1]...)
	}
	if has[speed] {
		t.motion = append(t.motion, num[course], num[speed])
	}
}

// appendDeviations appends the covariance of noise of the standard deviations in num;
// covXY and the like are covariances beside them.
func appendDeviations(cov []float64, dim int, num *[roles]float64, has *[roles]bool) []float64 {
	for i := range dim {
		for j := range i + 1 {
			off := []role{0, covXY, 0, covXZ, covYZ}
			switch k := i*(i+1)/2 + j; {
			case i != j && has[off[k]]:
				cov = append(cov, num[off[k]])
			case i != j:
				cov = append(cov, 0)
			case has[devX]:
				cov = append(cov, num[devX+role(i)]*num[devX+role(i)])
			default:
				cov = append(cov, num[devAll]*num[devAll])
			}
		}
	}
	return cov
}

// reserve makes room for n rows.
func (t *rows) reserve(n int, has *[roles]bool) {
	if n == 0 {
		return
	}
	t.line, t.row = make([]int32, 0, n), make([]int32, 0, n)
	t.pos = make([]float64, 0, n*t.dim)
	for _, c := range []struct {
		r  role
		to *[]int
	}{{frame, &t.frame}, {ident, &t.id}, {det, &t.det}, {mother, &t.mother}} {
		if has[c.r] {
			*c.to = make([]int, 0, n)
		}
	}
	if has[stamp] {
		t.time = make([]float64, 0, n)
	}
	if has[velX] {
		t.vel = make([]float64, 0, n*t.dim)
	}
	if has[width] || has[right] {
		t.size = make([]float64, 0, 2*n)
	}
	if has[conf] {
		t.conf = make([]float64, 0, n)
	}
}

// pointed writes a decimal point for a decimal comma.
func pointed(word []byte) {
	if i := bytes.IndexByte(word, ','); i >= 0 {
		word[i] = '.'
	}
}

// isMissing says whether a field says that there is no number.
func isMissing(word []byte) bool {
	if len(word) > 4 || len(word) > 0 && word[0] >= '0' && word[0] <= '9' {
		return false
	}
	switch strings.ToLower(string(word)) {
	case "", "nan", "na", "n/a", "null", "none", "-", "--", "<na>", "#n/a":
		return true
	}
	return false
}

// isNone says whether a field says that there is no identity.
func isNone(word []byte) bool { return isMissing(word) || string(word) == "-1" }

// field finds the field of line that begins at byte at or, between white space,
// after it: its bounds without surrounding blanks and quotes, and where the next
// one begins. lo is -1 when the line is used up. A separator inside quotes does
// not separate.
func field(line []byte, at int, sep byte) (lo, hi, next int) {
	if at > len(line) {
		return -1, -1, at
	}
	lo = at
	if sep == ' ' {
		for lo < len(line) && line[lo] <= ' ' {
			lo++
		}
		if lo == len(line) {
			return -1, -1, lo + 1
		}
		for hi = lo; hi < len(line) && line[hi] > ' '; hi++ {
		}
		next = hi + 1
	} else {
		for lo < len(line) && line[lo] <= ' ' && line[lo] != sep {
			lo++
		}
		hi = lo
		if hi < len(line) && line[hi] == '"' {
			for hi++; hi < len(line) && line[hi] != '"'; hi++ {
			}
		}
		for ; hi < len(line) && line[hi] != sep; hi++ {
		}
		next = hi + 1
		for hi > lo && line[hi-1] <= ' ' {
			hi--
		}
	}
	if hi-lo >= 2 && line[lo] == '"' && line[hi-1] == '"' {
		lo, hi = lo+1, hi-1
	}
	return lo, hi, next
}

// split lists the fields of line.
func split(line []byte, sep byte) []string {
	var out []string
	for at := 0; ; {
		lo, hi, next := field(line, at, sep)
		if lo < 0 {
			return out
		}
		out = append(out, string(line[lo:hi]))
		at = next
	}
}

// filled are the fields of a line of so many and, if tabs separate them, those that are empty at its
// end, of which the tabs were taken off.
func filled(fields []string, width int, sep byte, tabs int) []string {
	for ; sep == '\t' && len(fields) < width && tabs > 0; tabs-- {
		fields = append(fields, "")
	}
	return fields
}

// fieldStart is the column, from 1, at which field number c of line begins.
func fieldStart(line []byte, sep byte, c int) int {
	lo, at := 0, 0
	for range c + 1 {
		lo, _, at = field(line, at, sep)
	}
	if lo < 0 { // it is empty, and tabs behind the line are taken off
		return len(line) + 1
	}
	return lo + 1
}

// start is the column, from 1, at which the first field with one of the roles
// begins.
func (l *layout) start(line []byte, rs ...role) int {
	c := slices.IndexFunc(l.roles, func(r role) bool { return slices.Contains(rs, r) })
	return fieldStart(line, l.sep, c)
}

// badNumber explains why the field line[lo:hi] of column c is not a number.
func badNumber(lr *text.Lines, l *layout, c int, line []byte, lo, hi int) error {
	tok := string(line[lo:hi])
	f, err := strconv.ParseFloat(tok, 64)
	tooLarge := err != nil && strings.HasSuffix(err.Error(), strconv.ErrRange.Error())
	if len(tok) > 40 {
		tok = strings.ToValidUTF8(tok[:40], "") + "…"
	}
	e := &SyntaxError{File: lr.Name, Line: lr.Line, Col: lo + 1, Msg: fmt.Sprintf("%s is %q, not a number", l.names[c], tok)}
	switch {
	case isTorn(line):
		e.Hint = tornHint
	case tok == "":
		e.Msg = l.names[c] + " is empty"
		e.Hint = "every field needs a number; leave out rows without a detection"
	case l.roles[c] == date:
		e.Msg = fmt.Sprintf("%s is %q, not a date", l.names[c], tok)
		e.Hint = "write 2006-01-02"
	case l.roles[c] == stamp && l.clock == inParts:
		e.Msg = fmt.Sprintf("%s is %q, not a time of day", l.names[c], tok)
		e.Hint = "write 15:04:05.000, as there is a date beside"
	case l.roles[c] == stamp && l.clock == inDigits:
		e.Msg = fmt.Sprintf("%s is %q, no date and time in digits, as others are", l.names[c], tok)
		e.Hint = "write 20060102150405, or 2006-01-02 15:04:05.000"
	case tooLarge:
		e.Msg = fmt.Sprintf("%s is %q, too large for a floating-point number", l.names[c], tok)
	case err == nil && (math.IsNaN(f) || math.IsInf(f, 0)):
		e.Msg = fmt.Sprintf("%s is %q, not a finite number", l.names[c], tok)
		e.Hint = "leave out rows without a detection"
	case l.roles[c] == device && l.devices != nil:
		e.Msg = fmt.Sprintf("%s is %q, no sensor that is described", l.names[c], tok)
		e.Hint = "their names are " + strings.Join(slices.Sorted(maps.Keys(l.devices)), ", ") + "; without names they are counted from 0"
	case l.roles[c] == device && err != nil:
		e.Msg = fmt.Sprintf("%s is %q, no number of a sensor", l.names[c], tok)
		e.Hint = "sensors are counted from 0; the description (--sensors) may give them names: name = \"" + tok + "\""
	case err == nil && l.roles[c] < stamp && isLong(line[lo:hi]):
		e.Msg = fmt.Sprintf("%s is %q, beyond 2^53", l.names[c], tok)
		if l.roles[c] == ident && !l.strict {
			e.Hint = "identities of so many digits are taken for words where one of the first rows has one, in a table that names its columns"
		}
	case err == nil && l.roles[c] < stamp:
		e.Msg = fmt.Sprintf("%s is %q, not a whole number", l.names[c], tok)
		e.Hint = "the columns may be in another order"
	case err == nil:
		e.Hint = "write numbers in decimal"
	case l.roles[c] == stamp:
		e.Msg = fmt.Sprintf("%s is %q, not a time", l.names[c], tok)
		e.Hint = "write seconds, or 2006-01-02 15:04:05.000"
		if minutes, rest, ok := strings.Cut(tok, ":"); ok && strings.Contains(rest, ".") && isNumber(minutes) && isNumber(rest) {
			e.Hint = "minutes and seconds alone, as Excel shows times unless their cells have the format [h]:mm:ss.000"
		}
	case strings.EqualFold(tok, l.names[c]):
		e.Hint = "a second header line; were two files joined?"
	case strings.Contains(tok, "\u2212"):
		e.Hint = "its minus sign is that of a printed text: write -"
	case text.Grouped(tok) && (l.sep == ',' || strings.Count(tok, ",") != 1 || strings.ContainsAny(tok, ".' ")):
		e.Hint = text.NoThousands
	case text.Grouped(tok):
		e.Hint = text.DecimalPoints + ", and no separators of thousands"
	case l.sep != ',' && strings.Contains(tok, ","):
		e.Hint = text.DecimalPoints
	case l.sep != ';' && strings.Contains(tok, ";"):
		e.Hint = "separate all fields the same way: here by semicolons, in the first line not"
	case l.sep != '\t' && strings.ContainsAny(tok, " \t"):
		e.Hint = "a separator is missing"
	case lr.Line == 2 && !l.strict && !strings.ContainsAny(tok, "0123456789"):
		e.Hint = "if that is a second line of names, or of units that are not known, take it out"
	}
	return e
}

// wrongWidth explains a line with too few or too many fields.
func wrongWidth(lr *text.Lines, l *layout, line []byte) error {
	n := len(filled(split(line, l.sep), len(l.roles), l.sep, lr.Tabs))
	e := &SyntaxError{File: lr.Name, Line: lr.Line, Col: len(line) + 1,
		Msg: fmt.Sprintf("%s, not %d", text.Count(n, "field"), len(l.roles))}
	if n > len(l.roles) {
		e.Col = fieldStart(line, l.sep, len(l.roles))
	}
	switch {
	case isTorn(line):
		e.Hint = tornHint
	case n < len(l.roles) && l.sep != ';' && strings.Contains(string(line), ";"):
		e.Hint = "separate all fields the same way: here by semicolons, in the first line not"
	case n < len(l.roles):
		e.Hint = "was the file cut short?"
	case l.sep == ',' && n == 2*len(l.roles)-decided(l):
		e.Hint = text.DecimalPoints
	default:
		e.Hint = "a separator too many, or two lines run together"
	}
	return e
}

// isTorn says whether quotes of a line do not match.
func isTorn(line []byte) bool { return bytes.Count(line, []byte{'"'})%2 == 1 }

const tornHint = "quotes do not match; a field in quotes ends in its line"

// decided is the number of columns of whole numbers: those that a decimal comma
// does not split.
func decided(l *layout) int {
	n := 0
	for _, r := range l.roles {
		if r != skip && r < stamp {
			n++
		}
	}
	return n
}

// A matrix is a column of rows, or several of one meaning: row-major, n×width.
type matrix[E any] struct {
	rows  *[]E
	width int
}

// columns lists the columns that are there.
func (t *rows) columns() (whole []matrix[int], short []matrix[int32], real []matrix[float64]) {
	p := mtt.Packed(t.dim)
	return present(matrix[int]{&t.frame, 1}, matrix[int]{&t.id, 1}, matrix[int]{&t.det, 1}, matrix[int]{&t.mother, 1}),
		present(matrix[int32]{&t.line, 1}, matrix[int32]{&t.row, 1}, matrix[int32]{&t.from, 1}, matrix[int32]{&t.class, 1}, matrix[int32]{&t.sensor, 1}, matrix[int32]{&t.void, 1}),
		present(matrix[float64]{&t.time, 1}, matrix[float64]{&t.pos, t.dim}, matrix[float64]{&t.exact, t.dim}, matrix[float64]{&t.vel, t.dim},
			matrix[float64]{&t.cov, p}, matrix[float64]{&t.velCov, p}, matrix[float64]{&t.size, 2}, matrix[float64]{&t.conf, 1},
			matrix[float64]{&t.feat, t.features}, matrix[float64]{&t.motion, 2}, matrix[float64]{&t.polar, 4}, matrix[float64]{&t.own, len(ownRoles)})
}

// present are the matrices that are not nil.
func present[E any](ms ...matrix[E]) []matrix[E] {
	return slices.DeleteFunc(ms, func(m matrix[E]) bool { return *m.rows == nil })
}

// take keeps the rows of the given order alone.
func (t *rows) take(order []int) {
	whole, short, real := t.columns()
	takeAll(whole, order)
	takeAll(short, order)
	takeAll(real, order)
	t.n = len(order)
}

// takeAll keeps the rows of the given order of each matrix, in new memory.
func takeAll[E any](ms []matrix[E], order []int) {
	for _, m := range ms {
		*m.rows = gather(make([]E, 0, len(order)*m.width), *m.rows, order, m.width)
	}
}

// where is a copy of the rows for which ok is true.
func (t *rows) where(ok func(i int) bool) *rows {
	c := *t
	var order []int
	for i := range t.n {
		if ok(i) {
			order = append(order, i)
		}
	}
	c.take(order)
	return &c
}

// keep drops the rows for which ok is false and says how many those are.
func (t *rows) keep(ok func(i int) bool) (dropped int) {
	order := make([]int, 0, t.n)
	for i := range t.n {
		if ok(i) {
			order = append(order, i)
		}
	}
	dropped = t.n - len(order)
	if dropped > 0 {
		t.take(order)
	}
	return dropped
}

// gather appends the rows of a, row-major n×width, in the given order to dst.
func gather[E any](dst, a []E, order []int, width int) []E {
	if width == 1 {
		for _, i := range order {
			dst = append(dst, a[i])
		}
		return dst
	}
	if width == 2 {
		for _, i := range order {
			dst = append(dst, a[2*i], a[2*i+1])
		}
		return dst
	}
	for _, i := range order {
		dst = append(dst, a[i*width:(i+1)*width]...)
	}
	return dst
}
