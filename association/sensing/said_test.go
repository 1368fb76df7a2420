package sensing_test

// This file tracks where rates are said that are true, but say what prices do not, or too little.

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/costgen"
	"mtt/internal/nightly"
)

// TestSaidSectors: a sensor that looks at a quarter of its field in each scan detects a quarter of
// the targets, and next to none in the scan after one that they were detected in.
func TestSaidSectors(t *testing.T) {
	t.Parallel()
	const targets, frames, side = 30, 100, 400
	rng := rand.New(rand.NewPCG(1, 61))
	var x, v [targets][2]float64
	for i := range x {
		x[i], v[i] = [2]float64{side * rng.Float64(), side * rng.Float64()}, [2]float64{0.6 * rng.NormFloat64(), 0.6 * rng.NormFloat64()}
	}
	scans, who := make([]mtt.Scan, frames), make(map[mtt.Hit]int)
	for f := range scans {
		s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for i := range x {
			for k := range v[i] {
				v[i][k] += 0.05 * rng.NormFloat64()
				x[i][k] += v[i][k]
			}
			sector := int((math.Atan2(x[i][1]-side/2, x[i][0]-side/2) + math.Pi) / (math.Pi / 2))
			if sector%4 == f%4 && rng.Float64() < 0.95 {
				who[mtt.Hit{Frame: f, Det: s.Len()}] = i
				s.Pos = append(s.Pos, x[i][0]+0.5*rng.NormFloat64(), x[i][1]+0.5*rng.NormFloat64())
			}
		}
		if rng.IntN(2) == 0 {
			s.Pos = append(s.Pos, side*rng.Float64(), side*rng.Float64())
		}
		scans[f] = s
	}
	res, err := association.Track(t.Context(), scans, &association.Options{Rates: &costgen.Rates{Detect: float64(len(who)) / (targets * frames)}})
	if err != nil {
		t.Fatal(err)
	}
	if wrong := wrongLinks(res.Tracks, who); len(res.Tracks) > targets+2 || wrong > 2 || res.LeftOut > len(who)/10 {
		t.Errorf("%d targets are %d tracks with %d wrong links, %d of %d detections are left out", targets, len(res.Tracks), wrong, res.LeftOut, len(who))
	}
}

// TestSaidAlmostNone: ships report now and then, and it is said that next to no detection is false.
func TestSaidAlmostNone(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{6, 28}[:nightly.Or(1, 2)] {
		nowAndThen(t, seed, 0.01, &association.Options{Rates: &costgen.Rates{Clutter: 0.005}})
	}
}

// TestAlmostNoneUnsaid: ships report now and then, turn often, and nothing is said. What came after
// a turn passed for false alarms: 12 of 915 reports.
func TestAlmostNoneUnsaid(t *testing.T) {
	t.Parallel()
	if res, reports := nowAndThen(t, 1, 0.03, nil); res.LeftOut > reports/200 {
		t.Errorf("%d of %d reports are left out", res.LeftOut, reports)
	}
}

// nowAndThen tracks ships that report in 3 to 40 % of the scans, each at its own rate, and that
// begin or end a turn in such a share of them. It returns how many reports there are.
func nowAndThen(t *testing.T, seed uint64, turn float64, opts *association.Options) (res *association.Result, reports int) {
	t.Helper()
	const targets, frames, interval = 30, 120, 10
	rng := rand.New(rand.NewPCG(seed, 63))
	var x [targets][2]float64
	var often, speed, course, rate [targets]float64
	for i := range x {
		x[i], often[i] = [2]float64{2e4 * rng.Float64(), 2e4 * rng.Float64()}, 0.03+0.37*rng.Float64()
		speed[i], course[i] = []float64{0, 5, 8, 10}[rng.IntN(4)], 2*math.Pi*rng.Float64()
	}
	scans, who := make([]mtt.Scan, frames), make(map[mtt.Hit]int)
	for f := range scans {
		s := mtt.Scan{Frame: f, Time: float64(interval * f), Dim: 2}
		for i := range x {
			if rng.Float64() < turn {
				rate[i] = []float64{0, 0, 0.004, -0.004}[rng.IntN(4)] // rad/s
			}
			course[i] += rate[i] * interval
			x[i][0] += speed[i] * interval * math.Cos(course[i])
			x[i][1] += speed[i] * interval * math.Sin(course[i])
			if rng.Float64() < often[i] {
				who[mtt.Hit{Frame: f, Det: s.Len()}] = i
				s.Pos = append(s.Pos, x[i][0]+8*rng.NormFloat64(), x[i][1]+8*rng.NormFloat64())
			}
		}
		scans[f] = s
	}
	res, err := association.Track(t.Context(), scans, opts)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := wrongLinks(res.Tracks, who); len(res.Tracks) > targets+targets/4 || wrong > len(who)/100 {
		t.Errorf("seed %d: %d targets are %d tracks with %d wrong links of %d", seed, targets, len(res.Tracks), wrong, len(who))
	}
	return res, len(who)
}
