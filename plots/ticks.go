package plots

// This file chooses axis limits, ticks and tick labels, so that every finite
// input, one point or all zeros included, gives a readable axis.

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// linearTicks puts ticks at multiples of 1, 2 or 5 times a power of ten, three
// to seven of them. Integer keeps them at whole numbers.
type linearTicks struct{ Integer bool }

// Ticks implements plot.Ticker.
func (l linearTicks) Ticks(lo, hi float64) []plot.Tick {
	const intervals = 6
	step := niceStep((hi - lo) / intervals)
	if l.Integer && step < 1 {
		step = 1
	}
	const slack = 1e-9 // of a step: limits that are ticks up to rounding
	first := math.Ceil(lo/step - slack)
	var ticks []plot.Tick
	for i := range intervals + 2 {
		v := (first + float64(i)) * step
		if v > hi+slack*step {
			break
		}
		if v == 0 {
			v = 0 // not -0
		}
		ticks = append(ticks, plot.Tick{Value: v})
	}
	labelTicks(ticks, step)
	return ticks
}

// niceStep is the smallest of 1, 2 and 5 times a power of ten that is at least
// raw, a positive number.
func niceStep(raw float64) float64 {
	pow := math.Floor(math.Log10(raw))
	for _, m := range []float64{1, 2, 5} {
		// Pow10 of a negative number is not exact, its inverse is.
		step := m * math.Pow10(int(pow))
		if pow < 0 {
			step = m / math.Pow10(int(-pow))
		}
		if raw <= step*(1+1e-9) {
			return step
		}
	}
	if pow < -1 {
		return 1 / math.Pow10(int(-pow-1))
	}
	return math.Pow10(int(pow + 1))
}

// labelTicks labels evenly spaced ticks with as many digits as the step needs,
// and one SI suffix for all of them when they are large.
func labelTicks(ticks []plot.Tick, step float64) {
	var top float64
	for _, t := range ticks {
		top = max(top, math.Abs(t.Value))
	}
	unit, suffix := 1.0, ""
	if top >= 1e5 {
		unit, suffix = siUnit(top)
	}
	decimals := 0
	if step < unit {
		decimals = int(math.Ceil(-math.Log10(step/unit) - 1e-9))
	}
	for i, t := range ticks {
		switch {
		case t.Value == 0:
			ticks[i].Label = "0"
		case top < 1e-4 || top >= 1e16:
			digits := decade(math.Abs(t.Value)) - decade(step) + 1
			ticks[i].Label = shortFloat(t.Value, max(1, digits))
		default:
			ticks[i].Label = strconv.FormatFloat(t.Value/unit, 'f', decimals, 64) + suffix
		}
		ticks[i].Label = strings.ReplaceAll(ticks[i].Label, "-", "−")
	}
}

// decade is the exponent of the power of ten at or below v, a positive number,
// which may be that power but for rounding.
func decade(v float64) int { return int(math.Floor(math.Log10(v) + 1e-9)) }

// shortFloat is v in scientific notation without superfluous zeros.
func shortFloat(v float64, digits int) string {
	s := strconv.FormatFloat(v, 'g', digits, 64)
	return strings.NewReplacer("e-0", "e-", "e+0", "e", "e+", "e").Replace(s)
}

// siUnit is the largest of 1, 10³, … 10¹² that is at most v, and its suffix.
func siUnit(v float64) (unit float64, suffix string) {
	for _, u := range []struct {
		unit   float64
		suffix string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= u.unit {
			return u.unit, u.suffix
		}
	}
	return 1, ""
}

// logTicks labels the powers of ten inside the axis, at most eight of them, and
// 2 and 5 times them on an axis shorter than two decades. When Zero is positive,
// the value Zero stands for 0: it has a tick of that name, and there is no other
// tick below ten times Zero.
type logTicks struct{ Zero float64 }

// Ticks implements plot.Ticker.
func (l logTicks) Ticks(lo, hi float64) []plot.Tick {
	const slack = 1e-9
	var ticks []plot.Tick
	if l.Zero > 0 {
		ticks = append(ticks, plot.Tick{Value: l.Zero, Label: "0"})
		lo = max(lo, 10*l.Zero*(1-slack))
	}
	decades := math.Log10(hi / lo)
	every := max(1, int(math.Ceil(decades/8)))
	for k := int(math.Floor(math.Log10(lo) - slack)); float64(k) <= math.Log10(hi)+slack; k++ {
		for m := 1; m <= 9; m++ {
			v := float64(m) * math.Pow10(k)
			if v < lo*(1-slack) || v > hi*(1+slack) {
				continue
			}
			switch {
			case m == 1 && k%every == 0, decades < 2 && (m == 2 || m == 5):
				ticks = append(ticks, plot.Tick{Value: v, Label: siLabel(v)})
			case every == 1:
				ticks = append(ticks, plot.Tick{Value: v})
			}
		}
	}
	return ticks
}

// siLabel is v, a digit times a power of ten, in few letters.
func siLabel(v float64) string {
	if v < 0.9e-3 || v >= 1e15 {
		return strings.Replace(shortFloat(v, 1), "-", "−", 1)
	}
	unit, suffix := siUnit(v * (1 + 1e-9))
	return strconv.FormatFloat(math.Round(v/unit*1e3)/1e3, 'f', -1, 64) + suffix
}

// unlabelled has the ticks of another ticker, without labels: for panels that
// share the x axis of the panel below.
type unlabelled struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (u unlabelled) Ticks(lo, hi float64) []plot.Tick {
	ticks := u.Ticker.Ticks(lo, hi)
	for i := range ticks {
		ticks[i].Label = ""
	}
	return ticks
}

// majorTicks are the ticks that deserve a grid line.
func majorTicks(a *plot.Axis) []plot.Tick {
	ticker := a.Tick.Marker
	if u, ok := ticker.(unlabelled); ok {
		ticker = u.Ticker
	}
	var major []plot.Tick
	for _, t := range ticker.Ticks(a.Min, a.Max) {
		if !t.IsMinor() {
			major = append(major, t)
		}
	}
	return major
}

// fit widens the range of the data, which plot.Plot.Add has left in a, by the
// share pad at both ends, and makes room around a single value.
func fit(a *plot.Axis, pad float64) {
	if a.Min > a.Max { // no data
		a.Min, a.Max = 0, 1
		return
	}
	span := a.Max - a.Min
	if size := max(math.Abs(a.Min), math.Abs(a.Max)); span <= max(1e-7*size, smallest) {
		half := 0.1 * size
		if size <= smallest {
			half = 0.5
		}
		a.Min, a.Max = a.Min-half, a.Max+half
		return
	}
	a.Min -= pad * span
	a.Max += pad * span
}

// fitFromZero is fit for amounts: the axis starts at zero and has some room
// above the largest value.
func fitFromZero(a *plot.Axis) {
	lo, hi := a.Min, a.Max
	if !(lo <= 0) || math.IsInf(lo, 0) {
		lo = 0
	}
	if !(hi > smallest) {
		hi = 1
	}
	a.Min, a.Max = lo, hi+0.06*(hi-lo)
}

// makeLog gives a a logarithmic scale that holds all finite values, and returns
// the value to draw in place of those that are not positive: a decade below the
// smallest positive one. Without a positive value the scale stays linear.
func makeLog(a *plot.Axis, values []float64) (zero float64) {
	lo, hi := math.Inf(1), 0.0
	zeros := false
	for _, v := range values {
		switch {
		case !finite(v):
		case v <= smallest:
			zeros = true
		default:
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if hi == 0 { // no positive value
		a.Min, a.Max = 0, 1
		return 0
	}
	a.Scale = plot.LogScale{}
	if zeros {
		// A decade from the value that means 0 to the first power of ten.
		zero = math.Pow10(decade(lo) - 1)
		a.Min, a.Max = zero, max(hi*1.5, 20*zero)
		a.Tick.Marker = logTicks{Zero: zero}
		return zero
	}
	a.Min, a.Max = lo/1.5, hi*1.5
	if hi < 2*lo {
		a.Min, a.Max = lo/3, hi*3
	}
	a.Tick.Marker = logTicks{}
	return a.Min
}

// Values beyond largest count as infinite and positive ones below smallest as
// zero: axes can add, square and divide what is between without overflow.
const (
	largest  = 1e150
	smallest = 1e-150
)

// finite reports whether v is neither NaN nor infinite.
func finite(v float64) bool { return math.Abs(v) <= largest }
