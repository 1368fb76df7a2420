package bench

// This file measures the PMBM filter on the scene of its public demonstration.

import (
	"context"
	"math"
	"math/rand/v2"

	"mtt"
	"mtt/association/pmbm"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/rng"
	"mtt/internal/task"
	"mtt/metrics"
)

// The demonstration (García-Fernández, Williams, Granström and Svensson, 2018,
// and the code that its authors published with it): four targets are near the
// centre of a square of 300 m in the middle of 81 steps, one of them disappears
// there, nine detections in ten, ten false alarms a step. The filter is not told
// where anyone is.
const (
	demoSide    = 300.0 // m
	demoSteps   = 81
	demoTargets = 4
	demoAccel   = 0.1414213562373095 // √0.02 m/s^1.5
	demoRuns    = 20                 // for each seed
)

// demoModel is what the filter is told.
func demoModel() pmbm.Model {
	return pmbm.Model{
		Sigma: 1, Detect: 0.9, Clutter: 10, Volume: demoSide * demoSide, Accel: demoAccel, Survive: 0.99,
		Births: 0.005, Targets: 3, BirthMean: [3]float64{100, 100}, BirthStd: [3]float64{150, 150}, SpeedStd: 1,
	}
}

// demoScene draws truth and scans of one run.
func demoScene(seed, run uint64) *task.Scene {
	const middle = demoSteps / 2
	sc := &task.Scene{}
	motion := rng.Stream(seed, "bench/pmbm-motion", run)
	for id := range demoTargets {
		// State (x, vx, y, vy), from the middle of the time in both directions.
		var states [demoSteps][4]float64
		centre := [4]float64{demoSide / 2, 0, demoSide / 2, 0}
		for i := range centre {
			n, _ := rng.Normal(motion)
			centre[i] += math.Sqrt(0.1) * n
		}
		states[middle] = centre
		for t := middle + 1; t < demoSteps; t++ {
			states[t] = forward(states[t-1], motion)
		}
		for t := middle - 1; t >= 0; t-- {
			states[t] = backward(states[t+1], motion)
		}
		truth := mtt.Track{ID: id + 1, Dim: 2}
		for t := range states {
			if id == 0 && t == middle {
				break
			}
			truth.Hits = append(truth.Hits, mtt.Hit{Frame: t, Det: -1})
			truth.Pos = append(truth.Pos, states[t][0], states[t][2])
			truth.Vel = append(truth.Vel, states[t][1], states[t][3])
		}
		sc.Truth = append(sc.Truth, truth)
	}
	for t := range demoSteps {
		sensor := rng.Stream(seed, "bench/pmbm-sensor", run, uint64(t))
		scan := mtt.Scan{Frame: t, Time: float64(t), Dim: 2}
		for i := range sc.Truth {
			nx, ny := rng.Normal(sensor)
			seen := sensor.Float64() < 0.9
			if truth := &sc.Truth[i]; seen && t < len(truth.Hits) {
				truth.Hits[t].Det = scan.Len()
				scan.Pos = append(scan.Pos, truth.At(t)[0]+nx, truth.At(t)[1]+ny)
			}
		}
		for range rng.Poisson(sensor, 10) {
			scan.Pos = append(scan.Pos, rng.Uniform(sensor, 0, demoSide), rng.Uniform(sensor, 0, demoSide))
		}
		sc.Scans = append(sc.Scans, scan)
	}
	return sc
}

// kick draws what white acceleration adds to position and velocity of one axis in
// one second.
func kick(r *rand.Rand) (dx, dv float64) {
	a, b := rng.Normal(r)
	return demoAccel * a / math.Sqrt(3), demoAccel * (math.Sqrt(3)/2*a + b/2)
}

func forward(s [4]float64, r *rand.Rand) [4]float64 {
	for i := 0; i < 4; i += 2 {
		dx, dv := kick(r)
		s[i], s[i+1] = s[i]+s[i+1]+dx, s[i+1]+dv
	}
	return s
}

// backward adds the noise first and then undoes a step, as the demonstration does.
func backward(s [4]float64, r *rand.Rand) [4]float64 {
	for i := 0; i < 4; i += 2 {
		dx, dv := kick(r)
		s[i+1] += dv
		s[i] += dx - s[i+1]
	}
	return s
}

// A demoMethod is one way to run the filter.
type demoMethod struct {
	name string
	set  func(o *pmbm.Options)
}

var demoMethods = []demoMethod{
	{"best hypothesis", func(*pmbm.Options) {}},
	{"best hypothesis, whole table", func(o *pmbm.Options) { o.Whole = true }},
	{"likeliest number", func(o *pmbm.Options) { o.Estimator = pmbm.BestCount }},
	{"fixed number", func(o *pmbm.Options) { o.Estimator = pmbm.BestFixedCount }},
	{"best hypothesis, recycling", func(o *pmbm.Options) { o.Recycle = 0.01 }},
}

// benchPMBM prints GOSPA (cut-off 10 m, order 2) and its parts: root mean squares
// over steps and runs, whose squares add up.
func benchPMBM(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	for _, m := range demoMethods {
		b.Step(m.name)
		var squares [4]measure.Series // total, localisation, missed, false
		means, problems := make(measure.Series, b.Seeds), make(measure.Series, b.Seeds)
		for k := range squares {
			squares[k] = make(measure.Series, b.Seeds)
		}
		err := b.EachSeed(ctx, func(ctx context.Context, i int, seed uint64) error {
			for run := range uint64(demoRuns) {
				sc := demoScene(seed, run)
				if b.Frames > 0 {
					sc.Scans = sc.Scans[:b.Frames]
					for k := range sc.Truth {
						sc.Truth[k] = sc.Truth[k].Between(0, b.Frames-1)
					}
				}
				o := &pmbm.Options{Model: demoModel()}
				m.set(o)
				f, err := pmbm.New(o)
				if err != nil {
					return err
				}
				r := &task.FilterRun{Cutoff: 10}
				if err := r.Filter(ctx, f, sc.Scans, nil); err != nil {
					return err
				}
				report, err := metrics.ScoreContext(ctx, sc.Truth, r.Estimates, &metrics.Options{
					MatchDistance: 5, Cutoff: 10, Only: metrics.Sets, Series: true, Points: true,
				})
				if err != nil {
					return err
				}
				for _, fr := range report.PerFrame {
					for k, x := range []float64{fr.GOSPA, fr.GOSPALocalisation, fr.GOSPAMissed, fr.GOSPAFalse} {
						squares[k][i] += x * x / float64(len(report.PerFrame)) / demoRuns
					}
				}
				means[i] += report.GOSPA / demoRuns
				problems[i] += float64(f.Stats().Problems()) / demoRuns
			}
			return nil
		})
		if err != nil {
			return rows, err
		}
		r := cli.Record{{Key: "method", Value: m.name}, {Key: "runs", Value: demoRuns * b.Seeds}, means.Mean("gospa")}
		for k, key := range []string{"gospa_rms", "localisation_rms", "missed_rms", "false_rms"} {
			f := squares[k].Mean(key)
			f.Value = math.Sqrt(f.Value.(float64))
			r = append(r, f)
		}
		rows = append(rows, append(r, problems.Mean("problems")))
	}
	return rows, nil
}
