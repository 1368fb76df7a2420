package association

import (
	"math/rand/v2"
	"testing"

	"mtt"
)

// TestFewer: targets that step as far as they are apart, of which three in ten are missed, are no
// false alarms: counts are too steady for that. False alarms that are as many in each scan are
// steadier still, and stay what they are.
func TestFewer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		targets, alarms int
		step, detect    float64 // step: of the distance between neighbours
		seeds           []uint64
		least, most     float64 // share of the detections that tracks have
	}{
		{8, 0, 0.55, 0.7, []uint64{4}, 0.6, 1},
		{5, 8, 0.01, 0.9, []uint64{1}, 0.3, 0.4},
	} {
		for _, seed := range c.seeds {
			r := rand.New(rand.NewPCG(seed, 11))
			const side = 100
			step := c.step * side / 2.83 // of 8 targets
			x, v := make([]float64, 2*c.targets), make([]float64, 2*c.targets)
			for k := range x {
				x[k], v[k] = side*r.Float64(), step*r.NormFloat64()/1.41
			}
			var scans []mtt.Scan
			all := 0
			for f := range 80 {
				s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
				for range c.alarms {
					s.Pos = append(s.Pos, side*r.Float64(), side*r.Float64())
				}
				for i := range c.targets {
					if r.Float64() < c.detect {
						s.Pos = append(s.Pos, x[2*i]+0.3*step*r.NormFloat64(), x[2*i+1]+0.3*step*r.NormFloat64())
					}
				}
				for k := range x {
					v[k] += 0.1 * step * r.NormFloat64()
					if x[k] += v[k]; x[k] < 0 || x[k] > side {
						v[k] = -v[k]
						x[k] += v[k]
					}
				}
				all += s.Len()
				scans = append(scans, s)
			}
			res, err := Track(t.Context(), scans, &Options{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			used := 0
			for _, tr := range res.Tracks {
				used += len(tr.Hits)
			}
			if share := float64(used) / float64(all); share < c.least || share > c.most {
				t.Errorf("%d targets, seed %d: %d tracks of %.2f of the detections, false alarms %.3g a scan", c.targets, seed, len(res.Tracks), share, res.Levels.Rates.Clutter)
			}
		}
	}
}
