package dataset

// This file says to a user whose table has columns of unknown names, or of none, how to name them.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// suggestion says which columns the table has, and what to write on the command line if they are
// what their numbers look like; "" for what is no table of several numbers.
func (h *head) suggestion(o *Options) string {
	if h.xml || h.parquet || len(h.lines) == 0 {
		return ""
	}
	t, e := h.titles(o)
	if e != nil {
		return ""
	}
	whole, rising, number := make([]bool, len(t.names)), make([]bool, len(t.names)), make([]bool, len(t.names))
	numbers := 0
	for c := range t.names {
		whole[c], rising[c], number[c] = true, true, true
		before := 0.0
		for i := range h.lines {
			if c >= len(h.lines[i].field) {
				return ""
			}
			f := []byte(h.lines[i].field[c])
			x, ok := parseTime(f)
			_, plain := parseFloat(f)
			if _, integer := parseInt(f); !integer {
				whole[c] = false
			}
			if ok = ok || isMissing(f); !ok {
				rising[c] = false
			}
			number[c] = number[c] && (plain || isMissing(f))
			rising[c] = rising[c] && (i == 0 || x >= before)
			before = x
		}
		if number[c] {
			numbers++
		}
	}
	if numbers < 2 {
		return ""
	}
	// The first free column of which is says yes.
	taken := slices.Clone(t.roles)
	box := t.has(left) && t.has(top) && (t.has(width) && t.has(height) || t.has(right) && t.has(bottom))
	for c, r := range taken {
		if r >= left && r <= bottom && !box && !t.given[r] { // x1 and x2 are no box
			taken[c] = skip
		}
	}
	take := func(r role, is func(c int) bool) bool {
		if t.has(r) {
			return true
		}
		for c := range taken {
			if taken[c] == skip && !slices.Contains(t.unnamed, c) && is(c) {
				taken[c] = r
				return true
			}
		}
		return false
	}
	at := stamp
	switch polar := t.has(distance) && t.has(bearing); {
	case t.has(frame), t.has(stamp):
		at = skip
	case take(stamp, func(c int) bool { return rising[c] && !number[c] }): // dates
	case take(frame, func(c int) bool { return whole[c] && rising[c] }):
		at = frame
	case take(stamp, func(c int) bool { return rising[c] }):
	case numbers > 2 || polar:
		if take(frame, func(c int) bool { return whole[c] }) {
			at = frame
		} else if !take(stamp, func(c int) bool { return number[c] }) {
			at = skip
		}
	default:
		at = skip
	}
	fraction := func(c int) bool { return number[c] && !whole[c] }
	any := func(c int) bool { return number[c] }
	var roles []role
	if at != skip {
		roles = append(roles, at)
	}
	complete := at != skip || t.has(frame) || t.has(stamp)
	wanted := []role{posX, posY}
	switch {
	case box, t.has(distance) && t.has(bearing):
		wanted = nil
	case t.has(distance):
		wanted = []role{bearing}
	case t.has(bearing) && !t.has(posX) && !t.has(posY):
		wanted = []role{distance}
	case !t.has(posX) && !t.has(posY) && t.called(distance) && t.called(bearing):
		wanted = []role{distance, bearing}
	}
	fractions := 0 // columns, less those that are wanted: one that happens to have whole numbers keeps its place
	for _, r := range wanted {
		if !t.has(r) {
			fractions--
		}
	}
	for c := range taken {
		if taken[c] == skip && !slices.Contains(t.unnamed, c) && fraction(c) {
			fractions++
		}
	}
	for _, r := range wanted {
		named := func(c int) bool { // as head.x is
			name := plainName(t.names[c])
			of, _ := meaning(name[strings.LastIndexByte(name, '_')+1:])
			polar, _ := meaningIn(polarNames, name)
			return (of == r || polar == r) && number[c]
		}
		complete = (take(r, named) || fractions >= 0 && take(r, fraction) || take(r, any)) && complete
		roles = append(roles, r)
	}
	names := make([]string, len(t.names))
	for c, name := range t.names {
		names[c] = name
		if h.title == nil || name == "" {
			names[c] = fmt.Sprint(c + 1)
		}
	}
	said := fmt.Sprintf("its columns are %s", strings.Join(names, ", "))
	if h.title == nil {
		said = fmt.Sprintf("it has %d columns without names", len(names))
	}
	if !complete {
		return said + "; a table needs frame or time, x and y, or range and bearing"
	}
	var words []string
	for _, word := range slices.Sorted(maps.Keys(o.Columns)) {
		words = append(words, word+"="+o.Columns[word])
	}
	for _, r := range roles {
		c := slices.Index(taken, r)
		name := names[c]
		if strings.ContainsAny(name, ",= \t'\"") || slices.Index(names, name) != c { // or there are two
			name = fmt.Sprint(c + 1)
		}
		if !t.given[r] && t.roles[c] != r {
			words = append(words, r.word()+"="+name)
		}
	}
	if len(words) == 0 {
		return said
	}
	return said + ": say which they are, such as --columns " + strings.Join(words, ",")
}
