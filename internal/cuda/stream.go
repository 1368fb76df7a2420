package cuda

import (
	"runtime"
	"unsafe"
)

// This file launches kernels.

// A Stream is a queue of copies and launches that run one after the other. It is
// for one goroutine at a time.
type Stream struct {
	device *Device
	handle uintptr
	io     streamIO
}

// A streamIO is what the driver reads and writes. The layouts are those of
// CUlaunchConfig and CUlaunchAttribute [1].
type streamIO struct {
	out    uintptr
	config struct {
		grid, block [3]uint32
		shared      uint32
		_           uint32
		stream      uintptr
		attributes  *launchAttribute
		n, _        uint32
	}
	attribute launchAttribute
	arguments [1]*byte
	task      [maxTask]byte
}

type launchAttribute struct {
	id, _ uint32
	value [16]uint32
}

// maxTask is the size of the largest task.
const maxTask = 512

// Attributes of a launch [1, CUlaunchAttributeID].
const (
	attributeCooperative = 2
	attributeCluster     = 4
)

// NewStream makes a stream.
func (d *Device) NewStream() (*Stream, error) {
	s := &Stream{device: d}
	const notWithDefault = 1 // does not wait for the default stream
	if err := d.do(StreamCreate, uintptr(unsafe.Pointer(&s.io.out)), notWithDefault); err != nil {
		return nil, err
	}
	s.handle = s.io.out
	runtime.KeepAlive(s)
	return s, nil
}

// Free destroys the stream once all that was queued has run; a nil stream is none.
func (s *Stream) Free() error {
	if s == nil {
		return nil
	}
	return s.device.do(StreamDestroy, s.handle)
}

// A Shape is how many threads run a kernel.
type Shape struct {
	Blocks, Threads int
	Shared          int  // bytes of shared memory for each block
	Cluster         int  // blocks in a cluster; 0: no clusters
	Together        bool // all blocks run at the same time, or the launch fails
}

const badTask = "cuda: a task has more than 512 bytes"

// Launch runs a kernel with one argument, task, a struct without Go pointers in the
// layout of C. It returns before the kernel has run; its faults appear in a later
// call.
func Launch[Task any](s *Stream, k Kernel, shape Shape, task *Task) error {
	size := int(unsafe.Sizeof(*task))
	if size > maxTask {
		panic(badTask)
	}
	io := &s.io
	copy(io.task[:], unsafe.Slice((*byte)(unsafe.Pointer(task)), size))
	io.arguments[0] = &io.task[0]
	c := &io.config
	c.grid = [3]uint32{uint32(shape.Blocks), 1, 1}
	c.block = [3]uint32{uint32(shape.Threads), 1, 1}
	c.shared = uint32(shape.Shared)
	c.stream = s.handle
	c.attributes, c.n = nil, 0
	if shape.Cluster > 0 {
		io.attribute = launchAttribute{id: attributeCluster, value: [16]uint32{uint32(shape.Cluster), 1, 1}}
		c.attributes, c.n = &io.attribute, 1
	}
	if shape.Together {
		io.attribute = launchAttribute{id: attributeCooperative, value: [16]uint32{1}}
		c.attributes, c.n = &io.attribute, 1
	}
	err := s.device.do(LaunchKernelEx, uintptr(unsafe.Pointer(c)), k.handle, uintptr(unsafe.Pointer(&io.arguments)), 0)
	runtime.KeepAlive(s)
	return err
}

// Wait returns when all that was queued has run.
func (s *Stream) Wait() error { return s.device.do(StreamSynchronize, s.handle) }

// An Event is a point in a stream, for measuring time. It is never destroyed:
// record it again.
type Event struct {
	device *Device
	handle uintptr
	out    uintptr
	millis float32
}

// Record marks the point that s has reached; a nil e makes an event.
func (s *Stream) Record(e *Event) (*Event, error) {
	if e == nil {
		e = &Event{device: s.device}
		if err := s.device.do(EventCreate, uintptr(unsafe.Pointer(&e.out)), 0); err != nil {
			return nil, err
		}
		e.handle = e.out
	}
	return e, s.device.do(EventRecord, e.handle, s.handle)
}

// After has what is queued in s from now on wait for e, which may be of another card.
func (s *Stream) After(e *Event) error { return s.device.do(StreamWaitEvent, s.handle, e.handle, 0) }

// Since is the time from a to e in milliseconds; it waits for e.
func (e *Event) Since(a *Event) (float64, error) {
	if err := e.device.do(EventSynchronize, e.handle); err != nil {
		return 0, err
	}
	err := e.device.do(EventElapsedTime, uintptr(unsafe.Pointer(&e.millis)), a.handle, e.handle)
	runtime.KeepAlive(e)
	return float64(e.millis), err
}
