package runfolder

// This file writes single files so that they are whole or not there.

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// temporaryPrefix begins the name of everything that is there only while something is
// being written.
const temporaryPrefix = ".mtt-"

// WriteFile writes a file so that path holds the old content or all of the new, never
// a part, also when the process is killed or the power fails: it writes beside it,
// makes that last on the disk, and renames. A link stays one, and what is no regular
// file, such as a pipe or a device, is written to. Missing folders are made. The
// remains of killed processes that wrote the same file are removed.
func WriteFile(path string, write func(io.Writer) error) error {
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() && !info.IsDir() {
			return writeThrough(path, write)
		}
		mode = info.Mode().Perm()
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
	}
	return writeBeside(path, mode, write)
}

// writeThrough writes to what is no regular file.
func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	return errors.Join(err, f.Close())
}

// writers counts the goroutines that are writing.
var writers atomic.Int32

// Writing says whether some file of a run or some file by WriteFile is being written: a
// bad moment to end the process.
func Writing() bool { return writers.Load() > 0 }

// writeBeside writes the regular file path.
func writeBeside(path string, mode fs.FileMode, write func(io.Writer) error) error {
	writers.Add(1)
	defer writers.Add(-1)
	dir, base := filepath.Split(path)
	dir = filepath.Clean(dir)
	if err := system.MkdirAll(dir); err != nil {
		return err
	}
	removeRemains(dir, base)
	name := fmt.Sprintf("%s%d-%s", temporaryPrefix, os.Getpid(), base)
	lock, err := system.Lock(filepath.Join(dir, name+lockSuffix))
	if err != nil {
		return fmt.Errorf("%s is being written elsewhere: %w", path, err)
	}
	defer lock.Close()
	part := filepath.Join(dir, name)
	if err := writeNew(part, mode, write); err != nil {
		system.Remove(part)
		return err
	}
	if err := system.Rename(part, path); err != nil {
		system.Remove(part)
		return err
	}
	return system.SyncDir(dir)
}

// writeNew writes a file and makes its content last.
func writeNew(path string, mode fs.FileMode, write func(io.Writer) error) error {
	s, err := fill(path, mode, write)
	if err != nil {
		return err
	}
	return s.end()
}

// fill writes a file of which nothing lasts before the end of its syncer.
func fill(path string, mode fs.FileMode, write func(io.Writer) error) (*syncer, error) {
	f, err := system.Create(path, mode)
	if err != nil {
		return nil, err
	}
	s := &syncer{file: f}
	w := bufio.NewWriterSize(s, 1<<16)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return nil, errors.Join(err, s.finish(false), f.Close())
	}
	return s, nil
}

// soon begins to do what the disk takes a while for, and returns what waits for it.
var soon = func(do func() error) (wait func() error) {
	done := make(chan error, 1)
	go func() { done <- do() }()
	return func() error { return <-done }
}

// ahead is how much of a file is written, in bytes, before what there is of it is made to last.
const ahead = 64 << 20

// A syncer makes a file last while it is being written: the disk works while the next rows are made.
type syncer struct {
	file
	news    int        // bytes since the last call of Sync
	syncing chan error // nil: nobody calls it now
	fault   error      // of earlier calls, of which the system tells once
}

func (s *syncer) Write(p []byte) (int, error) {
	if s.news >= ahead {
		if s.syncing != nil {
			select {
			case err := <-s.syncing:
				s.fault, s.syncing = errors.Join(s.fault, err), nil
			default:
			}
		}
		if s.syncing == nil {
			done := make(chan error, 1)
			s.syncing, s.news = done, 0
			go func() { done <- s.file.Sync() }()
		}
	}
	n, err := s.file.Write(p)
	s.news += n
	return n, err
}

// finish waits until nobody is at work on the file, and makes all of it last if that is wanted.
func (s *syncer) finish(last bool) error {
	if s.syncing != nil {
		s.fault = errors.Join(s.fault, <-s.syncing)
	}
	if last && s.fault == nil {
		s.fault = s.file.Sync()
	}
	return s.fault
}

// end makes all of the file last, and closes it.
func (s *syncer) end() error { return errors.Join(s.finish(true), s.Close()) }

// lockSuffix ends the name of the lock of a file that is being written.
const lockSuffix = ".lock"

// removeRemains removes what killed processes left that wrote the file base of dir:
// their parts, whose locks nobody holds any more.
func removeRemains(dir, base string) {
	entries, err := system.ReadDir(dir)
	if err != nil {
		return // writing will say why
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), lockSuffix)
		owner, ok := strings.CutSuffix(name, "-"+base)
		owner, ours := strings.CutPrefix(owner, temporaryPrefix)
		if !ok || !ours || owner == "" || strings.Trim(owner, "0123456789") != "" {
			continue
		}
		if lock, err := system.Lock(filepath.Join(dir, name+lockSuffix)); err == nil {
			removeAll(filepath.Join(dir, name))
			lock.Close()
		}
	}
}
