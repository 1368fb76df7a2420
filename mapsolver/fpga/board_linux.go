package fpga

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// This file reaches an accelerator on a board, through the files that Linux has for
// registers (/dev/uio0, or /dev/mem) and memory (/dev/mem, or a driver's own).

// A Board is a Bus to memory that a board's accelerator sees. It has been tested on
// files, where another process stood for the accelerator, and on no board.
type Board struct {
	sync.Mutex // held while a problem is solved: the solvers of a program share a board

	registers, memory []byte
	address           uint64
}

// OpenBoard maps registers and memory. It fails where a file is missing or may not
// be mapped, which for /dev/mem takes root.
func OpenBoard(m BoardMap) (*Board, error) {
	if m.MemoryBytes <= 0 || m.MemoryBytes%8 != 0 || m.Address%64 != 0 {
		return nil, fmt.Errorf("fpga: %d bytes at %#x: memory is a multiple of 8 bytes at a multiple of 64", m.MemoryBytes, m.Address)
	}
	registers, err := mapFile(m.Registers, m.RegistersAt, 4*registers)
	if err != nil {
		return nil, err
	}
	memory, err := mapFile(m.Memory, m.MemoryAt, m.MemoryBytes)
	if err != nil {
		return nil, errors.Join(err, syscall.Munmap(registers))
	}
	return &Board{registers: registers, memory: memory, address: m.Address}, nil
}

// mapFile maps a piece of a file, shared and not cached where the file knows how.
func mapFile(name string, at int64, size int) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_SYNC, 0)
	if err != nil {
		return nil, fmt.Errorf("fpga: %w", err)
	}
	defer f.Close() // the mapping stays
	data, err := syscall.Mmap(int(f.Fd()), at, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("fpga: mapping %d bytes of %s at %#x: %w", size, name, at, err)
	}
	return data, nil
}

// register is where a register is: it is read and written as a whole, in order.
func (b *Board) register(r Register) *uint32 { return (*uint32)(unsafe.Pointer(&b.registers[4*r])) }

// ReadRegister implements [Bus].
func (b *Board) ReadRegister(r Register) (uint32, error) {
	return atomic.LoadUint32(b.register(r)), nil
}

// WriteRegister implements [Bus].
func (b *Board) WriteRegister(r Register, v uint32) error {
	atomic.StoreUint32(b.register(r), v)
	return nil
}

// Memory implements [Bus].
func (b *Board) Memory() (address uint64, words int) { return b.address, len(b.memory) / 8 }

// words are n words of the memory from an offset.
func (b *Board) words(offset, n int) ([]uint64, error) {
	if offset < 0 || n < 0 || offset+n > len(b.memory)/8 {
		return nil, fmt.Errorf("fpga: there are no %d words at %d in %d", n, offset, len(b.memory)/8)
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&b.memory[0])), len(b.memory)/8)[offset : offset+n], nil
}

// ReadMemory implements [Bus].
func (b *Board) ReadMemory(dst []uint64, offset int) error {
	src, err := b.words(offset, len(dst))
	copy(dst, src)
	return err
}

// WriteMemory implements [Bus].
func (b *Board) WriteMemory(offset int, src []uint64) error {
	dst, err := b.words(offset, len(src))
	copy(dst, src)
	return err
}

// Wait implements [Bus]. It looks every 20 µs.
func (b *Board) Wait(ctx context.Context) error {
	for atomic.LoadUint32(b.register(RegFinished))&1 == 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		time.Sleep(20 * time.Microsecond)
	}
	return nil
}

// Close implements [Bus].
func (b *Board) Close() error {
	return errors.Join(syscall.Munmap(b.registers), syscall.Munmap(b.memory))
}

func openBoard(m BoardMap) (Bus, error) { return OpenBoard(m) }
