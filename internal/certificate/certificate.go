package certificate

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// This file defines what a certificate holds, and which content makes sense.

// A Certificate is the content of certificate.bin.
type Certificate struct {
	Header
	Frames []Frame
	Gaps   []Gap // Gaps[p] joins Frames[p] and Frames[p+1]; len max(0, len(Frames)-1)
}

// A Header says what a certificate is about and what it claims.
type Header struct {
	Made         string            // by which program, with which options; at most 64 KiB of UTF-8
	Detections   [sha256.Size]byte // of detections.csv
	Tracks       [sha256.Size]byte // of tracks.csv
	Lower, Upper float64           // the bounds that are claimed
	Refined      bool              // tracks.csv was refined: its links are not all those of the answer
}

// A Frame says what the nodes of one frame are: its detections, then its coast
// nodes. Coast node c stands for the undetected target of node From[c] of the frame
// before: a detection, or a coast node where the target was not detected either.
// Prior[c] ≥ 0 ties it to the arc from that detection of the frame before From's, a
// detection then; -1 leaves it open.
type Frame struct {
	Detections  int
	From, Prior []int32 // len coast nodes
}

// Nodes is the number of nodes.
func (f *Frame) Nodes() int { return f.Detections + len(f.From) }

// A Gap holds the arcs from the nodes of one frame (rows) to those of the next
// (columns): their costs, the multipliers, and the answer. It holds the block of
// triplet costs at its rows as well, which joins it to the gap before.
//
// With in = the number of arcs of the gap before that end in node j (in order of
// their tails) and out = the number of arcs that leave it, the costs of node j
// are a row-major (in+1)×(out+1) matrix of D, node after node; its last row is
// "born here", its last column "dies here". +Inf forbids a combination. Where
// Features is not nil, D is empty and the features say the costs.
type Gap struct {
	Rows, Cols int
	Ptr        []int     // len Rows+1: arcs of row i are Ptr[i]…Ptr[i+1]-1
	Col        []int32   // len arcs, strictly ascending in each row
	Cost       []float64 // len arcs
	RowMiss    []float64 // len Rows: cost of a death; +Inf forbids it
	ColMiss    []float64 // len Cols: cost of a birth; +Inf forbids it
	D          []float64 // triplet costs; empty in the first gap
	Features   *Features // nil in the first gap

	V     []float64 // len arcs: moved here from the block at the tail; empty in the first gap
	Death []float64 // len Rows: V of the deaths; likewise
	U     []float64 // len arcs: moved here from the block at the head; empty in the last gap
	Birth []float64 // len Cols: U of the births; likewise
	Price []float64 // len Cols: column prices of the assignment problem with these costs

	Next []int32 // len Rows: the arc chosen at each row; -1: none
}

// Features say the triplet costs at the rows of a gap: |In[a] − Out[b]| for in-arc a
// and out-arc b, and those of births and deaths. +Inf forbids.
type Features struct {
	In    []float64 // len arcs of the gap before
	Out   []float64 // len arcs
	Birth []float64 // len arcs: "born here" with this out-arc, or +Inf
	Death []float64 // len arcs of the gap before: "dies here" with this in-arc, or +Inf
	Alone []float64 // len Rows: both, or +Inf
}

// MaxNumber is the greatest magnitude of a finite number in a certificate.
const MaxNumber = 1e290

// Limits of lengths.
const (
	maxText  = 1 << 16       // bytes of Header.Made
	maxCount = math.MaxInt32 // frames, nodes and arcs
	maxBlock = 1 << 40       // triplet costs of a gap
)

// ErrCorrupt is wrapped by the errors for content that makes no sense.
var ErrCorrupt = errors.New("certificate is corrupt")

// corrupt is the error for one place of a certificate.
func corrupt(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrCorrupt)
}

// check reports what is wrong with the header.
func (h *Header) check() error {
	switch {
	case len(h.Made) > maxText || !utf8.ValidString(h.Made):
		return corrupt("head: the text is too long or not UTF-8")
	case !isNumber(h.Lower):
		return corrupt("head: the lower bound is %v", h.Lower)
	case !isNumber(h.Upper):
		return corrupt("head: the upper bound is %v", h.Upper)
	}
	return nil
}

// checkFrames reports coast nodes that come from nowhere.
func checkFrames(frames []Frame) error {
	nodes := func(t int) int32 {
		if t < 0 {
			return 0
		}
		return int32(frames[t].Nodes())
	}
	for t := range frames {
		f := &frames[t]
		if f.Detections < 0 || f.Nodes() > maxCount {
			return corrupt("node: frame %d: %d detections and %d coast nodes", t, f.Detections, len(f.From))
		}
		for c, i := range f.From {
			if h := f.Prior[c]; i < 0 || i >= nodes(t-1) || h < -1 || h >= 0 && (t < 2 || i >= int32(frames[t-1].Detections) || h >= int32(frames[t-2].Detections)) {
				return corrupt("node: frame %d: coast node %d comes from nodes %d and %d", t, c, i, h)
			}
		}
	}
	return nil
}

// fits says whether the slices of g have the lengths that its fields say; first
// and last, whether it has a neighbour.
func (g *Gap) fits(first, last bool) bool {
	arcs := len(g.Col)
	left, right := arcs, arcs
	death, birth := g.Rows, g.Cols
	if first {
		left, death = 0, 0
	}
	if last {
		right, birth = 0, 0
	}
	return len(g.Ptr) == g.Rows+1 && len(g.Cost) == arcs && len(g.RowMiss) == g.Rows && len(g.ColMiss) == g.Cols &&
		len(g.V) == left && len(g.Death) == death && len(g.U) == right && len(g.Birth) == birth &&
		len(g.Price) == g.Cols && len(g.Next) == g.Rows && !(first && (len(g.D) > 0 || g.Features != nil)) &&
		(g.Features == nil || len(g.D) == 0)
}

// fits says whether the slices of f have the lengths that the gap at its right and the
// number of arcs of the one at its left ask for.
func (f *Features) fits(g *Gap, before int) bool {
	return len(f.In) == before && len(f.Death) == before && len(f.Out) == len(g.Col) && len(f.Birth) == len(g.Col) &&
		len(f.Alone) == g.Rows
}

// check reports what is wrong with the numbers of gap p, whose slices fit. in
// counts the arcs that end in each row; it is nil for the first gap.
func (g *Gap) check(p int, in []int32) error {
	if err := g.checkNumbers(p); err != nil {
		return err
	}
	return g.checkBlock(p, in)
}

// checkNumbers is check of what stands in the gap.
func (g *Gap) checkNumbers(p int) error {
	if err := g.checkArcs(p); err != nil {
		return err
	}
	if err := checkEach(p, []array{
		{"arc costs", g.Cost, false}, {"costs of deaths", g.RowMiss, true}, {"costs of births", g.ColMiss, true},
		{"triplet costs", g.D, true}, {"multipliers V", g.V, false}, {"multipliers of deaths", g.Death, false},
		{"multipliers U", g.U, false}, {"multipliers of births", g.Birth, false}, {"column prices", g.Price, false},
	}); err != nil || g.Features == nil {
		return err
	}
	f := g.Features
	return checkEach(p, []array{
		{"features of in-arcs", f.In, false}, {"features of out-arcs", f.Out, false},
		{"costs of births with arcs", f.Birth, true}, {"costs of deaths with arcs", f.Death, true},
		{"costs of births with deaths", f.Alone, true},
	})
}

// checkEach reports the first number of gap p that is none.
func checkEach(p int, arrays []array) error {
	for i := range arrays {
		a := &arrays[i]
		for k, x := range a.data {
			if !isNumber(x) && !(a.inf && math.IsInf(x, 1)) {
				return corrupt("gap %d: %s: entry %d is %v", p, a.name, k, x)
			}
		}
	}
	return nil
}

// checkBlock is check of the number of triplet costs.
func (g *Gap) checkBlock(p int, in []int32) error {
	if p == 0 || g.Features != nil {
		return nil
	}
	want := 0
	for j, n := range in {
		want += (int(n) + 1) * (g.Ptr[j+1] - g.Ptr[j] + 1)
	}
	if len(g.D) != want {
		return corrupt("gap %d: triplet costs: there are %d, the arcs need %d", p, len(g.D), want)
	}
	return nil
}

// An array is one of those of a gap.
type array struct {
	name string
	data []float64
	inf  bool // +Inf is allowed
}

// heads counts the arcs that end in each column. It reuses dst.
func (g *Gap) heads(dst []int32) []int32 {
	dst = slices.Grow(dst[:0], g.Cols)[:g.Cols]
	clear(dst)
	for _, j := range g.Col {
		dst[j]++
	}
	return dst
}

// bytes is the size of a gap's payload; first and last, whether it has a
// neighbour.
func (n *counts) bytes(first, last bool) uint64 {
	floats := n.arcs + n.rows + 2*n.cols + n.triplets
	if !first {
		floats += n.arcs + n.rows
	}
	if !last {
		floats += n.arcs + n.cols
	}
	return gapSize + 4*(n.rows+1+n.arcs+n.rows) + 8*floats
}

// counts are the numbers that begin the payload of a gap.
type counts struct {
	rows, cols, arcs, triplets uint64
}

// checkArcs reports arcs that are out of order or of range.
func (g *Gap) checkArcs(p int) error {
	if g.Ptr[0] != 0 || g.Ptr[g.Rows] != len(g.Col) {
		return corrupt("gap %d: row pointers: they go from %d to %d, there are %d arcs", p, g.Ptr[0], g.Ptr[g.Rows], len(g.Col))
	}
	for i := range g.Rows {
		if g.Ptr[i] > g.Ptr[i+1] || g.Ptr[i+1] > len(g.Col) {
			return corrupt("gap %d: row pointers: row %d ends before it begins", p, i)
		}
		last := int32(-1)
		for _, j := range g.Col[g.Ptr[i]:g.Ptr[i+1]] {
			if j <= last || int(j) >= g.Cols {
				return corrupt("gap %d: columns: %d of row %d is out of order or out of range", p, j, i)
			}
			last = j
		}
	}
	return nil
}

// isNumber says whether x is finite and of a magnitude that sums can bear.
func isNumber(x float64) bool { return -MaxNumber <= x && x <= MaxNumber }
