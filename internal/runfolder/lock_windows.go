package runfolder

// This file locks files on Windows.

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks f until it is closed, or returns errHeld. It locks a byte far behind
// the end, so that the content can be read all the same.
func lockFile(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 20})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}
