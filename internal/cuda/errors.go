package cuda

import (
	"errors"
	"fmt"
)

// This file says what can go wrong.

// ErrUnavailable is wrapped by the errors of [Default] and [Open]: there is no
// card that this program can use. The error says why.
var ErrUnavailable = errors.New("no CUDA card can be used")

// A Code is what a function of the driver returns; 0 is success.
type Code int32

// Codes that callers tell apart [1, CUresult].
const (
	Success      Code = 0
	OutOfMemory  Code = 2
	NotSupported Code = 801
)

// An Error is a call that the driver refused.
type Error struct {
	Call string // the function
	Code Code
	Name string // of the code, as the driver spells it
	Log  string // what the compiler said of a module, if it did
}

// Error is the call, the code and the log.
func (e *Error) Error() string {
	s := fmt.Sprintf("cuda: %s: %s (%d)", e.Call, e.Name, e.Code)
	if e.Log != "" {
		s += ": " + e.Log
	}
	return s
}

// Sticky says whether the context is lost: every later call of this process
// fails as well.
func (e *Error) Sticky() bool {
	switch e.Code {
	case 700, // illegal address
		702,                     // launch timeout
		710,                     // assert
		714, 715, 716, 717, 718, // hardware stack, instruction, alignment, address space, program counter
		719, // launch failed
		214, // uncorrectable memory error
		999: // unknown
		return true
	}
	return false
}
