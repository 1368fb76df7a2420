package dualascent

import (
	"context"
	"math"
	"slices"

	"mtt/internal/workers"
)

// This file sums over all assignments.

// FreeEnergy is −log Σ exp(−cost), the sum being over all assignments of inst, in Bethe's
// approximation. Where costs are negative log likelihoods it is that of what was
// detected, whichever way it is joined; the best assignment is one way.
//
// It is the fixed point of sum-product messages along the arcs: each node sums over its own choices
// of an in-arc and an out-arc. Where no arcs form a cycle that is exact. In one gap it is too high
// by at most half of log 2 for each node [1, 2]; with triplets it may err either way, mostly by a
// few hundredths of what the sum adds to the best assignment. Messages begin with what prices of
// inst say, nil for none: where ends are so dear that all is forced they would come no farther in a
// pass than two choices are apart, and the sum would be off by the price of an end. It is +Inf
// where a node has no choice. Passes there and back end where one changes it by less than 10⁻⁴ for
// each node. Time is that of some ten passes over the triplets, at most 24; memory as much again as
// the triplet costs take. Nodes of a frame are shared among so many goroutines, 0: one for each
// processor, which do not change the result.
//
// [1] P. O. Vontobel. The Bethe permanent of a nonnegative matrix. IEEE Trans. Inf. Theory 59
// (2013), 1866-1901.
// [2] L. Gurvits, A. Samorodnitsky. Bounds on the permanent and some applications. FOCS 2014.
func FreeEnergy(ctx context.Context, inst *Instance, prices []Prices, goroutines int) (nats float64, err error) {
	const sweeps, each = 12, 1e-4 // nat, of a node: much less than it is off
	m := newMessages(inst, workers.Count(goroutines))
	m.start(prices)
	settled := 0.0
	for p := range inst.Pairs {
		settled += each * float64(inst.Pairs[p].Rows)
	}
	last := math.Inf(1)
	for range sweeps {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		for t := range len(inst.Pairs) {
			m.visit(t, onward)
		}
		nats = 0
		for t := len(inst.Pairs); t >= 0; t-- {
			if nats -= m.visit(t, backward); math.IsInf(nats, 1) {
				return nats, nil
			}
		}
		nats += m.arcs()
		if math.Abs(nats-last) < settled {
			break
		}
		last = nats
	}
	return nats, nil
}

// arcs is the sum of log(1 + exp x) over the arcs, each being counted at both its ends, with log
// odds x in all: as the logs of products, of which few are taken.
func (m *messages) arcs() (nats float64) {
	const sure, most = 40, 1e300 // exp(−40) is nothing beside 1
	product := 1.0
	for p := range m.tail {
		head := m.head[p]
		for a, x := range m.tail[p] {
			x += head[a]
			nats += max(0, x)
			if x = math.Abs(x); x < sure {
				if product *= 1 + math.Exp(-x); product > most {
					nats += math.Log(product)
					product = 1
				}
			}
		}
	}
	return nats + math.Log(product)
}

// messages are the log odds that an arc is used, as the node at one of its ends has them.
type messages struct {
	inst       *Instance
	in         []columns
	tail, head [][]float64 // by gap and arc: of its tail, with its cost, and of its head
	blocks     []Block     // with every cost stored
	weight     [][]float64 // of each block: exp(least − D)
	least      [][]float64 // of each block: the least cost of each node

	nodes []choices // at hand, of each worker
	one   []float64 // ones: the weights of a node of the first or last frame
	nats  []float64 // of a frame: of so many nodes each
}

const onward, backward = true, false

func newMessages(inst *Instance, goroutines int) *messages {
	m := &messages{inst: inst, nodes: make([]choices, goroutines)}
	for p := range inst.Pairs {
		g := &inst.Pairs[p]
		m.in = append(m.in, transpose(g))
		m.tail = append(m.tail, make([]float64, len(g.Col)))
		m.head = append(m.head, make([]float64, len(g.Col)))
		for len(m.one) <= max(g.Rows, g.Cols) {
			m.one = append(m.one, 1)
		}
	}
	for p := range inst.Blocks {
		b := inst.Blocks[p]
		if b.Differences != nil {
			b = b.Differences.Dense(&inst.Pairs[p], &inst.Pairs[p+1])
		}
		weight, least := make([]float64, len(b.D)), make([]float64, inst.Pairs[p+1].Rows)
		for j := range least {
			d := b.D[b.Ptr[j]:b.Ptr[j+1]]
			least[j] = min(slices.Min(d), math.MaxFloat64)
			for k, c := range d {
				weight[b.Ptr[j]+k] = math.Exp(least[j] - c)
			}
		}
		m.blocks, m.weight, m.least = append(m.blocks, b), append(m.weight, weight), append(m.least, least)
	}
	return m
}

// start begins with what prices say, of an arc as the node at its head has it: what they move from
// the node at its tail, beside the death of that; in the first gap, whose tails have no costs of
// their own, what they leave in the gap.
func (m *messages) start(prices []Prices) {
	for p := range prices {
		g, of := &m.inst.Pairs[p], &prices[p]
		for i := range g.Rows {
			for e := g.Ptr[i]; e < g.Ptr[i+1]; e++ {
				x := 0.0
				if p > 0 {
					x = g.Cost[e] - g.RowMiss[i] + of.V[e] - of.Death[i]
				} else {
					j := g.Col[e]
					x = min(of.Col[j], g.ColMiss[j]+of.Birth[j]) - of.U[e]
				}
				m.head[p][e] = min(max(x, -surest), surest)
			}
		}
	}
}

// visit sends messages of the nodes of frame t, onward to the heads of their out-arcs or backward
// to the tails of their in-arcs, and returns the log of the product of their sums.
func (m *messages) visit(t int, on bool) (nats float64) {
	const each = 256 // nodes at a time
	nodes := 0
	if t > 0 {
		nodes = m.inst.Pairs[t-1].Cols
	} else if len(m.inst.Pairs) > 0 {
		nodes = m.inst.Pairs[0].Rows
	}
	jobs := (nodes + each - 1) / each
	m.nats = slices.Grow(m.nats[:0], jobs)[:jobs]
	workers.Each(len(m.nodes), jobs, func(worker, job int) {
		m.nats[job] = m.send(t, on, job*each, min(nodes, (job+1)*each), &m.nodes[worker])
	})
	for _, x := range m.nats {
		nats += x
	}
	return nats
}

// send is visit of some of the nodes, whose arcs nobody else has: those from lo to hi-1.
func (m *messages) send(t int, on bool, lo, hi int, n *choices) (nats float64) {
	var left, right *FramePair
	if t > 0 {
		left = &m.inst.Pairs[t-1]
	}
	if t < len(m.inst.Pairs) {
		right = &m.inst.Pairs[t]
	}
	for j := lo; j < hi; j++ {
		var in []int32
		n.x, n.y = n.x[:0], n.y[:0]
		if left == nil {
			n.x = append(n.x, 0)
		} else {
			in = m.in[t-1].at(j)
			for _, a := range in {
				n.x = append(n.x, m.tail[t-1][a])
			}
			n.x = append(n.x, -left.ColMiss[j])
		}
		first := 0
		if right == nil {
			n.y = append(n.y, 0)
		} else {
			first = right.Ptr[j]
			for b := first; b < right.Ptr[j+1]; b++ {
				n.y = append(n.y, m.head[t][b]-right.Cost[b])
			}
			n.y = append(n.y, -right.RowMiss[j])
		}
		if left == nil || right == nil {
			nats += n.sum(m.one[:len(n.x)*len(n.y)], nil, 0, on)
		} else {
			b := &m.blocks[t-1]
			from, to := b.Ptr[j], b.Ptr[j+1]
			nats += n.sum(m.weight[t-1][from:to], b.D[from:to], m.least[t-1][j], on)
		}
		switch {
		case on && right != nil:
			for k := range len(n.y) - 1 {
				m.tail[t][first+k] = odds(n.cols, k) - m.head[t][first+k]
			}
		case !on:
			for k, a := range in {
				m.head[t-1][a] = odds(n.rows, k) - n.x[k]
			}
		}
	}
	return nats
}

// choices are those of a node: what may come before it, as the rows, and after it, as the columns.
type choices struct {
	x, y       []float64 // their log odds
	e          []float64 // of the columns: exp(y − the greatest)
	rows, cols []float64 // their shares of the sum
}

// sum sums exp(x+y−d) over all choices, and returns the log; weight are exp(least − d). Costs that are
// nil are 0. The shares are those of the columns where on, else those of the rows.
func (n *choices) sum(weight, d []float64, least float64, on bool) (nats float64) {
	n.rows, n.cols, n.e = append(n.rows[:0], n.x...), append(n.cols[:0], n.y...), append(n.e[:0], n.y...)
	clear(n.rows)
	clear(n.cols)
	x0, y0 := slices.Max(n.x), slices.Max(n.y)
	if math.IsInf(x0+y0, -1) {
		return x0 + y0
	}
	for b, y := range n.y {
		n.e[b] = math.Exp(y - y0)
	}
	total := 0.0
	for a, x := range n.x {
		x = math.Exp(x - x0)
		w := weight[a*len(n.y):][:len(n.e)]
		sum := 0.0
		if on {
			cols := n.cols[:len(w)]
			for b, e := range n.e {
				v := x * e * w[b]
				cols[b] += v
				sum += v
			}
		} else {
			for b, e := range n.e {
				sum += x * e * w[b]
			}
		}
		n.rows[a] = sum
		total += sum
	}
	nats = x0 + y0 - least
	if !(total > 1e-200) { // the likeliest of each are no choice together
		nats, total = n.sumLogs(d)
	}
	if total == 0 {
		return math.Inf(-1)
	}
	for a := range n.rows {
		n.rows[a] /= total
	}
	for b := range n.cols {
		n.cols[b] /= total
	}
	return nats + math.Log(total)
}

// sumLogs sums relative to the greatest term, the log of which it returns.
func (n *choices) sumLogs(d []float64) (most, total float64) {
	term := func(a, b int) float64 {
		if d == nil {
			return n.x[a] + n.y[b]
		}
		return n.x[a] + n.y[b] - d[a*len(n.y)+b]
	}
	clear(n.rows)
	clear(n.cols)
	most = math.Inf(-1)
	for a := range n.x {
		for b := range n.y {
			most = max(most, term(a, b))
		}
	}
	if math.IsInf(most, -1) {
		return most, 0
	}
	for a := range n.x {
		for b := range n.y {
			v := math.Exp(term(a, b) - most)
			n.rows[a] += v
			n.cols[b] += v
			total += v
		}
	}
	return most, total
}

// surest are the greatest log odds: what an end costs that is as good as forbidden, and the least
// that numbers hold.
const surest = 700

// odds are the log odds of share k against the others; those that are surer than rounding are not told apart.
func odds(share []float64, k int) float64 {
	rest := 1 - share[k]
	if rest < 0.5 { // without the rounding of what is large
		rest = 0
		for i, v := range share {
			if i != k {
				rest += v
			}
		}
	}
	return min(max(math.Log(share[k]/rest), -surest), surest)
}
