package certificate

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strings"
)

// This file reads certificates.

// A Reader reads a certificate gap by gap.
type Reader struct {
	Header
	Frames []Frame

	d       decoder
	version byte
	bare    bool    // nothing stands after the gaps
	next    int     // number of the next gap
	before  int     // arcs of the last one
	in      []int32 // arcs that end in each row of it
}

// NewReader reads everything before the first gap. Its errors wrap [ErrCorrupt],
// unless r fails.
func NewReader(r io.Reader) (*Reader, error) {
	cr := &Reader{d: decoder{r: bufio.NewReaderSize(r, chunk), tag: "start"}}
	d := &cr.d
	d.left = uint64(len(magic))
	switch head := d.take(len(magic), "magic"); {
	case d.err != nil:
		return nil, d.err
	case string(head[:7]) != magic[:7]:
		return nil, corrupt("it does not begin with %s", magic[:7])
	case head[7] < 1 || head[7] > version:
		return nil, corrupt("it has version %d, this program reads versions 1 to %d", head[7], version)
	default:
		cr.version = head[7]
	}
	frames := cr.head()
	cr.nodes(frames)
	if d.err != nil {
		return nil, d.err
	}
	return cr, nil
}

// NewGapReader reads gaps that a [GapWriter] wrote, between these frames.
func NewGapReader(frames []Frame, gaps io.Reader) *Reader {
	return &Reader{Frames: frames, d: decoder{r: bufio.NewReaderSize(gaps, chunk)}, version: version, bare: true}
}

// Next reads the next gap into g and reuses the slices of g. After the last gap
// it returns io.EOF when the file ends as it should. Other errors wrap
// [ErrCorrupt], unless the reader below fails.
func (r *Reader) Next(g *Gap) error {
	d, p := &r.d, r.next
	n, err := r.counts()
	if err != nil {
		return err
	}
	r.gap(g, &n, p == 0, p == len(r.Frames)-2)
	d.end()
	if g.Features = nil; r.featured(&n) {
		g.Features = r.features(p, g)
	}
	if d.err != nil {
		return d.err
	}
	if err := g.check(p, r.in); err != nil {
		return err
	}
	r.before = len(g.Col)
	r.in = g.heads(r.in)
	r.next++
	return nil
}

// Sum is Next that adds the gap to a sum of the problem, byte by byte: what its numbers are is not
// looked at.
func (r *Reader) Sum(s *ProblemSum) error {
	d, p := &r.d, r.next
	n, err := r.counts()
	if err != nil {
		return err
	}
	s.ints(int(n.rows), int(n.cols), int(n.arcs), int(n.triplets))
	d.each(4*(n.rows+1+n.arcs), "row pointers and columns", s.widen)
	d.each(8*(n.arcs+n.rows+n.cols+n.triplets), "costs", s.bytes)
	d.each(d.left, "multipliers and chosen arcs", func([]byte) {})
	d.end()
	if r.featured(&n) {
		s.ints(1)
		r.beginFeatures(p, int(n.arcs), int(n.rows))
		d.each(d.left, "features", s.bytes)
		d.end()
	} else {
		s.ints(0)
	}
	r.before = int(n.arcs)
	r.next++
	return d.err
}

// counts begins the section of the next gap.
func (r *Reader) counts() (n counts, err error) {
	d, p, gaps := &r.d, r.next, max(0, len(r.Frames)-1)
	if p == gaps && r.bare {
		return n, io.EOF
	}
	if p == gaps {
		r.end()
		if d.err != nil {
			return n, d.err
		}
		return n, io.EOF
	}
	d.begin(tagGap, p)
	n = counts{d.uint32("rows"), d.uint32("columns"), d.uint32("arcs"), d.uint64("triplet costs")}
	switch rows, cols := r.Frames[p].Nodes(), r.Frames[p+1].Nodes(); {
	case d.err != nil:
		return n, d.err
	case n.rows != uint64(rows) || n.cols != uint64(cols):
		return n, corrupt("gap %d: %d rows and %d columns, its frames have %d and %d nodes", p, n.rows, n.cols, rows, cols)
	case n.arcs > maxCount || n.triplets > maxBlock || d.length != n.bytes(p == 0, p == gaps-1):
		return n, corrupt("gap %d: %d arcs and %d triplet costs do not fit into %d bytes", p, n.arcs, n.triplets, d.length)
	}
	return n, nil
}

// featured says whether features follow the gap at hand.
func (r *Reader) featured(n *counts) bool {
	return r.version > 1 && n.triplets == 0 && n.rows > 0 && r.next > 0
}

// Read reads a whole certificate.
func Read(r io.Reader) (*Certificate, error) {
	cr, err := NewReader(r)
	if err != nil {
		return nil, err
	}
	c := &Certificate{Header: cr.Header, Frames: cr.Frames}
	for {
		var g Gap
		switch err := cr.Next(&g); err {
		case nil:
			c.Gaps = append(c.Gaps, g)
		case io.EOF:
			return c, nil
		default:
			return nil, err
		}
	}
}

// head reads the header; it returns the number of frames.
func (r *Reader) head() int {
	d := &r.d
	d.begin(tagHead, 0)
	if d.err == nil && (d.length < headSize || d.length > headSize+maxText) {
		d.err = corrupt("head: its length is %d", d.length)
	}
	copy(r.Detections[:], d.take(len(r.Detections), "sum of detections"))
	copy(r.Tracks[:], d.take(len(r.Tracks), "sum of tracks"))
	r.Lower, r.Upper = math.Float64frombits(d.uint64("lower bound")), math.Float64frombits(d.uint64("upper bound"))
	refined, frames := d.uint32("refined"), d.uint32("frames")
	r.Refined = refined == 1
	r.Made = string(d.take(int(d.left), "text"))
	d.end()
	switch {
	case d.err != nil:
	case refined > 1 || frames > maxCount:
		d.err = corrupt("head: refined is %d, frames is %d", refined, frames)
	default:
		d.err = r.check()
	}
	return int(frames)
}

// nodes reads the numbers of nodes of all frames.
func (r *Reader) nodes(frames int) {
	d := &r.d
	d.begin(tagNode, 0)
	detections := d.ints(nil, frames, "detections")
	coasts := d.ints(nil, frames, "coast nodes")
	if d.err != nil {
		return
	}
	r.Frames = make([]Frame, frames)
	sum := uint64(0)
	for t := range r.Frames {
		if detections[t] < 0 || coasts[t] < 0 {
			d.err = corrupt("node: frame %d has %d detections and %d coast nodes", t, uint32(detections[t]), uint32(coasts[t]))
			return
		}
		r.Frames[t].Detections = int(detections[t])
		sum += uint64(coasts[t])
	}
	if d.length != 8*uint64(frames)+8*sum {
		d.err = corrupt("node: %d coast nodes in %d frames do not fit into %d bytes", sum, frames, d.length)
		return
	}
	for t := range r.Frames {
		r.Frames[t].From = d.ints(nil, int(coasts[t]), "sources of coast nodes")
	}
	for t := range r.Frames {
		r.Frames[t].Prior = d.ints(nil, int(coasts[t]), "arcs of coast nodes")
	}
	d.end()
	if d.err == nil {
		d.err = checkFrames(r.Frames)
	}
}

// gap reads the arrays of a gap.
func (r *Reader) gap(g *Gap, n *counts, first, last bool) {
	d := &r.d
	rows, cols, arcs := int(n.rows), int(n.cols), int(n.arcs)
	g.Rows, g.Cols = rows, cols
	g.Ptr = g.Ptr[:0]
	for len(g.Ptr) <= rows && d.err == nil {
		b := d.take(4*min(rows+1-len(g.Ptr), chunk/4), "row pointers")
		for k := 0; k < len(b); k += 4 {
			g.Ptr = append(g.Ptr, int(binary.LittleEndian.Uint32(b[k:])))
		}
	}
	g.Col = d.ints(g.Col, arcs, "columns")
	g.Cost = d.floats(g.Cost, arcs, "arc costs")
	g.RowMiss = d.floats(g.RowMiss, rows, "costs of deaths")
	g.ColMiss = d.floats(g.ColMiss, cols, "costs of births")
	g.D = d.floats(g.D, int(n.triplets), "triplet costs")
	left, death := arcs, rows
	if first {
		left, death = 0, 0
	}
	g.V = d.floats(g.V, left, "multipliers V")
	g.Death = d.floats(g.Death, death, "multipliers of deaths")
	right, birth := arcs, cols
	if last {
		right, birth = 0, 0
	}
	g.U = d.floats(g.U, right, "multipliers U")
	g.Birth = d.floats(g.Birth, birth, "multipliers of births")
	g.Price = d.floats(g.Price, cols, "column prices")
	g.Next = d.ints(g.Next, rows, "chosen arcs")
}

// features reads the features at the rows of gap p.
func (r *Reader) features(p int, g *Gap) *Features {
	d, f := &r.d, &Features{}
	r.beginFeatures(p, len(g.Col), g.Rows)
	f.In = d.floats(nil, r.before, "features of in-arcs")
	f.Out = d.floats(nil, len(g.Col), "features of out-arcs")
	f.Birth = d.floats(nil, len(g.Col), "costs of births with arcs")
	f.Death = d.floats(nil, r.before, "costs of deaths with arcs")
	f.Alone = d.floats(nil, g.Rows, "costs of births with deaths")
	d.end()
	return f
}

// beginFeatures begins the section of the features at the rows of gap p.
func (r *Reader) beginFeatures(p, arcs, rows int) {
	d := &r.d
	d.begin(tagFeat, p)
	if want := 8 * uint64(2*r.before+2*arcs+rows); d.err == nil && d.length != want {
		d.err = corrupt("gap %d: its features take %d bytes, the arcs need %d", p, d.length, want)
	}
}

// end reads the end.
func (r *Reader) end() {
	d := &r.d
	d.begin(tagEnd, 0)
	if d.err == nil && d.length != 0 {
		d.err = corrupt("end: its length is %d", d.length)
	}
	d.end()
	if d.err != nil {
		return
	}
	switch _, err := d.r.ReadByte(); {
	case err == nil:
		d.err = corrupt("there are bytes after the end")
	case err != io.EOF:
		d.err = fmt.Errorf("end: %w", err)
	}
}

// A decoder reads sections. Its first error stays.
type decoder struct {
	r      *bufio.Reader
	tag    string // of the section
	index  int
	length uint64 // of the payload
	left   uint64 // bytes of it that are still to come
	whole  bool   // all of it is in memory, and in crc:
	body   []byte // what is left
	crc    uint32
	err    error
}

// section names it in errors.
func (d *decoder) section() string {
	if d.tag == tagGap || d.tag == tagFeat {
		return fmt.Sprintf("%s %d", strings.TrimSpace(d.tag), d.index)
	}
	return d.tag
}

// begin reads the beginning of a section.
func (d *decoder) begin(tag string, index int) {
	if d.err != nil {
		return
	}
	d.tag, d.index = tag, index
	d.crc, d.left = 0, 16
	head := d.take(16, "beginning")
	if d.err != nil {
		return
	}
	if string(head[:4]) != tag || binary.LittleEndian.Uint32(head[4:]) != uint32(index) {
		d.err = corrupt("%s: section %q %d stands in its place", d.section(), head[:4], binary.LittleEndian.Uint32(head[4:]))
		return
	}
	d.length = binary.LittleEndian.Uint64(head[8:])
	d.left = d.length
	if d.length > chunk {
		return
	}
	if b, err := d.r.Peek(int(d.length)); err == nil { // else what lacks will say so
		d.whole, d.body, d.crc = true, b, crc32.Update(d.crc, castagnoli, b)
	}
}

// end checks the sum of a section.
func (d *decoder) end() {
	if d.err == nil && d.left != 0 {
		d.err = corrupt("%s: %d bytes are left over", d.section(), d.left)
	}
	if d.whole {
		d.r.Discard(int(d.length - d.left))
		d.whole = false
	}
	want := d.crc
	d.left = 4
	if got := uint32(d.uint32("checksum")); d.err == nil && got != want {
		d.err = corrupt("%s: the checksum is %08x, its bytes have %08x", d.section(), got, want)
	}
}

// take returns the next n ≤ chunk bytes of the payload, which are gone with the
// next call; nil when they are not there.
func (d *decoder) take(n int, what string) []byte {
	if d.err != nil {
		return nil
	}
	if uint64(n) > d.left {
		d.err = corrupt("%s: %s: the section is too short", d.section(), what)
		return nil
	}
	if d.whole {
		b := d.body[:n]
		d.body = d.body[n:]
		d.left -= uint64(n)
		return b
	}
	b, err := d.r.Peek(n)
	switch {
	case errors.Is(err, io.EOF):
		d.err = corrupt("%s: %s: the file ends", d.section(), what)
		return nil
	case err != nil:
		d.err = fmt.Errorf("%s: %s: %w", d.section(), what, err)
		return nil
	}
	d.crc = crc32.Update(d.crc, castagnoli, b)
	d.left -= uint64(n)
	d.r.Discard(n)
	return b
}

// each takes the next n bytes of the payload, some at a time: a multiple of eight each but for the
// last.
func (d *decoder) each(n uint64, what string, use func(b []byte)) {
	for n > 0 && d.err == nil {
		b := d.take(int(min(n, chunk)), what)
		use(b)
		n -= uint64(len(b))
	}
}

func (d *decoder) uint32(what string) uint64 {
	b := d.take(4, what)
	if b == nil {
		return 0
	}
	return uint64(binary.LittleEndian.Uint32(b))
}

func (d *decoder) uint64(what string) uint64 {
	b := d.take(8, what)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// ints reads n numbers into dst, which grows with what is really there.
func (d *decoder) ints(dst []int32, n int, what string) []int32 {
	dst = dst[:0]
	for len(dst) < n && d.err == nil {
		b := d.take(4*min(n-len(dst), chunk/4), what)
		at := len(dst)
		dst = slices.Grow(dst, len(b)/4)[:at+len(b)/4]
		for k := range dst[at:] {
			dst[at+k] = int32(binary.LittleEndian.Uint32(b[4*k:]))
		}
	}
	return dst
}

// floats is ints for floats.
func (d *decoder) floats(dst []float64, n int, what string) []float64 {
	dst = dst[:0]
	for len(dst) < n && d.err == nil {
		b := d.take(8*min(n-len(dst), chunk/8), what)
		at := len(dst)
		dst = slices.Grow(dst, len(b)/8)[:at+len(b)/8]
		for k := range dst[at:] {
			dst[at+k] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*k:]))
		}
	}
	return dst
}
