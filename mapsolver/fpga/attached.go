package fpga

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// This file finds the board that the environment names.

// A BoardMap says where things are.
type BoardMap struct {
	Registers   string // file with the registers
	RegistersAt int64  // byte offset in that file, a multiple of the page size; 0 for /dev/uio0

	Memory      string // file with the memory that both sides see, uncached or coherent
	MemoryAt    int64  // byte offset in that file, a multiple of the page size
	MemoryBytes int    // size, a multiple of 8
	// Address is that of the memory as the accelerator sees it, below 4 GiB and a
	// multiple of 64; with /dev/mem it is MemoryAt.
	Address uint64
}

// BoardVariable is the environment variable that says where the accelerator of [Attached] is: see
// [ParseBoardMap].
const BoardVariable = "MTT_FPGA_BOARD"

// ErrBoard is wrapped by errors about what [BoardVariable] says.
var ErrBoard = errors.New("fpga: " + BoardVariable + " is REGISTERS[@OFFSET],MEMORY[@OFFSET],BYTES,ADDRESS")

// ParseBoardMap reads the file of the registers, that of the memory, each with an offset in bytes where
// there is one, the bytes of the memory and its address as the accelerator sees it, such as
//
//	/dev/uio0,/dev/udmabuf0,0x100000,0x1f400000
//	/dev/mem@0x43c00000,/dev/mem@0x1f400000,0x100000,0x1f400000
func ParseBoardMap(text string) (m BoardMap, err error) {
	words := strings.Split(text, ",")
	if len(words) != 4 {
		return m, fmt.Errorf("%w, not %q", ErrBoard, text)
	}
	number := func(word string) int64 {
		x, e := strconv.ParseInt(word, 0, 64)
		if e != nil && err == nil {
			err = fmt.Errorf("%w: %q is no number", ErrBoard, word)
		}
		return x
	}
	file := func(word string) (name string, at int64) {
		name, offset, ok := strings.Cut(word, "@")
		if ok {
			at = number(offset)
		}
		return name, at
	}
	m.Registers, m.RegistersAt = file(words[0])
	m.Memory, m.MemoryAt = file(words[1])
	m.MemoryBytes, m.Address = int(number(words[2])), uint64(number(words[3]))
	return m, err
}

// Attached is the board that [BoardVariable] names, once for the whole program, after a look whether
// an accelerator is there; nil: the variable is not set. The solvers of a program may share it.
var Attached = sync.OnceValues(func() (Bus, error) {
	text := os.Getenv(BoardVariable)
	if text == "" {
		return nil, nil
	}
	return attach(text)
})

func attach(text string) (Bus, error) {
	m, err := ParseBoardMap(text)
	if err != nil {
		return nil, err
	}
	bus, err := openBoard(m)
	if err != nil {
		return nil, err
	}
	if _, err := OpenDevice(bus); err != nil {
		return nil, errors.Join(err, bus.Close())
	}
	return bus, nil
}
