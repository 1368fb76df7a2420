package lapgen

import (
	"math"
	"math/rand/v2"
	"slices"

	"mtt/mapsolver"
)

// This file makes sparse problems.

// Sparse makes a square problem of n rows with k entries each, the columns
// uniform, the costs uniform in [0,1), or integers below levels when that is
// positive. A hidden assignment keeps it feasible.
func Sparse(n, k, levels int, seed uint64) *mapsolver.Problem {
	rng := rand.New(rand.NewPCG(seed, 2))
	hidden := rng.Perm(n)
	p := &mapsolver.Problem{Rows: n, Cols: n, Ptr: make([]int, 1, n+1)}
	var row []int32
	for r := range n {
		row = append(row[:0], int32(hidden[r]))
		for len(row) < k {
			if c := int32(rng.IntN(n)); !slices.Contains(row, c) {
				row = append(row, c)
			}
		}
		slices.Sort(row)
		p.Col = append(p.Col, row...)
		p.Ptr = append(p.Ptr, len(p.Col))
	}
	p.Cost = make([]float64, len(p.Col))
	for e := range p.Cost {
		if levels > 0 {
			p.Cost[e] = float64(rng.IntN(levels))
		} else {
			p.Cost[e] = rng.Float64()
		}
	}
	return p
}

// Tracking makes the square problem of tracking n targets from one frame to
// the next: n points, uniform in a square of area n, are paired with copies of
// themselves, in another order, that lie within a radius. Each copy has noise
// of standard deviation sigma in both coordinates: at 0.3 most points are
// nearest to their own copy, at 0.7 few are. Each row has about deg entries;
// the cost is the squared distance. The own copy is always an entry.
func Tracking(n, deg int, sigma float64, seed uint64) *mapsolver.Problem {
	rng := rand.New(rand.NewPCG(seed, 3))
	side := math.Sqrt(float64(n))
	radius := math.Sqrt(float64(deg) / math.Pi)
	a, b := make([]float64, 2*n), make([]float64, 2*n)
	order := rng.Perm(n)
	for i, j := range order {
		for k := range 2 {
			a[2*i+k] = side * rng.Float64()
			b[2*j+k] = a[2*i+k] + sigma*rng.NormFloat64()
		}
	}

	// Buckets of the width of the radius, so that neighbours lie in nine.
	width := int(side/radius) + 1
	at := func(x float64) int { return min(max(int(x/radius), 0), width-1) }
	buckets := make([][]int32, width*width)
	for j := range n {
		q := at(b[2*j+1])*width + at(b[2*j])
		buckets[q] = append(buckets[q], int32(j))
	}
	type pair struct {
		c    int32
		cost float64
	}
	p := &mapsolver.Problem{Rows: n, Cols: n, Ptr: make([]int, 1, n+1)}
	var row []pair
	for i := range n {
		x, y := a[2*i], a[2*i+1]
		row = row[:0]
		add := func(j int32) {
			dx, dy := b[2*j]-x, b[2*j+1]-y
			row = append(row, pair{j, dx*dx + dy*dy})
		}
		own := false
		for gy := max(at(y)-1, 0); gy <= min(at(y)+1, width-1); gy++ {
			for gx := max(at(x)-1, 0); gx <= min(at(x)+1, width-1); gx++ {
				for _, j := range buckets[gy*width+gx] {
					if math.Hypot(b[2*j]-x, b[2*j+1]-y) <= radius {
						own = own || int(j) == order[i]
						add(j)
					}
				}
			}
		}
		if !own {
			add(int32(order[i]))
		}
		slices.SortFunc(row, func(s, t pair) int { return int(s.c - t.c) })
		for _, e := range row {
			p.Col = append(p.Col, e.c)
			p.Cost = append(p.Cost, e.cost)
		}
		p.Ptr = append(p.Ptr, len(p.Col))
	}
	return p
}

// Tiny makes a problem of rows rows that have a column of their own each, to
// stay unassigned in, and 1 … most columns from those they share: the shape of
// the hypotheses of one target group.
func Tiny(rows, cols, most int, seed uint64) *mapsolver.Problem {
	rng := rand.New(rand.NewPCG(seed, 4))
	p := &mapsolver.Problem{Rows: rows, Cols: cols, Ptr: make([]int, 1, rows+1)}
	var row []int32
	for r := range rows {
		row = append(row[:0], int32(r))
		for range 1 + rng.IntN(most) {
			if c := int32(rows + rng.IntN(cols-rows)); !slices.Contains(row, c) {
				row = append(row, c)
			}
		}
		slices.Sort(row)
		for _, c := range row {
			p.Col = append(p.Col, c)
			p.Cost = append(p.Cost, rng.Float64())
		}
		p.Ptr = append(p.Ptr, len(p.Col))
	}
	return p
}
