package cuda

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"mtt"
	"mtt/costgen"
)

// clear begins anew.
func (s *Split) clear(b *testing.B) {
	for _, a := range s.parts {
		a.warm = false
		if err := a.clear(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCards times passes 4 to 40, and an ascent to its end, on one card and on more, and
// wants the same bound of all.
func BenchmarkCards(b *testing.B) {
	eachDense(b, func(b *testing.B, cost string, scans []mtt.Scan) {
		bound := math.NaN()
		for n := 1; n <= Cards(); n *= 2 {
			b.Run(fmt.Sprintf("cards=%d", n), func(b *testing.B) {
				var s *Split
				var err error
				switch model := denseModel(cost).(type) {
				case *costgen.Paper:
					s, err = NewPaperSplit(scans, denseGate, model, n)
				case *costgen.Gaussian:
					s, err = NewGaussianSplit(scans, denseGate, model, n)
				}
				if err != nil {
					b.Fatal(err)
				}
				defer s.Free()
				var passes, ascents []float64
				var last float64
				for b.Loop() {
					s.clear(b)
					for pass := range 40 {
						share := momentum
						if pass < 2 {
							share = 0
						}
						began := time.Now()
						if last, err = s.Pass(context.Background(), share); err != nil {
							b.Fatal(err)
						}
						if pass >= 3 {
							passes = append(passes, 1000*time.Since(began).Seconds())
						}
					}
					s.clear(b)
					began := time.Now()
					if _, err = s.Raise(context.Background(), 100); err != nil {
						b.Fatal(err)
					}
					ascents = append(ascents, 1000*time.Since(began).Seconds())
				}
				if n == 1 {
					bound = last
				} else if last != bound {
					b.Errorf("%d cards prove %v, one %v", n, last, bound)
				}
				b.ReportMetric(float64(s.Parts()), "parts")
				b.ReportMetric(last, "bound")
				b.ReportMetric(median(ascents), "ms/ascent")
				b.ReportMetric(median(passes), "ms/pass")
			})
		}
	})
}

// BenchmarkCut moves the boundary between two cards, under the published cost: where a pass waits for
// its slowest assignment problem it takes as long wherever the boundary is.
func BenchmarkCut(b *testing.B) {
	needCard(b)
	cards, err := allCards()
	if err != nil {
		b.Fatal(err)
	}
	if len(cards) < 2 {
		b.Skip("one card")
	}
	eachSize(b, func(b *testing.B, scans []mtt.Scan) {
		src := paperSource(scans, denseGate, denseModel("paper").(*costgen.Paper))
		for _, share := range []float64{0.1, 0.25, 0.4, 0.5, 0.6, 0.75} {
			weight := make([]int, len(scans)-1)
			for p := range weight {
				if weight[p] = int(1e4 * share); float64(p) < share*float64(len(weight)) {
					weight[p] = int(1e4 * (1 - share))
				}
			}
			b.Run(fmt.Sprintf("first=%v", share), func(b *testing.B) {
				s, err := newSplit(weight, cards[:2], func(a *Ascent, lo, hi int) error { return a.generate(src, lo, hi) })
				if err != nil {
					b.Fatal(err)
				}
				defer s.Free()
				var passes []float64
				for b.Loop() {
					s.clear(b)
					for pass := range 40 {
						began := time.Now()
						if _, err := s.Pass(context.Background(), momentum); err != nil {
							b.Fatal(err)
						}
						if pass >= 3 {
							passes = append(passes, 1000*time.Since(began).Seconds())
						}
					}
				}
				b.ReportMetric(float64(s.cuts[1]), "gaps")
				b.ReportMetric(median(passes), "ms/pass")
			})
		}
	})
}
