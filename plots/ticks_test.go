package plots

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

func labels(ticks []plot.Tick) string {
	var s []string
	for _, t := range ticks {
		if !t.IsMinor() {
			s = append(s, t.Label)
		}
	}
	return strings.Join(s, " ")
}

func TestLinearTicks(t *testing.T) {
	for _, tt := range []struct {
		lo, hi  float64
		integer bool
		want    string
	}{
		{0, 1, false, "0 0.2 0.4 0.6 0.8 1.0"},
		{0, 100, false, "0 20 40 60 80 100"},
		{-100, 100, false, "−100 −50 0 50 100"},
		{0.9, 3.1, true, "1 2 3"},
		{0.9, 1.1, true, "1"},
		{0, 3e6, false, "0 0.5M 1.0M 1.5M 2.0M 2.5M 3.0M"},
		{6.00001e6, 6.00005e6, false, "6.00001M 6.00002M 6.00003M 6.00004M 6.00005M"},
		{0, 3e-6, false, "0 5e−7 1e−6 1.5e−6 2e−6 2.5e−6 3e−6"},
		{1, 1.0003, false, "1.00000 1.00005 1.00010 1.00015 1.00020 1.00025 1.00030"},
	} {
		if got := labels(linearTicks{Integer: tt.integer}.Ticks(tt.lo, tt.hi)); got != tt.want {
			t.Errorf("linearTicks(%v, %v) = %s, want %s", tt.lo, tt.hi, got, tt.want)
		}
	}
}

func TestLogTicks(t *testing.T) {
	for _, tt := range []struct {
		lo, hi, zero float64
		want         string
	}{
		{1, 1000, 0, "1 10 100 1k"},
		{900, 2e7, 0, "1k 10k 100k 1M 10M"},
		{0.5, 20, 0, "0.5 1 2 5 10 20"},
		{3e-5, 0.1, 0, "0.0001 0.001 0.01 0.1"},
		{1e-12, 1e12, 0, "1e−12 1e−9 1e−6 0.001 1 1k 1M 1G 1T"},
		{0.001, 10, 0.001, "0 0.01 0.1 1 10"},
	} {
		if got := labels(logTicks{Zero: tt.zero}.Ticks(tt.lo, tt.hi)); got != tt.want {
			t.Errorf("logTicks(%v, %v, zero %v) = %s, want %s", tt.lo, tt.hi, tt.zero, got, tt.want)
		}
	}
}

// Ticks lie inside the axis, ascend, and have labels of their own.
func TestTicksProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a plot.Axis
		a.Min = rapid.Float64Range(-1e9, 1e9).Draw(t, "min")
		a.Max = a.Min + math.Pow(10, rapid.Float64Range(-12, 9).Draw(t, "span"))
		fit(&a, 0.05)
		ticks := linearTicks{}.Ticks(a.Min, a.Max)
		if n := len(ticks); n < 2 || n > 8 {
			t.Fatalf("%d ticks in [%v, %v]", n, a.Min, a.Max)
		}
		seen := map[string]bool{}
		for i, tick := range ticks {
			if slack := 1e-8 * (a.Max - a.Min); tick.Value < a.Min-slack || tick.Value > a.Max+slack {
				t.Errorf("tick %v outside [%v, %v]", tick.Value, a.Min, a.Max)
			}
			if i > 0 && tick.Value <= ticks[i-1].Value {
				t.Errorf("ticks %v do not ascend", ticks)
			}
			if seen[tick.Label] {
				t.Errorf("two ticks are labelled %s: %v", tick.Label, ticks)
			}
			seen[tick.Label] = true
		}
	})
}

func TestFit(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		name             string
		lo, hi           float64
		wantLo, wantHi   float64
		amountLo, amount float64 // fitFromZero
	}{
		{"no data", inf, -inf, 0, 1, 0, 1.06},
		{"range", 10, 20, 9, 21, 0, 21.2},
		{"one zero", 0, 0, -0.5, 0.5, 0, 1.06},
		{"one value", 5, 5, 4.5, 5.5, 0, 5.3},
		{"negative", -5, -5, -5.5, -4.5, -5, 1.36},
	} {
		a, b := plot.Axis{Min: tt.lo, Max: tt.hi}, plot.Axis{Min: tt.lo, Max: tt.hi}
		fit(&a, 0.1)
		fitFromZero(&b)
		if math.Abs(a.Min-tt.wantLo)+math.Abs(a.Max-tt.wantHi) > 1e-12 {
			t.Errorf("%s: fit gives [%v, %v], want [%v, %v]", tt.name, a.Min, a.Max, tt.wantLo, tt.wantHi)
		}
		if math.Abs(b.Min-tt.amountLo)+math.Abs(b.Max-tt.amount) > 1e-12 {
			t.Errorf("%s: fitFromZero gives [%v, %v], want [%v, %v]", tt.name, b.Min, b.Max, tt.amountLo, tt.amount)
		}
	}
}

// A thinned line has the extremes and the ends of the line, few points in each
// column, and no point that was not there.
func TestThin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		width := rapid.Float64Range(1, 100).Draw(t, "width")
		line := make([]vg.Point, n)
		y := rapid.Float64Range(0, 100)
		for i := range line {
			line[i] = vg.Point{X: vg.Length(width * float64(i) / float64(n)), Y: vg.Length(y.Draw(t, "y"))}
		}
		got := thin(line)
		if most := 4 * (int(2*width) + 1); len(got) > most {
			t.Errorf("%d points left of %d on %v pt, want at most %d", len(got), n, width, most)
		}
		at := map[vg.Point]bool{}
		for _, p := range line {
			at[p] = true
		}
		lo, hi := got[0].Y, got[0].Y
		for i, p := range got {
			if !at[p] {
				t.Fatalf("point %v was not in the line", p)
			}
			if i > 0 && p.X < got[i-1].X {
				t.Errorf("x descends at %d", i)
			}
			lo, hi = min(lo, p.Y), max(hi, p.Y)
		}
		for _, p := range line {
			if p.Y < lo || p.Y > hi {
				t.Errorf("extreme %v was lost", p)
			}
		}
		if got[0] != line[0] || got[len(got)-1] != line[n-1] {
			t.Errorf("ends were lost")
		}
	})
}
