package main

// This file is one run of mtt pmbm's filter over a scene: what it reported, how good
// that is, and the files that keep it.

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"mtt"
	"mtt/association/pmbm"
	"mtt/dataset"
	"mtt/internal/runfolder"
	"mtt/metrics"
	"mtt/plots"
)

// A filterRun is what a filter made of a scene.
type filterRun struct {
	record           // the same for equal scenes and options
	times     record // and what is not
	tracks    []pmbm.Track
	estimates []mtt.Track // what was reported frame by frame, by track
	existence [][]float64 // of each estimate
	frames    []plots.FilterFrame
	sets      *metrics.SetScores // nil without truth
	cutoff    float64
}

// filterScene filters a scene, and dumps the assignment problems when o says so.
func filterScene(ctx context.Context, s *session, o *pmbmOptions, sc *scene, options *pmbm.Options, name string, formats []string) (*filterRun, error) {
	began := time.Now()
	opts := *options
	dump, err := newDump(o.dump, name, formats)
	if err != nil {
		return nil, err
	}
	if dump != nil {
		defer dump.discard()
		opts.Observe = func(p *pmbm.Posed) error { return dump.add(ctx, p) }
	}
	f, err := pmbm.New(&opts)
	if err != nil {
		return nil, badInput(err)
	}
	run := &filterRun{}
	line := s.startProgress(ctx, "frames", len(sc.scans))
	err = run.filter(ctx, f, sc.scans, line)
	line.done()
	if err != nil {
		return nil, err
	}
	seconds := time.Since(began).Seconds()
	run.tracks = f.Tracks()
	if err := dump.close(); err != nil {
		return nil, err
	}
	if run.cutoff = o.cutoff; run.cutoff == 0 {
		run.cutoff = 10 * opts.Sigma
	}
	run.describe(f, &opts, dump)
	if err := run.score(ctx, sc, len(sc.scans)); err != nil {
		return nil, err
	}
	run.times = record{{key: "seconds", value: seconds}, {key: "peak_rss_mb", value: peakMemory()}}
	return run, nil
}

// filter takes all scans.
func (run *filterRun) filter(ctx context.Context, f *pmbm.Filter, scans []mtt.Scan, line *progress) error {
	place := make(map[int]int) // of each track in run.estimates
	for i := range scans {
		if err := f.Step(ctx, &scans[i]); err != nil {
			return err
		}
		for _, e := range f.Estimates() {
			n, ok := place[e.Track]
			if !ok {
				n = len(run.estimates)
				place[e.Track] = n
				run.estimates = append(run.estimates, mtt.Track{ID: n + 1, Dim: len(e.Pos)})
				run.existence = append(run.existence, nil)
			}
			t := &run.estimates[n]
			t.Hits = append(t.Hits, mtt.Hit{Frame: scans[i].Frame, Det: e.Det})
			t.Pos = append(t.Pos, e.Pos...)
			t.Vel = append(t.Vel, e.Vel...)
			run.existence[n] = append(run.existence[n], e.Existence)
		}
		run.note(f, scans[i].Frame)
		line.set(i+1, fmt.Sprintf("%d targets", len(f.Estimates())))
	}
	return nil
}

// note notes what the filter did in a frame.
func (run *filterRun) note(f *pmbm.Filter, frame int) {
	last, sizes := f.Last(), f.Sizes()
	run.frames = append(run.frames, plots.FilterFrame{
		Frame: frame, Problems: float64(last.Problems()),
		Rows: last.Median(shapeRows), Cols: last.Median(shapeCols), Density: 100 * last.Median(pmbm.Shape.Density),
		Global: float64(sizes.Globals), Local: float64(sizes.Locals),
		Tracks: float64(sizes.Tracks), Clusters: float64(sizes.Clusters),
	})
}

func shapeRows(s pmbm.Shape) float64 { return float64(s.Rows) }
func shapeCols(s pmbm.Shape) float64 { return float64(s.Cols) }

// describe fills in the record but for the scores.
func (run *filterRun) describe(f *pmbm.Filter, o *pmbm.Options, dump *dump) {
	table := "clusters"
	if o.Whole {
		table = "whole"
	}
	stats, sizes := f.Stats(), f.Sizes()
	run.add("table", table)
	run.add("gate", o.Gate)
	run.add("hypotheses", o.Hypotheses)
	run.add("problems", stats.Problems())
	run.add("solved", stats.Roots+stats.Solved)
	if dump != nil {
		run.add("dumped", dump.count)
	}
	run.add("rows_median", int(stats.Median(shapeRows)))
	run.add("cols_median", int(stats.Median(shapeCols)))
	run.add("density_median", stats.Median(pmbm.Shape.Density))
	run.add("clusters", sizes.Clusters)
	run.add("largest", sizes.Largest)
	run.add("tracks", len(run.tracks))
}

// score compares the estimates with the truth, when it is known.
func (run *filterRun) score(ctx context.Context, sc *scene, frames int) error {
	const last = 10 // frames
	values := []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if sc.truth != nil {
		report, err := metrics.ScoreContext(ctx, sc.truth, run.estimates, &metrics.Options{
			MatchDistance: run.cutoff / 2, Cutoff: run.cutoff, Only: metrics.Sets, Series: true, Points: true,
		})
		if err != nil {
			return err
		}
		run.sets = report.SetScores
		first := sc.scans[max(0, frames-last)].Frame
		there, missed := 0, 0
		for i := range sc.truth {
			for _, h := range sc.truth[i].Hits {
				if h.Frame >= first {
					there++
				}
			}
		}
		for _, f := range report.PerFrame {
			if f.Frame >= first {
				missed += f.Missed
			}
		}
		values = []float64{
			100 * (1 - float64(missed)/float64(max(1, there))),
			report.GOSPA, report.GOSPALocalisation, report.GOSPAMissed, report.GOSPAFalse,
		}
	}
	for i, key := range []string{"estimated", "gospa", "gospa_localisation", "gospa_missed", "gospa_false"} {
		run.add(key, values[i])
	}
	return nil
}

// save writes tracks, estimates, the record and figures into a run folder.
func (run *filterRun) save(s *session, c *command, o *pmbmOptions, folder *runfolder.Folder, sc *scene) error {
	stale := []string{runfolder.ScoreFile, runfolder.CertificateFile, runfolder.SolveFile, runfolder.ReportFile, runfolder.PlotsDir}
	if err := folder.Remove(stale...); err != nil {
		return err
	}
	tracks := run.detected(sc.scans)
	err := folder.WriteFile(runfolder.TracksFile, func(w io.Writer) error { return dataset.WriteTracks(w, tracks) })
	if err == nil {
		err = folder.WriteFile(runfolder.EstimatesFile, run.writeEstimates)
	}
	if err == nil {
		err = writeRecord(folder, runfolder.PMBMFile, s, c, run.record)
	}
	if err != nil {
		return err
	}
	title, unit := "pmbm, "+sc.title(&folder.Meta), folder.Meta.Scans.Unit
	figures := []figure{
		{"pmbm-problems", plots.FilterProblems(title, run.frames)},
		{"pmbm-hypotheses", plots.FilterHypotheses(title, run.frames)},
	}
	if run.sets != nil {
		figures = append(figures, figure{"pmbm-gospa", plots.GOSPA(title, unit, gospaFrames(run.sets))})
	}
	for i := range figures {
		figures[i].Meta = provenance(&folder.Meta)
	}
	return saveFigures(folder, figures, o.png)
}

// detected are the tracks as tracks.csv has them: detections with their own
// positions, without the frames in which the target was missed.
func (run *filterRun) detected(scans []mtt.Scan) []mtt.Track {
	scanOf := make(map[int]*mtt.Scan, len(scans))
	for i := range scans {
		scanOf[scans[i].Frame] = &scans[i]
	}
	tracks := make([]mtt.Track, len(run.tracks))
	for i := range tracks {
		t := &run.tracks[i]
		tracks[i] = mtt.Track{ID: t.ID, Dim: t.Dim}
		for _, h := range t.Hits {
			if h.Det >= 0 {
				tracks[i].Hits = append(tracks[i].Hits, h)
				tracks[i].Pos = append(tracks[i].Pos, scanOf[h.Frame].At(h.Det)...)
			}
		}
	}
	return tracks
}

// writeEstimates writes estimates.csv: a row for each target reported in a frame,
// in order of frames, then tracks.
func (run *filterRun) writeEstimates(w io.Writer) error {
	type row struct{ frame, track, hit int }
	var rows []row
	for t := range run.estimates {
		for h, hit := range run.estimates[t].Hits {
			rows = append(rows, row{hit.Frame, t, h})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return a.frame - b.frame })
	axes := []string{"x", "y", "z"}
	dim := 2
	if len(run.estimates) > 0 {
		dim = run.estimates[0].Dim
	}
	if _, err := fmt.Fprintf(w, "frame,track,det,existence,%s,v%s\n",
		strings.Join(axes[:dim], ","), strings.Join(axes[:dim], ",v")); err != nil {
		return err
	}
	var line []byte
	for _, r := range rows {
		t := &run.estimates[r.track]
		line = fmt.Appendf(line[:0], "%d,%d,%d", r.frame, t.ID, t.Hits[r.hit].Det)
		line = strconv.AppendFloat(append(line, ','), run.existence[r.track][r.hit], 'g', -1, 64)
		for _, x := range append(slices.Clone(t.At(r.hit)), t.Vel[r.hit*dim:(r.hit+1)*dim]...) {
			line = strconv.AppendFloat(append(line, ','), x, 'g', -1, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
