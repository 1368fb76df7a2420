package gating

import "slices"

// This file finds the points near a place.
//
// The points are sorted by the cell of a uniform grid that they fall into, in
// one flat slice. Three cases keep time and memory at O(n) wherever the points
// lie:
//
//   - The grid has few cells: they are numbered along x, then y, then z, so the
//     points of neighbouring cells along x are one run of the slice.
//   - It has too many because the points are spread thinly: larger cells do.
//   - It has too many although the points are crowded (clusters far apart, an
//     outlier): the cells are hashed into about twice as many buckets as there
//     are points. Two cells in one bucket cost time and nothing else, because
//     candidates are judged by their distance, not by their cell.

// cells is a grid over some points. Its slices are kept from build to build.
type cells struct {
	dim      int
	min, max [3]float64 // m, bounding box; unused axes stay 0
	inv      float64    // 1/m, one over the edge of a cell
	n        [3]int64   // cells along each axis; 1 along unused ones
	dense    bool       // cells are numbered, not hashed

	points []point
	start  []int32 // bucket k holds points[start[k]:start[k+1]], ascending det
	bucket []int32 // of each detection
}

// A point is a detection's position, z = 0 in the plane, and its index.
type point struct {
	x, y, z float64
	det     int32
}

const (
	// cellsPerPoint bounds the numbered cells. More save candidates and cost
	// memory and look-ups; BenchmarkNeighbors hardly tells 2 from 8.
	cellsPerPoint = 4

	// crowd is the mean number of points in a point's cell from which on
	// larger cells do not pay.
	crowd = 8

	// minEdge keeps one over the edge of a cell finite.
	minEdge = 1e-290
)

// build sorts the points pos, row-major ×dim, at least one, into cells of
// about the given edge.
func (c *cells) build(pos []float64, dim int, edge float64) {
	c.dim = dim
	n := len(pos) / dim
	c.setBox(pos)
	extent := max(c.max[0]-c.min[0], c.max[1]-c.min[1], c.max[2]-c.min[2])
	edge = min(edge, extent)
	edge = max(edge, extent*0x1p-40, minEdge) // cell numbers stay exact
	most := float64(cellsPerPoint*n + 64)
	total := c.setEdge(edge)
	c.dense = total <= most
	if c.dense {
		c.count(pos, int(total))
	} else {
		c.dense = true
		for wide := 1.25 * edge; total > most; wide *= 1.25 {
			total = c.setEdge(wide)
		}
		c.count(pos, int(total))
		if c.pairs() > crowd*n {
			c.dense = false
			c.setEdge(edge)
			buckets := 1
			for buckets < 2*n {
				buckets *= 2
			}
			c.count(pos, buckets)
		}
	}
	c.sort(pos)
}

// setBox sets the bounding box.
func (c *cells) setBox(pos []float64) {
	c.min, c.max = [3]float64{}, [3]float64{}
	copy(c.min[:], pos[:c.dim])
	copy(c.max[:], pos[:c.dim])
	for k := c.dim; k < len(pos); k += c.dim {
		for d, x := range pos[k : k+c.dim] {
			if x < c.min[d] {
				c.min[d] = x
			}
			if x > c.max[d] {
				c.max[d] = x
			}
		}
	}
}

// setEdge sets the size of the cells and returns their number.
func (c *cells) setEdge(edge float64) float64 {
	c.inv = 1 / edge
	total := 1.0
	for d := range c.n {
		c.n[d] = int64((c.max[d]-c.min[d])*c.inv) + 1
		total *= float64(c.n[d])
	}
	return total
}

// count sets bucket, and start to the number of points in each bucket.
func (c *cells) count(pos []float64, buckets int) {
	c.start = resize(c.start, buckets+1)
	clear(c.start)
	c.bucket = resize(c.bucket, len(pos)/c.dim)
	for i := range c.bucket {
		k := c.bucketAt(pos[i*c.dim : (i+1)*c.dim])
		c.bucket[i] = int32(k)
		c.start[k]++
	}
}

// pairs is the number of ordered pairs of points that share a bucket, each
// with itself included, as long as start holds counts.
func (c *cells) pairs() int {
	sum := 0
	for _, n := range c.start {
		sum += int(n) * int(n)
	}
	return sum
}

// sort finishes the counting sort that count began.
func (c *cells) sort(pos []float64) {
	starts(c.start)
	c.points = resize(c.points, len(c.bucket))
	for i, k := range c.bucket {
		p := point{x: pos[i*c.dim], y: pos[i*c.dim+1], det: int32(i)}
		if c.dim == 3 {
			p.z = pos[i*c.dim+2]
		}
		c.points[c.start[k]] = p
		c.start[k]++
	}
	copy(c.start[1:], c.start) // start[k] had become the end of bucket k
	c.start[0] = 0
}

// starts turns counts into the sums of the counts before.
func starts[T int | int32](count []T) {
	sum := T(0)
	for k, n := range count {
		count[k] = sum
		sum += n
	}
}

// cell is the number of the cell along axis d that holds x, or the nearest one
// inside the grid. It never decreases as x grows, rounding included, which is
// why a search between two cells misses nothing between two coordinates.
func (c *cells) cell(d int, x float64) int64 {
	f := (x - c.min[d]) * c.inv
	if f <= 0 {
		return 0
	}
	if f >= float64(c.n[d]-1) {
		return c.n[d] - 1
	}
	return int64(f)
}

// bucketAt is the bucket of a position; outside the grid, of the nearest cell.
func (c *cells) bucketAt(pos []float64) int {
	z := int64(0)
	if c.dim == 3 {
		z = c.cell(2, pos[2])
	}
	return c.bucketOf(c.cell(0, pos[0]), c.cell(1, pos[1]), z)
}

// bucketOf is the bucket of a cell.
func (c *cells) bucketOf(x, y, z int64) int {
	if c.dense {
		return int((z*c.n[1]+y)*c.n[0] + x)
	}
	// Odd multipliers spread neighbours, then the mixer of SplitMix64 brings
	// the high bits down. The number of buckets is a power of two.
	h := uint64(x)*0x9e3779b97f4a7c15 + uint64(y)*0xc2b2ae3d27d4eb4f + uint64(z)*0x165667b19e3779f9
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return int((h ^ h>>31) & uint64(len(c.start)-2))
}

// search appends to dst the detections with weight·|x − centre|² < limit, none
// of which lies more than radius from the centre. They come in no useful
// order, and more than once when hashed cells share a bucket.
func (c *cells) search(dst []int32, centre [3]float64, radius, weight, limit float64) []int32 {
	// Distances a few roundings beyond the radius pass the test, as do those
	// whose squares underflow.
	radius = radius*(1+1e-9) + 1e-150
	var lo, hi [3]int64
	for d := range c.dim {
		first, last := centre[d]-radius, centre[d]+radius
		if !(first <= c.max[d] && last >= c.min[d]) {
			return dst
		}
		lo[d], hi[d] = c.cell(d, first), c.cell(d, last)
	}
	for z := lo[2]; z <= hi[2]; z++ {
		for y := lo[1]; y <= hi[1]; y++ {
			if c.dense {
				k := c.bucketOf(lo[0], y, z)
				run := c.points[c.start[k]:c.start[k+int(hi[0]-lo[0])+1]]
				dst = within(dst, run, centre, weight, limit)
				continue
			}
			for x := lo[0]; x <= hi[0]; x++ {
				k := c.bucketOf(x, y, z)
				dst = within(dst, c.points[c.start[k]:c.start[k+1]], centre, weight, limit)
			}
		}
	}
	return dst
}

// within appends to dst the detections of run with weight·|x − centre|² <
// limit. Every candidate is written and the list grows by those that pass:
// a third of them do, at random, and a branch would be mispredicted.
func within(dst []int32, run []point, centre [3]float64, weight, limit float64) []int32 {
	dst = slices.Grow(dst, len(run))
	free := dst[len(dst) : len(dst)+len(run)]
	x, y, z := centre[0], centre[1], centre[2]
	n := 0
	for k := range run {
		p := &run[k]
		s := weight * squares(p.x-x, p.y-y, p.z-z)
		free[n] = p.det
		more := n + 1
		if s < limit {
			n = more
		}
	}
	return dst[:len(dst)+n]
}

// squares is x² + y² + z². The conversions keep the compiler from fusing
// multiplications and additions, so that every machine finds the same pairs.
func squares(x, y, z float64) float64 {
	return float64(x*x) + float64(y*y) + float64(z*z)
}

// resize is s with length n and any content.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
