package pmbm

import "math"

// This file takes a cluster apart when its table of global hypotheses is a
// product of tables.
//
// Tracks that are dependent in pairs belong together; what that leaves apart is
// checked as a whole, because independence in pairs is not enough. The measure is
// the total variation between the table and the product of its marginals: no
// probability of any event changes by more.

// split returns the factors of c, or c alone.
func (u *updater) split(c *cluster) []*cluster {
	n := len(c.tracks)
	if n == 1 {
		return []*cluster{c}
	}
	tolerance := u.f.o.SplitTolerance + 1e-12 // of rounding
	group := make([]int, n)
	root := func(t int) int {
		for group[t] != t {
			t = group[t]
		}
		return t
	}
	var open []int // tracks with more than one choice
	for t := range group {
		group[t] = t
		if !c.constant(t) {
			open = append(open, t)
		}
	}
	marginals := make([][]float64, n)
	for _, t := range open {
		marginals[t] = make([]float64, len(c.tracks[t].locals)+1)
		for i := range c.rows {
			marginals[t][c.rows[i].pick[t]+1] += c.rows[i].weight
		}
	}
	var joint []float64
	for i, a := range open {
		for _, b := range open[i+1:] {
			if x, y := root(a), root(b); x != y && c.dependence(&joint, marginals, a, b) > tolerance {
				group[max(x, y)] = min(x, y)
			}
		}
	}
	parts := c.factor(group, root)
	if len(parts) > 1 && len(open) > 1 && c.distance(parts, group, root) > tolerance {
		for _, t := range open[1:] {
			if x, y := root(open[0]), root(t); x != y {
				group[max(x, y)] = min(x, y)
			}
		}
		parts = c.factor(group, root)
	}
	return parts
}

// constant says whether all rows pick the same of track t.
func (c *cluster) constant(t int) bool {
	for i := range c.rows {
		if c.rows[i].pick[t] != c.rows[0].pick[t] {
			return false
		}
	}
	return true
}

// dependence is the total variation between the joint choice of tracks a and b
// and the product of their marginals.
func (c *cluster) dependence(joint *[]float64, marginals [][]float64, a, b int) float64 {
	wide := len(marginals[b])
	*joint = resize(*joint, len(marginals[a])*wide)
	clear(*joint)
	for i := range c.rows {
		pick := c.rows[i].pick
		(*joint)[int(pick[a]+1)*wide+int(pick[b]+1)] += c.rows[i].weight
	}
	sum := 0.0
	for x, p := range marginals[a] {
		for y, q := range marginals[b] {
			sum += math.Abs((*joint)[x*wide+y] - p*q)
		}
	}
	return sum / 2
}

// factor makes a cluster for each group, with the marginal of the table.
func (c *cluster) factor(group []int, root func(int) int) []*cluster {
	var parts []*cluster
	for t := range group {
		if root(t) != t {
			continue
		}
		part := &cluster{}
		var members []int
		for s := t; s < len(group); s++ {
			if root(s) == t {
				members = append(members, s)
				part.tracks = append(part.tracks, c.tracks[s])
			}
		}
		part.rows = make([]row, len(c.rows))
		picks := make([]int32, len(c.rows)*len(members))
		for i := range c.rows {
			pick := picks[i*len(members) : (i+1)*len(members) : (i+1)*len(members)]
			for k, s := range members {
				pick[k] = c.rows[i].pick[s]
			}
			part.rows[i] = row{c.rows[i].weight, pick}
		}
		parts = append(parts, part.tidy())
	}
	return parts
}

// distance is the total variation between the table and the product of parts.
func (c *cluster) distance(parts []*cluster, group []int, root func(int) int) float64 {
	// Tidy has numbered local hypotheses anew: rows are compared by what they pick.
	type factor struct {
		part    *cluster
		members []int
	}
	list := make([]factor, 0, len(parts))
	for t := range group {
		if root(t) != t {
			continue
		}
		s := factor{part: parts[len(list)]}
		for k := t; k < len(group); k++ {
			if root(k) == t {
				s.members = append(s.members, k)
			}
		}
		list = append(list, s)
	}
	sum, inside := 0.0, 0.0
	for i := range c.rows {
		w := 1.0
		for _, s := range list {
			w *= s.part.weightOf(c, &c.rows[i], s.members)
		}
		sum += math.Abs(c.rows[i].weight - w)
		inside += w
	}
	return (sum + max(0, 1-inside)) / 2
}

// weightOf is the weight of the row of a part that agrees with a row of the whole.
func (c *cluster) weightOf(whole *cluster, of *row, members []int) float64 {
	for i := range c.rows {
		same := true
		for k, t := range members {
			var a, b *local
			if n := of.pick[t]; n >= 0 {
				a = whole.tracks[t].locals[n]
			}
			if n := c.rows[i].pick[k]; n >= 0 {
				b = c.tracks[k].locals[n]
			}
			if a != b {
				same = false
				break
			}
		}
		if same {
			return c.rows[i].weight
		}
	}
	return 0
}
