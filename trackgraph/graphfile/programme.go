package graphfile

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"mtt/internal/text"
)

// This file reads integer programmes, in the LP format of CPLEX and in MPS, free or fixed.

// A programme is one: minimise Cost subject to rows.
type programme struct {
	file     string
	variable []variable
	row      []row
	constant float64
	index    map[string]int32
}

// A variable has bounds; whole says that it is an integer.
type variable struct {
	name         string
	cost, lo, up float64
	whole        bool
}

// A row is Σ terms ≤, ≥ or = right.
type row struct {
	name  string
	line  int
	sense byte // '<', '>' or '='
	right float64
	terms []term
}

// A term is a coefficient of a variable.
type term struct {
	v int32
	c float64
}

func newProgramme(file string) *programme {
	return &programme{file: file, index: make(map[string]int32)}
}

func (p *programme) fault(line int, hint, format string, args ...any) error {
	return &text.SyntaxError{File: p.file, Line: line, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// named is the variable of a name, which is made when it is new.
func (p *programme) named(name string) int32 {
	v, ok := p.index[name]
	if !ok {
		v = int32(len(p.variable))
		p.index[name] = v
		p.variable = append(p.variable, variable{name: name, up: math.Inf(1)})
	}
	return v
}

// negate turns a programme that maximises into one that minimises.
func (p *programme) negate() {
	for k := range p.variable {
		p.variable[k].cost = -p.variable[k].cost
	}
	p.constant = -p.constant
}

// isLP and isMPS tell the formats by how they begin.
func isLP(head []byte) bool {
	word, _, _ := strings.Cut(strings.ToLower(string(head)), "\n")
	return strings.HasPrefix(word, "\\") || strings.HasPrefix(word, "minim") || strings.HasPrefix(word, "maxim") ||
		strings.TrimSpace(word) == "min" || strings.TrimSpace(word) == "max"
}

func isMPS(head []byte) bool {
	word, _, _ := strings.Cut(string(head), "\n")
	f := strings.Fields(word)
	return len(f) > 0 && (f[0] == "NAME" || f[0] == "ROWS" || f[0] == "OBJSENSE") || bytes.HasPrefix(head, []byte("*"))
}

// A lexer cuts the LP format into words, numbers and signs.
type lexer struct {
	p    *programme
	data []byte
	at   int
	line int
	word string // of the current token; "": the end
	kind byte   // 'w' word, '0' number, 's' sign
	x    float64
	head bool // the token is the first of its line
}

const wordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.!\"#$%&(),;?@'`{}|~/[]"

// next goes to the next token.
func (l *lexer) next() error {
	l.head = false
	for l.at < len(l.data) {
		switch c := l.data[l.at]; {
		case c == '\n':
			l.line++
			l.head = true
			l.at++
			continue
		case c == ' ' || c == '\t' || c == '\r':
			l.at++
			continue
		case c == '\\':
			for l.at < len(l.data) && l.data[l.at] != '\n' {
				l.at++
			}
			continue
		}
		break
	}
	l.word, l.kind = "", 0
	if l.at == len(l.data) {
		return nil
	}
	begin := l.at
	switch c := l.data[l.at]; {
	case c >= '0' && c <= '9' || c == '.':
		digits := func() {
			for l.at < len(l.data) && (l.data[l.at] >= '0' && l.data[l.at] <= '9' || l.data[l.at] == '.') {
				l.at++
			}
		}
		digits()
		if l.at < len(l.data) && (l.data[l.at]|0x20) == 'e' { // an exponent, or a name that begins with e
			e := l.at + 1
			if e < len(l.data) && (l.data[e] == '+' || l.data[e] == '-') {
				e++
			}
			if e < len(l.data) && l.data[e] >= '0' && l.data[e] <= '9' {
				l.at = e
				digits()
			}
		}
		l.word, l.kind = string(l.data[begin:l.at]), '0'
		x, err := strconv.ParseFloat(l.word, 64)
		if err != nil {
			return l.p.fault(l.line, "", "%q is not a number", l.word)
		}
		l.x = x
	case strings.IndexByte(wordBytes, c) >= 0:
		for l.at < len(l.data) && strings.IndexByte(wordBytes, l.data[l.at]) >= 0 {
			l.at++
		}
		l.word, l.kind = string(l.data[begin:l.at]), 'w'
	case strings.IndexByte("<>=", c) >= 0:
		for l.at < len(l.data) && strings.IndexByte("<>=", l.data[l.at]) >= 0 {
			l.at++
		}
		l.word, l.kind = string(l.data[begin:l.at]), 's'
	case strings.IndexByte("+-:*^", c) >= 0:
		l.at++
		l.word, l.kind = string(c), 's'
	default:
		return l.p.fault(l.line, "", "%q has no place in an LP file", c)
	}
	return nil
}

// sections of the LP format, by their first words.
var sections = map[string]string{
	"minimize": "min", "minimise": "min", "minimum": "min", "min": "min",
	"maximize": "max", "maximise": "max", "maximum": "max", "max": "max",
	"subject": "rows", "such": "rows", "st": "rows", "s.t.": "rows", "st.": "rows",
	"bounds": "bounds", "bound": "bounds",
	"binary": "binary", "binaries": "binary", "bin": "binary",
	"general": "whole", "generals": "whole", "gen": "whole", "integer": "whole", "integers": "whole", "int": "whole",
	"end": "end",
	"sos": "other", "sos1": "other", "sos2": "other", "semi": "other", "semis": "other", "lazy": "other", "user": "other", "gencons": "other", "pwlobj": "other",
}

// section is the section that a token begins, "" for none: a keyword stands first in its line.
func (l *lexer) section() string {
	if l.kind != 'w' || !l.head {
		return ""
	}
	return sections[strings.ToLower(l.word)]
}

// sense is what a comparison says.
func sense(word string) byte {
	if i := strings.IndexAny(word, "<>"); i >= 0 {
		return word[i]
	}
	return '='
}

// readLP reads the LP format.
func readLP(file string, data []byte) (*programme, error) {
	p := newProgramme(file)
	l := &lexer{p: p, data: data, line: 1}
	l.at = len(data) - len(text.WithoutMark(data))
	if err := l.next(); err != nil {
		return nil, err
	}
	l.head = true
	maximise := false
	for {
		part := l.section()
		if l.word == "" {
			return nil, p.fault(l.line, "", "the file ends without the word End")
		}
		if part == "" {
			return nil, p.fault(l.line, "", "%q begins no section of an LP file", l.word)
		}
		if part == "end" {
			break
		}
		if part == "other" {
			return nil, p.fault(l.line, "", "the section %s has no place in a tracking problem", l.word)
		}
		if err := l.next(); err != nil {
			return nil, err
		}
		if w := strings.ToLower(l.word); part == "rows" && (w == "to" || w == "that") {
			if err := l.next(); err != nil {
				return nil, err
			}
		}
		var err error
		switch part {
		case "min", "max":
			maximise = part == "max"
			err = l.objective()
		case "rows":
			err = l.rows()
		case "bounds":
			err = l.bounds()
		default:
			err = l.integers(part == "binary")
		}
		if err != nil {
			return nil, err
		}
	}
	if maximise {
		p.negate()
	}
	return p, nil
}

// label skips "name:".
func (l *lexer) label() (name string, err error) {
	if l.kind != 'w' {
		return "", nil
	}
	back := *l
	name = l.word
	if err := l.next(); err != nil {
		return "", err
	}
	if l.word != ":" {
		*l = back
		return "", nil
	}
	return name, l.next()
}

// sum reads terms until something else comes. A number without a variable is part of constant.
func (l *lexer) sum() (terms []term, constant float64, err error) {
	for l.word != "" && l.section() == "" {
		c, any := 1.0, false
		for l.word == "+" || l.word == "-" {
			if l.word == "-" {
				c = -c
			}
			any = true
			if err := l.next(); err != nil {
				return nil, 0, err
			}
		}
		if l.kind == '0' {
			c *= l.x
			any = true
			if err := l.next(); err != nil {
				return nil, 0, err
			}
			if l.word == "*" {
				if err := l.next(); err != nil {
					return nil, 0, err
				}
			}
			if l.kind != 'w' || l.section() != "" {
				constant += c
				continue
			}
		}
		if l.kind != 'w' || l.section() != "" {
			if any {
				return nil, 0, l.p.fault(l.line, "", "%q stands where a variable should", l.word)
			}
			break
		}
		terms = append(terms, term{l.p.named(l.word), c})
		if err := l.next(); err != nil {
			return nil, 0, err
		}
		if l.word == "^" {
			return nil, 0, l.p.fault(l.line, "", "the programme is not linear")
		}
		if l.kind == 'w' && l.section() == "" { // the next row's label, or a mistake
			break
		}
	}
	return terms, constant, nil
}

func (l *lexer) objective() error {
	if _, err := l.label(); err != nil {
		return err
	}
	terms, constant, err := l.sum()
	if err != nil {
		return err
	}
	for _, t := range terms {
		l.p.variable[t.v].cost += t.c
	}
	l.p.constant = constant
	if l.word != "" && l.section() == "" {
		return l.p.fault(l.line, "", "%q stands in the objective", l.word)
	}
	return nil
}

// number reads a signed number, which may be infinite.
func (l *lexer) number() (float64, error) {
	sign := 1.0
	for l.word == "+" || l.word == "-" {
		if l.word == "-" {
			sign = -sign
		}
		if err := l.next(); err != nil {
			return 0, err
		}
	}
	x := l.x
	if w := strings.ToLower(l.word); l.kind == 'w' && (w == "inf" || w == "infinity") {
		x = math.Inf(1)
	} else if l.kind != '0' {
		return 0, l.p.fault(l.line, "", "%q stands where a number should", l.word)
	}
	return sign * x, l.next()
}

func (l *lexer) rows() error {
	for l.word != "" && l.section() == "" {
		r := row{line: l.line}
		var err error
		if r.name, err = l.label(); err != nil {
			return err
		}
		var constant float64
		if r.terms, constant, err = l.sum(); err != nil {
			return err
		}
		if l.kind != 's' || !strings.ContainsAny(l.word, "<>=") {
			return l.p.fault(l.line, "a constraint is a sum, <=, >= or =, and a number", "%q stands where a comparison should", l.word)
		}
		r.sense = sense(l.word)
		if err := l.next(); err != nil {
			return err
		}
		if r.right, err = l.number(); err != nil {
			return err
		}
		r.right -= constant
		if strings.ContainsAny(l.word, "<>=") && l.kind == 's' || l.kind == 'w' && !l.head {
			return l.p.fault(l.line, "a constraint is a sum, <=, >= or =, and a number", "%q follows the number on the right", l.word)
		}
		l.p.row = append(l.p.row, r)
	}
	return nil
}

// bounds reads lines such as "x = 0", "0 <= x <= 1" and "x free".
func (l *lexer) bounds() error {
	for l.word != "" && l.section() == "" {
		var left *float64
		if l.kind != 'w' || strings.HasPrefix(strings.ToLower(l.word), "inf") {
			x, err := l.number()
			if err != nil {
				return err
			}
			if s := sense(l.word); l.kind != 's' || s != '<' {
				return l.p.fault(l.line, "", "a bound such as 0 <= x was expected, not %q", l.word)
			}
			left = &x
			if err := l.next(); err != nil {
				return err
			}
		}
		if l.kind != 'w' {
			return l.p.fault(l.line, "", "%q stands where a variable should", l.word)
		}
		v := &l.p.variable[l.p.named(l.word)]
		if left != nil {
			v.lo = *left
		}
		if err := l.next(); err != nil {
			return err
		}
		if l.kind == 'w' && !l.head && strings.EqualFold(l.word, "free") {
			v.lo = math.Inf(-1)
			if err := l.next(); err != nil {
				return err
			}
			continue
		}
		if l.kind != 's' {
			if left == nil {
				return l.p.fault(l.line, "", "%q stands where a bound should", l.word)
			}
			continue
		}
		s := sense(l.word)
		if err := l.next(); err != nil {
			return err
		}
		x, err := l.number()
		if err != nil {
			return err
		}
		if s != '<' {
			v.lo = x
		}
		if s != '>' {
			v.up = x
		}
	}
	return nil
}

// integers reads the names of integer variables.
func (l *lexer) integers(binary bool) error {
	for l.word != "" && l.section() == "" {
		if l.kind != 'w' {
			return l.p.fault(l.line, "", "%q stands where a variable should", l.word)
		}
		v := &l.p.variable[l.p.named(l.word)]
		v.whole = true
		if binary {
			v.lo, v.up = max(v.lo, 0), min(v.up, 1)
		}
		if err := l.next(); err != nil {
			return err
		}
	}
	return nil
}

// readMPS reads MPS.
func readMPS(file string, data []byte) (*programme, error) {
	p := newProgramme(file)
	rows := make(map[string]int) // −1: the objective, −2: another free row
	objective, part, whole, maximise := "", "", false, false
	lines := text.NewLines(bytes.NewReader(data), file)
	for {
		line, err := lines.Next()
		if err == io.EOF {
			return nil, p.fault(lines.Line, "", "the file ends without ENDATA")
		}
		if err != nil {
			return nil, err
		}
		if line[0] == '*' {
			continue
		}
		f := strings.Fields(string(line))
		if len(f) == 0 {
			continue
		}
		at := lines.Line
		if line[0] != ' ' && line[0] != '\t' {
			part = f[0]
			switch {
			case part == "ENDATA":
				if objective == "" {
					return nil, p.fault(at, "", "there is no objective, a row of type N")
				}
				if maximise {
					p.negate()
				}
				return p, nil
			case part == "OBJSENSE" && len(f) > 1:
				maximise = strings.HasPrefix(strings.ToUpper(f[1]), "MAX")
			case part == "NAME" || part == "ROWS" || part == "COLUMNS" || part == "RHS" || part == "BOUNDS" || part == "OBJSENSE":
			default:
				return nil, p.fault(at, "", "the section %s has no place in a tracking problem", part)
			}
			continue
		}
		number := func(s string) float64 {
			x, bad := strconv.ParseFloat(s, 64)
			if bad != nil && err == nil {
				err = p.fault(at, "", "%q is not a number", s)
			}
			return x
		}
		short := func(n int) bool {
			if len(f) < n && err == nil {
				err = p.fault(at, "", "%d fields are too few in %s", len(f), part)
			}
			return len(f) < n
		}
		switch part {
		case "OBJSENSE":
			maximise = strings.HasPrefix(strings.ToUpper(f[0]), "MAX")
		case "ROWS":
			if short(2) {
				break
			}
			if f[0] == "N" {
				if rows[f[1]] = -2; objective == "" {
					objective, rows[f[1]] = f[1], -1
				}
				break
			}
			s, ok := map[string]byte{"E": '=', "L": '<', "G": '>'}[f[0]]
			if !ok {
				err = p.fault(at, "", "a row is of type %q, want N, E, L or G", f[0])
				break
			}
			rows[f[1]] = len(p.row)
			p.row = append(p.row, row{name: f[1], line: at, sense: s})
		case "COLUMNS":
			if len(f) > 2 && f[1] == "'MARKER'" {
				whole = f[2] == "'INTORG'"
				break
			}
			v := p.named(f[0])
			if x := &p.variable[v]; whole && !x.whole {
				x.whole, x.up = true, 1 // until BOUNDS says otherwise
			}
			for k := 1; k+1 < len(f); k += 2 {
				r, ok := rows[f[k]]
				c := number(f[k+1])
				switch {
				case !ok:
					err = p.fault(at, "", "there is no row %q", f[k])
				case r == -1:
					p.variable[v].cost += c
				case r >= 0:
					p.row[r].terms = append(p.row[r].terms, term{v, c})
				}
			}
		case "RHS":
			for k := len(f) % 2; k+1 < len(f); k += 2 { // the set may have no name
				switch r, ok := rows[f[k]]; {
				case !ok:
					err = p.fault(at, "", "there is no row %q", f[k])
				case r == -1:
					p.constant = -number(f[k+1])
				case r >= 0:
					p.row[r].right = number(f[k+1])
				}
			}
		case "BOUNDS":
			if e := p.mpsBound(at, f, number); e != nil {
				err = e
			}
		default:
			err = p.fault(at, "", "a line before any section")
		}
		if err != nil {
			return nil, err
		}
	}
}

// mpsBound reads a line of BOUNDS.
func (p *programme) mpsBound(at int, f []string, number func(string) float64) error {
	need := 3
	if f[0] == "BV" || f[0] == "FR" || f[0] == "MI" || f[0] == "PL" {
		need = 2
	}
	if len(f) < need {
		return p.fault(at, "", "%d fields are too few in BOUNDS", len(f))
	}
	name := f[len(f)-need+1] // the set may have no name
	if need == 2 && len(f) > 3 {
		name = f[2] // a number follows that says nothing
	}
	k, ok := p.index[name]
	if !ok {
		return p.fault(at, "", "there is no column %q", name)
	}
	v := &p.variable[k]
	x := 0.0
	if need == 3 {
		x = number(f[len(f)-1])
	}
	switch f[0] {
	case "UP", "UI":
		v.up = x
	case "LO", "LI":
		v.lo = x
	case "FX":
		v.lo, v.up = x, x
	case "BV":
		v.lo, v.up, v.whole = 0, 1, true
	case "FR", "MI":
		v.lo = math.Inf(-1)
	case "PL":
		v.up = math.Inf(1)
	default:
		return p.fault(at, "", "a bound is of type %q", f[0])
	}
	return nil
}
