package association

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"mtt"
	"mtt/costgen"
	"mtt/scenario"
)

// This file tests merged detections.

// blended simulates a scene and says which of its detections stand for several
// targets: true for those that merged with a target seen before and after, as nobody
// can miss a target that is not there.
func blended(t *testing.T, c scenario.Config) (s *scenario.Scene, of map[mtt.Hit]bool) {
	t.Helper()
	s, err := scenario.Simulate(t.Context(), &c)
	if err != nil {
		t.Fatal(err)
	}
	plain := c
	plain.MergeWithin = 0
	p, err := scenario.Simulate(t.Context(), &plain) // the same but for what is merged
	if err != nil {
		t.Fatal(err)
	}
	of = make(map[mtt.Hit]bool)
	for i := range s.Truth {
		seen := func(h mtt.Hit) bool { return h.Det >= 0 }
		hits := s.Truth[i].Hits
		first := slices.IndexFunc(hits, seen)
		last := len(hits) - 1
		for last > first && !seen(hits[last]) {
			last--
		}
		for f := range hits {
			if seen(hits[f]) || !seen(p.Truth[i].Hits[f]) {
				continue
			}
			// The nearest target with a detection holds it; nearly all groups are pairs.
			det, least := -1, math.Inf(1)
			for j := range s.Truth {
				var d2 float64
				for k, x := range s.Truth[i].At(f) {
					d2 += (x - s.Truth[j].At(f)[k]) * (x - s.Truth[j].At(f)[k])
				}
				if h := s.Truth[j].Hits[f]; seen(h) && d2 < least {
					det, least = h.Det, d2
				}
			}
			h := mtt.Hit{Frame: f, Det: det}
			of[h] = of[h] || first >= 0 && f > first && f < last
		}
	}
	return s, of
}

// TestMerged simulates sensors of limited resolution, with and without misses
// and false alarms, and asks how many of the reported merges are true (precision) and
// how many of the true ones are reported (recall).
func TestMerged(t *testing.T) {
	if testing.Short() {
		t.Skip("many scenes take seconds")
	}
	base := scenario.Config{Scene: scenario.Steer, Targets: 50, Frames: 50, Noise: 0.1, VelocityNoise: 0.1, MergeWithin: 0.6}
	for _, c := range []struct {
		name              string
		edit              func(*scenario.Config)
		precision, recall float64
	}{
		{"clean", func(*scenario.Config) {}, 0.8, 0.8},
		{"space", func(c *scenario.Config) { c.Dim, c.Spread, c.Targets = 3, 1.5, 150 }, 0.8, 0.8},
		{"positions", func(c *scenario.Config) { c.NoVelocity, c.Noise = true, 0.05 }, 0.8, 0.8},
		{"misses", func(c *scenario.Config) { c.Miss = 0.05 }, 0.8, 0.8},
		{"misses and clutter", func(c *scenario.Config) { c.Miss, c.Clutter, c.ClutterRadius = 0.05, 3, 4 }, 0.8, 0.8},
	} {
		t.Run(c.name, func(t *testing.T) {
			var right, reported, found, all int
			var resolutions []string
			for seed := range uint64(2) {
				cfg := base
				c.edit(&cfg)
				cfg.Seed = seed + 1
				s, of := blended(t, cfg)
				for _, between := range of {
					if between {
						all++
					}
				}
				res, err := Track(t.Context(), s.Scans, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range res.Merged {
					h := mtt.Hit{Frame: m.Frame, Det: m.Det}
					if between, ok := of[h]; ok {
						right++
						if between {
							found++
							of[h] = false // of three targets in one detection, two pairs may be reported
						}
					}
				}
				reported += len(res.Merged)
				resolutions = append(resolutions, fmt.Sprintf("%.2f", res.Resolution))
			}
			precision, recall := float64(right)/float64(reported), float64(found)/float64(all)
			t.Logf("%d of %d reported are right, %d of %d found: precision %.3f, recall %.3f; resolution %v",
				right, reported, found, all, precision, recall, resolutions)
			if !(precision >= c.precision && recall >= c.recall) {
				t.Errorf("want at least %v and %v", c.precision, c.recall)
			}
		})
	}
}

// TestNotMerged tracks scenes of a sensor that misses targets and resolves all.
func TestNotMerged(t *testing.T) {
	if testing.Short() {
		t.Skip("many scenes take seconds")
	}
	var misses, reported int
	for seed := range uint64(4) {
		c := scenario.Config{Scene: scenario.Steer, Targets: 60, Frames: 60, Noise: 0.1, VelocityNoise: 0.1, Miss: 0.1, Seed: seed + 1, NoVelocity: seed%2 == 1}
		s, err := scenario.Simulate(t.Context(), &c)
		if err != nil {
			t.Fatal(err)
		}
		res, err := Track(t.Context(), s.Scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range s.Truth {
			for _, h := range k.Hits {
				if h.Det < 0 {
					misses++
				}
			}
		}
		reported += len(res.Merged)
	}
	if t.Logf("%d of %d misses taken for merges", reported, misses); reported > misses/500 {
		t.Errorf("%d of %d misses taken for merges", reported, misses)
	}
}

// TestCondition conditions states on the evidence of one detection, which must be
// what an update does, and asks the evidence of several what it tells alone, which
// must be what a filter from a prior that says nothing finds out backward in time.
func TestCondition(t *testing.T) {
	for _, positions := range []bool{false, true} {
		g := &costgen.Levels{Sigma: 0.3, SigmaV: 0.2, Accel: 0.5, SpeedStd: 1e4, PositionsOnly: positions}
		m := newMotion(g, 2)
		scan := func(x, y, v, w float64) *mtt.Scan {
			return &mtt.Scan{Dim: 2, Pos: []float64{x, y}, Vel: []float64{v, w}}
		}
		close := func(what string, a, b *state) {
			t.Helper()
			for k := range a.p {
				if math.Abs(a.p[k]-b.p[k]) > 1e-5*math.Abs(b.p[k]) {
					t.Errorf("%s: covariance %v, want %v", what, a.p, b.p)
				}
			}
			for n := range 2 {
				if math.Abs(a.x[n]-b.x[n]) > 1e-5 || math.Abs(a.v[n]-b.v[n]) > 1e-5 {
					t.Errorf("%s: %v %v, want %v %v", what, a.x, a.v, b.x, b.v)
				}
			}
		}
		z := []*mtt.Scan{scan(1, 2, 0.5, -1), scan(1.8, 1.1, 0.6, -0.8), scan(2.1, 0.4, 0.3, -0.9)}
		s := m.start(z[0], 0)
		m.predict(&s, 1, smooth)
		m.update(&s, z[1], 0)
		m.predict(&s, 1, smooth)
		updated := s
		m.update(&updated, z[2], 0)
		var e evidence
		m.observe(&e, z[2], 0)
		m.condition(&s, &e)
		close("conditioned", &s, &updated)

		// Backward in time velocities change their signs.
		back := m.start(scan(2.1, 0.4, -0.3, 0.9), 0)
		m.predict(&back, 1, smooth)
		m.update(&back, scan(1.8, 1.1, -0.6, 0.8), 0)
		m.predict(&back, 1, smooth)
		for n := range back.v {
			back.v[n] = -back.v[n]
		}
		back.p[1] = -back.p[1]
		m.retreat(&e, 1, smooth)
		m.observe(&e, z[1], 0)
		m.retreat(&e, 1, smooth)
		alone, ok := m.known(&e)
		if !ok {
			t.Fatal("nothing known")
		}
		close("backward", &alone, &back)
	}
	m := newMotion(&costgen.Levels{Sigma: 1, Accel: 1, SpeedStd: 1, PositionsOnly: true}, 2)
	var e evidence
	m.observe(&e, &mtt.Scan{Dim: 2, Pos: []float64{1, 2}}, 0)
	if _, ok := m.known(&e); ok {
		t.Error("one position tells a velocity")
	}
}

// TestMergedGiven is told a resolution, changes nothing else by it, and finds the same
// with the lag of a sensor; what is further away than it is no merge.
func TestMergedGiven(t *testing.T) {
	if testing.Short() {
		t.Skip("many scenes take seconds")
	}
	s, of := blended(t, scenario.Config{Scene: scenario.Steer, Targets: 50, Frames: 50, Noise: 0.1, VelocityNoise: 0.1, MergeWithin: 0.6, Seed: 1})
	free, err := Track(t.Context(), s.Scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		resolution float64
		least      int
		most       int
	}{{0.6, len(free.Merged) * 9 / 10, len(free.Merged) * 11 / 10}, {0.01, 0, len(free.Merged) / 3}} {
		res, err := Track(t.Context(), s.Scans, &Options{Resolution: c.resolution})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(res.Tracks, free.Tracks) {
			t.Errorf("resolution %v changes tracks", c.resolution)
		}
		if n := len(res.Merged); n < c.least || n > c.most || res.Resolution != c.resolution {
			t.Errorf("resolution %v: %d merged with %v, want %d to %d", c.resolution, n, res.Resolution, c.least, c.most)
		}
	}
	online, err := Follow(t.Context(), s.Scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for _, m := range online.Merged {
		if _, ok := of[mtt.Hit{Frame: m.Frame, Det: m.Det}]; ok {
			right++
		}
	}
	if n := len(online.Merged); n < len(free.Merged)*8/10 || right < n*9/10 {
		t.Errorf("with a lag: %d merged, %d of them right; without: %d", n, right, len(free.Merged))
	}
	if _, err := Track(t.Context(), s.Scans, &Options{Resolution: math.NaN()}); !errors.Is(err, ErrOptions) {
		t.Errorf("resolution NaN: %v", err)
	}
}

// TestUnresolved compares the integral with draws, and with the closed form around
// the middle of the plane.
func TestUnresolved(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{2, 3} {
		for _, c := range [][3]float64{{0, 1, 1}, {0.5, 0.1, 0.6}, {2, 1, 1}, {0.3, 1e-4, 0.31}, {0.1, 4, 0.5}} {
			apart, spread, within := c[0], c[1], c[2]
			const draws = 200000
			in := 0
			for range draws {
				d2 := 0.0
				for n := range dim {
					x := math.Sqrt(spread) * r.NormFloat64()
					if n == 0 {
						x += apart
					}
					d2 += x * x
				}
				if d2 < within*within {
					in++
				}
			}
			want := float64(in) / draws
			if got := unresolved(dim, apart, spread, within); math.Abs(got-want) > 0.002+4*math.Sqrt(want*(1-want)/draws) {
				t.Errorf("%d dimensions, %v: %v, drawn %v", dim, c, got, want)
			}
		}
	}
	for _, within := range []float64{0.1, 1, 3} {
		if got, want := unresolved(2, 0, 1, within), -math.Expm1(-within*within/2); math.Abs(got-want) > 1e-3*want {
			t.Errorf("Rayleigh: %v within %v, want %v", got, within, want)
		}
	}
}
