package measure

// This file defines a run of a measurement: how much to measure, and its scenes.

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"mtt/association"
	"mtt/internal/cli"
	"mtt/scenario"
)

// A Run is one run of a benchmark.
type Run struct {
	Options
	First   uint64 // the first seed
	Workers int    // goroutines

	// Tests shrink the scenes and assignment problems; 0 leaves them as they are.
	Targets, Frames, Rows int

	Note func(format string, args ...any) // tells what is missing
	Step func(name string)                // tells which case is measured next
}

// Options say how much to measure.
type Options struct {
	Seeds int
	Data  string // folder
	List  bool
	Quick bool   // one seed and small sizes
	Only  string // part of the names of rows
	Sizes []float64
	Save  string // folder
	Plot  string // file
}

// Bind makes the options that set o.
func (o *Options) Bind() []cli.Option {
	o.Seeds, o.Data = 5, "data"
	return []cli.Option{
		cli.Number(&o.Seeds, "seeds", 1, 1000, "`N` seeds, from --seed on, whose mean is shown"),
		cli.Text(&o.Data, "data", "`FOLDER` with the recorded data that real reads, hermes, pedestrians and mot15, probabilities, hermes, and lap-batch, sas-mot-lap"),
		cli.Boolean(&o.List, "list", "list the benchmarks"),
		cli.Boolean(&o.Quick, "quick", "one seed; kinds leaves out the engine that is run anew at each step"),
		cli.Text(&o.Only, "only", "`TEXT`: of drawn, filters, kinds, probabilities and real, only rows in whose name it is, in capitals or not"),
		cli.Numbers(&o.Sizes, "sizes", 0, "`N,N…`: of lap, lap-large, scans and hungarian, only the problems of N rows; of million, scenes of N targets in 50 frames"),
		cli.Text(&o.Plot, "plot", "`FILE` for the figure of scale, processor time for each arc against arcs, SVG"),
		cli.Text(&o.Save, "save", "`FOLDER` where lap writes every matrix as .npy and lap-sparse every problem as .mtx, for other programs to solve"),
	}
}

// Measure runs a benchmark, which has that number of cases, and prints its table, or
// what there is of it when it fails.
func (o *Options) Measure(ctx context.Context, s *cli.Session, name string, cases int, run func(b *Run) ([]cli.Record, error)) error {
	line, done := s.StartProgress(ctx, name, cases), 0
	b := &Run{Options: *o, First: s.Common.Seed, Workers: s.Common.Workers, Note: s.Note}
	b.Step = func(name string) {
		line.Set(done, name)
		done++
	}
	if b.Quick {
		b.Seeds = 1
	}
	if b.Workers == 0 {
		b.Workers = runtime.GOMAXPROCS(0)
	}
	rows, err := run(b)
	line.Done()
	if err == nil && len(rows) == 0 && o.Only != "" {
		return cli.Usagef("%s measured no row with %q in its name", name, o.Only)
	}
	if len(rows) > 0 {
		if err := s.Out.PrintRows(rows); err != nil {
			return err
		}
	}
	return err
}

// Scene simulates c with the given seed; tests have it shrunk.
func (b *Run) Scene(ctx context.Context, c scenario.Config, seed uint64) (*scenario.Scene, error) {
	c.Seed = seed
	if b.Targets > 0 {
		c.Targets = b.Targets
	}
	if b.Frames > 0 {
		c.Frames = b.Frames
	}
	return scenario.Simulate(ctx, &c)
}

// RowsOf is the number of rows of a problem of n; tests have it shrunk.
func (b *Run) RowsOf(n int) int {
	if b.Rows > 0 {
		return b.Rows
	}
	return n
}

// EachSeed calls do for every seed, several at a time; i counts the seeds from 0.
func (b *Run) EachSeed(ctx context.Context, do func(ctx context.Context, i int, seed uint64) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(b.Workers)
	for i := range b.Seeds {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(ctx, i, b.First+uint64(i))
		})
	}
	return group.Wait()
}

// Told are the options of a tracker that is told the noise of the scene, as mtt
// track reads it from a run folder.
func Told(c *scenario.Config) association.Options {
	o := association.Options{Sigma: max(c.Noise, association.NoNoise), IgnoreVelocity: c.NoVelocity, Workers: 1}
	if !c.NoVelocity {
		o.SigmaV = max(c.VelocityNoise, association.NoNoise)
	}
	return o
}

// Timed calls do and returns its seconds.
func Timed(do func() error) (seconds float64, err error) {
	began := time.Now()
	err = do()
	return time.Since(began).Seconds(), err
}

// Clock is the time of the clock, from an arbitrary moment.
func Clock() float64 { return time.Since(programBegan).Seconds() }

var programBegan = time.Now()

// Wants says whether rows of that name are to be measured.
func (b *Run) Wants(name string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(b.Only))
}

// HasSize says whether problems of n rows are to be measured.
func (b *Run) HasSize(n int) bool {
	return len(b.Sizes) == 0 || slices.Contains(b.Sizes, float64(n))
}
