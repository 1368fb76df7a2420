package learn

import (
	"math/rand/v2"
	"testing"

	"mtt"
)

// TestLeftOutByChance: false alarms alone take next to nothing from the evidence, whatever the
// radius within which chance has the most of them followed, and eight targets among them a lot.
// Within two standard errors the alarms took 55 nat of a scene on average, which no levels could
// make up for that took them for false.
func TestLeftOutByChance(t *testing.T) {
	const scenes, alarms, side = 40, 50, 60.0
	for _, targets := range []int{0, 8} {
		mean := 0.0
		for seed := range uint64(scenes) {
			rng := rand.New(rand.NewPCG(seed, 31))
			l := &learner{Options: &Options{}, part: make([]mtt.Scan, 35)}
			for f := range l.part {
				s := &l.part[f]
				*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
				for k := range targets {
					s.Pos = append(s.Pos, 7*float64(k)+0.2*float64(f), 7*float64(k)+0.1*rng.NormFloat64())
				}
				for range alarms - 10 + rng.IntN(21) {
					s.Pos = append(s.Pos, side*rng.Float64(), side*rng.Float64())
				}
			}
			mean += l.leftOut(nil) / scenes
		}
		if targets == 0 && mean > 5 || targets > 0 && mean < left*float64(targets)*10 {
			t.Errorf("%d targets left out among false alarms take %.1f nat", targets, mean)
		}
	}
}
