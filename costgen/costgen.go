package costgen

import (
	"math"

	"mtt"
)

// This file defines what a model is, and the simplest one.

// A Model prices links. The price of a track is Starts of its first link plus
// Pairs of every link plus Triplets of every two links in a row, plus the prices
// of its ends in Ends.
//
// Methods are called once for each detection with all its candidates, so that a
// model can hoist what depends on the detection alone. They may be called from
// several goroutines at once and keep none of their arguments. Times may differ
// from one call to the next; scan b is later than a, and c later than b. The
// models of this package panic when shapes do not fit.
type Model interface {
	// Pairs sets dst[s] to the price of the link from detection i of a to
	// detection out[s] of b, for every s. dst has len(out) elements or more.
	Pairs(dst []float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32)

	// Starts sets dst[s] to the extra price of that link when it is the
	// first of its track.
	Starts(dst []float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32)

	// Triplets sets dst[r*stride+s] to the price of the two links from
	// detection in[r] of a by way of detection j of b to detection out[s]
	// of c, for every r and s, and leaves the rest of dst alone. stride is
	// len(out) or more.
	Triplets(dst []float64, stride int, a *mtt.Scan, in []int32, b *mtt.Scan, j int, c *mtt.Scan, out []int32)

	// Ends are the prices of what is not a link.
	Ends() Ends
}

// A LinkValuer is a model whose triplets are differences: each link has a value,
// and the price of two links in a row is |value of the one − value of the other|.
// Then the triplets of an instance need not be stored (dualascent.Differences).
type LinkValuer interface {
	Model

	// LinkValues sets dst[s] to the value of the link from detection i of a to
	// detection out[s] of b, for every s. dst has len(out) elements or more.
	LinkValues(dst []float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32)
}

// A Floored model knows what its triplets cost at least.
type Floored interface {
	Model

	// Floor is no more than the price of any triplet of detections of scans a, b and
	// c, but for rounding; −Inf: nothing is known.
	Floor(a, b, c *mtt.Scan) float64
}

// Ends are the prices of births, deaths, misses and false alarms, in the unit
// of the model. Prices of detections are relative: a detection that continues a
// track perfectly costs nothing.
type Ends struct {
	Birth   float64 // a track begins after the first frame
	First   float64 // a track begins in the first frame
	Death   float64 // a track ends before the last frame
	Miss    float64 // a target is not detected in a frame between two detections
	Again   float64 // nor in the next frame, and so on; 0: Miss
	Clutter float64 // a detection belongs to no track
}

// Funcs is a model made of functions, the way to bring one's own cost. Each
// prices one link (of detections i of a and j of b) or two (by way of j to k of
// c); a nil function costs nothing.
type Funcs struct {
	Pair    func(a *mtt.Scan, i int, b *mtt.Scan, j int) float64
	Start   func(a *mtt.Scan, i int, b *mtt.Scan, j int) float64
	Triplet func(a *mtt.Scan, i int, b *mtt.Scan, j int, c *mtt.Scan, k int) float64
	Prices  Ends
}

// Pairs implements [Model].
func (f *Funcs) Pairs(dst []float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32) {
	each(dst, f.Pair, a, i, b, out)
}

// Starts implements [Model].
func (f *Funcs) Starts(dst []float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32) {
	each(dst, f.Start, a, i, b, out)
}

func each(dst []float64, pair func(*mtt.Scan, int, *mtt.Scan, int) float64, a *mtt.Scan, i int, b *mtt.Scan, out []int32) {
	checkPairs(dst, a, b, out)
	if pair == nil {
		clear(dst[:len(out)])
		return
	}
	for s, j := range out {
		dst[s] = pair(a, i, b, int(j))
	}
}

// Triplets implements [Model].
func (f *Funcs) Triplets(dst []float64, stride int, a *mtt.Scan, in []int32, b *mtt.Scan, j int, c *mtt.Scan, out []int32) {
	checkTriplets(dst, stride, a, in, b, c, out)
	for r, i := range in {
		row := dst[r*stride:][:len(out)]
		if f.Triplet == nil {
			clear(row)
			continue
		}
		for s, k := range out {
			row[s] = f.Triplet(a, int(i), b, j, c, int(k))
		}
	}
}

// Ends implements [Model].
func (f *Funcs) Ends() Ends { return f.Prices }

const (
	shortDst      = "costgen: dst is too short"
	shortStride   = "costgen: stride is less than the number of candidates"
	badDim        = "costgen: scans differ in dimension"
	badLevels     = "costgen: scans have another dimension than the levels"
	noVelocity    = "costgen: the model needs velocities, which a scan lacks"
	hasManoeuvres = "costgen: a model with manoeuvres has no quadratic form"
	noVariance    = "costgen: the levels give an innovation no variance"
)

// checkPairs panics when the arguments of Pairs or Starts do not fit together.
// A scan without detections may have any dimension.
func checkPairs(dst []float64, a, b *mtt.Scan, out []int32) {
	if len(dst) < len(out) {
		panic(shortDst)
	}
	if len(out) > 0 && a.Dim != b.Dim {
		panic(badDim)
	}
}

// checkTriplets does the same for Triplets.
func checkTriplets(dst []float64, stride int, a *mtt.Scan, in []int32, b, c *mtt.Scan, out []int32) {
	if stride < len(out) {
		panic(shortStride)
	}
	if len(in) > 0 && len(dst) < (len(in)-1)*stride+len(out) {
		panic(shortDst)
	}
	if len(in) > 0 && len(out) > 0 && (a.Dim != b.Dim || b.Dim != c.Dim) {
		panic(badDim)
	}
}

// norm is the Euclidean length of a vector of 2 or 3 coordinates.
func norm(x, y, z float64) float64 { return math.Sqrt(x*x + y*y + z*z) }

// coords returns point i of flat data with dim coordinates; z is 0 in 2-D.
func coords(flat []float64, dim, i int) (x, y, z float64) {
	p := flat[i*dim : (i+1)*dim]
	if dim == 3 {
		return p[0], p[1], p[2]
	}
	return p[0], p[1], 0
}
