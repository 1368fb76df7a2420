package certificate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// This file tests that what was written is read back, and that nothing else is.

// random makes a certificate of the given number of frames, with a few nodes each.
func random(rng *rand.Rand, frames int) *Certificate {
	c := &Certificate{Header: Header{Made: "test", Lower: rng.NormFloat64(), Upper: rng.NormFloat64(), Refined: rng.IntN(2) == 0}}
	for i := range c.Detections {
		c.Detections[i], c.Header.Tracks[i] = byte(rng.IntN(256)), byte(rng.IntN(256))
	}
	for t := range frames {
		f := Frame{Detections: rng.IntN(5)}
		if t > 0 {
			for i := range c.Frames[t-1].Detections {
				prior := int32(-1)
				if t > 1 {
					prior += int32(rng.IntN(c.Frames[t-2].Detections + 1))
				}
				f.From, f.Prior = append(f.From, int32(i)), append(f.Prior, prior)
			}
		}
		c.Frames = append(c.Frames, f)
	}
	floats := func(n int, inf bool) []float64 {
		s := make([]float64, n)
		for i := range s {
			if s[i] = rng.NormFloat64(); inf && rng.IntN(4) == 0 {
				s[i] = math.Inf(1)
			}
		}
		return s
	}
	var in []int32
	for p := range frames - 1 {
		rows, cols := c.Frames[p].Nodes(), c.Frames[p+1].Nodes()
		g := Gap{Rows: rows, Cols: cols, Ptr: []int{0}, RowMiss: floats(rows, true), ColMiss: floats(cols, true), Price: floats(cols, false)}
		for range rows {
			g.Next = append(g.Next, -1)
			for j := range cols {
				if rng.IntN(2) == 0 {
					g.Next[len(g.Next)-1] = int32(len(g.Col))
					g.Col = append(g.Col, int32(j))
				}
			}
			g.Ptr = append(g.Ptr, len(g.Col))
		}
		g.Cost = floats(len(g.Col), false)
		if p > 0 {
			triplets := 0
			for j, n := range in {
				triplets += (int(n) + 1) * (g.Ptr[j+1] - g.Ptr[j] + 1)
			}
			g.D, g.V, g.Death = floats(triplets, true), floats(len(g.Col), false), floats(rows, false)
			if rows > 0 && rng.IntN(2) == 0 {
				before := len(c.Gaps[p-1].Col)
				g.D, g.Features = nil, &Features{
					In: floats(before, false), Out: floats(len(g.Col), false),
					Birth: floats(len(g.Col), true), Death: floats(before, true), Alone: floats(rows, true),
				}
			}
		}
		if p < frames-2 {
			g.U, g.Birth = floats(len(g.Col), false), floats(cols, false)
		}
		in = g.heads(in)
		c.Gaps = append(c.Gaps, g)
	}
	return c
}

func sample(seed uint64, frames int) *Certificate {
	return random(rand.New(rand.NewPCG(seed, 0)), frames)
}

func encode(t testing.TB, c *Certificate) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := sample(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(0, 6).Draw(rt, "frames"))
		got, err := Read(iotest.HalfReader(bytes.NewReader(encode(t, c))))
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(c, got, cmpopts.EquateEmpty()); diff != "" {
			rt.Fatalf("read back (-want +got):\n%s", diff)
		}
	})
}

// writeGaps writes all gaps of c, and reports whether one has features.
func writeGaps(t *rapid.T, out io.Writer, c *Certificate) (featured bool) {
	w := NewGapWriter(out, len(c.Frames))
	for p := range c.Gaps {
		featured = featured || c.Gaps[p].Features != nil
		if err := w.Append(p, &c.Gaps[p]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return featured
}

// TestAssemble writes the gaps first and the rest when all is known: the bytes are those of Write.
// The gaps can be read before that.
func TestAssemble(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := sample(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(0, 6).Draw(rt, "frames"))
		var gaps bytes.Buffer
		featured := writeGaps(rt, &gaps, c)
		bare, read := NewGapReader(c.Frames, bytes.NewReader(gaps.Bytes())), Certificate{Header: c.Header, Frames: c.Frames}
		for range c.Gaps {
			var g Gap
			if err := bare.Next(&g); err != nil {
				rt.Fatal(err)
			}
			read.Gaps = append(read.Gaps, g)
		}
		if err := bare.Next(new(Gap)); err != io.EOF || !bytes.Equal(encode(t, &read), encode(t, c)) {
			rt.Fatalf("gaps by themselves are not read as they were written, error %v", err)
		}
		r, err := Assemble(&c.Header, c.Frames, featured, &gaps)
		if err != nil {
			rt.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, encode(t, c)) {
			rt.Fatal("the bytes are not those of Write")
		}
	})
}

// TestSum adds gaps that were written, of any size, to a sum of the problem: it is that of the gaps
// themselves. Damage shows.
func TestSum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := sample(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(2, 6).Draw(rt, "frames"))
		if rapid.Bool().Draw(rt, "large") { // more than is read at once
			c = large(rapid.IntRange(3000, 9000).Draw(rt, "nodes"))
		}
		var gaps bytes.Buffer
		writeGaps(rt, &gaps, c)
		want, got := NewProblemSum(c.Detections, c.Frames), NewProblemSum(c.Detections, c.Frames)
		for p := range c.Gaps {
			want.Add(&c.Gaps[p])
		}
		r := NewGapReader(c.Frames, bytes.NewReader(gaps.Bytes()))
		for range c.Gaps {
			if err := r.Sum(got); err != nil {
				rt.Fatal(err)
			}
		}
		if err := r.Sum(got); err != io.EOF || got.Sum() != want.Sum() {
			rt.Fatalf("the sum of what was written differs, error %v", err)
		}
		bad := slices.Clone(gaps.Bytes())
		bad[rapid.IntRange(0, len(bad)-1).Draw(rt, "at")] ^= 1
		r = NewGapReader(c.Frames, bytes.NewReader(bad))
		for {
			if err := r.Sum(got); err == io.EOF {
				rt.Fatal("damage was not seen")
			} else if err != nil {
				if !errors.Is(err, ErrCorrupt) {
					rt.Fatal(err)
				}
				return
			}
		}
	})
}

// TestAppendCorrupt: no gap is written that no reader would accept.
func TestAppendCorrupt(t *testing.T) {
	for what, spoil := range map[string]func(c *Certificate){
		"a price that is no number": func(c *Certificate) { c.Gaps[1].Price[2] = math.NaN() },
		"a column out of range":     func(c *Certificate) { c.Gaps[1].Col[2] = 9 },
		"a triplet cost too few":    func(c *Certificate) { c.Gaps[1].D = c.Gaps[1].D[1:] },
	} {
		c := large(4)
		first, last := c.Gaps[0], large(4).Gaps[0]
		first.U, first.Birth = make([]float64, 4), make([]float64, 4)
		last.V, last.Death, last.D = make([]float64, 4), make([]float64, 4), make([]float64, 16)
		c.Gaps = []Gap{first, last}
		w := NewGapWriter(io.Discard, 3)
		if err := w.Append(0, &c.Gaps[0]); err != nil {
			t.Fatal(err)
		}
		if spoil(c); !errors.Is(w.Append(1, &c.Gaps[1]), ErrCorrupt) {
			t.Errorf("%s is written", what)
		}
	}
}

// TestComplete puts what stands around the gaps into their file: the bytes are those of Write.
func TestComplete(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := sample(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(0, 6).Draw(rt, "frames"))
		coasts := rapid.Bool().Draw(rt, "coasts")
		if !coasts {
			for t := range c.Frames {
				f := &c.Frames[t]
				*f = Frame{Detections: f.Nodes()}
			}
		}
		coasts = slices.ContainsFunc(c.Frames, func(f Frame) bool { return len(f.From) > 0 })
		f, err := os.Create(filepath.Join(t.TempDir(), "gaps"))
		if err != nil {
			rt.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Seek(Room(c.Made, len(c.Frames)), io.SeekStart); err != nil {
			rt.Fatal(err)
		}
		featured := writeGaps(rt, f, c)
		end, err := f.Seek(0, io.SeekCurrent)
		if err != nil {
			rt.Fatal(err)
		}
		if coasts {
			defer func() {
				if recover() == nil {
					rt.Error("coast nodes are put where there is no room for them")
				}
			}()
		}
		if err := Complete(f, &c.Header, c.Frames, featured, end); err != nil {
			rt.Fatal(err)
		}
		got, err := os.ReadFile(f.Name())
		if err != nil || !bytes.Equal(got, encode(t, c)) {
			rt.Fatal("the bytes are not those of Write", err)
		}
	})
}

// TestGapWriterAllocation writes gap after gap into one buffer: a million scans have a million gaps.
func TestGapWriterAllocation(t *testing.T) {
	c := large(10)
	w := NewGapWriter(io.Discard, len(c.Frames))
	if n := testing.AllocsPerRun(100, func() {
		if err := w.Append(0, &c.Gaps[0]); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations for each gap, want none", n)
	}
}

// TestLarge goes through the buffer many times.
func TestLarge(t *testing.T) {
	c := large(30000)
	got, err := Read(bytes.NewReader(encode(t, c)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error("read back something else")
	}
}

// large is two frames of n detections with one arc each.
func large(n int) *Certificate {
	g := Gap{Rows: n, Cols: n, Ptr: make([]int, n+1), RowMiss: make([]float64, n), ColMiss: make([]float64, n), Price: make([]float64, n)}
	for i := range n {
		g.Ptr[i+1] = i + 1
		g.Col, g.Cost, g.Next = append(g.Col, int32(i)), append(g.Cost, float64(i)), append(g.Next, int32(i))
	}
	return &Certificate{Frames: []Frame{{Detections: n}, {Detections: n}}, Gaps: []Gap{g}}
}

// TestLayout builds a file from docs/certificate.md alone.
func TestLayout(t *testing.T) {
	le := binary.LittleEndian
	join := func(parts ...any) []byte {
		var b bytes.Buffer
		for _, p := range parts {
			if err := binary.Write(&b, le, p); err != nil {
				t.Fatal(err)
			}
		}
		return b.Bytes()
	}
	section := func(tag string, index uint32, payload []byte) []byte {
		b := join([]byte(tag), index, uint64(len(payload)), payload)
		return le.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	}
	inf := math.Inf(1)
	file := join([]byte("MTTCERT\x01"),
		section("head", 0, join(make([]byte, 32), bytes.Repeat([]byte{7}, 32), 1.5, 2.5, uint32(1), uint32(3), []byte("me"))),
		section("node", 0, join([]uint32{1, 0, 1}, []uint32{0, 1, 0}, int32(0), int32(-1))),
		section("gap ", 0, join([]uint32{1, 1, 1}, uint64(0), []uint32{0, 1}, int32(0), 10.0, 11.0, 0.0, 1.0, 2.0, 3.0, int32(0))),
		section("gap ", 1, join([]uint32{1, 1, 1}, uint64(4), []uint32{0, 1}, int32(0), 20.0, 0.0, inf, 1.0, inf, inf, 0.0, 4.0, 5.0, 6.0, int32(0))),
		section("end ", 0, nil))
	want := &Certificate{
		Header: Header{Made: "me", Tracks: [32]byte(bytes.Repeat([]byte{7}, 32)), Lower: 1.5, Upper: 2.5, Refined: true},
		Frames: []Frame{{Detections: 1}, {From: []int32{0}, Prior: []int32{-1}}, {Detections: 1}},
		Gaps: []Gap{
			{Rows: 1, Cols: 1, Ptr: []int{0, 1}, Col: []int32{0}, Cost: []float64{10}, RowMiss: []float64{11}, ColMiss: []float64{0},
				U: []float64{1}, Birth: []float64{2}, Price: []float64{3}, Next: []int32{0}},
			{Rows: 1, Cols: 1, Ptr: []int{0, 1}, Col: []int32{0}, Cost: []float64{20}, RowMiss: []float64{0}, ColMiss: []float64{inf},
				D: []float64{1, inf, inf, 0}, V: []float64{4}, Death: []float64{5}, Price: []float64{6}, Next: []int32{0}},
		},
	}
	got, err := Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if !bytes.Equal(encode(t, want), file) {
		t.Error("Write writes something else")
	}
}

// TestDamage changes every byte, cuts the file everywhere, and adds to it.
func TestDamage(t *testing.T) {
	file := encode(t, sample(3, 4))
	try := func(what string, b []byte) {
		if _, err := Read(bytes.NewReader(b)); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%s: error %v, want %v", what, err, ErrCorrupt)
		}
	}
	for i := range file {
		for bit := range 8 {
			b := bytes.Clone(file)
			b[i] ^= 1 << bit
			try(fmt.Sprintf("bit %d of byte %d", bit, i), b)
		}
		try(fmt.Sprintf("cut at %d", i), file[:i])
	}
	try("a byte more", append(bytes.Clone(file), 0))
}

// TestContent reads files with right checksums and wrong content.
func TestContent(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	tests := []struct {
		name   string
		change func(c *Certificate)
		want   string
	}{
		{"lower bound", func(c *Certificate) { c.Lower = nan }, "head: the lower bound is NaN"},
		{"upper bound", func(c *Certificate) { c.Upper = inf }, "head: the upper bound is +Inf"},
		{"text", func(c *Certificate) { c.Made = "\xff" }, "head: the text"},
		{"coast node", func(c *Certificate) { c.Frames[1].From[0] = 2 }, "node: frame 1: coast node 0 comes from nodes 2 and -1"},
		{"prior", func(c *Certificate) { c.Frames[1].Prior[0] = 0 }, "node: frame 1: coast node 0"},
		{"detections", func(c *Certificate) { c.Frames[0].Detections = 7 }, "gap 0: 2 rows and 2 columns, its frames have 7 and 2 nodes"},
		{"pointers", func(c *Certificate) { c.Gaps[0].Ptr[0] = 1 }, "gap 0: row pointers: they go from 1 to 3"},
		{"falling pointers", func(c *Certificate) { c.Gaps[0].Ptr[1] = 4 }, "gap 0: row pointers: row 0 ends before"},
		{"column", func(c *Certificate) { c.Gaps[0].Col[0] = 2 }, "gap 0: columns: 2 of row 0"},
		{"equal columns", func(c *Certificate) { c.Gaps[0].Col[1] = 0 }, "gap 0: columns: 0 of row 0"},
		{"arc cost", func(c *Certificate) { c.Gaps[1].Cost[1] = inf }, "gap 1: arc costs: entry 1 is +Inf"},
		{"death", func(c *Certificate) { c.Gaps[1].RowMiss[0] = -inf }, "gap 1: costs of deaths: entry 0 is -Inf"},
		{"birth", func(c *Certificate) { c.Gaps[1].ColMiss[0] = nan }, "gap 1: costs of births: entry 0 is NaN"},
		{"triplet", func(c *Certificate) { c.Gaps[1].D[2] = -inf }, "gap 1: triplet costs: entry 2 is -Inf"},
		{"V", func(c *Certificate) { c.Gaps[1].V[0] = 1e300 }, "gap 1: multipliers V: entry 0 is 1e+300"},
		{"V of deaths", func(c *Certificate) { c.Gaps[1].Death[0] = nan }, "gap 1: multipliers of deaths: entry 0"},
		{"U", func(c *Certificate) { c.Gaps[0].U[0] = -inf }, "gap 0: multipliers U: entry 0 is -Inf"},
		{"U of births", func(c *Certificate) { c.Gaps[0].Birth[0] = inf }, "gap 0: multipliers of births: entry 0"},
		{"price", func(c *Certificate) { c.Gaps[1].Price[0] = inf }, "gap 1: column prices: entry 0 is +Inf"},
	}
	for _, tt := range tests {
		c := tiny()
		tt.change(c)
		_, err := Read(bytes.NewReader(unchecked(c)))
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Read: error %v, want one with %q", tt.name, err, tt.want)
		}
		if tt.name == "detections" {
			continue // a wrong shape
		}
		if err := Write(io.Discard, c); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Write: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

// tiny is two detections, then one and a coast node, then two.
func tiny() *Certificate {
	return &Certificate{
		Frames: []Frame{{Detections: 2}, {Detections: 1, From: []int32{1}, Prior: []int32{-1}}, {Detections: 2}},
		Gaps: []Gap{
			{Rows: 2, Cols: 2, Ptr: []int{0, 2, 3}, Col: []int32{0, 1, 1}, Cost: make([]float64, 3), RowMiss: make([]float64, 2),
				ColMiss: make([]float64, 2), U: make([]float64, 3), Birth: make([]float64, 2), Price: make([]float64, 2), Next: make([]int32, 2)},
			{Rows: 2, Cols: 2, Ptr: []int{0, 1, 2}, Col: []int32{0, 1}, Cost: make([]float64, 2), RowMiss: make([]float64, 2),
				ColMiss: make([]float64, 2), D: make([]float64, 10), V: make([]float64, 2), Death: make([]float64, 2),
				Price: make([]float64, 2), Next: make([]int32, 2)},
		},
	}
}

// unchecked writes c as it is.
func unchecked(c *Certificate) []byte {
	var b bytes.Buffer
	e := newEncoder(&b)
	e.text(magic)
	e.head(&c.Header, len(c.Frames))
	coasts := 0
	for t := range c.Frames {
		coasts += len(c.Frames[t].From)
	}
	e.nodes(c.Frames, coasts)
	for p := range c.Gaps {
		e.gap(p, &c.Gaps[p], p == 0, p == len(c.Gaps)-1)
	}
	e.begin(tagEnd, 0, 0)
	e.end()
	e.send()
	return b.Bytes()
}

// TestHostile reads lengths that nothing stands behind.
func TestHostile(t *testing.T) {
	begin := func(lengths ...uint32) []byte {
		var b bytes.Buffer
		e := newEncoder(&b)
		e.text(magic)
		c := &Certificate{Frames: make([]Frame, 2)}
		for t := range c.Frames {
			c.Frames[t].Detections = 1 << 30
		}
		e.head(&c.Header, len(c.Frames))
		e.nodes(c.Frames, 0)
		n := counts{1 << 30, 1 << 30, maxCount, 0}
		if len(lengths) > 0 {
			n.triplets = uint64(lengths[0])
		}
		e.begin(tagGap, 0, n.bytes(true, true))
		e.uint32(int(n.rows))
		e.uint32(int(n.cols))
		e.uint32(int(n.arcs))
		e.uint64(n.triplets)
		e.send()
		return b.Bytes()
	}
	frames := encode(t, &Certificate{})
	binary.LittleEndian.PutUint32(frames[8+16+84:], maxCount)
	head := frames[8 : 8+16+headSize]
	binary.LittleEndian.PutUint32(frames[8+16+headSize:], crc32.Checksum(head, castagnoli))
	tests := []struct {
		name, want string
		file       []byte
	}{
		{"empty", "start: magic: the file ends", nil},
		{"another file", "it does not begin with MTTCERT", []byte("frame,det,x,y\n")},
		{"another version", "it has version 3, this program reads versions 1 to 2", []byte("MTTCERT\x03")},
		{"arcs", "gap 0: row pointers: the file ends", begin()},
		{"triplets", "gap 0: row pointers: the file ends", begin(1 << 31)},
		{"frames", "node: detections: the section is too short", frames},
	}
	for _, tt := range tests {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(bytes.NewReader(tt.file))
		runtime.ReadMemStats(&after)
		if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
			t.Errorf("%s: %d bytes of memory for %d of input", tt.name, n, len(tt.file))
		}
	}
}

// TestReaderFails hands on the error of the reader below.
func TestReaderFails(t *testing.T) {
	file := encode(t, sample(3, 4))
	broken := errors.New("disk on fire")
	for _, n := range []int{0, 5, 30, 150, len(file) - 30, len(file)} {
		_, err := Read(io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) || errors.Is(err, ErrCorrupt) {
			t.Errorf("after %d bytes: error %v, want %v", n, err, broken)
		}
	}
}

// TestWriterFails stops at the first error of the writer below.
func TestWriterFails(t *testing.T) {
	if err := Write(failing{}, tiny()); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v, want %v", err, io.ErrShortWrite)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWritePanics(t *testing.T) {
	tests := map[string]func(c *Certificate){
		"gaps":         func(c *Certificate) { c.Gaps = c.Gaps[1:] },
		"prior":        func(c *Certificate) { c.Frames[1].Prior = nil },
		"rows":         func(c *Certificate) { c.Gaps[0].Rows++ },
		"frame":        func(c *Certificate) { c.Frames[2].Detections++ },
		"V in gap 0":   func(c *Certificate) { c.Gaps[0].V = make([]float64, 3) },
		"U at the end": func(c *Certificate) { c.Gaps[1].U = make([]float64, 2) },
		"D in gap 0":   func(c *Certificate) { c.Gaps[0].D = make([]float64, 3) },
		"next":         func(c *Certificate) { c.Gaps[0].Next = nil },
	}
	for name, change := range tests {
		c := tiny()
		change(c)
		func() {
			defer func() {
				if p := recover(); p != badShape {
					t.Errorf("%s: panic %v, want %q", name, p, badShape)
				}
			}()
			Write(io.Discard, c)
		}()
	}
}

var update = flag.Bool("update", false, "rewrite the seed corpus of FuzzRead")

// FuzzRead reads anything, as it is or with the checksums put right, so that
// changes get past them. What is accepted is written back byte for byte.
func FuzzRead(f *testing.F) {
	if *update {
		for i, frames := range []int{0, 1, 2, 4} {
			writeSeed(f, fmt.Sprintf("frames%d", frames), encode(f, sample(uint64(i), frames)))
		}
		writeSeed(f, "cut", encode(f, sample(9, 4))[:400])
		writeSeed(f, "tiny", unchecked(tiny()))
	}
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal {
			b = sealed(b)
		}
		c, err := Read(bytes.NewReader(b))
		if err != nil {
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("error %v does not wrap %v", err, ErrCorrupt)
			}
			return
		}
		if !bytes.Equal(encode(t, c), b) {
			t.Fatal("written back, it is another file")
		}
	})
}

// sealed is b with the checksums that its sections should have.
func sealed(b []byte) []byte {
	b = bytes.Clone(b)
	for at := len(magic); at+16 <= len(b); {
		length := binary.LittleEndian.Uint64(b[at+8:])
		if length > uint64(len(b)) || at+16+int(length)+4 > len(b) {
			break
		}
		end := at + 16 + int(length)
		binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[at:end], castagnoli))
		at = end + 4
	}
	return b
}

// writeSeed adds a file to the corpus.
func writeSeed(f *testing.F, name string, b []byte) {
	dir := filepath.Join("testdata", "fuzz", "FuzzRead")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		f.Fatal(err)
	}
	text := fmt.Sprintf("go test fuzz v1\n[]byte(%q)\nbool(true)\n", b)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		f.Fatal(err)
	}
}

func BenchmarkWrite(b *testing.B) {
	c := large(100000)
	b.SetBytes(int64(len(encode(b, c))))
	for b.Loop() {
		if err := Write(io.Discard, c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	file := encode(b, large(100000))
	b.SetBytes(int64(len(file)))
	var g Gap
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(file))
		for err == nil {
			err = r.Next(&g)
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}
