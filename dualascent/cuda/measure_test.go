package cuda

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"mtt"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/internal/cuda"
	"mtt/scenario"
)

// This file measures; docs/gpu.md has the figures and the command.

// dense are the sizes of the published measurements. Targets keep within some ten
// metres for ever, so that the gate keeps 15 % of all triplets in every frame, as the
// paper says of its ε = 5.
var dense = []struct{ targets, frames int }{{100, 100}, {200, 100}, {300, 100}, {300, 300}}

var denseGate = gating.Disc{Epsilon: 5, Margin: 3}

// denseModel is the paper's cost, or nll.
func denseModel(cost string) costgen.Model {
	if cost == "paper" {
		return &costgen.Paper{Prices: metric(1e3)}
	}
	return gaussian(0.1)
}

// eachDense runs for each cost and size.
func eachDense(b *testing.B, run func(b *testing.B, cost string, scans []mtt.Scan)) {
	needCard(b)
	for _, cost := range []string{"paper", "nll"} {
		b.Run(cost, func(b *testing.B) { eachSize(b, func(b *testing.B, scans []mtt.Scan) { run(b, cost, scans) }) })
	}
}

func eachSize(b *testing.B, run func(b *testing.B, scans []mtt.Scan)) {
	for _, s := range dense {
		if testing.Short() && s.frames > 100 {
			continue // a minute on the processor
		}
		c := &scenario.Config{
			Scene: scenario.Steer, Targets: s.targets, Frames: s.frames, Spread: 4 / math.Sqrt(float64(s.targets)),
			Noise: 0.1, VelocityNoise: 0.1,
		}
		b.Run(fmt.Sprintf("%dx%d", s.targets, s.frames), func(b *testing.B) { run(b, simulate(b, c)) })
	}
}

func newDense(b *testing.B, cost string, scans []mtt.Scan) *Ascent {
	var a *Ascent
	var err error
	switch model := denseModel(cost).(type) {
	case *costgen.Paper:
		a, err = NewPaper(scans, denseGate, model)
	case *costgen.Gaussian:
		a, err = NewGaussian(scans, denseGate, model)
	}
	if err != nil {
		b.Fatal(err)
	}
	return a
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// BenchmarkPass times passes 4 to 40 on the card.
func BenchmarkPass(b *testing.B) {
	eachDense(b, func(b *testing.B, cost string, scans []mtt.Scan) {
		a := newDense(b, cost, scans)
		defer a.Free()
		var from, to *cuda.Event
		var times []float64
		var bound float64
		for b.Loop() {
			a.warm = false
			if err := a.clear(); err != nil {
				b.Fatal(err)
			}
			for pass := range 40 {
				var err error
				if from, err = a.stream.Record(from); err != nil {
					b.Fatal(err)
				}
				share := momentum
				if pass < 2 {
					share = 0
				}
				if bound, err = a.Pass(context.Background(), share); err != nil {
					b.Fatal(err)
				}
				if to, err = a.stream.Record(to); err != nil {
					b.Fatal(err)
				}
				ms, err := to.Since(from)
				if err != nil {
					b.Fatal(err)
				}
				if pass >= 3 {
					times = append(times, ms)
				}
			}
		}
		b.ReportMetric(float64(a.Arcs()), "pairs")
		b.ReportMetric(100*float64(a.Triplets())/math.Pow(float64(len(scans[0].Pos)/2), 3)/float64(len(scans)-2), "%kept")
		b.ReportMetric(bound, "bound")
		b.ReportMetric(slices.Max(times), "ms/worst")
		b.ReportMetric(median(times), "ms/pass")
	})
}

// BenchmarkSteps times the kernels of one pass after 5, 10 and 20 others.
func BenchmarkSteps(b *testing.B) {
	eachDense(b, func(b *testing.B, cost string, scans []mtt.Scan) {
		a := newDense(b, cost, scans)
		defer a.Free()
		spent := map[string]float64{}
		var from, to *cuda.Event
		timed := func(name string, do func() error) {
			var err error
			if from, err = a.stream.Record(from); err != nil {
				b.Fatal(err)
			}
			if err = do(); err != nil {
				b.Fatal(err)
			}
			if to, err = a.stream.Record(to); err != nil {
				b.Fatal(err)
			}
			ms, err := to.Since(from)
			if err != nil {
				b.Fatal(err)
			}
			spent[name] += ms
		}
		passes := 0
		for pass := range 21 {
			if pass != 5 && pass != 10 && pass != 20 {
				if _, err := a.Pass(context.Background(), momentum); err != nil {
					b.Fatal(err)
				}
				continue
			}
			passes++
			timed("stride", func() error { return launch(a, "stride", 0, &strideTask{a.model, momentum}) })
			for colour := range 2 {
				timed("pull", func() error { return a.onBlocks("pull", colour) })
				timed("pose", func() error { return a.onNodes("pose", colour, 0) })
				timed("match", func() error { return a.match(colour, true, true) })
				for sweep := range sweeps {
					timed("balance", func() error { return a.onNodes("balance", colour, sweep&1) })
				}
				timed("push", func() error { return a.onNodes("push", colour, 0) })
			}
		}
		for name, ms := range spent {
			b.ReportMetric(1000*ms/float64(passes), "µs/"+name)
		}
	})
}

// BenchmarkSolve times everything from scans in memory to an answer with its bound.
func BenchmarkSolve(b *testing.B) {
	eachDense(b, func(b *testing.B, cost string, scans []mtt.Scan) {
		var times, making, answering []float64
		var r *Result
		for first := true; first || b.Loop(); first = false {
			began := time.Now()
			a := newDense(b, cost, scans)
			made := time.Since(began)
			var err error
			if r, err = a.Solve(context.Background(), nil); err != nil {
				b.Fatal(err)
			}
			whole := time.Since(began)
			began = time.Now()
			if _, err := a.Answer(context.Background(), 50); err != nil {
				b.Fatal(err)
			}
			if !first { // loads the kernels
				making = append(making, 1000*made.Seconds())
				times = append(times, 1000*whole.Seconds())
				answering = append(answering, 1000*time.Since(began).Seconds())
			}
			if err := a.Free(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(100*(r.UpperBound-r.LowerBound)/r.UpperBound, "%gap")
		b.ReportMetric(float64(r.Passes), "passes")
		b.ReportMetric(r.LowerBound, "lower")
		b.ReportMetric(r.UpperBound, "upper")
		b.ReportMetric(median(making), "ms/make")
		b.ReportMetric(median(answering), "ms/answer")
		b.ReportMetric(median(times), "ms/solve")
	})
}

// BenchmarkHost times the engine on the host, on all processors, without search after
// the ascent, and the making of its instance, whose triplets are not stored either.
func BenchmarkHost(b *testing.B) {
	eachSize(b, func(b *testing.B, scans []mtt.Scan) {
		began := time.Now()
		inst := instance(b, scans, denseGate, denseModel("paper"))
		made := time.Since(began)
		var r *dualascent.Result
		for b.Loop() {
			var err error
			if r, err = dualascent.Solve(context.Background(), inst, &dualascent.Options{Effort: -1}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(1000*made.Seconds(), "ms/make")
		b.ReportMetric(1000*b.Elapsed().Seconds()/float64(b.N), "ms/solve")
		b.ReportMetric(float64(len(r.Trace)), "passes")
		b.ReportMetric(r.LowerBound, "lower")
		b.ReportMetric(r.UpperBound, "upper")
	})
}
