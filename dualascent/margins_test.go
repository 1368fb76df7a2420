package dualascent_test

// This file compares margins with the best answers that decide otherwise, found by trying
// everything.

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"mtt/dualascent"
	"mtt/internal/nightly"
)

// each calls visit with every answer of d.
func (d *dense) each(visit func(to [][]int)) {
	gaps := len(d.nodes) - 1
	to := make([][]int, gaps)
	var try func(p, i int, used []bool)
	try = func(p, i int, used []bool) {
		if p == gaps {
			visit(to)
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
	to[0] = make([]int, d.nodes[0])
	try(0, 0, make([]bool, d.nodes[1]))
}

// otherwise are the optima of d over the answers that go elsewhere than own after each node of a frame, and
// that come from elsewhere to each node of the next one; nil counts all answers.
func (d *dense) otherwise(own [][]int, counts func(to [][]int) bool) (out, in [][]float64) {
	out, in = make([][]float64, len(own)), make([][]float64, len(own))
	for p := range own {
		out[p], in[p] = slices.Repeat([]float64{inf}, d.nodes[p]), slices.Repeat([]float64{inf}, d.nodes[p+1])
	}
	d.each(func(to [][]int) {
		c := d.cost(to)
		if c == inf || counts != nil && !counts(to) {
			return
		}
		for p := range own {
			for i, j := range own[p] {
				if k := to[p][i]; k != j {
					out[p][i] = min(out[p][i], c)
					for _, at := range [2]int{j, k} { // neither is entered by i in both
						if at >= 0 {
							in[p][at] = min(in[p][at], c)
						}
					}
				}
			}
		}
	})
	return out, in
}

// inOnePlace reports whether two answers differ in decisions that hang together: by an arc of
// either, or at a node both before and after it.
func inOnePlace(a, b [][]int) bool {
	type port struct {
		p, at int
		in    bool
	}
	up := make(map[port]port)
	var find func(q port) port
	find = func(q port) port {
		if up[q] == q {
			return q
		}
		return find(up[q])
	}
	differs := func(q port) bool { _, ok := up[q]; return ok }
	for p := range a {
		for i := range a[p] {
			if a[p][i] == b[p][i] {
				continue
			}
			out := port{p, i, false}
			up[out] = out
			for _, j := range [2]int{a[p][i], b[p][i]} {
				if in := (port{p, j, true}); j >= 0 && !differs(in) {
					up[in] = in
				}
			}
		}
	}
	places := len(up)
	join := func(x, y port) {
		if x, y = find(x), find(y); x != y {
			up[x] = y
			places--
		}
	}
	for p := range a {
		for i := range a[p] {
			out := port{p, i, false}
			if !differs(out) {
				continue
			}
			for _, j := range [2]int{a[p][i], b[p][i]} {
				if j >= 0 {
					join(out, port{p, j, true})
				}
			}
			if in := (port{p - 1, i, true}); differs(in) {
				join(out, in)
			}
		}
	}
	return places <= 1
}

func TestMarginsBruteForce(t *testing.T) {
	t.Cleanup(dualascent.FirstEffort(1)) // after the parts
	inParts(t, nightly.Or(60, 27_000), func(t *testing.T, k kind, part uint64, trials int) {
		rng := rand.New(rand.NewPCG(12, 1+part))
		graphs, decisions, tight, others, found := 0, 0, 0, 0, 0
		for trial := range trials {
			d := random3(rng, k)
			inst := d.instance()
			res, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{Effort: inf})
			if errors.Is(err, dualascent.ErrInfeasible) || len(d.nodes) < 2 {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			to := heads(inst, res.Next)
			bestOut, bestIn := d.otherwise(to, nil)
			graphs++
			const far = 6 // margins above are not looked for
			exact, err := dualascent.ExactMargins(context.Background(), inst, res, &dualascent.MarginOptions{Most: far, Effort: inf})
			if err != nil {
				t.Fatal(err)
			}
			some, err := dualascent.ExactMargins(context.Background(), inst, res, &dualascent.MarginOptions{Most: 3, Effort: float64(1 + trial%8)})
			if err != nil {
				t.Fatal(err)
			}
			deeper, err := dualascent.ExactMargins(context.Background(), inst, res, &dualascent.MarginOptions{Most: far}) // from little effort to what is needed
			if err != nil {
				t.Fatal(err)
			}
			between := func(what string, p, at int, least, most, best float64) {
				if more := best - res.UpperBound; least > more+1e-9 || most < more-1e-9 {
					t.Fatalf("trial %d: with little effort %s of %d, %d has a margin from %v to %v, but costs %v more at best", trial, what, p, at, least, most, more)
				}
			}
			equal := func(what string, p, at int, least, most, best float64) {
				more := best - res.UpperBound
				if least > more+1e-9 || most < more-1e-9 || more < far && (least < more-1e-9 || most > more+1e-9) || more >= far && more < inf && least < far-1e-9 {
					t.Fatalf("trial %d: %s of %d, %d has a margin from %v to %v, but costs %v more at best", trial, what, p, at, least, most, more)
				}
				if more < far {
					found++
				}
			}
			deep := between // where prices leave much open there is little that it proves
			if res.Certified >= res.UpperBound-1e-9 {
				deep = equal
			}
			for round, prices := range [][]dualascent.Prices{res.Prices, scatter(rng, inst)} {
				m := dualascent.NewMargins(inst, prices, res.Next, res.UpperBound)
				look := func(what string, p, at int, margin, best float64) {
					more := best - res.UpperBound
					if margin > more+1e-9 {
						t.Fatalf("trial %d: %s of %d, %d has margin %v, but costs %v more at best", trial, what, p, at, margin, more)
					}
					if round == 1 {
						others++
						return
					}
					decisions++
					if margin > more-1e-9 || more == margin {
						tight++
					}
				}
				for p := range to {
					for i, best := range bestOut[p] {
						look("the out-side", p, i, m.Out[p][i], best)
						if round == 0 {
							equal("the out-side", p, i, exact.Out[p][i], exact.OutMost[p][i], best)
							deep("the out-side", p, i, deeper.Out[p][i], deeper.OutMost[p][i], best)
							between("the out-side", p, i, some.Out[p][i], some.OutMost[p][i], best)
						}
					}
					for j, best := range bestIn[p] {
						look("the in-side", p, j, m.In[p][j], best)
						if round == 0 {
							equal("the in-side", p, j, exact.In[p][j], exact.InMost[p][j], best)
							deep("the in-side", p, j, deeper.In[p][j], deeper.InMost[p][j], best)
							between("the in-side", p, j, some.In[p][j], some.InMost[p][j], best)
						}
					}
				}
			}
		}
		t.Logf("%d instances: %d decisions, prices alone say %d of the margins exactly; %d more with random prices; %d are found by solving again", graphs, decisions, tight, others, found)
		if decisions > 0 && 10*tight < decisions {
			t.Errorf("%d of %d margins are exact: the bounds are worth little", tight, decisions)
		}
	})
}

// inParts has trials of each kind done, a part of at most four thousand of them at a time, each
// with random numbers of its own. All parts are done at once, as far as there are processors. The
// collector looks seldom: there is much garbage and little else.
func inParts(t *testing.T, trials int, do func(t *testing.T, k kind, part uint64, trials int)) {
	const most = 4000
	percent := debug.SetGCPercent(1000)
	t.Cleanup(func() { debug.SetGCPercent(percent) }) // after the parts
	for _, k := range kinds {
		for part := 0; part*most < trials; part++ {
			t.Run(fmt.Sprintf("%s/%d", k.name, part), func(t *testing.T) {
				t.Parallel()
				do(t, k, uint64(part), min(most, trials-part*most))
			})
		}
	}
}

// random3 draws an instance of up to three frames: there are answers enough.
func random3(rng *rand.Rand, k kind) *dense {
	nodes := sizes(rng, k)
	if len(nodes) > 3 {
		nodes = nodes[:3]
	}
	return random(rng, k, nodes...)
}

// Margins of an answer that is not the best one lead to the best one, and are those of answers that
// differ from it in one place; the first answer here is a greedy one.
func TestSettledMargins(t *testing.T) {
	inParts(t, nightly.Or(60, 6_000), func(t *testing.T, k kind, part uint64, trials int) {
		rng := rand.New(rand.NewPCG(13, 1+part))
		poor := 0
		for trial := range trials {
			d := random3(rng, k)
			inst := d.instance()
			best, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{Effort: inf})
			if errors.Is(err, dualascent.ErrInfeasible) || len(d.nodes) < 2 {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			res, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{MaxRounds: 1, Gap: 1e9})
			if err != nil {
				t.Fatal(err)
			}
			if next, cost, err := dualascent.Greedy(context.Background(), inst); err == nil {
				res.Next, res.UpperBound = next, cost
			}
			if res.UpperBound > best.UpperBound+1e-9 {
				poor++
			}
			few := *res
			m, err := dualascent.SettledMargins(context.Background(), inst, &few, &dualascent.MarginOptions{Most: 3, Effort: float64(1 + trial%8)})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range m.Variants {
				if v.More < -1e-9 {
					t.Fatalf("trial %d: an answer that costs %v more is left", trial, v.More)
				}
			}
			if cost := inst.Cost(few.Next); math.Abs(few.UpperBound-cost) > 1e-9 || cost > res.UpperBound+1e-9 || few.LowerBound > best.UpperBound+1e-9 {
				t.Fatalf("trial %d: from %v to %v, bound %v; it costs %v and the best one %v", trial, res.UpperBound, few.UpperBound, few.LowerBound, cost, best.UpperBound)
			}
			own := heads(inst, few.Next)
			bestOut, bestIn := d.otherwise(own, func(to [][]int) bool { return inOnePlace(own, to) })
			look := func(what string, p, at int, least, most, best float64) {
				if more := best - few.UpperBound; least > more+1e-9 || most < more-1e-9 {
					t.Fatalf("trial %d: %s of %d, %d has a margin from %v to %v, but costs %v more at best", trial, what, p, at, least, most, more)
				}
			}
			for p := range own {
				for i, x := range bestOut[p] {
					look("the out-side", p, i, m.Out[p][i], m.OutMost[p][i], x)
				}
				for j, x := range bestIn[p] {
					look("the in-side", p, j, m.In[p][j], m.InMost[p][j], x)
				}
			}
			if _, err := dualascent.SettledMargins(context.Background(), inst, res, &dualascent.MarginOptions{Effort: inf}); err != nil || res.UpperBound > best.UpperBound+1e-9 {
				t.Fatalf("trial %d: margins lead to %v, the best answer costs %v: %v", trial, res.UpperBound, best.UpperBound, err)
			}
		}
		t.Logf("%d of %d first answers were not the best", poor, trials)
	})
}
