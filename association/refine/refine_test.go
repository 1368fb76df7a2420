package refine

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"mtt"
	"mtt/association/chain"
	"mtt/association/chain/chaintest"
	"mtt/costgen"
	"mtt/gating"
	"mtt/motion"
)

// This file tests the refinement against whole, the likelihood of all tracks
// computed from the front.

func refineLevels(vel bool, dim int) costgen.Levels {
	return costgen.Levels{
		Sigma: 0.3, SigmaV: 0.2, Accel: 0.3, SpeedStd: 0.7, Dim: dim, Interval: 1, PositionsOnly: !vel,
		Rates: costgen.Rates{Detect: 0.8, Survive: 0.9, Births: 0.5, Targets: 3, Clutter: 0.4, Volume: 30},
	}
}

func clone(c *chain.Links) *chain.Links {
	d := &chain.Links{}
	for t := range c.Next {
		d.Next = append(d.Next, slices.Clone(c.Next[t]))
		d.Prev = append(d.Prev, slices.Clone(c.Prev[t]))
	}
	return d
}

// refine is Links with its options in a row.
func refine(ctx context.Context, c *chain.Links, scans []mtt.Scan, gates []gating.CSR, model *costgen.Gaussian, misses int, speed float64, sweeps, workers int) (int, error) {
	return Links(ctx, c, scans, gates, model, &Options{Misses: misses, Speed: speed, Sweeps: sweeps, Workers: workers})
}

// testRefiner is a refiner with the filter of such scans.
func testRefiner(c *chain.Links, scans []mtt.Scan, gates []gating.CSR, model *costgen.Gaussian, misses int, speed float64) *refiner[motion.State, motion.Information] {
	params := model.Params(model.Dim)
	return newRefiner(context.Background(), motion.NewAxes(params), params, c, scans, gates, model, &Options{Misses: misses, Speed: speed})
}

// TestPricesOfMoves: what a move believes to change is what whole says changed.
func TestPricesOfMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	joins, seats := 0, 0
	for n := range 120 {
		vel, dim := n%2 == 0, 2+n/2%2
		levels := refineLevels(vel, dim)
		levels.Rates.Hidden = float64(n%3) / 3
		if n%5 > 2 {
			levels.Places = somePlaces(rng, dim)
		}
		scans := chaintest.Scans(rng, 6, 4, dim, vel)
		gates := chaintest.Gate(t, scans, chaintest.Everything)
		c := chaintest.Links(rng, scans, 1)
		r := testRefiner(c, scans, gates, &costgen.Gaussian{Levels: levels}, 3, 100)
		m := r.movers[0]
		r.backward()
		now := whole(c, scans, &levels)
		check := func(what string, got float64, with, without *chain.Links) {
			t.Helper()
			want := whole(with, scans, &levels) - whole(without, scans, &levels)
			if math.Abs(got-want) > 1e-7*(1+math.Abs(now)) {
				t.Errorf("scene %d: %s costs %v, want %v", n, what, got, want)
			}
		}
		for f := range scans {
			for i := range scans[f].Len() {
				at := chain.At(f, i)
				from, to := c.Prev[f][i], c.Next[f][i]
				if to != chain.None {
					without := clone(c)
					without.Unlink(at)
					// Take the two parts for what they are after the cut.
					check("a join", m.join(at, to, math.Inf(1))-r.ended(at)-m.begun(to), c, without)
					joins++
				}
				if from == chain.None && to == chain.None {
					continue
				}
				without := clone(c)
				without.Unlink(at)
				if from != chain.None {
					without.Unlink(from)
				}
				p := place{from, to}
				if from != chain.None && to != chain.None && m.bridged(p) {
					without.Link(from, to)
				}
				check("a seat", m.seated(p, at, math.Inf(1))-m.vacant(p)-m.alone(at), c, without)
				seats++
			}
		}
	}
	if joins < 300 || seats < 300 {
		t.Errorf("only %d joins and %d seats were tried", joins, seats)
	}
}

// somePlaces are four quarters in which targets come and go at random rates.
func somePlaces(rng *rand.Rand, dim int) *costgen.Places {
	quarters := func() *costgen.Map {
		m := &costgen.Map{Nodes: []costgen.MapNode{{Axis: 0, Lower: 1}, {Axis: 1, Lower: 3}, {Axis: dim - 1, Lower: 5}}}
		for range dim {
			m.Min, m.Max = append(m.Min, -2), append(m.Max, 3)
		}
		for range 4 {
			m.Nodes = append(m.Nodes, costgen.MapNode{Axis: -1, Value: 2 * rng.NormFloat64()})
		}
		return m
	}
	return &costgen.Places{Births: quarters(), Deaths: quarters()}
}

// TestRefineNeverWorse, from random links, which no engine would leave behind,
// and from those of Track; a second call changes nothing.
func TestRefineNeverWorse(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(22, 1))
	for n := range 30 {
		vel := n%2 == 0
		scans := chaintest.Crowd(t, uint64(n), 12, 14, vel).Scans
		levels := refineLevels(vel, 2)
		levels.Sigma, levels.SigmaV = 0.15, 0.15
		if n%3 == 0 {
			levels.ManoeuvreProb, levels.ManoeuvreAccel = 0.05, 1
		}
		model := &costgen.Gaussian{Levels: levels}
		gates := chaintest.Gate(t, scans, chaintest.Everything)
		c := chaintest.Links(rng, scans, 1)
		before := whole(c, scans, &levels)
		if _, err := refine(ctx, c, scans, gates, model, 3, 10, 100, 2); err != nil {
			t.Fatal(err)
		}
		after := whole(c, scans, &levels)
		if !(after < before) {
			t.Errorf("scene %d: random links cost %v, refined %v", n, before, after)
		}
		consistent(t, c)
		again := clone(c)
		changed, err := refine(ctx, again, scans, gates, model, 3, 10, 100, 2)
		if err != nil {
			t.Fatal(err)
		}
		if cost := whole(again, scans, &levels); changed > 0 && (levels.ManoeuvreProb == 0 || cost > after+1e-6) {
			t.Errorf("scene %d: %d changes by a second call, cost %v, then %v", n, changed, after, cost)
		}
	}
}

// consistent checks that next and prev agree and that time goes forward.
func consistent(t *testing.T, c *chain.Links) {
	t.Helper()
	for f := range c.Next {
		for i := range c.Next[f] {
			at := chain.At(f, i)
			if to := c.Next[f][i]; to != chain.None && (c.Prev[to.T][to.Det] != at || to.T <= at.T) {
				t.Fatalf("detection %v goes on to %v, which comes from %v", at, to, c.Prev[to.T][to.Det])
			}
			if from := c.Prev[f][i]; from != chain.None && c.Next[from.T][from.Det] != at {
				t.Fatalf("detection %v comes from %v, which goes on to %v", at, from, c.Next[from.T][from.Det])
			}
		}
	}
}

// TestRefineOptimum: on tiny scenes the refined tracks are nearly always the
// likeliest of all.
func TestRefineOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	const scenes = 60
	best := 0
	for n := range scenes {
		vel := n%2 == 0
		levels := refineLevels(vel, 2)
		scans := chaintest.Scans(rng, 4, 2, 2, vel)
		gates := chaintest.Gate(t, scans, chaintest.Everything)
		least := math.Inf(1)
		chaintest.Each(chain.New(scans), scans, 1, 0, 0, func(c *chain.Links) {
			least = min(least, whole(c, scans, &levels))
		})
		c := chain.New(scans)
		if _, err := refine(context.Background(), c, scans, gates, &costgen.Gaussian{Levels: levels}, 1, 100, 100, 2); err != nil {
			t.Fatal(err)
		}
		got := whole(c, scans, &levels)
		if got < least-1e-6 {
			t.Fatalf("scene %d: refined to %v, below the least of all, %v", n, got, least)
		}
		if got < least+1e-6 {
			best++
		}
	}
	if best < scenes*9/10 {
		t.Errorf("%d of %d scenes were refined to the optimum", best, scenes)
	}
}

// TestRefineClosesGaps: a target that is missed for up to three scans stays one
// track, and one that is gone for longer does not.
func TestRefineClosesGaps(t *testing.T) {
	for missed := range 5 {
		var scans []mtt.Scan
		for f := range 12 {
			s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			if f < 5 || f >= 5+missed {
				s.Pos = []float64{float64(f), 0.1 * float64(f%2)}
			}
			scans = append(scans, s)
		}
		gates := chaintest.Gate(t, scans, chaintest.Everything)
		c := chain.New(scans)
		for f := range 11 { // the two pieces
			if scans[f].Len() > 0 && scans[f+1].Len() > 0 && (missed > 0 || f != 4) {
				c.Link(chain.At(f, 0), chain.At(f+1, 0))
			}
		}
		levels := refineLevels(false, 2)
		levels.Rates.Survive, levels.Rates.Births = 0.99, 0.01
		if _, err := refine(context.Background(), c, scans, gates, &costgen.Gaussian{Levels: levels}, 3, 10, 8, 2); err != nil {
			t.Fatal(err)
		}
		want := 1
		if missed > 3 {
			want = 2
		}
		if got := len(c.Tracks(scans, false)); got != want {
			t.Errorf("%d scans missed: %d tracks, want %d", missed, got, want)
		}
	}
}

// TestRefineTakesOutClutter: a false detection in the place of a true one, and
// a true one left beside its track.
func TestRefineTakesOutClutter(t *testing.T) {
	var scans []mtt.Scan
	for f := range 10 {
		s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2, Pos: []float64{float64(f), 0}}
		if f == 5 {
			s.Pos = append(s.Pos, 5, 1.5)
		}
		scans = append(scans, s)
	}
	gates := chaintest.Gate(t, scans, chaintest.Everything)
	c := chain.New(scans)
	for f := range 9 {
		from, to := chain.At(f, 0), chain.At(f+1, 0)
		if f == 5 {
			from.Det = 1
		}
		if f == 4 {
			to.Det = 1
		}
		c.Link(from, to)
	}
	levels := refineLevels(false, 2)
	if _, err := refine(context.Background(), c, scans, gates, &costgen.Gaussian{Levels: levels}, 3, 10, 8, 2); err != nil {
		t.Fatal(err)
	}
	for f := range 9 {
		if got, want := c.Next[f][0], (chain.At(f+1, 0)); got != want {
			t.Errorf("detection of scan %d goes on to %v, want %v", f, got, want)
		}
	}
}

func TestRefineIsDeterministic(t *testing.T) {
	scans := chaintest.Crowd(t, 5, 30, 20, true).Scans
	levels := refineLevels(true, 2)
	gates := chaintest.Gate(t, scans, chaintest.Everything)
	var first *chain.Links
	for range 3 {
		c := chaintest.Links(rand.New(rand.NewPCG(24, 1)), scans, 1)
		if _, err := refine(context.Background(), c, scans, gates, &costgen.Gaussian{Levels: levels}, 2, 5, 8, 2); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = c
		}
		if !reflect.DeepEqual(c.Next, first.Next) {
			t.Fatal("links differ from one run to the next")
		}
	}
}

// TestRefineWorkers: the links do not depend on the number of workers, nor on what the
// survey leaves out: a refiner that looks at chaintest.Everything finds nothing more.
func TestRefineWorkers(t *testing.T) {
	ctx := context.Background()
	for n := range 6 {
		vel := n%2 == 0
		scans := chaintest.Crowd(t, uint64(n), 20, 16, vel).Scans
		levels := refineLevels(vel, 2)
		levels.Sigma, levels.SigmaV = 0.15, 0.15
		model := &costgen.Gaussian{Levels: levels}
		gates := chaintest.Gate(t, scans, chaintest.Everything)
		start := chaintest.Links(rand.New(rand.NewPCG(25, uint64(n))), scans, 1)
		for _, misses := range []int{0, 2} {
			var first *chain.Links
			for _, workers := range []int{1, 2, 5} {
				c := clone(start)
				if _, err := refine(ctx, c, scans, gates, model, misses, 10, 100, workers); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = c
				}
				if !reflect.DeepEqual(c, first) {
					t.Fatalf("scene %d, %d misses: %d workers link otherwise than one", n, misses, workers)
				}
			}
			r := testRefiner(clone(first), scans, gates, model, misses, 10)
			r.loose = true
			if changed, err := r.sweep(ctx); err != nil || changed > 0 {
				t.Errorf("scene %d, %d misses: %d changes left, error %v", n, misses, changed, err)
			}
		}
	}
}

func TestRefineInterrupted(t *testing.T) {
	scans := chaintest.Crowd(t, 5, 30, 20, true).Scans
	levels := refineLevels(true, 2)
	gates := chaintest.Gate(t, scans, chaintest.Everything)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := chain.New(scans)
	if _, err := refine(ctx, c, scans, gates, &costgen.Gaussian{Levels: levels}, 2, 5, 8, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	consistent(t, c)
}
