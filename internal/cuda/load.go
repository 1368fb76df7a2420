//go:build cuda && linux

package cuda

import (
	"fmt"
	"os"

	"github.com/ebitengine/purego"
)

// This file finds the driver and calls it.

// libraryNames are where the driver may be: beside the C library, or where the
// Linux subsystem of Windows keeps it.
var libraryNames = []string{"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"}

// A driver is the addresses of its functions.
type driver [functions]uintptr

// load opens the driver.
func load() (Library, error) {
	names := libraryNames
	if name := os.Getenv("MTT_CUDA_LIBRARY"); name != "" {
		names = []string{name}
	}
	var handle uintptr
	var first error
	for _, name := range names {
		h, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			handle = h
			break
		}
		if first == nil {
			first = err
		}
	}
	if handle == 0 {
		return nil, fmt.Errorf("no driver: %w", first)
	}
	d := new(driver)
	for f := range d {
		address, err := purego.Dlsym(handle, symbols[f])
		if err != nil {
			return nil, fmt.Errorf("the driver is too old: it has no %s; version 11.8 has", symbols[f])
		}
		d[f] = address
	}
	return d, nil
}

// Call implements [Library]. Results are 32 bits wide.
func (d *driver) Call(f Function, args ...uintptr) Code {
	r, _, _ := purego.SyscallN(d[f], args...)
	return Code(int32(r))
}
