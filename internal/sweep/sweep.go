package sweep

// This file runs the tasks of a sweep.

import (
	"context"
	"encoding/json"
	"strings"

	"golang.org/x/sync/errgroup"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
	"mtt/scenario"
)

// TasksOf is the number of tasks of a shard.
func (p *Plan) TasksOf(part Shard) int { return (p.tasks()-part.Index)/part.Of + 1 }

// RunTasks runs the tasks of the shard that the journal lacks, as many at a time as
// there are workers. After each it tells how many are done, and the values of the
// last; tell may be called by several goroutines at once.
func (p *Plan) RunTasks(ctx context.Context, part Shard, journal *Journal, workers int, tell func(done int, values string)) error {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for i := part.Index - 1; i < p.tasks() && inner.Err() == nil; i += part.Of {
		if journal.Has(i) {
			continue
		}
		group.Go(func() error {
			text, err := p.Line(inner, i)
			if err != nil {
				return err
			}
			done, err := journal.Add(i, text)
			tell(done, strings.Join(p.values(i/p.Seeds), " "))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// Line is what the journal keeps of task i, which this runs on one core: a line of JSON, without its
// end. Equal plans have equal lines, wherever they are run. Only the end of ctx is an error; a scene
// that cannot be tracked has a line that says why.
func (p *Plan) Line(ctx context.Context, i int) ([]byte, error) {
	r, err := p.run(ctx, i)
	if err != nil {
		return nil, err
	}
	return json.Marshal(r)
}

// run does task i. A scene that cannot be tracked is a result, too: its row says why.
// Only the end of ctx is an error.
func (p *Plan) run(ctx context.Context, i int) (cli.Record, error) {
	r := cli.Record{{Key: "task", Value: i}}
	r = append(r, p.axisFields(i/p.Seeds)...)
	r.Add("seed", p.seed(i))
	t, err := p.job(i)
	if err != nil {
		return nil, err
	}
	found, err := t.run(ctx, p.seed(i))
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return append(r, cli.Field{Key: "status", Value: "failed"}, cli.Field{Key: "error", Value: err.Error()}), nil
	}
	return append(r, found...), nil
}

// run simulates, tracks and scores, and returns the results without times.
func (t *job) run(ctx context.Context, seed uint64) (cli.Record, error) {
	cfg, err := t.simulate.Scenario(seed)
	if err != nil {
		return nil, err
	}
	sc, err := scenario.Simulate(ctx, cfg)
	if err != nil {
		return nil, err
	}
	scans := task.SceneScans(cfg, sc.Scans)
	opts, err := t.track.Association(&runfolder.Meta{Scans: scans, Sensors: cfg.Describe()}, 1)
	if err != nil {
		return nil, err
	}
	tracks, r, err := t.track.Solve(ctx, sc.Scans, opts)
	if err != nil {
		return nil, err
	}
	_, err = task.AddScores(ctx, &r, sc.Truth, tracks, &t.score.Options)
	return r, err
}
