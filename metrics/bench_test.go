package metrics_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/metrics"
)

// crowd draws n targets that walk for the given number of frames in a square
// with one target per 100 m², and tracks of them with 0.2 m noise, 5 % missed
// detections, 1 % new identities and a few exchanged ones per frame, and 2 %
// clutter.
func crowd(n, frames int) (truth, tracks []mtt.Track) {
	rnd := rand.New(rand.NewPCG(1, 2))
	side := 10.0
	for side*side < 100*float64(n) {
		side *= 1.1
	}
	truth = make([]mtt.Track, n)
	tracks = make([]mtt.Track, n, 2*n)
	owner := make([]int, n)
	pos := make([]float64, 2*n)
	vel := make([]float64, 2*n)
	for i := range pos {
		pos[i] = side * rnd.Float64()
		vel[i] = rnd.NormFloat64()
	}
	for i := range n {
		truth[i] = mtt.Track{ID: i + 1, Dim: 2}
		tracks[i] = mtt.Track{ID: i + 1, Dim: 2}
		owner[i] = i
	}
	hit := func(t *mtt.Track, frame, det int, x, y float64) {
		t.Hits = append(t.Hits, mtt.Hit{Frame: frame, Det: det})
		t.Pos = append(t.Pos, x, y)
	}
	for f := range frames {
		det := rnd.Perm(n + n/50)
		for range 1 + n/500 {
			i, j := rnd.IntN(n), rnd.IntN(n)
			owner[i], owner[j] = owner[j], owner[i]
		}
		for i := range n {
			x, y := pos[2*i], pos[2*i+1]
			if rnd.Float64() < 0.05 {
				hit(&truth[i], f, -1, x, y)
			} else {
				hit(&truth[i], f, det[i], x, y)
				if rnd.Float64() < 0.01 {
					owner[i] = len(tracks)
					tracks = append(tracks, mtt.Track{ID: len(tracks) + 1, Dim: 2})
				}
				hit(&tracks[owner[i]], f, det[i], x+0.2*rnd.NormFloat64(), y+0.2*rnd.NormFloat64())
			}
			pos[2*i] += vel[2*i]
			pos[2*i+1] += vel[2*i+1]
		}
		for i := range n / 50 {
			k := len(tracks)
			tracks = append(tracks, mtt.Track{ID: k + 1, Dim: 2})
			hit(&tracks[k], f, det[n+i], side*rnd.Float64(), side*rnd.Float64())
		}
	}
	return truth, tracks
}

func BenchmarkScore(b *testing.B) {
	truth, tracks := crowd(1000, 100)
	for _, bb := range []struct {
		name string
		only metrics.Group
	}{
		{"links", metrics.Links}, {"clear", metrics.CLEAR}, {"identity", metrics.Identity},
		{"hota", metrics.HOTA}, {"sets", metrics.Sets}, {"trajectories", metrics.Trajectories}, {"all", metrics.All},
	} {
		b.Run("targets=1000/frames=100/"+bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := metrics.Score(truth, tracks, &metrics.Options{Only: bb.only}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Trajectory GOSPA of 1,000 targets over 1,000 frames.
func BenchmarkTrajectoryGOSPA(b *testing.B) {
	truth, tracks := crowd(1000, 1000)
	for _, gamma := range []float64{0.2, 1} {
		b.Run(fmt.Sprintf("targets=1000/frames=1000/switch=%v", gamma), func(b *testing.B) {
			for b.Loop() {
				r, err := metrics.Score(truth, tracks, &metrics.Options{Only: metrics.Trajectories, Switch: gamma})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(r.TGOSPAGap, "gap%")
				b.ReportMetric(r.TGOSPAExactGap, "exact-gap%")
				b.ReportMetric(float64(r.Tracks), "tracks")
			}
		})
	}
}
