// Package grow gives slices a length in the memory they have.
package grow

// Slice returns s with length n, its contents undefined.
func Slice[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
