//go:build !unix

package main

// This file stands in where the system does not count memory as POSIX does.

import "runtime"

// peakMemory is the memory that the Go runtime has from the system, in MB of
// 10^6 bytes.
func peakMemory() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys) / 1e6
}
