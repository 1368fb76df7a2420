package verify

import (
	"fmt"
	"math"

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
}

// Graph checks graph.npz: that the answer is one, what it costs, and which lower bound the
// prices link prove: link[a] is what arc a costs its tail, its head pays the rest, and
// each detection by itself takes the cheapest of what it may do. Sums of the bound
// are rounded downwards, those of the price upwards.
func Graph(name string, claims []Claim) (*Result, error) {
	f, err := npz.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
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
	res := &Result{Valid: true, Certified: true, LowerBound: math.NaN(), UpperBound: math.NaN(), GapPercent: math.NaN(), Made: "given arcs"}
	fail := func(format string, args ...any) {
		res.Valid = false
		res.Problems = append(res.Problems, fmt.Sprintf(format, args...))
	}
	if why := g.shape(); why != "" {
		fail("%s", why)
		return res, nil
	}
	upper, why := g.price()
	if why != "" {
		fail("%s", why)
		return res, nil
	}
	res.UpperBound, res.LowerBound = upper, g.bound()
	for _, x := range g.chosen {
		res.Links += int(x)
	}
	if upper != 0 {
		res.GapPercent = 100 * max(0, upper-res.LowerBound) / math.Abs(upper)
	}
	scale := 0.0
	for _, list := range [][]float64{g.cost, g.use, g.unused} {
		for _, x := range list {
			if !math.IsInf(x, 0) {
				scale += math.Abs(x)
			}
		}
	}
	for _, c := range claims {
		slack := 1e-9*(math.Abs(upper)+math.Abs(res.LowerBound)) + 1e-11*scale
		if c.Upper-upper > slack || upper-c.Upper > slack {
			fail("%s claims that the answer costs %v, it costs %v", c.Source, c.Upper, upper)
		}
		if c.Lower > res.LowerBound+slack {
			fail("%s claims the lower bound %v, the prices prove %v", c.Source, c.Lower, res.LowerBound)
		}
	}
	return res, nil
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
		{"link", g.link, m, true}, {"use", g.use, n, false}, {"birth", g.birth, n, false}, {"end", g.end, n, false},
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
	}
	for k := range g.divisionCost {
		a, b := g.division[2*k], g.division[2*k+1]
		if !index(a, m) || !index(b, m) || a == b || g.tail[int(a)] != g.tail[int(b)] {
			return fmt.Sprintf("division %d is none", k)
		}
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
	add := func(x float64) { total = math.Nextafter(total+x, math.Inf(1)) }
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

// bound is what the prices prove, rounded downwards: every combination of a detection is
// looked at.
func (g *graph) bound() float64 {
	down := func(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }
	total := 0.0
	for d, n := range g.nodes() {
		// Sides: none, one arc, two arcs.
		type side struct {
			arcs []int
			cost float64
		}
		ins := []side{{nil, of(g.birth, d, 0)}}
		for i, a := range n.in {
			x := down(g.cost[a] - g.link[a])
			ins = append(ins, side{[]int{a}, x})
			if m := of(g.merge, d, math.Inf(1)); !math.IsInf(m, 1) {
				for _, b := range n.in[:i] {
					ins = append(ins, side{[]int{a, b}, down(down(x+down(g.cost[b]-g.link[b])) + m)})
				}
			}
		}
		outs := []side{{nil, of(g.end, d, 0)}}
		for i, a := range n.out {
			outs = append(outs, side{[]int{a}, g.link[a]})
			if of(g.divide, d, math.Inf(1)) < math.Inf(1) || n.divisions != nil {
				for _, b := range n.out[:i] {
					outs = append(outs, side{[]int{a, b}, down(down(g.link[a]+g.link[b]) + g.second(d, &n, a, b))})
				}
			}
		}
		least := func(list []side) float64 {
			best := math.Inf(1)
			for _, s := range list {
				best = math.Min(best, s.cost)
			}
			return best
		}
		both := math.Inf(1)
		if n.triplets == nil {
			both = down(least(ins) + least(outs))
		} else {
			price := make(map[[2]int]float64, len(n.triplets))
			for _, k := range n.triplets {
				price[[2]int{int(g.triplet[2*k]), int(g.triplet[2*k+1])}] = g.tripletCost[k]
			}
			for _, x := range ins {
				for _, y := range outs {
					c := down(x.cost + y.cost)
					for _, a := range x.arcs {
						for _, b := range y.arcs {
							c = down(c + price[[2]int{a, b}])
						}
					}
					both = math.Min(both, c)
				}
			}
		}
		total = down(total + math.Min(of(g.unused, d, 0), down(of(g.use, d, 0)+both)))
	}
	return total
}
