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
