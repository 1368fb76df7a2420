// Package runfolder keeps a run folder: the names of its files, the run.toml
// that says how it was made, and writing that leaves a file whole or not at all.
//
// It knows nothing of the content of the other files. A folder is made with
// [Create], which collects files beside the old ones until Commit swaps them in;
// later commands [Open] it and add files with WriteFile. An interrupted command
// therefore never leaves half a file, nor new scans beside old tracks.
package runfolder

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Default is the folder of commands that are given none.
const Default = "runs/latest"

// Files of a run folder.
const (
	RunFile         = "run.toml"
	DetectionsFile  = "detections.csv"
	TruthFile       = "truth.csv"
	CostsFile       = "costs.npz"
	TracksFile      = "tracks.csv"
	SolveFile       = "solve.json"
	CertificateFile = "certificate.bin"
	ScoreFile       = "score.json"
	ReportFile      = "report.html"
	PlotsDir        = "plots"
	LapsDir         = "laps"
	EstimatesFile   = "estimates.csv"
	PMBMFile        = "pmbm.json"
)

// known lists everything that a run folder holds: what Create may replace.
var known = []string{
	RunFile, DetectionsFile, TruthFile, CostsFile, TracksFile, SolveFile,
	CertificateFile, ScoreFile, ReportFile, PlotsDir, LapsDir,
	EstimatesFile, PMBMFile,
}

// temporaryPrefix begins the name of a file that is being written.
const temporaryPrefix = ".mtt-"

// temporary is the name under which this process writes the file name.
func temporary(name string) string {
	return fmt.Sprintf("%s%d-%s", temporaryPrefix, os.Getpid(), name)
}

// ErrNotRunFolder is returned for a folder without a run.toml, and for a
// destination that holds something else.
var ErrNotRunFolder = errors.New("not a run folder")

// A Folder is a complete run folder.
type Folder struct {
	Dir  string
	Meta Meta
}

// Open reads the run.toml of the folder dir.
func Open(dir string) (*Folder, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is a file: %w", dir, ErrNotRunFolder)
	}
	path := filepath.Join(dir, RunFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s: %w", dir, RunFile, ErrNotRunFolder)
	}
	if err != nil {
		return nil, err
	}
	f := &Folder{Dir: dir}
	if err := f.Meta.decode(string(data)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Path is the path of a file of the folder.
func (f *Folder) Path(name string) string { return filepath.Join(f.Dir, name) }

// Has reports whether the folder holds the file.
func (f *Folder) Has(name string) bool {
	_, err := os.Stat(f.Path(name))
	return err == nil
}

// WriteFile adds or replaces one file of the folder; see [WriteFile].
func (f *Folder) WriteFile(name string, write func(io.Writer) error) error {
	return WriteFile(f.Path(name), write)
}

// Remove deletes files of the folder that no longer fit the others; those that
// are not there are no error.
func (f *Folder) Remove(names ...string) error { return remove(f.Dir, names) }

// A Draft is a run folder in the making: its files have temporary names until
// Commit.
type Draft struct {
	dir   string
	names []string
}

// Create prepares the folder dir, which may exist when it is empty or a run
// folder. Nothing in it changes before Commit. Call Discard when the draft comes
// to nothing; after Commit it does nothing.
func Create(dir string) (*Draft, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	if !slices.Contains(names, RunFile) {
		for _, name := range names {
			if !slices.Contains(known, name) && !strings.HasPrefix(name, temporaryPrefix) {
				return nil, fmt.Errorf("%s holds %s and is %w; it is left alone", dir, name, ErrNotRunFolder)
			}
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return &Draft{dir: dir}, nil
}

// WriteFile writes a file of the draft.
func (d *Draft) WriteFile(name string, write func(io.Writer) error) error {
	path := filepath.Join(d.dir, temporary(name))
	if !slices.Contains(d.names, name) {
		d.names = append(d.names, name)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return fill(f, write)
}

// Commit removes the files of the run that stood in the folder, moves those of
// the draft to their names and, last of all, writes run.toml.
func (d *Draft) Commit(meta *Meta) (*Folder, error) {
	if err := d.WriteFile(RunFile, meta.encode); err != nil {
		return nil, err
	}
	if err := remove(d.dir, known); err != nil {
		return nil, err
	}
	for _, name := range d.names {
		if err := os.Rename(filepath.Join(d.dir, temporary(name)), filepath.Join(d.dir, name)); err != nil {
			return nil, err
		}
	}
	d.names = nil
	return &Folder{Dir: d.dir, Meta: *meta}, nil
}

// Discard removes the files of a draft that was not committed, and the folder
// when that leaves it empty.
func (d *Draft) Discard() {
	for _, name := range d.names {
		os.Remove(filepath.Join(d.dir, temporary(name)))
	}
	if d.names != nil {
		os.Remove(d.dir)
	}
	d.names = nil
}

// remove deletes the named entries of dir.
func remove(dir string, names []string) error {
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// WriteFile writes a file so that path holds the old content or all of the new,
// never a part: it writes beside it and renames. Missing folders are made.
func WriteFile(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	part := filepath.Join(filepath.Dir(path), temporary(filepath.Base(path)))
	f, err := os.Create(part)
	if err != nil {
		return err
	}
	if err := fill(f, write); err != nil {
		os.Remove(part)
		return err
	}
	return os.Rename(part, path)
}

// fill writes through a buffer to f and closes it.
func fill(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 1<<16)
	err := write(w)
	if err == nil {
		err = w.Flush()
	}
	return errors.Join(err, f.Close())
}
