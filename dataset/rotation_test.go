package dataset

// This file tests that turns of a rotating sensor become scans, and that nothing else does.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A turret is a rotating sensor and what is around it.
type turret struct {
	targets, turns int
	sign, period   float64
	wander         float64 // share by which the pace of the turns changes
	late           float64 // s by which times are wrong
	decimals       int     // of times
	place          [2]float64
	pause          float64 // s after half of the turns
	polar          bool
	seed           uint64
}

// rows are a file of the turret, and the target of each row.
func (c *turret) rows() (file string, of []int) {
	rng := rand.New(rand.NewPCG(c.seed, 1))
	type row struct {
		time, dist, angle float64
		target            int
	}
	type mover struct{ x, y, vx, vy float64 }
	targets := make([]mover, c.targets)
	for i := range targets {
		r, a := 1e3+9e3*rng.Float64(), 2*math.Pi*rng.Float64()
		targets[i] = mover{r * math.Cos(a), r * math.Sin(a), 15 * rng.NormFloat64(), 15 * rng.NormFloat64()}
	}
	var rows []row
	for k := range c.turns {
		for i, m := range targets {
			if rng.Float64() < 0.1 {
				continue
			}
			t, a, r := (float64(k)+0.5)*c.period, 0.0, 0.0
			for range 10 {
				x, y := m.x+m.vx*t, m.y+m.vy*t
				a, r = math.Atan2(y, x), math.Hypot(x, y)
				round := c.sign * a / (2 * math.Pi)
				round -= math.Floor(round)
				t = (float64(k) + round) * c.period
			}
			t += c.wander * c.period * 3 * math.Sin(float64(k)/10)
			if 2*k > c.turns {
				t += c.pause
			}
			rows = append(rows, row{t + c.late*rng.NormFloat64(), r + 10*rng.NormFloat64(), a + 0.005*rng.NormFloat64(), i})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return int(math.Copysign(1, a.time-b.time)) })
	var b strings.Builder
	b.WriteString(map[bool]string{true: "time,range,bearing\n", false: "time,x,y\n"}[c.polar])
	for _, r := range rows {
		if c.polar {
			fmt.Fprintf(&b, "%.*f,%.1f,%.5f\n", c.decimals, r.time, r.dist, r.angle)
		} else {
			fmt.Fprintf(&b, "%.*f,%.1f,%.1f\n", c.decimals, r.time, c.place[0]+r.dist*math.Cos(r.angle), c.place[1]+r.dist*math.Sin(r.angle))
		}
		of = append(of, r.target)
	}
	return b.String(), of
}

func TestTurningSensor(t *testing.T) {
	for _, c := range []turret{
		{targets: 15, turns: 40, sign: 1, period: 2.5, decimals: 3},
		{targets: 15, turns: 40, sign: -1, period: 2.5, decimals: 3, polar: true},
		{targets: 15, turns: 40, sign: 1, period: 2.5, decimals: 2},
		{targets: 8, turns: 40, sign: 1, period: 2.5, decimals: 1}, // a grid of times
		{targets: 6, turns: 60, sign: -1, period: 60},              // whole seconds
		{targets: 3, turns: 60, sign: 1, period: 4, decimals: 4},
		{targets: 15, turns: 4, sign: 1, period: 4, decimals: 4},
		{targets: 1000, turns: 10, sign: -1, period: 4, decimals: 6, polar: true},
		{targets: 20, turns: 500, sign: 1, period: 2.5, decimals: 3, wander: 0.05},
		{targets: 20, turns: 40, sign: 1, period: 2.5, decimals: 3, late: 0.03},
		{targets: 20, turns: 40, sign: 1, period: 2.5, decimals: 3, pause: 20.3},
		{targets: 20, turns: 40, sign: 1, period: 2.5, decimals: 3, place: [2]float64{20000, -3000}},
	} {
		for seed := range uint64(5) {
			c.seed = seed
			file, of := c.rows()
			o := &Options{}
			if c.place[0] != 0 {
				o.Sensor = c.place[:]
			}
			d := read(t, "radar.csv", file, o)
			scans, twice := 0, 0
			var gaps []float64
			for k := range d.Scans {
				seen := make(map[int]bool)
				for _, r := range d.Rows[k] {
					if seen[of[r-1]] {
						twice++
					}
					seen[of[r-1]] = true
				}
				if len(seen) > 0 {
					scans++
				}
				if k > 0 {
					gaps = append(gaps, d.Scans[k].Time-d.Scans[k-1].Time)
				}
			}
			slices.Sort(gaps)
			if middle := gaps[len(gaps)/2]; scans < c.turns-2 || scans > c.turns+2 || 50*twice > len(of) || math.Abs(middle-c.period) > 0.02*c.period {
				t.Errorf("%+v: %d scans, usually %.3f s apart, %d of %d rows are second ones: %q", c, scans, middle, twice, len(of), d.Notes)
			}
			noted(t, d, "rotating sensor", map[float64]string{1: "counterclockwise", -1: " clockwise"}[c.sign])
		}
	}
}

// TestNoTurningSensor: what goes around the middle of the axes, or anywhere, one row at a time, is
// no sensor that turns.
func TestNoTurningSensor(t *testing.T) {
	for name, path := range map[string]func(t float64, rng *rand.Rand) (x, y float64){
		"a circle": func(t float64, _ *rand.Rand) (x, y float64) { return 100 * math.Cos(t), 100 * math.Sin(t) },
		"an ellipse, with noise": func(t float64, rng *rand.Rand) (x, y float64) {
			return 130*math.Cos(t) + rng.NormFloat64(), 100*math.Sin(t) + rng.NormFloat64()
		},
		"a line":    func(t float64, rng *rand.Rand) (x, y float64) { return t, 100 + rng.NormFloat64() },
		"anywhere":  func(_ float64, rng *rand.Rand) (x, y float64) { return rng.NormFloat64(), rng.NormFloat64() },
		"one place": func(_ float64, rng *rand.Rand) (x, y float64) { return 100 + rng.NormFloat64(), rng.NormFloat64() },
	} {
		for seed := range uint64(20) {
			for _, n := range []int{5, 25, 200, 3000} {
				rng := rand.New(rand.NewPCG(seed, 2))
				var b strings.Builder
				b.WriteString("time,x,y\n")
				at := 0.0
				for range n {
					at += 0.4 * rng.ExpFloat64()
					x, y := path(at, rng)
					fmt.Fprintf(&b, "%.4f,%v,%v\n", at, x, y)
				}
				if d := read(t, "path.csv", b.String(), nil); strings.Contains(strings.Join(d.Notes, "\n"), "rotating") {
					t.Errorf("%s of %d rows, seed %d: %q", name, n, seed, d.Notes)
				}
			}
		}
	}
}
