package main

// This file is "mtt-beam lap": many assignment problems, on many machines. An item of the job is a batch of
// problems that stand together.

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"mtt/internal/cli"
	"mtt/internal/lap"
)

func newLapCommand() *cli.Command {
	o, e := &lap.Options{}, &engine{}
	c := &cli.Command{
		Name:    "lap",
		Summary: "solves many linear assignment problems from files, as mtt lap does",
		Args:    "FILE…",
		MaxArgs: -1,
		About: "Files, options and results are those of mtt lap; rows and answers come in the order of the\n" +
			"problems. An archive is unpacked by every worker.\n\n" + about,
		Examples: "mtt-beam lap costs.csv costs.mtx --workers 2\n" +
			"mtt-beam lap costs.csv costs.mtx --workers 2 --format json -o answers.jsonl\n",
		OutUsage: "`FILE` for assignments and prices, one JSON object a line",
		Options:  append(o.Bind(), e.bind()...),
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error { return runLap(ctx, s, c, o, e, args) }
	return c
}

// A lapSpec is what workers are told.
type lapSpec struct {
	Args    []string // files
	Options lap.Options
	Batch   int  // problems in an item
	Keep    bool // assignments and prices, too
}

func runLap(ctx context.Context, s *cli.Session, c *cli.Command, o *lap.Options, e *engine, args []string) error {
	if len(args) == 0 {
		return cli.Usagef("name a file with an assignment problem").Hinted("usage: %s", c.UsageLine())
	}
	if slices.Contains(args, "-") {
		return cli.Usagef("standard input is here, and workers are elsewhere").Hinted("write the problem to a file that all workers see, or pipe it into mtt lap -")
	}
	if _, err := lap.NewGroup(o, nil); err != nil { // as every worker would say
		return err
	}
	inputs := lap.List(args, nil)
	// So few batches that handing them out is cheap, so many that all workers are busy to the end.
	const batches, most = 256, 1024
	spec := lapSpec{args, *o, max(1, min((len(inputs)+batches-1)/batches, most)), s.Common.Out != ""}
	j, err := newJob("lap", "batches", spec)
	if err != nil {
		return err
	}
	for i := 0; i*spec.Batch < len(inputs); i++ {
		j.items = append(j.items, i)
	}
	lines, forget, err := e.lines(ctx, s, j, "")
	if err != nil {
		return err
	}
	report := lap.NewReport(s, len(inputs))
	at := 0
	var outcomes []*lap.Outcome // of the batch
	err = cli.EachInput(ctx, s, lap.Names(inputs), func(context.Context, string) error {
		if at%spec.Batch == 0 {
			if outcomes, err = read[[]*lap.Outcome](lines[at/spec.Batch]); err != nil {
				return err
			}
		}
		at++
		return report.Tell(outcomes[(at-1)%spec.Batch])
	})
	return errors.Join(err, report.Finish(), forget())
}

// newLapWorker solves batches.
func newLapWorker(text []byte) (worker, error) {
	spec, err := read[lapSpec](text)
	if err != nil {
		return nil, err
	}
	inputs := lap.List(spec.Args, nil)
	group, err := lap.NewGroup(&spec.Options, nil)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, item int) ([]byte, error) {
		first := item * spec.Batch
		batch := inputs[first:min(first+spec.Batch, len(inputs))]
		group.Begin(batch)
		line := []byte("[")
		for i := range batch {
			one := group.Next(ctx)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if one.Answer != nil && !spec.Keep {
				one.Answer.Assignment, one.Answer.RowPrices, one.Answer.ColPrices = nil, nil, nil
				one.Answer.HallRows, one.Answer.HallCols = nil, nil
			}
			text, err := json.Marshal(one)
			if err != nil {
				return nil, err
			}
			if i > 0 {
				line = append(line, ',')
			}
			line = append(line, text...)
		}
		return append(line, ']'), nil
	}, nil
}
