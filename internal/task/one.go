package task

// This file does what mtt track and mtt score do with one of their inputs.

import (
	"context"
	"crypto/sha256"
	"errors"
	"path/filepath"
	"time"

	"mtt/gating"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/metrics"
)

// TrackOne is mtt track for one run or file, begun at a time; the scene of a sequence may have a file of
// truth, too. It writes the folder and prints the record, also that of an interrupted search.
func TrackOne(ctx context.Context, s *cli.Session, c *cli.Command, o *TrackOptions, from *ImportOptions, args []string, began time.Time) error {
	if run, err := o.RunInWindows(s, args); err != nil || run != nil {
		return trackInWindows(ctx, s, c, o, run, err)
	}
	folder, sc, err := SceneToTrack(ctx, s, from, args, func(sc *Scene, meta *runfolder.Meta) error {
		return o.foresee(ctx, sc, meta, s.Common.Workers)
	})
	if err != nil {
		return err
	}
	if run, err := o.sceneInWindows(folder, sc); err != nil || run != nil {
		return trackInWindows(ctx, s, c, o, run, err)
	}
	read := time.Since(began).Seconds()
	once := *o
	if o.window == windowAuto && o.gate == nil && len(sc.Scans) >= shortest && o.unwindowed() == nil {
		limit := o.onceLimit
		if len(sc.Scans) <= fewScans {
			limit = int64(fewTimes * float64(limit))
		}
		once.memoryLimit = min(o.memoryLimit, limit)
		once.noFit = once.memoryLimit < o.memoryLimit
	}
	done, err := Track(ctx, s, c, &once, folder, sc, read)
	if _, ok := errors.AsType[*gating.TooLargeError](err); ok && once.memoryLimit < o.memoryLimit {
		if run, err := inWindows(folder, sc); err != nil || run != nil {
			return trackInWindows(ctx, s, c, o, run, err)
		}
	}
	if err == nil && !o.NoReport {
		err = Illustrate(ctx, s, folder, sc, done.Tracks)
	}
	err = Finish(folder, err)
	if done != nil {
		if cli.ExitStatus(err) == cli.ExitInterrupted && folder.Has(runfolder.CertificateFile) && !o.divisions {
			s.Resume = [2]string{"resume", folder.Dir}
		}
		err = errors.Join(err, s.Out.Print(done.Record))
	}
	return err
}

// trackInWindows tracks the run, which is being edited, and prints the record, unless err says that
// there is none.
func trackInWindows(ctx context.Context, s *cli.Session, c *cli.Command, o *TrackOptions, run *runfolder.Folder, err error) error {
	if err != nil {
		return err
	}
	if o.window == windowAuto {
		s.Note("%s: tracked in windows of time, which are not refined; --window all tracks it at once, if there is memory for it", run.Dir)
	}
	r, err := TrackWindows(ctx, s, c, o, run)
	if err != nil {
		run.Discard()
		return err
	}
	if err := Finish(run, nil); err != nil {
		return err
	}
	return s.Out.Print(r)
}

// RunOfFiles makes a run folder of files, the second, if there is one, being the truth, as mtt
// track does: imported and tracked with the defaults. It is for commands that look at the tracks of
// a run; truth says that they need one.
func RunOfFiles(ctx context.Context, s *cli.Session, files []string, truth bool) (dir string, err error) {
	if err := notOfRuns(files); err != nil {
		return "", err
	}
	results := s.Common.Out // of the command, a file
	s.Common.Out = ""
	defer func() { s.Common.Out = results }()
	folder, sc, err := SceneToTrack(ctx, s, nil, files, nil)
	if err != nil {
		return "", err
	}
	if truth && sc.Truth == nil {
		folder.Discard()
		return "", cli.Usagef("%s has no identities: the truth is not known", files[0]).
			Hinted("name another file that has the truth: 'mtt score %s TRUTH', or compare two files by --truth and --tracks", files[0])
	}
	_, err = TracksOf(ctx, s, folder, sc)
	return folder.Dir, Finish(folder, err)
}

// notOfRuns says that a file belongs to a run folder, if one does: it is the folder that was meant.
func notOfRuns(files []string) error {
	for _, name := range files {
		if dir := filepath.Dir(name); name != "-" && isRun(dir) {
			return cli.Usagef("%s is a file of the run folder %s", name, dir).Hinted("name the folder, %s", dir)
		}
	}
	return nil
}

// A Scored is a run and its scores.
type Scored struct {
	Dir    string
	Record cli.Record
	Report *metrics.Report
	Truth  [sha256.Size]byte // of its truth
}

// ScoreOne is mtt score for one run folder: it scores it, tracking it first when it has no tracks.
func ScoreOne(ctx context.Context, s *cli.Session, c *cli.Command, o *ScoreOptions, folder *runfolder.Folder) (one Scored, err error) {
	if err := Edit(folder); err != nil {
		return one, err
	}
	defer folder.Discard()
	byFrame, err := o.byFrame(folder)
	if err != nil {
		return one, err
	}
	score := scoreWhole
	if byFrame {
		score = scoreFrames
	}
	r, report, err := score(ctx, s, c, o, folder)
	if err := Finish(folder, err); err != nil {
		return one, err
	}
	truth, err := FileSum(ctx, folder.Path(runfolder.TruthFile))
	return Scored{folder.Dir, append(cli.Record{{Key: "run", Value: folder.Dir}}, r...), report, truth}, err
}

// scoreWhole scores the run, which is being edited, all of it in memory.
func scoreWhole(ctx context.Context, s *cli.Session, c *cli.Command, o *ScoreOptions, folder *runfolder.Folder) (cli.Record, *metrics.Report, error) {
	sc, err := LoadScene(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	if err := sc.NeedTruth(folder); err != nil {
		return nil, nil, err
	}
	tracks, err := TracksOf(ctx, s, folder, sc)
	if err != nil {
		return nil, nil, err
	}
	track, err := TrackedWith(folder)
	if err != nil {
		return nil, nil, err
	}
	return ScoreScene(ctx, s, c, o, track, folder, sc, tracks, nil)
}
