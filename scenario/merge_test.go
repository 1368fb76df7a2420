package scenario

import (
	"math"
	"slices"
	"testing"
)

// TestMerge compares a scene with the same scene seen by a sensor that resolves
// everything: each group of close targets must have one detection, the mean of
// what they had.
func TestMerge(t *testing.T) {
	for _, dim := range []int{2, 3} {
		c := Config{Scene: Steer, Targets: 150, Frames: 20, Dim: dim, Noise: 0.1, VelocityNoise: 0.2, Miss: 0.1, Clutter: 5, Spread: 1, Seed: 3}
		plain := simulate(t, c)
		c.MergeWithin = 0.6
		merged := simulate(t, c)
		var pairs, larger int
		for f := range plain.Scans {
			a, b := &plain.Scans[f], &merged.Scans[f]
			group := make([]int, len(plain.Truth)) // by brute force: labels spread until nothing changes
			for i := range group {
				group[i] = i
			}
			for again := true; again; {
				again = false
				for i := range group {
					for j := range i {
						if plain.Truth[i].Hits[f].Det < 0 || plain.Truth[j].Hits[f].Det < 0 || group[i] == group[j] {
							continue
						}
						if distance(plain.Truth[i].At(f), plain.Truth[j].At(f)) < c.MergeWithin {
							group[i] = min(group[i], group[j])
							group[j], again = group[i], true
						}
					}
				}
			}
			gone := 0
			for i := range group {
				det := merged.Truth[i].Hits[f].Det
				if group[i] != i || plain.Truth[i].Hits[f].Det < 0 {
					if det != -1 {
						t.Fatalf("frame %d: target %d has detection %d", f, i+1, det)
					}
					if group[i] != i {
						gone++
					}
					continue
				}
				var n float64
				pos, vel := make([]float64, dim), make([]float64, dim)
				for j, g := range group {
					if g != i {
						continue
					}
					n++
					for k := range dim {
						pos[k] += a.At(plain.Truth[j].Hits[f].Det)[k]
						vel[k] += a.VelAt(plain.Truth[j].Hits[f].Det)[k]
					}
				}
				for k := range dim {
					pos[k] /= n
					vel[k] /= n
				}
				if distance(pos, b.At(det)) > 1e-12 || distance(vel, b.VelAt(det)) > 1e-12 {
					t.Fatalf("frame %d: detection %d of %v targets is not their mean", f, det, n)
				}
				switch {
				case n > 2:
					larger++
				case n == 2:
					pairs++
				}
			}
			if a.Len()-gone != b.Len() {
				t.Fatalf("frame %d: %d detections less %d merged are not %d", f, a.Len(), gone, b.Len())
			}
			for d, clutter := range isClutter(plain, f) {
				if clutter && !holds(b.Pos, a.At(d)) {
					t.Fatalf("frame %d: false alarm %d is lost", f, d)
				}
			}
		}
		if pairs < 40 || dim == 2 && larger < 20 {
			t.Errorf("%d dimensions: only %d pairs and %d larger groups", dim, pairs, larger)
		}
	}
}

// holds is whether the rows of flat, as long as row, contain it.
func holds(flat, row []float64) bool {
	for ; len(flat) > 0; flat = flat[len(row):] {
		if slices.Equal(flat[:len(row)], row) {
			return true
		}
	}
	return false
}

func distance(a, b []float64) float64 {
	var d2 float64
	for k := range a {
		d2 += (a[k] - b[k]) * (a[k] - b[k])
	}
	return math.Sqrt(d2)
}
