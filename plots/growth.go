package plots

// This file draws how counts grow with the size of problems, measured beside
// published.

import (
	"slices"

	"gonum.org/v1/plot"
)

// A Growth is the counts of one kind of problems, in ascending order of size.
type Growth struct {
	Name      string
	Measured  []Point
	Published []Point
}

// A GrowthPanel is the kinds that share a panel, such as all counts of one
// method.
type GrowthPanel struct {
	Label string // of the y axis
	Kinds []Growth
}

// GrowthOf draws counts against sizes on logarithmic axes, a panel for each
// method: measured counts as markers on a line, published ones as a dashed line
// of the same colour. Kinds have the same colour in all panels, by their order.
// Points that are not positive are not drawn.
func GrowthOf(title, size string, panels []GrowthPanel) *Figure {
	f := &Figure{Title: title, PanelHeight: 220}
	var list []*panel
	var sizes []float64
	for _, gp := range panels {
		p := newPanel(size, gp.Label)
		var counts []float64
		for i, kind := range gp.Kinds {
			measured, published := newSeries(i, positive(kind.Measured)), newSeries(i, positive(kind.Published))
			// After the last colour the first comes again, with another marker.
			measured.glyph.Shape = nth(seriesShapes, i+i/len(seriesColors))
			published.line.Dashes = dashed
			published.glyph.Shape = nil
			if len(published.points) > 0 {
				f.Note = "markers: measured here; dashed: as published"
			}
			for _, pt := range slices.Concat(measured.points, published.points) {
				sizes, counts = append(sizes, pt.X), append(counts, pt.Y)
			}
			p.add(published)
			if p.add(measured) && !slices.ContainsFunc(f.Legend, func(e Entry) bool { return e.Name == kind.Name }) {
				f.Legend = append(f.Legend, Entry{kind.Name, []plot.Thumbnailer{measured}})
			}
		}
		makeLog(&p.Y, counts)
		list = append(list, p)
	}
	for _, p := range list {
		makeLog(&p.X, sizes)
	}
	if len(list) == 0 {
		list = append(list, newPanel(size, ""))
	}
	return f.finish(list...)
}

// positive is the points that a logarithmic axis can hold.
func positive(points []Point) []Point {
	var list []Point
	for _, pt := range points {
		if pt.ok() && pt.X > smallest && pt.Y > smallest {
			list = append(list, pt)
		}
	}
	return list
}
