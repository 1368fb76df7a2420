package main

// This file is "mtt bench": measurements that anyone can repeat, each one table.

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"mtt/association"
	"mtt/internal/runfolder"
	"mtt/scenario"
)

// A benchmark measures something and returns the rows of one table.
type benchmark struct {
	name  string
	about string
	cases int
	run   func(ctx context.Context, b *bench) ([]record, error)
}

// benchmarks lists the benchmarks in the order in which they are shown.
var benchmarks = []benchmark{
	{"accuracy", "wrong links on simulated scenes, by cost and noise, with velocities and without", len(accuracyCases), benchAccuracy},
	{"gap", "distance of the bounds after ten rounds, beside the published scheme", len(gapCases), benchGap},
	{"proofs", "how often the answer is proved to be the cheapest", len(proofCases), benchProofs},
	{"real", "wrong links, MOTA and IDF1 on recorded pedestrians, beside simpler trackers; reads --data", len(realCases), benchReal},
	{"clutter", "wrong links where one detection in ten is missed and one in ten is false", len(clutterCases), benchClutter},
	{"lag", "wrong links where links are settled after 0, 1, 3 and 5 more scans, and the time of a step", len(lagCases), benchLag},
	{"pmbm", "GOSPA of the PMBM filter on the scene of its public demonstration, four targets that meet", len(demoMethods), benchPMBM},
	{"filters", "IDF1, GOSPA and wrong links of the PMBM filter beside the tracker and nearest neighbours", len(filterCases) * len(filterMethods), benchFilters},
	{"speed", "seconds by stage, gap and memory, on one core", len(speedCases), benchSpeed},
	{"distribution", "milliseconds of an iteration at the source paper's sizes, in its forms and in ours", len(distributionCases), benchDistribution},
	{"xlap", "milliseconds of each assignment solver on the problems of a pass, from nothing and from the pass before", len(xlapCases) * len(solvers), benchXLAP},
	{"scale", "seconds and memory from a hundred thousand arcs to ten million", len(scaleCases), benchScale},
	{"lap", "seconds and rows scanned of dense assignment problems, beside the fastest public solver", len(lapCases()), benchLap},
	{"lap-large", "seconds, sweeps and memory of large dense assignment problems", largeCases(), benchLapLarge},
	{"scans", "rows scanned by dense searches, beside Table 1 of Algorithm 1015", scanCases(4000, 2000), benchScans},
	{"lap-sparse", "milliseconds of sparse assignment problems, beside the fastest public solver", len(sparseCases()), benchLapSparse},
	{"fpga", "cycles of the accelerator by way into the chip, batch and start", fpgaCases, benchFPGA},
	{"lap-batch", "small assignment problems solved in a second; reads sas-mot-lap below --data", 1 + len(batchArchives), benchLapBatch},
	{"lap-corpus", "microseconds of each assignment solver on the problems that the PMBM filter poses", len(corpusCases), benchLapCorpus},
}

// A bench is one run of a benchmark.
type bench struct {
	benchOptions
	first   uint64 // the first seed
	workers int    // goroutines

	// Tests shrink the scenes and assignment problems; 0 leaves them as they are.
	targets, frames, rows int

	note func(format string, args ...any) // tells what is missing
	step func(name string)                // tells which case is measured next
}

// benchOptions say how much to measure.
type benchOptions struct {
	Seeds int
	Data  string // folder
	List  bool
	Sizes []float64
	Save  string // folder
	Plot  string // file
}

// bind makes the options that set o.
func (o *benchOptions) bind() []option {
	o.Seeds, o.Data = 5, "../shared/data"
	return []option{
		number(&o.Seeds, "seeds", 1, 1000, "`N` seeds, from --seed on, whose mean is shown"),
		text(&o.Data, "data", "`FOLDER` with the recorded data that real reads, hermes, pedestrians and mot15, and lap-batch, sas-mot-lap"),
		boolean(&o.List, "list", "list the benchmarks"),
		numbers(&o.Sizes, "sizes", 0, "`N,N…`: of lap, lap-large and scans, only the problems of so many rows"),
		text(&o.Plot, "plot", "`FILE` for the figure of scale, processor time for each arc against arcs, SVG"),
		text(&o.Save, "save", "`FOLDER` where lap writes every matrix as .npy, for other programs to solve"),
	}
}

func newBenchCommand() *command {
	o := &benchOptions{}
	about := "Measures and prints one table. Numbers but times and memory are the same on every\n" +
		"machine. A bar is the value to reach. The benchmarks:\n\n"
	for _, b := range benchmarks {
		about += "  " + b.name + ": " + b.about + "\n"
	}
	return &command{
		name:     "bench",
		summary:  "measures accuracy, gaps and speed: one table each",
		args:     "[NAME]",
		maxArgs:  1,
		about:    about,
		examples: "mtt bench --list\n",
		options:  o.bind(),
		run:      func(ctx context.Context, s *session, args []string) error { return runBench(ctx, s, o, args) },
	}
}

func runBench(ctx context.Context, s *session, o *benchOptions, args []string) error {
	var names []string
	var list []record
	for _, b := range benchmarks {
		names = append(names, b.name)
		list = append(list, record{{key: "name", value: b.name}, {key: "measures", value: b.about}})
	}
	if o.List {
		return s.out.printRows(list)
	}
	if len(args) == 0 {
		return usagef("name a benchmark").hinted("'mtt bench --list' lists them")
	}
	i := slices.Index(names, args[0])
	if i < 0 {
		return usagef("unknown benchmark %q", args[0]).hinted("%s", didYouMean(args[0], "", names))
	}
	if o.Plot != "" && args[0] != "scale" {
		return usagef("--plot goes with scale")
	}
	err := s.measure(ctx, o, args[0], benchmarks[i].cases, func(b *bench) ([]record, error) {
		rows, err := benchmarks[i].run(ctx, b)
		if o.Plot != "" && len(rows) > 0 {
			draw := func(w io.Writer) error { return scaleFigure(rows).Encode(w, "svg") }
			err = errors.Join(err, runfolder.WriteFile(o.Plot, draw))
		}
		return rows, err
	})
	return trackFault(err)
}

// measure runs a benchmark of so many cases and prints its table, or what there is
// of it when it fails.
func (s *session) measure(ctx context.Context, o *benchOptions, name string, cases int, run func(b *bench) ([]record, error)) error {
	line, done := s.startProgress(ctx, name, cases), 0
	b := &bench{benchOptions: *o, first: s.common.Seed, workers: s.common.Workers, note: s.note}
	b.step = func(name string) {
		line.set(done, name)
		done++
	}
	if b.workers == 0 {
		b.workers = runtime.GOMAXPROCS(0)
	}
	rows, err := run(b)
	line.done()
	if len(rows) > 0 {
		if err := s.out.printRows(rows); err != nil {
			return err
		}
	}
	return err
}

// scene simulates c with the given seed; tests have it shrunk.
func (b *bench) scene(ctx context.Context, c scenario.Config, seed uint64) (*scenario.Scene, error) {
	c.Seed = seed
	if b.targets > 0 {
		c.Targets = b.targets
	}
	if b.frames > 0 {
		c.Frames = b.frames
	}
	return scenario.Simulate(ctx, &c)
}

// rowsOf is the number of rows of a problem of n; tests have it shrunk.
func (b *bench) rowsOf(n int) int {
	if b.rows > 0 {
		return b.rows
	}
	return n
}

// eachSeed calls do for every seed, several at a time; i counts the seeds from 0.
func (b *bench) eachSeed(ctx context.Context, do func(ctx context.Context, i int, seed uint64) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(b.workers)
	for i := range b.Seeds {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return do(ctx, i, b.first+uint64(i))
		})
	}
	return group.Wait()
}

// told are the options of a tracker that is told the noise of the scene, as mtt
// track reads it from a run folder.
func told(c *scenario.Config) association.Options {
	o := association.Options{Sigma: max(c.Noise, association.Exact), IgnoreVelocity: c.NoVelocity, Workers: 1}
	if !c.NoVelocity {
		o.SigmaV = max(c.VelocityNoise, association.Exact)
	}
	return o
}

// A series collects one value for each seed, NaN where there is none.
type series []float64

// average is the mean value.
func (v series) average() float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// standardError is that of the mean value; NaN of fewer than two.
func (v series) standardError() float64 {
	mean, sum := v.average(), 0.0
	for _, x := range v {
		sum += (x - mean) * (x - mean)
	}
	return math.Sqrt(sum / float64(len(v)-1) / float64(len(v)))
}

// median is the middle value, the higher of two.
func (v series) median() float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// mean is the field of the mean value.
func (v series) mean(key string) field {
	return field{key: key, value: v.average(), digits: 3}
}

// fields are the mean, least and greatest value.
func (v series) fields(key string) []field {
	return []field{
		v.mean(key),
		{key: key + "_min", value: slices.Min(v), digits: 3}, {key: key + "_max", value: slices.Max(v), digits: 3},
	}
}

// bar is the field of a value to reach; 0 is none.
func bar(key string, v float64) field {
	f := field{key: key + "_bar", digits: 3}
	if v > 0 {
		f.value = v
	} else {
		f.value = math.NaN()
	}
	return f
}

// timed calls do and returns its seconds.
func timed(do func() error) (seconds float64, err error) {
	began := time.Now()
	err = do()
	return time.Since(began).Seconds(), err
}

// clockSeconds is the time of the clock, from an arbitrary moment.
func clockSeconds() float64 { return time.Since(programBegan).Seconds() }

var programBegan = time.Now()

// isDir reports whether there is a folder of that name.
func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
