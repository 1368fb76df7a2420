package main

// This file is "mtt stream": tracks while detections come.

import (
	"cmp"
	"context"
	"io"

	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/task"
)

func newStreamCommand() *cli.Command {
	o := task.NewStreamOptions()
	c := &cli.Command{
		Name:    "stream",
		Summary: "tracks detections as they come through a pipe, and writes what is settled scan by scan",
		Args:    "[FILE]",
		MaxArgs: 1,
		About: "Reads detections from standard input, or a FILE such as a named pipe, in order of time:\n" +
			"a scan ends where the frame or, without one, the time changes; of JSON with a list of detections\n" +
			"in each object, {\"time\":0.5,\"detections\":[{\"x\":1,\"y\":2}]}, with its line. After each scan it writes\n" +
			"\n" +
			"  settled lines: detections whose links will not change any more, with their track;\n" +
			"  other lines: where each target is believed to be now (track 0 before it is confirmed,\n" +
			"  det -1 where it was missed), with the standard deviation of its position and the\n" +
			"  probability that it exists: that it is no chain of false alarms, and still there.\n" +
			"  After one scan that is 0.5, and the deviation absent, unless --clutter and --noise say more.\n" +
			"\n" +
			"Detections are numbered from 0 in each scan. What is believed is told from the first scan on,\n" +
			"by levels that are learnt as scans come; settled lines come after the warm-up and a quarter of it, in which\n" +
			"its levels are learnt, or one scan for every 70 detections in it where that is more, or, where there is much to learn, up to six times as many scans. They are learnt\n" +
			"anew as scans come, beside these, and taken at scans that are fixed, 26, 44, 97 and so on or later where there are many detections, crowds of them, or much to learn, in the\n" +
			"time between scans, after the warm-up as they say it (without times: --dt, or a second): there a scan waits\n" +
			"for them if they are not learnt by then, as where scans come faster than that, and as it does where many detections are left over, and levels are learnt at once from the last twelve scans.\n" +
			"A line that cannot be read ends the stream, and so does an interrupt; what was tracked\n" +
			"till then is written as settled. A row with a time and no position is a scan\n" +
			"in which nothing was detected; frame numbers that are passed over are such scans, too. Other rows\n" +
			"without a position are left out: the first is told at once, how many there are at the end.\n" +
			"Of several sensors, which a column sensor tells apart and --sensors describes, each scan says\n" +
			"something of the targets in its view only; the column counts them from 0, and a frame number that is\n" +
			"passed over is no scan then, as nobody knows whose.\n",
		Examples: "mtt stream runs/latest/detections.csv\n" +
			"mtt stream runs/latest/detections.csv --lag 5 --settled --to csv\n" +
			"mtt stream rows.jsonl --in jsonl --noise 0.1 --to csv\n",
		OutUsage: "`FILE` to write (default: standard output)",
		Options:  o.Bind(),
	}
	c.Run = func(ctx context.Context, s *cli.Session, args []string) error {
		in, name := s.Stdin, "standard input"
		s.Passed = len(args) == 0 || args[0] == "-"
		if !s.Passed {
			name = args[0]
			f, err := dataset.Open(name)
			if err != nil {
				return cli.BadInput(err)
			}
			defer f.Close()
			in = f
		}
		if s.Common.Out != "" {
			var failed error // what was written before it is kept
			err := runfolder.WriteFile(s.Common.Out, func(w io.Writer) error {
				failed = task.Stream(ctx, s, o, in, name, w)
				return nil
			})
			return cmp.Or(err, failed)
		}
		return task.Stream(ctx, s, o, in, name, s.Out.W)
	}
	return c
}
