package task

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestThrifty: garbage is bounded by 128 MiB where little is in use, by a quarter where much is, by half of
// what was in use before, and by three quarters of what is planned for with what is in use; afterwards all is as it was.
func TestThrifty(t *testing.T) {
	for _, tt := range []struct {
		live, free, planned uint64
		want                int
	}{{0, 0, 0, 400}, {1 << 20, 0, 0, 400}, {32 << 20, 0, 0, 400}, {64 << 20, 0, 0, 200}, {256 << 20, 0, 0, 50}, {512 << 20, 0, 0, 25}, {4 << 30, 0, 0, 25},
		{64 << 20, 1 << 20, 0, 200}, {64 << 20, 1 << 30, 0, 800}, {1 << 30, 1 << 30, 0, 50},
		{64 << 20, 0, 1 << 30, 200}, {64 << 20, 0, 128 << 20, 50}, {64 << 20, 1 << 30, 128 << 20, 800}, {90 << 20, 0, 128 << 20, 25}, {4 << 30, 0, 1 << 30, 25}, {0, 0, 1 << 30, 400}} {
		if got := garbage(tt.live, tt.free, tt.planned); got != tt.want {
			t.Errorf("%d bytes in use, %d free, %d planned for: %d %%, want %d", tt.live, tt.free, tt.planned, got, tt.want)
		}
	}
	percent := func() int {
		p := debug.SetGCPercent(-1)
		debug.SetGCPercent(p)
		return p
	}
	before := percent()
	stop := Thrifty(0)
	held := make([]byte, 300<<20)
	got := 0
	for range 200 { // finalizers run some time after a collection
		runtime.GC()
		if got = percent(); got < mostGarbage {
			break
		}
		time.Sleep(time.Millisecond)
	}
	runtime.KeepAlive(held)
	if got < 37 || got > 43 {
		t.Errorf("with 300 MiB in use %d %%, want 42", got)
	}
	stop()
	if got := percent(); got != before {
		t.Errorf("afterwards %d %%, want %d", got, before)
	}
}

// TestThriftyPlan: the limit lies a tenth above what is planned for; afterwards it is what it was.
func TestThriftyPlan(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	stop := Thrifty(10 << 30)
	if got := debug.SetMemoryLimit(-1); got != 11<<30 {
		t.Errorf("limit %d, want %d", got, int64(11<<30))
	}
	stop()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("afterwards %d, want %d", got, before)
	}
	Thrifty(0)()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("without a plan %d, want %d", got, before)
	}
}
