package association

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
)

// TestNear: pairs of ends and beginnings are those that a look at all of them finds, the nearest
// first, equal ones in their order; where they are more than asked for, the look ends there.
func TestNear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for dim := 1; dim <= 3; dim++ {
		scan := func(n int) *mtt.Scan {
			s := &mtt.Scan{Dim: dim}
			for range n * dim {
				s.Pos = append(s.Pos, float64(r.IntN(20))) // many are equally far
			}
			return s
		}
		a, b := scan(70), scan(90)
		var ends, begins []int32
		for i := int32(0); i < 70; i += 2 {
			ends = append(ends, i)
		}
		for j := int32(0); j < 90; j += 3 {
			begins = append(begins, j)
		}
		var want []pair
		for _, i := range ends {
			for _, j := range begins {
				d := 0.0
				for k, x := range a.At(int(i)) {
					d = math.Hypot(d, b.At(int(j))[k]-x)
				}
				if d <= 7 {
					want = append(want, pair{d, i, j})
				}
			}
		}
		slices.SortStableFunc(want, func(p, q pair) int { return cmp.Compare(p.length, q.length) })
		if got := near(nil, a, b, ends, slices.Clone(begins), 7, len(want)); !slices.Equal(got, want) {
			t.Errorf("%d dimensions: %v, want %v", dim, got, want)
		}
		if got := near(nil, a, b, ends, begins, 7, 5); len(got) != 6 {
			t.Errorf("%d dimensions: %d pairs, want one more than 5", dim, len(got))
		}
	}
}
