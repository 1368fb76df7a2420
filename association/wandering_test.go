package association_test

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/internal/nightly"
	"mtt/motion"
)

// TestWandering: of particles that wander all are there in every scan, or four in each are replaced
// by others elsewhere. Equal counts are told from that before there are tracks: where nobody leaves,
// all is learnt once, and not again as if some did. Under a velocity ends seemed to pay in both.
func TestWandering(t *testing.T) {
	t.Parallel()
	const (
		targets, frames = 100, 24
		side, step      = 33., .5
	)
	learn := func(seed uint64, replaced int) (pilots int, births float64) {
		rng := rand.New(rand.NewPCG(seed, 43))
		var x [targets][2]float64
		place := func(i int) { x[i] = [2]float64{side * rng.Float64(), side * rng.Float64()} }
		for i := range x {
			place(i)
		}
		scans := make([]mtt.Scan, frames)
		for f := range scans {
			s := &scans[f]
			*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for _, i := range rng.Perm(targets) {
				s.Pos = append(s.Pos, x[i][0]+.05*rng.NormFloat64(), x[i][1]+.05*rng.NormFloat64())
			}
			for i := range x {
				x[i][0], x[i][1] = x[i][0]+step*rng.NormFloat64(), x[i][1]+step*rng.NormFloat64()
			}
			for _, i := range rng.Perm(targets)[:replaced] {
				place(i)
			}
		}
		res, err := association.Learn(t.Context(), scans, &association.Options{Workers: 1, Piloted: func(w association.Work) {
			if w.Triplets > 0 {
				pilots++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if res.Levels.Motion != motion.Model(motion.Walk{}) {
			t.Errorf("seed %d, %d replaced: the motion is %v", seed, replaced, res.Levels.Motion)
		}
		return pilots, res.Levels.Rates.Births
	}
	for seed := range uint64(nightly.Or(1, 4)) {
		stay, none := learn(seed, 0)
		change, births := learn(seed, 4)
		t.Logf("seed %d: %d pilots and %.3g births, %d and %.3g", seed, stay, none, change, births)
		if none > 1e-6 || births < 2 || births > 6 {
			t.Errorf("seed %d: %v births a scan where there are none, %v where there are four", seed, none, births)
		}
		if 2*stay > change {
			t.Errorf("seed %d: %d pilots where nobody leaves, %d where four do", seed, stay, change)
		}
	}
}
