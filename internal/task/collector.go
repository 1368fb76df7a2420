package task

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"

	"mtt/internal/hugepages"
)

// This file says how often the collector of memory looks, and where memory comes in large pages.

// Garbage may come to a quarter of what is in use, as long arrays cost the collector little and
// memory is what is short; to plenty, though, or to four times what is in use, where that is less:
// scenes of many scans are many small slices, to look at which every few megabytes took a quarter
// of the time. More than plenty is not worth it: a page that the system gives out for the first time costs
// more than to look for one that was used. What was used before and is free costs nothing, and half
// of it may be garbage.
const (
	leastGarbage, mostGarbage = 25, 400   // percent of what is in use
	plenty                    = 128 << 20 // bytes
)

// Thrifty has the collector keep to that until stop is called, and where a number of bytes is planned
// for, to three quarters of that as well, see [garbage]. What is free then comes into use again, so it
// stays, up to a tenth above the plan: where garbage might fill it all, pages went back to the system and
// came again all the time, in 43,000 targets by 50 frames a quarter of the processor's time. planned is 0
// where there is no plan.
func Thrifty(planned int64) (stop func()) {
	before, limit := debug.SetGCPercent(mostGarbage), debug.SetMemoryLimit(-1)
	if planned > 0 {
		debug.SetMemoryLimit(planned + planned/10)
	}
	free := read("/memory/classes/heap/free:bytes")
	var stopped atomic.Bool
	var watch func()
	watch = func() { // runs after each collection, by the finalizer of something that nobody holds
		if stopped.Load() {
			return
		}
		debug.SetGCPercent(garbage(read("/gc/heap/live:bytes"), free, uint64(planned)))
		runtime.SetFinalizer(new([16]byte), func(*[16]byte) { watch() })
	}
	watch()
	return func() {
		stopped.Store(true)
		debug.SetGCPercent(before)
		debug.SetMemoryLimit(limit)
	}
}

// read is a number of bytes that the runtime knows; 0: it does not know that.
func read(name string) uint64 {
	one := []metrics.Sample{{Name: name}}
	if metrics.Read(one); one[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return one[0].Value.Uint64()
}

// garbage is the percentage where so many bytes are in use, so many that were before are free, and so
// many are planned for, 0 if any.
func garbage(live, free, planned uint64) int {
	live = max(1, live)
	percent := min(mostGarbage, 100*plenty/live)
	if planned > 0 {
		most := max(live, planned/4*3)
		percent = min(percent, 100*(most-live)/live)
	}
	return int(max(leastGarbage, percent, 50*free/live))
}

// What comes in large pages, bytes: from the start of the command on what most scenes take, and the
// peak of those of ten million detections, which are tracked in windows of time.
const foreseen, foreseenWindows = 256 << 20, 3 << 29

// Foresee has the memory of most scenes come in large pages.
func Foresee() { foreseeMore(foreseen) }

// foreseeMore has n bytes that will be in use come in large pages, where that is more than does.
func foreseeMore(n int) {
	n = min(n, foreseenWindows)
	if had := large.Load(); n > int(had) && large.CompareAndSwap(had, int64(n)) {
		hugepages.Foresee(n)
	}
}

// large is how many bytes come in large pages.
var large atomic.Int64

// foreseeFiles has the memory of what is read of the files come in large pages, where they may be a
// scene that is tracked in windows: what was taken to read it is what the windows are in then.
func foreseeFiles(files []string) {
	const perByte = 20 // of a scan of one detection, whose row has 12 bytes or more, 280 are in use
	size := int64(0)
	for _, name := range files {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			size += min(info.Size(), foreseen)
		}
	}
	if perByte*size > foreseen {
		foreseeMore(foreseenWindows)
	}
}
