// Package bench holds the benchmarks, each one table that anyone can measure again.
// A new one is a file with a function, and a line in [All].
package bench
