package cuda

import (
	"runtime"
	"unsafe"
)

// This file holds memory, on the card and on the host.

// A Buffer is memory on the card with its image on the host, which the card can
// read and write by itself. Its zero value is empty.
type Buffer struct {
	device  *Device
	address uintptr
	host    []byte
	io      *bufferOut
}

// A bufferOut is what the driver writes when it allocates.
type bufferOut struct {
	address uintptr
	host    *byte
}

// Resize makes b hold at least n bytes, at the cost of its content when it grows.
// Pinned memory takes some 0.5 ms a MB to allocate: keep it.
func (b *Buffer) Resize(d *Device, n int) error {
	if n <= len(b.host) {
		return nil
	}
	if err := b.Free(); err != nil {
		return err
	}
	n = (max(n, 1) + 255) &^ 255
	b.device = d
	b.io = new(bufferOut)
	if err := d.do(MemAlloc, uintptr(unsafe.Pointer(&b.io.address)), uintptr(n)); err != nil {
		return err
	}
	b.address = b.io.address
	if err := d.do(MemHostAlloc, uintptr(unsafe.Pointer(&b.io.host)), uintptr(n), 0); err != nil {
		_ = b.Free()
		return err
	}
	b.host = unsafe.Slice(b.io.host, n)
	return nil
}

// Free gives the memory back; it does nothing on an empty buffer.
func (b *Buffer) Free() error {
	var err error
	if len(b.host) > 0 {
		err = b.device.do(MemFreeHost, uintptr(unsafe.Pointer(&b.host[0])))
	}
	if b.address != 0 {
		if e := b.device.do(MemFree, b.address); err == nil {
			err = e
		}
	}
	*b = Buffer{}
	return err
}

// Address is where byte i lies on the card.
func (b *Buffer) Address(i int) uintptr { return b.address + uintptr(i) }

// Image is where byte i of the image on the host lies for the kernels of all cards, which read and
// write it over the bus.
func (b *Buffer) Image(i int) uintptr { return uintptr(unsafe.Pointer(&b.host[i])) }

// View is the n values of type T at byte i of the host's image.
func View[T any](b *Buffer, i, n int) []T {
	if n == 0 {
		return nil
	}
	var zero T
	bytes := b.host[i : i+n*int(unsafe.Sizeof(zero))]
	return unsafe.Slice((*T)(unsafe.Pointer(&bytes[0])), n)
}

// Push copies bytes from to to of the image to the card, in the order of s.
func (s *Stream) Push(b *Buffer, from, to int) error {
	if from == to {
		return nil
	}
	err := s.device.do(MemcpyHtoDAsync, b.Address(from), uintptr(unsafe.Pointer(&b.host[from:to][0])), uintptr(to-from), s.handle)
	runtime.KeepAlive(b)
	return err
}

// Pull copies bytes from to to of the card into the image, in the order of s. They
// are there after the next Wait.
func (s *Stream) Pull(b *Buffer, from, to int) error {
	if from == to {
		return nil
	}
	err := s.device.do(MemcpyDtoHAsync, uintptr(unsafe.Pointer(&b.host[from:to][0])), b.Address(from), uintptr(to-from), s.handle)
	runtime.KeepAlive(b)
	return err
}

// A Memory is memory on the card alone. Its zero value is empty.
type Memory struct {
	device  *Device
	address uintptr
	size    int
	io      *bufferOut
}

// Resize makes m hold at least n bytes, at the cost of its content when it grows.
func (m *Memory) Resize(d *Device, n int) error {
	if n <= m.size {
		return nil
	}
	if err := m.Free(); err != nil {
		return err
	}
	m.io = new(bufferOut)
	if err := d.do(MemAlloc, uintptr(unsafe.Pointer(&m.io.address)), uintptr(n)); err != nil {
		return err
	}
	m.device, m.address, m.size = d, m.io.address, n
	return nil
}

// Free gives the memory back; it does nothing on an empty one.
func (m *Memory) Free() error {
	if m.size == 0 {
		return nil
	}
	err := m.device.do(MemFree, m.address)
	*m = Memory{}
	return err
}

// Address is where byte i lies on the card.
func (m *Memory) Address(i int) uintptr { return m.address + uintptr(i) }

// Clear sets n bytes from address on to 0, in the order of s.
func (s *Stream) Clear(address uintptr, n int) error {
	if n == 0 {
		return nil
	}
	return s.device.do(MemsetD8Async, address, 0, uintptr(n), s.handle)
}

// CopyTo copies n bytes from an address of the card of s to one of another card, in the order of s.
func (s *Stream) CopyTo(other *Device, to, from uintptr, n int) error {
	if n == 0 {
		return nil
	}
	return s.device.do(MemcpyPeerAsync, to, other.context, from, s.device.context, uintptr(n), s.handle)
}

// Reach lets d read and write the memory of another card by itself, where they are connected for
// that. Where they are not, copies between them go through the host's memory.
func (d *Device) Reach(other *Device) {
	_ = d.do(CtxEnablePeerAccess, other.context, 0)
}

// Write copies from to the card, from any memory of the host, and returns when all
// that was queued in s has run.
func Write[T any](s *Stream, address uintptr, from []T) error {
	return transfer(s, from, func(host, n uintptr) error {
		return s.device.do(MemcpyHtoDAsync, address, host, n, s.handle)
	})
}

// Read copies from the card into to, any memory of the host, and returns when it is
// there.
func Read[T any](s *Stream, to []T, address uintptr) error {
	return transfer(s, to, func(host, n uintptr) error {
		return s.device.do(MemcpyDtoHAsync, host, address, n, s.handle)
	})
}

func transfer[T any](s *Stream, list []T, do func(host, n uintptr) error) error {
	if len(list) == 0 {
		return nil
	}
	err := do(uintptr(unsafe.Pointer(&list[0])), uintptr(len(list))*unsafe.Sizeof(list[0]))
	if err == nil {
		err = s.Wait()
	}
	runtime.KeepAlive(list)
	return err
}
