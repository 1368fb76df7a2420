package windows

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestByTrack compares places put where they belong, and few of many tracks, with places that are sorted.
func TestByTrack(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var at []int32
	for n := range 60 {
		for _, of := range []int{n, 2 * n, 7*n + 1, 100*n + 1} {
			var places []Place
			for det, track := range rnd.Perm(of + 1)[:n] {
				places = append(places, Place{3 + track, det})
			}
			want := slices.SortedFunc(slices.Values(places), func(a, b Place) int { return cmp.Compare(a.Track, b.Track) })
			if places, at = byTrack(places, at); !slices.Equal(places, want) {
				t.Fatalf("%d places of %d tracks: %v, not %v", n, of, places, want)
			}
		}
	}
}
