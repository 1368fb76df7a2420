// Package runfolder keeps a run folder: the names of its files, the run.toml
// that says how it was made, and writing that leaves a file whole or not at all.
//
// It knows nothing of the content of the other files. A folder is made with
// [Create] and changed by commands that [Open] and Edit it; both collect files beside
// the old ones until Commit swaps them in, all or none. A command that is interrupted,
// killed or meets a full disk therefore never leaves half a file, nor new scans beside
// old tracks. Who creates or edits a folder holds its lock; a second one is refused.
package runfolder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Default is the folder of commands that are given none.
const Default = "runs/latest"

// Files of a run folder.
const (
	RunFile         = "run.toml"
	DetectionsFile  = "detections.csv"
	TruthFile       = "truth.csv"
	InputFile       = "input" // a copy of the imported file that has the detections
	CostsFile       = "costs.npz"
	TracksFile      = "tracks.csv"
	StatesFile      = "states.csv"
	SolveFile       = "solve.json"
	CertificateFile = "certificate.bin"
	ScoreFile       = "score.json"
	ReportFile      = "report.html"
	PlotsDir        = "plots"
	LapsDir         = "laps"
	EstimatesFile   = "estimates.csv"
	PMBMFile        = "pmbm.json"
	GraphFile       = "graph.npz"  // of mtt track --arcs: problem, answer and prices
	AnswerFile      = "answer.csv" // likewise: the track of each detection
	BestFile        = "best.csv"   // what the next best answers do otherwise
	MarginsFile     = "margins.csv"
	WindowsDir      = "windows" // of mtt track while a scene larger than memory is tracked: what is settled
)

// known lists everything that a run folder holds: what Create may replace.
var known = []string{
	RunFile, DetectionsFile, TruthFile, InputFile, CostsFile, TracksFile, StatesFile, SolveFile,
	CertificateFile, ScoreFile, ReportFile, PlotsDir, LapsDir,
	EstimatesFile, PMBMFile, GraphFile, AnswerFile, BestFile, MarginsFile, WindowsDir,
}

// Files are those that the run folders among dirs are made of, but for their reports and costs, which
// commands write where --out says; of [Default] where dirs are none.
func Files(dirs []string) (names []string) {
	if len(dirs) == 0 {
		dirs = []string{Default}
	}
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, RunFile)); err != nil {
			continue
		}
		for _, name := range known {
			if name != ReportFile && name != CostsFile {
				names = append(names, filepath.Join(dir, name))
			}
		}
	}
	return names
}

// ErrNotRunFolder is returned for a folder without a run.toml, and for a
// destination that holds something else.
var ErrNotRunFolder = errors.New("not a run folder")

// ErrBusy is returned for a folder that another process is writing.
var ErrBusy = errors.New("another mtt is writing it")

// A Folder is a run folder. Its methods are not safe for concurrent use, but for WriteFile, Patch
// and Path between Create or Edit and what ends that, of different files.
type Folder struct {
	Dir  string
	Meta Meta
	edit *edit // what is collected for the next Commit; nil: nothing

	stamp stamp // what the files were when they were opened
}

// Open reads the run.toml of the folder dir. Where a Commit was cut short it is
// completed first.
func Open(dir string) (*Folder, error) {
	info, err := system.Lstat(dir)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, err = os.Stat(dir)
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is a file: %w", dir, ErrNotRunFolder)
	}
	seen := stampOf(dir)
	if _, err := system.Lstat(filepath.Join(dir, commitDir)); err == nil || seen[commitDir] != nil {
		lock, err := lockFolder(dir)
		if err != nil {
			return nil, err
		}
		err = errors.Join(rollForward(dir), lock.Close())
		if err != nil {
			return nil, err
		}
		seen = stampOf(dir)
	}
	meta, err := readMeta(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{Dir: dir, Meta: *meta, stamp: seen}, nil
}

// readMeta reads the run.toml of dir. The result is not nil where the file is that of
// a run but its values are impossible.
func readMeta(dir string) (*Meta, error) {
	path := filepath.Join(dir, RunFile)
	text, err := system.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s: %w", dir, RunFile, ErrNotRunFolder)
	}
	if err != nil {
		return nil, err
	}
	meta := new(Meta)
	if err := meta.decode(string(text)); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
		if meta.Version == "" {
			return nil, err
		}
		return meta, err
	}
	return meta, nil
}

// Editing says whether changes are collected for the next Commit.
func (f *Folder) Editing() bool { return f.edit != nil }

// Replaces says whether a new run in the folder dir would replace the file named.
func Replaces(dir, name string) bool {
	file, err := os.Stat(name)
	if err != nil {
		return false
	}
	for _, old := range known {
		if info, err := os.Stat(filepath.Join(dir, old)); err == nil && os.SameFile(file, info) {
			return true
		}
	}
	for _, sub := range []string{PlotsDir, LapsDir} {
		if info, err := os.Stat(filepath.Join(dir, sub)); err == nil {
			if in, err := os.Stat(filepath.Dir(name)); err == nil && os.SameFile(info, in) {
				return true
			}
		}
	}
	return false
}

// Path is the path of a file of the folder, as it is after the next Commit; after
// Create it may be written there, too.
func (f *Folder) Path(name string) string {
	if f.edit != nil {
		return f.edit.path(name)
	}
	return filepath.Join(f.Dir, name)
}

// Has reports whether the folder holds the file.
func (f *Folder) Has(name string) bool {
	_, err := system.Lstat(f.Path(name))
	return err == nil
}

// WriteFile adds or replaces one file of the folder: at the next Commit after Create
// or Edit, else at once; see [WriteFile].
func (f *Folder) WriteFile(name string, write func(io.Writer) error) error {
	if f.edit != nil {
		return f.edit.writeFile(name, write)
	}
	lock, err := lockFolder(f.Dir)
	if err != nil {
		return err
	}
	err = WriteFile(f.Path(name), write)
	f.stamp.look(f.Dir, topOf(name))
	return errors.Join(err, lock.Close())
}

// Adopt is WriteFile, after Edit, of a file whose content stands in the file from of the folder,
// has been made to last, and will not change: where the file system can, it gets a second name
// instead of being copied by write.
func (f *Folder) Adopt(name, from string, write func(io.Writer) error) error {
	if f.edit == nil {
		panic("runfolder: Adopt outside an edit")
	}
	return f.edit.adopt(name, from, write)
}

// Patch overwrites bytes of a file that WriteFile has added since Create or Edit, from byte at on:
// what is known only when the rest has been written.
func (f *Folder) Patch(name string, at int64, b []byte) error {
	if f.edit == nil {
		panic("runfolder: Patch of a file that others may read")
	}
	return f.edit.patch(name, at, b)
}

// Remove deletes files of the folder that no longer fit the others, when WriteFile
// would write; those that are not there are no error.
func (f *Folder) Remove(names ...string) error {
	if f.edit != nil {
		return f.edit.remove(names)
	}
	lock, err := lockFolder(f.Dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		err = errors.Join(err, removeAll(f.Path(name)))
		f.stamp.look(f.Dir, topOf(name))
	}
	return errors.Join(err, lock.Close())
}
