package sensing_test

import (
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association"
)

// TestSeenByTurnsAndAlways tracks two targets that are seen in every scan among ten that are seen
// in every second one. With rates of these ten each of the two was two targets on one path.
func TestSeenByTurnsAndAlways(t *testing.T) {
	t.Parallel()
	const always, targets, frames = 2, 12, 80
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var pos, vel [targets][2]float64
		for k := range pos {
			for d := range 2 {
				pos[k][d], vel[k][d] = 100*rng.Float64(), 0.5*rng.NormFloat64()
			}
		}
		scans := make([]mtt.Scan, frames)
		of := make([][]int, frames) // targets, by scan and detection
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for k := range pos {
				if k >= always && (f+k)%2 == 1 || rng.Float64() < 0.05 {
					continue
				}
				for d := range 2 {
					scans[f].Pos = append(scans[f].Pos, pos[k][d]+float64(f)*vel[k][d]+0.2*rng.NormFloat64())
				}
				of[f] = append(of[f], k)
			}
		}
		res, err := association.Track(t.Context(), scans, nil)
		if err != nil {
			t.Fatal(err)
		}
		links, right, all := 0, 0, -targets
		for f := range of {
			all += len(of[f])
		}
		for i := range res.Tracks {
			h := res.Tracks[i].Hits
			for n := 1; n < len(h); n++ {
				links++
				k := of[h[n].Frame][h[n].Det]
				next := of[h[n-1].Frame][h[n-1].Det] == k
				for f := h[n-1].Frame + 1; f < h[n].Frame; f++ { // no detection between
					for _, other := range of[f] {
						next = next && other != k
					}
				}
				if next {
					right++
				}
			}
		}
		if 20*right < 19*max(links, all) {
			t.Errorf("seed %d: %d of %d links are right, of %d", seed, right, links, all)
		}
	}
}
