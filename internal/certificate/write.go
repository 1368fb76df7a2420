package certificate

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

// This file writes certificates.

// The magic number ends in the version: 1, or 2 where there are features.
const (
	magic   = "MTTCERT\x01"
	version = 2
)

// Tags of the sections.
const (
	tagHead = "head"
	tagNode = "node"
	tagGap  = "gap "
	tagFeat = "feat"
	tagEnd  = "end "
)

// Sizes in bytes.
const (
	headSize = 2*32 + 2*8 + 2*4 // of the payload of head, without its text
	gapSize  = 3*4 + 8          // of the counts of a gap
	chunk    = 1 << 16          // written and read at once
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const badShape = "certificate: slices differ in length"

// Write writes c. Equal certificates give equal bytes. It panics when slices
// differ in length, and returns an error that wraps [ErrCorrupt] for numbers that
// no reader would accept. Beside c it needs little memory.
func Write(w io.Writer, c *Certificate) error {
	if len(c.Gaps) != max(0, len(c.Frames)-1) {
		panic(badShape)
	}
	featured := slices.ContainsFunc(c.Gaps, func(g Gap) bool { return g.Features != nil })
	return WriteGaps(w, &c.Header, c.Frames, featured, func(p int, g *Gap) { *g = c.Gaps[p] })
}

// WriteGaps is Write for a certificate whose gaps are made one after the other: gap sets g to
// gap p, which is not read after the next call; featured says whether any has features.
func WriteGaps(w io.Writer, h *Header, frames []Frame, featured bool, gap func(p int, g *Gap)) error {
	e := newEncoder(w)
	if err := e.front(h, frames, featured); err != nil {
		return err
	}
	var in []int32
	before := 0 // arcs of the gap before
	for p := range len(frames) - 1 {
		g := &Gap{}
		gap(p, g)
		first, last := p == 0, p == len(frames)-2
		if !g.fits(first, last) || g.Rows != frames[p].Nodes() || g.Cols != frames[p+1].Nodes() || g.Features != nil && !featured {
			panic(badShape)
		}
		if err := g.check(p, in); err != nil {
			return err
		}
		if g.Features != nil && !g.Features.fits(g, before) {
			panic(badShape)
		}
		if e.gap(p, g, first, last); e.err != nil {
			return e.err
		}
		in, before = g.heads(in), len(g.Col)
	}
	return e.close()
}

// A GapWriter writes gaps one after another, as [Assemble] puts them into a certificate. It is made by
// [NewGapWriter], and keeps a buffer from gap to gap.
type GapWriter struct {
	encoder
	frames int
	next   int     // number of the gap after the last that was appended
	in     []int32 // arcs that end in each column of that
}

// NewGapWriter prepares to write to w gaps of a certificate of that number of frames.
func NewGapWriter(w io.Writer, frames int) *GapWriter {
	return &GapWriter{encoder: *newEncoder(w), frames: frames}
}

// Append writes gap p. It panics when slices differ in length, and returns an error that wraps
// [ErrCorrupt] for numbers that no reader would accept. Whether triplet costs are too many or too
// few it sees where gap p-1 was appended, too. All is written after Flush.
func (e *GapWriter) Append(p int, g *Gap) error {
	first, last := p == 0, p == e.frames-2
	if !g.fits(first, last) {
		panic(badShape)
	}
	err := g.checkNumbers(p)
	if err == nil && p == e.next {
		err = g.checkBlock(p, e.in)
	}
	if err != nil {
		return err
	}
	e.in, e.next = g.heads(e.in), p+1
	e.gap(p, g, first, last)
	return e.err
}

// Flush writes what is still in the buffer.
func (e *GapWriter) Flush() error {
	e.send()
	return e.err
}

// Assemble reads the certificate whose gaps, all of them in order, a [GapWriter] wrote before; featured
// says whether any has features. It needs the memory of the frames.
func Assemble(h *Header, frames []Frame, featured bool, gaps io.Reader) (io.Reader, error) {
	var front, back bytes.Buffer
	front.Grow(int(Room(h.Made, len(frames))))
	e := newEncoder(&front)
	if err := e.front(h, frames, featured); err != nil {
		return nil, err
	}
	e.w = &back
	err := e.close()
	return io.MultiReader(&front, gaps, &back), err
}

// Room is the number of bytes that a certificate of so many frames has before its gaps, where no
// frame has coast nodes.
func Room(made string, frames int) int64 {
	var n length
	e := newEncoder(&n)
	e.opening(&Header{Made: made}, frames, false)
	e.begin(tagNode, 0, 0)
	e.end()
	e.send()
	return int64(n) + 8*int64(frames)
}

// A length counts what is written to it.
type length int64

func (n *length) Write(b []byte) (int, error) {
	*n += length(len(b))
	return len(b), nil
}

// Complete is [Assemble] in place: it writes what stands before and after gaps that a [GapWriter]
// wrote to f from [Room] to end. No frame has coast nodes, else it panics.
func Complete(f io.WriterAt, h *Header, frames []Frame, featured bool, end int64) error {
	if slices.ContainsFunc(frames, func(f Frame) bool { return len(f.From) > 0 }) {
		panic(badShape)
	}
	e := newEncoder(io.NewOffsetWriter(f, 0))
	if err := e.front(h, frames, featured); err != nil {
		return err
	}
	e.w = io.NewOffsetWriter(f, end)
	return e.close()
}

func newEncoder(w io.Writer) *encoder { return &encoder{w: w, buf: make([]byte, chunk+8)} }

// front checks and writes all that comes before the gaps.
func (e *encoder) front(h *Header, frames []Frame, featured bool) error {
	if err := h.check(); err != nil {
		return err
	}
	coasts := 0
	for t := range frames {
		if len(frames[t].From) != len(frames[t].Prior) {
			panic(badShape)
		}
		coasts += len(frames[t].From)
	}
	if err := checkFrames(frames); err != nil {
		return err
	}
	e.opening(h, len(frames), featured)
	e.nodes(frames, coasts)
	e.send()
	return e.err
}

// opening writes the head and what stands before it.
func (e *encoder) opening(h *Header, frames int, featured bool) {
	e.text(magic[:len(magic)-1])
	if featured {
		e.text(string(rune(version)))
	} else {
		e.text(magic[len(magic)-1:])
	}
	e.head(h, frames)
}

// Opening is what a certificate of so many frames with the head h begins with. It is as long as
// that of any other head with the same Made, so that it can be put in when all else has been
// written.
func Opening(h *Header, frames int, featured bool) ([]byte, error) {
	var b bytes.Buffer
	e := newEncoder(&b)
	e.opening(h, frames, featured)
	e.send()
	return b.Bytes(), h.check()
}

// close writes what comes after the gaps.
func (e *encoder) close() error {
	e.begin(tagEnd, 0, 0)
	e.end()
	e.send()
	return e.err
}

// An encoder writes through a buffer of its own and sums what passes.
type encoder struct {
	w    io.Writer
	buf  []byte // of chunk bytes, and as many more as a number takes
	at   int    // bytes that wait there, fewer than chunk
	from int    // those from here on are not in crc
	crc  uint32
	err  error
}

// send empties the buffer.
func (e *encoder) send() {
	e.sum()
	if e.err == nil && e.at > 0 {
		_, e.err = e.w.Write(e.buf[:e.at])
	}
	e.at, e.from = 0, 0
}

// sum brings crc up to date.
func (e *encoder) sum() {
	e.crc = crc32.Update(e.crc, castagnoli, e.buf[e.from:e.at])
	e.from = e.at
}

// begin starts a section.
func (e *encoder) begin(tag string, index int, length uint64) {
	e.crc, e.from = 0, e.at
	e.text(tag)
	e.uint32(index)
	e.uint64(length)
}

// end ends a section.
func (e *encoder) end() {
	e.sum()
	e.uint32(int(e.crc))
}

// wrote counts bytes that were put into the buffer.
func (e *encoder) wrote(n int) {
	if e.at += n; e.at >= chunk {
		e.send()
	}
}

func (e *encoder) uint32(x int) {
	binary.LittleEndian.PutUint32(e.buf[e.at:], uint32(x))
	e.wrote(4)
}

func (e *encoder) uint64(x uint64) {
	binary.LittleEndian.PutUint64(e.buf[e.at:], x)
	e.wrote(8)
}

func (e *encoder) text(s string) {
	for len(s) > 0 {
		n := copy(e.buf[e.at:chunk], s)
		s = s[n:]
		e.wrote(n)
	}
}

func (e *encoder) ints(s []int32) {
	for len(s) > 0 {
		n := min(len(s), (chunk-e.at)/4+1)
		for k, x := range s[:n] {
			binary.LittleEndian.PutUint32(e.buf[e.at+4*k:], uint32(x))
		}
		s = s[n:]
		e.wrote(4 * n)
	}
}

func (e *encoder) floats(s []float64) {
	for len(s) > 0 {
		n := min(len(s), (chunk-e.at)/8+1)
		putFloats(e.buf[e.at:], s[:n])
		s = s[n:]
		e.wrote(8 * n)
	}
}

// putFloats writes numbers of eight bytes each, little-endian.
func putFloats(b []byte, s []float64) {
	for k, x := range s {
		binary.LittleEndian.PutUint64(b[8*k:], math.Float64bits(x))
	}
}

func (e *encoder) head(c *Header, frames int) {
	e.begin(tagHead, 0, uint64(headSize+len(c.Made)))
	e.text(string(c.Detections[:]))
	e.text(string(c.Tracks[:]))
	e.floats([]float64{c.Lower, c.Upper})
	refined := 0
	if c.Refined {
		refined = 1
	}
	e.uint32(refined)
	e.uint32(frames)
	e.text(c.Made)
	e.end()
}

// nodes writes the frames, where coasts is the number of coast nodes in all.
func (e *encoder) nodes(frames []Frame, coasts int) {
	e.begin(tagNode, 0, uint64(8*len(frames)+8*coasts))
	for t := range frames {
		e.uint32(frames[t].Detections)
	}
	for t := range frames {
		e.uint32(len(frames[t].From))
	}
	for t := range frames {
		e.ints(frames[t].From)
	}
	for t := range frames {
		e.ints(frames[t].Prior)
	}
	e.end()
}

// gap writes a gap, with its features where it has some.
func (e *encoder) gap(p int, g *Gap, first, last bool) {
	n := counts{uint64(g.Rows), uint64(g.Cols), uint64(len(g.Col)), uint64(len(g.D))}
	e.begin(tagGap, p, n.bytes(first, last))
	e.uint32(g.Rows)
	e.uint32(g.Cols)
	e.uint32(len(g.Col))
	e.uint64(n.triplets)
	for _, x := range g.Ptr {
		e.uint32(x)
	}
	e.ints(g.Col)
	for _, s := range [][]float64{g.Cost, g.RowMiss, g.ColMiss, g.D, g.V, g.Death, g.U, g.Birth, g.Price} {
		e.floats(s)
	}
	e.ints(g.Next)
	e.end()
	if g.Features != nil && g.Rows > 0 {
		e.features(p, g.Features)
	}
}

func (e *encoder) features(p int, f *Features) {
	e.begin(tagFeat, p, f.bytes())
	for _, s := range [][]float64{f.In, f.Out, f.Birth, f.Death, f.Alone} {
		e.floats(s)
	}
	e.end()
}

// bytes is the size of the payload.
func (f *Features) bytes() uint64 {
	return 8 * uint64(2*len(f.In)+2*len(f.Out)+len(f.Alone))
}
