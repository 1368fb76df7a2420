package parquet

// This file decodes the pages of a column: https://parquet.apache.org/docs/file-format/data-pages/encodings

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Physical types.
const (
	boolean   = 0
	int32s    = 1
	int64s    = 2
	floats    = 4
	doubles   = 5
	byteArray = 6
)

// widths are the bytes of a value; 0: it differs, or the type is not read.
var widths = map[int64]int{int32s: 4, int64s: 8, floats: 4, doubles: 8}

// Encodings.
const (
	plain           = 0
	plainDictionary = 2
	runs            = 3
	deltaBinary     = 5
	deltaLength     = 6
	deltaBytes      = 7
	runsDictionary  = 8
	byteStreams     = 9
)

// values are those of a column that are there, one after the other: of fixed width in bits,
// as they stand in the file, or words.
type values struct {
	bits  []uint64
	words [][]byte
}

func (v *values) len() int { return max(len(v.bits), len(v.words)) }

// A chunk is a column of a row group.
type chunk struct {
	kind     int64 // physical type
	optional bool  // whether values may be missing
	codec    int64
	rows     int // that it should have
	budget   *budget
	dict     values
	values          // that are there
	there    []bool // for each row; nil: all are
}

// largest is the most that a page may grow by decompression, in bytes.
func largest(packed int) int { return 64<<20 + 256*packed }

// read decodes the pages in b.
func (c *chunk) read(b []byte) error {
	seen := 0
	for seen < c.rows {
		// Every page takes a little, so that many of nothing take something: a decoder has its
		// memory made anew.
		if err := c.budget.take(1024); err != nil {
			return err
		}
		d := decoder{b: b}
		head := d.structure()
		size, plainSize := head.number(3), head.number(2)
		if d.bad || size < 0 || size > int64(len(d.b)) || plainSize < 0 || plainSize > int64(largest(int(size))) {
			return ErrDamaged
		}
		page := d.b[:size]
		b = d.b[size:]
		switch head.number(1) {
		case 0: // data
			page, err := c.unpack(page, int(plainSize))
			if err != nil {
				return err
			}
			h := head.record(5)
			n := int(h.number(1))
			if n <= 0 || n > c.rows-seen {
				return ErrDamaged
			}
			var levels []byte
			if c.optional {
				if len(page) < 4 {
					return ErrDamaged
				}
				length := binary.LittleEndian.Uint32(page)
				if uint64(length) > uint64(len(page)-4) {
					return ErrDamaged
				}
				levels, page = page[4:4+length], page[4+length:]
			}
			if err := c.add(levels, page, n, h.number(2)); err != nil {
				return err
			}
			seen += n
		case 2: // dictionary
			page, err := c.unpack(page, int(plainSize))
			if err != nil {
				return err
			}
			n := int(head.record(7).number(1))
			dict := chunk{kind: c.kind, budget: c.budget}
			if err := dict.decode(page, n, plain); err != nil {
				return err
			}
			c.dict = dict.values
		case 3: // data, version 2: levels are not compressed
			h := head.record(8)
			n, defs, reps := int(h.number(1)), h.number(5), h.number(6)
			if n <= 0 || n > c.rows-seen || defs < 0 || reps < 0 || defs > size || reps > size-defs {
				return ErrDamaged
			}
			levels, body := page[reps:reps+defs], page[reps+defs:]
			if packed, said := h[7]; !said || packed == int64(1) {
				var err error
				if body, err = c.unpack(body, int(plainSize-defs-reps)); err != nil {
					return err
				}
			}
			if err := c.add(levels, body, n, h.number(4)); err != nil {
				return err
			}
			seen += n
		}
	}
	return nil
}

// add appends n rows: levels say which have a value where values are optional, body has the values.
func (c *chunk) add(levels, body []byte, n int, encoding int64) error {
	if !c.optional {
		return c.decode(body, n, encoding)
	}
	if err := c.budget.take(9 * n); err != nil {
		return err
	}
	list, err := hybrid(levels, 1, n)
	if err != nil {
		return err
	}
	present := 0
	for _, l := range list {
		c.there = append(c.there, l == 1)
		present += int(l)
	}
	return c.decode(body, present, encoding)
}

// decode appends n values.
func (c *chunk) decode(b []byte, n int, encoding int64) error {
	if n < 0 || n > 64*len(b)+c.rows {
		return ErrDamaged
	}
	each := 8
	if c.kind == byteArray {
		each = 24
	}
	if err := c.budget.take(each * n); err != nil {
		return err
	}
	width := widths[c.kind]
	switch {
	case encoding == plainDictionary || encoding == runsDictionary:
		if len(b) == 0 {
			if n == 0 {
				return nil
			}
			return ErrDamaged
		}
		index, err := hybrid(b[1:], int(b[0]), n)
		if err != nil {
			return err
		}
		for _, k := range index {
			switch {
			case k >= uint64(c.dict.len()):
				return ErrDamaged
			case c.dict.bits != nil:
				c.bits = append(c.bits, c.dict.bits[k])
			default:
				c.words = append(c.words, c.dict.words[k])
			}
		}
	case encoding == plain && width > 0:
		if len(b) < n*width {
			return ErrDamaged
		}
		for k := range n {
			c.bits = append(c.bits, little(b[k*width:(k+1)*width]))
		}
	case encoding == byteStreams && width > 0:
		if len(b) < n*width {
			return ErrDamaged
		}
		for k := range n {
			var v uint64
			for j := range width {
				v |= uint64(b[j*n+k]) << (8 * j)
			}
			c.bits = append(c.bits, v)
		}
	case encoding == plain && c.kind == boolean:
		if 8*len(b) < n {
			return ErrDamaged
		}
		for k := range n {
			c.bits = append(c.bits, uint64(b[k/8]>>(k%8)&1))
		}
	case encoding == runs && c.kind == boolean:
		if len(b) < 4 {
			return ErrDamaged
		}
		list, err := hybrid(b[4:], 1, n)
		if err != nil {
			return err
		}
		c.bits = append(c.bits, list...)
	case encoding == plain && c.kind == byteArray:
		for range n {
			if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
				return ErrDamaged
			}
			size := 4 + int(binary.LittleEndian.Uint32(b))
			c.words = append(c.words, b[4:size])
			b = b[size:]
		}
	case encoding == deltaBinary && (c.kind == int32s || c.kind == int64s):
		list, _, err := deltas(b, n)
		if err != nil {
			return err
		}
		c.bits = append(c.bits, list...)
	case encoding == deltaLength && c.kind == byteArray:
		sizes, b, err := deltas(b, n)
		if err != nil {
			return err
		}
		for _, size := range sizes {
			if size > uint64(len(b)) {
				return ErrDamaged
			}
			c.words = append(c.words, b[:size])
			b = b[size:]
		}
	case encoding == deltaBytes && c.kind == byteArray:
		shared, b, err := deltas(b, n)
		if err != nil {
			return err
		}
		sizes, b, err := deltas(b, n)
		if err != nil {
			return err
		}
		var last []byte
		for k, size := range sizes {
			if size > uint64(len(b)) || shared[k] > uint64(len(last)) || shared[k] > 1<<12 {
				return ErrDamaged
			}
			if err := c.budget.take(int(shared[k] + size)); err != nil {
				return err
			}
			last = append(bytes.Clone(last[:shared[k]]), b[:size]...)
			b = b[size:]
			c.words = append(c.words, last)
		}
	default:
		return fmt.Errorf("encoding %d of type %d is not read", encoding, c.kind)
	}
	return nil
}

// little is a number of up to eight bytes.
func little(b []byte) uint64 {
	if len(b) == 4 {
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// hybrid decodes n numbers of the given width in bits: runs of one number, and groups of
// eight, packed.
func hybrid(b []byte, width, n int) ([]uint64, error) {
	if width > 32 || n < 0 {
		return nil, ErrDamaged
	}
	list := make([]uint64, 0, min(n, 64*len(b)+8))
	d := decoder{b: b}
	for len(list) < n {
		head := d.unsigned()
		if head&1 == 0 {
			v := uint64(0)
			for k, c := range d.bytes(uint64(width+7) / 8) {
				v |= uint64(c) << (8 * k)
			}
			count := min(head>>1, uint64(n-len(list)))
			if d.bad || count == 0 {
				return nil, ErrDamaged
			}
			for range count {
				list = append(list, v)
			}
			continue
		}
		groups := head >> 1
		if groups == 0 || groups > uint64(len(d.b))+1 && width > 0 || groups > uint64(n) {
			return nil, ErrDamaged
		}
		packed := d.bytes(min(groups*uint64(width), uint64(len(d.b)))) // the last may be cut short
		for k := 0; k < int(8*groups) && len(list) < n; k++ {
			v, ok := bitsAt(packed, k*width, width)
			if !ok {
				return nil, ErrDamaged
			}
			list = append(list, v)
		}
	}
	return list, nil
}

// bitsAt is the number of the given width, at most 64, at a bit of b; lower bits come first.
func bitsAt(b []byte, at, width int) (uint64, bool) {
	if at+width > 8*len(b) {
		return 0, false
	}
	var v uint64
	for got := 0; got < width; {
		c := uint64(b[(at+got)/8]) >> ((at + got) % 8)
		take := min(8-(at+got)%8, width-got)
		v |= c & (1<<take - 1) << got
		got += take
	}
	return v, true
}

// deltas decodes n numbers that are kept as their differences, and returns what follows.
func deltas(b []byte, n int) (list []uint64, rest []byte, err error) {
	d := decoder{b: b}
	block, minis, total, first := d.unsigned(), d.unsigned(), d.unsigned(), d.signed()
	if d.bad || minis == 0 || minis > 1<<10 || block == 0 || block > 1<<20 || block%minis != 0 || block/minis%8 != 0 || total != uint64(n) {
		return nil, nil, ErrDamaged
	}
	if n == 0 {
		return nil, d.b, nil
	}
	list = append(list, uint64(first))
	last, each := uint64(first), int(block/minis)
	for len(list) < n {
		least := uint64(d.signed())
		for _, width := range d.bytes(minis) {
			if len(list) >= n {
				break // widths of what is not there
			}
			if width > 64 {
				return nil, nil, ErrDamaged
			}
			packed := d.bytes(uint64(each/8) * uint64(width))
			for k := 0; k < each && len(list) < n; k++ {
				v, ok := bitsAt(packed, k*int(width), int(width))
				if d.bad || !ok {
					return nil, nil, ErrDamaged
				}
				last += least + v
				list = append(list, last)
			}
		}
		if d.bad {
			return nil, nil, ErrDamaged
		}
	}
	return list, d.b, nil
}

// unpack decompresses a page of the given size.
func (c *chunk) unpack(b []byte, size int) ([]byte, error) {
	if size < 0 {
		return nil, ErrDamaged
	}
	if err := c.budget.take(size); err != nil {
		return nil, err
	}
	if size == 0 {
		return nil, nil // of a page of nothing but missing values
	}
	var out []byte
	var err error
	switch c.codec {
	case 0:
		return b, nil
	case 1:
		if n, err := s2.DecodedLen(b); err != nil || n != size {
			return nil, ErrDamaged
		}
		out, err = s2.Decode(nil, b)
	case 2:
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(b)); err == nil {
			out, err = io.ReadAll(io.LimitReader(z, int64(size)+1))
		}
	case 6:
		var z *zstd.Decoder
		if z, err = zstd.NewReader(bytes.NewReader(b), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(128<<20), zstd.WithDecoderMaxWindow(128<<20)); err == nil {
			out, err = io.ReadAll(io.LimitReader(z, int64(size)+1))
			z.Close()
		}
	default:
		names := map[int64]string{3: "LZO", 4: "Brotli", 5: "LZ4", 7: "LZ4"}
		return nil, fmt.Errorf("compression %d (%s) is not read; write it with snappy, gzip, zstd or none", c.codec, names[c.codec])
	}
	if err != nil || len(out) != size {
		return nil, ErrDamaged
	}
	return out, nil
}

// real is the number that bits stand for.
func (c *chunk) real(v uint64) float64 {
	if c.kind == floats {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// whole is the integer that bits stand for.
func (c *chunk) whole(v uint64) int64 {
	if c.kind == int32s {
		return int64(int32(v))
	}
	return int64(v)
}
