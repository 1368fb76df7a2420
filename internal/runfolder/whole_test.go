package runfolder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWriteFolder makes a folder, and none where that fails, or where there is one; remains of one that was killed go.
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
