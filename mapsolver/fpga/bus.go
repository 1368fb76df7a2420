package fpga

import "context"

// This file is the seam between the driver and what it drives.

// A Bus reaches an accelerator: its registers and a piece of memory that both
// sides see. The driver cannot tell a model from a simulation or a board.
type Bus interface {
	ReadRegister(r Register) (uint32, error)
	WriteRegister(r Register, v uint32) error

	// Memory is the byte address of the shared memory as the accelerator sees it, a
	// multiple of 64, and its size in 64-bit words.
	Memory() (address uint64, words int)
	// ReadMemory and WriteMemory copy words from and to an offset in that memory.
	ReadMemory(dst []uint64, offset int) error
	WriteMemory(offset int, src []uint64) error

	// Wait returns when RegFinished reads 1, or ctx ends, or the accelerator cannot
	// be reached any more.
	Wait(ctx context.Context) error

	Close() error
}
