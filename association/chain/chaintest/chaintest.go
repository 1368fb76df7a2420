// Package chaintest makes scans and links between their detections, to test what
// works on them.
package chaintest

import (
	"context"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association/chain"
	"mtt/gating"
	"mtt/scenario"
)

// Everything gates every pair.
var Everything = gating.Ball{Radius: 1e6}

// Gate gates consecutive scans.
func Gate(t testing.TB, scans []mtt.Scan, g gating.Gate) []gating.CSR {
	t.Helper()
	gates, err := gating.Chain(context.Background(), scans, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return gates
}

// Scans are scans of up to most detections, some of them empty.
func Scans(rng *rand.Rand, frames, most, dim int, vel bool) []mtt.Scan {
	scans := make([]mtt.Scan, frames)
	now := 0.0
	for t := range scans {
		now += 0.5 + rng.Float64()
		scans[t] = mtt.Scan{Frame: 3 * t, Time: now, Dim: dim}
		n := rng.IntN(most + 1)
		for range n * dim {
			scans[t].Pos = append(scans[t].Pos, rng.NormFloat64())
			if vel {
				scans[t].Vel = append(scans[t].Vel, 0.3*rng.NormFloat64())
			}
		}
	}
	return scans
}

// Links links detections at random, over runs of at most misses scans.
func Links(rng *rand.Rand, scans []mtt.Scan, misses int) *chain.Links {
	c := chain.New(scans)
	for t := range scans {
		for i := range scans[t].Len() {
			to := t + 1
			for to <= t+misses && rng.IntN(2) == 0 {
				to++
			}
			if to >= len(scans) || scans[to].Len() == 0 || rng.IntN(4) == 0 {
				continue
			}
			if j := rng.IntN(scans[to].Len()); c.Prev[to][j] == chain.None {
				c.Link(chain.At(t, i), chain.At(to, j))
			}
		}
	}
	return c
}

// Each calls f with every way to link the detections from detection i of scan t
// on, over runs of at most misses scans.
func Each(c *chain.Links, scans []mtt.Scan, misses, t, i int, f func(*chain.Links)) {
	if t == len(scans) {
		f(c)
		return
	}
	if i == scans[t].Len() {
		Each(c, scans, misses, t+1, 0, f)
		return
	}
	Each(c, scans, misses, t, i+1, f)
	at := chain.At(t, i)
	for u := t + 1; u <= t+1+misses && u < len(scans); u++ {
		for j := range scans[u].Len() {
			if c.Prev[u][j] == chain.None {
				c.Link(at, chain.At(u, j))
				Each(c, scans, misses, t, i+1, f)
				c.Unlink(at)
			}
		}
	}
}

// Crowd simulates a small crowded scene with misses, clutter and births.
func Crowd(t testing.TB, seed uint64, targets, frames int, vel bool) *scenario.Scene {
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
