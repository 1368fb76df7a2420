package task

// This file scores tracks.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"runtime/debug"
	"slices"

	"mtt"
	"mtt/association"
	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/version"
	"mtt/internal/workers"
	"mtt/metrics"
	"mtt/plots/page"
)

// ScoreOptions say what to compare, and how.
type ScoreOptions struct {
	Truth, Tracks string // files; "": those of the run
	metrics.Options
	Gates gateList // gates to compare
	PNG   bool     // figures as PNG, too

	memoryLimit int64  // bytes that scoring at once may take; 0: any
	early       *early // gates that are compared already; nil: none
}

// Bind makes the options that set o.
func (o *ScoreOptions) Bind() []cli.Option {
	o.MatchDistance, o.MatchIoU, o.Order = 1, 0.5, 2
	return []cli.Option{
		cli.Text(&o.Truth, "truth", "`FILE` with the truth, in any format that mtt import reads; the run's own otherwise"),
		cli.Text(&o.Tracks, "tracks", "`FILE` with the tracks, likewise"),
		cli.Number(&o.MatchDistance, "match-distance", cli.AboveZero, math.Inf(1),
			"`D`, the greatest distance at which a point counts as the true one, in the unit of positions").Formerly("0", "1"),
		cli.Number(&o.MatchIoU, "match-iou", cli.AboveZero, 1, "`SHARE` up to 1, the least overlap at which a box counts as the true one").Formerly("0", "0.5"),
		cli.Boolean(&o.Points, "points", "compare centres even where both sides have boxes"),
		cli.NumberOr(&o.Cutoff, "cutoff", "auto", 0, cli.AboveZero, math.Inf(1),
			"`C` of OSPA and GOSPA, in the unit of positions or of 1-IoU, or auto: twice --match-distance, and 1 for boxes").Formerly("0", "auto"),
		cli.Number(&o.Order, "order", 1, math.Inf(1), "`P` of OSPA and GOSPA, 1 or more").Formerly("0", "2"),
		cli.NumberOr(&o.Switch, "switch", "auto", 0, cli.AboveZero, math.Inf(1),
			"`G`, the price of a track switch in trajectory GOSPA, in the unit of --cutoff, or auto: a tenth of it").Formerly("0", "auto"),
		cli.Number(&o.DivisionFrames, "division-frames", 0, 3, "`N` frames, up to 3, by which a division may be off and count as found"),
		gatesOption(&o.Gates),
		cli.Boolean(&o.PNG, "png", "draw figures as PNG, too"),
	}
}

// ScoreTargets scores tracks against a file of truth. Boxes on what that file says is
// easily taken for a pedestrian count neither way.
func ScoreTargets(ctx context.Context, s *cli.Session, o *ScoreOptions, r *cli.Record, truth *dataset.Tracks, tracks []mtt.Track) error {
	if len(truth.Ignored) > 0 {
		hits := countHits(tracks)
		known := slices.Concat(truth.Tracks, truth.Others)
		var err error
		if tracks, err = metrics.DropIgnored(ctx, tracks, known, truth.Ignored, &o.Options); err != nil {
			return cli.BadInput(err)
		}
		s.Note("%s: %d of %d boxes of the tracks are on people on vehicles, people who stand still, distractors or reflections; they count neither way",
			o.Truth, hits-countHits(tracks), hits)
	}
	report, err := AddScores(ctx, r, truth.Tracks, tracks, &o.Options)
	TellDoubts(s, report)
	return err
}

// TellDoubts warns of what makes the scores doubtful. A nil report has none.
func TellDoubts(s *cli.Session, report *metrics.Report) {
	if report == nil {
		return
	}
	for _, w := range report.Warnings {
		s.Log.Warn(s.About(w))
	}
}

// collectOften has the collector wait for less while large truth is scored, and returns what ends
// that: scoring makes long arrays without pointers, which are cheap to look through and dear to
// keep.
func collectOften(truth []mtt.Track) (end func()) {
	if countHits(truth) <= 50_000 {
		return func() {}
	}
	before := debug.SetGCPercent(25)
	return func() { debug.SetGCPercent(before) }
}

// countHits is the number of hits of all tracks.
func countHits(tracks []mtt.Track) int {
	n := 0
	for i := range tracks {
		n += len(tracks[i].Hits)
	}
	return n
}

// NeedTruth is the error for a scene without truth.
func (sc *Scene) NeedTruth(folder *runfolder.Folder) error {
	if sc.Truth != nil {
		return nil
	}
	return cli.Usagef("%s has no %s: the truth is not known", folder.Dir, runfolder.TruthFile).Hinted("name a file with --truth")
}

// ScoreScene scores tracks of the scene, writes score.json, figures and report.html into the
// folder, and returns the scores for printing. Gates are compared with track and
// what is known of the levels, see gateRows.
func ScoreScene(ctx context.Context, s *cli.Session, c *cli.Command, o *ScoreOptions, track *TrackOptions,
	folder *runfolder.Folder, sc *Scene, tracks []mtt.Track, known *association.Result) (cli.Record, *metrics.Report, error) {
	defer collectOften(sc.Truth)()
	opts := o.Options
	opts.Series = true
	var r cli.Record
	var report *metrics.Report
	var rows []GateRow
	var picture figure
	var faults [3]error
	atOnce := 1
	if o.Gates.auto { // small ones
		atOnce = min(2, workers.Count(s.Common.Workers))
	}
	score := func(_, job int) {
		switch {
		case job == 0:
			report, faults[job] = AddScores(ctx, &r, sc.Truth, tracks, &opts)
		case atOnce > 1 || faults[0] == nil:
			rows, faults[job] = o.gates(ctx, s, track, folder, sc, known)
		}
	}
	workers.Each(workers.Count(s.Common.Workers), 2, func(_, job int) {
		if job == 0 {
			workers.Each(atOnce, 2, score)
		} else {
			picture, faults[2] = tracksFigure(folder, sc, tracks)
		}
	})
	if err := cmp.Or(faults[:]...); err != nil {
		return nil, nil, err
	}
	TellDoubts(s, report)
	kept := append(r[:len(r):len(r)], cli.Field{Key: "gates", Value: gateRecords(rows, false)})
	if err := writeRecord(folder, runfolder.ScoreFile, s, c, kept); err != nil {
		return nil, nil, err
	}
	r.Add("gates", gateRecords(rows, true))
	charts, err := chartsOf(folder, sc, report, rows)
	if err != nil {
		return nil, nil, err
	}
	figures := append([]figure{picture}, charts...)
	ctx = context.WithoutCancel(ctx) // figures and page go with score.json: all of them are new, or none
	var p *page.Page
	workers.Each(workers.Count(s.Common.Workers), 2, func(_, job int) {
		if job == 0 {
			p, faults[job] = pageOf(ctx, folder, sc, tracks, report, rows, nil)
		} else {
			faults[job] = saveFigures(folder, figures, o.PNG, s.Common.Workers)
		}
	})
	if err := cmp.Or(faults[1], faults[0]); err != nil {
		return nil, nil, err
	}
	return r, report, writeReport(ctx, folder, p)
}

// AddScores scores tracks and appends the values, and the options that matter.
func AddScores(ctx context.Context, r *cli.Record, truth, tracks []mtt.Track, o *metrics.Options) (*metrics.Report, error) {
	report, err := metrics.ScoreContext(ctx, truth, tracks, o)
	switch {
	case errors.Is(err, metrics.ErrPower):
		return nil, (&cli.Fault{Status: cli.ExitUsage, Err: err}).Hinted("--match-distance, --cutoff and --switch say the distances, --order the power")
	case err != nil:
		return nil, cli.BadInput(err)
	}
	AddReport(r, report)
	return report, nil
}

// AddReport appends the values of a report, and the options that matter.
func AddReport(r *cli.Record, report *metrics.Report) {
	for _, row := range report.Rows() {
		f := cli.Field{Key: row.Key, Value: row.Value, Unit: row.Unit, Note: row.Meaning}
		switch {
		case row.Count():
			f.Value = int(row.Value)
		case row.Unit == "pos":
			f.Unit = ""
		}
		*r = append(*r, f)
	}
	r.Add("measure", report.Measure)
	if report.Options.MatchIoU > 0 {
		r.Add("match_iou", report.Options.MatchIoU)
	} else {
		r.Add("match_distance", report.Options.MatchDistance)
	}
	r.Add("cutoff", report.Options.Cutoff)
	r.Add("order", report.Options.Order)
	r.Add("switch", report.Options.Switch)
	if report.LinkScores != nil {
		r.Add("links_by", report.LinksBy)
	}
}

// writeRecord writes r as a JSON file of the run folder, preceded by the version,
// the seed and the options that made it.
func writeRecord(folder *runfolder.Folder, name string, s *cli.Session, c *cli.Command, r cli.Record) error {
	var options cli.Record
	for i := range c.Options {
		if o := &c.Options[i]; !o.Common {
			options.Add(o.Name, o.Get())
		}
	}
	file := cli.Record{
		{Key: "version", Value: version.Version}, {Key: "command", Value: c.Name},
		{Key: "seed", Value: s.Common.Seed}, {Key: "options", Value: options},
	}
	return folder.WriteFile(name, func(w io.Writer) error {
		line, err := json.Marshal(append(file, r...))
		if err != nil {
			return err
		}
		_, err = w.Write(append(line, '\n'))
		return err
	})
}
