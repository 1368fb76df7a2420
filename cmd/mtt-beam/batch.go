package main

// This file is the pipeline of work that falls into independent items: numbers from 0 on, each of which
// becomes a line of text that depends on nothing but the number and what the job says.
//
//	numbers → reshuffle → lines, written by each bundle into a file of its own
//
// Lines go by files in a folder that all reach, not through the runner, so that what was done outlives
// the worker, the runner and this program. An item that is done twice has lines that say the same. A
// file appears when its bundle is whole, under a name that says which items it holds.

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
)

func init() {
	register.DoFn2x1[context.Context, int, error](&linesFn{})
}

// A worker makes the line of an item.
type worker func(ctx context.Context, item int) ([]byte, error)

// kinds are the kinds of jobs by name: each makes a worker of what a job says, in JSON.
var kinds = map[string]func(spec []byte) (worker, error){
	"sweep": newSweepWorker,
	"lap":   newLapWorker,
	"track": newTrackWorker,
}

// A job is some items of one kind.
type job struct {
	kind  string
	spec  []byte // JSON
	name  string // of the items, for people
	items []int
	pure  bool // lines depend on the spec alone, not on files: those from before are good
}

// newJob makes a job; spec is what its kind expects.
func newJob(kind, name string, spec any) (*job, error) {
	text, err := json.Marshal(spec)
	return &job{kind: kind, spec: text, name: name}, err
}

// read reads what newJob wrote.
func read[T any](spec []byte) (T, error) {
	var v T
	err := json.Unmarshal(spec, &v)
	return v, err
}

// folder makes the folder for the lines of the job below dir. Other jobs have other folders; a
// pure job finds the one that it had before.
func (j *job) folder(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if !j.pure {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return "", err
		}
		return os.MkdirTemp(dir, "parts-")
	}
	sum := sha256.Sum256(append([]byte(j.kind+"\n"), j.spec...))
	folder := filepath.Join(dir, fmt.Sprintf("parts-%x", sum[:8]))
	return folder, os.MkdirAll(folder, 0o777)
}

// lines runs the job and returns the line of every item. Files are kept below dir, "" for a place that
// only this machine has, until the caller has kept the lines and calls forget.
func (e *engine) lines(ctx context.Context, s *cli.Session, j *job, dir string) (lines map[int][]byte, forget func() error, err error) {
	switch {
	case e.shared != "":
		dir = e.shared
	case dir == "" && e.runner != "prism":
		return nil, nil, cli.Usagef("workers of %s need a place for results", e.runner).Hinted("name a folder with --shared")
	case dir == "":
		dir = os.TempDir()
	}
	folder, err := j.folder(dir)
	if err != nil {
		return nil, nil, err
	}
	remove := func() error { return os.RemoveAll(folder) }
	defer func() {
		if err != nil && !j.pure {
			err = errors.Join(err, remove())
		}
	}()
	if lines, err = readParts(folder); err != nil {
		return nil, nil, err
	}
	var missing []int
	for _, i := range j.items {
		if lines[i] == nil {
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		if found := len(j.items) - len(missing); found > 0 {
			s.Note("%d of %d %s are there from before", found, len(j.items), j.name)
		}
		initialize()
		p, scope := beam.NewPipelineWithRoot()
		here, err := os.Getwd()
		if err != nil {
			return nil, nil, err
		}
		numbers := beam.Reshuffle(scope, beam.CreateList(scope, missing))
		beam.ParDo0(scope, &linesFn{Kind: j.kind, Spec: j.spec, Here: here, Folder: folder}, numbers)
		progress := s.StartProgress(ctx, j.name, len(missing))
		err = e.execute(ctx, s, p, func(n int) { progress.Set(n, "") })
		progress.Done()
		if err != nil {
			return nil, nil, err
		}
		if lines, err = readParts(folder); err != nil {
			return nil, nil, err
		}
	}
	for _, i := range j.items {
		if lines[i] == nil {
			return nil, nil, fmt.Errorf("%s lacks the result of item %d of %d: do the workers reach that folder?", folder, i, len(j.items))
		}
	}
	return lines, remove, nil
}

// linesFn makes lines of items.
type linesFn struct {
	Kind   string
	Spec   []byte
	Here   string // folder in which the command was given, for names of files
	Folder string // for lines

	work  worker
	text  bytes.Buffer // lines of this bundle
	items []int
}

// Setup makes the worker, once.
func (f *linesFn) Setup() (err error) {
	if err := os.Chdir(f.Here); err != nil {
		return fmt.Errorf("workers need the files of the machine that gives the command, under the same names: %w", err)
	}
	f.work, err = kinds[f.Kind](f.Spec)
	return err
}

// StartBundle begins a file.
func (f *linesFn) StartBundle(context.Context) {
	f.text.Reset()
	f.items = f.items[:0]
}

// ProcessElement makes a line.
func (f *linesFn) ProcessElement(ctx context.Context, item int) error {
	line, err := f.work(ctx, item)
	if err != nil {
		return err
	}
	f.text.WriteString(strconv.Itoa(item))
	f.text.WriteByte('\t')
	f.text.Write(line)
	f.text.WriteByte('\n')
	f.items = append(f.items, item)
	return nil
}

// FinishBundle writes the file. The file is there as a whole or not at all.
func (f *linesFn) FinishBundle(context.Context) error {
	if len(f.items) == 0 {
		return nil
	}
	var numbers []byte
	for _, i := range f.items {
		numbers = binary.AppendVarint(numbers, int64(i))
	}
	sum := sha256.Sum256(numbers)
	path := filepath.Join(f.Folder, fmt.Sprintf("%08d-%x", f.items[0], sum[:8]))
	return runfolder.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(f.text.Bytes())
		return err
	})
}

// readParts reads the lines in the folder.
func readParts(folder string) (map[int][]byte, error) {
	files, err := filepath.Glob(filepath.Join(folder, "[0-9]*-*[0-9a-f]"))
	if err != nil {
		return nil, err
	}
	lines := make(map[int][]byte)
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			number, rest, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"))
			i, err := strconv.Atoi(string(number))
			if !ok || err != nil {
				return nil, fmt.Errorf("%s holds a line that is none of ours: %.40q", path, line)
			}
			lines[i] = rest
		}
	}
	return lines, nil
}
