package association

// This file is how the tests of this package begin.

import (
	"os"
	"runtime"
	"testing"
)

// TestMain holds memory that nobody touches, as the command does: else the collector would look
// every few MB, and the system be given back what the next scene wants again, a tenth of the time.
func TestMain(m *testing.M) {
	ballast := make([]byte, 64<<20)
	status := m.Run()
	runtime.KeepAlive(ballast)
	os.Exit(status)
}
