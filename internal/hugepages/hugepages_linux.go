//go:build linux && (amd64 || arm64)

package hugepages

// This file marks memory on Linux, where addresses are plenty.

import (
	"runtime/debug"
	"syscall"
)

// Foresee has n bytes that the heap has not used yet come in large pages, where the system has any.
// Those that were foreseen and are still free may be among them.
func Foresee(n int) {
	if n <= 0 {
		return
	}
	var had debug.GCStats
	if debug.ReadGCStats(&had); had.NumGC > 0 { // before that nothing is free that was used
		debug.FreeOSMemory() // the runtime would fill that with zeros to make it part of the array
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the array is nothing to collect garbage for
	mark(n)
	debug.FreeOSMemory() // else the runtime would take the array for memory that is in use
}

//go:noinline
func mark(n int) {
	const advice = 14                            // MADV_HUGEPAGE, the same on all architectures of this file
	_ = syscall.Madvise(make([]byte, n), advice) // a system without large pages says so, and goes on as it did
}
