package plots

// This file draws speedups over many problems.

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A SpeedupRow is one measured ratio, time before over time after, so that more
// is better. Rows whose ratio is not finite and positive are not drawn.
type SpeedupRow struct {
	Problem string // "100×50"
	Method  string // may be empty when there is only one
	Ratio   float64
}

func (r SpeedupRow) ok() bool { return finite(r.Ratio) && r.Ratio > smallest }

// Speedups draws one dot for each ratio on a logarithmic axis, problems from top
// to bottom in order of appearance, with a grey line at 1 and a dashed line at
// each method's geometric mean, as figures 6 to 8 of Kawtikwar and Nagi report it.
func Speedups(title string, rows []SpeedupRow) *Figure {
	var problems, methods []string
	var ratios []float64
	for _, r := range rows {
		if !r.ok() {
			continue
		}
		ratios = append(ratios, r.Ratio)
		if !slices.Contains(problems, r.Problem) {
			problems = append(problems, r.Problem)
		}
		if !slices.Contains(methods, r.Method) {
			methods = append(methods, r.Method)
		}
	}
	p := newPanel("speedup, ×", "")
	makeLog(&p.X, append(ratios, 1))
	p.Add(rule{1, true, draw.LineStyle{Color: softInk, Width: 0.8}})

	f := &Figure{}
	var means []string
	for i, m := range methods {
		dots := newSeries(i, nil)
		dots.line.Width = 0
		var logs float64
		for _, r := range rows {
			if r.Method == m && r.ok() {
				y := len(problems) - 1 - slices.Index(problems, r.Problem)
				dots.points = append(dots.points, Point{X: r.Ratio, Y: float64(y)})
				logs += math.Log(r.Ratio)
			}
		}
		mean := math.Exp(logs / float64(len(dots.points)))
		p.Add(newRule(mean, true, nth(seriesColors, i)))
		if m == "" {
			p.add(dots)
		} else {
			f.add(p, m, dots)
		}
		means = append(means, named(m, number(mean)+"×"))
	}
	if len(means) > 0 {
		f.Legend = append(f.Legend, Entry{"geometric mean", []plot.Thumbnailer{newRule(0, true, softInk)}})
		f.Title = headline(title, "geometric mean "+strings.Join(means, ", "))
	} else {
		f.Title = title
	}

	// One row of 12 pt for each problem; a page full of them shares its names.
	const row, most = 12, 45
	every := (len(problems) + most - 1) / most
	var ticks plot.ConstantTicks
	for i, name := range problems {
		if i%every == 0 {
			ticks = append(ticks, plot.Tick{Value: float64(len(problems) - 1 - i), Label: name})
		}
	}
	p.Y.Min, p.Y.Max = -0.7, float64(len(problems))-0.3
	p.Y.Tick.Marker = ticks
	f.PanelHeight = 50 + row*vg.Length(max(4, min(len(problems), most)))
	return f.finish(p)
}
