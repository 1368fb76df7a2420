package task

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
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/usage"
	"mtt/metrics"
	"mtt/plots"
)

// A FilterRun is what a filter made of a scene.
type FilterRun struct {
	cli.Record            // the same for equal scenes and options
	Times      cli.Record // and what is not
	tracks     []pmbm.Track
	Estimates  []mtt.Track // what was reported frame by frame, by track
	existence  [][]float64 // of each estimate
	frames     []plots.FilterFrame
	sets       *metrics.SetScores // nil without truth
	Cutoff     float64
}

// FilterScene filters a scene, and dumps the assignment problems when o says so.
func FilterScene(ctx context.Context, s *cli.Session, o *PMBMOptions, sc *Scene, options *pmbm.Options, name string, formats []string) (*FilterRun, error) {
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
		return nil, cli.BadInput(err)
	}
	run := &FilterRun{}
	line := s.StartProgress(ctx, "frames", len(sc.Scans))
	err = run.Filter(ctx, f, sc.Scans, line)
	line.Done()
	if err != nil {
		return nil, err
	}
	seconds := time.Since(began).Seconds()
	run.tracks = f.Tracks()
	if err := dump.close(); err != nil {
		return nil, err
	}
	if run.Cutoff = o.cutoff; run.Cutoff == 0 {
		run.Cutoff = 10 * opts.Sigma
	}
	run.describe(f, &opts, dump)
	if err := run.score(ctx, sc, len(sc.Scans)); err != nil {
		return nil, err
	}
	run.Times = cli.Record{{Key: "seconds", Value: seconds}, {Key: "peak_rss_mb", Value: usage.PeakMemory()}}
	return run, nil
}

// Filter takes all scans.
func (run *FilterRun) Filter(ctx context.Context, f *pmbm.Filter, scans []mtt.Scan, line *cli.Progress) error {
	place := make(map[int]int) // of each track in run.estimates
	for i := range scans {
		if err := f.Step(ctx, &scans[i]); err != nil {
			return err
		}
		for _, e := range f.Estimates() {
			n, ok := place[e.Track]
			if !ok {
				n = len(run.Estimates)
				place[e.Track] = n
				run.Estimates = append(run.Estimates, mtt.Track{ID: n + 1, Dim: len(e.Pos)})
				run.existence = append(run.existence, nil)
			}
			t := &run.Estimates[n]
			t.Hits = append(t.Hits, mtt.Hit{Frame: scans[i].Frame, Det: e.Det})
			t.Pos = append(t.Pos, e.Pos...)
			t.Vel = append(t.Vel, e.Vel...)
			run.existence[n] = append(run.existence[n], e.Existence)
		}
		run.note(f, scans[i].Frame)
		line.Set(i+1, fmt.Sprintf("%d targets", len(f.Estimates())))
	}
	return nil
}

// note notes what the filter did in a frame.
func (run *FilterRun) note(f *pmbm.Filter, frame int) {
	last, sizes := f.Last(), f.Sizes()
	run.frames = append(run.frames, plots.FilterFrame{
		Frame: frame, Problems: float64(last.Problems()),
		Rows: last.Median(ShapeRows), Cols: last.Median(ShapeCols), Density: 100 * last.Median(pmbm.Shape.Density),
		Global: float64(sizes.Globals), Local: float64(sizes.Locals),
		Tracks: float64(sizes.Tracks), Clusters: float64(sizes.Clusters),
	})
}

func ShapeRows(s pmbm.Shape) float64 { return float64(s.Rows) }

func ShapeCols(s pmbm.Shape) float64 { return float64(s.Cols) }

// describe fills in the record but for the scores.
func (run *FilterRun) describe(f *pmbm.Filter, o *pmbm.Options, dump *dump) {
	table := "clusters"
	if o.Whole {
		table = "whole"
	}
	stats, sizes := f.Stats(), f.Sizes()
	run.Add("table", table)
	run.Add("gate", o.Gate)
	run.Add("hypotheses", o.Hypotheses)
	run.Add("problems", stats.Problems())
	run.Add("solved", stats.Roots+stats.Solved)
	if dump != nil {
		run.Add("dumped", dump.count)
	}
	run.Add("rows_median", int(stats.Median(ShapeRows)))
	run.Add("cols_median", int(stats.Median(ShapeCols)))
	run.Add("density_median", stats.Median(pmbm.Shape.Density))
	run.Add("clusters", sizes.Clusters)
	run.Add("largest", sizes.Largest)
	run.Add("tracks", len(run.tracks))
}

// score compares the estimates with the truth, when it is known.
func (run *FilterRun) score(ctx context.Context, sc *Scene, frames int) error {
	const last = 10 // frames
	values := []float64{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	if sc.Truth != nil {
		report, err := metrics.ScoreContext(ctx, sc.Truth, run.Estimates, &metrics.Options{
			MatchDistance: run.Cutoff / 2, Cutoff: run.Cutoff, Only: metrics.Sets, Series: true, Points: true,
		})
		if err != nil {
			return err
		}
		run.sets = report.SetScores
		first := sc.Scans[max(0, frames-last)].Frame
		there, missed := 0, 0
		for i := range sc.Truth {
			for _, h := range sc.Truth[i].Hits {
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
		run.Add(key, values[i])
	}
	return nil
}

// Save writes tracks, estimates, the record and figures into a run folder.
func (run *FilterRun) Save(s *cli.Session, c *cli.Command, o *PMBMOptions, folder *runfolder.Folder, sc *Scene) error {
	stale := []string{runfolder.ScoreFile, runfolder.CertificateFile, runfolder.SolveFile, runfolder.ReportFile, runfolder.PlotsDir, runfolder.StatesFile}
	if err := folder.Remove(stale...); err != nil {
		return err
	}
	tracks := run.detected(sc.Scans)
	err := folder.WriteFile(runfolder.TracksFile, func(w io.Writer) error { return dataset.WriteTracks(w, tracks, sc.columns(tracks)...) })
	if err == nil {
		err = folder.WriteFile(runfolder.EstimatesFile, run.writeEstimates)
	}
	if err == nil {
		err = writeRecord(folder, runfolder.PMBMFile, s, c, run.Record)
	}
	if err != nil {
		return err
	}
	title, unit := "pmbm, "+sc.Title(&folder.Meta), folder.Meta.Scans.Unit
	figures := []figure{
		{"pmbm-problems", plots.FilterProblems(title, run.frames)},
		{"pmbm-hypotheses", plots.FilterHypotheses(title, run.frames)},
	}
	if run.sets != nil {
		figures = append(figures, figure{"pmbm-gospa", plots.GOSPA(title, unit, gospaFrames(run.sets))})
	}
	for i := range figures {
		figures[i].Meta = Provenance(&folder.Meta)
	}
	return saveFigures(folder, figures, o.png, s.Common.Workers)
}

// detected are the tracks as tracks.csv has them: detections with their own
// positions, without the frames in which the target was missed.
func (run *FilterRun) detected(scans []mtt.Scan) []mtt.Track {
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
func (run *FilterRun) writeEstimates(w io.Writer) error {
	type row struct{ frame, track, hit int }
	var rows []row
	for t := range run.Estimates {
		for h, hit := range run.Estimates[t].Hits {
			rows = append(rows, row{hit.Frame, t, h})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return a.frame - b.frame })
	axes := []string{"x", "y", "z"}
	dim := 2
	if len(run.Estimates) > 0 {
		dim = run.Estimates[0].Dim
	}
	if _, err := fmt.Fprintf(w, "frame,track,det,existence,%s,v%s\n",
		strings.Join(axes[:dim], ","), strings.Join(axes[:dim], ",v")); err != nil {
		return err
	}
	var line []byte
	for _, r := range rows {
		t := &run.Estimates[r.track]
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
