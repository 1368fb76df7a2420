package lapfile

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"mtt/mapsolver"
)

// This file writes many problems into one compact file, a corpus.
//
// A corpus (.laps) is the eight bytes "mttlaps\x01" and then, compressed by gzip,
// records. Numbers are unsigned varints unless they are said to be something
// else; costs are IEEE 754 doubles, little endian.
//
//	P   rows, cols, flags (1: row misses, 2: column misses); for each row the
//	    number of its entries and, for each of them, the distance of its column
//	    from the one before (the first counts from −1); the costs of all entries;
//	    the misses that there are; the answer
//	R   the last P, restricted: for each row with n choices ⌈n/8⌉ bytes, whose bit k,
//	    from the lowest, says that choice k is still allowed; the answer
//	E   the number of problems; nothing follows
//
// The choices of a row are its entries and, last, to stay free, where its bound
// (see [mapsolver.Problem.RowBound]) is finite. An answer is a byte, 1 when the
// problem has an optimum, which follows as a double, and 0 when it is infeasible.
//
// Problems that a ranking poses differ from the first one by a few choices: a
// restriction of 100 sparse rows takes some 30 bytes once it is compressed.

// corpusMagic begins a corpus.
const corpusMagic = "mttlaps\x01"

// A Writer writes a corpus. Close it.
type Writer struct {
	w     *bufio.Writer
	zip   *gzip.Writer
	buf   []byte
	p     *mapsolver.Problem // the last one
	count int
}

// NewWriter begins a corpus on w.
func NewWriter(w io.Writer) (*Writer, error) {
	if _, err := io.WriteString(w, corpusMagic); err != nil {
		return nil, err
	}
	zip, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	return &Writer{w: bufio.NewWriterSize(zip, 1<<16), zip: zip}, nil
}

// Problem writes p with the cost of its optimum; +Inf says that it is infeasible.
// p is kept for Restrict.
func (w *Writer) Problem(p *mapsolver.Problem, optimum float64) error {
	w.p = p
	b := append(w.buf[:0], 'P')
	b = binary.AppendUvarint(b, uint64(p.Rows))
	b = binary.AppendUvarint(b, uint64(p.Cols))
	flags := uint64(0)
	if p.RowMiss != nil {
		flags |= 1
	}
	if p.ColMiss != nil {
		flags |= 2
	}
	b = binary.AppendUvarint(b, flags)
	for r := range p.Rows {
		row := p.Col[p.Ptr[r]:p.Ptr[r+1]]
		b = binary.AppendUvarint(b, uint64(len(row)))
		last := int32(-1)
		for _, c := range row {
			b = binary.AppendUvarint(b, uint64(c-last))
			last = c
		}
	}
	for _, list := range [][]float64{p.Cost, p.RowMiss, p.ColMiss} {
		for _, x := range list {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return w.finish(b, optimum)
}

// Restrict writes the last problem with some choices taken away: the rows in
// fixed keep the entry of the same place in choice alone (-1: they stay free),
// and the entries in forbidden are not allowed (-1-r: row r may not stay free).
func (w *Writer) Restrict(fixed, choice, forbidden []int32, optimum float64) error {
	p := w.p
	b := append(w.buf[:0], 'R')
	// at is where the mask of each row begins; the masks allow everything.
	at := make([]int, p.Rows)
	for r := range p.Rows {
		at[r] = len(b)
		for n := choices(p, r); n > 0; n -= 8 {
			b = append(b, byte(1<<min(n, 8)-1))
		}
	}
	place := func(r int, e int32) int { // of a choice of row r
		if e < 0 {
			return p.Ptr[r+1] - p.Ptr[r]
		}
		return int(e) - p.Ptr[r]
	}
	for i, r := range fixed {
		mask := b[at[r] : at[r]+(choices(p, int(r))+7)/8]
		clear(mask)
		k := place(int(r), choice[i])
		mask[k/8] = 1 << (k % 8)
	}
	for _, e := range forbidden {
		r := int(-1 - e)
		if e >= 0 {
			r = rowOf(p, int(e))
		}
		k := place(r, e)
		b[at[r]+k/8] &^= 1 << (k % 8)
	}
	return w.finish(b, optimum)
}

// choices is the number of choices of row r.
func choices(p *mapsolver.Problem, r int) int {
	n := p.Ptr[r+1] - p.Ptr[r]
	if !p.MustServeRow(r) {
		n++
	}
	return n
}

// rowOf is the row of entry e.
func rowOf(p *mapsolver.Problem, e int) int {
	lo, hi := 0, p.Rows
	for lo < hi {
		if mid := (lo + hi) / 2; p.Ptr[mid+1] <= e {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// finish appends the answer and writes the record.
func (w *Writer) finish(b []byte, optimum float64) error {
	if math.IsInf(optimum, 1) {
		b = append(b, 0)
	} else {
		b = append(b, 1)
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(optimum))
	}
	w.buf = b
	w.count++
	_, err := w.w.Write(b)
	return err
}

// Count is the number of problems written so far.
func (w *Writer) Count() int { return w.count }

// Close ends the corpus; it does not close what is below.
func (w *Writer) Close() error {
	b := binary.AppendUvarint([]byte{'E'}, uint64(w.count))
	_, err := w.w.Write(b)
	return errors.Join(err, w.w.Flush(), w.zip.Close())
}
