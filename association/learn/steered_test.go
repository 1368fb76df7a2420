package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// TestSteered: turns and pulls that last are noticed in every scene, white acceleration with tails,
// however large, in none, nor are turns that noise hides.
func TestSteered(t *testing.T) {
	const targets, frames, scenes = 20, 40, 60
	for name, test := range map[string]struct {
		turn, pull, white, noise float64
		want                     bool
	}{
		"turns":        {turn: 0.2, noise: 0.1, want: true},
		"pulls":        {pull: 0.25, noise: 0.1, want: true},
		"straight":     {noise: 0.1},
		"white":        {white: 0.3, noise: 0.1},
		"hidden turns": {turn: 0.02, noise: 0.2},
	} {
		noticed := 0
		for seed := range uint64(scenes) {
			rng := rand.New(rand.NewPCG(seed, 5))
			scans, tracks := make([]mtt.Scan, frames), make([]mtt.Track, targets)
			for f := range scans {
				scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			}
			for i := range tracks {
				tr := &tracks[i]
				tr.Dim = 2
				angle := 2 * math.Pi * rng.Float64()
				pulled := 2 * math.Pi * rng.Float64()
				rate := test.turn * (0.5 + rng.Float64()) * float64(1-2*rng.IntN(2))
				v, w := math.Cos(angle), math.Sin(angle)
				x, y := 0.0, 0.0
				for f := range frames {
					tr.Hits = append(tr.Hits, mtt.Hit{Frame: f})
					tr.Pos = append(tr.Pos, x+test.noise*rng.NormFloat64(), y+test.noise*rng.NormFloat64())
					s, c := math.Sincos(rate)
					tail := math.Exp(rng.NormFloat64())
					v, w = c*v-s*w+test.pull*math.Cos(pulled)+test.white*tail*rng.NormFloat64(), s*v+c*w+test.pull*math.Sin(pulled)+test.white*tail*rng.NormFloat64()
					x, y = x+v, y+w
				}
			}
			if Steered(scans, tracks) {
				noticed++
			}
		}
		if test.want && noticed < scenes || !test.want && noticed > 0 {
			t.Errorf("%s: noticed in %d of %d scenes", name, noticed, scenes)
		}
	}
}
