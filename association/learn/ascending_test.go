package learn

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// ascending leaves what slices.SortFunc leaves, wherever changes lie; those at one distance may be
// in another order.
func TestAscending(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, distance := range map[string]func(k int) float64{
		"anywhere": func(int) float64 { return math.Sqrt(r.Float64()) },
		"equal":    func(int) float64 { return 2.5 },
		"zero":     func(int) float64 { return 0 },
		"few":      func(int) float64 { return float64(r.IntN(5)) / 3 },
		"outlier":  func(k int) float64 { return cmp.Or(float64(k&^1023)*1e12, r.Float64()) },
		"infinite": func(k int) float64 { return 1 / float64(k%100) },
		"tiny":     func(int) float64 { return r.Float64() * 0x1p-1070 },
		"huge":     func(int) float64 { return r.Float64() * math.MaxFloat64 },
	} {
		for _, n := range []int{0, 1, 2, 3, 17, 4000} {
			list := make([]change, n)
			for k := range list {
				list[k] = change{r: distance(k), w: float64(k)}
			}
			want := slices.Clone(list)
			got := ascending(list)
			if !slices.IsSortedFunc(got, func(a, b change) int { return cmp.Compare(a.r, b.r) }) {
				t.Errorf("%s, %d: not ascending", name, n)
			}
			all := func(a, b change) int { return cmp.Or(cmp.Compare(a.r, b.r), cmp.Compare(a.w, b.w)) }
			got = slices.Clone(got)
			slices.SortFunc(got, all)
			slices.SortFunc(want, all)
			if !slices.Equal(got, want) {
				t.Errorf("%s, %d: other changes than before", name, n)
			}
		}
	}
}
