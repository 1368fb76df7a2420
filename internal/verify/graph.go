package verify

import (
	"fmt"
	"math"
	"slices"

	"mtt/internal/npz"
)

// This file checks the answer and the bound of a tracking problem on given costs, from the
// arrays of graph.npz alone.

// A graph is what the file says.
type graph struct {
	frame, tail, head                            []float64
	cost, use, birth, end, unused, divide, merge []float64
	triplet, tripletCost, division, divisionCost []float64
	used, chosen, link                           []float64

	marginArc, marginBirth, marginEnd, marginUnused []float64
	claimed                                         bool // margins
}

// A GraphInput is what the files of mtt track --arcs say.
type GraphInput struct {
	File     string  // graph.npz
	Claims   []Claim // bounds that other files claim
	BySearch bool    // solve.json says that margins rest on search

	// Sums are the SHA-256 that solve.json has of files, by the file's name, and that they have
	// now; nil: solve.json has none.
	Sums []Sum

	Given string // the file that the costs are from, with which they are compared; "": they are not

	// Of answer.csv, for each detection: its track, 0 where it is not used, and its margin, of the
	// links before it or of its birth or of not being used; nil: there is none. NaN: none is
	// claimed.
	Track, Margin []float64
}

// A Sum is that of a file.
type Sum struct{ File, Said, Is string }

// Graph checks graph.npz: that the answer is one, what it costs, and which lower bound the prices
// link prove: link[a] is what arc a costs its tail, its head pays the rest, and each detection by
// itself takes the cheapest of what it may do. Sums of the bound are rounded downwards, those of
// the price upwards. Margins, in margin_arc, margin_birth, margin_end and margin_unused, are what
// every answer costs more in which that arc, or that a detection is born, ends or is not used, is
// otherwise; one that is higher than the prices prove is a problem, unless they are said to rest on
// a search: then it is unproved. What answer.csv says must agree, and with Given every number of
// the problem.
func Graph(in *GraphInput) (*Result, error) {
	g, err := readGraph(in.File)
	if err != nil {
		return nil, err
	}
	res := g.check(in)
	for _, x := range in.Sums {
		if x.Said != x.Is {
			res.Valid = false
			res.Problems = append(res.Problems, fmt.Sprintf("%s is not the file that solve.json is about: its SHA-256 is %s, not %s", x.File, x.Is, x.Said))
		}
	}
	if in.Given != "" {
		g.recompute(in.Given, res)
	}
	return res, nil
}

// readGraph reads the arrays of graph.npz.
func readGraph(name string) (*graph, error) {
	f, err := npz.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return graphOf(f)
}

// graphOf reads the arrays of a graph.
func graphOf(f *npz.File) (*graph, error) {
	g := &graph{}
	have := make(map[string]bool)
	for _, n := range f.Names() {
		have[n] = true
	}
	for n, to := range map[string]*[]float64{
		"frame": &g.frame, "tail": &g.tail, "head": &g.head, "cost": &g.cost, "use": &g.use, "birth": &g.birth,
		"end": &g.end, "false": &g.unused, "divide": &g.divide, "merge": &g.merge, "triplet": &g.triplet,
		"triplet_cost": &g.tripletCost, "division": &g.division, "division_cost": &g.divisionCost,
		"used": &g.used, "chosen": &g.chosen, "link": &g.link,
		"margin_arc": &g.marginArc, "margin_birth": &g.marginBirth, "margin_end": &g.marginEnd, "margin_unused": &g.marginUnused,
	} {
		if !have[n] && !have[n+".npy"] {
			continue
		}
		a, err := f.Array(n)
		if err != nil {
			return nil, err
		}
		*to = a.Float64s()
	}
	g.claimed = g.marginArc != nil || g.marginBirth != nil || g.marginEnd != nil || g.marginUnused != nil
	return g, nil
}

// check is what Graph does.
func (g *graph) check(in *GraphInput) *Result {
	res := &Result{Valid: true, Certified: true, LowerBound: math.NaN(), UpperBound: math.NaN(), GapPercent: math.NaN(), Made: "given arcs"}
	fail := func(format string, args ...any) {
		res.Valid = false
		res.Problems = append(res.Problems, fmt.Sprintf(format, args...))
	}
	if why := g.shape(); why != "" {
		fail("%s", why)
		return res
	}
	upper, why := g.price()
	if why != "" {
		fail("%s", why)
		return res
	}
	var rise *rises
	res.UpperBound = upper
	res.LowerBound, rise = g.prove()
	for _, x := range g.chosen {
		res.Links += int(x)
	}
	if upper != 0 {
		res.GapPercent = gapPercent(min(res.LowerBound, upper), upper, g.mass())
	}
	slack := 1e-9*(math.Abs(upper)+math.Abs(res.LowerBound)) + 1e-11*g.mass()
	for _, c := range in.Claims {
		if c.Upper-upper > slack || upper-c.Upper > slack {
			fail("%s claims that the answer costs %v, it costs %v", c.Source, c.Upper, upper)
		}
		if c.Lower > res.LowerBound+slack {
			fail("%s claims the lower bound %v, the prices prove %v", c.Source, c.Lower, res.LowerBound)
		}
	}
	var first string
	res.Margins, res.MarginsProved, first = g.margins(down(res.LowerBound-upper), slack, rise)
	if first != "" && !in.BySearch {
		fail("%s", first)
	} else if first != "" {
		res.Unproved = append(res.Unproved, fmt.Sprintf("%d of %d margins rest on search: the prices prove less", res.Margins-res.MarginsProved, res.Margins))
	}
	if why := g.answer(in); why != "" {
		fail("answer.csv: %s", why)
	}
	return res
}

// mass is the sum of the magnitudes of costs, of which rounding is a share.
func (g *graph) mass() float64 { return magnitudes(g.cost, g.use, g.unused) }

// magnitudes is the sum of those of all finite prices.
func (g *graph) magnitudes() float64 {
	return magnitudes(g.cost, g.link, g.use, g.birth, g.end, g.unused, g.divide, g.merge, g.tripletCost, g.divisionCost)
}

func magnitudes(lists ...[]float64) (sum float64) {
	for _, list := range lists {
		for _, x := range list {
			if !math.IsInf(x, 0) {
				sum += math.Abs(x)
			}
		}
	}
	return sum
}

// answer is what is wrong with what answer.csv says; "" is nothing.
func (g *graph) answer(in *GraphInput) string {
	if in.Track == nil {
		return ""
	}
	n := len(g.frame)
	if len(in.Track) != n || in.Margin != nil && len(in.Margin) != n {
		return fmt.Sprintf("there are %d lines, want one for each of %d detections", len(in.Track), n)
	}
	outs, ins, margin := make([]int, n), make([]int, n), g.before()
	for a, x := range g.chosen {
		if x == 1 {
			outs[int(g.tail[a])]++
			ins[int(g.head[a])]++
		}
	}
	goes := make([]bool, n) // on with the track before
	for a, x := range g.chosen {
		i, j := int(g.tail[a]), int(g.head[a])
		if x != 1 {
			continue
		}
		goes[j] = outs[i] == 1 && ins[j] == 1
		if same := in.Track[i] == in.Track[j]; same != goes[j] {
			return fmt.Sprintf("detections %d and %d are in the tracks %v and %v", i, j, in.Track[i], in.Track[j])
		}
	}
	begins := make(map[float64]int)
	for d, track := range in.Track {
		if (track == 0) != (g.used[d] == 0) {
			return fmt.Sprintf("detection %d is in track %v", d, track)
		}
		if track != 0 && !goes[d] {
			if first, ok := begins[track]; ok {
				return fmt.Sprintf("track %v begins at the detections %d and %d", track, first, d)
			}
			begins[track] = d
		}
		if in.Margin != nil && !math.IsNaN(in.Margin[d]) && (margin == nil || !(in.Margin[d] <= margin[d])) {
			return fmt.Sprintf("detection %d has a margin of %v, graph.npz does not say so", d, in.Margin[d])
		}
	}
	return ""
}

// before is the margin of each detection: of the links before it, the least, or of its birth, or of
// not being used; nil: none is claimed.
func (g *graph) before() []float64 {
	if !g.claimed {
		return nil
	}
	margin, linked := slices.Clone(g.marginUnused), make([]bool, len(g.frame))
	for d := range margin {
		if g.used[d] == 1 {
			margin[d] = g.marginBirth[d]
		}
	}
	for a, x := range g.chosen {
		if j := int(g.head[a]); x == 1 {
			if !linked[j] || g.marginArc[a] < margin[j] {
				margin[j] = g.marginArc[a]
			}
			linked[j] = true
		}
	}
	return margin
}

// shape is what is wrong with the lengths, the arcs or the numbers; "" is nothing.
func (g *graph) shape() string {
	n, m := len(g.frame), len(g.cost)
	for _, s := range []struct {
		what string
		of   []float64
		n    int
		need bool
	}{
		{"tail", g.tail, m, true}, {"head", g.head, m, true}, {"used", g.used, n, true}, {"chosen", g.chosen, m, true},
		{"link", g.link, m, true}, {"margin_arc", g.marginArc, m, g.claimed}, {"margin_birth", g.marginBirth, n, g.claimed},
		{"margin_end", g.marginEnd, n, g.claimed}, {"margin_unused", g.marginUnused, n, g.claimed}, {"use", g.use, n, false}, {"birth", g.birth, n, false}, {"end", g.end, n, false},
		{"false", g.unused, n, false}, {"divide", g.divide, n, false}, {"merge", g.merge, n, false},
		{"triplet", g.triplet, 2 * len(g.tripletCost), true}, {"division", g.division, 2 * len(g.divisionCost), true},
	} {
		if len(s.of) != s.n && (s.need || s.of != nil) {
			return fmt.Sprintf("array %s has %d elements, want %d", s.what, len(s.of), s.n)
		}
		for k, x := range s.of {
			if math.IsNaN(x) || math.IsInf(x, -1) {
				return fmt.Sprintf("element %d of %s is %v", k, s.what, x)
			}
		}
	}
	index := func(x float64, n int) bool { return x == math.Trunc(x) && x >= 0 && x < float64(n) }
	for a := range m {
		switch {
		case !index(g.tail[a], n) || !index(g.head[a], n):
			return fmt.Sprintf("arc %d joins %v and %v of %d detections", a, g.tail[a], g.head[a], n)
		case g.frame[int(g.tail[a])] >= g.frame[int(g.head[a])]:
			return fmt.Sprintf("arc %d does not go forward in time", a)
		case math.IsInf(g.cost[a], 0) || math.IsInf(g.link[a], 0) || math.IsNaN(g.cost[a]):
			return fmt.Sprintf("the cost of arc %d, or its price, is not finite", a)
		case g.chosen[a] != 0 && g.chosen[a] != 1:
			return fmt.Sprintf("arc %d is chosen %v times", a, g.chosen[a])
		}
	}
	for k := range g.tripletCost {
		a, b := g.triplet[2*k], g.triplet[2*k+1]
		if !index(a, m) || !index(b, m) || g.head[int(a)] != g.tail[int(b)] {
			return fmt.Sprintf("triplet %d is none", k)
		}
		if x := g.tripletCost[k]; x-x != 0 {
			return fmt.Sprintf("triplet %d costs %v", k, x)
		}
	}
	for k := range g.divisionCost {
		a, b := g.division[2*k], g.division[2*k+1]
		if !index(a, m) || !index(b, m) || a == b || g.tail[int(a)] != g.tail[int(b)] {
			return fmt.Sprintf("division %d is none", k)
		}
		if x := g.divisionCost[k]; x-x != 0 {
			return fmt.Sprintf("division %d costs %v", k, x)
		}
	}
	if !(16*g.magnitudes() < math.MaxFloat64) {
		return "its numbers are too large to be added up"
	}
	return ""
}

// of is element d of a list of prices, or what its absence stands for.
func of(list []float64, d int, without float64) float64 {
	if list == nil {
		return without
	}
	return list[d]
}

// node is a detection with its arcs, triplets and divisions.
type node struct {
	in, out             []int
	triplets, divisions []int
}

func (g *graph) nodes() []node {
	list := make([]node, len(g.frame))
	for a := range g.cost {
		i, j := int(g.tail[a]), int(g.head[a])
		list[i].out, list[j].in = append(list[i].out, a), append(list[j].in, a)
	}
	for k := range g.tripletCost {
		d := int(g.head[int(g.triplet[2*k])])
		list[d].triplets = append(list[d].triplets, k)
	}
	for k := range g.divisionCost {
		d := int(g.tail[int(g.division[2*k])])
		list[d].divisions = append(list[d].divisions, k)
	}
	return list
}

// second is the price of two successors a and b of detection d.
func (g *graph) second(d int, n *node, a, b int) float64 {
	for _, k := range n.divisions {
		x, y := int(g.division[2*k]), int(g.division[2*k+1])
		if x == a && y == b || x == b && y == a {
			return g.divisionCost[k]
		}
	}
	return of(g.divide, d, math.Inf(1))
}

// price is what the answer costs, rounded upwards, or why it is none.
func (g *graph) price() (total float64, why string) {
	add := func(x float64) { total = -down(-(total + x)) }
	for d, n := range g.nodes() {
		var in, out []int
		for _, a := range n.in {
			if g.chosen[a] == 1 {
				in = append(in, a)
			}
		}
		for _, a := range n.out {
			if g.chosen[a] == 1 {
				out = append(out, a)
				add(g.cost[a])
			}
		}
		if g.used[d] == 0 {
			if len(in)+len(out) > 0 {
				return 0, fmt.Sprintf("detection %d is not used and has arcs", d)
			}
			add(of(g.unused, d, 0))
			continue
		}
		add(of(g.use, d, 0))
		switch len(in) {
		case 0:
			add(of(g.birth, d, 0))
		case 1:
		case 2:
			add(of(g.merge, d, math.Inf(1)))
		default:
			return 0, fmt.Sprintf("detection %d has %d predecessors", d, len(in))
		}
		switch len(out) {
		case 0:
			add(of(g.end, d, 0))
		case 1:
		case 2:
			add(g.second(d, &n, out[0], out[1]))
		default:
			return 0, fmt.Sprintf("detection %d has %d successors", d, len(out))
		}
		for _, k := range n.triplets {
			if g.chosen[int(g.triplet[2*k])] == 1 && g.chosen[int(g.triplet[2*k+1])] == 1 {
				add(g.tripletCost[k])
			}
		}
	}
	if math.IsInf(total, 1) {
		return 0, "the answer does something forbidden"
	}
	return total, ""
}

// A combination is what a detection may do on one side: arcs, and what they cost; all is the least that the
// detection costs with it. Everything is rounded downwards.
type combination struct {
	arcs      []int
	cost, all float64
}

// down is a number below x, a rounded sum of two, that is no more than the sum. One that is 0 is exact,
// and what is forbidden stays so: finite numbers do not add up to it (shape).
func down(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) {
		return x
	}
	return math.Nextafter(x, math.Inf(-1))
}

// combinations are those of both sides of detection d.
func (g *graph) combinations(d int, n *node) (ins, outs []combination) {
	never := math.Inf(1)
	ins = []combination{{nil, of(g.birth, d, 0), never}}
	for i, a := range n.in {
		x := down(g.cost[a] - g.link[a])
		ins = append(ins, combination{[]int{a}, x, never})
		if m := of(g.merge, d, never); !math.IsInf(m, 1) {
			for _, b := range n.in[:i] {
				ins = append(ins, combination{[]int{a, b}, down(down(x+down(g.cost[b]-g.link[b])) + m), never})
			}
		}
	}
	outs = []combination{{nil, of(g.end, d, 0), never}}
	for i, a := range n.out {
		outs = append(outs, combination{[]int{a}, g.link[a], never})
		if of(g.divide, d, never) < never || n.divisions != nil {
			for _, b := range n.out[:i] {
				outs = append(outs, combination{[]int{a, b}, down(down(g.link[a]+g.link[b]) + g.second(d, n, a, b)), never})
			}
		}
	}
	use := of(g.use, d, 0)
	if n.triplets == nil {
		least := func(list []combination) float64 {
			best := never
			for k := range list {
				best = math.Min(best, list[k].cost)
			}
			return best
		}
		before, after := least(ins), least(outs)
		for k := range ins {
			ins[k].all = down(use + down(ins[k].cost+after))
		}
		for k := range outs {
			outs[k].all = down(use + down(outs[k].cost+before))
		}
		return ins, outs
	}
	price := make(map[[2]int]float64, len(n.triplets))
	for _, k := range n.triplets {
		price[[2]int{int(g.triplet[2*k]), int(g.triplet[2*k+1])}] = g.tripletCost[k]
	}
	for i := range ins {
		for j := range outs {
			x, y := &ins[i], &outs[j]
			c := down(x.cost + y.cost)
			for _, a := range x.arcs {
				for _, b := range y.arcs {
					c = down(c + price[[2]int{a, b}])
				}
			}
			c = down(use + c)
			x.all, y.all = math.Min(x.all, c), math.Min(y.all, c)
		}
	}
	return ins, outs
}

// least is the least that a detection costs with a combination for which ok holds, over those of one side.
func least(list []combination, ok func(*combination) bool) float64 {
	best := math.Inf(1)
	for k := range list {
		if x := &list[k]; x.all < best && ok(x) {
			best = x.all
		}
	}
	return best
}

// prove is the bound that the prices prove, rounded downwards, and by how much the sum of what the
// detections cost rises, at least, where something is otherwise than in the answer.
func (g *graph) prove() (bound float64, rise *rises) {
	n := len(g.frame)
	rise = &rises{make([]float64, len(g.cost)), make([]float64, n), make([]float64, n), make([]float64, n)}
	for d, node := range g.nodes() {
		ins, outs := g.combinations(d, &node)
		unused := of(g.unused, d, 0)
		used := least(ins, func(*combination) bool { return true })
		all := math.Min(unused, used)
		bound = down(bound + all)
		if !g.claimed {
			continue
		}
		more := func(x float64) float64 { return math.Max(0, down(x-all)) }
		// What the detection costs when arc a, −1 for none at all, is not as in the answer.
		other := func(list []combination, a int, chosen bool) float64 {
			x := least(list, func(c *combination) bool {
				has := slices.Contains(c.arcs, a)
				if a < 0 {
					has = len(c.arcs) == 0
				}
				return has != chosen
			})
			if chosen {
				x = math.Min(x, unused)
			}
			return more(x)
		}
		begins, ends := g.used[d] == 1, g.used[d] == 1
		for _, a := range node.in {
			begins = begins && g.chosen[a] == 0
			rise.arc[a] = down(rise.arc[a] + other(ins, a, g.chosen[a] == 1))
		}
		for _, a := range node.out {
			ends = ends && g.chosen[a] == 0
			rise.arc[a] = down(rise.arc[a] + other(outs, a, g.chosen[a] == 1))
		}
		rise.birth[d], rise.end[d] = other(ins, -1, begins), other(outs, -1, ends)
		if rise.unused[d] = more(unused); g.used[d] == 0 {
			rise.unused[d] = more(used)
		}
	}
	return bound, rise
}

// rises belong to the arrays margin_arc, margin_birth, margin_end and margin_unused.
type rises struct{ arc, birth, end, unused []float64 }

// margins compares what is claimed with what is proved, and returns how many claims there are, how
// many hold by the prices, and the first that does not.
func (g *graph) margins(spare, slack float64, rise *rises) (claims, proved int, first string) {
	for _, x := range []struct {
		name        string
		claim, rise []float64
	}{{"arc", g.marginArc, rise.arc}, {"birth", g.marginBirth, rise.birth}, {"end", g.marginEnd, rise.end}, {"unused", g.marginUnused, rise.unused}} {
		for k, claim := range x.claim {
			claims++
			switch most := down(spare + x.rise[k]); {
			case claim <= most || claim-most <= slack:
				proved++
			case first == "":
				first = fmt.Sprintf("margin_%s: element %d is %v, the prices prove %v", x.name, k, claim, most)
			}
		}
	}
	return claims, proved, first
}
