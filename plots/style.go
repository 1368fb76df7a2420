package plots

// This file is the house style: every colour, font size and line width of the
// package, and the empty panel that all figures start from.

import (
	"image/color"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The palette of Okabe and Ito (Color Universal Design, 2008), which people
// with any of the common colour deficiencies can tell apart.
var (
	orange     = color.NRGBA{0xE6, 0x9F, 0x00, 0xFF}
	skyBlue    = color.NRGBA{0x56, 0xB4, 0xE9, 0xFF}
	green      = color.NRGBA{0x00, 0x9E, 0x73, 0xFF}
	blue       = color.NRGBA{0x00, 0x72, 0xB2, 0xFF}
	vermillion = color.NRGBA{0xD5, 0x5E, 0x00, 0xFF}
	purple     = color.NRGBA{0xCC, 0x79, 0xA7, 0xFF}
)

// Greys and the two colours that mean something.
var (
	ink       = color.NRGBA{0x22, 0x22, 0x22, 0xFF} // titles, labels
	softInk   = color.NRGBA{0x5A, 0x5A, 0x5A, 0xFF} // notes, axes
	gridInk   = color.NRGBA{0xE4, 0xE4, 0xE4, 0xFF}
	truthInk  = color.NRGBA{0xC8, 0xC8, 0xC8, 0xFF}
	dotInk    = color.NRGBA{0x8E, 0x8E, 0x8E, 0xFF}
	wrongInk  = color.NRGBA{0xD0, 0x1C, 0x1C, 0xFF} // links that are wrong, in no other use
	paper     = color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}
	fontStack = "Liberation Sans, Arial, Helvetica, sans-serif" // all of equal metrics
)

// seriesColors and seriesShapes go together, so that series stay apart in black
// and white too.
var (
	seriesColors = []color.Color{blue, vermillion, green, purple, orange, skyBlue, ink}
	seriesShapes = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{},
		draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CircleGlyph{},
	}
	trackColors = []color.Color{blue, green, purple, skyBlue, orange}
	dashed      = []vg.Length{4, 2.5}
)

const (
	figureWidth = vg.Length(480) // 6.7 in: the text width of a page
	panelHeight = vg.Length(190)
	margin      = vg.Length(8)

	titleSize  = vg.Length(11)
	noteSize   = vg.Length(9)
	labelSize  = vg.Length(9.5)
	tickSize   = vg.Length(8.5)
	lineWidth  = vg.Length(1.3)
	thinWidth  = vg.Length(0.5)
	glyphSize  = vg.Length(2.4) // radius
	capWidth   = vg.Length(4)
	thumbWidth = vg.Length(20)
)

// textStyle is sans serif text of the given size, its baseline starting at the
// point it is drawn at.
func textStyle(size vg.Length, c color.Color, weight stdfont.Weight) text.Style {
	return text.Style{
		Color:   c,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
		Handler: plot.DefaultTextHandler,
	}
}

// A panel is a plot that counts the points it has.
type panel struct {
	*plot.Plot
	points int
}

// add draws s on top of what is there, and reports whether s has any point.
func (p *panel) add(s *series) bool {
	n := 0
	for _, pt := range s.points {
		if pt.ok() {
			n++
		}
	}
	p.Add(s)
	p.points += n
	return n > 0
}

// newPanel is a panel with nothing on it but a grid.
func newPanel(xlabel, ylabel string) *panel {
	p := &panel{Plot: plot.New()}
	p.BackgroundColor = nil
	p.X.Label.Text, p.Y.Label.Text = xlabel, ylabel
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Padding = 0
		a.LineStyle = draw.LineStyle{Color: softInk, Width: thinWidth}
		a.Tick.LineStyle = a.LineStyle
		a.Tick.Length = 3
		a.Tick.Marker = linearTicks{}
		a.Label.Padding = 3

		label := textStyle(labelSize, ink, stdfont.WeightNormal)
		label.XAlign, label.YAlign = a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign
		a.Label.TextStyle = label
		tick := textStyle(tickSize, ink, stdfont.WeightNormal)
		tick.XAlign, tick.YAlign = a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = tick
	}
	p.Add(grid{})
	return p
}

// grid draws thin lines at the labelled ticks of both axes.
type grid struct{}

// Plot implements plot.Plotter.
func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	style := draw.LineStyle{Color: gridInk, Width: thinWidth}
	trX, trY := p.Transforms(&c)
	for _, t := range majorTicks(&p.X) {
		if x := trX(t.Value); c.ContainsX(x) {
			c.StrokeLine2(style, x, c.Min.Y, x, c.Max.Y)
		}
	}
	for _, t := range majorTicks(&p.Y) {
		if y := trY(t.Value); c.ContainsY(y) {
			c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
		}
	}
}

// noData says so in the middle of a panel.
type noData struct{}

// Plot implements plot.Plotter.
func (noData) Plot(c draw.Canvas, p *plot.Plot) {
	sty := textStyle(labelSize, softInk, stdfont.WeightNormal)
	sty.XAlign = draw.XCenter
	c.FillText(sty, c.Center(), "no data")
}
