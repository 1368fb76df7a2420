package plots

// This file defines Figure: how title, note, legend and panels are laid out,
// and how a figure becomes SVG or PNG.

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Figure is a page: title, note, legend and panels, from top to bottom.
type Figure struct {
	Title string // what is shown, and the headline number; wrapped when long
	Note  string // smaller, below the title: what was left out, how to read it

	Panels []*plot.Plot // from top to bottom, on a shared x axis, or Beside
	Legend []Entry

	// Beside puts the panels side by side, each on an x axis of its own.
	Beside bool

	Width       vg.Length // of the page, pt; 0 means 480
	PanelHeight vg.Length // of each panel with its axis labels, pt; 0 means 190

	// Equal gives x and y the same scale, by widening the range of one of them,
	// so that circles look like circles.
	Equal bool

	// Meta goes into the SVG file as its description, unseen on the page: the
	// version, options and seed that made the figure.
	Meta string
}

// An Entry is one name in the legend with its samples, drawn on top of each
// other.
type Entry struct {
	Name   string
	Thumbs []plot.Thumbnailer
}

// Save writes the figure to path, as SVG or PNG by the ending of its name.
// An existing file is replaced.
func Save(path string, f *Figure) error {
	var buf bytes.Buffer
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if err := f.Encode(&buf, format); err != nil {
		return fmt.Errorf("%w, in the name of %s", err, path)
	}
	return os.WriteFile(path, buf.Bytes(), 0o666)
}

// Encode writes the figure in the given format, "svg" or "png" (192 dots per
// inch). Equal figures give equal bytes.
func (f *Figure) Encode(w io.Writer, format string) error {
	switch format {
	case "svg":
		if _, err := io.WriteString(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"); err != nil {
			return err
		}
		return f.encodeSVG(w)
	case "png":
		width, height := f.Size()
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(192))
		f.Draw(draw.New(c))
		_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(w)
		return err
	}
	return fmt.Errorf("plots: format %q, want svg or png", format)
}

// encodeSVG writes the figure as an svg element, ready to stand inside HTML.
func (f *Figure) encodeSVG(w io.Writer) error {
	width, height := f.Size()
	c := &svgCanvas{Canvas: vgsvg.New(width, height)}
	f.Draw(draw.New(c))
	var buf bytes.Buffer
	if _, err := c.WriteTo(&buf); err != nil {
		return err
	}
	body := buf.Bytes()
	if start := bytes.Index(body, []byte("<svg")); start >= 0 {
		_, body, _ = bytes.Cut(body[start:], []byte(">\n"))
	}
	// One font, with what may stand in for it, and round joins: said once.
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%gpt" height="%gpt" viewBox="0 0 %g %g" `+
		`role="img" aria-label="%s" font-family="%s" stroke-linejoin="round">`+"\n",
		width, height, width, height, html.EscapeString(printable(f.Title)), fontStack)
	if err == nil && f.Meta != "" {
		_, err = fmt.Fprintf(w, "<desc>%s</desc>\n", html.EscapeString(printable(f.Meta)))
	}
	if err == nil {
		err = c.writeBody(w, body)
	}
	return err
}

// An svgCanvas remembers how wide each text is meant to be. The font may be
// missing where the file is read, and another one must not overlap or be cut.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(f font.Face, at vg.Point, s string) {
	s = printable(s)
	c.widths = append(c.widths, f.Width(s))
	c.Canvas.FillString(f, at, s)
}

// printable drops from s what XML cannot hold.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\n' || r == '\uFFFE' || r == '\uFFFF' {
			return -1
		}
		return r
	}, s)
}

// writeBody writes the elements of the canvas, with the width of each text in
// place of its font.
func (c *svgCanvas) writeBody(w io.Writer, body []byte) error {
	for i, part := range bytes.SplitAfter(body, []byte("<text ")) {
		if i > 0 {
			if _, err := fmt.Fprintf(w, `textLength="%.5g" lengthAdjust="spacingAndGlyphs" `, c.widths[i-1]); err != nil {
				return err
			}
			part = bytes.Replace(part, []byte("font-family:Liberation Sans;font-variant:normal;"), nil, 1)
			part = bytes.Replace(part, []byte("font-weight:normal;font-style:normal;"), nil, 1)
		}
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// Size is the size of the page: the height follows from what is on it.
func (f *Figure) Size() (width, height vg.Length) {
	width = f.Width
	if width == 0 {
		width = figureWidth
	}
	panel := f.PanelHeight
	if panel == 0 {
		panel = panelHeight
	}
	rows := len(f.Panels)
	if f.Beside {
		rows = 1
	}
	return width, f.layout(width).height + panel*vg.Length(rows) + margin
}

// Draw draws the figure on c, a canvas of the size that Size returns.
func (f *Figure) Draw(c draw.Canvas) {
	c.SetColor(paper)
	c.Fill(c.Rectangle.Path())

	h := f.layout(c.Max.X - c.Min.X)
	for _, t := range h.texts {
		t.draw(&c)
	}
	for _, k := range h.keys {
		icon := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: c.Min.X + k.x, Y: c.Max.Y - k.y},
			Max: vg.Point{X: c.Min.X + k.x + thumbWidth, Y: c.Max.Y - k.y + 0.7*noteSize},
		}}
		for _, t := range k.thumbs {
			t.Thumbnail(&icon)
		}
	}

	c = draw.Crop(c, margin, -margin, margin, -h.height)
	if len(f.Panels) == 0 {
		return
	}
	grid := [][]*plot.Plot{slices.Clone(f.Panels)}
	tiles := draw.Tiles{Rows: 1, Cols: len(f.Panels), PadX: 14}
	if !f.Beside {
		tiles = draw.Tiles{Rows: len(f.Panels), Cols: 1, PadY: 10}
		grid = nil
		for _, p := range f.Panels {
			grid = append(grid, []*plot.Plot{p})
		}
	}
	cells := plot.Align(grid, tiles, c)
	if f.Equal {
		// A wider range may have wider tick labels, which leave less room.
		for range 2 {
			for i, row := range grid {
				for j, p := range row {
					row[j] = equalScale(p, cells[i][j])
				}
			}
			cells = plot.Align(grid, tiles, c)
		}
	}
	for i, row := range grid {
		for j, p := range row {
			p.Draw(cells[i][j])
		}
	}
}

// equalScale is p with the range of x or y widened so that both have the same
// scale when p is drawn on c.
func equalScale(p *plot.Plot, c draw.Canvas) *plot.Plot {
	q := *p
	data := q.DataCanvas(c)
	width, height := float64(data.Max.X-data.Min.X), float64(data.Max.Y-data.Min.Y)
	scale := max((q.X.Max-q.X.Min)/width, (q.Y.Max-q.Y.Min)/height)
	widen := func(a *plot.Axis, length float64) {
		middle := (a.Min + a.Max) / 2
		a.Min, a.Max = middle-scale*length/2, middle+scale*length/2
	}
	widen(&q.X, width)
	widen(&q.Y, height)
	return &q
}

// header is what stands above the panels, y measured downwards from the top of
// the page to the baseline.
type header struct {
	texts  []textLine
	keys   []legendKey
	height vg.Length
}

type textLine struct {
	x, y vg.Length
	text string
	sty  text.Style
}

type legendKey struct {
	x, y   vg.Length
	thumbs []plot.Thumbnailer
}

func (l *textLine) draw(c *draw.Canvas) {
	// The plain text handler puts the baseline of a line one font size above
	// the ascent below the point it is given.
	y := c.Max.Y - l.y - l.sty.Font.Size + l.sty.FontExtents().Ascent
	c.FillText(l.sty, vg.Point{X: c.Min.X + l.x, Y: y}, l.text)
}

// layout places title, note and legend on a page of the given width.
func (f *Figure) layout(width vg.Length) header {
	h := header{height: margin}
	write := func(s string, sty text.Style, lines int) {
		for _, s := range wrap(s, sty, width-2*margin, lines) {
			h.height += 1.25 * sty.Font.Size
			h.texts = append(h.texts, textLine{margin, h.height - 0.3*sty.Font.Size, s, sty})
		}
	}
	write(f.Title, textStyle(titleSize, ink, stdfont.WeightBold), 2)
	write(f.Note, textStyle(noteSize, softInk, stdfont.WeightNormal), 3)

	if len(f.Legend) > 0 {
		const gap, between, leading = 4, 14, 13
		sty := textStyle(noteSize, ink, stdfont.WeightNormal)
		x := margin
		h.height += leading
		for _, e := range f.Legend {
			name := strings.Join(wrap(e.Name, sty, width-2*margin-thumbWidth-gap, 1), "")
			w := thumbWidth + gap + sty.Width(name)
			if x > margin && x+w > width-margin {
				x = margin
				h.height += leading
			}
			y := h.height - 0.3*noteSize
			h.keys = append(h.keys, legendKey{x, y, e.Thumbs})
			h.texts = append(h.texts, textLine{x + thumbWidth + gap, y, name, sty})
			x += w + between
		}
	}
	h.height += 6
	return h
}

// wrap breaks s at spaces (not at thin or no-break ones) into lines no wider than width, at most the given
// number of them; an ellipsis stands for what does not fit.
func wrap(s string, sty text.Style, width vg.Length, lines int) []string {
	var out []string
	for rest := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' }); len(rest) > 0; {
		n := 1
		for n < len(rest) && sty.Width(strings.Join(rest[:n+1], " ")) <= width {
			n++
		}
		s := strings.Join(rest[:n], " ")
		rest = rest[n:]
		if len(out) == lines-1 && len(rest) > 0 {
			s += " …"
			rest = nil
		}
		if sty.Width(s) > width {
			r := []rune(strings.TrimSuffix(s, " …"))
			for len(r) > 1 && sty.Width(string(r)+"…") > width {
				r = r[:len(r)-1]
			}
			s = string(r) + "…"
		}
		out = append(out, s)
	}
	return out
}

// add draws s in p, and names it in the legend when it has any point.
func (f *Figure) add(p *panel, name string, s *series) {
	if p.add(s) {
		f.Legend = append(f.Legend, Entry{name, []plot.Thumbnailer{s}})
	}
}

// finish stacks the panels that have points: the x axis of the lowest serves
// all of them. When none has any, the first says "no data".
func (f *Figure) finish(panels ...*panel) *Figure {
	f.Panels = nil
	for _, p := range panels {
		if p.points > 0 {
			f.Panels = append(f.Panels, p.Plot)
		}
	}
	if len(f.Panels) == 0 {
		p := panels[0].Plot
		for _, a := range []*plot.Axis{&p.X, &p.Y} {
			a.Min, a.Max = 0, 1
			a.Scale = plot.LinearScale{}
			a.Tick.Marker = plot.ConstantTicks{}
		}
		p.Add(noData{})
		f.Panels = []*plot.Plot{p}
		f.Legend = nil
		return f
	}
	last := f.Panels[len(f.Panels)-1]
	for _, p := range f.Panels[:len(f.Panels)-1] {
		last.X.Min, last.X.Max = min(last.X.Min, p.X.Min), max(last.X.Max, p.X.Max)
	}
	for _, p := range f.Panels[:len(f.Panels)-1] {
		p.X.Min, p.X.Max = last.X.Min, last.X.Max
		p.X.Tick.Marker = unlabelled{last.X.Tick.Marker}
		p.X.Label.Text = ""
	}
	return f
}
