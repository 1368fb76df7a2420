// Package chaintest makes scans and links between their detections, to test what
// works on them.
package chaintest

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
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

// A Ship sails straight, and reports at times of its own.
type Ship struct {
	At, Speed [2]float64     // m, at time 0; m/s
	First     float64        // time of its first report, s
	Wait      func() float64 // s until the next one
}

// Reports are those of ships until a time, s, at times that are rounded down to a grid, 0: none;
// two of one time are in one scan. Their noise has a standard deviation, m, per axis. of[t][i] is
// the ship of detection i of scan t, which is frame t.
func Reports(rng *rand.Rand, ships int, until, noise, grid float64, ship func(k int) Ship) (scans []mtt.Scan, of [][]int) {
	type report struct {
		time, x, y float64
		ship       int
	}
	var all []report
	for k := range ships {
		s := ship(k)
		for at := s.First; at < until; at += s.Wait() {
			t := at
			if grid > 0 {
				t = math.Floor(at/grid) * grid
			}
			all = append(all, report{t, s.At[0] + s.Speed[0]*t + noise*rng.NormFloat64(), s.At[1] + s.Speed[1]*t + noise*rng.NormFloat64(), k})
		}
	}
	slices.SortStableFunc(all, func(a, b report) int { return cmp.Compare(a.time, b.time) })
	for k, r := range all {
		if k == 0 || r.time > all[k-1].time {
			scans, of = append(scans, mtt.Scan{Frame: len(scans), Time: r.time, Dim: 2}), append(of, nil)
		}
		last := len(scans) - 1
		scans[last].Pos, of[last] = append(scans[last].Pos, r.x, r.y), append(of[last], r.ship)
	}
	return scans, of
}

// Sailing is a ship somewhere in a square, m, that reports every so many seconds and up to as many
// more, a tenth earlier or later, and whose speed has a standard deviation of 5 m/s per axis.
func Sailing(rng *rand.Rand, side, every, more float64) Ship {
	s := Ship{At: [2]float64{side * rng.Float64(), side * rng.Float64()}, Speed: [2]float64{5 * rng.NormFloat64(), 5 * rng.NormFloat64()}}
	every += more * rng.Float64()
	s.First, s.Wait = every*rng.Float64(), func() float64 { return every * (0.9 + 0.2*rng.Float64()) }
	return s
}

// Right counts the links of tracks between detections of one target, of[frame][detection], and
// those between two.
func Right(tracks []mtt.Track, of [][]int) (right, wrong int) {
	for i := range tracks {
		h := tracks[i].Hits
		for n := 1; n < len(h); n++ {
			if of[h[n-1].Frame][h[n-1].Det] == of[h[n].Frame][h[n].Det] {
				right++
			} else {
				wrong++
			}
		}
	}
	return right, wrong
}
