package cuda

import (
	"errors"
	"strings"
	"testing"
	"unsafe"
)

// A fake is a driver that does nothing, and fails where a test says.
type fake struct {
	cards int
	fail  map[Function]Code
	calls [functions]int
}

// write puts a value where the driver's caller wants it.
func write[T any](address uintptr, x T) { **(**T)(unsafe.Pointer(&address)) = x }

// Call implements Library.
func (f *fake) Call(fn Function, args ...uintptr) Code {
	f.calls[fn]++
	if code := f.fail[fn]; code != Success {
		return code
	}
	switch fn {
	case DeviceGetCount:
		write(args[0], int32(f.cards))
	case DeviceGetName:
		write(args[0], [5]byte{'f', 'a', 'k', 'e'})
	case DeviceGetAttribute:
		write(args[0], map[uintptr]int32{attributeMajor: 9, attributeSharedMemory: 1 << 17}[args[1]])
	case DevicePrimaryCtxRetain, ModuleLoadDataEx, ModuleGetFunction, StreamCreate, MemAlloc:
		write(args[0], uintptr(64))
	case GetErrorName:
		write(args[1], &name[0])
	}
	return Success
}

var name = append(make([]byte, 0, 256), "CUDA_ERROR_OF_THE_FAKE\x00"...)[:256]

func TestOpen(t *testing.T) {
	for _, tt := range []struct {
		what string
		fake fake
		card int
		want string // part of the error; empty: none
	}{
		{"a card", fake{cards: 1}, 0, ""},
		{"no card", fake{}, 0, "no card 0: the driver has 0"},
		{"no such card", fake{cards: 2}, 2, "no card 2"},
		{"negative", fake{cards: 2}, -1, "no card -1"},
		{"no driver in the kernel", fake{fail: map[Function]Code{Init: 100}}, 0, "cuInit: CUDA_ERROR_OF_THE_FAKE (100)"},
		{"no context", fake{cards: 1, fail: map[Function]Code{DevicePrimaryCtxRetain: 2}}, 0, "cuDevicePrimaryCtxRetain"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			d, err := Open(&tt.fake, tt.card)
			switch {
			case tt.want == "" && err != nil:
				t.Fatal(err)
			case tt.want == "" && (d.String() != "fake, compute capability 9.0" || d.SharedMemory != 1<<17):
				t.Errorf("card %+v", d)
			case tt.want != "" && (!errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// TestFault wants every call after a sticky error to fail with it without asking
// the driver, and other errors to pass.
func TestFault(t *testing.T) {
	f := &fake{cards: 1, fail: map[Function]Code{}}
	d, err := Open(f, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}

	var b Buffer
	f.fail[MemAlloc] = OutOfMemory
	var e *Error
	if err := b.Resize(d, 100); !errors.As(err, &e) || e.Code != OutOfMemory || e.Sticky() || d.Fault() != nil {
		t.Fatalf("error %v, fault %v", err, d.Fault())
	}
	if err := s.Wait(); err != nil {
		t.Fatalf("after running out of memory: %v", err)
	}

	f.fail[StreamSynchronize] = 700
	if err := s.Wait(); !errors.As(err, &e) || !e.Sticky() {
		t.Fatalf("error %v, want a sticky one", err)
	}
	f.fail[StreamSynchronize] = 0
	before := f.calls
	task := struct{ x int }{1}
	for what, err := range map[string]error{
		"Wait":   s.Wait(),
		"Launch": Launch(s, Kernel{}, Shape{Blocks: 1, Threads: 32}, &task),
		"Resize": b.Resize(d, 100),
		"Fault":  d.Fault(),
	} {
		if !errors.As(err, &e) || e.Code != 700 {
			t.Errorf("%s after a fault: %v", what, err)
		}
	}
	if f.calls != before {
		t.Error("the driver was called after a fault")
	}
}

// TestLoadLog wants what the compiler of the driver says.
func TestLoadLog(t *testing.T) {
	f := &fake{cards: 1, fail: map[Function]Code{ModuleLoadDataEx: 218}}
	d, err := Open(f, 0)
	if err != nil {
		t.Fatal(err)
	}
	var e *Error
	if _, err := d.Load("no PTX"); !errors.As(err, &e) || e.Code != 218 || e.Sticky() {
		t.Errorf("error %v", err)
	}
}

// TestDefault wants a reason where there is no card.
func TestDefault(t *testing.T) {
	if _, err := Default(); err != nil && (!errors.Is(err, ErrUnavailable) || len(err.Error()) < 30) {
		t.Errorf("error %v, want one that says why", err)
	}
}
