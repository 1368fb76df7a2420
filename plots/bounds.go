package plots

// This file draws how the bounds of an engine close in on each other.

import (
	"fmt"
	"math"
)

// A Step is the state of an engine after one pass: the best lower bound and the
// cost of the best assignment so far. A bound that is not known yet is infinite
// or NaN.
type Step struct {
	Pass         int
	Lower, Upper float64
}

// A Trace is the history of one engine.
type Trace struct {
	Name  string
	Steps []Step // in ascending Pass
}

// closed is the relative gap below which bounds have met to within rounding.
const closed = 1e-9

// gap is the relative gap of a step in percent, 100·(upper−lower)/|upper|, 0
// when the bounds have met.
func (s Step) gap() float64 {
	if !finite(s.Lower) || !finite(s.Upper) {
		return missing
	}
	d := s.Upper - s.Lower
	if d <= closed*math.Abs(s.Upper) {
		return 0
	}
	return 100 * d / math.Abs(s.Upper)
}

// BoundTrace draws lower and upper bounds against passes and, below, the gap
// between them on a logarithmic scale, for one or more engines on the same
// problem. The unit of costs depends on the model, so the axis names none.
func BoundTrace(title string, traces ...Trace) *Figure {
	f := &Figure{Title: title, PanelHeight: 175}
	bounds := newPanel("pass", "bounds on cost")
	gaps := make([]Series, len(traces))
	var last []string
	for i, tr := range traces {
		var lower, upper []Point
		gaps[i].Name = tr.Name
		for _, s := range tr.Steps {
			x := float64(s.Pass)
			lower = append(lower, Point{X: x, Y: s.Lower})
			upper = append(upper, Point{X: x, Y: s.Upper})
			gaps[i].Points = append(gaps[i].Points, Point{X: x, Y: s.gap()})
		}
		l, u := newSeries(i, lower), newSeries(i, upper)
		u.line.Dashes = dashed
		f.add(bounds, named(tr.Name, "upper"), u)
		f.add(bounds, named(tr.Name, "lower"), l)
		if n := len(tr.Steps); n > 0 {
			last = append(last, outcome(tr.Name, tr.Steps[n-1]))
		}
	}
	fit(&bounds.X, 0.04)
	fit(&bounds.Y, 0.06)
	below := logPanel("pass", "gap, %", gaps, 0)
	for _, p := range []*panel{bounds, below} {
		p.X.Tick.Marker = linearTicks{Integer: true}
	}
	f.Title = headline(title, last...)
	if below.points > 0 {
		f.Note = "gap = (upper − lower) / |upper|"
	}
	return f.finish(bounds, below)
}

// outcome says how far an engine came.
func outcome(name string, s Step) string {
	passes := fmt.Sprintf("after %d passes", s.Pass)
	if s.Pass == 1 {
		passes = "after 1 pass"
	}
	switch g := s.gap(); {
	case g == 0:
		return named(name, "optimal "+passes)
	case finite(g):
		return named(name, "gap "+withUnit(number(g), "%")+" "+passes)
	case finite(s.Lower) && finite(s.Upper): // upper is 0
		return named(name, "gap "+number(s.Upper-s.Lower)+" "+passes)
	}
	return named(name, "no assignment "+passes)
}
