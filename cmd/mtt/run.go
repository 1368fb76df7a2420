package main

// This file is "mtt run": simulate, track and score in one go.

import (
	"context"
	"time"

	"mtt/internal/runfolder"
)

// bindRun makes the options of mtt simulate, mtt track and mtt score together, with
// what they set. Where two have an option of the same name, the simulator's says it
// to both.
func bindRun() ([]option, *simulateOptions, *trackOptions, *scoreOptions) {
	simulate, track, score := &simulateOptions{}, newTrackOptions(), &scoreOptions{Gates: gateList{auto: true}}
	options := simulate.bind()
	for _, o := range append(track.bind(), score.bind()...) {
		if find(options, o.name) == nil && o.name != "truth" && o.name != "tracks" {
			options = append(options, o)
		}
	}
	return options, simulate, track, score
}

func newRunCommand() *command {
	options, simulate, track, score := bindRun()
	c := &command{
		name:    "run",
		summary: "simulates, tracks and scores in one go",
		about: "Makes the run folder that mtt simulate, mtt track and mtt score would make one after\n" +
			"the other, with the options of all three; the tracker is told the noise of the sensor.\n",
		examples: "mtt run --targets 30 --frames 20\n" +
			"mtt run --scene steer --targets 20 --miss 0.05 --clutter 1 --engine gnn -o runs/gnn --format json\n",
		outUsage: "`FOLDER` to make (default: " + runfolder.Default + ")",
		options:  options,
	}
	c.run = func(ctx context.Context, s *session, _ []string) error {
		return runRun(ctx, s, c, simulate, track, score)
	}
	return c
}

func runRun(ctx context.Context, s *session, c *command, simulate *simulateOptions, track *trackOptions, score *scoreOptions) error {
	began := time.Now()
	folder, sc, err := simulateRun(ctx, s, c, simulate)
	if err != nil {
		return err
	}
	r := record{{key: "run", value: folder.Dir}}
	sc.counts(&r)
	if simulate.costs {
		costs, err := writeCosts(ctx, s, track, folder, sc, folder.Path(runfolder.CostsFile))
		if err != nil {
			return err
		}
		r.add("costs", costs)
	}
	if simulate.pmbm {
		laps, err := writeLaps(ctx, s, folder, sc)
		if err != nil {
			return err
		}
		r.add("pmbm", laps)
	}
	solved, err := trackRun(ctx, s, c, track, folder, sc, 0)
	if err != nil {
		return err
	}
	tracks, err := loadTracks(folder.Path(runfolder.TracksFile))
	if err != nil {
		return err
	}
	scores, err := scoreScene(ctx, s, c, score, track, folder, sc, tracks, solved.Result)
	if err != nil {
		return err
	}
	r.add("seconds", time.Since(began).Seconds())
	r.add("track", solved.record)
	r.add("score", scores)
	return s.out.print(r)
}
