//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package runfolder

// This file locks files where the system has flock.

import (
	"os"
	"syscall"
)

// lockFile locks f until it is closed, or returns errHeld.
func lockFile(f *os.File) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return errHeld
		case syscall.ENOSYS, syscall.ENOTSUP, syscall.ENOLCK, syscall.EBADF:
			return nil // a file system without locks: as good as before there were any
		default:
			return err
		}
	}
}
