package cuda

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/scenario"
)

// TestCube wants algorithms 3 and 4 to leave the same minima, and those that the instance has.
func TestCube(t *testing.T) {
	needCard(t)
	scans := simulate(t, &scenario.Config{Targets: 11, Frames: 6, Noise: 0.1, VelocityNoise: 0.1})
	for name, inst := range map[string]*dualascent.Instance{
		"paper": instance(t, scans, gating.Disc{Epsilon: 2, Margin: 0.4}, &costgen.Paper{Prices: metric(1e3)}),
		"nll":   instance(t, scans, gating.Disc{Epsilon: 2, Margin: 0.4}, gaussian(0.1)),
	} {
		t.Run(name, func(t *testing.T) {
			c, err := NewCube(inst)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Free()
			n := c.Nodes()
			if n != 11 || c.Blocks() != 4 || c.Listed() != inst.Triplets() {
				t.Fatalf("%d nodes, %d blocks, %d of %d triplets", n, c.Blocks(), c.Listed(), inst.Triplets())
			}
			rng := rand.New(rand.NewPCG(5, 6))
			v := make([]float64, c.Blocks()*n*n)
			for k := range v {
				v[k] = rng.Float64()
			}
			if err := c.Multipliers(v); err != nil {
				t.Fatal(err)
			}
			for name, distribute := range map[string]func() (float64, error){"naive": c.Naive, "compressed": c.Compressed} {
				if err := c.Reset(); err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if ms, err := distribute(); err != nil || ms < 0 {
						t.Fatal(ms, err)
					}
				}
				if _, err := c.Least(); err != nil {
					t.Fatal(err)
				}
				got, err := c.Minima()
				if err != nil {
					t.Fatal(err)
				}
				want := minima(inst, n, v, 2)
				for k := range want {
					if math.IsInf(want[k], 1) != (got[k] > Outside/2) || !math.IsInf(want[k], 1) && math.Abs(got[k]-want[k]) > 1e-9 {
						t.Fatalf("%s: minimum %d is %v, want %v", name, k, got[k], want[k])
					}
				}
			}
		})
	}
}

// minima are the least of cost − times·v over the heads, by block, tail and node; +Inf: nothing
// passes the gate.
func minima(inst *dualascent.Instance, n int, v []float64, times float64) []float64 {
	list := make([]float64, len(v))
	for k := range list {
		list[k] = math.Inf(1)
	}
	for t := range inst.Blocks {
		left, right, b := &inst.Pairs[t], &inst.Pairs[t+1], inst.Blocks[t]
		if b.Differences != nil {
			b = b.Differences.Dense(left, right)
		}
		row := make([]int, left.Cols) // of the matrix of each node
		for i := range left.Rows {
			for a := left.Ptr[i]; a < left.Ptr[i+1]; a++ {
				j := int(left.Col[a])
				width := right.Ptr[j+1] - right.Ptr[j] + 1
				for s := range width - 1 {
					k := int(right.Col[right.Ptr[j]+s])
					x := b.D[b.Ptr[j]+row[j]*width+s] - times*v[(t*n+k)*n+j]
					list[(t*n+i)*n+j] = min(list[(t*n+i)*n+j], x)
				}
				row[j]++
			}
		}
	}
	return list
}
