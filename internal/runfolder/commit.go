package runfolder

// This file changes a folder in one step, whatever happens on the way.
//
// Files are collected in the folder draftDir, and made to last while the next are written. Commit
// waits for that, adds a manifest, which lists them and what is to go, makes it last on the disk,
// too, and renames draftDir to commitDir. This is the step: before it, nothing of the run has
// changed, and the next writer throws the draft away; after it, rollForward does what the manifest
// says, here or, when this process dies, in the next Open or Create. It can be repeated from any
// point: a listed file that is no longer in commitDir has been moved already. Nothing is removed or
// moved before the step has reached the disk, and the manifest goes last.
//
// It relies on what journalling file systems (ext4, XFS, APFS, NTFS) do: a rename
// happens wholly or not at all, and changes of names reach the disk in their order. The
// content of files is made to last by fsync.
//
// After: the write-ahead logs of databases; J. Gray, A. Reuter, Transaction Processing,
// Morgan Kaufmann 1993, chapter 10 (redo).

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Names within a run folder while it is being written.
const (
	draftDir     = temporaryPrefix + "draft"
	commitDir    = temporaryPrefix + "commit"
	lockName     = temporaryPrefix + "lock"
	manifestFile = ".manifest" // in both folders
)

// An edit is what has been collected for the next Commit.
type edit struct {
	dir   string
	lock  io.Closer
	fresh bool     // dir was made by Create
	whole bool     // nothing of the old run stays
	gone  []string // top-level names that go

	mu      sync.Mutex
	lasting []func() error // wait for files of the draft to last
	fault   error          // of those that did not
}

// A manifest says what Commit does.
type manifest struct {
	Remove []string `json:"remove"` // names of dir, but for what is in Files
	Files  []string `json:"files"`  // paths relative to dir, which are moved there
}

// lockWait is how long a lock is waited for: commands that write one file hold it for
// milliseconds.
const lockWait = 500 * time.Millisecond

// lockFolder locks the folder dir, or returns an error that is ErrBusy.
func lockFolder(dir string) (io.Closer, error) {
	for end := time.Now().Add(lockWait); ; time.Sleep(10 * time.Millisecond) {
		lock, err := system.Lock(filepath.Join(dir, lockName))
		if errors.Is(err, errHeld) && time.Now().Before(end) {
			continue
		}
		if errors.Is(err, errHeld) {
			err = fmt.Errorf("run folder %s: %w", dir, ErrBusy)
		}
		return lock, err
	}
}

// Create begins a new run in the folder dir, which must be a run folder, be empty or
// not exist. Nothing in it changes before Commit, which removes the files of the run
// that stood there. Call Discard in any case: after Commit it does nothing.
func Create(dir string, meta *Meta) (*Folder, error) {
	_, err := system.Lstat(dir)
	fresh := errors.Is(err, fs.ErrNotExist)
	if err := system.MkdirAll(dir); err != nil {
		return nil, err
	}
	if err := mayReplace(dir); err != nil { // before anything is written there
		return nil, err
	}
	e, err := begin(dir, fresh)
	if err != nil {
		return nil, err
	}
	e.whole = true
	return &Folder{Dir: dir, Meta: *meta, edit: e, stamp: make(stamp)}, nil
}

// Edit begins to collect changes of the folder until Commit, unless it is another than when it
// was opened. Call Discard in any case.
func (f *Folder) Edit() error {
	if f.edit != nil {
		return nil
	}
	e, err := begin(f.Dir, false)
	if err != nil {
		return err
	}
	if err := f.Unchanged(); err != nil {
		e.discard()
		return err
	}
	f.edit = e
	return nil
}

// begin locks dir, clears away what killed processes left, and makes a draft.
func begin(dir string, fresh bool) (*edit, error) {
	lock, err := lockFolder(dir)
	if err != nil {
		return nil, err
	}
	e := &edit{dir: dir, lock: lock, fresh: fresh}
	err = rollForward(dir)
	if err == nil {
		err = removeTemporary(dir)
	}
	if err == nil {
		err = system.MkdirAll(filepath.Join(dir, draftDir))
	}
	if err != nil {
		e.discard()
		return nil, err
	}
	return e, nil
}

// mayReplace is the error for a folder that is neither empty nor a run folder. A
// run.toml with impossible values is that of a run all the same.
func mayReplace(dir string) error {
	entries, err := system.ReadDir(dir)
	if err != nil {
		return err
	}
	other := ""
	for _, entry := range entries {
		switch name := entry.Name(); {
		case name == RunFile:
			if meta, err := readMeta(dir); meta == nil {
				return fmt.Errorf("%w; %s is left alone", err, dir)
			}
			return nil
		case name == commitDir:
			return nil // a run that has not got its run.toml yet
		case other == "" && !strings.HasPrefix(name, temporaryPrefix):
			other = name
		}
	}
	if other != "" {
		return fmt.Errorf("%s holds %s and is %w; it is left alone", dir, other, ErrNotRunFolder)
	}
	return nil
}

// removeTemporary removes what is only there while something is written, but for the
// lock.
func removeTemporary(dir string) error {
	entries, err := system.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if name := entry.Name(); strings.HasPrefix(name, temporaryPrefix) && name != lockName {
			if err := removeAll(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// path is where the file name is, or will be written.
func (e *edit) path(name string) string {
	draft := filepath.Join(e.dir, draftDir, name)
	if e.whole || slices.Contains(e.gone, topOf(name)) {
		return draft
	}
	if _, err := system.Lstat(draft); err == nil {
		return draft
	}
	return filepath.Join(e.dir, name)
}

// writeFile writes a file of the draft, which must be one of known or below it: others
// would never be removed. Whether it lasts is asked by settle, so that nobody waits for the disk before.
func (e *edit) writeFile(name string, write func(io.Writer) error) error {
	writers.Add(1)
	defer writers.Add(-1)
	if err := (&manifest{Files: []string{name}}).check(); err != nil {
		return err
	}
	path := filepath.Join(e.dir, draftDir, name)
	if err := system.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	s, err := fill(path, 0o666, write)
	if err != nil {
		return errors.Join(err, removeAll(path))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.lasting) == mostLasting {
		e.fault = errors.Join(e.fault, e.lasting[0]())
		e.lasting = e.lasting[1:]
	}
	e.lasting = append(e.lasting, soon(s.end))
	return nil
}

// mostLasting is how many files are made to last while others are written: each is open, and keeps a thread.
const mostLasting = 16

// settle waits until the files of the draft last, or returns why one does not.
func (e *edit) settle() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, wait := range e.lasting {
		e.fault = errors.Join(e.fault, wait())
	}
	e.lasting = nil
	return e.fault
}

// adopt is writeFile of what another file of the folder holds.
func (e *edit) adopt(name, from string, write func(io.Writer) error) error {
	writers.Add(1)
	defer writers.Add(-1)
	if err := (&manifest{Files: []string{name}}).check(); err != nil {
		return err
	}
	path := filepath.Join(e.dir, draftDir, name)
	if err := system.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	if err := errors.Join(e.settle(), removeAll(path)); err != nil {
		return err
	}
	if system.Link(filepath.Join(e.dir, from), path) == nil {
		return nil
	}
	return e.writeFile(name, write)
}

// patch overwrites a part of a file of the draft.
func (e *edit) patch(name string, at int64, b []byte) error {
	writers.Add(1)
	defer writers.Add(-1)
	return system.Patch(filepath.Join(e.dir, draftDir, name), at, b)
}

// remove notes what is to go, and takes it out of the draft.
func (e *edit) remove(names []string) error {
	if err := e.settle(); err != nil {
		return err
	}
	for _, name := range names {
		if err := removeAll(filepath.Join(e.dir, draftDir, name)); err != nil {
			return err
		}
		if !slices.Contains(e.gone, name) {
			e.gone = append(e.gone, name)
		}
	}
	return nil
}

// Commit makes what was collected since Create or Edit the content of the folder, all
// or nothing of it, and ends the edit.
func (f *Folder) Commit() error {
	writers.Add(1)
	defer writers.Add(-1)
	e := f.edit
	if e.whole {
		if err := e.writeFile(RunFile, f.Meta.encode); err != nil {
			return err
		}
		e.gone = known
	}
	if err := e.settle(); err != nil {
		return err
	}
	draft := filepath.Join(e.dir, draftDir)
	files, err := e.files(".")
	if err != nil {
		return err
	}
	text, err := json.Marshal(manifest{Remove: e.gone, Files: files})
	if err != nil {
		return err
	}
	if err := writeNew(filepath.Join(draft, manifestFile), 0o666, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}); err != nil {
		return err
	}
	for _, dir := range foldersOf(files) {
		if err := system.SyncDir(filepath.Join(draft, dir)); err != nil {
			return err
		}
	}
	if err := system.Rename(draft, filepath.Join(e.dir, commitDir)); err != nil {
		return err
	}
	f.edit = nil
	if err := system.SyncDir(e.dir); err != nil {
		return errors.Join(err, e.lock.Close())
	}
	if e.fresh {
		if err := system.SyncDir(filepath.Dir(filepath.Clean(e.dir))); err != nil {
			return errors.Join(err, e.lock.Close())
		}
	}
	err = rollForward(e.dir)
	f.stamp = stampOf(e.dir)
	return errors.Join(err, e.lock.Close())
}

// topOf is the first name of a relative path.
func topOf(name string) string {
	top, _, _ := strings.Cut(filepath.ToSlash(name), "/")
	return top
}

// files are those of the draft below dir, ascending. Some may have been written there by
// their path: they are as lasting as whoever wrote them has made them.
func (e *edit) files(dir string) ([]string, error) {
	entries, err := system.ReadDir(filepath.Join(e.dir, draftDir, dir))
	if err != nil {
		return nil, err
	}
	var list []string
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		if name == manifestFile {
			continue
		}
		if !entry.IsDir() {
			list = append(list, name)
			continue
		}
		below, err := e.files(name)
		if err != nil {
			return nil, err
		}
		list = append(list, below...)
	}
	return list, nil
}

// foldersOf are the folders of relative paths, "." first, ascending.
func foldersOf(files []string) []string {
	dirs := []string{"."}
	for _, name := range files {
		for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// Discard gives up what was collected since Create or Edit, and removes the folder
// where Create made it. After Commit it does nothing.
func (f *Folder) Discard() {
	if f.edit != nil {
		f.edit.discard()
		f.edit = nil
	}
}

func (e *edit) discard() {
	e.settle() // who closes a file has it open no more
	removeAll(filepath.Join(e.dir, draftDir))
	e.lock.Close()
	if e.fresh {
		system.Remove(e.dir) // fails when somebody has put something there
	}
}

// rollForward completes the Commit whose step has been made in the locked folder dir,
// if there is one.
func rollForward(dir string) error {
	from := filepath.Join(dir, commitDir)
	if _, err := system.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	text, err := system.ReadFile(filepath.Join(from, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return removeAll(from) // all is done but this
	}
	if err != nil {
		return err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(from, manifestFile), err)
	}
	if err := m.check(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(from, manifestFile), err)
	}
	for _, name := range m.Remove {
		if err := m.removeOld(dir, name); err != nil {
			return err
		}
	}
	for _, name := range m.Files {
		if err := move(dir, name); err != nil {
			return err
		}
	}
	for _, sub := range foldersOf(m.Files) {
		if err := system.SyncDir(filepath.Join(dir, sub)); err != nil {
			return err
		}
	}
	if err := system.Remove(filepath.Join(from, manifestFile)); err != nil {
		return err
	}
	return removeAll(from)
}

// check refuses a manifest that reaches beyond the run folder: the folder may come
// from a stranger.
func (m *manifest) check() error {
	for _, name := range m.Remove {
		if !slices.Contains(known, name) {
			return fmt.Errorf("it removes %q, which is no file of a run", name)
		}
	}
	for _, name := range m.Files {
		if !filepath.IsLocal(name) || !slices.Contains(known, topOf(name)) {
			return fmt.Errorf("it writes %q, which is no file of a run", name)
		}
	}
	return nil
}

// removeOld removes name and all below it, but for files that are listed and so may
// be new.
func (m *manifest) removeOld(dir, name string) error {
	if slices.Contains(m.Files, name) {
		return nil
	}
	path := filepath.Join(dir, name)
	info, err := system.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		entries, err := system.ReadDir(path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := m.removeOld(dir, filepath.Join(name, e.Name())); err != nil {
				return err
			}
		}
		if slices.Contains(foldersOf(m.Files), name) {
			return nil
		}
	}
	return system.Remove(path)
}

// move moves a listed file to its place, unless that has been done.
func move(dir, name string) error {
	from, to := filepath.Join(dir, commitDir, name), filepath.Join(dir, name)
	if _, err := system.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := system.MkdirAll(filepath.Dir(to)); err != nil {
		return err
	}
	if info, err := system.Lstat(to); err == nil && info.IsDir() {
		if err := removeAll(to); err != nil {
			return err
		}
	}
	return system.Rename(from, to)
}
