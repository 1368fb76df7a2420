package trackgraph

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// This file defines the graph, checks it, and prices an answer.

// A Graph is a tracking problem on given costs. Detections are numbered from 0. Slices
// are read, never changed, and kept only during a call. A nil slice of prices is all
// zeros; for Divide, Merge and False +Inf forbids, and nil for Divide and Merge forbids all.
type Graph struct {
	Frame  []int     // of each detection: any numbers, ascending along arcs
	Use    []float64 // price of being used; finite
	Birth  []float64 // of a detection that is used and has no predecessor; +Inf forbids it
	End    []float64 // likewise without a successor
	False  []float64 // of a detection that is not used; +Inf: it must be
	Divide []float64 // of a second successor; the price of either arc is paid as well
	Merge  []float64 // of a second predecessor

	Tail, Head []int32   // of each arc: the detections that it joins
	Cost       []float64 // of each arc; finite

	Triplets  []Triplet
	Divisions []Division
}

// A Triplet is the price of an arc and one that follows it; it is finite. A pair of arcs
// has one price at most.
type Triplet struct {
	In, Out int32 // arcs; Head[In] = Tail[Out]
	Cost    float64
}

// A Division prices a pair of successors, in place of Divide. A detection with a Division
// divides only so, unless its Divide is finite as well.
type Division struct {
	First, Second int32 // arcs of one tail
	Cost          float64
}

// An Answer is a set of tracks, with divisions and merges a set of lineages.
type Answer struct {
	Used   []bool // of each detection
	Chosen []bool // of each arc
}

// Detections is the number of detections.
func (g *Graph) Detections() int { return len(g.Frame) }

// price is an element of a slice of prices, or what nil stands for.
func price(s []float64, d int, without float64) float64 {
	if s == nil {
		return without
	}
	return s[d]
}

var never = math.Inf(1)

func (g *Graph) divides(d int) bool { return price(g.Divide, d, never) < never }
func (g *Graph) merges(d int) bool  { return price(g.Merge, d, never) < never }

// Validate reports the first thing wrong with g: shapes that do not fit, arcs that do not
// go forward, two arcs between the same detections, prices that are NaN or −Inf, or
// infinite where they must not be, or too large to be added up. It runs in O(n + m log m) time.
func (g *Graph) Validate() error { return g.validate(context.Background()) }

// validate is Validate; where ctx ends the error is that of ctx.
func (g *Graph) validate(ctx context.Context) error {
	n := g.Detections()
	for _, s := range [...]struct {
		what string
		of   []float64
		inf  bool
	}{
		{"Use", g.Use, false}, {"Birth", g.Birth, true}, {"End", g.End, true}, {"False", g.False, true},
		{"Divide", g.Divide, true}, {"Merge", g.Merge, true},
	} {
		if s.of != nil && len(s.of) != n {
			return fmt.Errorf("trackgraph: %d detections, but %s has %d prices", n, s.what, len(s.of))
		}
		for d, x := range s.of {
			if math.IsNaN(x) || math.IsInf(x, -1) || math.IsInf(x, 1) && !s.inf {
				return fmt.Errorf("trackgraph: detection %d: %s is %v", d, s.what, x)
			}
		}
	}
	if len(g.Tail) != len(g.Head) || len(g.Tail) != len(g.Cost) {
		return fmt.Errorf("trackgraph: %d tails, %d heads and %d costs of arcs", len(g.Tail), len(g.Head), len(g.Cost))
	}
	if len(g.Cost) > math.MaxInt32/4 || n > math.MaxInt32/4 {
		return fmt.Errorf("trackgraph: %d arcs and %d detections, at most %d are possible", len(g.Cost), n, math.MaxInt32/4)
	}
	for a, c := range g.Cost {
		if ended(ctx, a) {
			return ctx.Err()
		}
		i, j := g.Tail[a], g.Head[a]
		switch {
		case i < 0 || int(i) >= n || j < 0 || int(j) >= n:
			return fmt.Errorf("trackgraph: arc %d: from %d to %d, but there are %d detections", a, i, j, n)
		case g.Frame[i] >= g.Frame[j]:
			return fmt.Errorf("trackgraph: arc %d: from detection %d of frame %d to %d of frame %d: arcs go forward in time",
				a, i, g.Frame[i], j, g.Frame[j])
		case math.IsNaN(c) || math.IsInf(c, 0):
			return fmt.Errorf("trackgraph: arc %d: cost is %v", a, c)
		}
	}
	if most, prices := g.largest(), 7*n+len(g.Cost)+len(g.Triplets)+len(g.Divisions); 32*float64(prices)*most > math.MaxFloat64 {
		return fmt.Errorf("trackgraph: prices up to %v are too large to be added up", most)
	}
	if a := g.twice(ctx); a >= 0 {
		return fmt.Errorf("trackgraph: arc %d: a second one from detection %d to %d", a, g.Tail[a], g.Head[a])
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return g.validatePairs()
}

// ended reports whether ctx has, at step k of a loop; it looks every 1024 steps.
func ended(ctx context.Context, k int) bool { return k&1023 == 0 && ctx.Err() != nil }

// twice is an arc that joins the same detections as another; -1: none does, or ctx has ended.
func (g *Graph) twice(ctx context.Context) int {
	ptr, arcs := byNode(g.Tail, g.Detections())
	seen := make([]int32, g.Detections()) // head → tail + 1
	for i := range g.Detections() {
		if ended(ctx, i) {
			break
		}
		for _, a := range arcs[ptr[i]:ptr[i+1]] {
			if seen[g.Head[a]] == int32(i)+1 {
				return int(a)
			}
			seen[g.Head[a]] = int32(i) + 1
		}
	}
	return -1
}

// validatePairs checks triplets and divisions.
func (g *Graph) validatePairs() error {
	m := int32(len(g.Cost))
	for k, t := range g.Triplets {
		switch {
		case t.In < 0 || t.In >= m || t.Out < 0 || t.Out >= m:
			return fmt.Errorf("trackgraph: triplet %d: arcs %d and %d, but there are %d", k, t.In, t.Out, m)
		case g.Head[t.In] != g.Tail[t.Out]:
			return fmt.Errorf("trackgraph: triplet %d: arc %d ends at detection %d, arc %d begins at %d",
				k, t.In, g.Head[t.In], t.Out, g.Tail[t.Out])
		case math.IsNaN(t.Cost) || math.IsInf(t.Cost, 0):
			return fmt.Errorf("trackgraph: triplet %d: cost is %v", k, t.Cost)
		}
	}
	triplet := func(k int) (int32, couple) {
		t := &g.Triplets[k]
		return g.Head[t.In], couple{t.In, t.Out, 0}
	}
	if k, x := priced(g.Detections(), len(g.Triplets), triplet); k >= 0 {
		return fmt.Errorf("trackgraph: triplet %d: a second price of arcs %d and %d", k, x.a, x.b)
	}
	for k, d := range g.Divisions {
		pair := [2]int32{min(d.First, d.Second), max(d.First, d.Second)}
		switch {
		case pair[0] < 0 || pair[1] >= m || pair[0] == pair[1]:
			return fmt.Errorf("trackgraph: division %d: arcs %d and %d, want two of %d", k, d.First, d.Second, m)
		case g.Tail[pair[0]] != g.Tail[pair[1]]:
			return fmt.Errorf("trackgraph: division %d: arc %d begins at detection %d, arc %d at %d: a division has one mother",
				k, pair[0], g.Tail[pair[0]], pair[1], g.Tail[pair[1]])
		case math.IsNaN(d.Cost) || math.IsInf(d.Cost, 0):
			return fmt.Errorf("trackgraph: division %d: cost is %v", k, d.Cost)
		}
	}
	division := func(k int) (int32, couple) {
		d := &g.Divisions[k]
		return g.Tail[d.First], couple{min(d.First, d.Second), max(d.First, d.Second), 0}
	}
	if k, x := priced(g.Detections(), len(g.Divisions), division); k >= 0 {
		return fmt.Errorf("trackgraph: division %d: a second price of arcs %d and %d", k, x.a, x.b)
	}
	return nil
}

// priced is the first couple of a detection that has been priced before, see newCouples; -1: none has.
func priced(n, count int, get func(k int) (int32, couple)) (again int, x couple) {
	sorted := newCouples(n, count, get)
	for d := range n {
		list := sorted.at(d)
		slices.SortFunc(list, func(x, y couple) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
		for i := 1; i < len(list); i++ {
			if list[i] != list[i-1] {
				continue
			}
			for k, first := 0, true; ; k++ {
				if _, x = get(k); x == list[i] {
					if !first {
						return k, x
					}
					first = false
				}
			}
		}
	}
	return -1, x
}

// byNode lists arcs by one of their ends, in ascending order.
func byNode(ends []int32, n int) (ptr, arcs []int32) {
	ptr = make([]int32, n+1)
	for _, d := range ends {
		ptr[d+1]++
	}
	for d := range n {
		ptr[d+1] += ptr[d]
	}
	arcs = make([]int32, len(ends))
	for a, d := range ends {
		arcs[ptr[d]] = int32(a)
		ptr[d]++
	}
	copy(ptr[1:], ptr[:n])
	ptr[0] = 0
	return ptr, arcs
}

// Price is what an answer costs; +Inf when it does something forbidden. It panics when
// the lengths of a are not those of g. It shares no code with the solver.
func (g *Graph) Price(a *Answer) float64 {
	n := g.Detections()
	if len(a.Used) != n || len(a.Chosen) != len(g.Cost) {
		panic("trackgraph: the answer is one of another graph")
	}
	var total sum
	for k, c := range a.Chosen {
		if c {
			total.add(g.Cost[k])
		}
	}
	outs, ins := degrees(g, a)
	explicit := make(map[int32]bool) // mothers whose division has a price of its own
	for _, d := range g.Divisions {
		if a.Chosen[d.First] && a.Chosen[d.Second] {
			total.add(d.Cost)
			explicit[g.Tail[d.First]] = true
		}
	}
	for d := range n {
		if !a.Used[d] {
			if ins[d]+outs[d] > 0 {
				return never
			}
			total.add(price(g.False, d, 0))
			continue
		}
		total.add(price(g.Use, d, 0))
		switch ins[d] {
		case 0:
			total.add(price(g.Birth, d, 0))
		case 1:
		case 2:
			total.add(price(g.Merge, d, never))
		default:
			return never
		}
		switch outs[d] {
		case 0:
			total.add(price(g.End, d, 0))
		case 1:
		case 2:
			if !explicit[int32(d)] {
				total.add(price(g.Divide, d, never))
			}
		default:
			return never
		}
	}
	for _, t := range g.Triplets {
		if a.Chosen[t.In] && a.Chosen[t.Out] {
			total.add(t.Cost)
		}
	}
	return total.value()
}

// degrees counts the successors and predecessors of each detection.
func degrees(g *Graph, a *Answer) (outs, ins []int32) {
	outs, ins = make([]int32, g.Detections()), make([]int32, g.Detections())
	for k, yes := range a.Chosen {
		if yes {
			outs[g.Tail[k]]++
			ins[g.Head[k]]++
		}
	}
	return outs, ins
}

// A sum is Neumaier's compensated sum.
type sum struct{ s, c float64 }

func (t *sum) add(x float64) {
	n := t.s + x
	switch {
	case math.IsInf(n, 0):
		t.c = 0
	case math.Abs(t.s) >= math.Abs(x):
		t.c += (t.s - n) + x
	default:
		t.c += (x - n) + t.s
	}
	t.s = n
}

func (t *sum) value() float64 { return t.s + t.c }

// largest is the largest finite price, whatever its sign.
func (g *Graph) largest() float64 {
	most := 0.0
	look := func(x float64) {
		if x = math.Abs(x); x > most && x <= math.MaxFloat64 {
			most = x
		}
	}
	for _, list := range [][]float64{g.Use, g.Birth, g.End, g.False, g.Divide, g.Merge, g.Cost} {
		for _, x := range list {
			look(x)
		}
	}
	for i := range g.Triplets {
		look(g.Triplets[i].Cost)
	}
	for i := range g.Divisions {
		look(g.Divisions[i].Cost)
	}
	return most
}
