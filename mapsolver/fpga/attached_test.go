package fpga

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseBoardMap(t *testing.T) {
	want := BoardMap{Registers: "/dev/mem", RegistersAt: 0x43c00000, Memory: "/dev/udmabuf0", MemoryBytes: 1 << 20, Address: 0x1f400000}
	if got, err := ParseBoardMap("/dev/mem@0x43c00000,/dev/udmabuf0,0x100000,0x1f400000"); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	for _, text := range []string{"", "/dev/uio0", "a,b,c,4", "a,b,3,d", "a@x,b,3,4", "a,b,3,4,5"} {
		if _, err := ParseBoardMap(text); !errors.Is(err, ErrBoard) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// TestAttach wants a reason where there is no board.
func TestAttach(t *testing.T) {
	if bus, err := Attached(); bus != nil || err != nil {
		t.Skip("the environment names a board: ", err)
	}
	missing := filepath.Join(t.TempDir(), "uio0")
	if _, err := attach(missing + "," + missing + ",4096,0"); err == nil || !strings.HasPrefix(err.Error(), "fpga: ") {
		t.Errorf("error %v", err)
	}
}
