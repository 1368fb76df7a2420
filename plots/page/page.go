// Package page writes a run as one HTML file that needs nothing else: a picture of the
// scene to play, zoom and point at, a list of its tracks, the doubtful and the wrong ones
// first, and sections with tables and figures below.
//
// The picture is drawn on a canvas by viewer.js, from arrays that stand in the file in
// base64; a scene of a million detections opens in less than two seconds. The page follows
// the colours of the system, dark or light, fits a phone, and prints. Its
// Content-Security-Policy forbids it to fetch anything.
package page

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"

	"mtt/plots"
)

// A Page is what the file shows, from top to bottom.
type Page struct {
	Title    string
	Subtitle string   // one line below the title
	Warnings []string // worth showing, not worth stopping for
	Facts    []Fact   // headline numbers
	Scene    *Scene   // nil: none
	Sections []Section
	Footer   string // version, options and seed
}

// A Fact is a number with its name.
type Fact struct{ Name, Value string }

// A Section is a part of a page. Each of its fields may be empty.
type Section struct {
	Title   string
	Folded  bool // until somebody opens it, or prints
	Text    string
	Rows    [][2]string // names and values: scores, bounds, options
	Table   [][]string  // the first row holds the headings
	Figures []*plots.Figure
}

var (
	//go:embed page.html
	pageHTML string
	//go:embed style.css
	styleCSS string
	//go:embed viewer.js
	viewerJS string
)

// Write writes p as one HTML file. Text is escaped, figures become inline SVG. Equal
// pages give equal bytes. It fails where w does, and where tracks and scans of the scene
// do not fit together.
func Write(w io.Writer, p *Page) error { return WriteContext(context.Background(), w, p) }

// WriteContext is Write, which ends with the error of ctx once that is done: it asks
// before each section, and as it writes the scene.
func WriteContext(ctx context.Context, w io.Writer, p *Page) error {
	t, err := parsed()
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 1<<16)
	if err := t.ExecuteTemplate(b, "top", p); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	for i := range p.Sections {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.ExecuteTemplate(b, "section", &p.Sections[i]); err != nil {
			return fmt.Errorf("page: %w", err)
		}
	}
	if err := t.ExecuteTemplate(b, "footer", p); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	if p.Scene != nil {
		if err := p.Scene.write(ctx, b); err != nil {
			return err
		}
		b.WriteString("<script>\n" + viewerJS + "</script>\n")
	}
	b.WriteString("</body>\n</html>\n")
	return b.Flush()
}

// parsed parses the template once, when the first page needs it.
var parsed = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(styleCSS) },
		"svg": func(f *plots.Figure) (template.HTML, error) {
			var buf bytes.Buffer
			err := f.Encode(&buf, "svg")
			_, svg, _ := strings.Cut(buf.String(), "?>\n")
			return template.HTML(svg), err
		},
		"numericColumns": numericColumns,
	}).Parse(pageHTML)
})

// numericColumns reports which columns of a table hold numbers below their
// heading, to be aligned to the right.
func numericColumns(table [][]string) []bool {
	var columns []bool
	for i, row := range table {
		for j, cell := range row {
			if j == len(columns) {
				columns = append(columns, true)
			}
			columns[j] = columns[j] && (i == 0 || numeric(cell))
		}
	}
	return columns
}

// numeric reports whether a table cell is a number: digits with a sign, spaces
// between them or a percent sign, or nothing but a dash.
func numeric(s string) bool {
	s = strings.TrimSuffix(s, "%")
	s = strings.NewReplacer("−", "-", " ", "", "\u00a0", "", "\u2009", "", "\u202f", "").Replace(s)
	if s == "" || s == "–" || s == "-" {
		return true
	}
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
