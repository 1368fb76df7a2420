package plots

// This file draws what a multi-hypothesis filter does over time.

import (
	"fmt"

	"gonum.org/v1/plot/vg/draw"
)

// A FilterFrame is what a filter held and did in one frame.
type FilterFrame struct {
	Frame      int
	Problems   float64 // assignment problems that were posed
	Rows, Cols float64 // their median size
	Density    float64 // median share of allowed pairs, %
	Global     float64 // global hypotheses
	Local      float64 // local hypotheses
	Tracks     float64 // potential targets
	Clusters   float64 // that do not interact
}

// FilterProblems draws number, size and density of the assignment problems that a
// filter posed, frame by frame in ascending order.
func FilterProblems(title string, frames []FilterFrame) *Figure {
	total := 0.0
	for _, f := range frames {
		total += f.Problems
	}
	return overFrames(headline(title, fmt.Sprintf("%s assignment problems over %s", number(total), count(len(frames), "frame"))), frames,
		framePanel{"problems", []frameLine{{"problems", func(f FilterFrame) float64 { return f.Problems }}}},
		framePanel{"median size", []frameLine{
			{"rows", func(f FilterFrame) float64 { return f.Rows }},
			{"columns", func(f FilterFrame) float64 { return f.Cols }},
		}},
		framePanel{"median density, %", []frameLine{{"density", func(f FilterFrame) float64 { return f.Density }}}},
	)
}

// FilterHypotheses draws how many hypotheses, tracks and clusters a filter kept.
func FilterHypotheses(title string, frames []FilterFrame) *Figure {
	return overFrames(title, frames,
		framePanel{"hypotheses", []frameLine{
			{"global hypotheses", func(f FilterFrame) float64 { return f.Global }},
			{"local hypotheses", func(f FilterFrame) float64 { return f.Local }},
		}},
		framePanel{"tracks", []frameLine{
			{"tracks", func(f FilterFrame) float64 { return f.Tracks }},
			{"clusters", func(f FilterFrame) float64 { return f.Clusters }},
		}},
	)
}

// A framePanel is a panel of lines over frames.
type framePanel struct {
	label string
	lines []frameLine
}

type frameLine struct {
	name  string
	value func(FilterFrame) float64
}

// overFrames draws panels over frames, from zero.
func overFrames(title string, frames []FilterFrame, list ...framePanel) *Figure {
	f := &Figure{Title: title, PanelHeight: 140}
	var panels []*panel
	n := 0
	for _, fp := range list {
		p := newPanel("frame", fp.label)
		for _, l := range fp.lines {
			points := make([]Point, len(frames))
			for i, fr := range frames {
				points[i] = Point{X: float64(fr.Frame), Y: l.value(fr)}
			}
			line := newSeries(n, points)
			line.glyph = draw.GlyphStyle{}
			f.add(p, l.name, line)
			n++
		}
		fit(&p.X, 0)
		fitFromZero(&p.Y)
		p.X.Tick.Marker = linearTicks{Integer: true}
		panels = append(panels, p)
	}
	return f.finish(panels...)
}
