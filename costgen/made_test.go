package costgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// annotated are tracks of which every so many frames were measured, and those between are on lines.
func annotated(tracks []mtt.Track, every int, change func(x float64) float64) []mtt.Track {
	for i := range tracks {
		t := &tracks[i]
		for h := range t.Hits {
			from := h / every * every
			to := min(from+every, len(t.Hits)-1)
			if h == from || h == to {
				continue
			}
			for d := range t.Dim {
				x, y := t.At(from)[d], t.At(to)[d]
				t.At(h)[d] = change(x + (y-x)*float64(h-from)/float64(to-from))
			}
		}
	}
	return tracks
}

// standing are tracks that walkers are made of and as many that stay where they are, to the last digit.
func standing(seed uint64, n, frames int, noise float64, change func(x float64) float64) []mtt.Track {
	tracks := walkers(seed, n, frames, 0, noise, change)
	for _, t := range walkers(seed+1, n, frames, 0, noise, change) {
		for h := range t.Hits {
			copy(t.At(h), t.At(0))
		}
		tracks = append(tracks, t)
	}
	return tracks
}

// TestMade: noise is that of what was measured where the rest lies on lines or stands still.
func TestMade(t *testing.T) {
	const noise = 0.1
	exact := func(x float64) float64 { return x }
	for _, tt := range []struct {
		name   string
		tracks []mtt.Track
	}{
		{"every third", annotated(walkers(1, 20, 60, 0, noise, exact), 3, exact)},
		{"every fifth, to the millimetre", annotated(walkers(2, 20, 60, 0, noise, to(0.001)), 5, to(0.001))},
		{"every fourth, far from the origin", annotated(walkers(3, 20, 60, 4.4e6, noise, exact), 4, exact)},
		{"half of them stand", standing(4, 20, 60, noise, exact)},
		{"half of them stand, to the centimetre", standing(6, 20, 60, noise, to(0.01))},
	} {
		g := Levels{Dim: 2, Interval: 1, PositionsOnly: true}
		if !FitSmooth(&g, tt.tracks, seconds) {
			t.Fatalf("%s: nothing to go by", tt.name)
		}
		if g.Sigma < noise/1.25 || g.Sigma > noise*1.25 {
			t.Errorf("%s: noise %.3g, want %.3g", tt.name, g.Sigma, noise)
		}
	}
}

// TestMeasured: nothing is left out of what was measured, however coarsely it is rounded, nor where
// all lies on lines.
func TestMeasured(t *testing.T) {
	lines := walkers(1, 20, 40, 0, 0, func(x float64) float64 { return x })
	for i := range lines {
		for h := range lines[i].Hits {
			for d, x := range lines[i].At(0) {
				lines[i].At(h)[d] = x + 0.25*float64(h*(d+1))
			}
		}
	}
	still := func(noise float64) (tracks []mtt.Track) { // and rounded to 1
		r := rand.New(rand.NewPCG(9, 9))
		for id := range 40 {
			x := [2]float64{100 * r.Float64(), 100 * r.Float64()}
			tr := mtt.Track{ID: id, Dim: 2}
			for f := range 40 {
				tr.Hits = append(tr.Hits, mtt.Hit{Frame: f})
				for _, x := range x {
					tr.Pos = append(tr.Pos, math.Round(x+noise*r.NormFloat64()))
				}
			}
			tracks = append(tracks, tr)
		}
		return tracks
	}
	for _, tt := range []struct {
		name   string
		tracks []mtt.Track
	}{
		{"not rounded", walkers(2, 20, 40, 0, 0.1, func(x float64) float64 { return x })},
		{"millimetres", walkers(3, 20, 40, 0, 0.1, to(0.001))},
		{"half of the noise", walkers(4, 20, 40, 0, 0.1, to(0.05))},
		{"twice the noise", walkers(5, 20, 40, 0, 0.1, to(0.2))},
		{"whole pixels", walkers(6, 20, 40, 0, 0.1, to(1))},
		{"still, noise of a tenth", still(0.1)},
		{"still, noise of a fifth", still(0.2)},
		{"still, noise of a third", still(0.33)},
		{"still, noise of a half", still(0.5)},
		{"lines", lines},
	} {
		f := gather(&Levels{PositionsOnly: true}, tt.tracks, seconds, enough)
		before, paths := f.hits, len(f.paths)
		if f.measured(); f.hits != before || len(f.paths) != paths {
			t.Errorf("%s: %d of %d hits are left", tt.name, f.hits, before)
		}
	}
}
