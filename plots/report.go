package plots

// This file writes the report: one HTML file with tables and inline figures,
// which needs nothing else, reads well in light and dark, and prints.

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"
)

// ReportData is the content of a report, from top to bottom.
type ReportData struct {
	Title    string
	Subtitle string   // one line below the title: the scene and the headline numbers
	Warnings []string // worth showing, not worth stopping for
	Sections []Section
	Footer   string // version, options and seed
}

// A Section is a part of a report. Each of its fields may be empty.
type Section struct {
	Title   string
	Text    string
	Rows    [][2]string // names and values: scores, bounds, options
	Table   [][]string  // the first row holds the headings
	Figures []*Figure
}

// Report writes d as one HTML file. The text is escaped, figures become inline
// SVG. Equal data give equal bytes.
func Report(w io.Writer, d *ReportData) error {
	t, err := reportTemplate()
	if err != nil {
		return err
	}
	if err := t.Execute(w, d); err != nil {
		return fmt.Errorf("plots: report: %w", err)
	}
	return nil
}

// reportTemplate parses the template once, when the first report needs it.
var reportTemplate = sync.OnceValues(func() (*template.Template, error) {
	return template.New("report").Funcs(template.FuncMap{
		"svg": func(f *Figure) (template.HTML, error) {
			var buf bytes.Buffer
			err := f.encodeSVG(&buf)
			return template.HTML(buf.String()), err
		},
		"numericColumns": numericColumns,
	}).Parse(reportHTML)
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

const reportHTML = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
:root { color-scheme: light dark; --ink: #222; --soft: #5a5a5a; --rule: #ddd; --back: #fff; --warn: #fdf3d8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --soft: #a8a8a8; --rule: #444; --back: #1b1b1b; --warn: #3d3415; }
}
body { margin: 2rem auto; max-width: 54rem; padding: 0 1rem; color: var(--ink); background: var(--back);
  font: 15px/1.5 "Liberation Sans", Arial, Helvetica, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid var(--rule); padding-bottom: .2rem; }
.subtitle, footer { color: var(--soft); }
.subtitle { margin: .3rem 0 1.2rem; }
.warning { background: var(--warn); padding: .4rem .8rem; margin: .4rem 0; border-radius: 4px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .22rem 1.4rem .22rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); overflow-wrap: anywhere; }
th { font-weight: 600; overflow-wrap: normal; }
.n { text-align: right; white-space: nowrap; }
figure { margin: 1rem 0; padding: .4rem; background: #fff; border-radius: 4px; }
figure svg { display: block; max-width: 100%; height: auto; }
footer { margin-top: 2.5rem; border-top: 1px solid var(--rule); padding-top: .5rem; font-size: .85rem; white-space: pre-line; overflow-wrap: anywhere; }
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #444; --rule: #bbb; --back: #fff; --warn: #fff; }
  body { margin: 0; max-width: none; font-size: 10pt; }
  .warning { border: 1px solid #999; }
  figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
}
</style>
</head>
<body>
<header>
<h1>{{.Title}}</h1>
{{- with .Subtitle}}
<p class="subtitle">{{.}}</p>
{{- end}}
{{- range .Warnings}}
<p class="warning" role="note">{{.}}</p>
{{- end}}
</header>
<main>
{{- range .Sections}}
<section>
{{- with .Title}}
<h2>{{.}}</h2>
{{- end}}
{{- with .Text}}
<p>{{.}}</p>
{{- end}}
{{- with .Rows}}
<div class="scroll"><table>
{{- range .}}
<tr><th scope="row">{{index . 0}}</th><td>{{index . 1}}</td></tr>
{{- end}}
</table></div>
{{- end}}
{{- with .Table}}
{{- $numeric := numericColumns .}}
<div class="scroll"><table>
{{- range $i, $row := .}}
<tr>{{range $j, $cell := $row}}{{if $i}}<td{{if index $numeric $j}} class="n"{{end}}>{{$cell}}</td>{{else}}<th scope="col"{{if index $numeric $j}} class="n"{{end}}>{{$cell}}</th>{{end}}{{end}}</tr>
{{- end}}
</table></div>
{{- end}}
{{- range .Figures}}
<figure>
{{svg .}}</figure>
{{- end}}
</section>
{{- end}}
</main>
{{- with .Footer}}
<footer>{{.}}</footer>
{{- end}}
</body>
</html>
`
