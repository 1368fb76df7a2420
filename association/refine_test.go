package association

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/scenario"
)

// This file tests the refinement against whole, the likelihood of all tracks
// computed from the front.

func refineLevels(vel bool, dim int) costgen.Levels {
	return costgen.Levels{
		Sigma: 0.3, SigmaV: 0.2, Accel: 0.3, SpeedStd: 0.7, Dim: dim, Interval: 1, PositionsOnly: !vel,
		Rates: costgen.Rates{Detect: 0.8, Survive: 0.9, Births: 0.5, Targets: 3, Clutter: 0.4, Volume: 30},
	}
}

// crowd simulates a small crowded scene with misses, clutter and births.
func crowd(t testing.TB, seed uint64, targets, frames int, vel bool) *scenario.Scene {
	t.Helper()
	s, err := scenario.Simulate(context.Background(), &scenario.Config{
		Scene: scenario.Steer, Targets: targets, Frames: frames, Seed: seed, Spread: 1.2, Noise: 0.15, VelocityNoise: 0.15,
		NoVelocity: !vel, Miss: 0.15, Clutter: float64(targets) / 8, ClutterRadius: 3, Births: float64(targets) / 40,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (c *chains) clone() *chains {
	d := &chains{}
	for t := range c.next {
		d.next = append(d.next, append([]hit(nil), c.next[t]...))
		d.prev = append(d.prev, append([]hit(nil), c.prev[t]...))
	}
	return d
}

// TestPricesOfMoves: what a move believes to change is what whole says changed.
func TestPricesOfMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	joins, seats := 0, 0
	for n := range 120 {
		vel, dim := n%2 == 0, 2+n/2%2
		levels := refineLevels(vel, dim)
		levels.Rates.Hidden = float64(n%3) / 3
		scans := randomScans(rng, 6, 4, dim, vel)
		gates := patterns(t, scans, everything)
		c := randomChains(rng, scans, 1)
		r := newRefiner(c, scans, gates, &costgen.Gaussian{Levels: levels}, 3, 100)
		m := r.movers[0]
		r.backward()
		now := whole(c, scans, &levels)
		check := func(what string, got float64, with, without *chains) {
			t.Helper()
			want := whole(with, scans, &levels) - whole(without, scans, &levels)
			if math.Abs(got-want) > 1e-7*(1+math.Abs(now)) {
				t.Errorf("scene %d: %s costs %v, want %v", n, what, got, want)
			}
		}
		for f := range scans {
			for i := range scans[f].Len() {
				at := hit{int32(f), int32(i)}
				from, to := c.prev[f][i], c.next[f][i]
				if to != none {
					without := c.clone()
					without.cut(at)
					// Take the two parts for what they are after the cut.
					check("a join", m.join(at, to)-r.ended(at)-m.begun(to), c, without)
					joins++
				}
				if from == none && to == none {
					continue
				}
				without := c.clone()
				without.cut(at)
				if from != none {
					without.cut(from)
				}
				p := place{from, to}
				if from != none && to != none && m.bridged(p) {
					without.link(from, to)
				}
				check("a seat", m.seated(p, at)-m.vacant(p)-m.alone(at), c, without)
				seats++
			}
		}
	}
	if joins < 300 || seats < 300 {
		t.Errorf("only %d joins and %d seats were tried", joins, seats)
	}
}

// TestRefineNeverWorse, from random links, which no engine would leave behind,
// and from those of Track; a second call changes nothing.
func TestRefineNeverWorse(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(22, 1))
	for n := range 30 {
		vel := n%2 == 0
		scans := crowd(t, uint64(n), 12, 14, vel).Scans
		levels := refineLevels(vel, 2)
		levels.Sigma, levels.SigmaV = 0.15, 0.15
		if n%3 == 0 {
			levels.ManoeuvreProb, levels.ManoeuvreAccel = 0.05, 1
		}
		model := &costgen.Gaussian{Levels: levels}
		gates := patterns(t, scans, everything)
		c := randomChains(rng, scans, 1)
		before := whole(c, scans, &levels)
		if _, err := c.refine(ctx, scans, gates, model, 3, 10, 100, 2); err != nil {
			t.Fatal(err)
		}
		after := whole(c, scans, &levels)
		if !(after < before) {
			t.Errorf("scene %d: random links cost %v, refined %v", n, before, after)
		}
		consistent(t, c)
		again := c.clone()
		changed, err := again.refine(ctx, scans, gates, model, 3, 10, 100, 2)
		if err != nil {
			t.Fatal(err)
		}
		if cost := whole(again, scans, &levels); changed > 0 && (levels.ManoeuvreProb == 0 || cost > after+1e-6) {
			t.Errorf("scene %d: %d changes by a second call, cost %v, then %v", n, changed, after, cost)
		}
	}
}

// consistent checks that next and prev agree and that time goes forward.
func consistent(t *testing.T, c *chains) {
	t.Helper()
	for f := range c.next {
		for i := range c.next[f] {
			at := hit{int32(f), int32(i)}
			if to := c.next[f][i]; to != none && (c.prev[to.t][to.det] != at || to.t <= at.t) {
				t.Fatalf("detection %v goes on to %v, which comes from %v", at, to, c.prev[to.t][to.det])
			}
			if from := c.prev[f][i]; from != none && c.next[from.t][from.det] != at {
				t.Fatalf("detection %v comes from %v, which goes on to %v", at, from, c.next[from.t][from.det])
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
		scans := randomScans(rng, 4, 2, 2, vel)
		gates := patterns(t, scans, everything)
		least := math.Inf(1)
		each(newChains(scans), scans, 1, 0, 0, func(c *chains) {
			least = min(least, whole(c, scans, &levels))
		})
		c := newChains(scans)
		if _, err := c.refine(context.Background(), scans, gates, &costgen.Gaussian{Levels: levels}, 1, 100, 100, 2); err != nil {
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
		gates := patterns(t, scans, everything)
		c := newChains(scans)
		for f := range 11 { // the two pieces
			if scans[f].Len() > 0 && scans[f+1].Len() > 0 && (missed > 0 || f != 4) {
				c.link(hit{int32(f), 0}, hit{int32(f + 1), 0})
			}
		}
		levels := refineLevels(false, 2)
		levels.Rates.Survive, levels.Rates.Births = 0.99, 0.01
		if _, err := c.refine(context.Background(), scans, gates, &costgen.Gaussian{Levels: levels}, 3, 10, 8, 2); err != nil {
			t.Fatal(err)
		}
		want := 1
		if missed > 3 {
			want = 2
		}
		if got := len(c.tracks(scans, false)); got != want {
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
	gates := patterns(t, scans, everything)
	c := newChains(scans)
	for f := range 9 {
		from, to := hit{int32(f), 0}, hit{int32(f + 1), 0}
		if f == 5 {
			from.det = 1
		}
		if f == 4 {
			to.det = 1
		}
		c.link(from, to)
	}
	levels := refineLevels(false, 2)
	if _, err := c.refine(context.Background(), scans, gates, &costgen.Gaussian{Levels: levels}, 3, 10, 8, 2); err != nil {
		t.Fatal(err)
	}
	for f := range 9 {
		if got, want := c.next[f][0], (hit{int32(f + 1), 0}); got != want {
			t.Errorf("detection of scan %d goes on to %v, want %v", f, got, want)
		}
	}
}

func TestRefineIsDeterministic(t *testing.T) {
	scans := crowd(t, 5, 30, 20, true).Scans
	levels := refineLevels(true, 2)
	gates := patterns(t, scans, everything)
	var first *chains
	for range 3 {
		c := randomChains(rand.New(rand.NewPCG(24, 1)), scans, 1)
		if _, err := c.refine(context.Background(), scans, gates, &costgen.Gaussian{Levels: levels}, 2, 5, 8, 2); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = c
		}
		if !reflect.DeepEqual(c.next, first.next) {
			t.Fatal("links differ from one run to the next")
		}
	}
}

// TestRefineWorkers: the links do not depend on the number of workers, nor on what the
// survey leaves out: a refiner that looks at everything finds nothing more.
func TestRefineWorkers(t *testing.T) {
	ctx := context.Background()
	for n := range 6 {
		vel := n%2 == 0
		scans := crowd(t, uint64(n), 20, 16, vel).Scans
		levels := refineLevels(vel, 2)
		levels.Sigma, levels.SigmaV = 0.15, 0.15
		model := &costgen.Gaussian{Levels: levels}
		gates := patterns(t, scans, everything)
		start := randomChains(rand.New(rand.NewPCG(25, uint64(n))), scans, 1)
		for _, misses := range []int{0, 2} {
			var first *chains
			for _, workers := range []int{1, 2, 5} {
				c := start.clone()
				if _, err := c.refine(ctx, scans, gates, model, misses, 10, 100, workers); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = c
				}
				if !reflect.DeepEqual(c, first) {
					t.Fatalf("scene %d, %d misses: %d workers link otherwise than one", n, misses, workers)
				}
			}
			r := newRefiner(first.clone(), scans, gates, model, misses, 10)
			r.loose = true
			if changed, err := r.sweep(ctx); err != nil || changed > 0 {
				t.Errorf("scene %d, %d misses: %d changes left, error %v", n, misses, changed, err)
			}
		}
	}
}

func TestRefineInterrupted(t *testing.T) {
	scans := crowd(t, 5, 30, 20, true).Scans
	levels := refineLevels(true, 2)
	gates := patterns(t, scans, everything)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := newChains(scans)
	if _, err := c.refine(ctx, scans, gates, &costgen.Gaussian{Levels: levels}, 2, 5, 8, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	consistent(t, c)
}
