package task

// This file tracks run folders that are larger than memory, in windows of time: what is
// settled goes to the disk window by window, and a command that was cut short goes on after the last
// of them.

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"mtt"
	"mtt/association"
	"mtt/association/windows"
	"mtt/dataset"
	"mtt/dualascent"
	"mtt/internal/certificate"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/verify"
	"mtt/internal/version"
	"mtt/internal/workers"
)

// Values of TrackOptions.window besides a number of scans.
const windowAuto, windowAll = 0, -1

// windowOption binds --window.
func (o *TrackOptions) windowOption() cli.Option {
	opt := cli.NumberOr(&o.window, "window", "auto", windowAuto, 1, math.Inf(1), "`N` scans whose links are settled at once, the rest of the scene being on disk; all; or auto: all, unless the scene takes "+
		"more than --memory-limit, or 2 GiB, then as many as that holds")
	number, get := opt.Set, opt.Get
	opt.Set = func(text string) error {
		if text == "all" {
			o.window = windowAll
			return nil
		}
		return number(text)
	}
	opt.Get = func() any {
		if o.window == windowAll {
			return "all"
		}
		return get()
	}
	opt.Values = append(opt.Values, "all")
	return opt
}

// perDetection is the memory of a detection in a scene that is tracked at once, bytes: of its arcs,
// triplets, prices, and of the track that it is in. Measured: 210 in clean arenas, 800 of a million
// where 5 % are missed and a tenth is false; 2,200 of clutter alone with four detections inside a
// gate, which is no scene.
const perDetection = 1000

// perScan is the memory of a scan beside its detections, bytes, without any too. Measured: 4,000
// with one detection in each of 350,000 or 700,000 scans, half of it what the collector has not
// looked at yet.
const perScan = 4000

// atOnce is the memory in bytes that a scene may take that is tracked at once, unless --window says
// so: beyond that, windows take a fraction of memory and time.
const atOnce = 2 << 30

// mostGated are the bytes that arcs and triplets may take before a scene is tracked in windows,
// though its detections are few enough to be tracked at once. With their prices they take about
// twice as much.
const mostGated = 1 << 30

// In fewScans scans they may take fewTimes as many: windows of so few look little ahead, save less
// than half of the memory, and make weak bounds in crowds.
const fewScans, fewTimes = 24, 2.25

// shortest is the number of scans from which on windows take less than the scene at once.
const shortest = 10

// exceeded says whether a scene is to be tracked in windows of time.
func (o *TrackOptions) exceeded(detections, scans float64) bool {
	switch {
	case o.Part.Of != "" || o.window > 0:
		return true
	case o.window == windowAll:
		return false
	}
	most := o.memoryLimit
	if scans >= shortest && o.unwindowed() == nil {
		most = min(most, atOnce)
	}
	return detections*perDetection+scans*perScan > float64(most)
}

// windowed says whether the run is to be tracked in windows of time, before it is read.
func (o *TrackOptions) windowed(folder *runfolder.Folder) (bool, error) {
	n, err := guessDetections(folder.Path(runfolder.DetectionsFile))
	if err != nil {
		return false, cli.BadInput(err)
	}
	scans := float64(folder.Meta.Scans.Seen())
	if scans > 100*n+1<<16 { // who reads the scans says what is wrong
		scans = 0
	}
	return o.exceeded(n, scans), nil
}

// RunInWindows is the run folder that the arguments name, to be edited, if it is to be tracked in windows
// of time; nil if not, or if they name something else.
func (o *TrackOptions) RunInWindows(s *cli.Session, args []string) (*runfolder.Folder, error) {
	if o.window > 0 {
		if err := o.unwindowed(); err != nil {
			return nil, err
		}
	}
	source := runfolder.Default
	if len(args) > 0 {
		source = args[0]
	}
	if !isFolder(source) || isScene(source) {
		return nil, nil
	}
	folder, err := OpenRun(source)
	if err != nil {
		return nil, err
	}
	switch windowed, err := o.windowed(folder); {
	case err != nil || !windowed:
		return nil, err
	case s.Common.Out != "":
		return nil, cli.Usagef("%s is tracked in windows of time, and stays where it is", source).Hinted("leave --out away, or copy the folder")
	}
	return folder, Edit(folder)
}

// sceneInWindows is RunInWindows for a scene that has been read and begun to be saved in the
// folder; nil if it is to be tracked at once. The scene is forgotten, and what has been saved
// stands in the folder.
func (o *TrackOptions) sceneInWindows(folder *runfolder.Folder, sc *Scene) (*runfolder.Folder, error) {
	if !o.exceeded(float64(sc.detections()), float64(len(sc.Scans))) {
		return nil, nil
	}
	return inWindows(folder, sc)
}

// inWindows forgets the scene that has been saved in the folder, which it returns to be edited.
func inWindows(folder *runfolder.Folder, sc *Scene) (*runfolder.Folder, error) {
	*sc = Scene{}
	runtime.GC() // what it took is there for the windows
	if err := Finish(folder, nil); err != nil {
		return nil, err
	}
	run, err := OpenRun(folder.Dir)
	if err != nil {
		return nil, err
	}
	return run, Edit(run)
}

// guessDetections is about the number of rows of a file, by the length of the first of them.
func guessDetections(name string) (float64, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil // what reads it will say so
	} else if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 1<<16)
	n, _ := io.ReadFull(f, buf)
	lines := 0
	for _, c := range buf[:n] {
		if c == '\n' {
			lines++
		}
	}
	return float64(info.Size()) * float64(lines) / float64(max(n, 1)), nil
}

// unwindowed is the fault of options that windows cannot follow.
func (o *TrackOptions) unwindowed() error {
	for _, x := range []struct {
		is   bool
		name string
	}{
		{o.lag >= 0, "--lag"}, {o.margins != noMargins, "--margins"}, {o.best > 1, "--best"}, {o.Resume != "", "--resume"}, {o.divisions, "--divisions"}, {o.minEvidence != 0, "--min-evidence"},
		{o.engine != string(association.Dual) && o.engine != string(association.Exact), "--engine " + o.engine},
	} {
		if x.is {
			return cli.Usagef("%s needs the whole scene at once, and it is tracked in windows of time", x.name).
				Hinted("--window all tracks it at once, if there is memory for it")
		}
	}
	return nil
}

// A progress is what is known after a window: the state in the folder of windows, as it is when the files
// beside it have these lengths.
type windowProgress struct {
	Key string // of detections, options and version: what a run that goes on has to share

	windows.State
	Tracks                          windows.Numbering
	TracksSize, GapSize, FramesSize int64
	Featured                        bool

	Lower, Certified, Upper                     float64
	Windows, Detections, Arcs, Triplets, Rounds int
	Left                                        int
	Looked                                      []lookedAt
}

// A lookedAt is a scan that is looked at, and which of its detections are in tracks.
type lookedAt struct {
	Scan   mtt.Scan
	Places []windows.Place
}

// Answers are doubted by so many scans in the middle of the run, by fewer with so many detections,
// or, where each has more, by how much there is in all.
const lookedScans, lookedDetections = 40, 50_000

// Files of the folder of windows.
const (
	windowState  = "state"
	windowTracks = "tracks"
	windowGaps   = "gaps"
	windowFrames = "frames"
)

// A windowed is a run that is tracked in windows.
type windowed struct {
	*cli.Session
	o      *TrackOptions
	folder *runfolder.Folder
	dir    string // with what windows have settled
	opts   *association.Options
	model  *association.Result

	tracks, gaps, settled *os.File
	frames                int   // of the run; what is settled of them stands in the file
	room                  int64 // where the gaps begin in their file: what stands before them in a certificate fits there, if there are no coast nodes
	gapWriter             *certificate.GapWriter
	line                  []byte // workspace of add
	windowProgress
}

// TrackWindows tracks the run folder, which is being edited, in windows of time. With an error, that of an
// interrupt included, what was settled stays for the same command to go on from.
func TrackWindows(ctx context.Context, s *cli.Session, c *cli.Command, o *TrackOptions, folder *runfolder.Folder) (cli.Record, error) {
	began := time.Now()
	if err := o.unwindowed(); err != nil {
		return nil, err
	}
	opts, err := o.Association(&folder.Meta, s.Common.Workers)
	if err != nil {
		return nil, err
	}
	foreseeMore(int(min(o.memoryLimit, foreseenWindows)))
	defer Thrifty(o.memoryLimit)()
	w := &windowed{Session: s, o: o, folder: folder, dir: filepath.Join(folder.Dir, runfolder.WindowsDir), opts: opts}
	var detections [sha256.Size]byte
	var unread error
	var summing sync.WaitGroup
	summing.Go(func() { detections, unread = FileSum(ctx, folder.Path(runfolder.DetectionsFile)) })
	defer summing.Wait()
	estimating := time.Now()
	if err := w.learn(ctx); err != nil {
		return nil, TrackFault(err)
	}
	w.model.Seconds.Estimate = time.Since(estimating).Seconds()
	if summing.Wait(); unread != nil {
		return nil, cli.BadInput(unread)
	}
	used := usedOptions(c)
	delete(used, "memory-limit") // windows of other lengths go on from any border
	delete(used, "window")
	// Folders of form 1 had all frames in the state, those of form 2 no room before the gaps, those
	// of form 3 no scans that are looked at.
	if err := w.open(fmt.Sprintf("4 %x %s %v", detections, version.Version, used)); err != nil {
		return nil, err
	}
	defer w.tracks.Close()
	defer w.gaps.Close()
	defer w.settled.Close()
	solving := time.Now()
	if err := w.solve(ctx); err != nil {
		return nil, TrackFault(err)
	}
	w.doubt(ctx)
	w.model.Seconds.Solve = time.Since(solving).Seconds()
	writing := time.Now()
	sums, err := w.collect(ctx, detections)
	if err != nil {
		return nil, err
	}
	return w.record(c, sums, began, writing)
}

// open opens the folder of windows, and takes up what is there if it has the key.
func (w *windowed) open(key string) error {
	old := &windowProgress{}
	if f, err := os.Open(filepath.Join(w.dir, windowState)); err == nil {
		if gob.NewDecoder(f).Decode(old) != nil || old.Key != key {
			old = &windowProgress{}
		}
		f.Close()
	}
	if old.Key == "" {
		if err := os.RemoveAll(w.dir); err != nil {
			return err
		}
		old = &windowProgress{Key: key}
	} else {
		w.Note("%s: going on after %d windows, with frame %d of %d", w.dir, old.Windows, old.First, w.folder.Meta.Scans.Count)
	}
	w.windowProgress, w.frames = *old, w.folder.Meta.Scans.Seen()
	w.room = certificate.Room(madeBy(w.o), w.frames)
	w.GapSize = max(w.GapSize, w.room)
	if err := os.MkdirAll(w.dir, 0o777); err != nil {
		return err
	}
	for name, x := range map[string]struct {
		file **os.File
		size int64
	}{windowTracks: {&w.tracks, w.TracksSize}, windowGaps: {&w.gaps, w.GapSize}, windowFrames: {&w.settled, w.FramesSize}} {
		f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return err
		}
		if err = f.Truncate(x.size); err == nil { // what a killed process wrote beyond its state goes
			_, err = f.Seek(x.size, io.SeekStart)
		}
		if err != nil {
			f.Close()
			return err
		}
		*x.file = f
	}
	w.gapWriter = certificate.NewGapWriter(w.gaps, w.frames)
	if w.FramesSize == 0 {
		return nil
	}
	_, err := w.settledFrames() // before it is built upon
	return err
}

// settledFrames reads what windows have settled of the frames. It is large, and needed in the end only.
func (w *windowed) settledFrames() ([]certificate.Frame, error) {
	frames := make([]certificate.Frame, w.frames)
	return frames, readFrames(frames, bufio.NewReader(io.NewSectionReader(w.settled, 0, w.FramesSize)))
}

// scans reads the scans of the run, first to last.
func (w *windowed) scans() (next func() (*mtt.Scan, error), done io.Closer, err error) {
	name := w.folder.Path(runfolder.DetectionsFile)
	f, err := dataset.Open(name)
	if err != nil {
		return nil, nil, cli.BadInput(err)
	}
	sf, err := dataset.NewScanFile(f, name, gridOf(w.folder))
	if err != nil {
		f.Close()
		return nil, nil, cli.BadInput(err)
	}
	return func() (*mtt.Scan, error) {
		s, err := sf.Next()
		if err == io.EOF {
			return nil, err
		}
		return s, cli.BadInput(err)
	}, f, nil
}

// Levels are learnt from at least so many scans and detections, if there are as many.
const learnScans, learnDetections = 30, 50_000

// learn learns levels and rates from the first scans, of the run or of the one that it is a part of.
func (w *windowed) learn(ctx context.Context) error {
	from := w
	if w.o.Part.Of != "" {
		whole, err := OpenRun(w.o.Part.Of)
		if err != nil {
			return err
		}
		from = &windowed{folder: whole}
	}
	next, done, err := from.scans()
	if err != nil {
		return err
	}
	defer done.Close()
	var first []mtt.Scan
	for n := 0; len(first) < learnScans/2 || len(first) < learnScans && n < 20*learnDetections || n < learnDetections; {
		s, err := next()
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		first, n = append(first, *s), n+s.Len()
	}
	opts := *w.opts
	opts.FixedSensor = true // where the sensor is in later scans would be unknown
	w.model, err = association.Learn(ctx, first, &opts)
	return err
}

// solve tracks the windows that are left.
func (w *windowed) solve(ctx context.Context) error {
	frames := w.frames
	if w.First >= frames {
		return nil
	}
	next, done, err := w.scans()
	if err != nil {
		return err
	}
	defer done.Close()
	for range w.First {
		if _, err := next(); err != nil {
			return err
		}
	}
	k := windows.Resume(w.model, next, &windows.Options{Scans: w.o.window, Memory: w.o.memoryLimit, Aim: atOnce / 4, Spare: w.o.Part.Spare, Association: w.opts}, w.State)
	hits := dataset.NewHitWriter(w.tracks, w.folder.Meta.Scans.Dim, w.TracksSize == 0)
	line := w.StartProgress(ctx, "frames", frames)
	defer line.Done()
	written := make(chan error, 1) // of the window before: it is put away while the next one is tracked
	written <- nil
	for {
		part, err := k.Next(ctx)
		if err := <-written; err != nil {
			return err
		}
		if w.Windows > 0 {
			line.Set(w.First, fmt.Sprintf("window %d, gap %.2g", w.Windows, w.Upper-w.Lower))
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		state := k.State
		go func() {
			err := w.add(part, hits)
			if err == nil {
				w.State = state
				err = w.save()
			}
			written <- err
		}()
	}
}

// add puts what a window has settled behind what is there.
func (w *windowed) add(part *windows.Window, hits *dataset.HitWriter) error {
	middle := w.folder.Meta.Scans.First + w.folder.Meta.Scans.Step*max(0, w.folder.Meta.Scans.Count-lookedScans)/2
	err := w.Tracks.Add(part, func(s *mtt.Scan, places []windows.Place) error {
		if s.Frame >= middle && len(w.Looked) < lookedScans && w.looked()+s.Len() <= lookedDetections {
			w.Looked = append(w.Looked, lookedAt{*s, slices.Clone(places)})
		}
		for _, p := range places {
			if err := hits.Write(s, p.Track, p.Det); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = hits.Flush()
	}
	if err != nil {
		return err
	}
	w.line = appendFrames(w.line[:0], part)
	if _, err := w.settled.Write(w.line); err != nil {
		return err
	}
	for t := range part.Scans {
		w.Detections += part.Scans[t].Len()
	}
	p, c := part.First, new(certificate.Gap)
	for g := range part.Gaps() {
		gapOf(c, p, w.frames, &g.FramePair, g.Block, &g.Prices, g.Next)
		w.Featured = w.Featured || c.Features != nil
		if err := w.gapWriter.Append(p, c); err != nil {
			return err
		}
		p++
	}
	if err := w.gapWriter.Flush(); err != nil {
		return err
	}
	w.Lower, w.Certified, w.Upper = w.Lower+part.Lower, w.Certified+part.Certified, w.Upper+part.Upper
	w.Windows, w.Arcs, w.Triplets, w.Left, w.Rounds = w.Windows+1, w.Arcs+part.Arcs, w.Triplets+part.Triplets, w.Left+part.Left, max(w.Rounds, part.Rounds)
	return nil
}

// looked is the number of detections that are looked at.
func (w *windowed) looked() (n int) {
	for i := range w.Looked {
		n += w.Looked[i].Scan.Len()
	}
	return n
}

// doubt says why the answer may not be right.
func (w *windowed) doubt(ctx context.Context) {
	part, at := *w.model, make(map[int]int) // of a track: its place
	scans := make([]mtt.Scan, len(w.Looked))
	for t := range w.Looked {
		s := &w.Looked[t].Scan
		for _, p := range w.Looked[t].Places {
			if _, begun := at[p.Track]; !begun {
				at[p.Track] = len(part.Tracks)
				part.Tracks = append(part.Tracks, mtt.Track{ID: p.Track, Dim: s.Dim})
			}
			part.Tracks[at[p.Track]].Append(s, p.Det)
		}
		scans[t] = *s
	}
	part.Doubt(ctx, scans, association.Whole{Scans: w.frames, Detections: w.Detections, Tracks: w.Tracks.Count, Left: w.Tracks.Loose}, w.opts)
	w.model.LeftOut, w.model.Warnings = part.LeftOut, part.Warnings
	for _, warning := range part.Warnings {
		w.Log.Warn(w.About(warning))
	}
}

// save makes what is there last.
func (w *windowed) save() (err error) {
	for _, x := range []struct {
		file *os.File
		size *int64
	}{{w.tracks, &w.TracksSize}, {w.gaps, &w.GapSize}, {w.settled, &w.FramesSize}} {
		if err := x.file.Sync(); err != nil {
			return err
		}
		if *x.size, err = x.file.Seek(0, io.SeekCurrent); err != nil {
			return err
		}
	}
	return runfolder.WriteFile(filepath.Join(w.dir, windowState), func(out io.Writer) error {
		return gob.NewEncoder(out).Encode(&w.windowProgress)
	})
}

// collect makes the files of the run of what the windows have settled, unless ctx ends.
func (w *windowed) collect(ctx context.Context, detections [sha256.Size]byte) (sums verify.Sums, err error) {
	if err := removeAnswer(w.folder, runfolder.WindowsDir); err != nil {
		return sums, err
	}
	head := &certificate.Header{Made: madeBy(w.o), Lower: min(w.Certified, w.Upper), Upper: w.Upper, Detections: detections}
	frames, err := w.settledFrames()
	if err != nil {
		return sums, err
	}
	assembled := func() (io.Reader, error) {
		return certificate.Assemble(head, frames, w.Featured, cli.Reader(ctx, io.NewSectionReader(w.gaps, w.room, w.GapSize-w.room)))
	}
	write := func(out io.Writer) error {
		r, err := assembled()
		if err == nil {
			_, err = io.Copy(out, r)
		}
		return err
	}
	certify := func() error { return w.folder.WriteFile(runfolder.CertificateFile, write) }
	if !slices.ContainsFunc(frames, func(f certificate.Frame) bool { return len(f.From) > 0 }) {
		certify = func() error {
			if err := certificate.Complete(w.gaps, head, frames, w.Featured, w.GapSize); err != nil {
				return err
			}
			if err := w.gaps.Sync(); err != nil {
				return err
			}
			return w.folder.Adopt(runfolder.CertificateFile, filepath.Join(runfolder.WindowsDir, windowGaps), write)
		}
	}
	var costs, whole [sha256.Size]byte
	faults := make([]error, 5)
	workers.Each(2, 2, func(_, half int) { // a core each
		if half == 0 {
			costs, faults[0] = w.problemSum(ctx, detections, frames)
			return
		}
		if head.Tracks, faults[1] = sumOf(ctx, w.piece(w.tracks, w.TracksSize)); faults[1] != nil {
			return
		}
		steps := []func() error{
			certify,
			func() error {
				return w.folder.Adopt(runfolder.TracksFile, filepath.Join(runfolder.WindowsDir, windowTracks), func(out io.Writer) error {
					_, err := io.Copy(out, cli.Reader(ctx, w.piece(w.tracks, w.TracksSize)))
					return err
				})
			},
			func() error {
				r, err := assembled()
				if err == nil {
					whole, err = sumOf(ctx, r)
				}
				return err
			},
		}
		workers.Each(len(steps), len(steps), func(_, k int) { faults[2+k] = steps[k]() }) // a disk and a core each
	})
	sums.Detections, sums.Tracks = hex.EncodeToString(detections[:]), hex.EncodeToString(head.Tracks[:])
	sums.Costs, sums.Certificate = hex.EncodeToString(costs[:]), hex.EncodeToString(whole[:])
	return sums, errors.Join(faults...)
}

// piece reads a file of the folder of windows from its beginning.
func (w *windowed) piece(f *os.File, size int64) io.Reader { return io.NewSectionReader(f, 0, size) }

// problemSum is the sum of the problem in the gaps between frames.
func (w *windowed) problemSum(ctx context.Context, detections [sha256.Size]byte, frames []certificate.Frame) (sum [sha256.Size]byte, err error) {
	r := certificate.NewGapReader(frames, cli.Reader(ctx, io.NewSectionReader(w.gaps, w.room, w.GapSize-w.room)))
	problem := certificate.NewProblemSum(detections, frames)
	for {
		switch err := r.Sum(problem); err {
		case nil:
		case io.EOF:
			return problem.Sum(), nil
		default:
			return sum, err
		}
	}
}

// record writes solve.json and returns what is printed, of a command that began then, and began to
// put together its files then.
func (w *windowed) record(c *cli.Command, sums verify.Sums, began, writing time.Time) (cli.Record, error) {
	res := *w.model
	d := &dualascent.Result{LowerBound: w.Lower, UpperBound: w.Upper, Certified: w.Certified, Rounds: w.Rounds, Next: [][]int32{}, Status: dualascent.Stalled}
	switch g := d.Gap(); {
	case g <= 1e-9:
		d.Status = dualascent.Optimal
	case g <= w.o.gap/100:
		d.Status = dualascent.WithinGap
	}
	res.Dual = d
	r := solveRecord(w.folder, w.o, &res, nil)
	setField(r, "arcs", w.Arcs)
	setField(r, "triplets", w.Triplets)
	setField(r, "tracks", w.Tracks.Count)
	setUsed(r, &res.Seconds, 0, time.Since(writing).Seconds(), time.Since(began).Seconds())
	r = withoutKey(r, "merged")
	r.Add("windows", w.Windows)
	if res.Coasts {
		r = append(r, cli.Field{Key: "misses_passed", Value: w.Misses}, cli.Field{Key: "links_left", Value: w.Left})
	}
	err := writeRecord(w.folder, runfolder.SolveFile, w.Session, c, append(withoutKey(r, "certified_bound"), evidence(&res, 0, sums)...))
	return r, err
}
