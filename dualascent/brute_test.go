package dualascent_test

// This file compares the engine with the definition of the problem: instances
// in a plain dense form, priced term by term and solved by trying everything.

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"mtt/dualascent"
)

var inf = math.Inf(1)

// A dense instance has a cost for everything; +Inf forbids. It shares no code
// and no layout with dualascent.Instance.
type dense struct {
	nodes []int           // of each frame
	arc   [][][]float64   // arc[p][i][j]: gap p, node i of frame p to node j of frame p+1
	death [][]float64     // death[p][i]: node i of frame p has no out-arc
	birth [][]float64     // birth[p][j]: node j of frame p+1 has no in-arc
	block [][][][]float64 // block[f][j][i][k]: at node j of frame f, in from i (last: born), out to k (last: dies)
}

// instance converts d to the engine's form.
func (d *dense) instance() *dualascent.Instance {
	inst := &dualascent.Instance{}
	for p := range len(d.nodes) - 1 {
		n, m := d.nodes[p], d.nodes[p+1]
		g := dualascent.FramePair{Rows: n, Cols: m, Ptr: []int{0}, Col: []int32{}, Cost: []float64{}, RowMiss: d.death[p], ColMiss: d.birth[p]}
		for i := range n {
			for j := range m {
				if c := d.arc[p][i][j]; c < inf {
					g.Col, g.Cost = append(g.Col, int32(j)), append(g.Cost, c)
				}
			}
			g.Ptr = append(g.Ptr, len(g.Col))
		}
		inst.Pairs = append(inst.Pairs, g)
		if p == 0 {
			continue
		}
		b := dualascent.Block{Ptr: []int{0}, D: []float64{}}
		for j := range n {
			for i := range d.nodes[p-1] + 1 {
				if i < d.nodes[p-1] && d.arc[p-1][i][j] == inf {
					continue
				}
				for k := range m + 1 {
					if k == m || d.arc[p][j][k] < inf {
						b.D = append(b.D, d.block[p][j][i][k])
					}
				}
			}
			b.Ptr = append(b.Ptr, len(b.D))
		}
		inst.Blocks = append(inst.Blocks, b)
	}
	return inst
}

// cost prices an assignment: to[p][i] is the node of frame p+1 that node i of
// frame p goes to, -1 for none.
func (d *dense) cost(to [][]int) float64 {
	var sum float64
	var from []int // of the nodes of frame p
	for p := range to {
		m := d.nodes[p+1]
		next := make([]int, m)
		for j := range next {
			next[j] = -1
		}
		for i, j := range to[p] {
			if j >= 0 {
				sum += d.arc[p][i][j]
				next[j] = i
			} else {
				sum += d.death[p][i]
			}
			if p > 0 {
				in, out := from[i], j
				if in < 0 {
					in = d.nodes[p-1]
				}
				if out < 0 {
					out = m
				}
				sum += d.block[p][i][in][out]
			}
		}
		for j := range m {
			if next[j] < 0 {
				sum += d.birth[p][j]
			}
		}
		from = next
	}
	return sum
}

// optimum tries all assignments.
func (d *dense) optimum() float64 {
	gaps := len(d.nodes) - 1
	to := make([][]int, gaps)
	best := inf
	var try func(p, i int, used []bool)
	try = func(p, i int, used []bool) {
		if p == gaps {
			best = min(best, d.cost(to))
			return
		}
		if i == d.nodes[p] {
			next := []bool{}
			if p+1 < gaps {
				next = make([]bool, d.nodes[p+2])
				to[p+1] = make([]int, d.nodes[p+1])
			}
			try(p+1, 0, next)
			return
		}
		to[p][i] = -1
		try(p, i+1, used)
		for j := range used {
			if !used[j] && d.arc[p][i][j] < inf {
				used[j], to[p][i] = true, j
				try(p, i+1, used)
				used[j] = false
			}
		}
	}
	if gaps > 0 {
		to[0] = make([]int, d.nodes[0])
		try(0, 0, make([]bool, d.nodes[1]))
		return best
	}
	return 0
}

// heads translates the arcs of an answer into nodes.
func heads(inst *dualascent.Instance, next [][]int32) [][]int {
	to := make([][]int, len(next))
	for p, arcs := range next {
		to[p] = make([]int, len(arcs))
		for i, a := range arcs {
			to[p][i] = -1
			if a >= 0 {
				to[p][i] = int(inst.Pairs[p].Col[a])
			}
		}
	}
	return to
}

// sizes draws the numbers of nodes of up to four frames, up to three in each.
func sizes(rng *rand.Rand, k kind) []int {
	nodes := make([]int, 1+rng.IntN(4))
	for f := range nodes {
		nodes[f] = rng.IntN(4)
		if k.end == 1 { // all must be linked
			nodes[f] = 3
		}
	}
	return nodes
}

// kind says which costs of a random instance may be forbidden, with what
// probability.
type kind struct {
	name              string
	arc, end, triplet float64
}

var kinds = []kind{
	{"complete", 0, 0, 0},
	{"sparse", 0.4, 0, 0},
	{"ends forbidden", 0.2, 0.3, 0},
	{"no ends", 0, 1, 0},
	{"triplets forbidden", 0.2, 0, 0.3},
	{"all of it", 0.3, 0.15, 0.15},
}

// random draws an instance with the given number of nodes in each frame. Costs
// may be negative, and some instances have a few integers for costs, which
// makes ties.
func random(rng *rand.Rand, k kind, nodes ...int) *dense {
	d := &dense{nodes: nodes}
	integers := rng.IntN(2) == 0
	draw := func(n int, forbidden float64) []float64 {
		s := make([]float64, n)
		for i := range s {
			switch {
			case rng.Float64() < forbidden:
				s[i] = inf
			case integers:
				s[i] = float64(rng.IntN(6) - 1)
			default:
				s[i] = 4*rng.Float64() - 1
			}
		}
		return s
	}
	for p := range len(nodes) - 1 {
		arc := make([][]float64, d.nodes[p])
		for i := range arc {
			arc[i] = draw(d.nodes[p+1], k.arc)
		}
		d.arc = append(d.arc, arc)
		d.death = append(d.death, draw(d.nodes[p], k.end))
		d.birth = append(d.birth, draw(d.nodes[p+1], k.end))
		var block [][][]float64
		if p > 0 {
			for range d.nodes[p] {
				var rows [][]float64
				for range d.nodes[p-1] + 1 {
					rows = append(rows, draw(d.nodes[p+1]+1, k.triplet))
				}
				block = append(block, rows)
			}
		}
		d.block = append(d.block, block)
	}
	return d
}

// scatter draws prices: anything proves a bound.
func scatter(rng *rand.Rand, inst *dualascent.Instance) []dualascent.Prices {
	draw := func(n int) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = rng.NormFloat64()
		}
		return s
	}
	prices := make([]dualascent.Prices, len(inst.Pairs))
	for p := range prices {
		g := &inst.Pairs[p]
		nnz := len(g.Col)
		prices[p] = dualascent.Prices{U: draw(nnz), V: draw(nnz), Birth: draw(g.Cols), Death: draw(g.Rows), Col: draw(g.Cols)}
	}
	return prices
}

func TestBruteForce(t *testing.T) {
	const tol = 1e-9
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, 1))
			var all []*dense
			trials, solved, optimal, unfound, feasible := 250, 0, 0, 0, 0
			for trial := range trials {
				d := random(rng, k, sizes(rng, k)...)
				all = append(all, d)
				inst := d.instance()
				if err := inst.Validate(); err != nil {
					t.Fatalf("trial %d: %v", trial, err)
				}
				want := d.optimum()
				if want < inf {
					feasible++
				}
				for range 3 {
					if b := dualascent.Bound(inst, scatter(rng, inst)); b > want+tol {
						t.Errorf("trial %d: random prices prove %v, above the optimum %v", trial, b, want)
					}
				}
				for _, scheme := range []dualascent.Scheme{dualascent.Sequential, dualascent.Parallel} {
					res, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{Scheme: scheme})
					if err != nil {
						if !errors.Is(err, dualascent.ErrInfeasible) {
							t.Fatalf("trial %d: %v", trial, err)
						}
						if want < inf && scheme == dualascent.Sequential {
							unfound++
						}
						continue
					}
					if res.LowerBound > want+tol {
						t.Errorf("trial %d, scheme %d: bound %v above the optimum %v", trial, scheme, res.LowerBound, want)
					}
					if b := dualascent.Bound(inst, res.Prices); b > want+tol {
						t.Errorf("trial %d, scheme %d: prices prove %v, above the optimum %v", trial, scheme, b, want)
					}
					if res.UpperBound < want-tol {
						t.Errorf("trial %d, scheme %d: answer costs %v, below the optimum %v", trial, scheme, res.UpperBound, want)
					}
					naive := d.cost(heads(inst, res.Next))
					if c := inst.Cost(res.Next); math.Abs(c-naive) > tol || math.Abs(c-res.UpperBound) > tol {
						t.Errorf("trial %d, scheme %d: Cost %v, UpperBound %v, by definition %v", trial, scheme, c, res.UpperBound, naive)
					}
					if scheme == dualascent.Sequential {
						solved++
						if res.UpperBound < want+tol {
							optimal++
						} else if res.Status == dualascent.Optimal {
							t.Errorf("trial %d: called optimal at %v, the optimum is %v", trial, res.UpperBound, want)
						}
					}
				}
			}
			for trial := range trials {
				d := all[trial]
				want := d.optimum()
				res, err := dualascent.Solve(context.Background(), d.instance(), &dualascent.Options{MaxRounds: 1, Search: -1, Effort: inf})
				if errors.Is(err, dualascent.ErrInfeasible) && want == inf {
					continue
				}
				if err != nil {
					t.Errorf("trial %d: %v; the optimum is %v", trial, err, want)
					continue
				}
				check(t, d.instance(), dualascent.Sequential, res)
				if res.Status != dualascent.Optimal || math.Abs(res.UpperBound-want) > tol {
					t.Errorf("trial %d: %v is %v, the optimum is %v", trial, res.UpperBound, res.Status, want)
				}
			}
			t.Logf("%d feasible of %d: answered %d, %d of them optimally, missed %d", feasible, trials, solved, optimal, unfound)
			if solved == 0 || 100*optimal < 97*solved {
				t.Errorf("%d of %d answers are optimal, want 97 %%", optimal, solved)
			}
		})
	}
}
