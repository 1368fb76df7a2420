package verify

import "math"

// This file defines additions whose rounding errors are known.

// twoSum is the rounded sum of a and b, and the error: a + b = s + e without
// rounding, for numbers whose sum does not overflow (Knuth, The Art of Computer
// Programming 2, 4.2.2, theorem B).
func twoSum(a, b float64) (s, e float64) {
	s = a + b
	z := s - a
	return s, (a - (s - z)) + (b - z)
}

// addDown is the greatest float that is at most a + b.
func addDown(a, b float64) float64 {
	s, e := twoSum(a, b)
	if e < 0 {
		return math.Nextafter(s, math.Inf(-1))
	}
	return s
}

// addUp is the least float that is at least a + b.
func addUp(a, b float64) float64 { return -addDown(-a, -b) }

// A sum adds floats. Its value lies between lower and upper, which are one float
// apart at most unless terms of a sum of many millions cancel.
type sum struct {
	s         float64 // rounded sum
	low, high float64 // bounds of its error
	mass      float64 // sum of magnitudes, roughly
}

func (a *sum) add(x float64) {
	s, e := twoSum(a.s, x)
	a.s = s
	a.low = addDown(a.low, e)
	a.high = addUp(a.high, e)
	a.mass += math.Abs(x)
}

func (a *sum) lower() float64 { return addDown(a.s, a.low) }
func (a *sum) upper() float64 { return addUp(a.s, a.high) }

// gapPercent is the gap of two bounds in percent of the upper one. Bounds are rounded outwards:
// what that makes, at most a share of 1e-12 of the magnitudes that were added up, is no gap.
func gapPercent(lower, upper, mass float64) float64 {
	d := upper - lower
	if math.Abs(d) <= 1e-12*max(math.Abs(upper), mass) {
		return 0
	}
	return 100 * d / math.Abs(upper)
}
