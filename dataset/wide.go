package dataset

// This file makes a table of what stands side by side: of columns x1, y1, x2, y2, …, which a line
// has for each of several targets.

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mtt/internal/text"
)

// A wide says which columns of a table that has targets side by side mean what.
type wide struct {
	numbers []int    // of targets, in order of their columns
	names   []string // of what a target has: x and y, and what else all have
	columns [][]int  // of each target, in order of names
	shared  []int    // columns of times
}

// isWide finds targets side by side in the names of columns: three of them at least, as x1, y1, x2,
// y2 are a box, and no other place or identity; and lines each of a time of its own. Nil: there are
// none.
func (h *head) isWide() *wide {
	w := &wide{}
	var first []role
	found := make(map[int]map[role]int) // columns
	for c, name := range h.title {
		r, _ := meaning(name)
		number, of, as := numbered(name)
		switch {
		case of == skip && (r == frame || r >= date || r == stamp || r == nano):
			w.shared = append(w.shared, c)
		case of == skip && (r == ident || r == posX || r == posY || r == left || r == width || r == distance):
			return nil
		case of == skip:
		case found[number] == nil:
			found[number] = map[role]int{of: c}
			w.numbers = append(w.numbers, number)
			fallthrough
		default:
			if before, twice := found[number][of]; twice && before != c {
				return nil
			}
			found[number][of] = c
			if number == w.numbers[0] {
				first, w.names = append(first, of), append(w.names, as)
			}
		}
	}
	if len(w.numbers) < 3 || len(w.shared) == 0 || !slices.Contains(first, posX) || !slices.Contains(first, posY) {
		return nil
	}
	for _, number := range w.numbers {
		var columns []int
		for _, r := range first {
			c, ok := found[number][r]
			if !ok {
				return nil
			}
			columns = append(columns, c)
		}
		if len(found[number]) != len(first) {
			return nil
		}
		w.columns = append(w.columns, columns)
	}
	seen := make(map[string]bool)
	for _, p := range h.lines {
		when := ""
		for _, c := range w.shared {
			if c >= len(p.field) {
				return nil
			}
			when += p.field[c] + "\n"
		}
		if seen[when] {
			return nil
		}
		seen[when] = true
	}
	return w
}

// numbered is the number in a name such as x1, pos_x_1, p1_x, what is numbered, and the name
// without the number; skip: none has such a name.
func numbered(name string) (number int, r role, as string) {
	if known, _ := meaning(name); known != skip && known != left && known != right && known != top && known != bottom {
		return 0, skip, "" // as xy_0
	}
	at := strings.IndexAny(name, "0123456789")
	if at < 0 {
		return 0, skip, ""
	}
	end := at + len(name[at:]) - len(strings.TrimLeft(name[at:], "0123456789"))
	number, err := strconv.Atoi(name[at:end])
	if err != nil || strings.ContainsAny(name[end:], "0123456789") {
		return 0, skip, ""
	}
	as = strings.Trim(plainName(name[:at]+"_"+name[end:]), "_")
	for r, _ = meaning(as); r == skip && strings.Contains(as, "_"); r, _ = meaning(as) { // what has a coordinate does not matter
		_, as, _ = strings.Cut(as, "_")
	}
	if !slices.Contains([]role{posX, posY, posZ, velX, velY, velZ, conf}, r) {
		return 0, skip, ""
	}
	return number, r, as
}

// stacked is a table with a line for each target at each time, numbered as its columns are.
func (h *head) stacked(w *wide) (*head, error) {
	lr := text.NewLines(h.body, h.name)
	lr.Comment = true
	lay := &layout{sep: h.sep, names: h.title, roles: make([]role, len(h.title)), where: h.where}
	var out jsonTable
	var names []string
	for _, c := range w.shared {
		names = append(names, h.title[c])
	}
	names = append(append(names, "id"), w.names...)
	b := append(bytes.Clone(out.row(names)), '\n')
	for {
		raw, err := lr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if lr.Line <= h.skip || text.IsComment(raw) {
			continue
		}
		if !lay.picks(raw, lr.Tabs) {
			continue
		}
		fields := filled(split(raw, h.sep), len(h.title), h.sep, lr.Tabs)
		if len(fields) != len(h.title) {
			return nil, wrongWidth(lr, lay, raw)
		}
		if h.comma {
			for c, word := range fields {
				fields[c] = text.Point(word)
			}
		}
		var row []string
		for _, c := range w.shared {
			row = append(row, fields[c])
		}
		some := false
		for k, columns := range w.columns {
			row = append(row[:len(w.shared)], strconv.Itoa(w.numbers[k]))
			missing := false
			for _, c := range columns {
				word := fields[c]
				if missing = missing || isMissing([]byte(word)); !missing && !isNumber(word) {
					at := fieldStart(raw, h.sep, c) - 1
					return nil, badNumber(lr, lay, c, raw, at, at+len(fields[c]))
				}
				row = append(row, word)
			}
			if !missing {
				some = true
				b = append(append(b, out.row(row)...), '\n')
			}
		}
		if !some { // somebody looked, and saw nothing
			b = append(append(b, out.row(append(row[:len(w.shared)], make([]string, 1+len(w.names))...))...), '\n')
		}
	}
	if h.members != nil && len(h.members.late) > 0 {
		return nil, &SyntaxError{File: h.name, Msg: fmt.Sprintf("targets that stand side by side, and not in the first %d objects, come later: %s", len(h.lines), inShort(h.members.late)),
			Hint: "name them in the first object, with null where they are not there, or write an object for each detection"}
	}
	t := &head{name: h.name, made: "wide", table: b, body: bufio.NewReaderSize(bytes.NewReader(b), headSize), first: b[:min(len(b), headSize)]}
	t.about = fmt.Sprintf("%d targets stand side by side, %s to %s: each is an identity (--no-ids: they are detections of whatever comes)",
		len(w.numbers), h.title[w.columns[0][0]], h.title[w.columns[len(w.columns)-1][len(w.names)-1]])
	whole := t.first
	if len(b) > headSize {
		whole = whole[:bytes.LastIndexByte(whole, '\n')+1]
	}
	return t, t.look(whole)
}
