package dense

import "math"

// This file computes costs from points.

// A Metric says how far two points are apart.
type Metric int

const (
	Euclidean Metric = iota // the root of the sum of squares
	Squared                 // the sum of squares, as Algorithm 1015 has it
	Manhattan               // the sum of magnitudes
)

// String is the name of m.
func (m Metric) String() string { return []string{"euclidean", "squared", "manhattan"}[m] }

const badPoints = "dense: coordinates are not a whole number of points"

// Distances are the costs of pairing points: that of row r and column c is the distance of point r
// of a from point c of b. Both are row-major, dim numbers for each point, and are copied. It
// panics when they are not whole points.
//
// A row costs O(len(b)) time. Nothing else of the matrix is kept, so 100,000 points take as many
// megabytes as they have coordinates.
func Distances(a, b []float64, dim int, metric Metric) *Func {
	if dim < 1 || len(a)%dim != 0 || len(b)%dim != 0 {
		panic(badPoints)
	}
	rows, cols := len(a)/dim, len(b)/dim
	from := append([]float64(nil), a...)
	to := make([]float64, len(b)) // by coordinate
	for c := range cols {
		for k := range dim {
			to[k*cols+c] = b[c*dim+k]
		}
	}
	return &Func{Rows: rows, Cols: cols, Fill: func(dst []float64, r, c int) {
		clear(dst)
		for k, x := range from[r*dim:][:dim] {
			list := to[k*cols+c:][:len(dst)]
			if metric == Manhattan {
				for j, y := range list {
					dst[j] += math.Abs(x - y)
				}
				continue
			}
			for j, y := range list {
				d := x - y
				dst[j] += float64(d * d) // rounded twice on every machine
			}
		}
		if metric == Euclidean {
			for j, y := range dst {
				dst[j] = math.Sqrt(y)
			}
		}
	}}
}
