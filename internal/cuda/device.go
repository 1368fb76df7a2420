package cuda

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// This file opens cards, and modules of kernels on them.

// Attributes of a card [1, CUdevice_attribute].
const (
	attributeMultiprocessors = 16
	attributeMajor           = 75
	attributeMinor           = 76
	attributeSharedMemory    = 97
)

// A Device is a card. Its methods may be called from several goroutines.
type Device struct {
	Name            string
	Memory          int // bytes
	Multiprocessors int
	SharedMemory    int // bytes that one block may have
	Major, Minor    int // compute capability

	lib     Library
	context uintptr
	fault   atomic.Pointer[Error]

	mu sync.Mutex // guards what the driver reads and writes in the calls of this file
	io struct {
		out    [4]uintptr
		text   [256]byte
		log    [4096]byte
		keys   [2]uint32
		values [2]uintptr
	}
}

// Default opens the first card of the machine, or that which the variable
// MTT_CUDA_DEVICE numbers, once for the whole program.
var Default = sync.OnceValues(func() (*Device, error) {
	lib, err := load()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	ordinal := 0
	if s := os.Getenv("MTT_CUDA_DEVICE"); s != "" {
		if ordinal, err = strconv.Atoi(s); err != nil {
			return nil, fmt.Errorf("%w: MTT_CUDA_DEVICE: %w", ErrUnavailable, err)
		}
	}
	return Open(lib, ordinal)
})

// Devices opens all cards of the machine, but for those that do not open, once for
// the whole program; [Default] is the first. Where MTT_CUDA_DEVICE is set it is the
// only one.
var Devices = sync.OnceValues(func() ([]*Device, error) {
	first, err := Default()
	if err != nil {
		return nil, err
	}
	list := []*Device{first}
	if os.Getenv("MTT_CUDA_DEVICE") == "" {
		n, err := first.count()
		if err != nil {
			return nil, err
		}
		for i := 1; i < n; i++ {
			if d, err := Open(first.lib, i); err == nil {
				list = append(list, d)
			}
		}
	}
	return list, nil
})

// count is how many cards the driver has.
func (d *Device) count() (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.call(DeviceGetCount, d.out())
	return int(int32(d.io.out[0])), err
}

// Open opens a card of a driver. Errors wrap [ErrUnavailable].
func Open(lib Library, ordinal int) (*Device, error) {
	d := &Device{lib: lib}
	if err := d.open(ordinal); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return d, nil
}

func (d *Device) open(ordinal int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.out()
	if err := d.call(Init, 0); err != nil {
		return err
	}
	if err := d.call(DeviceGetCount, out); err != nil {
		return err
	}
	if n := int(int32(d.io.out[0])); ordinal < 0 || ordinal >= n {
		return fmt.Errorf("cuda: no card %d: the driver has %d", ordinal, n)
	}
	if err := d.call(DeviceGet, out, uintptr(ordinal)); err != nil {
		return err
	}
	card := uintptr(uint32(d.io.out[0]))
	if err := d.call(DeviceGetName, uintptr(unsafe.Pointer(&d.io.text)), uintptr(len(d.io.text)), card); err != nil {
		return err
	}
	d.Name = string(text(d.io.text[:]))
	if err := d.call(DeviceTotalMem, out, card); err != nil {
		return err
	}
	d.Memory = int(d.io.out[0])
	for _, a := range []struct {
		attribute uintptr
		value     *int
	}{
		{attributeMultiprocessors, &d.Multiprocessors},
		{attributeSharedMemory, &d.SharedMemory},
		{attributeMajor, &d.Major},
		{attributeMinor, &d.Minor},
	} {
		if err := d.call(DeviceGetAttribute, out, a.attribute, card); err != nil {
			return err
		}
		*a.value = int(int32(d.io.out[0]))
	}
	if err := d.call(DevicePrimaryCtxRetain, out, card); err != nil {
		return err
	}
	d.context = d.io.out[0]
	return nil
}

// String is the name and the capability of the card.
func (d *Device) String() string {
	return fmt.Sprintf("%s, compute capability %d.%d", d.Name, d.Major, d.Minor)
}

// Fault is the error that made the card unusable for this program, or nil.
func (d *Device) Fault() error {
	if e := d.fault.Load(); e != nil {
		return e
	}
	return nil
}

// out is where the driver writes; d.mu is held.
func (d *Device) out() uintptr { return uintptr(unsafe.Pointer(&d.io.out)) }

// call calls a function that needs no context; d.mu is held, or the function is
// one that cannot fail before a context exists.
func (d *Device) call(f Function, args ...uintptr) error {
	code := d.lib.Call(f, args...)
	runtime.KeepAlive(d)
	if code == Success {
		return nil
	}
	return &Error{Call: f.String(), Code: code, Name: d.codeName(code)}
}

// do calls a function in the context of the card, unless a fault has been seen,
// and remembers a fault that is seen now.
func (d *Device) do(f Function, args ...uintptr) error {
	if err := d.Fault(); err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := d.call(CtxSetCurrent, d.context)
	if err == nil {
		err = d.call(f, args...)
	}
	if e, ok := err.(*Error); ok && e.Sticky() {
		d.fault.CompareAndSwap(nil, e)
	}
	return err
}

// codeName is the driver's name of a code.
func (d *Device) codeName(code Code) string {
	out := &nameOut{}
	pinned.Store(out) // on the heap
	if d.lib.Call(GetErrorName, uintptr(code), uintptr(unsafe.Pointer(&out.name))) != Success || out.name == nil {
		return "unknown code"
	}
	name := string(text(unsafe.Slice(out.name, 128)))
	runtime.KeepAlive(out)
	return name
}

// A nameOut is what GetErrorName writes.
type nameOut struct{ name *byte }

// pinned holds the last nameOut, so that the compiler puts it on the heap.
var pinned atomic.Pointer[nameOut]

// text is b up to its first zero.
func text(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}

// A Module is a set of kernels on a card.
type Module struct {
	device *Device
	handle uintptr
}

// Options of a module [1, CUjit_option].
const (
	optionErrorLog     = 5
	optionErrorLogSize = 6
)

// Load compiles PTX for the card. When it does not compile, the error has the
// compiler's log. The driver keeps what it compiled on disk, so that only the
// first program takes the time.
func (d *Device) Load(ptx string) (*Module, error) {
	image := append([]byte(ptx), 0)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.io.log[0] = 0
	d.io.keys = [2]uint32{optionErrorLog, optionErrorLogSize}
	d.io.values = [2]uintptr{uintptr(unsafe.Pointer(&d.io.log)), uintptr(len(d.io.log))}
	err := d.do(ModuleLoadDataEx, d.out(), uintptr(unsafe.Pointer(&image[0])), 2,
		uintptr(unsafe.Pointer(&d.io.keys)), uintptr(unsafe.Pointer(&d.io.values)))
	runtime.KeepAlive(image)
	if err != nil {
		if e, ok := err.(*Error); ok {
			e.Log = strings.TrimSpace(string(text(d.io.log[:])))
		}
		return nil, err
	}
	return &Module{d, d.io.out[0]}, nil
}

// A Kernel is a function of a module.
type Kernel struct {
	handle uintptr
}

// Attributes of a kernel [1, CUfunction_attribute].
const (
	functionSharedMemory = 8
	functionWideClusters = 14
)

// Kernel finds a kernel by its name and lets it have all the shared memory of a
// block, and clusters of more than 8 blocks where the card can.
func (m *Module) Kernel(name string) (Kernel, error) {
	d := m.device
	symbol := append([]byte(name), 0)
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.do(ModuleGetFunction, d.out(), m.handle, uintptr(unsafe.Pointer(&symbol[0])))
	runtime.KeepAlive(symbol)
	if err != nil {
		return Kernel{}, err
	}
	k := Kernel{d.io.out[0]}
	if err := d.do(FuncSetAttribute, k.handle, functionSharedMemory, uintptr(d.SharedMemory)); err != nil {
		return Kernel{}, err
	}
	if d.Major >= 9 {
		if err := d.do(FuncSetAttribute, k.handle, functionWideClusters, 1); err != nil {
			return Kernel{}, err
		}
	}
	return k, nil
}
