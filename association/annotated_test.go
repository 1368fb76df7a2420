package association_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/metrics"
)

// This file tracks recordings that were annotated in some pictures, of many targets.

// TestAnnotated: targets that lie on straight lines between every twelfth picture keep their tracks
// where they turn, also where there are so many of them that no turn is in the scans that are
// looked at first, and where positions are rounded.
func TestAnnotated(t *testing.T) {
	t.Parallel()
	const targets, frames, pictures = 500, 48, 12
	for _, grid := range []float64{0, 0.1} {
		rng := rand.New(rand.NewPCG(7, 3))
		field := 95 * math.Sqrt(targets)
		scans, truth := make([]mtt.Scan, frames), make([]mtt.Track, targets)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		}
		for i := range truth {
			truth[i] = mtt.Track{ID: i + 1, Dim: 2}
			p := [2]float64{field * rng.Float64(), field * rng.Float64()}
			v := [2]float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()}
			for f := range scans {
				for d := range p {
					if f%pictures == 0 && f > 0 {
						v[d] += 0.7 * rng.NormFloat64()
					}
					x := p[d]
					if grid > 0 {
						x = grid * math.Round(x/grid)
					}
					scans[f].Pos, truth[i].Pos = append(scans[f].Pos, x), append(truth[i].Pos, x)
					p[d] += v[d]
				}
				truth[i].Hits = append(truth[i].Hits, mtt.Hit{Frame: f, Det: i})
			}
		}
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := metrics.Score(truth, res.Tracks, nil)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := s.WrongLinks + s.MissingLinks; wrong > s.TrueLinks/1000 {
			t.Errorf("rounded to %g: %d of %d links wrong or missing, %d tracks of %d targets; noise %g", grid, wrong, s.TrueLinks, len(res.Tracks), targets, res.Levels.Sigma)
		}
	}
}
