package cuda

import (
	"fmt"
	"math"

	"mtt/dualascent"
	"mtt/internal/cuda"
)

// This file puts instances on the card, and takes prices from it.

// New puts an instance on the card, which must be valid: see
// [dualascent.Instance.Validate]. Costs that are infinite become large, which makes
// the bounds at most smaller. It takes some 140 bytes of the card for each arc, and 8
// for each triplet that is stored. The error wraps [ErrUnavailable] when there is no card.
func New(inst *dualascent.Instance) (*Ascent, error) {
	if len(inst.Pairs) == 0 {
		panic(noGaps)
	}
	a := new(Ascent)
	if err := a.send(inst, boundsOf(inst)); err != nil {
		_ = a.Free()
		return nil, err
	}
	return a, nil
}

// bounds are what all parts of a problem have in common: most rows and columns of a gap, and what
// stands for an infinite cost.
type bounds struct {
	rows, columns int
	big           float64
}

func boundsOf(inst *dualascent.Instance) bounds {
	b := bounds{big: forbidden(inst)}
	for p := range inst.Pairs {
		b.rows, b.columns = max(b.rows, inst.Pairs[p].Rows), max(b.columns, inst.Pairs[p].Cols)
	}
	return b
}

const noGaps = "dualascent/cuda: an instance without gaps"

// A flat is the pattern of an instance, its frames one after the other.
type flat struct {
	first, frame, out, column, in, entry, source, position []int32
	cost, death, birth                                     []float64
	block                                                  []int64
	entering, leaving, dying, born, alone                  []float64 // nil: there are no features
	limit                                                  int       // most arcs on a side of a node that has some
}

// flatten lays an instance out, with costs of at most big.
func flatten(inst *dualascent.Instance, big float64) *flat {
	f := &flat{first: []int32{0}, out: []int32{0}}
	capped := func(dst, list []float64) []float64 {
		for _, c := range list {
			dst = append(dst, min(c, big))
		}
		return dst
	}
	n := len(inst.Pairs)
	for t := range n + 1 {
		nodes := 0
		if t < n {
			nodes = inst.Pairs[t].Rows
		} else {
			nodes = inst.Pairs[n-1].Cols
		}
		for range nodes {
			f.frame = append(f.frame, int32(t))
		}
		f.first = append(f.first, int32(len(f.frame)))
		if t > 0 {
			f.birth = capped(f.birth, inst.Pairs[t-1].ColMiss)
		} else {
			f.birth = make([]float64, nodes)
		}
		if t == n {
			f.death = append(f.death, make([]float64, nodes)...)
			for range nodes {
				f.out = append(f.out, int32(len(f.column)))
			}
			continue
		}
		g := &inst.Pairs[t]
		f.death = capped(f.death, g.RowMiss)
		base := int32(len(f.column))
		for _, p := range g.Ptr[1:] {
			f.out = append(f.out, base+int32(p))
		}
		f.column = append(f.column, g.Col...)
		f.cost = append(f.cost, g.Cost...)
	}
	f.enter()
	d := int64(0)
	f.block = make([]int64, len(f.frame))
	for p := range inst.Blocks {
		b, node := &inst.Blocks[p], int(f.first[p+1])
		if b.Differences != nil {
			f.features(b.Differences, node, inst.Pairs[p].Cols, big)
			continue
		}
		for j, at := range b.Ptr[:inst.Pairs[p].Cols] {
			f.block[node+j] = d + int64(at)
		}
		d += int64(len(b.D))
	}
	return f
}

// features takes over the block of nodes from node on, nodes many.
func (f *flat) features(b *dualascent.Differences, node, nodes int, big float64) {
	if f.entering == nil {
		arcs := len(f.column)
		f.entering, f.leaving, f.dying, f.born = make([]float64, arcs), make([]float64, arcs), make([]float64, arcs), make([]float64, arcs)
		f.alone = make([]float64, len(f.frame))
	}
	left, right := f.out[f.first[f.frame[node]-1]], f.out[node]
	copy(f.entering[left:], b.In)
	copy(f.leaving[right:], b.Out)
	for k, c := range b.Death {
		f.dying[int(left)+k] = min(c, big)
	}
	for k, c := range b.Birth {
		f.born[int(right)+k] = min(c, big)
	}
	for j := range nodes {
		n := node + j
		f.block[n] = -1
		f.alone[n] = min(b.Alone[j], big)
		f.limit = max(f.limit, int(f.out[n+1]-f.out[n]), int(f.in[n+1]-f.in[n]))
	}
}

// enter lists the arcs by their heads.
func (f *flat) enter() {
	nodes := len(f.frame)
	f.in = make([]int32, nodes+1)
	head := func(n int, a int32) int32 { return f.first[f.frame[n]+1] + f.column[a] }
	for n := range nodes {
		for a := f.out[n]; a < f.out[n+1]; a++ {
			f.in[head(n, a)+1]++
		}
	}
	for n := range nodes {
		f.in[n+1] += f.in[n]
	}
	f.entry, f.source = make([]int32, len(f.column)), make([]int32, len(f.column))
	f.position = make([]int32, len(f.column))
	fill := make([]int32, nodes)
	for n := range nodes {
		for a := f.out[n]; a < f.out[n+1]; a++ {
			h := head(n, a)
			k := f.in[h] + fill[h]
			f.entry[k], f.source[k], f.position[a] = a, int32(n), fill[h]
			fill[h]++
		}
	}
}

// send puts an instance on the card.
func (a *Ascent) send(inst *dualascent.Instance, most bounds) error {
	a.size.frames, a.size.ends = len(inst.Pairs)+1, true
	arcs := 0
	for p := range inst.Pairs {
		arcs += len(inst.Pairs[p].Col)
		if p > 0 {
			a.size.d += len(inst.Blocks[p-1].D)
		}
	}
	if arcs > math.MaxInt32 {
		return fmt.Errorf("dualascent/cuda: %d arcs are too many for the card", arcs)
	}
	big := most.big
	f := flatten(inst, big)
	a.size.nodes, a.size.arcs, a.size.triplets = len(f.frame), len(f.column), inst.Triplets()
	if err := a.begin(most.rows, most.columns); err != nil {
		return err
	}
	if err := a.limit(max(f.limit, 1)); err != nil {
		return err
	}
	if err := a.allocate(); err != nil {
		return err
	}
	m := &a.model
	for _, list := range []struct {
		address uintptr
		from    []int32
	}{
		{m.first, f.first[:a.size.frames+1]}, {m.frame, f.frame}, {m.out, f.out}, {m.column, f.column},
		{m.in, f.in}, {m.before, f.entry}, {m.after, f.source}, {m.position, f.position},
	} {
		if err := cuda.Write(a.stream, list.address, list.from); err != nil {
			return err
		}
	}
	for _, list := range []struct {
		address uintptr
		from    []float64
	}{
		{m.cost, f.cost}, {m.death, f.death}, {m.birth, f.birth}, {m.alone, f.alone},
		{m.entering, f.entering}, {m.leaving, f.leaving}, {m.dying, f.dying}, {m.born, f.born},
	} {
		if err := cuda.Write(a.stream, list.address, list.from); err != nil {
			return err
		}
	}
	if err := cuda.Write(a.stream, m.block, f.block); err != nil {
		return err
	}
	var costs []float64
	at := m.d
	for p := range inst.Blocks {
		costs = append(costs[:0], inst.Blocks[p].D...)
		for i, c := range costs {
			costs[i] = min(c, big)
		}
		if err := cuda.Write(a.stream, at, costs); err != nil {
			return err
		}
		at += uintptr(8 * len(costs))
	}
	if err := a.order(); err != nil {
		return err
	}
	return a.clear()
}

// forbidden is what stands for an infinite cost: far above the largest finite one,
// and small enough to leave it its digits.
func forbidden(inst *dualascent.Instance) float64 {
	most := 1.0
	look := func(lists ...[]float64) {
		for _, list := range lists {
			for _, c := range list {
				if c = math.Abs(c); c > most && c <= math.MaxFloat64 {
					most = c
				}
			}
		}
	}
	for p := range inst.Pairs {
		look(inst.Pairs[p].Cost, inst.Pairs[p].RowMiss, inst.Pairs[p].ColMiss)
	}
	for p := range inst.Blocks {
		look(inst.Blocks[p].D)
		if f := inst.Blocks[p].Differences; f != nil {
			look(f.In, f.Out, f.Birth, f.Death, f.Alone)
		}
	}
	return 1e3 * most
}

// Prices are the multipliers and prices of the gaps of inst, which is what New got.
// [dualascent.Bound] says what they prove.
func (a *Ascent) Prices(inst *dualascent.Instance) ([]dualascent.Prices, error) {
	n, arcs := a.size.nodes, a.size.arcs
	u, v := make([]float64, arcs), make([]float64, arcs)
	birth, death, column := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, list := range []struct {
		to   []float64
		from uintptr
	}{{u, a.model.u}, {v, a.model.v}, {birth, a.model.uBirth}, {death, a.model.vDeath}, {column, a.model.column0}} {
		if err := cuda.Read(a.stream, list.to, list.from); err != nil {
			return nil, err
		}
	}
	prices := make([]dualascent.Prices, len(inst.Pairs))
	cut := func(list *[]float64, n int) []float64 {
		s := (*list)[:n:n]
		*list = (*list)[n:]
		return s
	}
	if len(inst.Pairs) > 0 { // the first frame is no column
		cut(&birth, inst.Pairs[0].Rows)
		cut(&column, inst.Pairs[0].Rows)
	}
	for p := range prices {
		g := &inst.Pairs[p]
		prices[p] = dualascent.Prices{
			U: cut(&u, len(g.Col)), V: cut(&v, len(g.Col)),
			Birth: cut(&birth, g.Cols), Death: cut(&death, g.Rows), Col: cut(&column, g.Cols),
		}
	}
	return prices, nil
}
