// Package slab holds what workspaces do with their slices.
package slab

// This file holds growing, filling and cutting to pieces.

// Grow returns a slice of length n, which is x when that is large enough. Its elements mean
// nothing.
func Grow[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}

// Keep is Grow that keeps the elements of x, those beyond its length in what it has room for
// included, so that slices in them are reused.
func Keep[T any](x []T, n int) []T {
	if cap(x) < n {
		return append(x[:cap(x)], make([]T, n-cap(x))...)
	}
	return x[:n]
}

// Parts returns lists of zeros of the given lengths, one behind the other in one piece of memory: many
// short ones cost less so.
func Parts[T any](lists int, length func(k int) int) [][]T {
	total := 0
	for k := range lists {
		total += length(k)
	}
	all, parts := make([]T, total), make([][]T, lists)
	for k := range parts {
		n := length(k)
		parts[k], all = all[:n:n], all[n:]
	}
	return parts
}

// A Stock hands out lists of zeros, cutting short ones from pieces of memory: a thousand lists of
// one number cost the collector a thousand looks, and their piece one. A piece lives as long as any
// of its lists; the first ones are short, so that who makes a few lists has no more than twice what
// they take. The zero value is ready to use.
type Stock[T any] struct {
	rest []T
	made int // length of the last piece
}

// Make is a list of length n.
func (s *Stock[T]) Make(n int) []T {
	const longest = 1 << 10
	if n == 0 || n > longest/8 {
		return make([]T, n)
	}
	if n > len(s.rest) {
		s.made = min(longest, max(2*s.made, 2*n))
		s.rest = make([]T, s.made)
	}
	list := s.rest[:n:n]
	s.rest = s.rest[n:]
	return list
}

// Fill sets every element of x.
func Fill[T any](x []T, value T) {
	for i := range x {
		x[i] = value
	}
}
