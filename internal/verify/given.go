package verify

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"

	"mtt/internal/npz"
	"mtt/internal/text"
)

// This file reads given costs anew, by code that shares nothing with package graphfile, and
// compares graph.npz with them.

// errUnread says that this check does not know a format.
var errUnread = errors.New("this check reads CSV, JSON lines and npz only")

// recompute compares all that a graph says of its problem with the file that it was made from.
func (g *graph) recompute(name string, res *Result) {
	given, err := readGiven(name)
	if err != nil {
		res.NotRecomputed = fmt.Sprintf("the costs: %s: %v", name, err)
		return
	}
	fail := func(format string, args ...any) {
		res.Valid = false
		if len(res.Problems) < maxProblems {
			res.Problems = append(res.Problems, fmt.Sprintf(format, args...))
		}
	}
	never := math.Inf(1)
	n, m := len(given.frame), len(given.cost)
	for _, x := range []struct {
		what      string
		have, was []float64
		without   float64 // what no array stands for
		count     int     // of it
	}{
		{"frame", g.frame, given.frame, 0, n}, {"tail", g.tail, given.tail, 0, m}, {"head", g.head, given.head, 0, m}, {"cost", g.cost, given.cost, 0, m},
		{"use", g.use, given.use, 0, n}, {"birth", g.birth, given.birth, 0, n}, {"end", g.end, given.end, 0, n}, {"false", g.unused, given.unused, 0, n},
		{"divide", g.divide, given.divide, never, n}, {"merge", g.merge, given.merge, never, n},
		{"triplet", g.triplet, given.triplet, 0, 0}, {"triplet_cost", g.tripletCost, given.tripletCost, 0, 0},
		{"division", g.division, given.division, 0, 0}, {"division_cost", g.divisionCost, given.divisionCost, 0, 0},
	} {
		length := func(s []float64) int {
			if s == nil {
				return x.count
			}
			return len(s)
		}
		count := length(x.was)
		if have := length(x.have); have != count {
			fail("%s of graph.npz has %d numbers, %s says %d", x.what, have, name, count)
			continue
		}
		at := func(s []float64, k int) float64 {
			if s == nil {
				return x.without
			}
			return s[k]
		}
		for k := range count {
			is, was := at(x.have, k), at(x.was, k)
			res.Recomputed++
			if is == was {
				continue
			}
			fail("%s %d of graph.npz is %v, %s says %v", x.what, k, is, name, was)
			if off := math.Abs(is-was) / (1 + math.Abs(was)); off > res.RecomputedWorst {
				res.RecomputedWorst = off
			}
		}
	}
}

// readGiven reads given costs.
func readGiven(name string) (*graph, error) {
	in, err := text.Open(name)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, errors.New("the file is no longer there")
		}
		return nil, err
	}
	data, err := io.ReadAll(in)
	if err := errors.Join(err, in.Close()); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(data, []byte("PK")) {
		f, err := npz.NewFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, err
		}
		return graphOf(f)
	}
	b := &given{graph: &graph{}, nodes: make(map[string]float64), arcs: make(map[[2]float64]float64)}
	for line := range strings.Lines(string(text.WithoutMark(data))) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		read := b.fields
		if line[0] == '{' {
			read = b.object
		}
		if err := read(line); err != nil {
			return nil, err
		}
	}
	return b.graph, nil
}

// A given is a graph that is read line by line.
type given struct {
	*graph
	nodes map[string]float64
	arcs  map[[2]float64]float64
}

// node adds a detection; missing prices are NaN.
func (b *given) node(name string, frame float64, price [6]float64) {
	b.nodes[name] = float64(len(b.frame))
	b.frame = append(b.frame, frame)
	for k, to := range []*[]float64{&b.use, &b.birth, &b.end, &b.unused, &b.divide, &b.merge} {
		x := price[k]
		if math.IsNaN(x) {
			if x = 0; k >= 4 {
				x = math.Inf(1)
			}
		}
		*to = append(*to, x)
	}
}

// relation adds an arc, a triplet or a division; the names are those of its detections.
func (b *given) relation(kind string, names []string, cost float64) error {
	of := make([]float64, len(names))
	for k, name := range names {
		var ok bool
		if of[k], ok = b.nodes[name]; !ok {
			return fmt.Errorf("no detection is called %q", name)
		}
	}
	if kind == "arc" {
		b.arcs[[2]float64{of[0], of[1]}] = float64(len(b.cost))
		b.tail, b.head, b.cost = append(b.tail, of[0]), append(b.head, of[1]), append(b.cost, cost)
		return nil
	}
	pairs, costs, second := &b.triplet, &b.tripletCost, [2]float64{of[1], of[2]}
	if kind == "division" {
		pairs, costs, second[0] = &b.division, &b.divisionCost, of[0]
	}
	one, ok := b.arcs[[2]float64{of[0], of[1]}]
	two, also := b.arcs[second]
	if !ok || !also {
		return fmt.Errorf("a %s of %s has arcs that are not there", kind, strings.Join(names, ", "))
	}
	*pairs, *costs = append(*pairs, one, two), append(*costs, cost)
	return nil
}

// fields reads a line of CSV.
func (b *given) fields(line string) error {
	r := csv.NewReader(strings.NewReader(line))
	r.LazyQuotes, r.TrimLeadingSpace = true, true
	w, err := r.Read()
	if err != nil {
		return errUnread
	}
	for k := range w {
		w[k] = strings.TrimSpace(w[k])
	}
	if fill := map[string]int{"arc": 4, "triplet": 5, "division": 5}[w[0]]; fill > 0 && len(w) > fill && strings.Join(w[fill:], "") == "" {
		w = w[:fill]
	}
	number := func(k int) float64 {
		if k < len(w) {
			if x, err := strconv.ParseFloat(w[k], 64); err == nil {
				return x
			}
		}
		return math.NaN()
	}
	last := len(w) - 1
	switch {
	case w[0] == "detection" && len(w) >= 3:
		var price [6]float64
		for k := range price {
			price[k] = number(3 + k)
		}
		b.node(w[1], number(2), price)
	case w[0] == "arc" && last == 3, (w[0] == "triplet" || w[0] == "division") && last == 4:
		return b.relation(w[0], w[1:last], number(last))
	default:
		return errUnread
	}
	return nil
}

// object reads a line of JSON.
func (b *given) object(line string) error {
	var o map[string]any
	d := json.NewDecoder(strings.NewReader(strings.NewReplacer(": Infinity", `: "inf"`, ":Infinity", `:"inf"`).Replace(line)))
	d.UseNumber()
	if err := d.Decode(&o); err != nil {
		return errUnread
	}
	number := func(key string) float64 {
		switch x := o[key].(type) {
		case json.Number:
			if v, err := x.Float64(); err == nil {
				return v
			}
		case string:
			if v, err := strconv.ParseFloat(x, 64); err == nil {
				return v
			}
		}
		return math.NaN()
	}
	if name, ok := o["detection"]; ok {
		b.node(fmt.Sprint(name), number("frame"), [6]float64{number("use"), number("birth"), number("end"), number("false"), number("divide"), number("merge")})
		return nil
	}
	for kind, count := range map[string]int{"arc": 2, "triplet": 3, "division": 3} {
		list, ok := o[kind].([]any)
		if !ok {
			continue
		}
		if len(list) != count {
			return errUnread
		}
		names := make([]string, count)
		for k, name := range list {
			names[k] = fmt.Sprint(name)
		}
		return b.relation(kind, names, number("cost"))
	}
	return errUnread
}
