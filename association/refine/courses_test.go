package refine

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/association/chain"
	"mtt/association/chain/chaintest"
	"mtt/costgen"
	"mtt/gating"
	"mtt/motion"
)

// TestCourses: what is added up of steps is what the moves say of links as they are.
func TestCourses(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	links, seats := 0, 0
	for n := range 60 {
		vel, dim := n%2 == 0, 2+n/2%2
		levels := refineLevels(vel, dim)
		levels.ManoeuvreProb = 0
		scans := chaintest.Scans(rng, 8, 5, dim, vel)
		c := chaintest.Links(rng, scans, 0)
		r := testRefiner(c, scans, chaintest.Gate(t, scans, chaintest.Everything), &costgen.Gaussian{Levels: levels}, 0, 100)
		m := r.movers[0]
		for f := range r.looks {
			r.looks[f] = unseen
		}
		r.backward()
		r.courses = newCourses(scans)
		for f := range scans {
			r.forward(f)
		}
		alike := func(what string, got, want float64) {
			t.Helper()
			if math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("scene %d: %s costs %v, added up %v", n, what, want, got)
			}
		}
		for f := range scans {
			for i := range scans[f].Len() {
				at := chain.At(f, i)
				p := place{c.Prev[f][i], c.Next[f][i]}
				if p.to != chain.None {
					m.ahead.scan = -1
					alike("a link", m.joinCourse(at, p.to), m.joinSmooth(at, p.to))
					links++
				}
				if p.from != chain.None {
					m.ahead.scan = -1
					alike("a place", m.seatedCourse(p, at), m.seated(p, at, math.Inf(1)))
					if least, price := m.leastEmpty(p), m.vacant(p); !(least <= price+1e-7) {
						t.Errorf("scene %d: an empty place costs %v, at least %v", n, price, least)
					}
					seats++
				}
				if least, price := m.leastBegun(at), m.begun(at); !(least <= price+1e-7) {
					t.Errorf("scene %d: to begin costs %v, at least %v", n, price, least)
				}
			}
		}
	}
	if links < 400 || seats < 400 {
		t.Errorf("only %d links and %d places were tried", links, seats)
	}
}

// TestSurveyAtHand: links are those of a survey that asks what everything costs, and who has no
// alternative is left out of it, unless to part is cheaper.
func TestSurveyAtHand(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 8))
	asked, weighed := 0, 0
	for n := range 120 {
		vel, dim := n%2 == 0, 2+n/2%2
		levels := refineLevels(vel, dim)
		levels.Rates.Volume = []float64{3, 30, 1e3, 1e6}[n%4] // to part pays often, seldom, or never
		scans := chaintest.Scans(rng, 10, 8, dim, vel)
		begin := chaintest.Links(rng, scans, 0)
		gates := chaintest.Gate(t, scans, chaintest.Everything)
		if n%3 > 0 { // most have no alternative
			for f := range gates {
				g := gating.CSR{Rows: gates[f].Rows, Cols: gates[f].Cols, Ptr: []int{0}}
				for i := range g.Rows {
					for _, j := range gates[f].Row(i) {
						if begin.Next[f][i] == chain.At(f+1, int(j)) || rng.IntN(20) == 0 {
							g.Col = append(g.Col, j)
						}
					}
					g.Ptr = append(g.Ptr, len(g.Col))
				}
				gates[f] = g
			}
		}
		refined := func(known bool, weighed *int) *chain.Links {
			c := clone(begin)
			params := levels.Params(dim)
			r := newRefiner(t.Context(), motion.NewAxes(params), params, c, scans, gates, &costgen.Gaussian{Levels: levels}, &Options{Speed: 100, surveys: known})
			if known != (r.courses != nil) {
				t.Fatal("what links cost is at hand only for a survey")
			}
			first := true
			ofSurvey := func(pairs int) {
				if first {
					*weighed, first = *weighed+pairs, false
				}
			}
			if _, err := improve(t.Context(), r, &Options{Sweeps: 4, Weighed: ofSurvey}); err != nil {
				t.Fatal(err)
			}
			return c
		}
		want, got := refined(false, &asked), refined(true, &weighed)
		for f := range scans {
			if !slices.Equal(got.Next[f], want.Next[f]) {
				t.Fatalf("scene %d: scan %d is linked by %v, not %v", n, f, got.Next[f], want.Next[f])
			}
		}
	}
	if weighed > asked*19/20 {
		t.Errorf("%d rows and pairs are weighed, of %d", weighed, asked)
	}
}

// TestNoCoursesWithoutSurvey: a window that passes over no misses knows nothing of what links cost.
func TestNoCoursesWithoutSurvey(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 9))
	scans := chaintest.Scans(rng, 6, 5, 2, true)
	w := NewWindow(&costgen.Gaussian{Levels: refineLevels(true, 2)}, &scans[0], gating.Ball{Radius: 3}, 6, &Options{Speed: 4})
	for k := range scans {
		if err := errors.Join(w.Add(&scans[k]), w.Extend(t.Context()), w.Improve(t.Context(), 2)); err != nil {
			t.Fatal(err)
		}
	}
}
