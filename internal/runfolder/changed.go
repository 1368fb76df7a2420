package runfolder

// This file lets readers find out that a run was replaced while they read it.
//
// Readers take no lock: folders may be read-only, and a command that tracks for hours
// would keep them out. Instead Open notes what every known file is, and [Folder.Unchanged]
// looks again after reading. A Commit puts other files in the place of those that it changes, or
// takes them away, and from its first such move to its last the folder commitDir is there. Each
// look begins with commitDir. Where the first finds it, Open takes the lock, completes the Commit
// and looks again. Where the second finds that all is as it was, everything that was read
// between the two is of one run: as commitDir was not there when either began, the moves of a
// Commit that lie in between neither began before the first nor ended after the second began. Each
// of its files was moved either before the first look came to it, and then what was read is
// what it put there, or after that, and then the second look has found another file there. If
// any is of the second kind, that shows; if none is, all were read as the Commit left them.
//
// Files are told apart by their inode (on Windows by their number), size and time of change.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrChanged is returned where a run was replaced while it was read.
var ErrChanged = errors.New("another mtt replaced it meanwhile")

// A stamp is what the known files of a folder are, by name; those that are not there are left out.
type stamp map[string]fs.FileInfo

func stampOf(dir string) stamp {
	s := make(stamp)
	s.look(dir, commitDir)
	for _, name := range known {
		s.look(dir, name)
	}
	return s
}

// look looks at one of the files again.
func (s stamp) look(dir, name string) {
	if info, err := os.Lstat(filepath.Join(dir, name)); err == nil {
		s[name] = info
	} else {
		delete(s, name)
	}
}

// Unchanged is an error that is ErrChanged unless everything that was read since Open, or since
// the last change by f itself, is of one run.
func (f *Folder) Unchanged() error {
	now := stampOf(f.Dir)
	same := len(now) == len(f.stamp) && now[commitDir] == nil
	for name, is := range now {
		was := f.stamp[name]
		same = same && was != nil && os.SameFile(is, was) && is.Size() == was.Size() && is.ModTime().Equal(was.ModTime())
	}
	if same {
		return nil
	}
	return fmt.Errorf("run folder %s: %w", f.Dir, ErrChanged)
}
