package task

// This file binds the options of simulating, tracking and scoring together.

import (
	"mtt/internal/cli"
)

// BindRun makes the options of mtt simulate, mtt track and mtt score together, with
// what they set. Where two have an option of the same name, the simulator's says it
// to both.
func BindRun() ([]cli.Option, *SimulateOptions, *TrackOptions, *ScoreOptions) {
	simulate, track, score := &SimulateOptions{}, NewTrackOptions(), &ScoreOptions{Gates: gateList{auto: true}}
	options := cli.In("SCENE", simulate.Bind())
	for _, o := range append(cli.In("TRACKER", track.Bind()), cli.In("SCORES", score.Bind())...) {
		if cli.Find(options, o.Name) == nil && o.Name != "truth" && o.Name != "tracks" {
			options = append(options, o)
		}
	}
	return options, simulate, track, score
}
