package runfolder

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

	"github.com/google/go-cmp/cmp"
)

// TestWriteFolder makes a folder, and none where that fails, or where there is one; remains of one
// that was killed go.
func TestWriteFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "out.geff")
	fault := errors.New("fault")
	write := func(after error) func(dir string) error {
		return func(dir string) error {
			return errors.Join(os.MkdirAll(filepath.Join(dir, "nodes"), 0o777), os.WriteFile(filepath.Join(dir, "nodes", "0"), []byte("x"), 0o666), after)
		}
	}
	if err := WriteFolder(path, write(fault)); !errors.Is(err, fault) {
		t.Errorf("error %v, want that of the one who writes", err)
	}
	if err := WriteFolder(path, func(string) error { return nil }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing was written: %v", err)
	}
	if diff := cmp.Diff([]string{}, list(t, filepath.Dir(path))); diff != "" {
		t.Errorf("after faults (-want +got):\n%s", diff)
	}
	if err := write(nil)(filepath.Join(dir, "sub", ".mtt-99999999-out.geff")); err != nil { // of a process that was killed
		t.Fatal(err)
	}
	if err := WriteFolder(path, write(nil)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"out.geff"}, list(t, filepath.Dir(path))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if err := WriteFolder(path, write(nil)); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder that is there: %v", err)
	}
}

// wholeFiles are those of the folder that writeWhole writes.
var wholeFiles = map[string]string{".zgroup": "head", "nodes/0": strings.Repeat("new", 40000), "nodes/props/x/0": "new"}

// writeWhole makes a folder of a few files, none of which it makes last by itself.
func writeWhole(path string) error {
	return WriteFolder(path, func(dir string) error {
		for _, name := range slices.Sorted(maps.Keys(wholeFiles)) {
			part := filepath.Join(dir, name)
			if err := system.MkdirAll(filepath.Dir(part)); err != nil {
				return err
			}
			f, err := system.Create(part, 0o666)
			if err != nil {
				return err
			}
			_, err = io.WriteString(f, wholeFiles[name])
			if err := errors.Join(err, f.Close()); err != nil {
				return err
			}
		}
		return nil
	})
}

// judgeWhole says what is wrong with a folder after a fault: it must be there, whole, or not at all
// unless it was said to be done.
func judgeWhole(path string, done bool) error {
	if _, err := system.Lstat(path); errors.Is(err, fs.ErrNotExist) && !done {
		return nil
	}
	got, err := contents(path)
	if err != nil {
		return err
	}
	if diff := cmp.Diff(wholeFiles, got); diff != "" {
		return fmt.Errorf("the folder is not whole (-want +got):\n%s", diff)
	}
	return nil
}

// againWhole writes the folder once more, on a disk that is well: it is made, or it was there, and
// nothing temporary is left of either.
func againWhole(path string) error {
	_, missing := system.Lstat(path)
	if err := writeWhole(path); err != nil && (missing != nil || !errors.Is(err, fs.ErrExist)) {
		return fmt.Errorf("again: %w", err)
	}
	if err := judgeWhole(path, true); err != nil {
		return fmt.Errorf("again: %w", err)
	}
	entries, err := system.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		if missing != nil && strings.HasPrefix(e.Name(), temporaryPrefix) {
			return fmt.Errorf("again: %s is left", e.Name())
		}
	}
	return err
}

// TestWholeFaults fails at the n-th operation of writing a folder, those of who fills it included,
// for every n.
func TestWholeFaults(t *testing.T) {
	defer func(d disk) { system = d }(system)
	points := 0
	for fault, how := range faults {
		for n := 0; ; n++ {
			path := filepath.Join(t.TempDir(), "sub", "out.geff")
			d := &faultDisk{disk: hastyDisk{}, left: n, fault: how}
			system = d
			err := writeWhole(path)
			system = hastyDisk{}
			if e := judgeWhole(path, err == nil); e != nil {
				t.Fatalf("%s after %d operations (its error is %v): %v", fault, n, err, e)
			}
			if d.after == 0 {
				break // it has come to the end
			}
			points++
			if err := againWhole(path); err != nil {
				t.Fatalf("%s after %d operations: %v", fault, n, err)
			}
		}
	}
	if t.Logf("%d faults", points); points < 60 {
		t.Errorf("%d faults only", points)
	}
}

// TestWholePower cuts the power after the n-th of them.
func TestWholePower(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("the disk in memory knows paths with slashes only")
	}
	defer func(d disk) { system = d }(system)
	r, crashes := rand.New(rand.NewPCG(15, 4)), 0
	const path = "sub/out.geff"
	for n := 0; ; n++ {
		memory := newMemoryDisk(map[string]*memoryFile{})
		d := &faultDisk{disk: memory, left: n, fault: faults["dead"]}
		system = d
		err := writeWhole(path)
		for range 50 {
			system = memory.crash(r)
			if e := judgeWhole(path, err == nil); e != nil {
				t.Fatalf("the power fails after %d operations (its error is %v): %v", n, err, e)
			}
			if e := againWhole(path); e != nil {
				t.Fatalf("the power fails after %d operations: %v", n, e)
			}
			crashes++
		}
		if d.after == 0 {
			break
		}
	}
	t.Logf("%d times", crashes)
}
