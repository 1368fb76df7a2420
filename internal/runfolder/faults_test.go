package runfolder

// This file makes every operation of writing fail, one after the other: with an error
// once, with a disk that is full from then on, with the end of the process, and with the
// end of the power, after which names are lost from some point on and content that was
// not made to last is torn. What is left must be the old run or the new one, whole.

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What operations that fail return; errDead after the end.
var (
	errIO   = errors.New("input/output error")
	errFull = errors.New("no space left on the disk")
	errDead = errors.New("the process has ended")
)

// A faultDisk fails from its n-th operation that changes something on.
type faultDisk struct {
	disk
	left  int // operations until the fault
	fault func(name string, after int) error
	after int // operations since
}

// step counts an operation and says whether it fails.
func (d *faultDisk) step(name string) error {
	if d.left--; d.left >= 0 {
		return nil
	}
	d.after++
	return d.fault(name, d.after-1)
}

// faults are the ways to fail. The number says how many operations have failed before.
var faults = map[string]func(name string, after int) error{
	"once": func(_ string, after int) error {
		if after == 0 {
			return errIO
		}
		return nil
	},
	"full": func(name string, _ int) error {
		if name == "create" || name == "write" || name == "sync" || name == "mkdir" {
			return errFull
		}
		return nil
	},
	"dead": func(string, int) error { return errDead },
}

func (d *faultDisk) Create(name string, mode fs.FileMode) (file, error) {
	if err := d.step("create"); err != nil {
		return nil, err
	}
	f, err := d.disk.Create(name, mode)
	return &faultFile{f, d}, err
}
func (d *faultDisk) MkdirAll(name string) error {
	return orElse(d.step("mkdir"), func() error { return d.disk.MkdirAll(name) })
}
func (d *faultDisk) Rename(from, to string) error {
	return orElse(d.step("rename"), func() error { return d.disk.Rename(from, to) })
}
func (d *faultDisk) Link(from, to string) error {
	return orElse(d.step("link"), func() error { return d.disk.Link(from, to) })
}
func (d *faultDisk) Remove(name string) error {
	return orElse(d.step("remove"), func() error { return d.disk.Remove(name) })
}

// Patch patches half of b when it fails.
func (d *faultDisk) Patch(name string, at int64, b []byte) error {
	if err := d.step("write"); err != nil {
		if err != errDead {
			d.disk.Patch(name, at, b[:len(b)/2])
		}
		return err
	}
	return d.disk.Patch(name, at, b)
}
func (d *faultDisk) SyncDir(name string) error {
	return orElse(d.step("sync"), func() error { return d.disk.SyncDir(name) })
}
func (d *faultDisk) Lock(name string) (io.Closer, error) {
	if err := d.step("create"); err != nil {
		return nil, err
	}
	l, err := d.disk.Lock(name)
	return &faultLock{l, d}, err
}

// orElse is err, or what do returns when err is nil.
func orElse(err error, do func() error) error {
	if err != nil {
		return err
	}
	return do()
}

type faultFile struct {
	file
	d *faultDisk
}

// Write writes half of b when it fails.
func (f *faultFile) Write(b []byte) (int, error) {
	if err := f.d.step("write"); err != nil {
		n := 0
		if err != errDead {
			n, _ = f.file.Write(b[:len(b)/2])
		}
		return n, err
	}
	return f.file.Write(b)
}
func (f *faultFile) Sync() error { return orElse(f.d.step("sync"), f.file.Sync) }
func (f *faultFile) Close() error {
	err := f.file.Close() // a file that the system closes for a dead process
	return orElse(f.d.step("close"), func() error { return err })
}

// A faultLock stays on the disk when its process dies, but is no longer held.
type faultLock struct {
	io.Closer
	d *faultDisk
}

func (l *faultLock) Close() error {
	err := l.d.step("unlock")
	if held, ok := l.Closer.(*heldLock); ok && err == errDead {
		return held.File.Close()
	}
	return l.Closer.Close()
}

// A change is what a command does to a folder.
type change struct {
	name     string
	old, new map[string]string // content of all files but run.toml; nil old: there is no folder
	do       func(dir string) error
}

// changes are those of mtt simulate or run, mtt track, also in windows, and a command that writes one file.
func changes() []change {
	old := map[string]string{DetectionsFile: "old", TruthFile: "old", TracksFile: "old", "plots/a.svg": "old", "plots/b.svg": "old", "notes.txt": "mine"}
	run := map[string]string{DetectionsFile: "new", TracksFile: strings.Repeat("new", 40000), "plots/b.svg": "new", "plots/c.svg": "new"}
	create := func(dir string) error {
		f, err := Create(dir, sample())
		if err != nil {
			return err
		}
		defer f.Discard()
		for _, name := range slices.Sorted(maps.Keys(run)) {
			if err := f.WriteFile(name, content(run[name])); err != nil {
				return err
			}
		}
		return f.Commit()
	}
	kept := maps.Clone(run)
	kept["notes.txt"] = "mine"
	track := maps.Clone(old)
	delete(track, "plots/a.svg")
	track[TracksFile], track[SolveFile], track["plots/b.svg"] = "new", "new", "new"
	score := maps.Clone(old)
	score[ScoreFile] = "new"
	windowed, tracked := maps.Clone(old), maps.Clone(old)
	windowed[WindowsDir+"/tracks"], tracked[TracksFile] = "new", "new"
	return []change{
		{"adopt", windowed, tracked, func(dir string) error {
			f, err := Open(dir)
			if err != nil {
				return err
			}
			if err := f.Edit(); err != nil {
				return err
			}
			defer f.Discard()
			if err := f.Remove(WindowsDir); err != nil {
				return err
			}
			if err := f.Adopt(TracksFile, WindowsDir+"/tracks", content("new")); err != nil {
				return err
			}
			return f.Commit()
		}},
		{"create", nil, run, create},
		{"replace", old, kept, create},
		{"edit", old, track, func(dir string) error {
			f, err := Open(dir)
			if err != nil {
				return err
			}
			if err := f.Edit(); err != nil {
				return err
			}
			defer f.Discard()
			if err := f.Remove(PlotsDir); err != nil {
				return err
			}
			for _, name := range []string{TracksFile, SolveFile, "plots/b.svg"} {
				if err := f.WriteFile(name, content("nil")); err != nil {
					return err
				}
				if err := f.Patch(name, 1, []byte("ew")); err != nil {
					return err
				}
			}
			return f.Commit()
		}},
		{"one file", old, score, func(dir string) error {
			f, err := Open(dir)
			if err != nil {
				return err
			}
			return f.WriteFile(ScoreFile, content("new"))
		}},
	}
}

// prepare makes the old folder.
func (c *change) prepare(t *testing.T, dir string) {
	t.Helper()
	if c.old == nil {
		return
	}
	f, err := Create(dir, sample())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	for name, text := range c.old {
		if name != "notes.txt" {
			if err := f.WriteFile(name, content(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "notes.txt"), content("mine")); err != nil {
		t.Fatal(err)
	}
}

// contents are the files of dir but run.toml and what is temporary.
func contents(dir string) (map[string]string, error) {
	files := map[string]string{}
	var walk func(name string) error
	walk = func(name string) error {
		entries, err := system.ReadDir(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		for _, e := range entries {
			sub := filepath.Join(name, e.Name())
			switch {
			case strings.HasPrefix(e.Name(), temporaryPrefix) || sub == RunFile:
			case e.IsDir():
				if err := walk(sub); err != nil {
					return err
				}
			default:
				text, err := system.ReadFile(filepath.Join(dir, sub))
				if err != nil {
					return err
				}
				files[sub] = string(text)
			}
		}
		return nil
	}
	return files, walk(".")
}

// judge opens the folder after a fault: it must be whole, the new one where the change
// said that it is done.
func (c *change) judge(dir string, done bool) error {
	_, err := Open(dir)
	if c.old == nil && !done && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNotRunFolder)) {
		return nil // nothing has been made, and it says so
	}
	if err != nil {
		return err
	}
	got, err := contents(dir)
	if err != nil {
		return err
	}
	diff := cmp.Diff(c.new, got)
	if diff != "" && (done || c.old == nil || !maps.Equal(c.old, got)) {
		return fmt.Errorf("the folder is not whole (-new +got):\n%s", diff)
	}
	return nil
}

// A hastyDisk is the disk but for bringing anything there in time, which takes time and
// makes no difference as long as the power is on.
type hastyDisk struct{ realDisk }

func (hastyDisk) SyncDir(string) error { return nil }
func (hastyDisk) Create(name string, mode fs.FileMode) (file, error) {
	f, err := realDisk{}.Create(name, mode)
	return hastyFile{f}, err
}

type hastyFile struct{ file }

func (hastyFile) Sync() error { return nil }

// atLast has what may wait for the disk done when it is waited for, the last moment there is.
func atLast(t *testing.T) {
	was := soon
	soon = func(do func() error) (wait func() error) { return do }
	t.Cleanup(func() { soon = was })
}

// TestFaults fails at the n-th operation for every n.
func TestFaults(t *testing.T) {
	atLast(t)
	defer func(d disk) { system = d }(system)
	points := 0
	for _, c := range changes() {
		for fault, how := range faults {
			for n := 0; ; n++ {
				system = hastyDisk{}
				dir := filepath.Join(t.TempDir(), "run")
				c.prepare(t, dir)
				d := &faultDisk{disk: hastyDisk{}, left: n, fault: how}
				system = d
				err := c.do(dir)
				system = hastyDisk{}
				if e := c.judge(dir, err == nil); e != nil {
					t.Fatalf("%s, %s after %d operations (its error is %v): %v", c.name, fault, n, err, e)
				}
				if d.after == 0 {
					break // it has come to the end
				}
				points++
				if err := c.do(dir); err != nil && c.old != nil {
					t.Fatalf("%s, %s after %d operations: again: %v", c.name, fault, n, err)
				}
				if c.old != nil {
					for _, name := range list(t, dir) {
						if strings.HasPrefix(name, temporaryPrefix) {
							t.Fatalf("%s, %s after %d operations: again: %s is left", c.name, fault, n, name)
						}
					}
				}
			}
		}
	}
	t.Logf("%d faults", points)
	if points < 300 {
		t.Errorf("%d faults only", points)
	}
}

// A memoryDisk keeps what an ordered journal keeps when the power fails: changes of names
// up to some point that is not before the last folder that was synced, and of the content
// of a file what was synced and anything of the rest.
type memoryDisk struct {
	names   map[string]*memoryFile // nil: a folder
	journal []func(names map[string]*memoryFile)
	base    map[string]*memoryFile // before the journal
	lasting int                    // entries of journal that will not be lost
}

type memoryFile struct{ data, synced []byte }

func newMemoryDisk(names map[string]*memoryFile) *memoryDisk {
	return &memoryDisk{names: names, base: maps.Clone(names)}
}

// note does a change of names and writes it in the journal.
func (d *memoryDisk) note(change func(names map[string]*memoryFile)) {
	change(d.names)
	d.journal = append(d.journal, change)
}

// crash is a disk as it may be found when the power is back.
func (d *memoryDisk) crash(r *rand.Rand) *memoryDisk {
	names := maps.Clone(d.base)
	for _, change := range d.journal[:d.lasting+r.IntN(len(d.journal)-d.lasting+1)] {
		change(names)
	}
	torn := map[*memoryFile]*memoryFile{}
	for name, f := range names {
		if f == nil {
			continue
		}
		if torn[f] == nil {
			data := slices.Clone(f.synced)
			if string(f.synced) != string(f.data) {
				data = slices.Clone(f.data[:r.IntN(len(f.data)+1)])
				if len(data) > 0 && r.IntN(2) == 0 {
					clear(data[r.IntN(len(data)):])
				}
			}
			torn[f] = &memoryFile{data, data}
		}
		names[name] = torn[f]
	}
	return newMemoryDisk(names)
}

func (d *memoryDisk) Create(name string, _ fs.FileMode) (file, error) {
	f := &memoryFile{}
	d.note(func(names map[string]*memoryFile) { names[name] = f })
	return &memoryWriter{f}, nil
}
func (d *memoryDisk) ReadFile(name string) ([]byte, error) {
	if f := d.names[name]; f != nil {
		return f.data, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
func (d *memoryDisk) Lstat(name string) (fs.FileInfo, error) {
	f, ok := d.names[name]
	if !ok {
		return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrNotExist}
	}
	return memoryInfo{filepath.Base(name), f}, nil
}
func (d *memoryDisk) ReadDir(name string) ([]fs.DirEntry, error) {
	var list []fs.DirEntry
	for _, path := range slices.Sorted(maps.Keys(d.names)) {
		if filepath.Dir(path) == name && path != name {
			list = append(list, fs.FileInfoToDirEntry(memoryInfo{filepath.Base(path), d.names[path]}))
		}
	}
	return list, nil
}
func (d *memoryDisk) MkdirAll(name string) error {
	for dir := name; dir != "." && dir != "/"; dir = filepath.Dir(dir) {
		if _, ok := d.names[dir]; !ok {
			d.note(func(names map[string]*memoryFile) { names[dir] = nil })
		}
	}
	return nil
}
func (d *memoryDisk) Rename(from, to string) error {
	if _, ok := d.names[from]; !ok {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	d.note(func(names map[string]*memoryFile) {
		for _, path := range slices.Collect(maps.Keys(names)) {
			if rest, ok := strings.CutPrefix(path, from); ok && (rest == "" || rest[0] == '/') {
				f := names[path]
				delete(names, path)
				names[to+rest] = f
			}
		}
	})
	return nil
}
func (d *memoryDisk) Link(from, to string) error {
	f := d.names[from]
	if f == nil {
		return &fs.PathError{Op: "link", Path: from, Err: fs.ErrNotExist}
	}
	d.note(func(names map[string]*memoryFile) { names[to] = f })
	return nil
}
func (d *memoryDisk) Remove(name string) error {
	if list, _ := d.ReadDir(name); len(list) > 0 {
		return &fs.PathError{Op: "remove", Path: name, Err: errors.New("it is not empty")}
	}
	d.note(func(names map[string]*memoryFile) { delete(names, name) })
	return nil
}
func (d *memoryDisk) Patch(name string, at int64, b []byte) error {
	f := d.names[name]
	copy(f.data[at:], b)
	f.synced = slices.Clone(f.data)
	return nil
}
func (d *memoryDisk) SyncDir(string) error {
	d.lasting = len(d.journal)
	return nil
}
func (d *memoryDisk) Lock(name string) (io.Closer, error) {
	f, err := d.Create(name, 0)
	return &memoryLock{f, d, name}, err
}

type memoryLock struct {
	file
	d    *memoryDisk
	name string
}

func (l *memoryLock) Close() error { return l.d.Remove(l.name) }

type memoryWriter struct{ f *memoryFile }

func (w *memoryWriter) Write(b []byte) (int, error) {
	w.f.data = append(w.f.data, b...)
	return len(b), nil
}
func (w *memoryWriter) Sync() error  { w.f.synced = slices.Clone(w.f.data); return nil }
func (w *memoryWriter) Close() error { return nil }

type memoryInfo struct {
	name string
	f    *memoryFile
}

func (i memoryInfo) Name() string { return i.name }
func (i memoryInfo) Size() int64  { return int64(len(i.f.data)) }
func (i memoryInfo) Mode() fs.FileMode {
	if i.f == nil {
		return fs.ModeDir
	}
	return 0
}
func (i memoryInfo) ModTime() time.Time { return time.Time{} }
func (i memoryInfo) IsDir() bool        { return i.f == nil }
func (i memoryInfo) Sys() any           { return nil }

// TestPower cuts the power after the n-th operation for every n, and again while the
// folder is opened and completed.
func TestPower(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("the disk in memory knows paths with slashes only")
	}
	atLast(t)
	defer func(d disk) { system = d }(system)
	r := rand.New(rand.NewPCG(1, 2))
	crashes := 0
	for _, c := range changes() {
		for n := 0; ; n++ {
			memory := newMemoryDisk(map[string]*memoryFile{})
			system = memory
			const dir = "runs/run"
			c.prepare(t, dir)
			memory.lasting = len(memory.journal)
			d := &faultDisk{disk: memory, left: n, fault: faults["dead"]}
			system = d
			err := c.do(dir)
			for range 20 {
				found := memory.crash(r)
				system = &faultDisk{disk: found, left: r.IntN(40), fault: faults["dead"]}
				Open(dir) // may be cut short as well
				system = found.crash(r)
				if e := c.judge(dir, err == nil); e != nil {
					t.Fatalf("%s, the power fails after %d operations (its error is %v): %v", c.name, n, err, e)
				}
				crashes++
			}
			if d.after == 0 {
				break
			}
		}
	}
	t.Logf("%d ends of power", crashes)
}
