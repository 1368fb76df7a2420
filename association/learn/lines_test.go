package learn

import (
	"math/rand/v2"
	"testing"

	"mtt"
)

// TestLines: a few targets that go straight, many times as far from scan to scan as false alarms
// are apart, show among these, and false alarms alone show none.
func TestLines(t *testing.T) {
	const side, alarms = 300, 25
	for seed := range uint64(5) {
		for _, targets := range []int{3, 0} {
			r := rand.New(rand.NewPCG(seed, 3))
			var x, v [3][2]float64
			for i := range x {
				x[i] = [2]float64{side * r.Float64(), side * r.Float64()}
				v[i] = [2]float64{20 + 5*r.NormFloat64(), 5 * r.NormFloat64()}
			}
			var scans []mtt.Scan
			of := make(map[[2]int]int) // the target of a detection, by scan and index
			for f := range 30 {
				s := mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
				for i := range targets {
					for d := range 2 {
						if x[i][d] += v[i][d]; x[i][d] < 0 || x[i][d] > side {
							v[i][d] = -v[i][d]
						}
					}
					of[[2]int{f, s.Len()}] = i + 1
					s.Pos = append(s.Pos, x[i][0]+0.3*r.NormFloat64(), x[i][1]+0.3*r.NormFloat64())
				}
				for range alarms {
					s.Pos = append(s.Pos, side*r.Float64(), side*r.Float64())
				}
				scans = append(scans, s)
			}
			hits, right := 0, 0
			for _, tr := range lines(scans) {
				first := of[[2]int{tr.Hits[0].Frame, tr.Hits[0].Det}]
				for _, h := range tr.Hits {
					if hits++; first > 0 && of[[2]int{h.Frame, h.Det}] == first {
						right++
					}
				}
			}
			if hits > 40*targets || 10*right < 9*hits || right < 15*targets {
				t.Errorf("seed %d, %d targets: %d detections in chains, %d right", seed, targets, hits, right)
			}
		}
	}
}
