package runfolder

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// This file writes a folder that is no run: all of it, or nothing.

// WriteFolder makes the folder path, which must not be there (fs.ErrExist). write makes a folder of
// the name that it is given, with all that belongs into it; path then is that folder, whole, or is
// not there, also when the process is killed or the power fails. What becomes of folders that are
// missing, and of remains, is as in [WriteFile].
func WriteFolder(path string, write func(dir string) error) error {
	writers.Add(1)
	defer writers.Add(-1)
	path = filepath.Clean(path)
	if _, err := system.Lstat(path); err == nil {
		return &fs.PathError{Op: "mkdir", Path: path, Err: fs.ErrExist}
	}
	dir, base := filepath.Dir(path), filepath.Base(path)
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
	err = write(part)
	if err == nil {
		err = last(part)
	}
	if err == nil {
		err = system.Rename(part, path)
	}
	if err != nil {
		removeAll(part)
		return err
	}
	return system.SyncDir(dir)
}

// last makes a folder last, and all that is in it.
func last(dir string) error {
	entries, err := system.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if e.IsDir() {
			err = last(name)
		} else {
			err = system.Patch(name, 0, nil)
		}
		if err != nil {
			return err
		}
	}
	return system.SyncDir(dir)
}
