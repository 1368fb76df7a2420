package trackgraph_test

// This file compares margins with all answers of small graphs.

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/internal/nightly"
	"mtt/trackgraph"
)

// everyAnswer calls visit with all answers of finite price, in the same slices, and the price.
func everyAnswer(g *trackgraph.Graph, visit func(a *trackgraph.Answer, price float64)) {
	m, n := len(g.Cost), len(g.Frame)
	a := &trackgraph.Answer{Used: make([]bool, n), Chosen: make([]bool, m)}
	for set := range 1 << m {
		linked := make([]bool, n)
		var alone []int
		for k := range m {
			if a.Chosen[k] = set>>k&1 == 1; a.Chosen[k] {
				linked[g.Tail[k]], linked[g.Head[k]] = true, true
			}
		}
		for d := range n {
			if a.Used[d] = linked[d]; !linked[d] {
				alone = append(alone, d)
			}
		}
		for used := range 1 << len(alone) {
			for k, d := range alone {
				a.Used[d] = used>>k&1 == 1
			}
			if c := g.Price(a); c < inf {
				visit(a, c)
			}
		}
	}
}

// bits says of an answer what margins are about: arcs, births, ends, detections that are not used.
func bits(g *trackgraph.Graph, a *trackgraph.Answer) []bool {
	n := len(g.Frame)
	b := slices.Clone(a.Chosen)
	birth, end, unused := make([]bool, n), make([]bool, n), make([]bool, n)
	for d := range n {
		birth[d], end[d], unused[d] = a.Used[d], a.Used[d], !a.Used[d]
	}
	for k, yes := range a.Chosen {
		if yes {
			birth[g.Head[k]], end[g.Tail[k]] = false, false
		}
	}
	return append(append(append(b, birth...), end...), unused...)
}

func flat(arc, birth, end, unused []float64) []float64 {
	return append(append(append(slices.Clone(arc), birth...), end...), unused...)
}

// TestMargins: what prices prove is never above the truth, and with the effort that it takes
// the margins of what the answer does are the truth.
func TestMargins(t *testing.T) { margins(t, 21) }

// With prices that are poor.
func TestMarginsPoorPrices(t *testing.T) {
	defer trackgraph.Rounds(1)()
	margins(t, 22)
}

func margins(t *testing.T, seed uint64) {
	trials := nightly.Or(150, 10_000)
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 4))
			exact, bound, graphs := 0, 0, 0
			for trial := range trials {
				g := random(rng, k, 6, 8)
				r, err := trackgraph.Solve(context.Background(), g, &trackgraph.Options{Effort: inf})
				if errors.Is(err, trackgraph.ErrInfeasible) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				graphs++
				own := bits(g, r.Answer)
				truth := slices.Repeat([]float64{inf}, len(own))
				everyAnswer(g, func(a *trackgraph.Answer, price float64) {
					for i, b := range bits(g, a) {
						if b != own[i] {
							truth[i] = min(truth[i], price-r.UpperBound)
						}
					}
				})
				by := trackgraph.NewMargins(g, r.Prices, r.Answer)
				for i, x := range flat(by.Arc, by.Birth, by.End, by.Unused) {
					if x > truth[i]+1e-9 {
						t.Fatalf("trial %d: prices prove margin %d to be %v, it is %v\n%+v", trial, i, x, truth[i], g)
					}
					if x > truth[i]-1e-9 {
						bound++
					}
				}
				random := &trackgraph.Prices{Link: make([]float64, len(g.Cost))}
				for a := range random.Link {
					random.Link[a] = rng.NormFloat64()
				}
				by = trackgraph.NewMargins(g, random, r.Answer)
				for i, x := range flat(by.Arc, by.Birth, by.End, by.Unused) {
					if x > truth[i]+1e-9 {
						t.Fatalf("trial %d: random prices prove margin %d to be %v, it is %v\n%+v", trial, i, x, truth[i], g)
					}
				}
				most := inf
				if trial%2 == 1 {
					most = 3 * rng.Float64()
				}
				m, err := trackgraph.ExactMargins(context.Background(), g, r, &trackgraph.MarginOptions{Most: most, Effort: inf})
				if err != nil {
					t.Fatal(err)
				}
				upper := flat(m.ArcMost, m.BirthMost, m.EndMost, m.UnusedMost)
				for i, x := range flat(m.Arc, m.Birth, m.End, m.Unused) {
					if x > truth[i]+1e-9 || own[i] && x < min(truth[i], most)-1e-8 {
						t.Fatalf("trial %d: margin %d is %v up to %v, found %v\n%+v\n%+v", trial, i, truth[i], most, x, g, r.Answer)
					}
					if upper[i] < truth[i]-1e-9 || own[i] && truth[i] < most-1e-8 && upper[i] > truth[i]+1e-8 {
						t.Fatalf("trial %d: margin %d is %v, an answer is said to cost %v more\n%+v\n%+v", trial, i, truth[i], upper[i], g, r.Answer)
					}
					if math.Abs(x-truth[i]) < 1e-8 {
						exact++
					}
				}
			}
			t.Logf("%d graphs: %d margins are proved by prices alone, %d exactly", graphs, bound, exact)
		})
	}
}

// beside is a graph of two that nothing joins.
func beside(a, b *trackgraph.Graph) *trackgraph.Graph {
	n := int32(a.Detections())
	g := &trackgraph.Graph{
		Frame: slices.Concat(a.Frame, b.Frame), Use: slices.Concat(a.Use, b.Use), Birth: slices.Concat(a.Birth, b.Birth), End: slices.Concat(a.End, b.End),
		False: slices.Concat(a.False, b.False), Divide: slices.Concat(a.Divide, b.Divide), Merge: slices.Concat(a.Merge, b.Merge),
		Tail: slices.Clone(a.Tail), Head: slices.Clone(a.Head), Cost: slices.Concat(a.Cost, b.Cost),
	}
	for k := range b.Cost {
		g.Tail, g.Head = append(g.Tail, b.Tail[k]+n), append(g.Head, b.Head[k]+n)
	}
	return g
}

// inOnePlace says whether what two answers do otherwise hangs together: by links, and by what a
// detection that one of them does not use does before and after itself.
func inOnePlace(g *trackgraph.Graph, own, other []bool) bool {
	n, m := g.Detections(), len(g.Cost)
	place := make([]int, 2*n) // of what each detection does before and after itself; 0: what it did
	fresh := 0
	touch := func(a, b int) {
		fresh++
		for _, x := range [2]int{a, b} {
			was := place[x]
			for k := range place {
				if k == x || was != 0 && place[k] == was {
					place[k] = fresh
				}
			}
		}
	}
	for i := range own {
		switch k := i - m; {
		case own[i] == other[i]:
		case k < 0:
			touch(n+int(g.Tail[i]), int(g.Head[i]))
		case k < 2*n:
			touch(k, k) // birth, end
		default:
			touch(k-2*n, k-n)
		}
	}
	first := 0
	for _, x := range place {
		if first == 0 {
			first = x
		}
		if x != 0 && x != first {
			return false
		}
	}
	return true
}

// Where the answer is not the best in one component, margins are not above what the answers cost
// more that differ in one place, and in the other component they are exact all the same.
func TestMarginsBesideGap(t *testing.T) {
	trials := nightly.Or(150, 10_000)
	for _, k := range []kind{kinds[0], kinds[1], kinds[3], kinds[4]} {
		t.Run(k.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(26, 11))
			open, exact := 0, 0
			for trial := range trials {
				parts := [2]*trackgraph.Graph{random(rng, k, 5, 6), random(rng, k, 5, 6)}
				g := beside(parts[0], parts[1])
				r, err := trackgraph.Solve(context.Background(), g, &trackgraph.Options{Effort: inf})
				if err != nil {
					t.Fatal(err)
				}
				n, m := parts[0].Detections(), len(parts[0].Cost)
				seen := 0.0
				everyAnswer(parts[0], func(a *trackgraph.Answer, _ float64) { // any answer of the first
					if seen++; rng.Float64()*seen < 1 {
						copy(r.Answer.Used, a.Used)
						copy(r.Answer.Chosen, a.Chosen)
					}
				})
				if r.UpperBound = g.Price(r.Answer); r.UpperBound > r.LowerBound+1e-9 {
					open++
				}
				most := inf
				if trial%2 == 1 {
					most = 3 * rng.Float64()
				}
				x, err := trackgraph.ExactMargins(context.Background(), g, r, &trackgraph.MarginOptions{Most: most, Effort: inf})
				if err != nil {
					t.Fatal(err)
				}
				for i, p := range parts {
					a := &trackgraph.Answer{Used: r.Answer.Used[:n], Chosen: r.Answer.Chosen[:m]}
					cut := func(arc, birth, end, unused []float64) []float64 {
						return flat(arc[:m], birth[:n], end[:n], unused[:n])
					}
					if i == 1 {
						a = &trackgraph.Answer{Used: r.Answer.Used[n:], Chosen: r.Answer.Chosen[m:]}
						cut = func(arc, birth, end, unused []float64) []float64 {
							return flat(arc[m:], birth[n:], end[n:], unused[n:])
						}
					}
					own, price := bits(p, a), p.Price(a)
					truth := slices.Repeat([]float64{inf}, len(own))
					least := slices.Clone(truth) // wherever else they differ
					everyAnswer(p, func(a *trackgraph.Answer, c float64) {
						other := bits(p, a)
						once := inOnePlace(p, own, other)
						for i, b := range other {
							if b == own[i] {
								continue
							}
							if least[i] = min(least[i], c-price); once {
								truth[i] = min(truth[i], c-price)
							}
						}
					})
					upper := cut(x.ArcMost, x.BirthMost, x.EndMost, x.UnusedMost)
					for j, y := range cut(x.Arc, x.Birth, x.End, x.Unused) {
						if y > truth[j]+1e-8 || upper[j] < least[j]-1e-8 {
							t.Fatalf("trial %d, component %d: margin %d is %v, found %v to %v\n%+v\n%+v", trial, i, j, truth[j], y, upper[j], g, r.Answer)
						}
						if i == 1 && own[j] && y < min(truth[j], most)-1e-8 {
							t.Fatalf("trial %d: margin %d is %v, found %v: the gap of another component is taken off\n%+v\n%+v", trial, j, truth[j], y, g, r.Answer)
						}
						if own[j] && math.Abs(y-truth[j]) < 1e-8 {
							exact++
						}
					}
				}
			}
			t.Logf("%d graphs, %d of them open: %d margins exact", trials, open, exact)
			if open < trials/4 {
				t.Error("few are open: this tests nothing")
			}
		})
	}
}
