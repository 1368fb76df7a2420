package main

// This file moves scenes, scans with or without truth, between memory and run
// folders.

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"mtt"
	"mtt/dataset"
	"mtt/internal/runfolder"
)

// A scene is what is known before anything is tracked.
type scene struct {
	scans []mtt.Scan
	truth []mtt.Track // nil: not known
}

// counts are the numbers of a scene that simulate and import print.
func (sc *scene) counts(r *record) {
	detections, missed := 0, 0
	for i := range sc.scans {
		detections += sc.scans[i].Len()
	}
	detected := 0
	for i := range sc.truth {
		for _, h := range sc.truth[i].Hits {
			if h.Det < 0 {
				missed++
			} else {
				detected++
			}
		}
	}
	if sc.truth != nil {
		r.add("targets", len(sc.truth))
	} else {
		r.add("targets", nil)
	}
	r.add("frames", len(sc.scans))
	r.add("detections", detections)
	if sc.truth != nil {
		r.add("missed", missed)
		r.add("clutter", detections-detected)
	}
}

// save writes the scene as the run folder dir.
func (sc *scene) save(dir string, meta *runfolder.Meta) (*runfolder.Folder, error) {
	folder, err := runfolder.Create(dir, meta)
	if err != nil {
		return nil, folderFault(err)
	}
	defer folder.Discard()
	err = folder.WriteFile(runfolder.DetectionsFile, func(w io.Writer) error {
		return dataset.WriteScans(w, sc.scans)
	})
	if err != nil {
		return nil, err
	}
	if sc.truth != nil {
		err := folder.WriteFile(runfolder.TruthFile, func(w io.Writer) error {
			return dataset.WriteTruth(w, sc.truth)
		})
		if err != nil {
			return nil, err
		}
	}
	return folder, folder.Commit()
}

// openRun opens the run folder dir.
func openRun(dir string) (*runfolder.Folder, error) {
	folder, err := runfolder.Open(dir)
	if err != nil {
		return nil, folderFault(err)
	}
	return folder, nil
}

// loadScans reads the detections of a run folder, without the truth.
func loadScans(folder *runfolder.Folder) (*scene, error) {
	grid := &dataset.Grid{
		First: folder.Meta.Scans.First, Step: folder.Meta.Scans.Step,
		Count: folder.Meta.Scans.Count, Interval: folder.Meta.Scans.Interval,
	}
	sc := &scene{}
	name := folder.Path(runfolder.DetectionsFile)
	return sc, readFile(name, func(r io.Reader) error {
		scans, err := dataset.ReadScans(r, name, grid)
		if err == nil {
			sc.scans = scans.Scans
		}
		return err
	})
}

// loadScene reads the detections and, when it is there, the truth of a run folder.
func loadScene(folder *runfolder.Folder) (*scene, error) {
	sc, err := loadScans(folder)
	if err == nil && folder.Has(runfolder.TruthFile) {
		sc.truth, err = loadTracks(folder.Path(runfolder.TruthFile))
	}
	return sc, err
}

// loadTracks reads a truth or tracks file of a run folder. The result is not nil.
func loadTracks(name string) ([]mtt.Track, error) {
	tracks := []mtt.Track{}
	err := readFile(name, func(r io.Reader) error {
		file, err := dataset.ReadTracks(r, name)
		if err == nil {
			tracks = append(tracks, file.Tracks...)
		}
		return err
	})
	return tracks, err
}

// loadTargets reads the targets, true or estimated, of a file of any format.
func loadTargets(s *session, name string) (*dataset.Tracks, error) {
	if err := checkFile(name); err != nil {
		return nil, err
	}
	targets, err := dataset.ReadTargets(name, nil)
	if err != nil {
		return nil, badInput(err)
	}
	for _, note := range targets.Notes {
		s.note("%s: %s", name, note)
	}
	return targets, nil
}

// readFile hands the content of a file to read, decompressed. Its errors are
// those of bad input.
func readFile(name string, read func(io.Reader) error) error {
	if err := checkFile(name); err != nil {
		return err
	}
	f, err := dataset.Open(name)
	if err != nil {
		return badInput(err)
	}
	defer f.Close()
	return badInput(read(f))
}

// checkFile says what is wrong when name is not the name of a file.
func checkFile(name string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usagef("%s does not exist", name)
	case err == nil && info.IsDir():
		return usagef("%s is a folder, not a file", name)
	}
	return badInput(err)
}

// folderFault marks err as the fault of the folder that was named.
func folderFault(err error) error {
	const advice = "'mtt simulate' and 'mtt import FILE' make run folders"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		path := ""
		if p, ok := errors.AsType[*fs.PathError](err); ok {
			path = p.Path
		}
		return usagef("run folder %s does not exist", path).hinted(advice)
	case errors.Is(err, runfolder.ErrNotRunFolder):
		return (&fault{status: exitUsage, err: err}).hinted(advice)
	}
	return badInput(err)
}

// usedOptions lists the options of c that can change a result, with their values.
func usedOptions(c *command) map[string]any {
	used := make(map[string]any)
	for i := range c.options {
		if o := &c.options[i]; !o.common || o.name == "seed" {
			used[o.name] = o.get()
		}
	}
	return used
}
