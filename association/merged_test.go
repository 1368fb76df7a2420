package association

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/scenario"
)

// This file tests merged detections.

// blended says which detections of a simulated scene stand for several targets, how
// many targets are thereby without one between two of their detections, and how often
// others are missed.
func blended(t *testing.T, c scenario.Config) (s *scenario.Scene, of map[mtt.Hit]bool, hidden int) {
	t.Helper()
	s, err := scenario.Simulate(context.Background(), &c)
	if err != nil {
		t.Fatal(err)
	}
	plain := c
	plain.MergeWithin = 0
	p, err := scenario.Simulate(context.Background(), &plain) // the same but for what is merged
	if err != nil {
		t.Fatal(err)
	}
	of = make(map[mtt.Hit]bool)
	for f := range s.Scans {
		dist := func(i, j int) (d float64) {
			for k, x := range s.Truth[i].At(f) {
				d += (x - s.Truth[j].At(f)[k]) * (x - s.Truth[j].At(f)[k])
			}
			return math.Sqrt(d)
		}
		for i := range s.Truth {
			if s.Truth[i].Hits[f].Det >= 0 || p.Truth[i].Hits[f].Det < 0 {
				continue
			}
			before, after := false, false
			for _, h := range s.Truth[i].Hits {
				before = before || h.Det >= 0 && h.Frame < f
				after = after || h.Det >= 0 && h.Frame > f
			}
			if before && after {
				hidden++
			}
			// It went to the oldest of its group; most groups are pairs.
			near, best := -1, math.Inf(1)
			for j := range s.Truth {
				if h := s.Truth[j].Hits[f]; h.Det >= 0 && dist(i, j) < best {
					near, best = h.Det, dist(i, j)
				}
			}
			of[mtt.Hit{Frame: f, Det: near}] = true
		}
	}
	return s, of, hidden
}

// TestMerged simulates sensors of limited resolution, with and without misses
// and false alarms, and asks how many of the reported merges are true (precision) and
// how many of the true ones are reported (recall).
func TestMerged(t *testing.T) {
	base := scenario.Config{Scene: scenario.Steer, Targets: 50, Frames: 50, Noise: 0.1, VelocityNoise: 0.1, MergeWithin: 0.6}
	for _, c := range []struct {
		name              string
		edit              func(*scenario.Config)
		precision, recall float64
	}{
		{"clean", func(*scenario.Config) {}, 0.8, 0.8},
		{"space", func(c *scenario.Config) { c.Dim, c.Spread = 3, 1.5 }, 0.8, 0.8},
		{"positions", func(c *scenario.Config) { c.NoVelocity, c.Noise = true, 0.05 }, 0.8, 0.8},
		{"misses", func(c *scenario.Config) { c.Miss = 0.05 }, 0.8, 0.8},
		{"misses and clutter", func(c *scenario.Config) { c.Miss, c.Clutter, c.ClutterRadius = 0.05, 3, 4 }, 0.8, 0.8},
	} {
		t.Run(c.name, func(t *testing.T) {
			var right, reported, hidden int
			var resolutions []string
			for seed := range uint64(2) {
				cfg := base
				c.edit(&cfg)
				cfg.Seed = seed + 1
				s, of, n := blended(t, cfg)
				res, err := Track(t.Context(), s.Scans, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range res.Merged {
					if of[mtt.Hit{Frame: m.Frame, Det: m.Det}] {
						right++
					}
				}
				reported += len(res.Merged)
				hidden += n
				resolutions = append(resolutions, fmt.Sprintf("%.2f", res.Resolution))
			}
			precision, recall := float64(right)/float64(reported), float64(right)/float64(hidden)
			t.Logf("%d merged, %d reported, %d of them right: precision %.3f, recall %.3f; resolution %v", hidden, reported, right, precision, recall, resolutions)
			if !(precision >= c.precision && recall >= c.recall) {
				t.Errorf("want at least %v and %v", c.precision, c.recall)
			}
		})
	}
}

// TestNotMerged tracks scenes of a sensor that misses targets and resolves all.
func TestNotMerged(t *testing.T) {
	var misses, reported int
	for seed := range uint64(3) {
		c := scenario.Config{Scene: scenario.Steer, Targets: 60, Frames: 60, Noise: 0.1, VelocityNoise: 0.1, Miss: 0.1, Seed: seed + 1}
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
	t.Logf("%d of %d misses taken for merges", reported, misses)
	if reported > misses/100 {
		t.Errorf("%d of %d misses taken for merges", reported, misses)
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
