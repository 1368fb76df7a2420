package association

import (
	"math/rand/v2"
	"testing"

	"mtt"
)

// TestUneven: a corner of the field, an end of a line, or a stripe wherever it lies, where targets
// are missed more often is found, and none is where they are missed as often anywhere, one by one
// or for a while, or some targets more than others.
func TestUneven(t *testing.T) {
	for _, c := range []struct {
		name   string
		dim    int
		miss   func(at []float64) float64
		pauses bool      // a target that is missed stays so for some scans
		in     []float64 // lies in what is found; nil: nothing is
	}{
		{"even", 2, func([]float64) float64 { return 0.3 }, false, nil},
		{"even, for a while", 2, func([]float64) float64 { return 0.1 }, true, nil},
		{"even, but targets differ", 2, nil, false, nil},
		{"nothing is missed", 2, func([]float64) float64 { return 0 }, false, nil},
		{"a corner", 2, func(at []float64) float64 {
			if at[0] < 50 && at[1] > 50 {
				return 0.5
			}
			return 0.05
		}, false, []float64{25, 75}},
		{"a stripe across two quarters", 2, func(at []float64) float64 {
			if at[0] > 17 && at[0] < 32 {
				return 0.7
			}
			return 0.02
		}, false, []float64{25}},
		{"an end of a line", 1, func(at []float64) float64 {
			if at[0] > 75 {
				return 0.6
			}
			return 0.1
		}, true, []float64{88}},
	} {
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 5))
			const targets, frames = 60, 60
			scans := make([]mtt.Scan, frames)
			for f := range scans {
				scans[f] = mtt.Scan{Frame: 3 * f, Time: float64(f), Dim: c.dim}
			}
			var tracks []mtt.Track
			for i := range targets {
				x, v := make([]float64, c.dim), make([]float64, c.dim)
				for d := range x {
					x[d], v[d] = 100*r.Float64(), r.NormFloat64()
				}
				tr := mtt.Track{ID: i + 1, Dim: c.dim}
				until := 0 // missed
				miss := c.miss
				if own := 0.8 * float64(i%5) / 4; miss == nil {
					miss = func([]float64) float64 { return own }
				}
				for f := range scans {
					for d := range x {
						if x[d] += v[d]; x[d] < 0 || x[d] > 100 {
							v[d] = -v[d]
						}
					}
					if f < until {
						continue
					}
					if r.Float64() < miss(x) {
						if c.pauses {
							until = f + 1 + r.IntN(6)
						}
						continue
					}
					scans[f].Pos = append(scans[f].Pos, x...)
					tr.Append(&scans[f], scans[f].Len()-1)
				}
				tracks = append(tracks, tr)
			}
			p := uneven(scans, tracks)
			switch {
			case p == nil && c.in != nil:
				t.Errorf("%s, seed %d: nothing is found", c.name, seed)
			case p != nil && (c.in == nil || p.here < 2*p.others):
				t.Errorf("%s, seed %d: %v, %v there and %v elsewhere", c.name, seed, p, p.here, p.others)
			case p != nil:
				for d, x := range c.in {
					if x < p.from[d] || x > p.to[d] || 100-x > p.from[d] && 100-x < p.to[d] {
						t.Errorf("%s, seed %d: %v", c.name, seed, p)
					}
				}
			}
		}
	}
}
