package main

// This file is "mtt score": the metrics of a run, or of any two files.

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"slices"

	"mtt"
	"mtt/association"
	"mtt/dataset"
	"mtt/internal/runfolder"
	"mtt/metrics"
)

// scoreOptions say what to compare, and how.
type scoreOptions struct {
	Truth, Tracks string // files; "": those of the run
	metrics.Options
	Gates gateList // gates to compare
	PNG   bool     // figures as PNG, too
}

// bind makes the options that set o.
func (o *scoreOptions) bind() []option {
	return []option{
		text(&o.Truth, "truth", "`FILE` with the truth, in any format that mtt import reads; the run's own otherwise"),
		text(&o.Tracks, "tracks", "`FILE` with the tracks, likewise"),
		number(&o.MatchDistance, "match-distance", 0, math.Inf(1),
			"`D`, the greatest distance at which a point counts as the true one, in the unit of positions; 0 for 1"),
		number(&o.MatchIoU, "match-iou", 0, 1, "`SHARE` 0…1, the least overlap at which a box counts as the true one; 0 for 0.5"),
		boolean(&o.Points, "points", "compare centres even where both sides have boxes"),
		number(&o.Cutoff, "cutoff", 0, math.Inf(1),
			"`C` of OSPA and GOSPA, in the unit of positions or of 1-IoU; 0 for twice --match-distance, or 1 for boxes"),
		number(&o.Order, "order", 0, math.Inf(1), "`P` of OSPA and GOSPA, 1 or more; 0 for 2"),
		number(&o.Switch, "switch", 0, math.Inf(1),
			"`G`, the price of a track switch in trajectory GOSPA, in the unit of --cutoff; 0 for a tenth of it"),
		gatesOption(&o.Gates),
		boolean(&o.PNG, "png", "draw figures as PNG, too"),
	}
}

func newScoreCommand() *command {
	c, _ := bindScore()
	return c
}

// bindScore makes the command together with the options that its flags set.
func bindScore() (*command, *scoreOptions) {
	o := &scoreOptions{}
	c := &command{
		name:    "score",
		summary: "compares tracks with the truth: ITCP, MMEP, MOTA, IDF1, HOTA, GOSPA and more",
		args:    "[RUN…]",
		maxArgs: -1,
		about: "Scores the tracks of run folders (default: " + runfolder.Default + ") and writes score.json and\n" +
			"plots into them; a run without tracks is tracked first, with the defaults. Or\n" +
			"compares any two files. Boxes are compared by overlap, points by distance.\n" +
			"A true link joins consecutive detections of one target:\n" +
			"mmep is the percentage of true links that are wrong or missing,\n" +
			"itcp that of trajectories which are not perfect.\n",
		examples: "mtt score\n" +
			"mtt score --gates 1.5,2,3 --png\n" +
			"mtt score runs/latest runs/greedy --format csv\n" +
			"mtt score --truth gt.txt --tracks result.txt\n",
		options: o.bind(),
	}
	c.run = func(ctx context.Context, s *session, args []string) error { return runScore(ctx, s, c, o, args) }
	return c, o
}

func runScore(ctx context.Context, s *session, c *command, o *scoreOptions, args []string) error {
	if o.Truth != "" && o.Tracks != "" {
		if len(args) > 0 {
			return usagef("%s and two files are given; one or the other is scored", args[0])
		}
		return scoreFiles(ctx, s, o)
	}
	if len(args) == 0 {
		args = []string{runfolder.Default}
	}
	return eachInput(ctx, s, args, func(ctx context.Context, dir string) error {
		folder, err := openRun(dir)
		if err != nil {
			return err
		}
		if o.Truth != "" || o.Tracks != "" {
			return scoreAgainst(ctx, s, o, folder)
		}
		return scoreFolder(ctx, s, c, o, folder)
	})
}

// scoreFiles scores the two files that were named.
func scoreFiles(ctx context.Context, s *session, o *scoreOptions) error {
	truth, err := loadTargets(s, o.Truth)
	if err != nil {
		return err
	}
	tracks, err := loadTargets(s, o.Tracks)
	if err != nil {
		return err
	}
	r := record{{key: "truth", value: o.Truth}, {key: "tracks_file", value: o.Tracks}}
	if err := scoreTargets(ctx, s, o, &r, truth, tracks.Tracks); err != nil {
		return err
	}
	return s.out.print(r)
}

// scoreTargets scores tracks against a file of truth. Boxes on what that file says is
// easily taken for a pedestrian count neither way.
func scoreTargets(ctx context.Context, s *session, o *scoreOptions, r *record, truth *dataset.Tracks, tracks []mtt.Track) error {
	if len(truth.Ignored) > 0 {
		hits := countHits(tracks)
		known := slices.Concat(truth.Tracks, truth.Others)
		var err error
		if tracks, err = metrics.DropIgnored(ctx, tracks, known, truth.Ignored, &o.Options); err != nil {
			return badInput(err)
		}
		s.note("%s: %d of %d boxes of the tracks are on people on vehicles, people who stand still, distractors or reflections; they count neither way",
			o.Truth, hits-countHits(tracks), hits)
	}
	_, err := addScores(ctx, r, truth.Tracks, tracks, &o.Options)
	return err
}

// countHits is the number of hits of all tracks.
func countHits(tracks []mtt.Track) int {
	n := 0
	for i := range tracks {
		n += len(tracks[i].Hits)
	}
	return n
}

// scoreAgainst scores a run with the file of one side replaced; the folder stays
// as it is.
func scoreAgainst(ctx context.Context, s *session, o *scoreOptions, folder *runfolder.Folder) error {
	sc, err := loadScene(folder)
	if err != nil {
		return err
	}
	r := record{{key: "run", value: folder.Dir}}
	if o.Truth != "" {
		truth, err := loadTargets(s, o.Truth)
		if err != nil {
			return err
		}
		tracks, err := tracksOf(ctx, s, folder, sc)
		if err != nil {
			return err
		}
		if err := scoreTargets(ctx, s, o, &r, truth, tracks); err != nil {
			return err
		}
		return s.out.print(r)
	}
	tracks, err := loadTargets(s, o.Tracks)
	if err != nil {
		return err
	}
	if err := sc.needTruth(folder); err != nil {
		return err
	}
	if _, err := addScores(ctx, &r, sc.truth, tracks.Tracks, &o.Options); err != nil {
		return err
	}
	return s.out.print(r)
}

// scoreFolder scores a run folder, tracking it first when it has no tracks.
func scoreFolder(ctx context.Context, s *session, c *command, o *scoreOptions, folder *runfolder.Folder) error {
	sc, err := loadScene(folder)
	if err != nil {
		return err
	}
	if err := sc.needTruth(folder); err != nil {
		return err
	}
	tracks, err := tracksOf(ctx, s, folder, sc)
	if err != nil {
		return err
	}
	track, err := trackedWith(folder)
	if err != nil {
		return err
	}
	r, err := scoreScene(ctx, s, c, o, track, folder, sc, tracks, nil)
	if err != nil {
		return err
	}
	return s.out.print(append(record{{key: "run", value: folder.Dir}}, r...))
}

// needTruth is the error for a scene without truth.
func (sc *scene) needTruth(folder *runfolder.Folder) error {
	if sc.truth != nil {
		return nil
	}
	return usagef("%s has no %s: the truth is not known", folder.Dir, runfolder.TruthFile).hinted("name a file with --truth")
}

// scoreScene scores tracks of the scene, writes score.json and figures into the
// folder, and returns the scores for printing. Gates are compared with track and
// what is known of the levels, see gateRows.
func scoreScene(ctx context.Context, s *session, c *command, o *scoreOptions, track *trackOptions,
	folder *runfolder.Folder, sc *scene, tracks []mtt.Track, known *association.Result) (record, error) {
	opts := o.Options
	opts.Series = true
	var r record
	report, err := addScores(ctx, &r, sc.truth, tracks, &opts)
	if err != nil {
		return nil, err
	}
	rows, err := gateRows(ctx, s, track, folder, sc, &o.Gates, known)
	if err != nil {
		return nil, err
	}
	kept := append(r[:len(r):len(r)], field{key: "gates", value: gateRecords(rows, false)})
	if err := writeRecord(folder, runfolder.ScoreFile, s, c, kept); err != nil {
		return nil, err
	}
	r.add("gates", gateRecords(rows, true))
	figures, err := figuresOf(folder, sc, tracks, report, rows)
	if err != nil {
		return nil, err
	}
	return r, saveFigures(folder, figures, o.PNG)
}

// addScores scores tracks and appends the values, and the options that matter.
func addScores(ctx context.Context, r *record, truth, tracks []mtt.Track, o *metrics.Options) (*metrics.Report, error) {
	report, err := metrics.ScoreContext(ctx, truth, tracks, o)
	if err != nil {
		return nil, badInput(err)
	}
	for _, row := range report.Rows() {
		f := field{key: row.Key, value: row.Value, unit: row.Unit, note: row.Meaning}
		switch {
		case row.Count():
			f.value = int(row.Value)
		case row.Unit == "pos":
			f.unit = ""
		}
		*r = append(*r, f)
	}
	r.add("measure", report.Measure)
	if report.Options.MatchIoU > 0 {
		r.add("match_iou", report.Options.MatchIoU)
	} else {
		r.add("match_distance", report.Options.MatchDistance)
	}
	r.add("cutoff", report.Options.Cutoff)
	r.add("order", report.Options.Order)
	r.add("switch", report.Options.Switch)
	if report.LinkScores != nil {
		r.add("links_by", report.LinksBy)
	}
	return report, nil
}

// writeRecord writes r as a JSON file of the run folder, preceded by the version,
// the seed and the options that made it.
func writeRecord(folder *runfolder.Folder, name string, s *session, c *command, r record) error {
	var options record
	for i := range c.options {
		if o := &c.options[i]; !o.common {
			options.add(o.name, o.get())
		}
	}
	file := record{
		{key: "version", value: version}, {key: "command", value: c.name},
		{key: "seed", value: s.common.Seed}, {key: "options", value: options},
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
