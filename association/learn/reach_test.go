package learn

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/gating"
	"mtt/motion"
)

// pairwise is a gate whose regions do not tell that they are bounded.
type pairwise struct{ gating.Gate }

func (g pairwise) Between(a, b *mtt.Scan) (gating.Region, error) {
	r, err := g.Gate.Between(a, b)
	return struct{ gating.Region }{r}, err
}

// TestReachBounded: crowds inside the gate of a walk and of a fast target keep the pairs that a
// look at all pairs keeps, and Least is below all statistics.
func TestReachBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 60 {
		scans := make([]mtt.Scan, 2)
		for k := range scans {
			scans[k] = mtt.Scan{Frame: k, Time: float64(k), Dim: 2}
			for range 2 * (50 + rng.IntN(50)) {
				x := 10 * rng.Float64()
				if trial%3 == 0 {
					x = float64(int(x) / 3)
				}
				scans[k].Pos = append(scans[k].Pos, x)
			}
		}
		g := newReachGate(&motion.Params{Model: motion.Walk{}, Dim: 2, Sigma: 0.5, PositionsOnly: true, Accel: 1, SpeedStd: 1}, 0)
		if trial%2 == 0 {
			g.params.Model, g.speed = motion.Velocity{}, 3
		}
		region, err := g.Between(&scans[0], &scans[1])
		if err != nil {
			t.Fatal(err)
		}
		least := region.(gating.Bounded)
		for i := range scans[0].Len() {
			for j := range scans[1].Len() {
				p, q := scans[0].At(i), scans[1].At(j)
				d2 := (p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1])
				if s, _ := region.Accepts(i, j); least.Least(d2) > s {
					t.Fatalf("least %v above %v", least.Least(d2), s)
				}
			}
		}
		k := 1 + rng.IntN(5)
		want, err := (&gating.Finder{K: k}).Neighbors(nil, &scans[0], &scans[1], pairwise{g})
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&gating.Finder{K: k}).Neighbors(nil, &scans[0], &scans[1], g)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Ptr, want.Ptr) || !slices.Equal(got.Col, want.Col) {
			t.Fatalf("trial %d: %d pairs, want %d", trial, got.NNZ(), want.NNZ())
		}
	}
}
