package dataset

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTiles wants each hit once, in order of frames and, in a frame, of the tracks: of few tracks
// and of many, in a row and with gaps, beginning together and one after another.
func TestTiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ tracks, hits, gap, begin int }{
		{0, 1, 1, 1}, {1, 1, 1, 1}, {3, 4000, 1, 1}, {300, 100, 1, 1}, {300, 100, 3, 200}, {5000, 5, 1, 2}, {20000, 3, 2, 4}, {70000, 2, 1, 1}, {2, 3000, 1e9, 1},
	} {
		frames := make([][]int, c.tracks)
		var want []spot
		for k := range frames {
			f := rng.IntN(c.begin) - 5
			for range rng.IntN(c.hits + 1) {
				frames[k] = append(frames[k], f)
				f += 1 + rng.IntN(c.gap)
			}
			for h := range frames[k] {
				want = append(want, spot{k, h})
			}
		}
		frame := func(h spot) int { return frames[h.track][h.hit] }
		slices.SortStableFunc(want, func(a, b spot) int { return frame(a) - frame(b) })
		order := newTiles(&hitTable{c.tracks, func(k int) int { return len(frames[k]) }, frame})
		var got []spot
		for now := (tile{}); order.next(&now); {
			rows := make([][]spot, now.frames)
			n := 0
			for _, r := range now.runs {
				for h := (spot{r.track, r.from}); h.hit < r.to; h.hit++ {
					at := frame(h) - now.first
					rows[at] = append(rows[at], h)
					n++
				}
			}
			if n == 0 || n > tileMost || len(rows[len(rows)-1]) == 0 {
				t.Errorf("%+v: a tile of %d hits in %d frames", c, n, now.frames)
			}
			got = append(got, slices.Concat(rows...)...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %d of %d hits, or in another order", c, len(got), len(want))
		}
	}
}
