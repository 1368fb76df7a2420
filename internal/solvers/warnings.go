package solvers

// This file keeps what solvers and devices say of troubles that stop nothing, such as a card
// that has failed, for the command to print.

import "sync"

var warnings struct {
	sync.Mutex
	list []error
}

// Warn keeps err. It may be called from several goroutines.
func Warn(err error) {
	warnings.Lock()
	defer warnings.Unlock()
	warnings.list = append(warnings.list, err)
}

// Warnings returns what was kept since it was last asked, in the order in which it came.
func Warnings() []error {
	warnings.Lock()
	defer warnings.Unlock()
	list := warnings.list
	warnings.list = nil
	return list
}
