package plots

// This file draws the layers of a map: polylines and dots.

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"mtt"
)

// A path is a polyline, a view into the positions of a track.
type path struct {
	pos []float64
	dim int
}

func pathOf(t *mtt.Track) path { return path{t.Pos, t.Dim} }

func (p path) cut(l seg) path {
	return path{p.pos[int(l.from)*p.dim : (int(l.to)+1)*p.dim], p.dim}
}

func (p path) extend(e *extent) {
	for h := 0; h+1 < len(p.pos); h += p.dim {
		e.add(p.pos[h], p.pos[h+1])
	}
}

// A layer is one kind of thing on the map.
type layer struct {
	name string
	drawing
}

type drawing interface {
	plot.Plotter
	plot.DataRanger
	plot.Thumbnailer
}

// outline is a thin rectangle.
type outline struct{ extent }

// Plot implements plot.Plotter.
func (o outline) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	x0, x1, y0, y1 := trX(o.xmin), trX(o.xmax), trY(o.ymin), trY(o.ymax)
	c.StrokeLines(draw.LineStyle{Color: ink, Width: 0.7}, c.ClipLinesXY(
		[]vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}, {X: x0, Y: y0}})...)
}

// paths are polylines that take turns in colours.
type paths struct {
	lines   []path
	stride  int // only one in stride points is drawn, and the last; 0 means all
	width   vg.Length
	dashes  []vg.Length
	colours []color.Color
}

func (p *paths) style(i int) draw.LineStyle {
	return draw.LineStyle{Color: nth(p.colours, i), Width: p.width, Dashes: p.dashes}
}

// DataRange implements plot.DataRanger.
func (p *paths) DataRange() (xmin, xmax, ymin, ymax float64) {
	r := newExtent()
	for _, l := range p.lines {
		l.extend(&r)
	}
	return r.xmin, r.xmax, r.ymin, r.ymax
}

// Plot implements plot.Plotter.
func (p *paths) Plot(c draw.Canvas, plt *plot.Plot) {
	trX, trY := plt.Transforms(&c)
	var run []vg.Point
	for i, l := range p.lines {
		flush := func() {
			if len(run) > 1 {
				c.StrokeLines(p.style(i), c.ClipLinesXY(run)...)
			}
			run = run[:0]
		}
		for h := 0; h+1 < len(l.pos); h += l.dim {
			x, y := l.pos[h], l.pos[h+1]
			if !finite(x) || !finite(y) {
				flush()
				continue
			}
			at := vg.Point{X: tenth(trX(x)), Y: tenth(trY(y))}
			last := h+l.dim >= len(l.pos)
			if len(run) > 1 && !last && (h/l.dim%max(1, p.stride) != 0 || near(run[len(run)-1], at)) {
				continue
			}
			run = append(run, at)
		}
		flush()
	}
}

// Thumbnail implements plot.Thumbnailer: a line in up to three of the colours.
func (p *paths) Thumbnail(c *draw.Canvas) {
	n := min(3, len(p.colours))
	w := (c.Max.X - c.Min.X) / vg.Length(n)
	for i := range n {
		x := c.Min.X + vg.Length(i)*w
		c.StrokeLine2(p.style(i), x, c.Center().Y, x+w, c.Center().Y)
	}
}

// tenth rounds to a tenth of a point, a thirtieth of a millimetre: what the eye
// does not see, the file need not hold.
func tenth(v vg.Length) vg.Length { return vg.Length(math.Round(float64(v)*10) / 10) }

// near reports whether two points look like one.
func near(a, b vg.Point) bool {
	const limit = 0.3 // pt
	dx, dy := a.X-b.X, a.Y-b.Y
	return dx*dx+dy*dy < limit*limit
}

// dots are square points of one size. Each is a stroke as long as it is wide,
// the shortest thing that SVG can say.
type dots struct {
	at     []float64 // x, y of each
	colour color.Color
	size   vg.Length
}

// DataRange implements plot.DataRanger.
func (d *dots) DataRange() (xmin, xmax, ymin, ymax float64) {
	r := newExtent()
	for i := 0; i < len(d.at); i += 2 {
		r.add(d.at[i], d.at[i+1])
	}
	return r.xmin, r.xmax, r.ymin, r.ymax
}

// Plot implements plot.Plotter.
func (d *dots) Plot(c draw.Canvas, plt *plot.Plot) {
	const chunk = 256 // the time of a PNG grows with the square of a path's length
	trX, trY := plt.Transforms(&c)
	c.SetLineStyle(draw.LineStyle{Color: d.colour, Width: d.size})
	p := make(vg.Path, 0, 2*chunk)
	for i := 0; i < len(d.at); i += 2 {
		if !finite(d.at[i]) || !finite(d.at[i+1]) {
			continue
		}
		at := vg.Point{X: tenth(trX(d.at[i])), Y: tenth(trY(d.at[i+1]))}
		if !c.Contains(at) {
			continue
		}
		p.Move(vg.Point{X: at.X - d.size/2, Y: at.Y})
		p.Line(vg.Point{X: at.X + d.size/2, Y: at.Y})
		if len(p) == 2*chunk {
			c.Stroke(p)
			p = p[:0]
		}
	}
	if len(p) > 0 {
		c.Stroke(p)
	}
}

// Thumbnail implements plot.Thumbnailer.
func (d *dots) Thumbnail(c *draw.Canvas) {
	style := draw.LineStyle{Color: d.colour, Width: d.size}
	y := c.Center().Y
	for _, f := range []vg.Length{0.2, 0.5, 0.8} {
		x := c.Min.X + f*(c.Max.X-c.Min.X)
		c.StrokeLine2(style, x-d.size/2, y, x+d.size/2, y)
	}
}

// An extent is the smallest rectangle around finite points.
type extent struct{ xmin, xmax, ymin, ymax float64 }

func newExtent() extent {
	return extent{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
}

func (e *extent) add(x, y float64) {
	if !finite(x) || !finite(y) {
		return
	}
	e.xmin, e.xmax = min(e.xmin, x), max(e.xmax, x)
	e.ymin, e.ymax = min(e.ymin, y), max(e.ymax, y)
}
