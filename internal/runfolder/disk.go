package runfolder

// This file defines what writing needs of a file system, so that tests can make the
// n-th operation fail, or cut the power after it.

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"mtt/internal/tomlfile"
)

// A disk is a file system.
type disk interface {
	Create(name string, mode fs.FileMode) (file, error) // empties a file that is there
	ReadFile(name string) ([]byte, error)               // small ones
	Lstat(name string) (fs.FileInfo, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	MkdirAll(name string) error
	Rename(from, to string) error
	Link(from, to string) error                  // a second name for a file; may be more than the file system can do
	Remove(name string) error                    // a file, or an empty folder
	Patch(name string, at int64, b []byte) error // overwrites a part of a file, and makes it last
	SyncDir(name string) error                   // makes the entries of a folder last
	Lock(name string) (io.Closer, error)         // errHeld when another has it; Close gives it back
}

// A file is being written.
type file interface {
	io.WriteCloser
	Sync() error // makes the content last
}

// errHeld is returned for a lock that another process has.
var errHeld = errors.New("another process holds the lock")

// system is the file system in use; tests replace it.
var system disk = realDisk{}

// realDisk is the file system of the operating system.
type realDisk struct{}

func (realDisk) Create(name string, mode fs.FileMode) (file, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
}

// ReadFile reads the beginning of a file: more than TOML may have.
func (realDisk) ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, tomlfile.MaxBytes+1))
}
func (realDisk) Lstat(name string) (fs.FileInfo, error)     { return os.Lstat(name) }
func (realDisk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }
func (realDisk) MkdirAll(name string) error                 { return os.MkdirAll(name, 0o777) }
func (realDisk) Rename(from, to string) error               { return os.Rename(from, to) }
func (realDisk) Link(from, to string) error                 { return os.Link(from, to) }
func (realDisk) Remove(name string) error                   { return os.Remove(name) }

func (realDisk) Patch(name string, at int64, b []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, at)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// SyncDir does nothing on systems that cannot open folders.
func (realDisk) SyncDir(name string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		return nil
	}
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, os.ErrInvalid) {
		err = nil // some network file systems
	}
	return errors.Join(err, d.Close())
}

// Lock locks a file, which is there only while somebody holds it or has died
// holding it: the lock itself ends with its process.
func (realDisk) Lock(name string) (io.Closer, error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := lockFile(f); err != nil {
			f.Close()
			return nil, err
		}
		mine, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		if there, err := os.Stat(name); err == nil && os.SameFile(mine, there) {
			return &heldLock{f}, nil
		}
		f.Close() // its holder removed it between our opening and locking it
	}
}

// A heldLock is the locked file.
type heldLock struct{ *os.File }

// Close removes the file and unlocks it, in the order that the system can do.
func (l *heldLock) Close() error {
	if runtime.GOOS == "windows" {
		err := l.File.Close()
		os.Remove(l.Name())
		return err
	}
	os.Remove(l.Name())
	return l.File.Close()
}

// removeAll removes name and all below it; links are not followed. What is not there
// is no error.
func removeAll(name string) error {
	info, err := system.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		entries, err := system.ReadDir(name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := removeAll(filepath.Join(name, e.Name())); err != nil {
				return err
			}
		}
	}
	return system.Remove(name)
}
