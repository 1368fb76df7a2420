// Package fsum adds up numbers without rounding.
package fsum

// This file holds the sum, after Shewchuk's expansions.

// A Sum is a sum of finite numbers, kept exactly as long as it is finite itself: as
// numbers of decreasing magnitude whose digits do not overlap [1]. The zero value is 0. An addition
// takes a few operations for each of these, which are one or two unless the magnitudes
// of the terms differ by more than 2^53.
//
// [1] J. R. Shewchuk. Adaptive precision floating-point arithmetic and fast robust geometric
// predicates. Discrete & Computational Geometry 18 (1997), 305–363.
type Sum struct {
	part [most]float64 // ascending
	n    int
}

// most is more than the numbers of 53 bits that fill all magnitudes, from 2^-1074 to 2^1024.
const most = 64

// Add adds x. A sum that is not finite stays so.
func (s *Sum) Add(x float64) {
	if s.n == most {
		s.compress()
	}
	n := 0
	for _, y := range s.part[:s.n] {
		high := x + y
		back := high - x
		low := (x - (high - back)) + (y - back)
		if low != 0 {
			s.part[n] = low
			n++
		}
		x = high
	}
	if x-x != 0 {
		n = 0
	}
	if x != 0 {
		s.part[n] = x
		n++
	}
	s.n = n
}

// compress makes the parts as few as they can be, each of all the digits it has room for.
func (s *Sum) compress() {
	x := s.part[s.n-1]
	at := s.n - 1
	for i := s.n - 2; i >= 0; i-- { // from the largest down
		high := x + s.part[i]
		low := s.part[i] - (high - x)
		if x = high; low != 0 {
			s.part[at] = high
			at--
			x = low
		}
	}
	s.part[at] = x
	n := 0
	for _, y := range s.part[at+1 : s.n] {
		high := y + x
		low := x - (high - y)
		if x = high; low != 0 {
			s.part[n] = low
			n++
		}
	}
	s.part[n] = x
	s.n = n + 1
}

// Sub subtracts t.
func (s *Sum) Sub(t *Sum) {
	for _, x := range t.part[:t.n] {
		s.Add(-x)
	}
}

// Value is the sum, rounded: off by less than a unit in its last place.
func (s *Sum) Value() float64 {
	x := 0.0
	for _, y := range s.part[:s.n] {
		x += y
	}
	return x
}
