package plots

// This file draws a series: a line through points in ascending x, with markers
// and error bars.

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Bar is an error bar from Low to High, in the unit of the value it belongs
// to: minimum and maximum, or mean minus and plus a standard deviation. There is
// no bar unless Low < High.
type Bar struct{ Low, High float64 }

// A Point is one value of a series with its error bar. It is skipped, and the
// line interrupted, when X or Y is not finite.
type Point struct {
	X, Y float64
	Bar  Bar
}

// A Series is a named list of points in ascending X, one line of a figure.
type Series struct {
	Name   string
	Points []Point
}

// series is a Series as it is drawn.
type series struct {
	points []Point
	line   draw.LineStyle
	glyph  draw.GlyphStyle
	shift  vg.Length // to the right, so that bars of several series stand side by side
}

// newSeries is the nth series of a figure.
func newSeries(n int, points []Point) *series {
	return &series{
		points: points,
		line:   draw.LineStyle{Color: nth(seriesColors, n), Width: lineWidth},
		glyph:  draw.GlyphStyle{Color: nth(seriesColors, n), Radius: glyphSize, Shape: nth(seriesShapes, n)},
	}
}

// nth is s[n], starting over after the end.
func nth[T any](s []T, n int) T { return s[n%len(s)] }

func (p Point) ok() bool { return finite(p.X) && finite(p.Y) }
func (p Point) hasBar() bool {
	return p.Bar.Low < p.Bar.High && finite(p.Bar.Low) && finite(p.Bar.High)
}

// DataRange implements plot.DataRanger. It is empty, from +Inf to -Inf, when no
// point is finite.
func (s *series) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, ymin = math.Inf(1), math.Inf(1)
	xmax, ymax = math.Inf(-1), math.Inf(-1)
	for _, p := range s.points {
		if !p.ok() {
			continue
		}
		xmin, xmax = min(xmin, p.X), max(xmax, p.X)
		ymin, ymax = min(ymin, p.Y), max(ymax, p.Y)
		if p.hasBar() {
			ymin, ymax = min(ymin, p.Bar.Low), max(ymax, p.Bar.High)
		}
	}
	return xmin, xmax, ymin, ymax
}

// maxGlyphs is the number of points above which a line has no markers.
const maxGlyphs = 25

// hasGlyphs reports whether points have markers.
func (s *series) hasGlyphs() bool {
	return s.glyph.Shape != nil && (len(s.points) <= maxGlyphs || s.line.Width == 0)
}

// Plot implements plot.Plotter.
func (s *series) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	at := func(p Point) vg.Point { return vg.Point{X: trX(p.X) + s.shift, Y: trY(p.Y)} }

	var run []vg.Point
	flush := func() {
		if len(run) > 1 {
			c.StrokeLines(s.line, c.ClipLinesXY(thin(run))...)
		}
		run = run[:0]
	}
	for _, pt := range s.points {
		if pt.ok() {
			run = append(run, at(pt))
		} else {
			flush()
		}
	}
	flush()

	thinLine := s.line
	thinLine.Width, thinLine.Dashes = 0.7*s.line.Width, nil
	for _, pt := range s.points {
		if !pt.ok() || !pt.hasBar() {
			continue
		}
		x := trX(pt.X) + s.shift
		low, high := trY(pt.Bar.Low), trY(pt.Bar.High)
		c.StrokeLines(thinLine, c.ClipLinesXY(
			[]vg.Point{{X: x, Y: low}, {X: x, Y: high}},
			[]vg.Point{{X: x - capWidth/2, Y: low}, {X: x + capWidth/2, Y: low}},
			[]vg.Point{{X: x - capWidth/2, Y: high}, {X: x + capWidth/2, Y: high}},
		)...)
	}

	if !s.hasGlyphs() {
		return
	}
	for _, pt := range s.points {
		if pt.ok() {
			s.drawGlyph(&c, at(pt))
		}
	}
}

// drawGlyph draws the marker, an open one over white, so that no line runs
// through it. Points outside the panel have none.
func (s *series) drawGlyph(c *draw.Canvas, at vg.Point) {
	if !c.Contains(at) {
		return
	}
	switch s.glyph.Shape.(type) {
	case draw.RingGlyph, draw.SquareGlyph, draw.TriangleGlyph:
		c.DrawGlyph(draw.GlyphStyle{Color: paper, Radius: s.glyph.Radius, Shape: draw.CircleGlyph{}}, at)
	}
	c.DrawGlyphNoClip(s.glyph, at)
}

// Thumbnail implements plot.Thumbnailer.
func (s *series) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(s.line, c.Min.X, y, c.Max.X, y)
	if s.hasGlyphs() {
		s.drawGlyph(c, c.Center())
	}
}

// thin replaces the points of each half-point column of the page by the first,
// the lowest, the highest and the last of them, so that a long noisy line looks
// the same and stays small (Jugel et al., "M4", VLDB 2014). The x coordinates
// must not descend.
func thin(line []vg.Point) []vg.Point {
	const column = 0.5 // pt
	out := make([]vg.Point, 0, min(len(line), 4096))
	for i := 0; i < len(line); {
		col := math.Floor(float64(line[i].X / column))
		lowest, highest := i, i
		j := i + 1
		for ; j < len(line) && math.Floor(float64(line[j].X/column)) == col; j++ {
			if line[j].Y < line[lowest].Y {
				lowest = j
			}
			if line[j].Y > line[highest].Y {
				highest = j
			}
		}
		last := -1
		for _, k := range []int{i, min(lowest, highest), max(lowest, highest), j - 1} {
			if k > last {
				out = append(out, line[k])
				last = k
			}
		}
		i = j
	}
	return out
}

// rule is a straight line across a panel at one value, horizontal or vertical.
type rule struct {
	at       float64
	vertical bool
	style    draw.LineStyle
}

// newRule is a dashed line in the given colour.
func newRule(at float64, vertical bool, col color.Color) rule {
	return rule{at, vertical, draw.LineStyle{Color: col, Width: 0.8, Dashes: dashed}}
}

// Plot implements plot.Plotter.
func (r rule) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	if r.vertical {
		if x := trX(r.at); c.ContainsX(x) {
			c.StrokeLine2(r.style, x, c.Min.Y, x, c.Max.Y)
		}
		return
	}
	if y := trY(r.at); c.ContainsY(y) {
		c.StrokeLine2(r.style, c.Min.X, y, c.Max.X, y)
	}
}

// Thumbnail implements plot.Thumbnailer.
func (r rule) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(r.style, c.Min.X, y, c.Max.X, y)
}
