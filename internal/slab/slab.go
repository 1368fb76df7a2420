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

// Fill sets every element of x.
func Fill[T any](x []T, value T) {
	for i := range x {
		x[i] = value
	}
}
