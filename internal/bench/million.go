package bench

// This file measures scenes that are larger than memory, up to a million targets.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"mtt"
	"mtt/association"
	"mtt/association/windows"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/task"
	"mtt/internal/usage"
	"mtt/metrics"
	"mtt/scenario"
)

// millionCases are arenas, the small ones first: the peak of memory is that of the process so far.
// With --quick the first is all, with --sizes scenes of so many targets in 50 frames are.
var millionCases = []millionCase{
	{20_000, 50}, {100_000, 50}, {1_000_000, 10}, {1_000_000, 50},
}

type millionCase struct{ targets, frames int }

// millionMemory is what windows may take, bytes for each target: 8 GB of a million, with the scans
// that are drawn and scored beside them.
const millionMemory = 6_400

// atOnce is the number of detections up to which a scene is also tracked at once.
const atOnce = 2_000_000

// benchMillion draws arenas with 5 % missed, a tenth false and a hundredth born and gone in a
// frame, tracks them in windows of time as they are drawn, by levels learnt from a dozen scans, and
// scores the tracks frame by frame. Nothing goes to the disk. Seconds are those of the clock, but
// det_us, microseconds of the processor for each detection, the simulation included; scans are
// drawn and tracks scored beside the tracker, so that seconds overlap. Small scenes are tracked at
// once as well, without refinement: apart is how much of the cost at once the bound of the windows
// is away from the bound at once.
func benchMillion(ctx context.Context, b *measure.Run) (rows []cli.Record, err error) {
	cases := millionCases
	if b.Quick || b.Targets > 0 {
		cases = cases[:1]
	}
	if len(b.Sizes) > 0 {
		cases = nil
		for _, n := range b.Sizes {
			cases = append(cases, millionCase{int(n), 50})
		}
	}
	for _, c := range cases {
		b.Step(fmt.Sprintf("%d targets, %d frames", c.targets, c.frames))
		if b.Targets > 0 {
			c.targets, c.frames = b.Targets, b.Frames
		}
		n := float64(c.targets)
		row, err := million(ctx, b, &scenario.Config{
			Scene: scenario.Arena, Targets: c.targets, Frames: c.frames, Noise: 0.1, VelocityNoise: 0.1,
			Miss: 0.05, Clutter: 0.1 * n, Births: 0.01 * n, Seed: b.First,
		})
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// A millionRun is a scene on its way: it is drawn, tracked and scored at the same time.
type millionRun struct {
	drawn    chan *scenario.Frame
	truth    chan *scenario.Frame // of scans that were read, and of which the tracks are not scored
	tracked  chan millionScan
	scans    []mtt.Scan // all, of a small scene
	keep     bool
	simulate time.Duration
	score    *metrics.Stream
	scoring  time.Duration
}

// A millionScan is a scan whose tracks are known.
type millionScan struct {
	scan   *mtt.Scan
	places []windows.Place
}

// millionAhead is how many scans may wait between those who draw, track and score them.
const millionAhead = 2

func million(ctx context.Context, b *measure.Run, c *scenario.Config) (cli.Record, error) {
	memory := max(int64(millionMemory*c.Targets), 64<<20)
	defer task.Thrifty(memory + memory/10)() // what is drawn and scored lies beside the windows
	debug.FreeOSMemory()
	opts := measure.Told(c)
	opts.Workers, opts.NoRefine, opts.NoStates = b.Workers, true, true
	cpu := usage.CPUSeconds()
	model, drawing, err := millionModel(ctx, c, &opts)
	if err != nil {
		return nil, err
	}
	b.Note("levels learnt in %.1f s", model.Seconds.Estimate)
	k := &millionRun{
		drawn: make(chan *scenario.Frame, millionAhead), truth: make(chan *scenario.Frame, c.Frames), tracked: make(chan millionScan, millionAhead),
		keep: float64(c.Frames)*(float64(c.Targets)+c.Clutter) <= atOnce,
	}
	if k.score, err = metrics.NewStream(nil); err != nil {
		return nil, err
	}
	began := time.Now()
	group, working := errgroup.WithContext(ctx)
	group.Go(func() error { return k.draw(working, c) })
	group.Go(func() error { return k.judge(working) })
	var lower, upper float64
	detections, count := 0, 0
	var solving time.Duration
	group.Go(func() error {
		defer close(k.tracked)
		var tracks windows.Numbering
		tracker := windows.New(model, k.read, &windows.Options{Memory: memory, Association: &opts})
		for {
			from := time.Now()
			w, err := tracker.Next(working)
			solving += time.Since(from)
			if errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			lower, upper, count = lower+w.Lower, upper+w.Upper, count+1
			if err := tracks.Add(w, func(s *mtt.Scan, places []windows.Place) error {
				detections += s.Len()
				select {
				case k.tracked <- millionScan{s, slices.Clone(places)}:
					return nil
				case <-working.Done():
					return working.Err()
				}
			}); err != nil {
				return err
			}
			b.Note("%d of %d frames tracked after %.0f s", tracks.First, c.Frames, time.Since(began).Seconds())
		}
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	judged := time.Now()
	report, ospa2, err := k.score.Finish(ctx)
	if err != nil {
		return nil, err
	}
	k.scoring += time.Since(judged)
	total := time.Since(began) + time.Duration(model.Seconds.Estimate*float64(time.Second)) + drawing
	used := usage.CPUSeconds() - cpu
	peak := usage.PeakMemory()
	apart := math.NaN()
	if k.keep {
		whole, err := association.Track(ctx, k.scans, &association.Options{Levels: model.Levels, Workers: b.Workers, NoRefine: true, NoStates: true})
		if err != nil {
			return nil, err
		}
		apart = 100 * math.Abs(whole.Dual.LowerBound-lower) / math.Max(math.Abs(whole.Cost), math.SmallestNonzeroFloat64)
	}
	second := func(key string, v float64) cli.Field { return cli.Field{Key: key, Value: v, Unit: "s", Digits: 2} }
	return cli.Record{
		{Key: "targets", Value: c.Targets}, {Key: "frames", Value: c.Frames}, {Key: "detections", Value: detections},
		second("simulate", (drawing + k.simulate).Seconds()), second("estimate", model.Seconds.Estimate),
		second("solve", solving.Seconds()), second("score", k.scoring.Seconds()), second("total", total.Seconds()),
		{Key: "det_us", Value: 1e6 * used / float64(max(1, detections)), Digits: 3},
		{Key: "windows", Value: count}, {Key: "gap", Value: 100 * max(0, upper-lower) / math.Max(math.Abs(upper), 1), Digits: 2},
		{Key: "apart", Value: apart, Digits: 2}, {Key: "mmep", Value: report.MMEP, Digits: 3}, {Key: "ospa2", Value: ospa2, Digits: 4},
		{Key: "peak_rss_mb", Value: peak, Digits: 4},
	}, nil
}

// millionModel learns from the first dozen scans, and says how long they took to draw.
func millionModel(ctx context.Context, c *scenario.Config, opts *association.Options) (*association.Result, time.Duration, error) {
	const dozen = 12
	var first []mtt.Scan
	began := time.Now()
	for f, err := range scenario.Stream(ctx, c) {
		if err != nil {
			return nil, 0, err
		}
		if first = append(first, f.Scan); len(first) == dozen {
			break
		}
	}
	drawing := time.Since(began)
	model, err := association.Learn(ctx, first, opts)
	return model, drawing, err
}

// draw draws the scans.
func (k *millionRun) draw(ctx context.Context, c *scenario.Config) error {
	defer close(k.drawn)
	began := time.Now()
	for f, err := range scenario.Stream(ctx, c) {
		if err != nil {
			return err
		}
		k.simulate += time.Since(began)
		select {
		case k.drawn <- f:
		case <-ctx.Done():
			return ctx.Err()
		}
		began = time.Now()
	}
	return nil
}

// read hands on the next scan, and keeps the truth until its tracks are known.
func (k *millionRun) read() (*mtt.Scan, error) {
	f, ok := <-k.drawn
	if !ok {
		return nil, io.EOF
	}
	if k.keep {
		k.scans = append(k.scans, f.Scan)
	}
	s := f.Scan
	f.Scan = mtt.Scan{Frame: s.Frame, Dim: s.Dim}
	k.truth <- f
	return &s, nil
}

// judge scores the tracks of all scans.
func (k *millionRun) judge(ctx context.Context) error {
	for done := range k.tracked {
		began := time.Now()
		if err := k.judgeOne(ctx, <-k.truth, done.scan, done.places); err != nil {
			return err
		}
		k.scoring += time.Since(began)
	}
	return nil
}

// judgeOne scores the tracks of a scan.
func (k *millionRun) judgeOne(ctx context.Context, f *scenario.Frame, s *mtt.Scan, places []windows.Place) error {
	truth := metrics.Hits{ID: f.ID, Det: f.Det, Dim: s.Dim, Pos: f.Pos}
	tracks := metrics.Hits{ID: make([]int, len(places)), Det: make([]int, len(places)), Dim: s.Dim, Pos: make([]float64, 0, len(places)*s.Dim)}
	for i, p := range places {
		tracks.ID[i], tracks.Det[i], tracks.Pos = p.Track, p.Det, append(tracks.Pos, s.At(p.Det)...)
	}
	return k.score.Add(ctx, s.Frame, &truth, &tracks)
}
