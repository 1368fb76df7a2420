package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/motion"
)

// This file tests what shows of targets that are seen seldom.

// TestUnevenRuns: of runs of misses of targets that are seen at rates that differ it is found by
// how much, and of those of targets that are all alike that they do not.
func TestUnevenRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	for _, e := range []float64{0, 0.25, 1} {
		var runs []int
		missed := 0
		for range 3000 {
			h := 0.05
			switch e {
			case 0.25: // the mean of four exponential ones
				h *= (rng.ExpFloat64() + rng.ExpFloat64() + rng.ExpFloat64() + rng.ExpFloat64()) / 4
			case 1:
				h *= rng.ExpFloat64()
			}
			n := 1 + int(rng.ExpFloat64()/h)
			runs, missed = append(runs, n), missed+n
		}
		hidden := 1 - float64(len(runs))/float64(missed)
		again, spread := uneven(runs, hidden)
		if math.Abs(spread-e) > e/2 || e == 0 && again != hidden || e > 0 && math.Abs(1-again-0.05) > 0.01 {
			t.Errorf("uneven %v: found %v, missed again with probability %v", e, spread, again)
		}
	}
}

// TestRecurrence: of targets that report one by one it shows after how many scans, and how far
// away, they do so again; of false alarms that they do not.
func TestRecurrence(t *testing.T) {
	const targets, side, noise = 40, 1e4, 10.0
	rng := rand.New(rand.NewPCG(42, 1))
	var at, v [targets][2]float64
	for i := range at {
		at[i], v[i] = [2]float64{side * rng.Float64(), side * rng.Float64()}, [2]float64{5 * rng.NormFloat64(), 5 * rng.NormFloat64()}
	}
	for _, kind := range []string{"targets", "velocities", "alarms", "one"} {
		var scans []mtt.Scan
		for f := range 4000 {
			i, now := rng.IntN(targets), 0.25*float64(f)
			if kind == "one" {
				i = 0
			}
			s := mtt.Scan{Frame: f, Time: now, Dim: 2}
			for k := range 2 {
				x := at[i][k] + v[i][k]*now + noise*rng.NormFloat64()
				if kind == "alarms" {
					x = side * rng.Float64()
				}
				if s.Pos = append(s.Pos, x); kind == "velocities" {
					s.Vel = append(s.Vel, v[i][k])
				}
			}
			scans = append(scans, s)
		}
		o := recurrenceOf(scans)
		switch kind {
		case "alarms":
			if o.scans != 0 {
				t.Errorf("false alarms come again: %+v", o)
			}
		case "one":
			if o.scans != 1 {
				t.Errorf("one target: %+v", o)
			}
		default: // half of 40 come again within 28 scans, 7 s
			if o.scans != 31 || o.near < noise/2 || o.near > 100 || o.far > side/4 || o.seconds < 1 || o.seconds > 8 {
				t.Errorf("%s: %+v", kind, o)
			}
		}
		if got, want := inTurn(scans), kind == "targets" || kind == "velocities"; got != want {
			t.Errorf("%s: in turn is %v", kind, got)
		}
	}
}

// TestAlone: a target that is alone in each scan, and goes back to the other side now and then, is
// seen in the next scan: scans are not put together for it, which asks for pilots.
func TestAlone(t *testing.T) {
	t.Parallel()
	var scans []mtt.Scan
	for f := range 2000 {
		scans = append(scans, mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: []float64{float64(f % 97), float64(f % 91)}})
	}
	l := newLearner(scans, &Options{}, nil, false)
	if taken, err := l.seldom(t.Context(), *l, motion.Velocity{}); taken || err != nil {
		t.Errorf("taken %v, %v", taken, err)
	}
}
