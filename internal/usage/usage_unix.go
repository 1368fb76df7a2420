//go:build unix

package usage

// This file measures memory and processor time where the system counts them.

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"
	"time"
)

// PeakMemory is the largest resident set of the process so far, in MB of 10^6
// bytes.
func PeakMemory() float64 {
	// Linux counts what the parent held before the program was loaded into
	// the resource usage, but not into the status.
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		var kib float64
		_, line, found := bytes.Cut(status, []byte("\nVmHWM:"))
		if _, err := fmt.Sscan(string(line), &kib); found && err == nil {
			return kib * 1024 / 1e6
		}
	}
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return float64(use.Maxrss) / 1e6 // bytes there
	}
	return float64(use.Maxrss) * 1024 / 1e6
}

// CPUSeconds is the processor time that the process has used so far.
func CPUSeconds() float64 {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return math.NaN()
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()).Seconds()
}
