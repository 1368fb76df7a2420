package dualascent

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// This file defines blocks whose costs are differences of values, which need not
// be stored, and takes their minima without looking at every pair.
//
// The least of |x[a] − y[b]| − u[a] over all a, for every b, is a distance transform
// in one dimension. Of the a with x[a] ≤ y[b], the one with the least −u[a] − x[a]
// serves every y[b] from there on, whatever its value; the a with x[a] ≥ y[b] are the
// mirror image. With both sides in one order of their values, which never changes,
// that is a walk up and a walk down: in + out steps, not in·out (Felzenszwalb and
// Huttenlocher, Distance transforms of sampled functions, Theory of Computing 8,
// 2012, section 2).

// Differences stand for a block whose entry for in-arc a and out-arc b is
//
//	D[a,b] = |In[a] − Out[b]|
//
// In tracking the value of an arc is a length, a speed or whatever else must not
// change along a track. What belongs to a alone or to b alone goes into the costs of
// the arcs. A pass over such a block takes a few steps for each arc, where a stored
// one takes one for each pair, and the memory is that of the values.
type Differences struct {
	In    []float64 // len nnz of the gap on the left: value of in-arc a
	Out   []float64 // len nnz of the gap on the right: value of out-arc b
	Birth []float64 // likewise: cost of "born here" with out-arc b; +Inf forbids it
	Death []float64 // len nnz of the gap on the left: of "dies here" with in-arc a; +Inf forbids it
	Alone []float64 // len nodes: of both; +Inf forbids it
}

// cost is the entry of node j for in-arc a (-1: born) and out-arc b (-1: dies).
func (f *Differences) cost(j int, a, b int32) float64 {
	switch {
	case a >= 0 && b >= 0:
		return math.Abs(f.In[a] - f.Out[b])
	case a >= 0:
		return f.Death[a]
	case b >= 0:
		return f.Birth[b]
	}
	return f.Alone[j]
}

func (f *Differences) validate(left, right *FramePair) error {
	ins, outs := len(left.Col), len(right.Col)
	if len(f.In) != ins || len(f.Death) != ins || len(f.Out) != outs || len(f.Birth) != outs || len(f.Alone) != right.Rows {
		return errors.New("slices differ in length")
	}
	for _, s := range [...]struct {
		what  string
		data  []float64
		above bool // +Inf is allowed
	}{
		{"value of in-arc", f.In, false}, {"value of out-arc", f.Out, false},
		{"birth with out-arc", f.Birth, true}, {"death with in-arc", f.Death, true}, {"birth and death at node", f.Alone, true},
	} {
		for k, x := range s.data {
			if math.IsNaN(x) || math.IsInf(x, -1) || math.IsInf(x, 1) && !s.above {
				return fmt.Errorf("%s %d: %v", s.what, k, x)
			}
		}
	}
	return nil
}

// Block is the block with these values between two gaps: with every cost stored
// where there are so few pairs that passes are faster this way.
func (f *Differences) Block(left, right *FramePair) Block {
	if pairs(left, right) <= fewPairs*(len(f.In)+len(f.Out)) {
		return f.Dense(left, right)
	}
	return Block{Differences: f}
}

// fewPairs is how many pairs there are for each arc where both forms take the same
// time (BenchmarkPull). Tests make it less.
var fewPairs = 6

// pairs is the number of entries of the block between two gaps.
func pairs(left, right *FramePair) int {
	n := len(right.Col) + right.Rows // the rows of births
	for _, j := range left.Col {
		n += right.Ptr[j+1] - right.Ptr[j] + 1
	}
	return n
}

// Dense is the same block with every cost stored. left and right are the gaps on
// its sides.
func (f *Differences) Dense(left, right *FramePair) Block {
	in := transpose(left)
	b := Block{Ptr: make([]int, 1, right.Rows+1), D: make([]float64, 0, pairs(left, right))}
	for j := range right.Rows {
		arcs := in.at(j)
		for r := range len(arcs) + 1 {
			a := int32(-1)
			if r < len(arcs) {
				a = arcs[r]
			}
			for out := right.Ptr[j]; out < right.Ptr[j+1]; out++ {
				b.D = append(b.D, f.cost(j, a, int32(out)))
			}
			b.D = append(b.D, f.cost(j, a, -1))
		}
		b.Ptr = append(b.Ptr, len(b.D))
	}
	return b
}

// Minima returns what sets dst[a], for every in-arc a, to the least of D[a,b] − v[b] over
// the out-arcs b of its node, +Inf where there is none, in a few steps for each arc. len(dst) is
// that of In, len(v) that of Out; left and right are the gaps on the sides of the block.
func (f *Differences) Minima(left, right *FramePair) func(dst, v []float64) {
	in := transpose(left)
	r := rank(f, &in, right)
	return func(dst, v []float64) {
		for j := range right.Rows {
			least := r.fromOut(j, v)
			for _, a := range in.at(j) {
				dst[a] = least[r.in[a]]
			}
		}
	}
}

// spread is the greatest |In[a] − Out[b]| that there can be, at whatever node.
func (f *Differences) spread() float64 {
	if len(f.In) == 0 || len(f.Out) == 0 {
		return 0
	}
	return max(slices.Max(f.In)-slices.Min(f.Out), slices.Max(f.Out)-slices.Min(f.In))
}

// at are the arcs into node j.
func (c *columns) at(j int) []int32 { return c.Entry[c.Ptr[j]:c.Ptr[j+1]] }

// A ranking gives the arcs on both sides of each node places by ascending value.
type ranking struct {
	*Differences
	ins  *columns // of the gap on the left
	outs []int    // row pointers of that on the right

	level    []float64 // node by node, place by place: the value, less the least one there
	in, out  []int32   // arc → its place at its node
	low, all []float64 // workspace: see fromIn
}

// rank orders a block with values; in lists the arcs of the gap on its left by
// column.
func rank(f *Differences, in *columns, right *FramePair) *ranking {
	r := &ranking{
		Differences: f, ins: in, outs: right.Ptr, level: make([]float64, len(f.In)+len(f.Out)),
		in: make([]int32, len(f.In)), out: make([]int32, len(f.Out)),
	}
	type placed struct {
		value float64
		arc   int32 // in-arcs by their number, out-arcs b as −1−b
	}
	var order []placed
	most := 0
	for j := range right.Rows {
		order = order[:0]
		for _, a := range in.at(j) {
			order = append(order, placed{f.In[a], a})
		}
		for b := right.Ptr[j]; b < right.Ptr[j+1]; b++ {
			order = append(order, placed{f.Out[b], int32(-1 - b)})
		}
		slices.SortFunc(order, func(a, b placed) int {
			switch { // no value is NaN
			case a.value < b.value:
				return -1
			case a.value > b.value:
				return 1
			}
			return cmp.Compare(a.arc, b.arc)
		})
		level := r.levels(j)
		for k, x := range order {
			level[k] = x.value - order[0].value
			if x.arc < 0 {
				r.out[-1-x.arc] = int32(k)
			} else {
				r.in[x.arc] = int32(k)
			}
		}
		most = max(most, len(order))
	}
	r.low, r.all = make([]float64, most), make([]float64, most)
	return r
}

// levels are the levels of node j.
func (r *ranking) levels(j int) []float64 {
	return r.level[r.ins.Ptr[j]+r.outs[j] : r.ins.Ptr[j+1]+r.outs[j+1]]
}

// beside is the ranking for who begins with node from while others begin with other nodes: it is
// that of the first, and has workspace of its own for the others.
func (r *ranking) beside(from int) *ranking {
	if from == 0 {
		return r
	}
	own := *r
	own.low, own.all = make([]float64, len(r.low)), make([]float64, len(r.all))
	return &own
}

// fromIn returns, for each place of node j, the least of |value − value of a| − u[a]
// over its in-arcs a; +Inf when there is none. It is gone with the next call. A u of
// −Inf leaves out its arc.
func (r *ranking) fromIn(j int, u []float64) []float64 {
	level := r.levels(j)
	low := r.low[:len(level)]
	for k := range low {
		low[k] = math.Inf(1)
	}
	for _, a := range r.ins.at(j) {
		low[r.in[a]] = -u[a]
	}
	return r.transform(level, low)
}

// fromOut is fromIn for the out-arcs b and v[b].
func (r *ranking) fromOut(j int, v []float64) []float64 {
	level := r.levels(j)
	low := r.low[:len(level)]
	for k := range low {
		low[k] = math.Inf(1)
	}
	lo := r.outs[j]
	for s, x := range v[lo:r.outs[j+1]] {
		low[r.out[lo+s]] = -x
	}
	return r.transform(level, low)
}

// transform returns the least of low[k] + |level − level[k]| over all k, for each
// level.
func (r *ranking) transform(level, low []float64) []float64 {
	all := r.all[:len(level)]
	low = low[:len(level)]
	best := math.Inf(1)
	for k, x := range level {
		if c := low[k] - x; c < best {
			best = c
		}
		all[k] = best + x
	}
	best = math.Inf(1)
	for k := len(level) - 1; k >= 0; k-- {
		x := level[k]
		if c := low[k] + x; c < best {
			best = c
		}
		all[k] = min(all[k], best-x)
	}
	return all
}

// pullRight sets V and Death of the gap on the right, from U and Birth of that on
// the left, at nodes from ≤ j < to: see engine.pullRight.
func (r *ranking) pullRight(u, v *Prices, from, to int) {
	for j := from; j < to; j++ {
		alone, birth := r.Alone[j], u.Birth[j]
		least := r.fromIn(j, u.U)
		for b := r.outs[j]; b < r.outs[j+1]; b++ {
			c := r.Birth[b] - birth
			if x := least[r.out[b]]; x < c {
				c = x
			}
			v.V[b] = price(c)
		}
		death := alone - birth
		for _, a := range r.ins.at(j) {
			if c := r.Death[a] - u.U[a]; c < death {
				death = c
			}
		}
		v.Death[j] = price(death)
	}
}

// pullLeft sets U and Birth of the gap on the left, from V and Death of that on the
// right, at nodes from ≤ j < to: see engine.pullLeft.
func (r *ranking) pullLeft(u, v *Prices, from, to int) {
	for j := from; j < to; j++ {
		alone, death := r.Alone[j], v.Death[j]
		least := r.fromOut(j, v.V)
		for _, a := range r.ins.at(j) {
			c := r.Death[a] - death
			if x := least[r.in[a]]; x < c {
				c = x
			}
			u.U[a] = price(c)
		}
		birth := alone - death
		for b := r.outs[j]; b < r.outs[j+1]; b++ {
			if c := r.Birth[b] - v.V[b]; c < birth {
				birth = c
			}
		}
		u.Birth[j] = price(birth)
	}
}

// price is a multiplier, or 0 for an infinite one.
func price(x float64) float64 {
	if x > maxPrice {
		return 0
	}
	return x
}

// least is the sum of the least reduced costs of all nodes.
func (r *ranking) least(u, v *Prices) (sum float64) {
	for j, alone := range r.Alone {
		birth, death := u.Birth[j], v.Death[j]
		least := alone - birth - death
		for _, a := range r.ins.at(j) {
			least = min(least, r.Death[a]-u.U[a]-death)
		}
		from := r.fromIn(j, u.U)
		for b := r.outs[j]; b < r.outs[j+1]; b++ {
			least = min(least, r.Birth[b]-birth-v.V[b], from[r.out[b]]-v.V[b])
		}
		sum += least
	}
	return sum
}

// addRow adds the costs of in-arc a (-1: born) of node j with the out-arcs from lo on
// to dst. It returns that of a with death.
func (f *Differences) addRow(dst []float64, lo, j int, a int32) (death float64) {
	if a < 0 {
		for s := range dst {
			dst[s] += f.Birth[lo+s]
		}
		return f.Alone[j]
	}
	x := f.In[a]
	for s, y := range f.Out[lo : lo+len(dst)] {
		dst[s] += math.Abs(x - y)
	}
	return f.Death[a]
}

// addColumn adds the costs of out-arc b (-1: dies) of node j with the arcs that are
// listed to dst, which has all arcs. It returns that of b with birth.
func (f *Differences) addColumn(dst []float64, arcs []int32, j int, b int32) (birth float64) {
	if b < 0 {
		for _, a := range arcs {
			dst[a] += f.Death[a]
		}
		return f.Alone[j]
	}
	y := f.Out[b]
	for _, a := range arcs {
		dst[a] += math.Abs(f.In[a] - y)
	}
	return f.Birth[b]
}

// subDifferences is the block of frame q of a part: the values of the arcs that are
// there, and zeros at nodes that are not open on both sides.
func (e *engine) subDifferences(m *part, q int) *Differences {
	from := e.gaps[m.first+q].rank
	left, right := &m.inst.Pairs[q-1], &m.inst.Pairs[q]
	open := func(k int) bool { return m.ports[q][k] == inPort|outPort }
	f := &Differences{
		In: make([]float64, len(left.Col)), Death: make([]float64, len(left.Col)),
		Out: make([]float64, len(right.Col)), Birth: make([]float64, len(right.Col)), Alone: make([]float64, right.Rows),
	}
	for s, k := range left.Col {
		if a := m.arc[q-1][s]; open(int(k)) {
			f.In[s], f.Death[s] = from.In[a], from.Death[a]
		}
	}
	for k, j := range m.node[q] {
		if !open(k) {
			continue
		}
		f.Alone[k] = from.Alone[j]
		for s := right.Ptr[k]; s < right.Ptr[k+1]; s++ {
			b := m.arc[q][s]
			f.Out[s], f.Birth[s] = from.Out[b], from.Birth[b]
		}
	}
	return f
}

// never is the multiplier of what was dropped.
var never = math.Inf(-1)

// measureDifferences is measureBlock for blocks with values, which are read once for each side: for
// the margins of the gap after frame f, or before it.
func (r *reduction) measureDifferences(f int, after bool) {
	multipliers, alive := r.e.gaps[f].V, r.arc[f]
	if after {
		multipliers, alive = r.e.gaps[f-1].U, r.arc[f-1]
	}
	multipliers = slices.Clone(multipliers)
	for a, alive := range alive {
		if !alive {
			multipliers[a] = never
		}
	}
	r.e.byNode(f, func(_ *engine, f, from, to int) {
		rank := r.e.gaps[f].rank.beside(from)
		for j := from; j < to; j++ {
			switch open := r.ins[f-1][j] > 1 || r.outs[f][j] > 1; {
			case open && after:
				r.measureAfter(rank, f, j, multipliers)
			case open:
				r.measureBefore(rank, f, j, multipliers)
			}
		}
	})
}

// ends are the multipliers of birth and death at node j of frame f.
func (r *reduction) ends(f, j int) (birth, death float64) {
	birth, death = never, never
	if r.birth[f-1][j] {
		birth = r.e.gaps[f-1].Birth[j]
	}
	if r.death[f][j] {
		death = r.e.gaps[f].Death[j]
	}
	return birth, death
}

// measureBefore is for what comes into node j of frame f; v are the multipliers of what goes out.
func (r *reduction) measureBefore(rank *ranking, f, j int, v []float64) {
	left, g := &r.e.gaps[f-1], &r.e.gaps[f]
	birth, death := r.ends(f, j)
	least := rank.fromOut(j, v)
	for _, a := range rank.ins.at(j) {
		end := rank.Death[a] - death
		r.margin[f-1][a] += max(0, min(end, least[rank.in[a]])-left.U[a])
	}
	born := rank.Alone[j] - birth - death
	for b := g.Ptr[j]; b < g.Ptr[j+1]; b++ {
		born = min(born, rank.Birth[b]-birth-v[b])
	}
	r.birthMargin[f-1][j] += max(0, born)
}

// measureAfter is for what goes out of it; u are the multipliers of what comes in.
func (r *reduction) measureAfter(rank *ranking, f, j int, u []float64) {
	g := &r.e.gaps[f]
	birth, death := r.ends(f, j)
	least := rank.fromIn(j, u)
	for b := g.Ptr[j]; b < g.Ptr[j+1]; b++ {
		start := rank.Birth[b] - birth
		r.margin[f][b] += max(0, min(start, least[rank.out[b]])-g.V[b])
	}
	dies := rank.Alone[j] - birth - death
	for _, a := range rank.ins.at(j) {
		dies = min(dies, rank.Death[a]-death-u[a])
	}
	r.deathMargin[f][j] += max(0, dies)
}
