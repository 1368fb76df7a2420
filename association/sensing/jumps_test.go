package sensing_test

// This file tracks targets whose positions jump for some scans.

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
)

// TestJumps: targets on straight lines are displaced for some four scans now and then. What is
// displaced is no target of its own; and without displacements all is as it was.
func TestJumps(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{0.04, 0} {
		for seed := range uint64(1) {
			scans := displaced(seed, share)
			res, err := association.Track(t.Context(), scans, nil)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(res.Tracks); n < 25 || n > 30 {
				t.Errorf("seed %d, %v of the steps are jumps: %d tracks of 25", seed, share, n)
			}
			w := res.Levels.Whole
			if (w != nil) != (share > 0) {
				t.Errorf("seed %d, %v of the steps are jumps: %+v", seed, share, w)
			}
			if w != nil && (w.JumpProb < share || w.JumpProb > 3*share || w.JumpStd < 5 || w.JumpStd > 15) {
				t.Errorf("seed %d: in %v of the steps positions jump by %v, want %v and 10", seed, w.JumpProb, w.JumpStd, 2*share)
			}
		}
	}
}

// displaced are scans of targets on straight lines, a share of whose steps begins a displacement of
// four scans on average.
func displaced(seed uint64, share float64) []mtt.Scan {
	const n, frames, field = 25, 60, 300.
	rng := rand.New(rand.NewPCG(seed, 11))
	scans := make([]mtt.Scan, frames)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
	}
	for range n {
		x, v, off := [2]float64{field * rng.Float64(), field * rng.Float64()}, [2]float64{0.7 * rng.NormFloat64(), 0.7 * rng.NormFloat64()}, [2]float64{}
		for f, away := 0, false; f < frames; f++ {
			switch {
			case away && rng.IntN(4) == 0:
				away, off = false, [2]float64{}
			case !away && rng.Float64() < share:
				away, off = true, [2]float64{10 * rng.NormFloat64(), 10 * rng.NormFloat64()}
			}
			for d := range x {
				scans[f].Pos = append(scans[f].Pos, x[d]+off[d]+rng.NormFloat64())
				x[d] += v[d]
				v[d] += 0.05 * rng.NormFloat64()
			}
		}
	}
	return scans
}
