package learn_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association/learn"
	"mtt/costgen"
	"mtt/motion"
)

// TestConfusion counts those nearer than the next detection of a random walk among others all over a field.
func TestConfusion(t *testing.T) {
	for dim, others := range map[int]int{2: 400, 3: 800} {
		const side, step, rounds = 20.0, 0.8, 4000
		g := &costgen.Levels{
			Motion: motion.Walk{}, Dim: dim, Interval: 1, PositionsOnly: true, Sigma: 1e-6, Accel: step,
			Rates: costgen.Rates{Detect: 0.999, Survive: 0.999, Births: 0.1, Targets: 1, Clutter: 0.1, Volume: math.Pow(side, float64(dim))},
		}
		s := mtt.Scan{Dim: dim, Pos: make([]float64, dim*(others+1))}
		r, nearer := rand.New(rand.NewPCG(4, 4)), 0
		for range rounds {
			var r2 float64
			for range dim {
				x := step * r.NormFloat64()
				r2 += x * x
			}
			for range others {
				var d2 float64
				for range dim {
					x := side * (r.Float64() - 0.5)
					d2 += x * x
				}
				if d2 < r2 {
					nearer++
				}
			}
		}
		want := float64(nearer) / rounds
		if got := learn.Confusion([]mtt.Scan{s}, g); math.Abs(got/want-1) > 0.1 {
			t.Errorf("%d dimensions: %.3g others are nearer, want %.3g", dim, got, want)
		}
	}
}
