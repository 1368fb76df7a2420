package certificate

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// This file sums up the problem that a certificate holds, without what was found: the
// link between the detections and the proof.

// A ProblemSum is the SHA-256 of the sum of the detections, of the nodes, and of each gap
// without multipliers, prices and assignment. Equal problems have equal sums.
type ProblemSum struct {
	h   hash.Hash
	buf []byte // of chunk bytes, and as many more as a number takes
	at  int    // bytes that wait there, fewer than chunk
}

// NewProblemSum begins with the sum of the detections, and the nodes.
func NewProblemSum(detections [sha256.Size]byte, frames []Frame) *ProblemSum {
	s := &ProblemSum{h: sha256.New(), buf: make([]byte, chunk+8)}
	s.h.Write(detections[:])
	s.ints(len(frames))
	for t := range frames {
		f := &frames[t]
		s.ints(f.Detections, len(f.From))
		s.int32s(f.From)
		s.int32s(f.Prior)
	}
	return s
}

// Add adds the next gap.
func (s *ProblemSum) Add(g *Gap) {
	s.ints(g.Rows, g.Cols, len(g.Col), len(g.D))
	s.ints(g.Ptr...)
	s.int32s(g.Col)
	s.floats(g.Cost, g.RowMiss, g.ColMiss, g.D)
	if f := g.Features; f != nil {
		s.ints(1)
		s.floats(f.In, f.Out, f.Birth, f.Death, f.Alone)
	} else {
		s.ints(0)
	}
}

// Sum is the sum of what was added.
func (s *ProblemSum) Sum() (sum [sha256.Size]byte) {
	s.send()
	s.h.Sum(sum[:0])
	return sum
}

func (s *ProblemSum) send() {
	s.h.Write(s.buf[:s.at])
	s.at = 0
}

// wrote counts bytes that were put into the buffer.
func (s *ProblemSum) wrote(n int) {
	if s.at += n; s.at >= chunk {
		s.send()
	}
}

// ints adds integers of eight bytes, little-endian, in two's complement.
func (s *ProblemSum) ints(list ...int) {
	for _, x := range list {
		s.uint64(uint64(x))
	}
}

// int32s adds integers as ints does.
func (s *ProblemSum) int32s(list []int32) {
	for _, x := range list {
		s.uint64(uint64(x))
	}
}

func (s *ProblemSum) floats(lists ...[]float64) {
	for _, list := range lists {
		for len(list) > 0 {
			n := min(len(list), (chunk-s.at)/8+1)
			putFloats(s.buf[s.at:], list[:n])
			list = list[n:]
			s.wrote(8 * n)
		}
	}
}

func (s *ProblemSum) uint64(x uint64) {
	binary.LittleEndian.PutUint64(s.buf[s.at:], x)
	s.wrote(8)
}

// widen adds integers of four bytes each, little-endian, as ints does; none is negative.
func (s *ProblemSum) widen(b []byte) {
	for ; len(b) > 0; b = b[4:] {
		s.uint64(uint64(binary.LittleEndian.Uint32(b)))
	}
}

func (s *ProblemSum) bytes(b []byte) {
	for len(b) > 0 {
		n := copy(s.buf[s.at:chunk], b)
		b = b[n:]
		s.wrote(n)
	}
}
