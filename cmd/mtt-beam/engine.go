package main

// This file runs pipelines: on Prism inside this program, with worker processes of its own, or on a
// runner elsewhere.

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/syscallx"

	"mtt/cmd/mtt-beam/pool"
	"mtt/internal/cli"
)

// An engine runs pipelines as the options of the command line say.
type engine struct {
	runner      string
	endpoint    string // of the runner's job service
	environment string // how the runner starts workers
	config      string // of the environment
	shared      string // folder that all workers reach; "": in the folder of results
	kills       int
	verbose     bool
}

// bind makes the options that set e.
func (e *engine) bind() []cli.Option {
	e.runner, e.environment = "prism", "docker"
	return []cli.Option{
		cli.Choice(&e.runner, "runner", []string{"prism", "flink", "spark", "universal"},
			"`RUNNER` of Apache Beam: prism is in this program, with --workers processes; universal is any other that has a job service"),
		cli.Text(&e.endpoint, "endpoint", "`HOST:PORT` of the job service of a runner that is not prism"),
		cli.Choice(&e.environment, "environment", []string{"docker", "process", "external", "loopback"},
			"`KIND` of the workers of a runner that is not prism"),
		cli.Text(&e.config, "environment-config", "`TEXT`: the image of docker, the JSON of process, or the address of external workers"),
		cli.Text(&e.shared, "shared", "`FOLDER` that this program and all workers reach by one name, for results on their way (default: in the folder of the results)"),
		cli.Number(&e.kills, "kill", 0, 1e6, "`N` worker processes to kill while they work, drawn by --seed, to see that results stay the same; with prism"),
		cli.Boolean(&e.verbose, "verbose", "the messages of Beam and of its runner, too"),
	}
}

// about says in the help of each command what the options mean together.
const about = "The work is a pipeline of Apache Beam. By default it runs on Prism, the runner inside this\n" +
	"program, with --workers processes of one core each; a process that dies is replaced, and what\n" +
	"it had not finished is done again. --runner and --endpoint name another runner. Files are\n" +
	"read by the workers, so all machines need them under the same names.\n"

// initialize makes Beam ready, once in a process.
var initialize = sync.OnceFunc(func() {
	flag.CommandLine.Parse(nil) // its flags keep their defaults; our options set what they mean
	beam.Init()
})

// listen has messages of Beam go to the session, or nowhere.
func (e *engine) listen(s *cli.Session) {
	to := slog.New(slog.DiscardHandler)
	if e.verbose {
		to = s.Log
	}
	slog.SetDefault(to)
	beamlog.SetLogger(&beamlog.Structural{})
}

// execute runs the pipeline. Done is told how many elements have been worked on, which only
// Prism says.
func (e *engine) execute(ctx context.Context, s *cli.Session, p *beam.Pipeline, done func(elements int)) error {
	e.listen(s)
	*jobopts.Endpoint, *jobopts.EnvironmentType, *jobopts.EnvironmentConfig = e.endpoint, e.environment, e.config
	program, err := os.Executable()
	if err != nil {
		return err
	}
	*jobopts.WorkerBinary = program
	if e.runner != "prism" {
		if e.endpoint == "" {
			return cli.Usagef("--runner %s needs the address of its job service", e.runner).Hinted("name it with --endpoint HOST:PORT")
		}
		_, err = beam.Run(ctx, e.runner, p)
		return jobError(ctx, err)
	}
	if e.endpoint != "" {
		return cli.Usagef("--endpoint %s is given; prism runs in this program", e.endpoint).Hinted("--runner universal takes any runner by its address")
	}
	workers := s.Common.Workers
	if workers == 0 {
		workers = runtime.NumCPU()
	}
	var elements, sent, received atomic.Int64
	workersPool, err := pool.Start(pool.Options{
		Processes: workers,
		Command: func(id, endpoint string) *exec.Cmd {
			c := exec.Command(program, "--worker", "--id="+id, "--control_endpoint="+endpoint, "--logging_endpoint="+endpoint)
			c.Env = append(os.Environ(), "GOMAXPROCS=1")
			if os.Getenv("GOGC") == "" { // what Beam itself keeps is looked through less often
				c.Env = append(c.Env, "GOGC=400")
			}
			if size, err := syscallx.PhysicalMemorySize(); err == nil && os.Getenv("GOMEMLIMIT") == "" {
				c.Env = append(c.Env, fmt.Sprintf("GOMEMLIMIT=%d", size*7/10/uint64(workers)))
			}
			return c
		},
		Warn: func(message string) { s.Log.Warn(firstLine(message)) },
		Done: func(n, out, in int) {
			sent.Add(int64(out))
			received.Add(int64(in))
			done(int(elements.Add(int64(n))))
		},
	})
	if err != nil {
		return err
	}
	defer workersPool.Close()
	*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "external", workersPool.Endpoint()
	// The processes are this program, which need not be copied: what is staged is an empty file.
	staged, err := os.CreateTemp("", "mtt-beam-")
	if err != nil {
		return err
	}
	defer os.Remove(staged.Name())
	if err := staged.Close(); err != nil {
		return err
	}
	*jobopts.WorkerBinary = staged.Name()
	killed := make(chan int, 1)
	inner, cancel := context.WithCancel(ctx)
	go func() { killed <- e.killSome(inner, workersPool, s.Common.Seed) }()
	began := time.Now()
	_, err = beam.Run(ctx, "prism", p)
	cancel()
	*jobopts.Endpoint = "" // which Prism sets
	if n := <-killed; n > 0 {
		s.Note("%d worker processes were killed", n)
	}
	if err == nil {
		s.Note("%d elements on %d processes in %.3g s; %d bytes to them and %d back", elements.Load(), workers,
			time.Since(began).Seconds(), sent.Load(), received.Load())
	}
	return jobError(ctx, err)
}

// killSome kills processes at work until there have been enough, or ctx ends, and returns how many.
func (e *engine) killSome(ctx context.Context, p *pool.Pool, seed uint64) (n int) {
	r := rand.New(rand.NewPCG(seed, 0))
	for n < e.kills {
		select {
		case <-ctx.Done():
			return n
		case <-time.After(time.Duration(r.ExpFloat64() * float64(50*time.Millisecond))):
		}
		if p.KillOne(r) {
			n++
		}
	}
	return n
}

// jobError is what a failed job says, without the path through the engine.
func jobError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.New(strings.TrimSpace(err.Error()))
}

// firstLine is the text up to its first line end.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
