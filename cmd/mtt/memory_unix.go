//go:build unix

package main

// This file measures memory where the system counts it.

import (
	"runtime"
	"syscall"
)

// peakMemory is the largest resident set of the process so far, in MB of 10^6
// bytes.
func peakMemory() float64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return float64(use.Maxrss) / 1e6 // bytes there
	}
	return float64(use.Maxrss) * 1024 / 1e6
}
