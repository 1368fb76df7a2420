package task

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestThrifty: garbage is bounded by 512 MiB where little is in use, and by a quarter where much
// is; afterwards all is as it was.
func TestThrifty(t *testing.T) {
	for _, tt := range []struct {
		live uint64
		want int
	}{{0, 400}, {1 << 20, 400}, {128 << 20, 400}, {256 << 20, 200}, {1 << 30, 50}, {2 << 30, 25}, {4 << 30, 25}} {
		if got := garbage(tt.live); got != tt.want {
			t.Errorf("%d bytes in use: %d %%, want %d", tt.live, got, tt.want)
		}
	}
	percent := func() int {
		p := debug.SetGCPercent(-1)
		debug.SetGCPercent(p)
		return p
	}
	before := percent()
	stop := Thrifty()
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
	if got < 150 || got > 171 {
		t.Errorf("with 300 MiB in use %d %%, want 170", got)
	}
	stop()
	if got := percent(); got != before {
		t.Errorf("afterwards %d %%, want %d", got, before)
	}
}
