// Package cuda runs kernels on an NVIDIA card through the driver's library, in pure
// Go: no cgo, no CUDA toolkit, nothing but the driver at run time.
//
//	device, err := cuda.Default()
//	module, err := device.Load(ptx)
//	kernel, err := module.Kernel("saxpy")
//	stream, err := device.NewStream()
//	err = stream.Launch(kernel, cuda.Shape{Blocks: 80, Threads: 256}, task)
//	err = stream.Wait()
//
// The binding is built with the tag cuda. Without it, or without a driver or a
// card, [Default] returns an error that wraps [ErrUnavailable] and says why.
//
// # The driver
//
// A [Library] is the driver as a table of functions. It is libcuda.so.1, or what
// the variable MTT_CUDA_LIBRARY names, which tests set to an emulator. The
// functions take words and addresses and return a code; those that changed since
// they were first published are called by their newer names, such as
// cuMemAlloc_v2 [1, §6].
//
// A context belongs to a thread of the operating system, so each method locks
// its goroutine to its thread and makes the context current, which takes 0.2 µs.
// Memory that the driver reads or writes during a call lies on the heap, inside
// the object whose method it is, because stacks of goroutines move.
//
// # Faults
//
// A kernel that reads a bad address or does not end leaves the context unusable,
// and no call of the process repairs it. The [Device] remembers the first such
// [Error], and every later call returns it: see [Device.Fault]. Running out of
// memory is no such fault.
//
// [1] NVIDIA. CUDA Driver API, reference manual, version 13.0.
package cuda
