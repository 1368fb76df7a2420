package trackgraph_test

// This file compares Solve with all answers of small graphs.

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"mtt/internal/nightly"
	"mtt/trackgraph"
)

var inf = math.Inf(1)

// kind says what a random graph has.
type kind struct {
	name                                     string
	divide, merge, triplets, pairs, required bool
}

var kinds = []kind{
	{name: "links"},
	{name: "divisions", divide: true},
	{name: "priced divisions", divide: true, pairs: true},
	{name: "merges", merge: true},
	{name: "divisions and merges", divide: true, merge: true},
	{name: "triplets", triplets: true},
	{name: "required", divide: true, required: true},
	{name: "all of it", divide: true, merge: true, triplets: true, pairs: true, required: true},
}

// random draws a graph of up to n detections and m arcs. Half of them have small integers
// for costs, which makes ties.
func random(rng *rand.Rand, k kind, n, m int) *trackgraph.Graph {
	integers := rng.IntN(2) == 0
	draw := func(lo, hi float64) float64 {
		x := lo + (hi-lo)*rng.Float64()
		if integers {
			x = math.Round(x)
		}
		return x
	}
	g := &trackgraph.Graph{}
	frames := 2 + rng.IntN(3)
	n = 1 + rng.IntN(n)
	for range n {
		f := rng.IntN(frames)
		g.Frame = append(g.Frame, f)
		g.Use = append(g.Use, draw(-3, 1))
		g.Birth, g.End = append(g.Birth, draw(0, 3)), append(g.End, draw(0, 3))
		unused, divide, merge := draw(-1, 1), inf, inf
		if k.required && rng.IntN(4) == 0 {
			unused = inf
		}
		if k.required && rng.IntN(4) == 0 {
			g.Birth[len(g.Birth)-1] = inf
		}
		if k.divide && rng.IntN(3) > 0 {
			divide = draw(-2, 2)
		}
		if k.merge && rng.IntN(3) > 0 {
			merge = draw(-2, 2)
		}
		g.False, g.Divide, g.Merge = append(g.False, unused), append(g.Divide, divide), append(g.Merge, merge)
	}
	for i := range n {
		for j := range n {
			if g.Frame[i] < g.Frame[j] && len(g.Cost) < m && rng.IntN(3) > 0 {
				g.Tail, g.Head = append(g.Tail, int32(i)), append(g.Head, int32(j))
				g.Cost = append(g.Cost, draw(-3, 3))
			}
		}
	}
	rng.Shuffle(len(g.Cost), func(a, b int) {
		g.Tail[a], g.Tail[b] = g.Tail[b], g.Tail[a]
		g.Head[a], g.Head[b] = g.Head[b], g.Head[a]
		g.Cost[a], g.Cost[b] = g.Cost[b], g.Cost[a]
	})
	special := make([]bool, n)
	for a := range g.Cost {
		for b := range g.Cost {
			i := g.Tail[a]
			if k.pairs && a < b && i == g.Tail[b] && rng.IntN(2) == 0 {
				g.Divisions = append(g.Divisions, trackgraph.Division{First: int32(a), Second: int32(b), Cost: draw(-3, 2)})
				special[i] = true
			}
		}
	}
	for a := range g.Cost {
		for b := range g.Cost {
			j := g.Head[a]
			if k.triplets && j == g.Tail[b] && g.Divide[j] == inf && g.Merge[j] == inf && !special[j] && rng.IntN(2) == 0 {
				g.Triplets = append(g.Triplets, trackgraph.Triplet{In: int32(a), Out: int32(b), Cost: draw(-2, 3)})
			}
		}
	}
	return g
}

// optimum tries all sets of arcs; detections without one are used if that is cheaper.
func optimum(g *trackgraph.Graph) float64 {
	m, n := len(g.Cost), len(g.Frame)
	a := &trackgraph.Answer{Used: make([]bool, n), Chosen: make([]bool, m)}
	best := inf
	for set := range 1 << m {
		fixed := 0
		for k := range a.Used {
			a.Used[k] = false
		}
		for k := range m {
			a.Chosen[k] = set>>k&1 == 1
			if a.Chosen[k] {
				a.Used[g.Tail[k]], a.Used[g.Head[k]] = true, true
			}
		}
		for k := range a.Used {
			if !a.Used[k] {
				a.Used[k] = g.Use[k]+g.Birth[k]+g.End[k] < g.False[k]
				fixed++
			}
		}
		best = min(best, g.Price(a))
	}
	return best
}

// With prices that are poor, so that the search has much to do.
func TestBruteForcePoorPrices(t *testing.T) {
	defer trackgraph.Rounds(1)()
	bruteForce(t, 18)
}

// With graphs of few arcs before those of all.
func TestBruteForceCrowded(t *testing.T) {
	defer trackgraph.Crowded()()
	bruteForce(t, 19)
}

func TestBruteForce(t *testing.T) { bruteForce(t, 17) }

// bruteForce compares with enumeration. MTT_TRIALS is the number of graphs of each kind, MTT_TIME
// for how long, MTT_SEED says which.
func bruteForce(t *testing.T, seed uint64) {
	trials := nightly.Trials(nightly.Or(400, 15_000))
	seed = uint64(nightly.Seed(int(seed)))
	clock := nightly.Start()
	for part, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 3))
			solved, certified, feasible := 0, 0, 0
			for trial := range clock.Rounds(trials, part, len(kinds)) {
				solved++
				g := random(rng, k, 7, 10)
				unit := 1.0
				if trial%4 == 3 { // prices of another unit
					unit = math.Ldexp(1, rng.IntN(101)-50)
					scale(g, unit)
				}
				tol := 1e-9 * unit
				if err := g.Validate(); err != nil {
					t.Fatal(err)
				}
				want := optimum(g)
				link := make([]float64, len(g.Cost))
				for a := range link {
					link[a] = rng.NormFloat64() * unit
				}
				if b := trackgraph.Bound(g, &trackgraph.Prices{Link: link}); b > want+tol {
					t.Fatalf("trial %d: random prices prove %v, the optimum is %v", trial, b, want)
				}
				r, err := trackgraph.Solve(context.Background(), g, &trackgraph.Options{Effort: inf})
				if errors.Is(err, trackgraph.ErrInfeasible) && want == inf {
					continue
				}
				if err != nil {
					t.Fatalf("trial %d: %v; the optimum is %v", trial, err, want)
				}
				feasible++
				if r.Status != trackgraph.Optimal || math.Abs(r.UpperBound-want) > tol || r.LowerBound > want+tol || r.Certified > want+tol {
					t.Fatalf("trial %d: %v, %v to %v, certified %v; the optimum is %v\n%+v", trial, r.Status, r.LowerBound, r.UpperBound, r.Certified, want, g)
				}
				if r.Certified > want-tol {
					certified++
				}
			}
			t.Logf("seed %d: %d graphs, %d feasible, %d proved by prices alone", seed, solved, feasible, certified)
		})
	}
}

// scale multiplies all prices by unit, a power of two.
func scale(g *trackgraph.Graph, unit float64) {
	for _, list := range [][]float64{g.Use, g.Birth, g.End, g.False, g.Divide, g.Merge, g.Cost} {
		for k := range list {
			list[k] *= unit
		}
	}
	for k := range g.Triplets {
		g.Triplets[k].Cost *= unit
	}
	for k := range g.Divisions {
		g.Divisions[k].Cost *= unit
	}
}
