package task

// This file moves scenes, scans with or without truth, between memory and run
// folders.

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"

	"mtt"
	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
)

// A Scene is what is known before anything is tracked.
type Scene struct {
	Scans []mtt.Scan
	Rows  [][]int32               // for each scan, the rows of the imported file; nil: not known
	Truth []mtt.Track             // nil: not known
	input func(w io.Writer) error // writes a copy of the imported file; nil: there is none
	from  *runfolder.Folder       // the run that it was read from, all of it, and whose files save copies; nil: it is written anew
}

// detections is the number of detections in all scans.
func (sc *Scene) detections() int {
	n := 0
	for i := range sc.Scans {
		n += sc.Scans[i].Len()
	}
	return n
}

// Counts are the numbers of a scene that simulate and import print.
type Counts struct {
	known                                         bool // the truth
	targets, frames, detections, missed, detected int
}

// Add appends the numbers.
func (n *Counts) Add(r *cli.Record) {
	if n.known {
		r.Add("targets", n.targets)
	} else {
		r.Add("targets", nil)
	}
	r.Add("frames", n.frames)
	r.Add("detections", n.detections)
	if n.known {
		r.Add("missed", n.missed)
		r.Add("clutter", n.detections-n.detected)
	}
}

// Counts appends the numbers of the scene.
func (sc *Scene) Counts(r *cli.Record) {
	n := Counts{known: sc.Truth != nil, targets: len(sc.Truth), frames: len(sc.Scans), detections: sc.detections()}
	for i := range sc.Truth {
		for _, h := range sc.Truth[i].Hits {
			if h.Det < 0 {
				n.missed++
			} else {
				n.detected++
			}
		}
	}
	n.Add(r)
}

// save begins the run folder dir with the scene; [Finish] makes it stand there. Inputs
// must not be files that go when it does. When ctx ends there is no such folder.
func (sc *Scene) save(ctx context.Context, dir string, meta *runfolder.Meta) (folder *runfolder.Folder, err error) {
	for _, input := range meta.Inputs {
		if runfolder.Replaces(dir, input) {
			return nil, cli.Usagef("%s is an input and would be replaced by the new run in %s", input, dir).
				Hinted("name another folder with --out")
		}
	}
	made, err := createRun(dir, meta)
	if err != nil {
		return nil, err
	}
	folder = made
	defer func() {
		if err != nil {
			made.Discard()
		}
	}()
	write := func(name string, anew func(w io.Writer) error) error {
		return folder.WriteFile(name, func(w io.Writer) error {
			if w = cli.Writer(ctx, w); sc.from != nil {
				return writeCopy(w, sc.from.Path(name))
			}
			return anew(w)
		})
	}
	err = write(runfolder.DetectionsFile, func(w io.Writer) error { return dataset.WriteScanRows(w, sc.Scans, sc.Rows) })
	if err != nil {
		return nil, err
	}
	if sc.Truth != nil {
		if err := write(runfolder.TruthFile, func(w io.Writer) error { return dataset.WriteTruth(w, sc.Truth) }); err != nil {
			return nil, err
		}
	}
	if sc.input != nil {
		if err := folder.WriteFile(runfolder.InputFile, func(w io.Writer) error { return sc.input(cli.Writer(ctx, w)) }); err != nil {
			return nil, err
		}
	}
	if sc.from != nil { // what was copied is what was read
		err = Unchanged(sc.from)
	}
	return folder, err
}

// Unchanged is the fault of a run that was replaced while it was read.
func Unchanged(folder *runfolder.Folder) error { return folderFault(folder.Unchanged()) }

// Edit begins to change several files of a run folder; [Finish] makes them stand there.
func Edit(folder *runfolder.Folder) error { return folderFault(folder.Edit()) }

// Finish ends what Simulate, Import, SceneToTrack or Edit began: the folder changes in
// one step, unless err says that something failed. An interrupt keeps what was finished.
// It returns err, or why the folder could not be changed. What has been discarded stays as it was.
func Finish(folder *runfolder.Folder, err error) error {
	if err != nil && !folder.Editing() {
		return err
	}
	if err != nil && cli.ExitStatus(err) != cli.ExitInterrupted {
		folder.Discard()
		return err
	}
	if failed := folder.Commit(); failed != nil {
		folder.Discard()
		return failed
	}
	return err
}

// columns are the further columns of tracks.csv: when a hit was, where scans come at odd
// times, and which row of the imported file it is.
func (sc *Scene) columns(tracks []mtt.Track) []dataset.TrackColumn {
	of := mtt.ByFrame(sc.Scans)
	var list []dataset.TrackColumn
	if dataset.ColumnsOf(sc.Scans).Time {
		list = append(list, dataset.TrackColumn{Name: "time", Exact: true, Of: func(track, hit int) float64 {
			return sc.Scans[of[tracks[track].Hits[hit].Frame]].Time
		}})
	}
	if sc.Rows != nil {
		list = append(list, dataset.TrackColumn{Name: "row", Exact: true, Of: func(track, hit int) float64 {
			h := tracks[track].Hits[hit]
			if h.Det < 0 {
				return math.NaN()
			}
			return float64(sc.Rows[of[h.Frame]][h.Det])
		}})
	}
	return list
}

// keepFiles lets save copy the files of the folder, of which sc is the scene, rather than write
// their numbers out again.
func (sc *Scene) keepFiles(folder *runfolder.Folder) {
	sc.from = folder
	if folder.Has(runfolder.InputFile) {
		path := folder.Path(runfolder.InputFile)
		sc.input = func(w io.Writer) error { return writeCopy(w, path) }
	}
}

// createRun begins the run folder dir.
func createRun(dir string, meta *runfolder.Meta) (*runfolder.Folder, error) {
	if dir == "-" {
		return nil, cli.Usagef("a run is a folder, not standard output").Hinted("name one with --out; 'mtt export' then writes its tracks to standard output")
	}
	folder, err := runfolder.Create(dir, meta)
	switch {
	case errors.Is(err, fs.ErrNotExist): // as below /proc
		return nil, cli.Usagef("no folder can be made at %s", dir).Hinted("name another one with --out")
	case err != nil:
		return nil, folderFault(err)
	}
	return folder, nil
}

// OpenRun opens the run folder dir.
func OpenRun(dir string) (*runfolder.Folder, error) {
	folder, err := runfolder.Open(dir)
	if err != nil {
		if fault := notOfRuns([]string{dir}); fault != nil && isFile(dir) {
			return nil, fault
		}
		if file := tableIn(dir); file != "" && errors.Is(err, runfolder.ErrNotRunFolder) {
			return nil, (&cli.Fault{Status: cli.ExitUsage, Err: err}).Hinted("'mtt track %s' makes a run folder of the file, %s", file, runfolder.Default)
		}
		return nil, folderFault(err)
	}
	return folder, nil
}

// tableIn is a file that may hold detections: the one that is named, or the first in a folder that
// looks like a table; "": there is none.
func tableIn(path string) string {
	if isFile(path) {
		return path
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".csv", ".tsv":
			if e.Type().IsRegular() {
				return filepath.Join(path, e.Name())
			}
		}
	}
	return ""
}

// gridOf are the frames of a run.
func gridOf(folder *runfolder.Folder) *dataset.Grid {
	grid := &dataset.Grid{
		First: folder.Meta.Scans.First, Step: folder.Meta.Scans.Step,
		Count: folder.Meta.Scans.Count, Interval: folder.Meta.Scans.Interval, Empty: make(map[int]float64), By: make(map[int]int),
		Unseen: folder.Meta.Scans.UnseenFrames,
	}
	for k, frame := range folder.Meta.Scans.EmptyFrames {
		grid.Empty[frame] = folder.Meta.Scans.EmptyTimes[k]
	}
	for k, frame := range folder.Meta.Scans.BlankFrames {
		grid.By[frame] = folder.Meta.Scans.BlankSensors[k]
	}
	return grid
}

// noScene says that the run folder is one of given costs, without positions, and what serves such a
// run; nil: it is not.
func noScene(folder *runfolder.Folder) error {
	if !folder.Has(runfolder.GraphFile) || folder.Has(runfolder.DetectionsFile) {
		return nil
	}
	return cli.Usagef("%s is of given costs (--arcs): it has no positions, only the tracks of detections by name, in %s", folder.Dir, runfolder.AnswerFile).
		Hinted("'mtt verify %s' checks the answer, and %s says cost and bound; what needs positions, such as scores and reports, is for runs of 'mtt import' and 'mtt simulate'", folder.Dir, runfolder.SolveFile)
}

// LoadScans reads the detections of a run folder, without the truth.
func LoadScans(folder *runfolder.Folder) (*Scene, error) {
	if err := noScene(folder); err != nil {
		return nil, err
	}
	grid := gridOf(folder)
	sc := &Scene{}
	name := folder.Path(runfolder.DetectionsFile)
	return sc, ReadFile(name, func(r io.Reader) error {
		scans, err := dataset.ReadScans(r, name, grid)
		if err == nil {
			sc.Scans, sc.Rows = scans.Scans, scans.Rows
		}
		return err
	})
}

// LoadScene reads the detections and, when it is there, the truth of a run folder.
func LoadScene(ctx context.Context, folder *runfolder.Folder) (*Scene, error) {
	return loadScene(ctx, folder, nil)
}

// loadScene is LoadScene, which reads no truth of scans that are not worth it; nil: all are.
func loadScene(ctx context.Context, folder *runfolder.Folder, worth worth) (*Scene, error) {
	return cli.Await(ctx, func() (*Scene, error) {
		sc, err := LoadScans(folder)
		if err == nil {
			err = worth.of(sc, &folder.Meta)
		}
		if err == nil && folder.Has(runfolder.TruthFile) {
			sc.Truth, err = LoadTracks(folder.Path(runfolder.TruthFile))
		}
		return sc, err
	})
}

// A worth says why a scene, of which the truth may be not read yet, is not worth being saved, or nil.
type worth func(sc *Scene, meta *runfolder.Meta) error

// of is the answer of w, which may be nil.
func (w worth) of(sc *Scene, meta *runfolder.Meta) error {
	if w == nil {
		return nil
	}
	return w(sc, meta)
}

// LoadTracks reads a truth or tracks file of a run folder. The result is not nil.
func LoadTracks(name string) ([]mtt.Track, error) {
	tracks := []mtt.Track{}
	err := ReadFile(name, func(r io.Reader) error {
		file, err := dataset.ReadTracks(r, name)
		if err == nil {
			tracks = append(tracks, file.Tracks...)
		}
		return err
	})
	return tracks, err
}

// LoadTargets reads the targets, true or estimated, of a file of any format.
func LoadTargets(ctx context.Context, s *cli.Session, name string) (*dataset.Tracks, error) {
	if err := CheckFile(name); err != nil {
		return nil, err
	}
	targets, err := cli.Await(ctx, func() (*dataset.Tracks, error) { return dataset.ReadTargets(name, nil) })
	if err != nil {
		return nil, cli.BadInput(err)
	}
	for _, note := range targets.Notes {
		s.Note("%s: %s", name, note)
	}
	return targets, nil
}

// LoadFound is LoadTargets for what a tracker found: where a file has nothing in it that is none.
func LoadFound(ctx context.Context, s *cli.Session, name string) (*dataset.Tracks, error) {
	tracks, err := LoadTargets(ctx, s, name)
	if e, ok := errors.AsType[*dataset.SyntaxError](err); ok && e.Empty {
		s.Note("%s: %s: it has no tracks", name, e.Msg)
		return &dataset.Tracks{}, nil
	}
	return tracks, err
}

// HasTargets says whether a file tells which detections belong together.
func HasTargets(name string) bool {
	if CheckFile(name) != nil {
		return false
	}
	_, err := dataset.ReadTargets(name, nil)
	e, ok := errors.AsType[*dataset.SyntaxError](err)
	return err == nil || ok && e.Twice
}

// ReadFile hands the content of a file to read, decompressed. Its errors are
// those of bad input.
func ReadFile(name string, read func(io.Reader) error) error {
	if err := CheckFile(name); err != nil {
		return err
	}
	f, err := dataset.Open(name)
	if err != nil {
		return cli.BadInput(err)
	}
	defer f.Close()
	return cli.BadInput(read(f))
}

// CheckFile says what is wrong when name is not the name of a file.
func CheckFile(name string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cli.Usagef("%s does not exist", name)
	case err == nil && info.IsDir():
		return cli.Usagef("%s is a folder, not a file", name)
	}
	return cli.BadInput(err)
}

// folderFault marks err as the fault of the folder that was named.
func folderFault(err error) error {
	const advice = "'mtt simulate' and 'mtt import FILE' make run folders"
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		path := ""
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			path = p.Path
		}
		return cli.Usagef("run folder %s does not exist", path).Hinted(advice)
	case errors.Is(err, runfolder.ErrBusy):
		return (&cli.Fault{Status: cli.ExitFailed, Err: err}).Hinted("wait until it has ended, or name another folder with --out")
	case errors.Is(err, runfolder.ErrChanged):
		return (&cli.Fault{Status: cli.ExitFailed, Err: err}).Hinted("run the command again")
	case errors.Is(err, runfolder.ErrNotRunFolder):
		return (&cli.Fault{Status: cli.ExitUsage, Err: err}).Hinted(advice)
	}
	return cli.BadInput(err)
}

// usedOptions lists the options of c that can change a result, with their values.
func usedOptions(c *cli.Command) map[string]any {
	used := make(map[string]any)
	for i := range c.Options {
		if o := &c.Options[i]; !o.Common || o.Name == "seed" {
			used[o.Name] = o.Get()
		}
	}
	return used
}
