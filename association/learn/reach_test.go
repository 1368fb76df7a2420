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

// TestReachRenewed: a region in place of another, of this gate or another, is what a new one is, and
// takes no memory.
func TestReachRenewed(t *testing.T) {
	scans := make([]mtt.Scan, 6)
	for k := range scans {
		scans[k] = mtt.Scan{Frame: k, Time: float64(k * k), Dim: 2, Pos: []float64{float64(k), 1, 2, float64(k)}}
	}
	scans[3].Cov = []float64{4, 1, 9, 1, 0, 1}
	walk := newReachGate(&motion.Params{Model: motion.Walk{}, Dim: 2, Sigma: 0.5, PositionsOnly: true, Accel: 1, ManoeuvreProb: 0.1, ManoeuvreAccel: 2}, 0)
	fast := newReachGate(&motion.Params{Model: motion.Velocity{}, Dim: 2, Sigma: 0.1, PositionsOnly: true, Accel: 1, SpeedStd: 1}, 3)
	var old gating.Region
	for k := 1; k < len(scans); k++ {
		for _, g := range []*reachGate{walk, fast} {
			want, _ := newReachGate(&g.params, g.speed).Between(&scans[k-1], &scans[k])
			got, err := g.Renew(old, &scans[k-1], &scans[k])
			if err != nil {
				t.Fatal(err)
			}
			for i := range 2 {
				p, r := want.Around(i)
				if q, s := got.Around(i); p != q || r != s {
					t.Errorf("scan %d, %v, detection %d: a ball around %v of %v, want %v of %v", k, g, i, q, s, p, r)
				}
				for j := range 2 {
					x, in := want.Accepts(i, j)
					if y, too := got.Accepts(i, j); x != y || in != too {
						t.Errorf("scan %d, %v, pair %d, %d: %v %v, want %v %v", k, g, i, j, y, too, x, in)
					}
				}
			}
			old = got
		}
	}
	if n := testing.AllocsPerRun(100, func() { old, _ = walk.Renew(old, &scans[0], &scans[1]) }); n > 0 {
		t.Errorf("%v allocations for a region in place of another", n)
	}
}
