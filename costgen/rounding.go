package costgen

import (
	"math"

	"mtt"
)

// This file tells positions that were rounded, such as whole pixels.
//
// A target that moves by less than what it is rounded to is often seen at the same place twice, as
// if noise were nothing: the density of a noise that is learnt grows without limit there. But
// rounding to multiples of q is an error of standard deviation q/√12 itself (Sheppard 1897), and
// less noise than that no data have.

// Rounding is the standard deviation of the error that rounding alone makes of the positions of
// tracks along each axis, m. It is nothing but errors of floating point where they are no multiples
// of one length, and 0 where tracks are so smooth that they cannot have been rounded.
func Rounding(m *Levels, tracks []mtt.Track, time func(frame int) float64) [3]float64 {
	return gather(m, tracks, time, enough).rounding(func(p *path) []float64 { return p.pos })
}

// rounding is the standard deviation of the error of rounding of rows that paths have, along each axis.
func (f *filter) rounding(rows func(p *path) []float64) (axes [3]float64) {
	for d := range f.dim {
		axes[d] = f.quantum(rows, d) / math.Sqrt(12)
	}
	return axes
}

// quantum is the length that values of an axis are rounded to, the greatest that all differences
// are multiples of; of values that were never rounded it is as small as the errors of floating
// point. It is 0 where all are equal, where few are multiples beside those that it was found by, or
// where tracks are smoother than rounded ones: second differences of rounded values have a variance
// of q²/2.
func (f *filter) quantum(rows func(p *path) []float64, d int) float64 {
	const smooth = 0.1 // of q: root mean square of second differences
	var grid lattice
	var sum, n float64
	first := rows(&f.paths[0])[d]
	for k := range f.paths {
		p := &f.paths[k]
		x := rows(p)
		for i := range len(p.dt) + 1 {
			grid.add(first, x[i*f.dim+d])
		}
		for i := 2; i <= len(p.dt); i++ {
			if math.Abs(p.dt[i-1]-p.dt[i-2]) <= 1e-6*p.dt[i-1] {
				bend := x[i*f.dim+d] - 2*x[(i-1)*f.dim+d] + x[(i-2)*f.dim+d]
				sum, n = sum+bend*bend, n+1
			}
		}
	}
	if q := grid.length(); sum > smooth*smooth*q*q*n {
		return q
	}
	return 0
}

// Grid is the length that positions of scans are rounded to along each axis, m: nothing but errors
// of floating point where they were never rounded, and 0 where that does not show.
func Grid(scans []mtt.Scan) (axes [3]float64) {
	var grids [3]lattice
	var first []float64
	for t := range scans {
		for i := range scans[t].Len() {
			at := scans[t].At(i)
			if first == nil {
				first = at
			}
			for d, x := range at {
				grids[d].add(first[d], x)
			}
		}
	}
	for d := range grids {
		axes[d] = grids[d].length()
	}
	return axes
}

// A lattice is the greatest length that differences of numbers are multiples of. The zero value has
// seen none.
type lattice struct {
	q, most   float64 // the length, and the most times that it is in a difference
	multiples int     // differences since the length last changed
}

// add looks at the difference of two numbers.
func (l *lattice) add(a, b float64) {
	difference, tiny := math.Abs(b-a), 1e-13*(math.Abs(b)+math.Abs(a))
	if difference <= tiny {
		return
	}
	q := divisor(difference, l.q, tiny)
	if q != l.q {
		l.q, l.most, l.multiples = q, 0, 0
	}
	l.multiples++
	if m := math.Round(difference / q); m > l.most { // the longer the difference, the surer is q
		l.q, l.most = difference/m, m
	}
}

// length is the length, 0 where few differences are multiples beside those that it was found by.
func (l *lattice) length() float64 {
	const enough = 8 // of which chance has one in fifty be a multiple
	if l.multiples < enough {
		return 0
	}
	return l.q
}

// divisor is the greatest length that a and b are multiples of, up to a hundredth of it and tiny,
// by Euclid's algorithm; a where b is 0.
func divisor(a, b, tiny float64) float64 {
	for b > 0 {
		rest := math.Abs(a - b*math.Round(a/b))
		if rest <= max(tiny, b/100) {
			return b
		}
		a, b = b, rest
	}
	return a
}
