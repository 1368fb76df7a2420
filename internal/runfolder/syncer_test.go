package runfolder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A slowFile counts what it is told, and fails to last the first time.
type slowFile struct {
	file
	mu               sync.Mutex
	written, lasting int // bytes, and those of them at the last call of Sync
	syncs            int
	fault            error // of the first call of Sync
}

func (f *slowFile) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.written += len(p)
	return len(p), nil
}

func (f *slowFile) Sync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.syncs++
	if f.syncs == 1 && f.fault != nil {
		return f.fault
	}
	f.lasting = f.written
	return nil
}

// TestSyncer: what was written last lasts too, and a fault that the system told of in the middle is
// not forgotten.
func TestSyncer(t *testing.T) {
	fault := errors.New("no space")
	for _, want := range []error{nil, fault} {
		f := &slowFile{fault: want}
		s := &syncer{file: f}
		for range 3 {
			if n, err := s.Write(make([]byte, ahead)); n != ahead || err != nil {
				t.Fatal(n, err)
			}
		}
		if err := s.finish(true); !errors.Is(err, want) {
			t.Errorf("finish: %v, want %v", err, want)
		}
		if want == nil && (f.lasting != 3*ahead || f.syncs < 2) {
			t.Errorf("%d of %d bytes last, after %d calls", f.lasting, f.written, f.syncs)
		}
	}
}

// A lateDisk makes files other than the manifest last once it is told to, unless it has a fault.
type lateDisk struct {
	realDisk
	told    chan struct{}
	fault   error
	lasting atomic.Int32 // files
	open    atomic.Int32 // files
	most    int32        // of them
}

type lateFile struct {
	file
	d *lateDisk
}

func (d *lateDisk) Create(name string, mode fs.FileMode) (file, error) {
	f, err := d.realDisk.Create(name, mode)
	if err != nil || filepath.Base(name) == manifestFile {
		return f, err
	}
	d.most = max(d.most, d.open.Add(1))
	return lateFile{f, d}, nil
}

func (f lateFile) Close() error {
	f.d.open.Add(-1)
	return f.file.Close()
}

func (f lateFile) Sync() error {
	select {
	case <-f.d.told:
	case <-time.After(time.Minute):
		return errors.New("nobody goes on while a file is made to last")
	}
	f.d.lasting.Add(1)
	return f.d.fault
}

func (d *lateDisk) Rename(from, to string) error {
	if strings.HasSuffix(to, commitDir) && d.lasting.Load() < 3 {
		return fmt.Errorf("committed when %d files last of 3", d.lasting.Load())
	}
	return d.realDisk.Rename(from, to)
}

// TestSettle: nobody waits for the disk between two files, and nothing is committed that does not last.
func TestSettle(t *testing.T) {
	defer func(d disk) { system = d }(system)
	for _, want := range []error{nil, errors.New("no space")} {
		d := &lateDisk{told: make(chan struct{}), fault: want}
		system = d
		dir := filepath.Join(t.TempDir(), "run")
		f, err := Create(dir, &Meta{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{TracksFile, ScoreFile} {
			if err := f.WriteFile(name, func(w io.Writer) error { _, err := io.WriteString(w, name); return err }); err != nil {
				t.Fatal(err)
			}
		}
		close(d.told)
		if err := f.Commit(); !errors.Is(err, want) {
			t.Errorf("Commit: %v, want %v", err, want)
		}
		f.Discard()
		if _, err := os.Stat(filepath.Join(dir, TracksFile)); (err == nil) != (want == nil) {
			t.Errorf("%v when a file does not last: %v", err, want)
		}
	}
}

// TestManyFiles: however many files are written, few are open.
func TestManyFiles(t *testing.T) {
	atLast(t)
	defer func(d disk) { system = d }(system)
	d := &lateDisk{told: make(chan struct{})}
	close(d.told)
	system = d
	f, err := Create(filepath.Join(t.TempDir(), "run"), &Meta{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	for k := range 5 * mostLasting {
		if err := f.WriteFile(filepath.Join(PlotsDir, fmt.Sprint(k)), func(io.Writer) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Commit(); err != nil || d.most > mostLasting+1 || d.open.Load() != 0 {
		t.Errorf("%d files were open at once, %d still are, %v", d.most, d.open.Load(), err)
	}
}
