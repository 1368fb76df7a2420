package task

// This file cuts a run into parts that have nothing to do with each other, so that they can be tracked on
// different machines, and puts their tracks together.
//
// No link leads from one part to another: detections that a gate pairs, next to each other in time
// or over as many misses as links may pass over, are in one part. So the problem of the run is the
// sum of the problems of its parts, a bound of it the sum of their bounds, and its answer all their
// answers. Levels and rates are those of the whole run, see TrackOptions.Part.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"mtt"
	"mtt/dataset"
	"mtt/gating"
	"mtt/internal/cli"
	"mtt/internal/forest"
	"mtt/internal/runfolder"
)

// A Part says of which run another is a part.
type Part struct {
	Of    string  // run folder
	Spare float64 // detections of the other parts in a scan, on average
}

// Parts is a run in parts.
type Parts struct {
	Folder     *runfolder.Folder
	Dirs       []string // run folders of the parts
	Parts      []Part   // what they are
	Components int      // that no gate joins
	Largest    int      // detections of the largest of them

	scene *Scene
}

// Split cuts a run into at most n parts of about equal size, and writes them as run folders into dir. Rows
// of their detections are numbers, from 1, in the scans of the run. The whole run is in memory.
func Split(ctx context.Context, s *cli.Session, o *TrackOptions, folder *runfolder.Folder, dir string, n int) (*Parts, error) {
	opts, err := o.Association(&folder.Meta, s.Common.Workers)
	if err != nil {
		return nil, err
	}
	w := &windowed{Session: s, o: o, folder: folder, opts: opts}
	if err := w.learn(ctx); err != nil {
		return nil, TrackFault(err)
	}
	p := &Parts{Folder: folder}
	if p.scene, err = LoadScans(folder); err != nil {
		return nil, err
	}
	gen, _, err := w.model.Windows(p.scene.Scans, opts)
	if err != nil {
		return nil, TrackFault(err)
	}
	scans := slices.Clone(p.scene.Scans)
	if g := w.model.Levels; opts.IgnoreVelocity || g != nil && g.PositionsOnly {
		for t := range scans {
			scans[t].Vel, scans[t].VelCov = nil, nil
		}
	}
	labels, err := components(ctx, w.model.Levels.Told(scans), gen.Gate, gen.Passes()+1)
	if err != nil {
		return nil, err
	}
	of := p.share(labels, n)
	for k := range slices.Max(append(of, -1)) + 1 {
		if err := p.write(ctx, filepath.Join(dir, fmt.Sprintf("%04d", k+1)), labels, of, int32(k)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// components labels the detections of all scans, one after the other, such that those that a gate pairs
// up to reach scans apart have one label.
func components(ctx context.Context, scans []mtt.Scan, g gating.Gate, reach int) ([]int32, error) {
	first := make([]int, len(scans)+1)
	for t := range scans {
		first[t+1] = first[t] + scans[t].Len()
	}
	joined := forest.New(first[len(scans)])
	var finder gating.Finder
	var near gating.CSR
	for t := range scans {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for u := t + 1; u < min(t+reach+1, len(scans)); u++ {
			if _, err := finder.Neighbors(&near, &scans[t], &scans[u], g); err != nil {
				return nil, cli.BadInput(err)
			}
			for i := range near.Rows {
				for _, j := range near.Row(i) {
					joined.Join(int32(first[t]+i), int32(first[u])+j)
				}
			}
		}
	}
	return joined.Labels(), nil
}

// share deals the components out to n parts, the largest first, each to the part that has least, and says
// which part has which.
func (p *Parts) share(labels []int32, n int) []int32 {
	var size []int
	for _, l := range labels {
		for int(l) >= len(size) {
			size = append(size, 0)
		}
		size[l]++
	}
	order := make([]int32, len(size))
	for l := range order {
		order[l] = int32(l)
		p.Largest = max(p.Largest, size[l])
	}
	p.Components = len(size)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(size[b], size[a]) })
	of, full := make([]int32, len(size)), make([]int, min(n, len(size)))
	for _, l := range order {
		least := slices.Index(full, slices.Min(full))
		of[l], full[least] = int32(least), full[least]+size[l]
	}
	return of
}

// write writes part k.
func (p *Parts) write(ctx context.Context, dir string, labels, of []int32, k int32) error {
	part := &Scene{}
	at := 0
	for t := range p.scene.Scans {
		scan := &p.scene.Scans[t]
		var dets, rows []int32
		for i := range scan.Len() {
			if of[labels[at+i]] == k {
				dets, rows = append(dets, int32(i)), append(rows, int32(i+1))
			}
		}
		at += scan.Len()
		part.Scans, part.Rows = append(part.Scans, scan.Pick(dets)), append(part.Rows, rows)
	}
	meta := p.Folder.Meta
	meta.Inputs = nil
	meta.Scans.EmptyFrames, meta.Scans.EmptyTimes, meta.Scans.BlankFrames, meta.Scans.BlankSensors = nil, nil, nil, nil
	listEmpty(&meta.Scans, part.Scans)
	folder, err := part.save(ctx, dir, &meta)
	if err != nil {
		return err
	}
	p.Dirs = append(p.Dirs, dir)
	p.Parts = append(p.Parts, Part{p.Folder.Dir, float64(p.scene.detections()-part.detections()) / float64(max(1, len(part.Scans)))})
	return Finish(folder, nil)
}

// Stitch writes the tracks of all parts, which have been tracked, into the run as its tracks, and
// says how many there are. What stands there of another search goes.
func (p *Parts) Stitch() (tracks int, err error) {
	scanOf := mtt.ByFrame(p.scene.Scans)
	all := []mtt.Track{}
	for _, dir := range p.Dirs {
		folder, err := OpenRun(dir)
		if err != nil {
			return 0, err
		}
		part, err := LoadScans(folder)
		if err != nil {
			return 0, err
		}
		own, err := LoadTracks(folder.Path(runfolder.TracksFile))
		if err != nil {
			return 0, err
		}
		for i := range own {
			for h := range own[i].Hits {
				hit := &own[i].Hits[h]
				hit.Det = int(part.Rows[scanOf[hit.Frame]][hit.Det]) - 1
			}
		}
		all = append(all, own...)
	}
	slices.SortFunc(all, func(a, b mtt.Track) int {
		return cmp.Or(cmp.Compare(a.Hits[0].Frame, b.Hits[0].Frame), cmp.Compare(a.Hits[0].Det, b.Hits[0].Det))
	})
	for i := range all {
		all[i].ID = i + 1
	}
	if err := Edit(p.Folder); err != nil {
		return 0, err
	}
	defer p.Folder.Discard()
	if err := removeAnswer(p.Folder, runfolder.SolveFile, runfolder.WindowsDir); err != nil {
		return 0, err
	}
	err = p.Folder.WriteFile(runfolder.TracksFile, func(w io.Writer) error {
		return dataset.WriteTracks(w, all, p.scene.columns(all)...)
	})
	return len(all), Finish(p.Folder, err)
}
