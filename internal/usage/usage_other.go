//go:build !unix

package usage

// This file stands in where the system does not count memory and processor time as
// POSIX does.

import (
	"math"
	"runtime"
)

// PeakMemory is the memory that the Go runtime has from the system, in MB of
// 10^6 bytes.
func PeakMemory() float64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys) / 1e6
}

// CPUSeconds is not known here.
func CPUSeconds() float64 { return math.NaN() }
