package association_test

// This file tracks targets that pass through the field in few scans.

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/internal/nightly"
)

// TestPassing: targets that fly straight across a field five steps wide, a tenth missed, among two
// fifths as many false alarms, are followed, whether or not there is time to see them often. While
// all beginnings had targets stay, 44, 35 and 26 % of the links were wrong or missing of seeds 2, 4
// and 7, of the first in 9 tracks of 86 targets; now 16, 14 and 11 %, and of all eight 13.0 % (20.9
// before). With targets that go straight as a beginning, too, of seeds 2 and 8 22 and 17 % are
// wrong or missing instead of 16 and 9, but 35 and 5 links are false instead of 94 and 79. With
// what short scenes cut off in the rates seed 2 has 29 % and 6 false links instead of 22 % and 35,
// seed 4 8 % and 44 instead of 14 % and 5.
func TestPassing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("some seconds")
	}
	const (
		targets, frames = 6, 50
		side            = 4.9 // neighbours are 1 apart
		step, noise     = 1.05, 0.03
	)
	for _, seed := range []uint64{2, 4, 1, 3, 5, 6, 7, 8}[:nightly.Or(2, 8)] {
		rng := rand.New(rand.NewPCG(seed, 41))
		type target struct{ x, y, vx, vy float64 }
		begin := func() target {
			a := 2 * math.Pi * rng.Float64()
			return target{side * rng.Float64(), side * rng.Float64(), step * math.Cos(a), step * math.Sin(a)}
		}
		var now [targets]target
		var truth [targets]*mtt.Track
		var all []*mtt.Track
		enter := func(i int, c target) {
			now[i], truth[i] = c, &mtt.Track{ID: len(all) + 1, Dim: 2}
			all = append(all, truth[i])
		}
		for i := range now {
			enter(i, begin())
		}
		scans := make([]mtt.Scan, frames)
		for f := range scans {
			s := &scans[f]
			*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for i := range now {
				c := &now[i]
				if rng.IntN(10) > 0 {
					s.Pos = append(s.Pos, c.x+noise*rng.NormFloat64(), c.y+noise*rng.NormFloat64())
					truth[i].Append(s, s.Len()-1)
				}
				if c.x, c.y = c.x+c.vx, c.y+c.vy; min(c.x, c.y) < 0 || max(c.x, c.y) > side { // another enters, at a side
					c := begin()
					switch rng.IntN(4) {
					case 0:
						c.x, c.vx = 0, math.Abs(c.vx)
					case 1:
						c.y, c.vy = 0, math.Abs(c.vy)
					case 2:
						c.x, c.vx = side, -math.Abs(c.vx)
					default:
						c.y, c.vy = side, -math.Abs(c.vy)
					}
					enter(i, c)
				}
			}
			for range targets {
				if rng.IntN(5) < 2 {
					s.Pos = append(s.Pos, side*rng.Float64(), side*rng.Float64())
				}
			}
		}
		var list []mtt.Track
		for _, tr := range all {
			if len(tr.Hits) > 0 {
				list = append(list, *tr)
			}
		}
		res, r := trackAndScore(t, scans, list)
		most := 30.0
		if seed == 4 {
			most = 15 // 24 without
		}
		if r.MMEP > most || r.FalseLinks > 60 {
			t.Errorf("seed %d: %.1f %% of the links are wrong or missing, %d are false, in %d tracks of %d targets", seed, r.MMEP, r.FalseLinks, len(res.Tracks), len(list))
		}
	}
}
