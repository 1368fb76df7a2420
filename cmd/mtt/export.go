package main

// This file is "mtt export": the answer in the files of other programs.

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
)

// exportOptions say what to write.
type exportOptions struct {
	to     string
	fill   bool
	smooth bool
}

func newExportCommand() *cli.Command {
	o := &exportOptions{to: "csv"}
	var names []string
	about := "Writes the tracks of run folders (default: " + runfolder.Default + ") for other programs:\n\n"
	for _, w := range dataset.Writers() {
		names = append(names, w.Name)
		about += "  " + w.Name + ": " + w.About + "\n"
	}
	c := &cli.Command{
		Name:    "export",
		Summary: "writes tracks for other programs: your table, MOTChallenge, TrackMate, GeoJSON and more",
		Args:    "[RUN…]",
		MaxArgs: -1,
		About:   about,
		Examples: "mtt export --to csv\n" +
			"mtt track runs/boxes --quiet\n" +
			"mtt export runs/boxes --to mot --smooth\n",
		OutUsage: "`FILE` to write; geff, and several runs, need a folder (default: standard output)",
		Options: []cli.Option{
			cli.Choice(&o.to, "to", names, "`KIND` of file, see above"),
			cli.Boolean(&o.fill, "fill", "fill the gaps of tracks by straight lines (mot, napari, geojson)"),
			cli.Boolean(&o.smooth, "smooth", "write where targets were given all their detections, instead of these, in gaps too (mot, napari, geojson)"),
		},
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error { return runExport(ctx, s, o, args) }
	return c
}

func runExport(ctx context.Context, s *cli.Session, o *exportOptions, args []string) error {
	if len(args) == 0 {
		args = []string{runfolder.Default}
	}
	runs, err := task.Runs(args)
	if err != nil {
		return err
	}
	switch filled := []string{"mot", "napari", "geojson"}; { // of which dataset.Answer says so
	case slices.Contains(filled, o.to):
	case o.fill:
		return cli.Usagef("--fill goes with --to %s, not with %s", strings.Join(filled, ", "), o.to)
	case o.smooth:
		return cli.Usagef("--smooth goes with --to %s, not with %s", strings.Join(filled, ", "), o.to)
	}
	if len(runs) > 1 && s.Common.Out == "" {
		return cli.Usagef("%d runs are given, and no folder for their files", len(runs)).Hinted("name one with -o")
	}
	return cli.EachInput(ctx, s, runs, func(ctx context.Context, dir string) error {
		folder, err := task.OpenRun(dir)
		if err != nil {
			return err
		}
		answer, err := task.AnswerOf(folder)
		if err != nil {
			return err
		}
		if err := task.Unchanged(folder); err != nil {
			return err
		}
		answer.Fill = o.fill
		if o.smooth {
			if !folder.Has(runfolder.StatesFile) {
				return cli.Usagef("%s has no %s", dir, runfolder.StatesFile).Hinted("'mtt track' writes it for the cost nll")
			}
			if answer.States, err = task.LoadTracks(folder.Path(runfolder.StatesFile)); err != nil {
				return err
			}
		}
		path := s.Common.Out
		if len(runs) > 1 {
			ending := map[string]string{"csv": ".csv", "mot": ".txt", "kitti": ".txt", "trackmate": ".xml", "napari": ".csv", "geojson": ".geojson", "geff": ".geff", "ctc": ".txt"}[o.to]
			path = filepath.Join(path, filepath.Base(dir)+ending)
		}
		switch {
		case o.to == "geff" && path == "":
			return cli.Usagef("geff is a folder").Hinted("name it with -o")
		case o.to == "geff":
			err = runfolder.WriteFolder(path, func(dir string) error { return answer.WriteFolder(dir, o.to) })
		case path == "":
			err = answer.Write(s.Out.W, o.to)
		default:
			err = runfolder.WriteFile(path, func(w io.Writer) error { return answer.Write(w, o.to) })
		}
		if errors.Is(err, dataset.ErrNotThat) || errors.Is(err, os.ErrExist) {
			return &cli.Fault{Status: cli.ExitUsage, Err: err}
		}
		return err
	})
}
