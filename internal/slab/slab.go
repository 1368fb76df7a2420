// Package slab holds what workspaces do with their slices.
package slab

// This file holds growing and filling.

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

// Fill sets every element of x.
func Fill[T any](x []T, value T) {
	for i := range x {
		x[i] = value
	}
}
