package plots

// This file draws what a gate costs and what it buys.

import (
	"cmp"
	"fmt"
	"slices"
)

// A GateRow is the outcome of one method at one gate. Fields that are unknown
// are NaN (Triplets: negative), and are not drawn.
type GateRow struct {
	Method   string
	Gate     float64 // in the unit of the axis label
	MMEP     float64 // %
	ITCP     float64 // %
	MMEPBar  Bar     // over repeated scenes
	ITCPBar  Bar
	Triplets int64   // triplets inside the gate
	Seconds  float64 // time to solution; 0: not measured
}

// GatingSensitivity draws score against gate, after figure 5 of Kawtikwar and
// Nagi, and below it the number of triplets, and the time when any row has one.
// There is one line for each method and score, methods in order of appearance,
// gates in any order. Gate names the axis and its unit: "gate radius, m".
func GatingSensitivity(title, gate string, rows []GateRow) *Figure {
	var methods []string
	for _, r := range rows {
		if !slices.Contains(methods, r.Method) {
			methods = append(methods, r.Method)
		}
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b GateRow) int { return cmp.Compare(a.Gate, b.Gate) })
	column := func(method string, value func(GateRow) (float64, Bar)) []Point {
		var points []Point
		for _, r := range rows {
			if r.Method == method {
				y, bar := value(r)
				points = append(points, Point{X: r.Gate, Y: y, Bar: bar})
			}
		}
		return points
	}

	f := &Figure{Title: title, PanelHeight: 150}
	score := newPanel(gate, "MMEP and ITCP, %")
	triplets := make([]Series, len(methods))
	seconds := make([]Series, len(methods))
	for i, m := range methods {
		mmep := newSeries(i, column(m, func(r GateRow) (float64, Bar) { return r.MMEP, r.MMEPBar }))
		itcp := newSeries(i, column(m, func(r GateRow) (float64, Bar) { return r.ITCP, r.ITCPBar }))
		itcp.line.Dashes = dashed
		f.add(score, named(m, "ITCP"), itcp)
		f.add(score, named(m, "MMEP"), mmep)
		triplets[i] = Series{m, column(m, func(r GateRow) (float64, Bar) {
			if r.Triplets < 0 {
				return missing, Bar{}
			}
			return float64(r.Triplets), Bar{}
		})}
		seconds[i] = Series{m, column(m, func(r GateRow) (float64, Bar) {
			if !(r.Seconds > 0) {
				return missing, Bar{}
			}
			return r.Seconds, Bar{}
		})}
	}
	fit(&score.X, 0.04)
	fitFromZero(&score.Y)

	f.Title = headline(title, bestGate(gate, rows))
	first := 0
	if len(methods) > 1 && allEqual(triplets) {
		// The gate alone decides: one line in ink for all methods.
		triplets, first = triplets[:1], len(seriesColors)-1
	}
	return f.finish(score, logPanel(gate, "triplets", triplets, first), logPanel(gate, "time, s", seconds, 0))
}

// allEqual reports whether all series have the points of the first.
func allEqual(all []Series) bool {
	for _, s := range all {
		if !slices.EqualFunc(s.Points, all[0].Points, func(a, b Point) bool { return a.X == b.X && a.Y == b.Y }) {
			return false
		}
	}
	return true
}

// named is what of a method, or just what when methods have no names.
func named(method, what string) string {
	if method == "" {
		return what
	}
	return method + " " + what
}

// bestGate says which row has the lowest MMEP, the smallest gate among equals, or that all
// are equal.
func bestGate(gate string, rows []GateRow) string {
	best := -1
	for i, r := range rows {
		if finite(r.MMEP) && finite(r.Gate) && (best < 0 || r.MMEP < rows[best].MMEP) {
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	r := rows[best]
	if len(rows) > 1 && !slices.ContainsFunc(rows, func(o GateRow) bool { return o.MMEP != r.MMEP }) {
		return fmt.Sprintf("MMEP %s at every gate", withUnit(number(r.MMEP), "%"))
	}
	s := fmt.Sprintf("lowest MMEP %s at %s", withUnit(number(r.MMEP), "%"), quantity(gate, r.Gate))
	if r.Method != "" {
		s += " (" + r.Method + ")"
	}
	return s
}

// logPanel draws series on a logarithmic axis that also shows zero, in the
// styles from the first on.
func logPanel(xlabel, ylabel string, all []Series, first int) *panel {
	p := newPanel(xlabel, ylabel)
	var values []float64
	for _, s := range all {
		for _, pt := range s.Points {
			values = append(values, pt.Y)
		}
	}
	zero := makeLog(&p.Y, values)
	for i, s := range all {
		points := slices.Clone(s.Points)
		for j, pt := range points {
			if pt.Y <= smallest {
				points[j].Y = zero
			}
		}
		p.add(newSeries(first+i, points))
	}
	fit(&p.X, 0.04)
	return p
}
