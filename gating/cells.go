package gating

import "math"

// This file finds the points near a place.
//
// The points are sorted by the cell of a uniform grid that they fall into, as
// flat slices. While the grid has few cells, they are numbered row by row and
// the points of neighbouring cells along x lie next to each other; otherwise
// (far outliers, points spread thinly) the cells are hashed into about twice
// as many buckets as there are points. Either way a grid takes O(n) time and
// memory, wherever the points lie. Two cells in one bucket cost time and
// nothing else: candidates are judged by their distance, not by their cell.

// cells is a grid over some points. Its slices are kept from build to build.
type cells struct {
	min, max [3]float64 // m, bounding box; unused axes stay 0
	inv      float64    // 1/m, one over the edge of a cell
	n        [3]int64   // cells along each axis; 1 along unused ones
	dense    bool       // cells are numbered, not hashed
	mask     uint64     // buckets−1 when hashed

	start  []int32   // bucket c holds the points start[c]:start[c+1]
	det    []int32   // detections by bucket, ascending inside each
	pos    []float64 // m, their positions, row-major len(det)×dim
	bucket []int32   // of each detection
}

// minEdge keeps one over the edge of a cell finite.
const minEdge = 1e-290

// build sorts the points pos, row-major ×dim, into cells of about the given
// edge.
func (c *cells) build(pos []float64, dim int, edge float64) {
	n := len(pos) / dim
	c.min, c.max = [3]float64{}, [3]float64{}
	copy(c.min[:], pos[:dim])
	copy(c.max[:], pos[:dim])
	for k := dim; k < len(pos); k += dim {
		for d, x := range pos[k : k+dim] {
			if x < c.min[d] {
				c.min[d] = x
			}
			if x > c.max[d] {
				c.max[d] = x
			}
		}
	}
	extent := 0.0
	for d := range dim {
		extent = math.Max(extent, c.max[d]-c.min[d])
	}
	edge = math.Min(edge, extent)
	edge = math.Max(edge, extent*0x1p-40) // cell numbers stay exact
	edge = math.Max(edge, minEdge)
	c.inv = 1 / edge
	total := 1.0
	for d := range c.n {
		c.n[d] = int64((c.max[d]-c.min[d])*c.inv) + 1
		total *= float64(c.n[d])
	}

	buckets := int(total)
	c.dense = total <= float64(4*n+64)
	if !c.dense {
		buckets = 1
		for buckets < 2*n {
			buckets *= 2
		}
		c.mask = uint64(buckets - 1)
	}

	// Counting sort.
	c.start = resize(c.start, buckets+1)
	clear(c.start)
	c.bucket = resize(c.bucket, n)
	for i := range n {
		var at [3]int64
		for d, x := range pos[i*dim : (i+1)*dim] {
			at[d] = c.cell(d, x)
		}
		k := c.bucketOf(at[0], at[1], at[2])
		c.bucket[i] = int32(k)
		c.start[k]++
	}
	sum := int32(0)
	for k, count := range c.start {
		c.start[k] = sum
		sum += count
	}
	c.det = resize(c.det, n)
	c.pos = resize(c.pos, len(pos))
	for i, k := range c.bucket {
		e := int(c.start[k])
		c.start[k]++
		c.det[e] = int32(i)
		copy(c.pos[e*dim:(e+1)*dim], pos[i*dim:(i+1)*dim])
	}
	copy(c.start[1:], c.start) // start[k] had become the end of bucket k
	c.start[0] = 0
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

func (c *cells) bucketOf(x, y, z int64) int {
	if c.dense {
		return int((z*c.n[1]+y)*c.n[0] + x)
	}
	// Odd multipliers spread neighbours, the final mix (of SplitMix64) brings
	// the high bits down.
	h := uint64(x)*0x9e3779b97f4a7c15 + uint64(y)*0xc2b2ae3d27d4eb4f + uint64(z)*0x165667b19e3779f9
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return int((h ^ h>>31) & c.mask)
}

// A hit is a detection found and its statistic.
type hit struct {
	det  int32
	stat float64
}

// search appends to dst the points with weight·|x − centre|² < limit, none of
// which lies more than radius from the centre. The hits come in no useful
// order, and twice when two searched cells share a bucket.
func (c *cells) search(dst []hit, centre []float64, radius, weight, limit float64) []hit {
	// Statistics of distances up to a few roundings beyond the radius pass, as
	// do those whose squares underflow.
	radius = radius*(1+1e-9) + 1e-150
	var lo, hi [3]int64
	for d, x := range centre {
		if !(x-radius <= c.max[d] && x+radius >= c.min[d]) {
			return dst
		}
		lo[d] = c.cell(d, x-radius)
		hi[d] = c.cell(d, x+radius)
	}
	for z := lo[2]; z <= hi[2]; z++ {
		for y := lo[1]; y <= hi[1]; y++ {
			if c.dense {
				first := c.bucketOf(lo[0], y, z)
				last := first + int(hi[0]-lo[0])
				dst = c.scan(dst, c.start[first], c.start[last+1], centre, weight, limit)
				continue
			}
			for x := lo[0]; x <= hi[0]; x++ {
				k := c.bucketOf(x, y, z)
				dst = c.scan(dst, c.start[k], c.start[k+1], centre, weight, limit)
			}
		}
	}
	return dst
}

// scan is search over the sorted points first:end. The conversions keep the
// compiler from fusing multiplications and additions, so that every machine
// finds the same pairs.
func (c *cells) scan(dst []hit, first, end int32, centre []float64, weight, limit float64) []hit {
	if len(centre) == 2 {
		cx, cy := centre[0], centre[1]
		pos := c.pos[2*first : 2*end]
		for k, j := range c.det[first:end] {
			dx, dy := pos[2*k]-cx, pos[2*k+1]-cy
			s := weight * (float64(dx*dx) + float64(dy*dy))
			if s < limit {
				dst = append(dst, hit{j, s})
			}
		}
		return dst
	}
	cx, cy, cz := centre[0], centre[1], centre[2]
	pos := c.pos[3*first : 3*end]
	for k, j := range c.det[first:end] {
		dx, dy, dz := pos[3*k]-cx, pos[3*k+1]-cy, pos[3*k+2]-cz
		s := weight * (float64(dx*dx) + float64(dy*dy) + float64(dz*dz))
		if s < limit {
			dst = append(dst, hit{j, s})
		}
	}
	return dst
}

// resize is s with length n and any content.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
