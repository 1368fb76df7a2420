package sensing_test

// This file tracks targets that are missed for long now and then.

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/costgen"
	"mtt/internal/nightly"
)

// TestLasting: targets cross a picture of thirty frames in a second; a detector misses one box in
// twenty, and behind pillars all for up to a second. One number for both kinds of misses leaves
// tracks in pieces. In the odd scenes it is said how often targets are detected: that says nothing
// of how long they are missed.
func TestLasting(t *testing.T) {
	t.Parallel()
	const targets, frames, fps = 12, 500, 30
	for seed := range nightly.Or[uint64](2, 4) {
		rng := rand.New(rand.NewPCG(seed, 30))
		scans := make([]mtt.Scan, frames)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f) / fps, Dim: 2}
		}
		long, there, seen := 0, 0., 0.
		where := make(map[mtt.Hit]int)
		for i := range targets {
			f := rng.IntN(frames / 3)
			x, y, v := 1000*rng.Float64(), 80*float64(i)+20*rng.Float64(), 40+60*rng.Float64()
			hidden, missed := 0, 0
			for end := f + 150 + rng.IntN(150); f < end; f++ {
				v += 10 / 5.5 * rng.NormFloat64()
				x += v / fps
				if hidden == 0 && rng.Float64() < .012 {
					hidden = 2 + rng.IntN(fps)
				}
				there++
				if hidden > 0 || rng.Float64() < .05 {
					hidden, missed = max(0, hidden-1), missed+1
					continue
				}
				if missed > 5 {
					long++
				}
				s := &scans[f]
				seen++
				missed = 0
				where[mtt.Hit{Frame: f, Det: s.Len()}] = i
				s.Pos = append(s.Pos, x+3*rng.NormFloat64(), y+3*rng.NormFloat64())
			}
		}
		opts := &association.Options{}
		if seed%2 == 1 {
			opts.Rates = &costgen.Rates{Detect: seen / there}
		}
		res, err := association.Track(t.Context(), scans, opts)
		if err != nil {
			t.Fatal(err)
		}
		wrong := wrongLinks(res.Tracks, where)
		if len(res.Tracks) > targets+1 || wrong > 1 {
			t.Errorf("seed %d: %d targets that are missed for long %d times are %d tracks, with %d wrong links", seed, targets, long, len(res.Tracks), wrong)
		}
		if l := res.Levels.Lasting; l.Share <= 0 || l.Long < 0.8 || l.Brief > 0.3 {
			t.Errorf("seed %d: runs of misses are %+v", seed, l)
		}
	}
}
