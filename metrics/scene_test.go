package metrics

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mtt"
)

// This file checks the index of a scene and its near pairs against brute force.

func TestFrameList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (tracks []mtt.Track, all []int) {
			for range rapid.IntRange(0, 5).Draw(t, name) {
				frames := rapid.SliceOfDistinct(rapid.IntRange(-20, 20), rapid.ID[int]).Draw(t, "frames")
				slices.Sort(frames)
				var tr mtt.Track
				for _, f := range frames {
					tr.Hits = append(tr.Hits, mtt.Hit{Frame: f})
				}
				tracks = append(tracks, tr)
				all = append(all, frames...)
			}
			return tracks, all
		}
		truth, want := draw("truth")
		tracks, more := draw("tracks")
		want = append(want, more...)
		slices.Sort(want)
		want = slices.Compact(want)
		if got := frameList(frameList(nil, truth), tracks); !slices.Equal(got, want) {
			t.Fatalf("frames %v, want %v", got, want)
		}
	})
}

// randomSide draws tracks with hits in some of the frames.
func randomSide(rnd *rand.Rand, n, dim int, spread [3]float64, boxes bool) []mtt.Track {
	tracks := make([]mtt.Track, n)
	for k := range tracks {
		tr := &tracks[k]
		tr.Dim = dim
		for f := range 4 {
			if rnd.IntN(3) == 0 {
				continue
			}
			tr.Hits = append(tr.Hits, mtt.Hit{Frame: f, Det: -1})
			for x := range dim {
				tr.Pos = append(tr.Pos, spread[x]*rnd.Float64())
			}
			if boxes {
				tr.Size = append(tr.Size, 3*rnd.Float64(), 2*rnd.Float64())
			}
		}
	}
	return tracks
}

func TestNearPairs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, tt := range []struct {
		name   string
		dim    int
		spread [3]float64
		boxes  bool
		radius float64
	}{
		{"points", 2, [3]float64{10, 10}, false, 1.5},
		{"points along y", 2, [3]float64{0.1, 30}, false, 2},
		{"points in space", 3, [3]float64{5, 5, 20}, false, 2},
		{"all in one place", 2, [3]float64{}, false, 1},
		{"a crowd and one far away", 2, [3]float64{1, 1}, false, 0.3},
		{"boxes", 2, [3]float64{10, 10}, true, 1},
		{"boxes one above the other", 2, [3]float64{1, 20}, true, 0.8},
	} {
		total := 0
		for range 30 {
			truth, tracks := randomSide(rnd, 12, tt.dim, tt.spread, tt.boxes), randomSide(rnd, 15, tt.dim, tt.spread, tt.boxes)
			if strings.Contains(tt.name, "far") {
				truth[0].Pos[0] = 1e9
			}
			s, err := newScene(truth, tracks, false)
			if err != nil {
				t.Fatal(err)
			}
			if s.boxes != tt.boxes {
				t.Fatalf("%s: boxes %v", tt.name, s.boxes)
			}
			got, err := s.nearPairs(t.Context(), tt.radius)
			if err != nil {
				t.Fatal(err)
			}
			want := &pairs{ptr: []int{0}}
			for f := range s.frames {
				for _, hit := range s.truth.frame(f) {
					a := s.truth.place(hit, 0, s.boxes)
					for c, other := range s.tracks.frame(f) {
						b := s.tracks.place(other, c, s.boxes)
						if d := s.distance(&a, &b); d < tt.radius {
							want.col = append(want.col, int32(c))
							want.d = append(want.d, d)
						}
					}
					want.ptr = append(want.ptr, len(want.col))
				}
			}
			if !slices.Equal(got.ptr, want.ptr) || !slices.Equal(got.col, want.col) || !slices.Equal(got.d, want.d) {
				t.Fatalf("%s: pairs %v, want %v", tt.name, got, want)
			}
			total += len(want.col)
		}
		if total == 0 {
			t.Errorf("%s: no pairs at all", tt.name)
		}
	}
}
