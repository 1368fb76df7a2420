package costgen_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/costgen"
)

// TestEchoes: the density of echoes is the sum over all other detections, and of what is no target
// false alarms and echoes together are as dense as their price says.
func TestEchoes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for trial := range 60 {
		dim, n := 2+trial%2, r.IntN(40)
		s := &mtt.Scan{Dim: dim}
		e := &costgen.Echoes{Sigma: 0.05 + r.Float64(), Share: r.Float64()}
		for d := range dim {
			e.Offset[d] = 4 * r.NormFloat64()
		}
		for range n {
			for range dim {
				s.Pos = append(s.Pos, 10*r.Float64())
			}
			if i := s.Len() - 1; r.IntN(3) == 0 {
				for d := range dim {
					s.Pos = append(s.Pos, s.At(i)[d]+e.Offset[d]+e.Sigma*r.NormFloat64())
				}
			}
		}
		m := &costgen.Gaussian{Levels: costgen.Levels{
			Sigma: 0.2, Accel: 0.3, SpeedStd: 1, PositionsOnly: true, Dim: dim,
			Rates: costgen.Rates{Detect: 0.9, Survive: 0.95, Births: 0.3, Targets: 20, Clutter: 2, Volume: math.Pow(10, float64(dim))},
		}}
		usual := m.Ends()
		m.Echoes = e
		ends := make([]costgen.Ends, s.Len())
		if !m.EndsAt(ends, s) {
			t.Fatal("ends are everywhere the same")
		}
		for i, got := range e.Density(s) {
			want := 0.0
			for k := range s.Len() {
				p := e.Share
				for d, x := range s.At(i) {
					off := (x - s.At(k)[d] - e.Offset[d]) / e.Sigma
					p *= math.Exp(-off*off/2) / (e.Sigma * math.Sqrt(2*math.Pi))
				}
				if k != i {
					want += p
				}
			}
			if math.Abs(got-want) > 1e-9*(1+want) {
				t.Fatalf("trial %d: density %v, want %v", trial, got, want)
			}
			alarms := m.Rates.Clutter / m.Rates.Volume
			if price := usual.Clutter - math.Log((alarms+want)/alarms); math.Abs(ends[i].Clutter-price) > 1e-9 || ends[i].Birth != usual.Birth || ends[i].Death != usual.Death {
				t.Errorf("trial %d: ends %+v, usually %+v, want a false alarm at %v", trial, ends[i], usual, price)
			}
		}
	}
}
