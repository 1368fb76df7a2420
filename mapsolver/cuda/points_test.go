package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/dense"
)

// drawPoints makes points in the unit cube, those of a grid where whole is set, so that distances tie.
func drawPoints(rng *rand.Rand, n, dims int, whole bool) []float64 {
	list := make([]float64, n*dims)
	for i := range list {
		if list[i] = rng.Float64(); whole {
			list[i] = math.Floor(8 * list[i])
		}
	}
	return list
}

// TestPoints wants the answer of package dense, with prices that prove it, the same from one
// card and from all.
func TestPoints(t *testing.T) {
	needCard(t)
	for _, c := range []struct {
		rows, cols, dims int
		metric           dense.Metric
		whole            bool
	}{
		{1, 1, 2, dense.Euclidean, false},
		{2, 2, 1, dense.Squared, false},
		{40, 40, 2, dense.Euclidean, false},
		{40, 40, 3, dense.Squared, true},
		{40, 40, 2, dense.Manhattan, true},
		{20, 70, 2, dense.Euclidean, false},
	} {
		t.Run(fmt.Sprintf("%dx%dx%d %v whole %v", c.rows, c.cols, c.dims, c.metric, c.whole), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(c.rows), uint64(c.cols)))
			a, b := drawPoints(rng, c.rows, c.dims, c.whole), drawPoints(rng, c.cols, c.dims, c.whole)
			costs := dense.Distances(a, b, c.dims, c.metric)
			var want mapsolver.Solution
			if err := new(dense.Solver).Solve(context.Background(), &want, costs, nil); err != nil {
				t.Fatal(err)
			}
			var answers [2]mapsolver.Solution
			for k := range answers {
				s := Points{Cards: 1 - k} // 0: all
				if err := s.Solve(context.Background(), &answers[k], a, b, c.dims, c.metric); err != nil {
					t.Fatal(err)
				}
				if len(s.parts) != max(1, k*Cards()) {
					t.Errorf("%d cards of %d", len(s.parts), Cards())
				}
				gap, err := dense.Certify(costs, &answers[k])
				if err != nil || gap > 1e-12*(1+want.Cost) || math.Abs(gap-s.Work.Gap) > 1e-12*(1+want.Cost) {
					t.Errorf("gap %v, the cards say %v: %v", gap, s.Work.Gap, err)
				}
				if math.Abs(answers[k].Cost-want.Cost) > 1e-12*(1+want.Cost) {
					t.Errorf("cost %v, dense says %v", answers[k].Cost, want.Cost)
				}
				if c.rows == c.cols && c.rows > 2 && !c.whole && s.Work.Rounds < 2 {
					t.Errorf("%d rounds", s.Work.Rounds)
				}
				if err := s.Free(); err != nil {
					t.Error(err)
				}
			}
			if !slices.Equal(answers[0].ColOf, answers[1].ColOf) || !slices.Equal(answers[0].V, answers[1].V) {
				t.Errorf("one card and all differ: %v, %v", answers[0], answers[1])
			}
		})
	}
}

// TestPointsStop stops a solve, and solves with the same memory again.
func TestPointsStop(t *testing.T) {
	needCard(t)
	rng := rand.New(rand.NewPCG(1, 2))
	a, b := drawPoints(rng, 9, 2, false), drawPoints(rng, 9, 2, false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var s Points
	defer s.Free()
	var dst mapsolver.Solution
	if err := s.Solve(ctx, &dst, a, b, 2, dense.Euclidean); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want one of the context", err)
	}
	if err := s.Solve(context.Background(), &dst, a, b, 2, dense.Euclidean); err != nil || s.Work.Gap > 1e-12 {
		t.Errorf("gap %v, %v", s.Work.Gap, err)
	}
	a[3] = math.NaN()
	if err := s.Solve(context.Background(), &dst, a, b, 2, dense.Euclidean); err == nil {
		t.Error("no error for a coordinate that is none")
	}
}

// BenchmarkPoints pairs points of the unit square, by one card and by all, and times a scan of one row of
// larger problems.
func BenchmarkPoints(b *testing.B) {
	needCard(b)
	for _, n := range []int{10000, 20000, 40000} {
		for cards := 1; cards <= Cards(); cards++ {
			b.Run(fmt.Sprintf("solve/%d/%d", n, cards), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 0))
				from, to := drawPoints(rng, n, 2, false), drawPoints(rng, n, 2, false)
				s := Points{Cards: cards}
				defer s.Free()
				var dst mapsolver.Solution
				for b.Loop() {
					if err := s.Solve(context.Background(), &dst, from, to, 2, dense.Euclidean); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(s.Work.Rows)/float64(n), "rows/n")
				b.ReportMetric(float64(s.Work.Rounds), "rounds")
				b.ReportMetric(s.Work.Gap/dst.Cost, "gap")
			})
		}
	}
	for _, n := range []int{1 << 16, 1 << 18, 1 << 20, 1 << 22} {
		for cards := 1; cards <= Cards(); cards++ {
			b.Run(fmt.Sprintf("scan/%d/%d", n, cards), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 0))
				from, to := drawPoints(rng, n, 2, false), drawPoints(rng, n, 2, false)
				s := Points{Cards: cards, rowOf: make([]int32, n)}
				defer s.Free()
				if err := s.send(from, to, 2, dense.Euclidean); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := s.relax(int32(b.N%n), 0, none, true); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
