package association

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association/chain"
	"mtt/costgen"
)

// TestSuspect: what is left over where a track has a miss speaks for positions that are far off only
// where false alarms are not as dense about it, however large the field is.
func TestSuspect(t *testing.T) {
	const frames, sigma = 300, 0.1
	for _, outliers := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(5, 44))
		scans := make([]mtt.Scan, frames)
		for f := range scans {
			s := &scans[f]
			*s = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			if f%3 > 0 {
				s.Pos = append(s.Pos, 0, 0)
			} else if outliers && f%9 == 0 {
				s.Pos = append(s.Pos, 10*sigma*rng.NormFloat64(), 10*sigma*rng.NormFloat64())
			}
			for range 8 { // one in 20 m²
				s.Pos = append(s.Pos, 12*(rng.Float64()-.5), 12*(rng.Float64()-.5))
			}
		}
		links := chain.New(scans)
		last := chain.None
		left := make([]mtt.Scan, frames)
		for f := range scans {
			left[f] = scans[f]
			if f%3 > 0 {
				left[f] = scans[f].Pick([]int32{1, 2, 3, 4, 5, 6, 7, 8})
				if last != chain.None {
					links.Link(last, chain.At(f, 0))
				}
				last = chain.At(f, 0)
			}
		}
		levels := &costgen.Levels{Sigma: sigma, Rates: costgen.Rates{Volume: 1e6}}
		if got := suspect(links, scans, left, levels); got != outliers {
			t.Errorf("outliers %v: suspected %v", outliers, got)
		}
	}
}
