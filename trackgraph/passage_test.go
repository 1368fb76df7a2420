package trackgraph

// This file tests the sweeps over the detections of graphs whose divisions have prices of their own.

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// litter is a random graph of mothers that may divide; if it is not plain some may divide in all
// ways, and some detections merge.
func litter(rng *rand.Rand, plain bool) *Graph {
	g := &Graph{}
	for t := range 4 {
		for range 3 {
			g.Frame = append(g.Frame, t)
			g.Birth, g.End, g.False = append(g.Birth, 3*rng.Float64()), append(g.End, 3*rng.Float64()), append(g.False, 2*rng.Float64())
			divide := never
			if !plain && rng.IntN(3) == 0 {
				divide = rng.NormFloat64()
			}
			merge := never
			if !plain && rng.IntN(3) == 0 {
				merge = rng.NormFloat64()
			}
			g.Divide, g.Merge = append(g.Divide, divide), append(g.Merge, merge)
		}
	}
	for i := range int32(9) {
		for j := range int32(3) {
			g.Tail, g.Head, g.Cost = append(g.Tail, i), append(g.Head, i/3*3+3+j), append(g.Cost, 2*rng.NormFloat64())
		}
		for range rng.IntN(3) {
			k := int32(len(g.Cost)) - 1
			pair := [2]int32{k - int32(rng.IntN(2)), k - 2}
			twice := false
			for _, d := range g.Divisions {
				twice = twice || d.First == pair[0] && d.Second == pair[1]
			}
			if !twice {
				g.Divisions = append(g.Divisions, Division{pair[0], pair[1], 3 * rng.NormFloat64()})
			}
		}
	}
	return g
}

// begun is the value of the assignment problems with which the ascent begins.
func begun(t *testing.T, g *Graph, p *Prices) float64 {
	t.Helper()
	problem, l, err := pose(t.Context(), g, true)
	if err != nil {
		t.Fatal(err)
	}
	problem.begin(t.Context(), l, p)
	s := newState(problem)
	s.wake()
	if err := s.solve(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s.value + l.constant
}

// Sweeps do not make the bound less, and the ascent goes on from a bound that is at least as good.
func TestSweeps(t *testing.T) { sweeps(t, 300) }

// Nor do sweeps of a few of the arcs.
func TestSweepsCrowded(t *testing.T) {
	defer Crowded()()
	sweeps(t, 150)
}

// sweeps sweeps 400 graphs, and of so many the bound is to meet the optimum.
func sweeps(t *testing.T, least int) {
	rng := rand.New(rand.NewPCG(7, 7))
	met, better := 0, 0
	for trial := range 400 {
		g := litter(rng, trial%2 == 0)
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		half := &Prices{Link: make([]float64, len(g.Cost))}
		for a, c := range g.Cost {
			half.Link[a] = c / 2
		}
		p, _, bound := g.sweeps(t.Context())
		if proved := Bound(g, p); proved != bound {
			t.Fatalf("trial %d: sweeps prove %v, they say %v", trial, proved, bound)
		}
		if first := Bound(g, half); bound < first-1e-9 {
			t.Fatalf("trial %d: sweeps make a bound of %v out of %v", trial, bound, first)
		}
		r, err := Solve(t.Context(), g, &Options{Effort: math.Inf(1)})
		if err != nil {
			t.Fatal(err)
		}
		if bound > r.UpperBound+1e-9 || r.Status != Optimal {
			t.Fatalf("trial %d: bound %v, %v with %v", trial, bound, r.Status, r.UpperBound)
		}
		if bound > r.UpperBound-1e-3 {
			met++
		}
		if value := begun(t, g, p); value < bound-1e-9 {
			t.Fatalf("trial %d: the ascent begins at %v, the sweeps end at %v", trial, value, bound)
		} else if value > bound+1e-9 {
			better++
		}
	}
	t.Logf("sweeps meet the optimum in %d of 400 graphs, the first assignment problem is better in %d", met, better)
	if met < least {
		t.Errorf("sweeps meet the optimum in %d of 400 graphs only", met)
	}
}

// Sweeps over detections with triplets prove what they say, the ascent begins there, and it nearly
// always is the optimum, which that of half the costs is not.
func TestSweepsOfTriplets(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	met, met0 := 0, 0
	for trial := range 200 {
		g := litter(rng, true)
		g.Divide, g.Merge, g.Divisions = nil, nil, nil
		for i := range g.Cost {
			for o := range g.Cost {
				if g.Head[i] == g.Tail[o] && rng.IntN(4) > 0 && g.Head[i]%4 > 0 {
					g.Triplets = append(g.Triplets, Triplet{int32(i), int32(o), 2 * rng.NormFloat64()})
				}
			}
		}
		p, first, bound := g.sweeps(t.Context())
		if proved := Bound(g, p); proved != bound || bound < first {
			t.Fatalf("trial %d: sweeps prove %v, they say %v after %v", trial, proved, bound, first)
		}
		r, err := Solve(t.Context(), g, &Options{Effort: math.Inf(1)})
		if err != nil {
			t.Fatal(err)
		}
		if bound > r.UpperBound+1e-9 || r.Status != Optimal {
			t.Fatalf("trial %d: bound %v, %v with %v", trial, bound, r.Status, r.UpperBound)
		}
		if value := begun(t, g, p); value < bound-1e-9 {
			t.Fatalf("trial %d: the ascent begins at %v, the sweeps end at %v", trial, value, bound)
		}
		if bound > r.UpperBound-0.01 {
			met++
		}
		if first > r.UpperBound-0.01 {
			met0++
		}
	}
	t.Logf("sweeps meet the optimum in %d of 200 graphs, half the costs in %d", met, met0)
	if met < 150 {
		t.Errorf("sweeps meet the optimum in %d of 200 graphs only", met)
	}
}

// TestManyDaughters solves a mother of 250 daughters, with a price for each pair of them, as trying
// all choices does. To look at all pairs for each arc anew took ten seconds.
func TestManyDaughters(t *testing.T) {
	const n = 250
	rng := rand.New(rand.NewPCG(8, 1))
	g := &Graph{Frame: []int{0}, Use: []float64{-5}, Birth: []float64{0}, End: []float64{1}, False: []float64{0}, Divide: []float64{1}}
	alone, more := 0.0, make([]float64, n) // daughters without the mother; what each costs more with her
	for k := range int32(n) {
		birth, cost := 10*rng.Float64(), 4*rng.Float64()
		g.Frame, g.Use, g.Birth, g.End = append(g.Frame, 1), append(g.Use, -5), append(g.Birth, birth), append(g.End, 0)
		g.False, g.Divide = append(g.False, 0), append(g.Divide, never)
		g.Tail, g.Head, g.Cost = append(g.Tail, 0), append(g.Head, k+1), append(g.Cost, cost)
		a := min(0, birth-5)
		alone, more[k] = alone+a, cost-5-a
	}
	best := min(0, -5+1.0)
	for i := range int32(n) {
		best = min(best, -5+more[i])
		for j := range i {
			x := Division{First: j, Second: i, Cost: 3 * rng.NormFloat64()}
			g.Divisions = append(g.Divisions, x)
			best = min(best, -5+more[i]+more[j]+x.Cost)
		}
	}
	r, err := Solve(t.Context(), g, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := alone + best; math.Abs(r.UpperBound-want) > 1e-9 || r.Status != Optimal || r.LowerBound > want+1e-9 || Bound(g, r.Prices) > want+1e-9 {
		t.Errorf("%v: bounds %v and %v, want %v", r.Status, r.LowerBound, r.UpperBound, want)
	}
}

// A countdown is a context that ends when it has been asked left times whether it has.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptedSweeps ends sweeps ever later: no bound is worse than the one that they begin
// with, all are proved by the prices, and the answer is that which was known.
func TestInterruptedSweeps(t *testing.T) { interrupted(t) }

func TestInterruptedCrowd(t *testing.T) {
	defer Crowded()()
	interrupted(t)
}

func interrupted(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	g := litter(rng, true)
	known := &Answer{Used: make([]bool, g.Detections()), Chosen: make([]bool, len(g.Cost))}
	best, err := Solve(t.Context(), g, &Options{Start: known})
	if err != nil || best.UpperBound >= g.Price(known) || best.Answer == known {
		t.Fatalf("%v: %v with what is known, which costs %v", err, best.UpperBound, g.Price(known))
	}
	first, raised, left := math.Inf(-1), 0, 0
	for ; ; left++ {
		r, err := Solve(&countdown{t.Context(), left}, g, &Options{Start: known})
		if err == nil {
			break
		}
		r.Complete(g)
		if !errors.Is(err, context.Canceled) || r.Status != Interrupted || r.Answer != known && r.UpperBound >= g.Price(known) || r.UpperBound != g.Price(r.Answer) {
			t.Fatalf("after %d looks at the context: %v, %+v", left, err, r)
		}
		if left == 0 {
			first = r.LowerBound
		}
		if proved := Bound(g, r.Prices); r.LowerBound < proved || r.Certified != proved || r.LowerBound > best.UpperBound+1e-9 || proved < first-1e-9 {
			t.Fatalf("after %d looks at the context: bound %v, the prices prove %v, at first %v, the optimum is %v", left, r.LowerBound, proved, first, best.UpperBound)
		}
		if r.LowerBound > first+1e-9 {
			raised++
		}
	}
	for k := range left { // with nothing known there is an answer at once
		r, err := Solve(&countdown{t.Context(), k}, g, nil)
		r.Complete(g)
		if !errors.Is(err, context.Canceled) || r.Answer == nil || r.UpperBound != g.Price(r.Answer) || r.UpperBound < best.UpperBound-1e-9 || r.UpperBound == never {
			t.Fatalf("after %d looks at the context: %v, %+v", k, err, r)
		}
	}
	if left < 10 || raised < left/2 {
		t.Errorf("%d ends, %d of them with a better bound than the first", left, raised)
	}
	if r, err := Solve(t.Context(), g, &Options{Start: best.Answer}); err != nil || r.UpperBound != best.UpperBound || r.Status != Optimal {
		t.Errorf("begun at the optimum: %v, %v", r, err)
	}
}
