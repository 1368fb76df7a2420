package cli

// This file prints results. A result is an ordered list of fields, from which
// the three formats are made, so that they always agree.

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	prettytext "github.com/jedib0t/go-pretty/v6/text"
)

// A Record is one result: fields in the order in which they are printed.
type Record []Field

// A Field is one named value: bool, int, int64, uint64, float64, string,
// []string, a record, or a []record (rows with the same keys). A float that is
// not finite means "no value". Unit, note and digits matter in text only.
type Field struct {
	Key   string
	Value any
	Unit  string
	Note  string // what it means

	Digits int // of a float in text; 0: 6
}

// Add appends a field.
func (r *Record) Add(key string, value any) { *r = append(*r, Field{Key: key, Value: value}) }

// MarshalJSON writes the record as one object, keys in order.
func (r Record) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, f := range r {
		if i > 0 {
			b = append(b, ',')
		}
		key, err := json.Marshal(f.Key)
		if err != nil {
			return nil, err
		}
		var v any = f.Value
		if x, ok := v.(float64); ok && !finite(x) {
			v = nil
		}
		value, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, key...), ':'), value...)
	}
	return append(b, '}'), nil
}

// A Printer writes records to standard output in one format.
type Printer struct {
	W      io.Writer
	Format string   // text, json or csv
	header []string // the last CSV header that was written
	wrote  bool
}

// Print writes one result. Records of a command with several inputs follow each
// other: one line each in JSON, rows under one header in CSV, blocks in text.
func (p *Printer) Print(r Record) error {
	defer func() { p.wrote = true }()
	switch p.Format {
	case "json":
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = p.W.Write(append(line, '\n'))
		return err
	case "csv":
		return p.printCSV(r)
	}
	gap := ""
	if p.wrote {
		gap = "\n"
	}
	_, err := io.WriteString(p.W, gap+renderText(r))
	return err
}

// PrintRows writes one result for each row: lines of JSON, rows of CSV, or one
// table. All rows have the keys of the first.
func (p *Printer) PrintRows(rows []Record) error {
	if p.Format == "text" {
		_, err := io.WriteString(p.W, renderTable(rows))
		return err
	}
	for _, r := range rows {
		if err := p.Print(r); err != nil {
			return err
		}
	}
	return nil
}

func (p *Printer) printCSV(r Record) error {
	header, row := flatten(nil, nil, "", r)
	w := csv.NewWriter(p.W)
	if !slices.Equal(header, p.header) {
		p.header = header
		if err := w.Write(header); err != nil {
			return err
		}
	}
	if err := w.Write(row); err != nil {
		return err
	}
	w.Flush()
	return w.Error()
}

// flatten appends the fields of r to header and row: "seconds.solve" for a field
// of a record, "gates.0.itcp" for one of a list of records.
func flatten(header, row []string, prefix string, r Record) ([]string, []string) {
	for _, f := range r {
		switch v := f.Value.(type) {
		case Record:
			header, row = flatten(header, row, prefix+f.Key+".", v)
		case []Record:
			for i, sub := range v {
				header, row = flatten(header, row, fmt.Sprintf("%s%s.%d.", prefix, f.Key, i), sub)
			}
		case []string:
			header, row = append(header, prefix+f.Key), append(row, strings.Join(v, ";"))
		default:
			header, row = append(header, prefix+f.Key), append(row, Exact(v))
		}
	}
	return header, row
}

// Exact prints a value so that it reads back unchanged; "" for no value.
func Exact(value any) string {
	switch v := value.(type) {
	case float64:
		if !finite(v) {
			return ""
		}
		b, err := json.Marshal(v)
		if err != nil {
			panic(err) // a finite float is always valid JSON
		}
		return string(b)
	case nil:
		return ""
	}
	return fmt.Sprint(value)
}

// Brief prints a value for reading: floats with a few digits, "-" for no value.
func Brief(f Field) string {
	s := ""
	switch v := f.Value.(type) {
	case float64:
		if !finite(v) {
			return "-"
		}
		digits := f.Digits
		if digits == 0 {
			digits = 6
		}
		s = strconv.FormatFloat(v, 'g', digits, 64)
	case []string:
		s = strings.Join(v, ", ")
	default:
		s = Exact(v)
	}
	if s == "" {
		return "-"
	}
	if f.Unit != "" {
		s += " " + f.Unit
	}
	return s
}

// oneLine is the number of fields up to which a record inside another is printed
// on one line.
const oneLine = 8

// renderText is the record as aligned lines "name  value"; a record inside
// becomes one line of its fields or a block below, a list of texts one line for
// each, a list of records a table below.
func renderText(r Record) string {
	t := newTable()
	var below strings.Builder
	short := noted(r)
	for _, f := range r {
		label := strings.ReplaceAll(f.Key, "_", " ")
		switch v := f.Value.(type) {
		case Record:
			if len(v) > oneLine {
				below.WriteString("\n" + label + "\n" + renderText(v))
				continue
			}
			parts := make([]string, len(v))
			for i, sub := range v {
				parts[i] = strings.ReplaceAll(sub.Key, "_", " ") + " " + Brief(sub)
			}
			t.AppendRow(table.Row{label, strings.Join(parts, ", ")})
		case []string:
			for _, line := range v {
				t.AppendRow(table.Row{label, line})
				label = ""
			}
		case []Record:
			if len(v) > 0 {
				below.WriteString("\n" + label + "\n" + renderTable(v))
			}
		default:
			value := Brief(f)
			if f.Note != "" {
				value = fmt.Sprintf("%-*s  %s", short, value, f.Note)
			}
			t.AppendRow(table.Row{label, value})
		}
	}
	return render(t) + below.String()
}

// noted is how wide the values of r are that have a note, which stand in a column behind them, however long
// other values are.
func noted(r Record) (width int) {
	for _, f := range r {
		if f.Note != "" {
			width = max(width, len([]rune(Brief(f))))
		}
	}
	return width
}

// renderTable is the rows as a table under the keys of the first row. Columns of
// numbers are aligned to the right.
func renderTable(rows []Record) string {
	if len(rows) == 0 {
		return ""
	}
	t := newTable()
	header := make(table.Row, len(rows[0]))
	align := make([]table.ColumnConfig, len(rows[0]))
	for i, f := range rows[0] {
		header[i] = strings.ReplaceAll(f.Key, "_", " ")
		align[i] = table.ColumnConfig{Number: i + 1}
		switch f.Value.(type) {
		case string, []string, bool:
		default:
			align[i].Align, align[i].AlignHeader = prettytext.AlignRight, prettytext.AlignRight
		}
	}
	t.SetColumnConfigs(align)
	t.AppendHeader(header)
	for _, r := range rows {
		row := make(table.Row, len(r))
		for i, f := range r {
			row[i] = Brief(f)
		}
		t.AppendRow(row)
	}
	return render(t)
}

// newTable is an empty table: no borders, two blanks between columns.
func newTable() table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = prettytext.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.SetStyle(style)
	return t
}

// render is the table as lines without blanks at their ends.
func render(t table.Writer) string {
	var b strings.Builder
	for line := range strings.Lines(t.Render() + "\n") {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// finite reports whether x is a number that JSON can hold.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
