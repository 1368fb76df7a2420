package costgen

import (
	"math/rand/v2"
	"testing"

	"mtt"
)

// This file measures what a triplet costs to price, and what Fit takes.

// scatter is a scan of n detections at random places in a square or cube of
// side metres, that move at up to speed metres per second along each axis.
func scatter(r *rand.Rand, frame int, time float64, n, dim int, side, speed float64) *mtt.Scan {
	s := &mtt.Scan{Frame: frame, Time: time, Dim: dim}
	for range n * dim {
		s.Pos = append(s.Pos, side*r.Float64())
		s.Vel = append(s.Vel, speed*(2*r.Float64()-1))
	}
	return s
}

// BenchmarkTriplets prices a detection's 8×8 triplets, in 2-D unless the name
// says otherwise.
func BenchmarkTriplets(b *testing.B) {
	levels := Levels{Sigma: 0.1, SigmaV: 0.1, Accel: 0.1, SpeedStd: 1}
	turns := levels
	turns.ManoeuvreProb, turns.ManoeuvreAccel = 0.05, 1
	positions := levels
	positions.PositionsOnly = true
	space := levels
	space.Dim = 3
	for _, bb := range []struct {
		name  string
		dim   int
		model Model
	}{
		{"gaussian", 2, &Gaussian{Levels: levels}},
		{"gaussian-3d", 3, &Gaussian{Levels: space}},
		{"gaussian-positions", 2, &Gaussian{Levels: positions}},
		{"gaussian-turns", 2, &Gaussian{Levels: turns}},
		{"trapezoid", 2, &Trapezoid{}},
		{"paper", 2, &Paper{}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			const n = 8
			r := rand.New(rand.NewPCG(1, 1))
			scans := make([]*mtt.Scan, 3)
			for t := range scans {
				scans[t] = scatter(r, t, float64(t), n, bb.dim, 0.4, 0.3)
			}
			all := make([]int32, n)
			for i := range all {
				all[i] = int32(i)
			}
			dst := make([]float64, n*(n+1))
			j := 0
			for b.Loop() {
				bb.model.Triplets(dst, n+1, scans[0], all, scans[1], j, scans[2], all)
				j = (j + 1) % n
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*n), "ns/triplet")
		})
	}
}

// BenchmarkStarts prices a detection's 8 first links.
func BenchmarkStarts(b *testing.B) {
	const n = 8
	m := &Gaussian{Levels: Levels{Sigma: 0.1, SigmaV: 0.1, Accel: 0.1, SpeedStd: 1, ManoeuvreProb: 0.05, ManoeuvreAccel: 1}}
	r := rand.New(rand.NewPCG(1, 1))
	from, to := scatter(r, 0, 0, n, 2, 0.4, 0.3), scatter(r, 1, 1, n, 2, 0.4, 0.3)
	out := []int32{0, 1, 2, 3, 4, 5, 6, 7}
	dst := make([]float64, n)
	for b.Loop() {
		m.Starts(dst, from, 3, to, out)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/link")
}
