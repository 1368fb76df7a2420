package plots

// This file draws GOSPA over time.

import (
	"fmt"

	"gonum.org/v1/plot/vg/draw"
)

// A GOSPAFrame is GOSPA in one frame and its three parts, all in the unit of
// the distance (Rahmathullah, García-Fernández and Svensson, 2017). With order p
// and α = 2, GOSPAᵖ = Localisationᵖ + Missedᵖ + Falseᵖ.
type GOSPAFrame struct {
	Frame        int
	GOSPA        float64
	Localisation float64 // distance of the assigned pairs
	Missed       float64 // targets without a track
	False        float64 // tracks without a target
}

// GOSPA draws GOSPA and its decomposition against frames, in ascending order.
// Unit is that of the distance, "m".
func GOSPA(title, unit string, frames []GOSPAFrame) *Figure {
	column := func(value func(GOSPAFrame) float64) []Point {
		points := make([]Point, len(frames))
		for i, fr := range frames {
			points[i] = Point{X: float64(fr.Frame), Y: value(fr)}
		}
		return points
	}
	total := newPanel("frame", "GOSPA, "+unit)
	parts := newPanel("frame", "its parts, "+unit)
	f := &Figure{PanelHeight: 165}
	var sum float64
	n := 0
	for _, fr := range frames {
		if finite(fr.GOSPA) {
			sum += fr.GOSPA
			n++
		}
	}
	for i, s := range []struct {
		name  string
		panel *panel
		value func(GOSPAFrame) float64
	}{
		{"GOSPA", total, func(fr GOSPAFrame) float64 { return fr.GOSPA }},
		{"localisation", parts, func(fr GOSPAFrame) float64 { return fr.Localisation }},
		{"missed targets", parts, func(fr GOSPAFrame) float64 { return fr.Missed }},
		{"false tracks", parts, func(fr GOSPAFrame) float64 { return fr.False }},
	} {
		line := newSeries((i+len(seriesColors)-1)%len(seriesColors), column(s.value))
		line.glyph = draw.GlyphStyle{}
		f.add(s.panel, s.name, line)
	}
	for _, p := range []*panel{total, parts} {
		fit(&p.X, 0)
		fitFromZero(&p.Y)
		p.X.Tick.Marker = linearTicks{Integer: true}
	}
	if n > 0 {
		f.Title = headline(title, fmt.Sprintf("mean GOSPA %s over %s", withUnit(number(sum/float64(n)), unit), count(n, "frame")))
	} else {
		f.Title = title
	}
	return f.finish(total, parts)
}
