package cuda

import (
	"runtime"
	"unsafe"
)

// This file holds graphs: launches that are recorded once and then cost the host
// one call together.

// A Graph is a sequence of launches that a card has taken note of.
type Graph struct {
	device *Device
	out    uintptr
	handle uintptr
}

// Capture takes note of what do launches on s, in place of running it. Copies of
// memory that is not pinned cannot be recorded. The error has the code
// [NotSupported] when the driver has no graphs.
func (s *Stream) Capture(do func() error) (*Graph, error) {
	d, g := s.device, &Graph{device: s.device}
	const relaxed = 2 // the goroutine may move to another thread meanwhile
	if err := d.do(StreamBeginCapture, s.handle, relaxed); err != nil {
		return nil, err
	}
	err := do()
	if e := d.do(StreamEndCapture, s.handle, uintptr(unsafe.Pointer(&g.out))); err == nil {
		err = e
	}
	captured := g.out
	if err == nil {
		err = d.do(GraphInstantiate, uintptr(unsafe.Pointer(&g.handle)), captured, 0)
	}
	if captured != 0 {
		if e := d.do(GraphDestroy, captured); err == nil {
			err = e
		}
	}
	runtime.KeepAlive(g)
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Replay runs what g recorded, in the order of s.
func (s *Stream) Replay(g *Graph) error { return s.device.do(GraphLaunch, g.handle, s.handle) }

// Free gives the graph back; a nil graph is none.
func (g *Graph) Free() error {
	if g == nil || g.handle == 0 {
		return nil
	}
	err := g.device.do(GraphExecDestroy, g.handle)
	g.handle = 0
	return err
}
