package dualascent_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt/dualascent"
)

// only is d without what is not left.
func (d *dense) only(arc, death, birth [][]bool) (*dense, int) {
	c, dropped := &dense{nodes: d.nodes, block: d.block}, 0
	keep := func(x float64, left bool) float64 {
		if !left && x < inf {
			dropped++
			return inf
		}
		return x
	}
	for p := range d.arc {
		var arcs [][]float64
		var deaths, births []float64
		k := 0
		for i, row := range d.arc[p] {
			var kept []float64
			for _, x := range row {
				if x < inf {
					x = keep(x, arc[p][k])
					k++
				}
				kept = append(kept, x)
			}
			arcs = append(arcs, kept)
			deaths = append(deaths, keep(d.death[p][i], death[p][i]))
		}
		for j, x := range d.birth[p] {
			births = append(births, keep(x, birth[p][j]))
		}
		c.arc, c.death, c.birth = append(c.arc, arcs), append(c.death, deaths), append(c.birth, births)
	}
	return c, dropped
}

// TestConfine drops what balls around the slack of an answer leave out: an optimum stays. Where the bounds
// have not met something is left, and something is not.
func TestConfine(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	open, dropped := 0, 0
	for trial := range 600 {
		k := kinds[trial%len(kinds)]
		d := random(rng, k, 2, 3, 3, 2)
		arc, death, birth, gap := dualascent.Confined(d.instance(), 1)
		if gap < 0 {
			continue
		}
		c, n := d.only(arc, death, birth)
		if want, got := d.optimum(), c.optimum(); math.Abs(want-got) > 1e-9 {
			t.Fatalf("trial %d (%s): the optimum is %v, of what is left %v", trial, k.name, want, got)
		}
		if gap > 1e-6 {
			open++
			if n > 0 {
				dropped++
			}
		}
	}
	if open < 30 || dropped < open/4 {
		t.Errorf("something was dropped in %d of %d whose bounds have not met", dropped, open)
	}
}
