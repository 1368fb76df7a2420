package main

// This file is "mtt report": a run as one web page that needs nothing else.

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
	"mtt/metrics"
	"mtt/plots"
)

func newReportCommand() *cli.Command {
	c := &cli.Command{
		Name:    "report",
		Summary: "writes report.html, one self-contained page about a run",
		Args:    "[RUN…]",
		MaxArgs: -1,
		About: "Gathers scene, bounds, scores and figures of run folders (default: " + runfolder.Default + ")\n" +
			"on one page. A run without tracks is tracked first, with the defaults.\n",
		Examples: "mtt report\n",
		OutUsage: "`FILE` for the page of one run (default: report.html in its folder)",
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error { return runReport(ctx, s, args) }
	return c
}

func runReport(ctx context.Context, s *cli.Session, args []string) error {
	if len(args) == 0 {
		args = []string{runfolder.Default}
	}
	if len(args) > 1 && s.Common.Out != "" {
		return cli.Usagef("-o names one file, but %d runs are given", len(args))
	}
	return cli.EachInput(ctx, s, args, func(ctx context.Context, dir string) error {
		folder, err := task.OpenRun(dir)
		if err != nil {
			return err
		}
		data, err := reportOf(ctx, s, folder)
		if err != nil {
			return err
		}
		path := s.OutOr(folder.Path(runfolder.ReportFile))
		if err := runfolder.WriteFile(path, func(w io.Writer) error { return plots.Report(w, data) }); err != nil {
			return err
		}
		return s.Out.Print(cli.Record{{Key: "run", Value: folder.Dir}, {Key: "report", Value: filepath.ToSlash(path)}})
	})
}

// reportOf gathers what is known of a run.
func reportOf(ctx context.Context, s *cli.Session, folder *runfolder.Folder) (*plots.ReportData, error) {
	sc, err := task.LoadScene(folder)
	if err != nil {
		return nil, err
	}
	tracks, err := task.TracksOf(ctx, s, folder, sc)
	if err != nil {
		return nil, err
	}
	var report *metrics.Report
	var scores cli.Record
	if sc.Truth != nil {
		if report, err = task.AddScores(ctx, &scores, sc.Truth, tracks, &metrics.Options{Series: true}); err != nil {
			return nil, err
		}
	}
	var scored struct {
		Gates []task.GateRow `json:"gates"`
	}
	if err := task.ReadJSON(folder, runfolder.ScoreFile, &scored); err != nil {
		return nil, err
	}
	figures, err := task.FiguresOf(folder, sc, tracks, report, scored.Gates)
	if err != nil {
		return nil, err
	}
	var counts cli.Record
	sc.Counts(&counts)
	data := &plots.ReportData{
		Title:    sc.Title(&folder.Meta),
		Footer:   task.Provenance(&folder.Meta),
		Sections: []plots.Section{{Title: "Scene", Rows: pairsOf(counts)}},
	}
	if report != nil {
		data.Subtitle = fmt.Sprintf("MMEP %.3g %%, ITCP %.3g %%, MOTA %.4g %%, IDF1 %.4g %%, HOTA %.4g %%",
			report.MMEP, report.ITCP, report.MOTA, report.IDF1, report.HOTA)
	}
	section := map[string]string{"tracks": "Tracks", "bounds": "Bounds", "gospa": "Distance to the truth", "gating": "Gates"}
	for _, f := range figures {
		data.Sections = append(data.Sections, plots.Section{Title: section[f.Name], Figures: []*plots.Figure{f.Figure}})
	}
	if scores != nil {
		table := [][]string{{"score", "value", "what it is"}}
		for _, f := range scores {
			table = append(table, []string{f.Key, cli.Brief(f), f.Note})
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
func pairsOf(r cli.Record) [][2]string {
	pairs := make([][2]string, len(r))
	for i, f := range r {
		pairs[i] = [2]string{f.Key, cli.Brief(f)}
	}
	return pairs
}
