package main

// This file is "mtt report": a run as one web page that needs nothing else.

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"mtt/internal/runfolder"
	"mtt/metrics"
	"mtt/plots"
)

func newReportCommand() *command {
	c := &command{
		name:    "report",
		summary: "writes report.html, one self-contained page about a run",
		args:    "[RUN…]",
		maxArgs: -1,
		about: "Gathers scene, bounds, scores and figures of run folders (default: " + runfolder.Default + ")\n" +
			"on one page. A run without tracks is tracked first, with the defaults.\n",
		examples: "mtt report\n",
		outUsage: "`FILE` for the page of one run (default: report.html in its folder)",
	}
	c.run = func(ctx context.Context, s *session, args []string) error { return runReport(ctx, s, args) }
	return c
}

func runReport(ctx context.Context, s *session, args []string) error {
	if len(args) == 0 {
		args = []string{runfolder.Default}
	}
	if len(args) > 1 && s.common.Out != "" {
		return usagef("-o names one file, but %d runs are given", len(args))
	}
	return eachInput(ctx, s, args, func(ctx context.Context, dir string) error {
		folder, err := openRun(dir)
		if err != nil {
			return err
		}
		data, err := reportOf(ctx, s, folder)
		if err != nil {
			return err
		}
		path := s.outOr(folder.Path(runfolder.ReportFile))
		if err := runfolder.WriteFile(path, func(w io.Writer) error { return plots.Report(w, data) }); err != nil {
			return err
		}
		return s.out.print(record{{key: "run", value: folder.Dir}, {key: "report", value: filepath.ToSlash(path)}})
	})
}

// reportOf gathers what is known of a run.
func reportOf(ctx context.Context, s *session, folder *runfolder.Folder) (*plots.ReportData, error) {
	sc, err := loadScene(folder)
	if err != nil {
		return nil, err
	}
	tracks, err := tracksOf(ctx, s, folder, sc)
	if err != nil {
		return nil, err
	}
	var report *metrics.Report
	var scores record
	if sc.truth != nil {
		if report, err = addScores(ctx, &scores, sc.truth, tracks, &metrics.Options{Series: true}); err != nil {
			return nil, err
		}
	}
	var scored struct {
		Gates []gateRow `json:"gates"`
	}
	if err := readJSON(folder, runfolder.ScoreFile, &scored); err != nil {
		return nil, err
	}
	figures, err := figuresOf(folder, sc, tracks, report, scored.Gates)
	if err != nil {
		return nil, err
	}
	var counts record
	sc.counts(&counts)
	data := &plots.ReportData{
		Title:    sc.title(&folder.Meta),
		Footer:   provenance(&folder.Meta),
		Sections: []plots.Section{{Title: "Scene", Rows: pairsOf(counts)}},
	}
	if report != nil {
		data.Subtitle = fmt.Sprintf("MMEP %.3g %%, ITCP %.3g %%, MOTA %.4g %%, IDF1 %.4g %%, HOTA %.4g %%",
			report.MMEP, report.ITCP, report.MOTA, report.IDF1, report.HOTA)
	}
	section := map[string]string{"tracks": "Tracks", "bounds": "Bounds", "gospa": "Distance to the truth", "gating": "Gates"}
	for _, f := range figures {
		data.Sections = append(data.Sections, plots.Section{Title: section[f.name], Figures: []*plots.Figure{f.Figure}})
	}
	if scores != nil {
		table := [][]string{{"score", "value", "what it is"}}
		for _, f := range scores {
			table = append(table, []string{f.key, brief(f), f.note})
		}
		data.Sections = append(data.Sections, plots.Section{Title: "Scores", Table: table})
	}
	var rows [][2]string
	for _, command := range slices.Sorted(maps.Keys(folder.Meta.Options)) {
		options := folder.Meta.Options[command]
		for _, name := range slices.Sorted(maps.Keys(options)) {
			rows = append(rows, [2]string{command + " --" + name, fmt.Sprint(options[name])})
		}
	}
	data.Sections = append(data.Sections, plots.Section{Title: "Options", Rows: rows})
	return data, nil
}

// pairsOf are the fields of r as names and values.
func pairsOf(r record) [][2]string {
	pairs := make([][2]string, len(r))
	for i, f := range r {
		pairs[i] = [2]string{f.key, brief(f)}
	}
	return pairs
}
