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
	group := newForest(n)
	var open []int // tracks with more than one choice
	for t := range group {
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
			if group.root(a) != group.root(b) && c.dependence(&joint, marginals, a, b) > tolerance {
				group.join(a, b)
			}
		}
	}
	groups := group.groups()
	parts := c.factor(groups)
	if len(parts) > 1 && len(open) > 1 && c.distance(parts, groups) > tolerance {
		for _, t := range open[1:] {
			group.join(open[0], t)
		}
		parts = c.factor(group.groups())
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

// factor makes a cluster for each group of tracks, with the marginal of the table.
func (c *cluster) factor(groups [][]int) []*cluster {
	parts := make([]*cluster, len(groups))
	for g, members := range groups {
		part := &cluster{rows: make([]row, len(c.rows))}
		for _, t := range members {
			part.tracks = append(part.tracks, c.tracks[t])
		}
		picks := make([]int32, len(c.rows)*len(members))
		for i := range c.rows {
			pick := picks[i*len(members) : (i+1)*len(members) : (i+1)*len(members)]
			for k, t := range members {
				pick[k] = c.rows[i].pick[t]
			}
			part.rows[i] = row{c.rows[i].weight, pick}
		}
		parts[g] = part.tidy()
	}
	return parts
}

// distance is the total variation between the table and the product of its parts.
func (c *cluster) distance(parts []*cluster, groups [][]int) float64 {
	sum, inside := 0.0, 0.0
	for i := range c.rows {
		w := 1.0
		for g, part := range parts {
			w *= part.weightOf(c, &c.rows[i], groups[g])
		}
		sum += math.Abs(c.rows[i].weight - w)
		inside += w
	}
	return (sum + max(0, 1-inside)) / 2
}

// weightOf is the weight of the row of a part that agrees with a row of the whole.
// Tidy has numbered local hypotheses anew, so rows are compared by what they pick.
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
