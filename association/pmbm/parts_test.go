package pmbm

import (
	"cmp"
	"math"
	"math/rand/v2"
	"mtt/motion"
	"slices"
	"testing"
)

// This file tests the parts that work on tables: products and factors, cuts,
// estimators, recycling.

// table draws a cluster of tracks with a few local hypotheses and rows.
func table(r *rand.Rand, tracks, rows int) *cluster {
	c := &cluster{}
	for t := range tracks {
		tr := track{id: t + 1}
		for range 1 + r.IntN(3) {
			tr.locals = append(tr.locals, &local{r: r.Float64(), node: &node{det: -1}})
		}
		c.tracks = append(c.tracks, tr)
	}
	for range rows {
		of := row{weight: 0.05 + r.Float64()}
		for t := range c.tracks {
			of.pick = append(of.pick, int32(r.IntN(len(c.tracks[t].locals)+1)-1))
		}
		c.rows = append(c.rows, of)
	}
	for t := range c.tracks { // no track without a row, so that tidy keeps all
		c.rows[r.IntN(rows)].pick[t] = 0
	}
	return c.tidy()
}

func TestProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		a, b := table(r, 2, 1+r.IntN(30)), table(r, 3, 1+r.IntN(30))
		most := 1 + r.IntN(60)
		var want []float64
		for _, x := range a.rows {
			for _, y := range b.rows {
				want = append(want, x.weight*y.weight)
			}
		}
		slices.SortFunc(want, func(x, y float64) int { return cmp.Compare(y, x) })
		want = want[:min(len(want), most)]
		sum := 0.0
		for _, w := range want {
			sum += w
		}
		got := product(a.rows, b.rows, most)
		if len(got) != len(want) {
			t.Fatalf("%d rows, want %d", len(got), len(want))
		}
		for i := range got {
			if !(math.Abs(got[i].weight-want[i]/sum) <= 1e-12) || len(got[i].pick) != len(a.tracks)+len(b.tracks) {
				t.Fatalf("row %d has weight %v, want %v", i, got[i].weight, want[i]/sum)
			}
		}
	}
}

// TestSplit multiplies clusters and takes the product apart again.
func TestSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	o := &Options{Model: Model{Sigma: 1, Clutter: 1, Volume: 1, SpeedStd: 1, BirthStd: [3]float64{1, 1, 1}}, SplitTolerance: -1}
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	whole := 0
	for range 300 {
		var list []*cluster
		for range 1 + r.IntN(3) {
			list = append(list, table(r, 1+r.IntN(3), 1+r.IntN(5)))
		}
		// Parts that are products themselves fall apart further: count tracks.
		fewest := 0
		for _, c := range list {
			fewest += len(f.workers[0].split(c))
		}
		c := join(list, 1<<40)
		parts := f.workers[0].split(c)
		if len(parts) != fewest {
			t.Fatalf("%d parts, want %d", len(parts), fewest)
		}
		if len(parts) == 1 {
			whole++
		}
		back := join(parts, 1<<40)
		if len(back.rows) != len(c.rows) {
			t.Fatalf("%d rows, want %d", len(back.rows), len(c.rows))
		}
		for i := range c.rows {
			if !(math.Abs(back.rows[i].weight-c.rows[i].weight) <= 1e-9) {
				t.Fatalf("row %d has weight %v, want %v", i, back.rows[i].weight, c.rows[i].weight)
			}
		}
	}
	if whole == 0 || whole == 300 {
		t.Errorf("%d of 300 products have one factor", whole)
	}
	// Dependent tracks stay together, also where pairs alone look independent:
	// the third is the parity of the first two.
	c := &cluster{}
	for range 3 {
		c.tracks = append(c.tracks, track{locals: []*local{{r: 1}, {r: 1}}})
	}
	for i := range int32(4) {
		c.rows = append(c.rows, row{0.25, []int32{i & 1, i >> 1, i&1 ^ i>>1}})
	}
	if parts := f.workers[0].split(c.tidy()); len(parts) != 1 {
		t.Errorf("parity falls into %d parts", len(parts))
	}
}

// TestPropagate compares the marginals with enumeration: exactly without loops,
// roughly with them.
func TestPropagate(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for n := range 300 {
		tracks, detections := 1+r.IntN(4), 1+r.IntN(4)
		tree := n%2 == 0
		joined := newForest(tracks + detections)
		var list []link
		for a := range tracks {
			for d := range detections {
				loop := joined.root(a) == joined.root(tracks+d)
				if r.IntN(2) == 0 && !(tree && loop) {
					list = append(list, link{track: int32(a), det: int32(d), odds: math.Exp(3 * r.NormFloat64()), in: 1})
					joined.join(a, tracks+d)
				}
			}
		}
		want, total := make([]float64, len(list)), 0.0
		chosen := make([]int, tracks)
		var walk func(a int, taken []bool, w float64)
		walk = func(a int, taken []bool, w float64) {
			if a == tracks {
				total += w
				for i, l := range list {
					if chosen[l.track] == i+1 {
						want[i] += w
					}
				}
				return
			}
			chosen[a] = 0
			walk(a+1, taken, w)
			for i, l := range list {
				if int(l.track) == a && !taken[l.det] {
					taken[l.det], chosen[a] = true, i+1
					walk(a+1, taken, w*l.odds)
					taken[l.det] = false
				}
			}
		}
		walk(0, make([]bool, detections), 1)
		propagate(list, tracks, detections)
		for i, l := range list {
			tolerance := 0.2
			if tree {
				tolerance = 1e-5
			}
			if d := l.probability - want[i]/total; !(math.Abs(d) <= tolerance) {
				t.Fatalf("case %d, tree %v: link %d has probability %v, want %v", n, tree, i, l.probability, want[i]/total)
			}
		}
	}
}

// TestEstimators compares them with a search over all global hypotheses and all
// subsets of their targets.
func TestEstimators(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for n := range 300 {
		var list []*cluster
		id := 0
		for range 1 + r.IntN(3) {
			c := table(r, 1+r.IntN(3), 1+r.IntN(4))
			for k := range c.tracks {
				id++
				c.tracks[k].id = id
			}
			list = append(list, c)
		}
		// Every world: one row of the product and which of its targets exist.
		all := join(list, 1<<40)
		count := make([]float64, len(all.tracks)+1)
		best := make([]float64, len(all.tracks)+1) // of each number of targets
		fixed := 0.0
		for _, of := range all.rows {
			var exist []float64
			for k, p := range of.pick {
				if p >= 0 {
					exist = append(exist, all.tracks[k].locals[p].r)
				}
			}
			for set := range 1 << len(exist) {
				w, size := of.weight, 0
				for k, x := range exist {
					if set>>k&1 != 0 {
						w *= x
						size++
					} else {
						w *= 1 - x
					}
				}
				count[size] += w
				best[size] = max(best[size], w)
				fixed = max(fixed, w)
			}
		}
		likeliest := 0
		for k := range count {
			if count[k] > count[likeliest] {
				likeliest = k
			}
		}
		f := &Filter{reported: make(map[int]*node), clusters: list}
		f.o.Dim, f.o.Threshold = 2, 0.4

		// weight is that of the best world with exactly the reported targets.
		weight := func() float64 {
			most := 0.0
			for _, of := range all.rows {
				w, found := of.weight, 0
				for k, p := range of.pick {
					if p < 0 {
						continue
					}
					h := all.tracks[k].locals[p]
					if slices.ContainsFunc(f.reporting, func(c chosen) bool { return c.local == h }) {
						w *= h.r
						found++
					} else {
						w *= 1 - h.r
					}
				}
				if found == len(f.reporting) {
					most = max(most, w)
				}
			}
			return most
		}
		f.o.Estimator = BestCount
		f.estimate()
		if len(f.estimates) != likeliest || !(math.Abs(weight()-best[likeliest]) <= 1e-12) {
			t.Fatalf("case %d: %d targets of weight %v, want %d of %v", n, len(f.estimates), weight(), likeliest, best[likeliest])
		}
		f.o.Estimator = BestFixedCount
		f.estimate()
		if !(math.Abs(weight()-fixed) <= 1e-12) {
			t.Fatalf("case %d: fixed number, weight %v, want %v", n, weight(), fixed)
		}
		f.o.Estimator = BestHypothesis
		f.estimate()
		var want []*local
		for _, c := range list {
			for k, p := range c.rows[0].pick {
				if p >= 0 && c.tracks[k].locals[p].r > 0.4 {
					want = append(want, c.tracks[k].locals[p])
				}
			}
		}
		if len(want) != len(f.estimates) {
			t.Fatalf("case %d: %d targets, want %d", n, len(f.estimates), len(want))
		}
	}
}

// TestRecycle: what leaves the tables enters the Poisson process, with the same
// mean number of targets.
func TestRecycle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		f := &Filter{clusters: []*cluster{table(r, 3, 4), table(r, 1, 2)}}
		f.o.Dim, f.o.Motion, f.o.Recycle, f.n = 2, motion.Velocity{}, 0.3, 4
		for _, c := range f.clusters {
			for _, tr := range c.tracks {
				for _, h := range tr.locals {
					for i := range 4 {
						h.X[i], h.P[packed(i, i)] = 3*r.NormFloat64(), 1
					}
				}
			}
		}
		mean := func() float64 {
			sum := f.Sizes().Existing
			for _, u := range f.undetected {
				sum += u.weight
			}
			return sum
		}
		before := mean()
		f.recycle()
		f.thin()
		if d := mean() - before; !(math.Abs(d) <= 1e-12) {
			t.Fatalf("the mean number of targets changes by %v", d)
		}
		for _, c := range f.clusters {
			for k := range c.tracks {
				if c.existence(k) < f.o.Recycle {
					t.Fatalf("a track stays with probability %v", c.existence(k))
				}
			}
		}
	}
}

// TestMerge: hypotheses that say the same become one, with the moments of both;
// others stay.
func TestMerge(t *testing.T) {
	o := &Options{Model: Model{Sigma: 1, Clutter: 1, Volume: 1, SpeedStd: 1, BirthStd: [3]float64{1, 1, 1}}}
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	hypothesis := func(x, variance, r float64) *local {
		h := &local{r: r, node: &node{det: -1}}
		for i := range 4 {
			h.X[i], h.P[packed(i, i)] = x, variance
		}
		return h
	}
	const shift = 0.04 // squared, over four states: 0.0064
	c := &cluster{tracks: []track{{locals: []*local{
		hypothesis(0, 1, 1), hypothesis(shift, 1, 0.995), // alike
		hypothesis(0.5, 1, 1), hypothesis(0, 1.1, 1), hypothesis(0, 1, 0.9), // each differs
	}}}}
	for k, w := range []float64{0.4, 0.2, 0.2, 0.1, 0.1} {
		c.rows = append(c.rows, row{w, []int32{int32(k)}})
	}
	f.workers[0].merge(c)
	c = c.tidy()
	if len(c.rows) != 4 || len(c.tracks[0].locals) != 4 {
		t.Fatalf("%d rows, %d hypotheses, want 4", len(c.rows), len(c.tracks[0].locals))
	}
	h := c.tracks[0].locals[c.rows[0].pick[0]]
	const share = 0.2 / 0.6
	want := hypothesis(share*shift, 1+share*(1-share)*shift*shift, 1-share*0.005)
	if !(math.Abs(c.rows[0].weight-0.6) <= 1e-12) || !(math.Abs(h.r-want.r) <= 1e-12) ||
		!(math.Abs(h.X[2]-want.X[2]) <= 1e-12) || !(math.Abs(h.P[packed(2, 2)]-want.P[packed(2, 2)]) <= 1e-12) || h.node.r != h.r {
		t.Errorf("weight %v, hypothesis %+v, want %+v", c.rows[0].weight, h, want)
	}
}

// TestForgets: what is kept does not grow with time.
func TestForgets(t *testing.T) {
	s, o := large(t, 10, 150)
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	var early, late int
	for i := range s.Scans {
		if err := f.Step(t.Context(), &s.Scans[i]); err != nil {
			t.Fatal(err)
		}
		switch {
		case i >= 30 && i < 50:
			early += f.Sizes().Locals
		case i >= 130:
			late += f.Sizes().Locals
		}
	}
	if late > early*3/2 {
		t.Errorf("%d local hypotheses in frames 30 to 49, %d in the last 20", early, late)
	}
}
