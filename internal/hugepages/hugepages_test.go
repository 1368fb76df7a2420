//go:build linux && (amd64 || arm64)

package hugepages

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mtt/internal/usage"
)

// marked reports whether the system knows the address as one of large pages.
func marked(t *testing.T, address uint64) bool {
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	inside := false
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if from, to, ok := strings.Cut(words[0], "-"); ok && !strings.HasSuffix(words[0], ":") {
			a, _ := strconv.ParseUint(from, 16, 64)
			b, _ := strconv.ParseUint(to, 16, 64)
			inside = a <= address && address < b
		} else if inside && words[0] == "VmFlags:" {
			return slices.Contains(words, "hg")
		}
	}
	t.Fatalf("the system does not know the address %x", address)
	return false
}

func TestForesee(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil {
		t.Skip("this system has no large pages")
	}
	address := func(b []byte) (a uint64) {
		a, _ = strconv.ParseUint(fmt.Sprintf("%p", &b[0])[2:], 16, 64)
		return a
	}
	const large = 128 << 20 // more than what the heap has left of an arena
	before := make([]byte, large)
	if a := address(before); marked(t, a) {
		t.Fatalf("%x is marked before anybody asked", a)
	}
	Foresee(2 * large)
	Foresee(0)
	if a := address(make([]byte, large)) + large/2; !marked(t, a) { // what was given back since may lie before the first
		t.Errorf("%x is not marked", a)
	}
	runtime.KeepAlive(before) // else what comes later lies there
}

// TestForeseeUsed: what the heap has used and given up is not filled with zeros, and no more memory
// is in use than before.
func TestForeseeUsed(t *testing.T) {
	used := make([]byte, 16<<20)
	for i := range used {
		used[i] = 1
	}
	used = nil
	runtime.GC()
	before := usage.PeakMemory()
	const n = 256 << 20
	Foresee(n)
	if more := (usage.PeakMemory() - before) * 1e6; more > n/2 {
		t.Errorf("%.0f bytes were in use to have %d come in large pages", more, n)
	}
}
