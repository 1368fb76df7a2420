package graphfile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mtt/trackgraph"
)

// This file finds the tracking problem in an integer programme, whatever its variables are called.
//
// Each detection has a variable u that says whether it is used, and two balances, equations of
// coefficients ±1 with 0 on the right:
//
//	Σ arcs in  + born − merges        = u
//	Σ arcs out + ends − divisions …   = u
//
// So variables of two balances are detections and arcs: an arc leaves one balance and enters
// another, with the same sign as the others of its kind, and u has the other sign in both of its
// own. In each balance, u is alone on its side among these. Where both sides have one, the
// neighbours decide; they always do, as arcs go forward in time. Which balance of a detection is
// the one of arcs in is told by names, or by their order. Other rows say that u is needed for what
// stands there, that a division or a pair of arcs needs its arcs, or that two arcs together mean
// it. A row that is none of these is refused, and so is a programme that lacks one which its costs
// need.

// Kinds of variables of two balances.
const (
	unknown = iota
	usedVar
	arcVar
)

// A recogniser finds the graph of a programme.
type recogniser struct {
	*programme
	rows    []row     // with coefficients of balances ±1
	balance [][2]int  // of each variable: its balances; −1: none
	kind    []uint8   // of each variable of two balances
	user    []int32   // of each row: u of a balance; −1: it is none, or not known yet
	enters  []bool    // of each row: it is a balance of arcs in
	must    []bool    // the variable is 1
	never   []bool    // it is 0
	link    [][]int32 // of a variable in no balance, or of a division: the arcs that it needs
	meant   [][]int32 // the arcs that together mean it
	needs   [][]int   // of each variable of one balance: the numbers of the rows that bound it by u
}

// graph is the tracking problem of p, or an error that says why it is none.
func (p *programme) graph() (*File, error) {
	n := len(p.variable)
	r := &recogniser{programme: p, balance: make([][2]int, n), kind: make([]uint8, n), must: make([]bool, n), never: make([]bool, n),
		link: make([][]int32, n), meant: make([][]int32, n), needs: make([][]int, n)}
	for k := range r.balance {
		r.balance[k] = [2]int{-1, -1}
	}
	for _, step := range []func() error{r.bounds, r.balances, r.kinds, r.sides, r.others} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.build()
}

// refuse says that the programme is not a tracking problem.
func (r *recogniser) refuse(line int, format string, args ...any) error {
	return r.fault(line, "the forms that are known are those of docs/formats.md", "this is not a tracking problem: "+format, args...)
}

func (r *recogniser) name(v int32) string { return r.variable[v].name }

// bounds wants binary variables, and takes those that are fixed.
func (r *recogniser) bounds() error {
	for k := range r.variable {
		v := &r.variable[k]
		switch {
		case v.lo == v.up && (v.lo == 0 || v.lo == 1):
			r.never[k], r.must[k] = v.lo == 0, v.lo == 1
		case !v.whole || v.lo < 0 || v.up > 1:
			return r.refuse(0, "variable %s lies between %v and %v, and not in {0, 1}", v.name, v.lo, v.up)
		}
	}
	return nil
}

// balances finds the equations of arcs, and drops rows of one variable.
func (r *recogniser) balances() error {
	for _, x := range r.row {
		x.terms = collect(x.terms)
		if len(x.terms) == 0 {
			if x.sense != '>' && x.right < 0 || x.sense != '<' && x.right > 0 {
				return r.refuse(x.line, "row %s cannot hold", x.title())
			}
			continue
		}
		scale := math.Abs(x.terms[0].c)
		signs := true
		for k := range x.terms {
			x.terms[k].c /= scale
			signs = signs && math.Abs(x.terms[k].c) == 1
		}
		x.right /= scale
		if !signs {
			return r.refuse(x.line, "row %s has different coefficients", x.title())
		}
		if len(x.terms) == 1 {
			if err := r.alone(&x); err != nil {
				return err
			}
			continue
		}
		if x.sense == '=' {
			if x.right != 0 {
				return r.refuse(x.line, "row %s is an equation with %v on the right", x.title(), x.right)
			}
			for _, t := range x.terms {
				b := &r.balance[t.v]
				switch {
				case b[0] < 0:
					b[0] = len(r.rows)
				case b[1] < 0:
					b[1] = len(r.rows)
				default:
					return r.refuse(x.line, "variable %s is in three equations", r.name(t.v))
				}
			}
		}
		r.rows = append(r.rows, x)
	}
	return nil
}

// collect adds up the terms of each variable.
func collect(terms []term) (out []term) {
	terms = slices.Clone(terms)
	slices.SortStableFunc(terms, func(a, b term) int { return int(a.v) - int(b.v) })
	for _, t := range terms {
		if k := len(out) - 1; k >= 0 && out[k].v == t.v {
			out[k].c += t.c
		} else {
			out = append(out, t)
		}
	}
	return slices.DeleteFunc(out, func(t term) bool { return t.c == 0 })
}

// alone takes a row of one variable.
func (r *recogniser) alone(x *row) error {
	t := x.terms[0]
	s, right := x.sense, x.right
	if t.c < 0 {
		right = -right
		s = map[byte]byte{'<': '>', '>': '<', '=': '='}[s]
	}
	switch {
	case s == '=' && right == 1, s == '>' && right > 0 && right <= 1:
		r.must[t.v] = true
	case s == '=' && right == 0, s == '<' && right >= 0 && right < 1:
		r.never[t.v] = true
	case s == '<' && right >= 1, s == '>' && right <= 0:
	default:
		return r.refuse(x.line, "row %s cannot hold", x.title())
	}
	if r.must[t.v] && r.never[t.v] {
		return r.refuse(x.line, "variable %s must be 0 and 1", r.name(t.v))
	}
	return nil
}

// isBalance says whether a row is an equation.
func (x *row) isBalance() bool { return x.sense == '=' }

// kinds tells detections from arcs.
func (r *recogniser) kinds() error {
	r.user = slices.Repeat([]int32{-1}, len(r.rows))
	todo := make([]int, len(r.rows))
	for k := range todo {
		todo[k] = k
	}
	told := func(v int32, kind uint8, from int) {
		if r.kind[v] != unknown {
			return
		}
		r.kind[v] = kind
		for _, b := range r.balance[v] {
			if kind == usedVar && r.user[b] < 0 {
				r.user[b] = v
			}
			if b != from {
				todo = append(todo, b)
			}
		}
	}
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		x := &r.rows[k]
		if !x.isBalance() {
			continue
		}
		var sides [2][]int32 // variables of two balances, by sign
		for _, t := range x.terms {
			if r.balance[t.v][1] >= 0 {
				s := 0
				if t.c < 0 {
					s = 1
				}
				sides[s] = append(sides[s], t.v)
			}
		}
		if r.user[k] < 0 {
			var alone []int32
			for _, side := range sides {
				if len(side) == 1 && r.kind[side[0]] != arcVar {
					alone = append(alone, side[0])
				}
			}
			switch len(alone) {
			case 0:
				return r.refuse(x.line, "row %s has no variable that says whether a detection is used", x.title())
			case 2:
				continue // its neighbours will tell
			}
			told(alone[0], usedVar, k)
		}
		for _, side := range sides {
			for _, v := range side {
				switch {
				case v == r.user[k]:
					if len(side) > 1 {
						return r.refuse(x.line, "row %s has %s on the same side as other detections or arcs", x.title(), r.name(v))
					}
				case r.kind[v] == usedVar:
					return r.refuse(x.line, "row %s has two detections, %s and %s", x.title(), r.name(v), r.name(r.user[k]))
				default:
					told(v, arcVar, k)
				}
			}
		}
	}
	for k := range r.rows {
		if x := &r.rows[k]; x.isBalance() && r.user[k] < 0 {
			return r.refuse(x.line, "row %s: it cannot be told what is a detection and what an arc: they run in a circle", x.title())
		}
	}
	return nil
}

// sides tells balances of arcs in from those of arcs out, part by part.
func (r *recogniser) sides() error {
	r.enters = make([]bool, len(r.rows))
	seen := make([]bool, len(r.rows))
	for k := range r.rows {
		if !r.rows[k].isBalance() || seen[k] {
			continue
		}
		part, vote := []int{k}, 0
		seen[k], r.enters[k] = true, true
		for at := 0; at < len(part); at++ {
			b := part[at]
			for _, t := range r.rows[b].terms {
				two := r.balance[t.v]
				if two[1] < 0 {
					if hint := byName(r.name(t.v)); r.enters[b] {
						vote += 4 * hint
					} else {
						vote -= 4 * hint
					}
					continue
				}
				other := two[0] + two[1] - b
				if !seen[other] {
					seen[other], r.enters[other] = true, !r.enters[b]
					part = append(part, other)
				} else if r.enters[other] == r.enters[b] {
					return r.refuse(r.rows[b].line, "row %s: %s joins two balances of the same side", r.rows[b].title(), r.name(t.v))
				}
				if r.kind[t.v] == usedVar && b < other {
					if r.enters[b] {
						vote++
					} else {
						vote--
					}
				}
			}
		}
		if vote < 0 {
			for _, b := range part {
				r.enters[b] = !r.enters[b]
			}
		}
	}
	return nil
}

// byName is 1 for names of births and merges, −1 for those of ends and divisions.
func byName(name string) int {
	name = strings.ToLower(name)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(name, w) })
	}
	switch {
	case has("disapp", "end", "e_", "death", "exit", "leave", "sink", "div", "split", "q_", "y_"):
		return -1
	case has("app", "birth", "born", "b_", "enter", "start", "source", "merge", "m_"):
		return 1
	}
	return 0
}

// others takes the rows that are no balances.
func (r *recogniser) others() error {
	for k := range r.rows {
		x := &r.rows[k]
		if x.isBalance() {
			continue
		}
		if x.sense == '>' { // as ≤
			for i := range x.terms {
				x.terms[i].c = -x.terms[i].c
			}
			x.right = -x.right
		}
		var plus, minus []int32
		for _, t := range x.terms {
			if t.c > 0 {
				plus = append(plus, t.v)
			} else {
				minus = append(minus, t.v)
			}
		}
		switch {
		case x.right == 0 && len(minus) == 1 && r.kind[minus[0]] == usedVar && r.ofDetection(plus, minus[0]):
			for _, v := range plus {
				r.needs[v] = append(r.needs[v], k)
			}
		case x.right == 0 && len(minus) == 1 && len(plus) == 1 && r.kind[minus[0]] == arcVar && r.balance[plus[0]][1] < 0:
			if v := plus[0]; !slices.Contains(r.link[v], minus[0]) {
				r.link[v] = append(r.link[v], minus[0])
			}
		case x.right == 1 && len(minus) == 1 && len(plus) == 2 && r.kind[plus[0]] == arcVar && r.kind[plus[1]] == arcVar && r.balance[minus[0]][1] < 0:
			r.meant[minus[0]] = plus
		default:
			return r.refuse(x.line, "row %s is none of those of one", x.title())
		}
	}
	return nil
}

// title is the name of a row, or where it is.
func (x *row) title() string {
	if x.name == "" {
		return fmt.Sprintf("in line %d", x.line)
	}
	return x.name
}

// ofDetection says whether all variables are births, ends and such of detection u, or arcs at it,
// and of one side.
func (r *recogniser) ofDetection(list []int32, u int32) bool {
	for _, v := range list {
		ok := false
		for _, b := range r.balance[v] {
			ok = ok || b >= 0 && r.user[b] == u
		}
		if !ok {
			return false
		}
	}
	return len(list) > 0
}

// A mother collects what stands in the balance of arcs out of a detection, or in that of arcs in.
type mother struct {
	none    int32   // birth or end
	two     int32   // division or merge
	special []int32 // divisions of their own price
}

// build makes the graph.
func (r *recogniser) build() (*File, error) {
	f := &File{}
	number := make(map[int32]int32) // u → detection
	constant := r.constant
	sign := func(v int32, b int) float64 {
		for _, t := range r.rows[b].terms {
			if t.v == v {
				return t.c
			}
		}
		return 0
	}
	price := func(v int32) float64 {
		if v < 0 || r.never[v] {
			return math.Inf(1)
		}
		return r.variable[v].cost
	}
	side := make(map[int]*mother) // by balance
	for k := range r.variable {
		v := int32(k)
		if r.kind[v] == usedVar {
			number[v] = int32(len(f.Names))
			f.Names = append(f.Names, r.name(v))
			for _, b := range r.balance[v] {
				side[b] = &mother{none: -1, two: -1}
			}
		}
	}
	trim(f.Names)
	for k := range r.variable {
		v, b := int32(k), r.balance[k][0]
		if r.kind[v] != unknown || b < 0 {
			continue
		}
		m := side[b]
		switch of := sign(v, b); {
		case of != sign(r.user[b], b):
			if m.none >= 0 {
				return nil, r.refuse(r.rows[b].line, "row %s has two variables for no arc, %s and %s", r.rows[b].title(), r.name(m.none), r.name(v))
			}
			m.none = v
		case len(r.link[v]) > 0:
			if r.enters[b] || len(r.link[v]) != 2 {
				return nil, r.refuse(r.rows[b].line, "variable %s needs %d arcs: divisions of their own price need two", r.name(v), len(r.link[v]))
			}
			m.special = append(m.special, v)
		case m.two >= 0:
			return nil, r.refuse(r.rows[b].line, "row %s has two variables for two arcs, %s and %s", r.rows[b].title(), r.name(m.two), r.name(v))
		default:
			m.two = v
		}
		if r.must[v] {
			return nil, r.refuse(0, "variable %s must be 1", r.name(v))
		}
	}
	in, out := make([]*mother, len(f.Names)), make([]*mother, len(f.Names))
	for u, d := range number {
		for _, b := range r.balance[u] {
			if r.enters[b] {
				in[d] = side[b]
			} else {
				out[d] = side[b]
			}
			if err := r.bounded(side[b], b); err != nil {
				return nil, err
			}
		}
	}
	for k := range r.variable {
		if r.kind[k] != usedVar {
			continue
		}
		d := number[int32(k)]
		unused := 0.0
		if r.must[k] {
			unused = math.Inf(1)
		}
		birth := price(in[d].none)
		if r.never[k] { // nothing can come
			birth = math.Inf(1)
		}
		f.Use, f.False = append(f.Use, r.variable[k].cost), append(f.False, unused)
		f.Birth, f.End = append(f.Birth, birth), append(f.End, price(out[d].none))
		f.Divide, f.Merge = append(f.Divide, price(out[d].two)), append(f.Merge, price(in[d].two))
	}
	arc := make(map[int32]int32)
	for k := range r.variable {
		v := int32(k)
		switch {
		case r.kind[k] == arcVar:
			i, j := r.between(v)
			if r.must[k] {
				return nil, r.refuse(0, "arc %s must be chosen", r.name(v))
			}
			if r.never[k] || r.never[r.user[i]] || r.never[r.user[j]] {
				continue
			}
			arc[v] = int32(len(f.Cost))
			f.Tail, f.Head = append(f.Tail, number[r.user[i]]), append(f.Head, number[r.user[j]])
			f.Cost = append(f.Cost, r.variable[k].cost)
		case r.kind[k] == unknown && r.balance[k][0] < 0 && r.link[k] == nil && r.meant[k] == nil:
			if c := r.variable[k].cost; r.must[k] || c < 0 && !r.never[k] { // nobody else wants it
				constant += c
			}
		}
	}
	if err := r.pairs(f, arc, out); err != nil {
		return nil, err
	}
	if !levels(f) {
		return nil, r.refuse(0, "arcs run in a circle")
	}
	if constant != 0 && len(f.Use) > 0 { // every answer pays it
		f.Use[0] += constant
		f.False[0] += constant
	}
	return f, nil
}

// bounded wants the rows that the variables of a side need: what stands for two arcs needs u, and
// only one of all may be there unless two together save nothing.
func (r *recogniser) bounded(m *mother, b int) error {
	list := m.special
	if m.two >= 0 {
		list = append(slices.Clone(list), m.two)
	}
	for i, v := range list {
		if r.never[v] {
			continue
		}
		if len(r.needs[v]) == 0 {
			return r.refuse(r.rows[b].line, "nothing says that %s needs %s", r.name(v), r.name(r.user[b]))
		}
		joint := func(w int32) bool {
			return slices.ContainsFunc(r.needs[v], func(k int) bool { return slices.Contains(r.needs[w], k) })
		}
		for _, w := range list[:i] {
			if !r.never[w] && !joint(w) {
				return r.refuse(r.rows[b].line, "nothing says that %s and %s exclude each other", r.name(v), r.name(w))
			}
		}
		if w := m.none; w >= 0 && !r.never[w] && !joint(w) && r.variable[v].cost+r.variable[w].cost < 0 {
			return r.refuse(r.rows[b].line, "nothing says that %s and %s exclude each other, and both save something", r.name(v), r.name(w))
		}
	}
	return nil
}

// pairs adds divisions of their own price, and triplets.
func (r *recogniser) pairs(f *File, arc map[int32]int32, out []*mother) error {
	for k := range r.variable {
		v := int32(k)
		c := r.variable[k].cost
		b := r.balance[k][0]
		needs, meant := r.link[k], r.meant[k]
		if needs == nil && meant == nil || r.kind[k] != unknown {
			continue
		}
		if r.must[k] || needs != nil && meant != nil && !slices.Contains(meant, needs[0]) {
			return r.refuse(0, "variable %s must be 1, or belongs to several pairs of arcs", r.name(v))
		}
		if needs == nil {
			needs = meant
		}
		if len(needs) != 2 {
			return r.refuse(0, "variable %s belongs to %d arcs", r.name(v), len(needs))
		}
		one, ok1 := arc[needs[0]]
		two, ok2 := arc[needs[1]]
		if !ok1 || !ok2 {
			continue // an arc that nobody can choose
		}
		if b >= 0 { // a division
			d := f.Tail[one]
			if from, _ := r.between(needs[0]); f.Tail[two] != d || r.user[b] != r.user[from] {
				return r.refuse(0, "variable %s is a division of other arcs than those of its row", r.name(v))
			}
			if r.never[k] {
				return r.refuse(0, "the division %s is 0: leave it out", r.name(v))
			}
			if m := out[d]; meant == nil && m.two >= 0 && !r.never[m.two] {
				c = min(c, r.variable[m.two].cost) // either says it
			}
			f.Divisions = append(f.Divisions, trackgraph.Division{First: one, Second: two, Cost: c})
			continue
		}
		if f.Head[one] != f.Tail[two] {
			one, two = two, one
		}
		switch {
		case f.Head[one] != f.Tail[two]:
			return r.refuse(0, "variable %s joins arcs that do not follow each other", r.name(v))
		case c > 0 && meant == nil: // it is 0 then
			continue
		case c < 0 && len(r.link[k]) != 2:
			return r.refuse(0, "nothing says that %s needs both of its arcs", r.name(v))
		case r.never[k]:
			return r.refuse(0, "variable %s, a pair of arcs, is 0", r.name(v))
		}
		f.Triplets = append(f.Triplets, trackgraph.Triplet{In: one, Out: two, Cost: c})
	}
	return nil
}

// between is the balance that an arc leaves, and that which it enters.
func (r *recogniser) between(arc int32) (from, to int) {
	from, to = r.balance[arc][0], r.balance[arc][1]
	if r.enters[from] {
		return to, from
	}
	return from, to
}

// trim takes the beginning off names that all have it: u_7 becomes 7.
func trim(names []string) {
	if len(names) == 0 {
		return
	}
	i := strings.LastIndexByte(names[0], '_') + 1
	for _, n := range names {
		if !strings.HasPrefix(n, names[0][:i]) || len(n) == i {
			return
		}
	}
	for k := range names {
		names[k] = names[k][i:]
	}
}

// levels gives each detection the length of the longest way to it for a frame, and reports whether
// there is one.
func levels(f *File) bool {
	n := len(f.Names)
	f.Frame = make([]int, n)
	waits := make([]int32, n)
	after := make([][]int32, n)
	for a, j := range f.Head {
		waits[j]++
		after[f.Tail[a]] = append(after[f.Tail[a]], j)
	}
	var ready []int32
	for d := range waits {
		if waits[d] == 0 {
			ready = append(ready, int32(d))
		}
	}
	done := 0
	for ; len(ready) > 0; done++ {
		d := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, j := range after[d] {
			f.Frame[j] = max(f.Frame[j], f.Frame[d]+1)
			if waits[j]--; waits[j] == 0 {
				ready = append(ready, j)
			}
		}
	}
	return done == n
}
