package refine

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"mtt"
	"mtt/association/chain"
	"mtt/association/chain/chaintest"
	"mtt/costgen"
	"mtt/motion"
)

// This file tests the refinement of targets that are seen seldom.

// TestPricesOfRelinkings: what a change of links around a detection believes to add is what whole
// says it did, from random links.
func TestPricesOfRelinkings(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	made := 0
	for n := range 120 {
		vel, dim := n%2 == 0, 2+n/2%2
		levels := refineLevels(vel, dim)
		levels.Rates.Hidden = float64(n%3) / 3
		if n%5 > 2 {
			levels.Places = somePlaces(rng, dim)
		}
		scans := chaintest.Scans(rng, 8, 3, dim, vel)
		c := chaintest.Links(rng, scans, 1)
		r := testRefiner(c, scans, chaintest.Gate(t, scans, chaintest.Everything), &costgen.Gaussian{Levels: levels}, 7, 100)
		r.backward()
		s := &seldom[motion.State, motion.Information]{mover: r.movers[0]}
		if err := s.list(t.Context()); err != nil {
			t.Fatal(err)
		}
		now := whole(c, scans, &levels)
		for k := range s.node {
			for range 20 {
				r.clock++
				gain := s.better(k)
				if gain == 0 {
					break
				}
				made++
				then := whole(c, scans, &levels)
				if math.Abs(then-now-gain) > 1e-7*(1+math.Abs(now)) {
					t.Fatalf("scene %d: a change adds %v, not %v", n, then-now, gain)
				}
				now = then
			}
		}
		for _, move := range []func() int{s.dissolve, func() int { return s.rejoin(t.Context()) }} {
			count := move()
			then := whole(c, scans, &levels)
			if then > now+1e-7*(1+math.Abs(now)) || count > 0 && then > now-slightest {
				t.Fatalf("scene %d: %d tracks taken apart, or joined, add %v", n, count, then-now)
			}
			made, now = made+count, then
		}
	}
	if made < 500 {
		t.Errorf("only %d changes were made", made)
	}
}

// reports are those of targets that go straight, each at times of its own, and whose each is.
func reports(rng *rand.Rand, targets int, seconds float64) (scans []mtt.Scan, who [][]int) {
	type report struct {
		at   float64
		x, y float64
		of   int
	}
	var list []report
	for i := range targets {
		x, y, vx, vy := 1e4*rng.Float64(), 1e4*rng.Float64(), 5*rng.NormFloat64(), 5*rng.NormFloat64()
		for at := 10 * rng.ExpFloat64(); at < seconds; at += 1 + 10*rng.ExpFloat64() {
			list = append(list, report{at, x + vx*at + 5*rng.NormFloat64(), y + vy*at + 5*rng.NormFloat64(), i})
		}
	}
	slices.SortFunc(list, func(a, b report) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	for f, r := range list {
		scans, who = append(scans, mtt.Scan{Frame: f, Time: r.at, Dim: 2, Pos: []float64{r.x, r.y}}), append(who, []int{r.of})
	}
	return scans, who
}

// TestSeldomFindsTracks: of targets that report each at times of their own nearly all links are
// right; they do not depend on workers, and when the context ends they are consistent.
func TestSeldomFindsTracks(t *testing.T) {
	const targets = 30
	for seed := range uint64(3) {
		scans, who := reports(rand.New(rand.NewPCG(seed, 32)), targets, 300)
		levels := refineLevels(false, 2)
		levels.Sigma, levels.Accel, levels.SpeedStd = 5, 0.01, 5
		n := float64(targets)
		levels.Rates = costgen.Rates{Detect: 1 / n, Hidden: 1 - 1/n, Survive: 1 - 1e-5, Births: 1e-3, Targets: n, Clutter: 1e-3, Volume: 1e8}
		model, o := &costgen.Gaussian{Levels: levels}, Options{Misses: 1000, Speed: 30, Sweeps: 8, Seldom: true, Workers: 1}
		c := chain.New(scans)
		if _, err := Links(t.Context(), c, scans, nil, model, &o); err != nil {
			t.Fatal(err)
		}
		right := 0
		for f := range c.Next {
			if next := c.Next[f][0]; next != chain.None && who[f][0] == who[next.T][0] {
				right++
			}
		}
		if links := len(scans) - targets; right < links-links/100 {
			t.Errorf("seed %d: %d of %d links", seed, right, links)
		}
		again := chain.New(scans)
		o.Workers = 3
		if _, err := Links(t.Context(), again, scans, nil, model, &o); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("seed %d: other links with three workers, %v", seed, err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Links(ended, c, scans, nil, model, &o); err == nil {
			t.Error("an ended context is no error")
		}
		consistent(t, c)
	}
}

// TestNearTree: the nearest of a tree are those of all points, however many lie at one place.
func TestNearTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	for n := range 200 {
		dim := 2 + n%2
		points := make([]float64, dim*rng.IntN(60))
		for k := range points {
			if points[k] = rng.Float64(); n%3 == 0 {
				points[k] = float64(rng.IntN(3))
			}
		}
		tree := nearTree{at: func(k int32) []float64 { return points[dim*int(k) : dim*int(k)+dim] }}
		tree.set(0, int32(len(points)/dim))
		x, radius := []float64{rng.Float64(), rng.Float64(), rng.Float64()}[:dim], rng.Float64()
		var want []float64
		for k := range len(points) / dim {
			d2 := 0.0
			for d, p := range tree.at(int32(k)) {
				d2 += (x[d] - p) * (x[d] - p)
			}
			if d2 <= radius*radius {
				want = append(want, d2)
			}
		}
		slices.Sort(want)
		var got []float64
		for _, c := range tree.nearest(nil, x, radius) {
			got = append(got, c.cost)
		}
		if !slices.Equal(got, want[:min(len(want), nearSeldom)]) {
			t.Fatalf("case %d: %v, want %v", n, got, want)
		}
	}
}
