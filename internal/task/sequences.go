package task

// This file finds what folders hold: run folders, and sequences of data sets.

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
)

// Runs lists the run folders that the arguments mean: a folder that is none stands for
// those in it, in order of their names.
func Runs(args []string) ([]string, error) {
	var runs []string
	for _, dir := range args {
		if isRun(dir) {
			runs = append(runs, dir)
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !isFile(dir) {
			return nil, cli.BadInput(err)
		}
		inside := 0
		for _, e := range entries {
			if path := filepath.Join(dir, e.Name()); e.IsDir() && isRun(path) {
				runs = append(runs, path)
				inside++
			}
		}
		if inside == 0 {
			runs = append(runs, dir) // opening it says what is wrong
		}
	}
	return runs, nil
}

// isRun says whether dir is a run folder.
func isRun(dir string) bool { return isFile(filepath.Join(dir, runfolder.RunFile)) }

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// isScene says whether dir is a folder with a file for each frame, which together are a scene.
func isScene(dir string) bool { return isFolder(dir) && !isRun(dir) && dataset.IsLabels(dir) }

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// A Sequence is one scene of a data set.
type Sequence struct {
	Name  string   // of its folder or file, without ending
	Files []string // for dataset.Read
}

// sequenceDepth is how deep in a data set its sequences may lie.
const sequenceDepth = 3

// Sequences lists the sequences in dir: itself when it is one of MOTChallenge, with det/det.txt or
// gt/gt.txt, or has a file for each frame; else those of the folders in it; else its tables, of
// which each is one.
func Sequences(dir string) ([]Sequence, error) {
	found, err := sequences(dir, sequenceDepth)
	if err == nil && len(found) == 0 {
		err = cli.Usagef("%s holds no sequence: no folder with det/det.txt, gt/gt.txt or a file for each frame, and no table", dir)
	}
	return found, err
}

func sequences(dir string, depth int) ([]Sequence, error) {
	one := Sequence{Name: filepath.Base(filepath.Clean(dir))}
	for _, name := range []string{"det", "gt"} {
		if path := filepath.Join(dir, name, name+".txt"); isFile(path) {
			one.Files = append(one.Files, path)
		}
	}
	if one.Files != nil {
		return []Sequence{one}, nil
	}
	if dataset.IsLabels(dir) {
		if strings.EqualFold(one.Name, "labels") { // of a folder that has the name
			if path, err := filepath.Abs(dir); err == nil {
				one.Name = filepath.Base(filepath.Dir(path))
			}
		}
		one.Files = []string{dir}
		return []Sequence{one}, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	var found, tables []Sequence
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch base, ok := tableName(e.Name()); {
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir() && depth > 0:
			more, err := sequences(path, depth-1)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		case ok && !e.IsDir():
			tables = append(tables, Sequence{base, []string{path}})
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return tables, nil
}

// tableName is the name of a file that may be a table, without its endings.
func tableName(name string) (base string, ok bool) {
	plain := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	ext := strings.ToLower(filepath.Ext(plain))
	return strings.TrimSuffix(plain, filepath.Ext(plain)), slices.Contains([]string{".csv", ".tsv", ".txt", ".xml", ".json", ".jsonl"}, ext) && !strings.EqualFold(name, "README.txt")
}

// EachSequence calls do for every sequence of the folders, with --out naming its run: the
// folder NAME in what --out names, or in runs. One that is bad does not stop the rest, as of [cli.EachInput].
func EachSequence(ctx context.Context, s *cli.Session, folders []string, do func(seq Sequence) error) error {
	var all []Sequence
	names := make(map[string]int)
	for _, dir := range folders {
		found, err := Sequences(dir)
		if err != nil {
			return err
		}
		for _, seq := range found {
			names[seq.Name]++
			if n := names[seq.Name]; n > 1 {
				return cli.Usagef("two sequences are called %s", seq.Name).Hinted("take their folders one by one, each with its own -o")
			}
		}
		all = append(all, found...)
	}
	out := s.Common.Out
	defer func() { s.Common.Out = out }()
	parent := s.OutOr("runs")
	if len(all) == 1 && out != "" {
		return do(all[0])
	}
	by := make(map[string]Sequence, len(all))
	inputs := make([]string, len(all))
	for i, seq := range all {
		inputs[i], by[seq.Name] = seq.Name, seq
	}
	return cli.EachInput(ctx, s, inputs, func(_ context.Context, name string) error {
		s.Common.Out = filepath.Join(parent, name)
		return do(by[name])
	})
}

// AreFolders says whether all arguments are folders that hold no run, and there is one.
func AreFolders(args []string) bool {
	return len(args) > 0 && !slices.ContainsFunc(args, func(dir string) bool {
		if !isFolder(dir) || isRun(dir) {
			return true
		}
		runs, err := Runs([]string{dir})
		return err != nil || !slices.Equal(runs, []string{dir})
	})
}

// AreFiles says whether the arguments are files, standard input among them, and there is one:
// a scene and its truth. Files beside anything else are an error.
func AreFiles(args []string) (bool, error) {
	file := func(arg string) bool { return arg == "-" || isFile(arg) }
	other := slices.IndexFunc(args, func(arg string) bool { return !file(arg) })
	if i := slices.IndexFunc(args, file); i < 0 || other < 0 {
		return i >= 0, nil
	} else if _, err := os.Stat(args[other]); err != nil {
		return false, cli.Usagef("%s does not exist", args[other])
	} else {
		return false, cli.Usagef("%s is a file, and %s is none: files, detections and perhaps their truth, make one run", args[i], args[other])
	}
}

// AnswerOf is the answer that the folder holds, for other programs.
func AnswerOf(folder *runfolder.Folder) (*dataset.Answer, error) {
	if err := noScene(folder); err != nil {
		return nil, err
	}
	if !folder.Has(runfolder.TracksFile) {
		return nil, cli.Usagef("%s has no tracks yet", folder.Dir).Hinted("'mtt track %s' makes them", folder.Dir)
	}
	sc, err := LoadScans(folder)
	if err != nil {
		return nil, err
	}
	tracks, err := LoadTracks(folder.Path(runfolder.TracksFile))
	if err != nil {
		return nil, err
	}
	a := &dataset.Answer{Tracks: tracks, Scans: sc.Scans, Rows: sc.Rows, Unit: folder.Meta.Scans.Unit, Start: folder.Meta.Scans.Start}
	if o := folder.Meta.Scans.Origin; len(o) == 2 {
		a.Origin = &[2]float64{o[0], o[1]}
	}
	if folder.Has(runfolder.InputFile) {
		a.Input = folder.Path(runfolder.InputFile)
	}
	return a, nil
}

// writeCopy writes the content of a file to w.
func writeCopy(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}
